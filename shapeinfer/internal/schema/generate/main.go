// Command generate turns the schema lists in testdata/schemas into the table
// that package schema embeds: one line per operator version.
package main

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
)

type formal struct {
	Name, Type, Option string
	Heterogeneous      bool
}

type entry struct {
	Name, Domain    string
	Since           int
	Inputs, Outputs []formal
	Arity           [4]int64
	Attributes      map[string]struct {
		Type     string
		Required bool
	}
	Types      map[string][]string
	Function   any
	Deprecated bool
}

func main() {
	out := flag.String("out", "table.txt", "file to write")
	flag.Parse()
	var lines []string
	for _, path := range flag.Args() {
		entries, err := read(path)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range entries {
			lines = append(lines, line(e))
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if err := os.WriteFile(*out, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		log.Fatal(err)
	}
}

func read(path string) ([]entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var list struct{ Schemas []entry }
	if err := json.NewDecoder(z).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list.Schemas, nil
}

func line(e entry) string {
	flags := ""
	if e.Function != nil && e.Function != false {
		flags += "f"
	}
	if e.Deprecated {
		flags += "d"
	}
	var attributes []string
	for name, a := range e.Attributes {
		s := name + ":" + a.Type
		if a.Required {
			s += ":r"
		}
		attributes = append(attributes, s)
	}
	slices.Sort(attributes)
	var types []string
	for name, list := range e.Types {
		types = append(types, name+"="+strings.Join(list, ","))
	}
	slices.Sort(types)
	arity := fmt.Sprintf("%d,%d,%d,%d", e.Arity[0], e.Arity[1], e.Arity[2], e.Arity[3])
	return strings.Join([]string{e.Domain, e.Name, fmt.Sprint(e.Since), arity, flags, formals(e.Inputs), formals(e.Outputs),
		strings.Join(attributes, ";"), strings.Join(types, ";")}, "|")
}

func formals(list []formal) string {
	var out []string
	for _, f := range list {
		flags := ""
		switch f.Option {
		case "Optional":
			flags += "o"
		case "Variadic":
			flags += "v"
		}
		if f.Heterogeneous {
			flags += "h"
		}
		out = append(out, f.Name+":"+f.Type+":"+flags)
	}
	return strings.Join(out, ";")
}
