package main

import (
	"strings"

	"onnxmem/report/finding"
	"onnxmem/report/render"
)

// This file spells the options that findings name as flags.

// textStyle is the style of texts for a reader of the command line.
func textStyle(units render.Units) render.Style {
	return render.Style{Units: units, Width: helpWidth, Option: flagText}
}

// flagText is an option as a flag, to be copied into a shell.
func flagText(o finding.Option) string {
	flag := "--" + string(o.Name)
	switch o.Name {
	case finding.Fused, finding.Foreach, finding.NoFusion, finding.ReuseInputs, finding.Untie:
		if o.Value == "true" {
			return flag
		}
		return flag + "=" + o.Value
	}
	return flag + " " + shellQuote(o.Value)
}

// shellQuote quotes a text that a shell would take for more than a word.
func shellQuote(s string) string {
	special := strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./:-+@=,%", r)
	})
	if s != "" && !special {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
