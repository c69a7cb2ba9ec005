package render

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"

	"onnxmem/report"
)

// The page's templates, styles and scripts, and uPlot
// (https://github.com/leeoniya/uPlot, 1.6.32, MIT) as its authors built it.
//
//go:embed html/*.html html/css/*.css html/js/*.js html/uplot
var htmlFiles embed.FS

// htmlPage is what the templates show.
type htmlPage struct {
	Report  *report.Result
	Name    string
	About   []string
	Cards   []htmlCard
	Notes   []remarks
	Policy  string
	Style   template.CSS
	Data    template.JS // JSON, which json.Marshal escaped for use in HTML
	Scripts []template.JS
}

// reportHTML writes one page that holds all it needs. The numbers and notes
// are in its markup; charts and the table of nodes are made by its scripts
// from the result, which it carries as JSON. Names come from files that may be
// hostile: the templates escape them by context, the JSON holds no "<", the
// scripts only make text nodes of them, and the page's policy lets nothing run
// or load but its own scripts and styles.
func reportHTML(w io.Writer, r *report.Result, style Style) error {
	page, err := newHTMLPage(r, style)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(htmlFiles, "html/*.html")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.html", page)
}

func newHTMLPage(r *report.Result, style Style) (*htmlPage, error) {
	t := &reportText{style: style}
	page := &htmlPage{Report: r, Name: path.Base(strings.ReplaceAll(r.Model.Path, `\`, "/")), About: t.about(r), Cards: htmlCards(t, r), Notes: style.remarks(r, style.allAssumptions(r.Assumptions))}
	data, err := json.Marshal(struct {
		Report *report.Result `json:"report"`
		IEC    bool           `json:"iec"`
	}{style.explained(r), style.Units == IEC})
	if err != nil {
		return nil, err
	}
	page.Data = template.JS(data)
	css, err := joinFiles("html/uplot/uPlot.min.css", "html/css/theme.css", "html/css/page.css", "html/css/charts.css", "html/css/nodes.css", "html/css/print.css")
	if err != nil {
		return nil, err
	}
	licence, err := joinFiles("html/uplot/LICENSE")
	if err != nil {
		return nil, err
	}
	plot, err := joinFiles("html/uplot/uPlot.iife.min.js")
	if err != nil {
		return nil, err
	}
	own, err := joinFiles(htmlScripts()...)
	if err != nil {
		return nil, err
	}
	scripts := []string{"/*\n" + licence + "*/\n" + plot, "(() => {\n\"use strict\";\n" + own + "})();\n"}
	page.Style, page.Policy = template.CSS(css), contentPolicy(css, scripts)
	for _, s := range scripts {
		page.Scripts = append(page.Scripts, template.JS(s))
	}
	return page, nil
}

// htmlScripts lists the page's own scripts; main.js uses the others.
func htmlScripts() []string {
	names := []string{"dom", "units", "formula", "model", "theme", "sliders", "timeline", "treemap_layout", "treemap", "training", "nodes", "main"}
	for i, n := range names {
		names[i] = "html/js/" + n + ".js"
	}
	return names
}

func joinFiles(names ...string) (string, error) {
	var b strings.Builder
	for _, n := range names {
		text, err := htmlFiles.ReadFile(n)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// contentPolicy allows just these texts, by their digests.
// https://www.w3.org/TR/CSP3/#grammardef-hash-source
func contentPolicy(style string, scripts []string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	var allowed []string
	for _, s := range scripts {
		allowed = append(allowed, hash(s))
	}
	return fmt.Sprintf("default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		hash(style), strings.Join(allowed, " "))
}
