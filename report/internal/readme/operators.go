package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onnxmem/shapeinfer/op"
)

// domainNames says what the domains are; others stand under their own name.
var domainNames = map[string]string{
	"":                       "ai.onnx, with what ONNX Runtime adds to it",
	op.DomainML:              "ai.onnx.ml: classic machine learning",
	op.DomainPreview:         "ai.onnx.preview",
	op.DomainPreviewTraining: "ai.onnx.preview.training",
	op.DomainMicrosoft:       "com.microsoft: ONNX Runtime's own",
	op.DomainNchwc:           "com.microsoft.nchwc: its blocked convolutions",
	op.DomainInternalNHWC:    "com.ms.internal.nhwc: its NHWC forms",
	op.DomainATen:            "org.pytorch.aten",
}

// byDomain groups the catalogue; the default domain comes first, then the
// largest.
func byDomain(c *op.Catalogue) [][]*op.Op {
	index := map[string]int{}
	var groups [][]*op.Op
	for _, o := range c.Ops() {
		i, ok := index[o.Domain]
		if !ok {
			i = len(groups)
			index[o.Domain] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], o)
	}
	slices.SortStableFunc(groups, func(a, b []*op.Op) int {
		if a[0].Domain == "" || b[0].Domain == "" {
			return cmp.Compare(len(a[0].Domain), len(b[0].Domain))
		}
		return cmp.Compare(len(b), len(a))
	})
	return groups
}

// operatorSummary counts the catalogue by domain.
func operatorSummary(c *op.Catalogue) string {
	t := newTable("domain", ">operators", ">versions", ">with multiply-accumulates", ">views")
	for _, ops := range byDomain(c) {
		name := domainNames[ops[0].Domain]
		versions, macs, views := 0, 0, 0
		for _, o := range ops {
			versions += len(o.Versions)
			macs += count(o.MACs != nil)
			views += count(len(o.Views) > 0)
		}
		t.row(cmp.Or(name, ops[0].Domain), fmt.Sprint(names(ops)), fmt.Sprint(versions), fmt.Sprint(macs), fmt.Sprint(views))
	}
	return t.String()
}

// names is the number of different names: one operator may have an entry for
// each of several ranges of versions.
func names(ops []*op.Op) int {
	seen := map[string]bool{}
	for _, o := range ops {
		seen[o.Name] = true
	}
	return len(seen)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// operatorPage lists every operator with its versions.
func operatorPage(c *op.Catalogue) string {
	var b strings.Builder
	b.WriteString("<!-- Made by go run ./report/internal/readme; a test fails when it is stale. -->\n# Operators\n\n" +
		"What `onnxmem ops` prints: each operator with the opset versions at which its definition changed. *MACs*: its multiply-accumulates count as\n" +
		"compute. *View*: an output shares the memory of an input. A test compares the list with the schemas of ONNX and ONNX Runtime.\n")
	for _, ops := range byDomain(c) {
		domain := cmp.Or(ops[0].Domain, "ai.onnx")
		fmt.Fprintf(&b, "\n## %s\n\n", domain)
		t := newTable("operator", "versions", "")
		for _, o := range ops {
			var notes []string
			if o.MACs != nil {
				notes = append(notes, "MACs")
			}
			if len(o.Views) > 0 {
				notes = append(notes, "view")
			}
			if o.Deprecated {
				notes = append(notes, "deprecated")
			}
			t.row(o.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Versions), " ", ", "), "[]"), strings.Join(notes, ", "))
		}
		b.WriteString(t.String())
	}
	return b.String()
}
