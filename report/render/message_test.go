package render

import (
	"math"
	"slices"
	"strings"
	"testing"

	"onnxmem/report/finding"
)

// withArguments is a finding with every argument, for any sentence.
func withArguments(c finding.Code) finding.Finding {
	f := finding.New(c)
	f.Node, f.Op, f.Tensor, f.Related, f.Symbol, f.Detail = "node", "Op", "tensor", "related", "batch", "FLOAT[1]"
	f.Size, f.Count, f.Elements, f.Bytes, f.TensorBytes = 8, 3, 5, 2_500_000, 1_500_000
	f.Peak = &finding.Change{Before: 3_000_000, After: 2_000_000}
	f.Options = []finding.Option{{Name: finding.Dim, Value: "batch=4"}}
	return f
}

// TestEveryFindingHasASentence: the codes of findings are those of this program's
// own kinds; diagnostics bring their messages along.
func TestEveryFindingHasASentence(t *testing.T) {
	diagnostics := []finding.Kind{finding.File, finding.Data, finding.Inference}
	style := Style{Units: IEC}
	for _, e := range finding.Entries() {
		if slices.Contains(diagnostics, e.Kind) || e.Code == finding.AssumedSize {
			continue
		}
		text := style.Message(withArguments(e.Code))
		if text == "" || text == string(e.Code) || strings.Contains(text, "%!") {
			t.Errorf("%s: %q", e.Code, text)
		}
		if siUnit.MatchString(text) {
			t.Errorf("%s: %q has SI units under IEC", e.Code, text)
		}
		if e.Kind == finding.Advice {
			if change, cost := style.adviceText(withArguments(e.Code)); cost == "" || strings.Contains(change+cost, "%!") || !strings.HasSuffix(change, "(dim batch=4)") {
				t.Errorf("%s: %q costs %q", e.Code, change, cost)
			}
		}
	}
}

// TestDynamicDimensions: all are named in one sentence.
func TestDynamicDimensions(t *testing.T) {
	dims := func(code finding.Code, symbols ...string) (list []finding.Finding) {
		for _, s := range symbols {
			f := finding.New(code)
			f.Symbol, f.Size = s, 1
			list = append(list, f)
		}
		return append(list, finding.New(finding.FormulaDomain))
	}
	for want, list := range map[string][]finding.Finding{
		"": dims(finding.AssumedDimension),
		"batch is dynamic; assumed 1. Set it with dim batch=N.":                                                          dims(finding.AssumedDimension, "batch"),
		"h and w are dynamic; assumed 1, so the numbers are those of the smallest input. Set them with dim h=N dim w=N.": dims(finding.AssumedSmallest, "h", "w"),
		"a, b, c, d and 2 more are dynamic; assumed 1. Set them with dim a=N dim b=N dim c=N dim d=N and so on.":         dims(finding.AssumedDimension, "a", "b", "c", "d", "e", "f"),
	} {
		if got := (Style{}).dynamicDimensions(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSize: four significant digits; a number that rounds up to the next unit is
// in it; the largest int64 stands for more.
func TestSize(t *testing.T) {
	for _, test := range []struct {
		n       int64
		si, iec string
	}{
		{0, "0 B", "0 B"}, {999, "999 B", "999 B"}, {1000, "1.000 kB", "1000 B"}, {1023, "1.023 kB", "1023 B"}, {1024, "1.024 kB", "1.000 KiB"},
		{46_736_540, "46.74 MB", "44.57 MiB"}, {999_949, "999.9 kB", "976.5 KiB"}, {999_960, "1.000 MB", "976.5 KiB"}, {999_999_999, "1.000 GB", "953.7 MiB"},
		{1<<20 - 1, "1.049 MB", "1.000 MiB"}, {1023 << 10, "1.048 MB", "1023 KiB"}, {8e9, "8.000 GB", "7.451 GiB"},
		{math.MaxInt64 - 1, "9.223 EB", "8.000 EiB"}, {math.MaxInt64, "more than 9.223 EB", "more than 8.000 EiB"},
	} {
		if si, iec := SI.Size(test.n), IEC.Size(test.n); si != test.si || iec != test.iec {
			t.Errorf("%d: %s and %s, want %s and %s", test.n, si, iec, test.si, test.iec)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.000 k", 999_999: "1.000 M", 1_814_000_000: "1.814 G", math.MaxInt64: "more than 9.223 E"} {
		if got := magnitude(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	most := int64(math.MaxInt64)
	if got := SI.sizeOrUnknown(nil, &most); got != "more than 9.223 EB" {
		t.Errorf("a limit that saturated is %q", got)
	}
}
