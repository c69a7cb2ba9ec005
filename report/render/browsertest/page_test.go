package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"onnxmem/report"
	"onnxmem/report/render"
	"onnxmem/report/render/internal/rendertest"
	"onnxmem/shapeinfer"
	"onnxmem/shapeinfer/dim"
)

// browser starts Chromium, or skips the test where there is none; in CI there
// must be one.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI=true and no Chromium is installed")
		}
		t.Skip("no Chromium is installed")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(5*time.Minute),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancelTab := chromedp.NewContext(ctx)
	t.Cleanup(cancelTab)
	// The first run starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	// Closing the browser by its own means lets it empty its folder first.
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	// What a page never shows is waited for until shortly before the tests' own
	// time ends, to say which.
	if end, ok := t.Deadline(); ok {
		limited, cancelTime := context.WithDeadline(ctx, end.Add(-30*time.Second))
		t.Cleanup(cancelTime)
		return limited
	}
	return ctx
}

// complaints collects what a page must not do: log errors, throw, open
// dialogs, ask for other files.
type complaints struct {
	sync.Mutex
	list []string
}

func (c *complaints) add(format string, args ...any) {
	c.Lock()
	defer c.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// watch fails the test at its end if the page did any of that.
func watch(ctx context.Context, t *testing.T, url string) {
	t.Helper()
	c := &complaints{}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			c.add("exception: %+v", *e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			c.add("console.%s", e.Type)
		case *log.EventEntryAdded:
			c.add("log %s: %s", e.Entry.Level, e.Entry.Text)
		case *cdpage.EventJavascriptDialogOpening:
			c.add("dialog: %s", e.Message)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != url && !strings.HasPrefix(e.Request.URL, "data:") {
				c.add("request: %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Lock()
		defer c.Unlock()
		for _, s := range c.list {
			t.Error(s)
		}
	})
}

func serve(t *testing.T, text string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func do(ctx context.Context, t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// evaluate runs an expression in the page.
func evaluate[T any](ctx context.Context, t *testing.T, script string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return value
}

const column = `[...document.querySelectorAll("#nodes tbody tr")].map((row) => row.children[%d].textContent)`

func TestHTMLInBrowser(t *testing.T) {
	ctx := browser(t)
	url := serve(t, rendertest.Written(t, "html", rendertest.Analyze(t, rendertest.Convolution(), report.Options{})))
	watch(ctx, t, url)
	do(ctx, t, chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#nodes tbody tr")), chromedp.WaitVisible(chromedp.CSS("#timeline canvas")))

	// Characters that would break a line or steer a terminal are shown escaped.
	t.Run("names are text", func(t *testing.T) {
		names := evaluate[[]string](ctx, t, fmt.Sprintf(column, 1))
		want := []string{rendertest.Hostile, "re|lu", `=HYPERLINK("http://x")`, `line\nbreak \x1b[2J`, "fc"}
		if strings.Join(names, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("nodes %q, want %q", names, want)
		}
		if got := evaluate[string](ctx, t, `document.title`); got != "small.onnx - onnxmem" {
			t.Errorf("title %q", got)
		}
		if n := evaluate[int](ctx, t, `document.querySelectorAll("script").length`); n != 3 {
			t.Errorf("%d scripts, want 3", n)
		}
	})
	t.Run("table sorts", func(t *testing.T) {
		// By parameters: the convolution has 4*3*3*3 + 4 = 112, the product 4*10 = 40.
		do(ctx, t, chromedp.Click(chromedp.CSS(`#nodes th:nth-child(5) button`)))
		if got := evaluate[[]string](ctx, t, fmt.Sprintf(column, 4)); got[0] != "112" || got[1] != "40" {
			t.Errorf("parameters from the largest down: %q", got)
		}
		do(ctx, t, chromedp.Focus(chromedp.CSS(`#nodes th:nth-child(5) button`)), chromedp.KeyEvent(kb.Enter))
		if got := evaluate[[]string](ctx, t, fmt.Sprintf(column, 4)); got[3] != "40" || got[4] != "112" {
			t.Errorf("parameters from the smallest up: %q", got)
		}
		if got := evaluate[string](ctx, t, `document.querySelector("#nodes th:nth-child(5)").ariaSort`); got != "ascending" {
			t.Errorf("aria-sort %q", got)
		}
	})
	t.Run("table filters", func(t *testing.T) {
		do(ctx, t, chromedp.SendKeys(chromedp.CSS(`#nodes input[name=text]`), "re|l"))
		if got := evaluate[[]string](ctx, t, fmt.Sprintf(column, 2)); len(got) != 1 || got[0] != "Relu" {
			t.Errorf("found %q", got)
		}
		do(ctx, t, chromedp.SendKeys(chromedp.CSS(`#nodes input[name=text]`), strings.Repeat(kb.Backspace, 4)), chromedp.SetValue(chromedp.CSS("#nodes select"), "MatMul"))
		evaluate[bool](ctx, t, `document.querySelector("#nodes form").dispatchEvent(new Event("input"))`)
		if got := evaluate[[]string](ctx, t, fmt.Sprintf(column, 2)); len(got) != 1 || got[0] != "MatMul" {
			t.Errorf("found %q", got)
		}
	})
	t.Run("timeline by keyboard", func(t *testing.T) {
		do(ctx, t, chromedp.Focus(chromedp.CSS("#timeline .chart")), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
		if got := evaluate[string](ctx, t, `document.querySelector("#timeline h3").textContent`); got != "re|lu" {
			t.Errorf("at %q", got)
		}
		// While Relu runs its input and its output live, 4*8*8 floats each.
		if got := evaluate[string](ctx, t, `document.querySelector("#timeline .step .lead").textContent`); !strings.Contains(got, "2.048 kB live, the peak") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("slider", func(t *testing.T) { checkSlider(ctx, t) })
	t.Run("treemap by keyboard", func(t *testing.T) {
		do(ctx, t, chromedp.Focus(chromedp.CSS(`#weights g[aria-label^="conv"]`)), chromedp.KeyEvent(kb.Enter))
		if got := evaluate[string](ctx, t, `document.querySelector("#weights .treemap").textContent`); strings.Contains(got, "fc") {
			t.Errorf("after opening the group of conv it shows %q", got)
		}
		do(ctx, t, chromedp.Focus(chromedp.CSS("#weights .crumbs button")), chromedp.KeyEvent(kb.Enter))
		if got := evaluate[string](ctx, t, `document.querySelector("#weights .treemap").textContent`); !strings.Contains(got, "fc") {
			t.Errorf("back at all weights it shows %q", got)
		}
	})
	t.Run("narrow", func(t *testing.T) {
		do(ctx, t, chromedp.EmulateViewport(400, 800))
		if wide := evaluate[int](ctx, t, `document.documentElement.scrollWidth`); wide > 400 {
			t.Errorf("the page is %d wide in a window of 400", wide)
		}
	})
	t.Run("colours", func(t *testing.T) {
		background := `getComputedStyle(document.body).backgroundColor`
		do(ctx, t, chromedp.Click(chromedp.CSS(`[data-theme=light]`)))
		light := evaluate[string](ctx, t, background)
		do(ctx, t, chromedp.Click(chromedp.CSS(`button[data-theme=dark]`)))
		if dark := evaluate[string](ctx, t, background); dark == light {
			t.Errorf("light and dark are both %s", dark)
		}
	})
}

// checkSlider compares what the page computes for other batches with what an
// analysis at that batch says.
func checkSlider(ctx context.Context, t *testing.T) {
	do(ctx, t, chromedp.Focus(chromedp.CSS(`#sliders input[type=range]`)), chromedp.KeyEvent(kb.ArrowRight))
	compare := func(batch int64) {
		t.Helper()
		r := rendertest.Analyze(t, rendertest.Convolution(), report.Options{Infer: shapeinfer.Options{Dims: map[string]int64{"batch": batch}}})
		for id, want := range map[string]int64{"peak": *r.Inference.PeakBytes, "inputs": *r.Inputs.Bytes, "activations": *r.Inference.ActivationsBytes} {
			if got := evaluate[string](ctx, t, `document.getElementById("`+id+`").textContent`); got != render.SI.Size(want) {
				t.Errorf("at batch = %d %s is %s, want %s", batch, id, got, render.SI.Size(want))
			}
		}
	}
	compare(2)
	evaluate[bool](ctx, t, `{ const n = document.querySelector("#sliders input[type=number]"); n.value = 37; n.dispatchEvent(new Event("input")); }`)
	compare(37)
}

// The page's own evaluator of expressions must agree with package dim.
func TestFormulaInBrowser(t *testing.T) {
	ctx := browser(t)
	source, err := os.ReadFile("../html/js/formula.js")
	if err != nil {
		t.Fatal(err)
	}
	do(ctx, t, chromedp.Navigate("about:blank"))
	evaluate[bool](ctx, t, string(source)+"; globalThis.compileFormula = compileFormula; true")
	values := map[string]int64{"batch": 7, "h": 225, "größe": 3, "a.b:0": 4, "1x": 5}
	for _, text := range []string{
		"12", "-3 + h", "2 - 3 - 4", "100//7//2", "-7//2", "7 % -4", "-7 % 4", "2**3*batch", "-2**2", "2*-batch",
		"floor(5*h/2)", "ceil(h/2)", "ceil(h/32)*32", "min(h, 100, batch)", "max(floor(h/300), 1)", "mod(h, 32)", "abs(batch - h)",
		"(h + 31)//32*32", "4*größe*a.b:0 + 1x", "7703040 + 140*batch*h", "(3*h**2 + h)/2", "h/3*2",
	} {
		d, err := dim.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := d.Eval(values)
		if !ok {
			t.Fatalf("%s has no value", text)
		}
		got := evaluate[float64](ctx, t, fmt.Sprintf(
			`compileFormula(%q)(new Map([["batch", 7], ["h", 225], ["größe", 3], ["a.b:0", 4], ["1x", 5]]))`, text))
		if got != float64(want) {
			t.Errorf("%s = %v in the page, want %d", text, got, want)
		}
	}
	if !evaluate[bool](ctx, t, `["", "2 +", "(1", "1)", "a b", "alert(1)", "a;b", "max(1"].every((text) => compileFormula(text) === null)`) {
		t.Error("a text that is no expression was taken for one")
	}
}
