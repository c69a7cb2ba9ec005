package render_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"onnxmem/report/render"
)

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                      "",
		"/model/layer.0/Add_1":  "/model/layer.0/Add_1",
		`C:\models\é 日本 🙂.onnx`: `C:\models\é 日本 🙂.onnx`,
		"a\x1b[31mb\n\t\x00":    `a\x1b[31mb\n\t\x00`,
		"\u202eevil\u2066":      `\u202eevil\u2066`,
		"\u200b\ufeff\u2028":    `\u200b\ufeff\u2028`,
		"\u00a0\u0085":          `\u00a0\u0085`,
		"\xff\xc3":              `\xff\xc3`,
		"\ufffd":                `\ufffd`,
		"\U000e0041\u3164":      `\U000e0041\u3164`,
	} {
		if got := render.Printable(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// anyText draws texts with many characters that need care.
func anyText(t *rapid.T) string {
	parts := rapid.SliceOf(rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringOf(rapid.RuneFrom(nil, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Variation_Selector)),
	)).Draw(t, "text")
	return strings.Join(parts, "")
}

// What Printable gives is printable, and unchanged by a second time.
func TestPrintableIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := render.Printable(anyText(t))
		if !utf8.ValidString(got) || render.Printable(got) != got {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if !strconv.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) {
				t.Errorf("%q holds %q", got, r)
			}
		}
	})
}

// JSON is read back as the same text, and is printable itself.
func TestJSONIsPrintableAndExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{strings.ToValidUTF8(anyText(t), "\ufffd"): strings.ToValidUTF8(anyText(t), "\ufffd")}
		var b bytes.Buffer
		if err := render.JSON(&b, want); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if render.Printable(line) != line {
				t.Errorf("%q is not printable", line)
			}
		}
		var got map[string]string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%+q is %+q, want %+q", key, got[key], value)
			}
		}
	})
}
