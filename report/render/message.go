package render

import (
	"cmp"
	"fmt"
	"strings"

	"onnxmem/report"
	"onnxmem/report/finding"
)

// This file makes sentences of findings.

// A sentence says one kind of finding in plain English.
type sentence func(Style, finding.Finding) string

// sentences are those of all codes that findings have, advice apart.
var sentences = merged(assumptionSentences, weightSentences, peakSentences, unknownSentences, trainingSentences, fitSentences)

func merged(all ...map[finding.Code]sentence) map[finding.Code]sentence {
	m := map[finding.Code]sentence{}
	for _, part := range all {
		for c, s := range part {
			m[c] = s
		}
	}
	return m
}

// Message is a finding in plain English, with sizes in the style's units and
// options in its spelling.
func (s Style) Message(f finding.Finding) string {
	if say := sentences[f.Code]; say != nil {
		return say(s, f)
	}
	if say, known := advice[f.Code]; known {
		return say.change(s, f)
	}
	return string(f.Code)
}

// messages are findings in plain English, one each.
func (s Style) messages(list []finding.Finding) []string {
	var texts []string
	for _, f := range list {
		texts = append(texts, s.Message(f))
	}
	return texts
}

func (s Style) size(n int64) string { return s.Units.Size(n) }

// option spells an option that is set to a value.
func (s Style) option(name finding.OptionName, value string) string {
	if s.Option != nil {
		return s.Option(finding.Option{Name: name, Value: value})
	}
	return string(name) + " " + value
}

// options spells several options, for a reader to copy.
func (s Style) options(list []finding.Option) string {
	var texts []string
	for _, o := range list {
		texts = append(texts, s.option(o.Name, o.Value))
	}
	return strings.Join(texts, " ")
}

// plain is a sentence without arguments.
func plain(text string) sentence {
	return func(Style, finding.Finding) string { return text }
}

var assumptionSentences = map[finding.Code]sentence{
	finding.AssumedDimension: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("%s is dynamic; assumed %d. Set it with %s.", f.Symbol, f.Size, s.option(finding.Dim, f.Symbol+"=N"))
	},
	finding.AssumedSmallest: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("%s is dynamic; assumed %d, so the numbers are those of the smallest input. Set it with %s.", f.Symbol, f.Size, s.option(finding.Dim, f.Symbol+"=N"))
	},
	finding.FormulaDomain: plain("Formulas assume that dynamic dimensions are at least 1."),
}

// maxNamed is how many dynamic dimensions a sentence names.
const maxNamed = 4

// dynamicDimensions says once, for all dynamic dimensions, what they count as.
func (s Style) dynamicDimensions(list []finding.Finding) string {
	var names, flags []string
	smallest, size, all := false, int64(0), 0
	for _, f := range list {
		if f.Code != finding.AssumedDimension && f.Code != finding.AssumedSmallest {
			continue
		}
		all++
		size = f.Size
		smallest = smallest || f.Code == finding.AssumedSmallest
		if len(names) < maxNamed {
			names = append(names, f.Symbol)
			flags = append(flags, s.option(finding.Dim, f.Symbol+"=N"))
		}
	}
	verb, them := "is", "it"
	switch {
	case all == 0:
		return ""
	case all > len(names):
		names = append(names, Count(int64(all-len(names)))+" more")
		flags = append(flags, "and so on")
		fallthrough
	case all > 1:
		verb, them = "are", "them"
	}
	text := fmt.Sprintf("%s %s dynamic; assumed %d", enumerated(names), verb, size)
	if smallest {
		text += ", so the numbers are those of the smallest input"
	}
	return text + fmt.Sprintf(". Set %s with %s.", them, strings.Join(flags, " "))
}

// otherAssumptions are those that dynamicDimensions does not say.
func (s Style) otherAssumptions(list []finding.Finding) []string {
	var texts []string
	for _, f := range list {
		if f.Code != finding.AssumedDimension && f.Code != finding.AssumedSmallest {
			texts = append(texts, s.Message(f))
		}
	}
	return texts
}

// enumerated joins words: a, b and c.
func enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

var unknownSentences = map[finding.Code]sentence{
	finding.SizeUnknown: func(_ Style, f finding.Finding) string {
		return f.Detail
	},
	finding.SizeOfStrings:      plain("the length of its strings is known only at run time"),
	finding.SizeTooLarge:       plain("more bytes than 63 bits can count"),
	finding.SizeDataDependent:  plain("its size depends on tensor values"),
	finding.CallsTruncated:     plain("functions call functions too often to follow what runs inside"),
	finding.RuntimeUnavailable: func(_ Style, f finding.Finding) string { return "no plan of this runtime: " + f.Detail },
	finding.RuntimeSizesUnknown: func(_ Style, f finding.Finding) string {
		return cmp.Or(f.Detail, "the size of some tensors is not known")
	},
	finding.Internal: func(_ Style, f finding.Finding) string { return f.Detail },
}

// whyUnknown says why a size is not known.
func (s Style) whyUnknown(u report.Unknown) string {
	if u.Reason != "" {
		return u.Reason
	}
	return s.Message(finding.Finding{Code: u.Code})
}

var fitSentences = map[finding.Code]sentence{
	finding.WeightsExceedBudget: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("The weights alone take %s, more than the budget: no %s is small enough.", s.size(f.Bytes), f.Symbol)
	},
	finding.SizeNotPossible: func(_ Style, f finding.Finding) string {
		return fmt.Sprintf("%s = %d is not possible: %s", f.Symbol, f.Size, f.Detail)
	},
	finding.SearchEnded: func(s Style, f finding.Finding) string {
		return fmt.Sprintf("The model is large: the search ended after %s, without the other devices and without advice. Answer for one device with %s.", countOf(f.Count, "size"), s.option(finding.Device, "NAME"))
	},
	finding.SizeGap: func(_ Style, f finding.Finding) string {
		return fmt.Sprintf("%s = %d does not fit although %d does: the caching allocator reserves whole blocks and wastes more at some sizes.", f.Symbol, f.Size, f.Count)
	},
}
