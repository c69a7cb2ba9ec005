package render_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"onnxmem/report"
	"onnxmem/report/render/internal/rendertest"
)

// The page has as many script elements as it writes itself, whatever the names
// in the model: HTML Standard, 4.12.1.3 "Restrictions for contents of script
// elements".
func TestHTMLKeepsNamesOutOfMarkup(t *testing.T) {
	text := rendertest.Written(t, "html", rendertest.Analyze(t, rendertest.Convolution(), report.Options{}))
	if n := strings.Count(strings.ToLower(text), "<script"); n != 3 {
		t.Errorf("%d script elements begin, want 3: the data, the charts and the page's own", n)
	}
	if n := strings.Count(strings.ToLower(text), "</script"); n != 3 {
		t.Errorf("%d script elements end, want 3", n)
	}
	if strings.Contains(text, "<img") {
		t.Error("the name of a weight became an element")
	}
	if !strings.Contains(text, `\u003c/script\u003e\u003cscript\u003ealert(1)`) {
		t.Error("the node's name is not in the data")
	}
}

// The policy's digests must be those of the texts between the tags, or a
// browser runs nothing.
func TestHTMLPolicyAllowsItsOwnScripts(t *testing.T) {
	text := rendertest.Written(t, "html", rendertest.Analyze(t, rendertest.Convolution(), report.Options{}))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if policy == nil {
		t.Fatal("no policy")
	}
	allowed := html.UnescapeString(policy[1])
	blocks := regexp.MustCompile(`(?s)<(?:script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(text, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d styles and scripts, want 3", len(blocks))
	}
	for i, b := range blocks {
		sum := sha256.Sum256([]byte(b[1]))
		if !strings.Contains(allowed, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("block %d is not in the policy %s", i, allowed)
		}
	}
}

// Nothing in the page's markup or styles asks for another file.
func TestHTMLLoadsNothing(t *testing.T) {
	text := rendertest.Written(t, "html", rendertest.Analyze(t, rendertest.Convolution(), report.Options{}))
	for _, pattern := range []string{`(?i)\ssrc\s*=\s*["']?http`, `(?i)@import`, `(?i)url\(\s*["']?(https?:|//)`, `(?i)<link[^>]*href="[^d]`} {
		if m := regexp.MustCompile(pattern).FindString(text); m != "" {
			t.Errorf("the page has %q", m)
		}
	}
	if !strings.Contains(text, "Copyright (c) 2022 Leon Sorokin") {
		t.Error("the licence of uPlot asks that its text goes along")
	}
}
