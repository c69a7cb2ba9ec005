package main

import (
	"github.com/spf13/pflag"

	"onnxmem/report/render"
)

// registerUnits adds the flag for the units of sizes.
func registerUnits(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "units", "si", "`UNITS` of sizes: si (1 kB = 1000 bytes) or iec (1 KiB = 1024 bytes)")
}

func parseUnits(name string) (render.Units, error) {
	units, err := render.ParseUnits(name)
	if err != nil {
		return units, usagef("--units: %w", err)
	}
	return units, nil
}
