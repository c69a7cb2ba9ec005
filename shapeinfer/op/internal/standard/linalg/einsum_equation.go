package linalg

import (
	"strings"
)

// This file reads the equations of Einsum.

// An equation is the attribute of Einsum: the subscripts of its operands and
// of its result (https://onnx.ai/onnx/operators/onnx__Einsum.html).
type equation struct {
	operands []subscripts
	result   subscripts
}

// subscripts are the labels of one operand's axes.
type subscripts struct {
	labels   []byte
	ellipsis int // how many labels stand before "...", -1 without one
}

// parseEquation reads an equation such as "...ij,jk->...ik". Without "->" the
// result has the ellipsis and then, sorted, the labels that occur once.
func parseEquation(text string) (e equation, ok bool) {
	text = strings.ReplaceAll(text, " ", "")
	left, right, explicit := strings.Cut(text, "->")
	for _, term := range strings.Split(left, ",") {
		t, ok := parseSubscripts(term)
		if !ok {
			return e, false
		}
		e.operands = append(e.operands, t)
	}
	if !explicit {
		e.result = e.implicitResult()
		return e, true
	}
	if e.result, ok = parseSubscripts(right); !ok {
		return e, false
	}
	if e.result.ellipsis >= 0 && !e.hasEllipsis() {
		return e, false
	}
	counts := e.counts()
	for _, l := range e.result.labels {
		// A label of the result that no operand has, or that comes twice.
		if counts[l] == 0 {
			return e, false
		}
		counts[l] = 0
	}
	return e, true
}

func parseSubscripts(term string) (t subscripts, ok bool) {
	t.ellipsis = -1
	before, after, found := strings.Cut(term, "...")
	if found {
		t.ellipsis = len(before)
	}
	t.labels = []byte(before + after)
	for _, l := range t.labels {
		if !('a' <= l && l <= 'z' || 'A' <= l && l <= 'Z') {
			return t, false
		}
	}
	return t, true
}

func (e *equation) implicitResult() subscripts {
	t := subscripts{ellipsis: -1}
	if e.hasEllipsis() {
		t.ellipsis = 0
	}
	for l, n := range e.counts() {
		if n == 1 {
			t.labels = append(t.labels, byte(l))
		}
	}
	return t
}

// counts says how often each letter occurs in the operands.
func (e *equation) counts() (n [128]int) {
	for _, t := range e.operands {
		for _, l := range t.labels {
			n[l]++
		}
	}
	return n
}

func (e *equation) hasEllipsis() bool {
	for _, t := range e.operands {
		if t.ellipsis >= 0 {
			return true
		}
	}
	return false
}

// A labelSet is a set of labels, the ellipsis among them.
type labelSet struct {
	has      [128]bool
	ellipsis bool
}

func (t subscripts) set() (s labelSet) {
	for _, l := range t.labels {
		s.has[l] = true
	}
	s.ellipsis = t.ellipsis >= 0
	return s
}

func (s labelSet) union(o labelSet) labelSet {
	for l, has := range o.has {
		s.has[l] = s.has[l] || has
	}
	s.ellipsis = s.ellipsis || o.ellipsis
	return s
}

func (s labelSet) intersection(o labelSet) labelSet {
	for l, has := range o.has {
		s.has[l] = s.has[l] && has
	}
	s.ellipsis = s.ellipsis && o.ellipsis
	return s
}
