package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A manual page names each flag of its command; man(7) wants .TH first, .nh
// may go before.
func TestManNamesEveryFlag(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	var out, problems bytes.Buffer
	if code := run([]string{"man", "--dir", folder}, nil, &out, &problems); code != exitOK {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	for _, c := range newRootCommand().Commands() {
		checkManPage(t, c, filepath.Join(folder, "onnxmem-"+c.Name()+".1"))
	}
}

func checkManPage(t *testing.T, c *cobra.Command, file string) {
	page, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	if !bytes.HasPrefix(bytes.TrimPrefix(page, []byte(".nh\n")), []byte(".TH \"ONNXMEM-")) {
		t.Errorf("%s begins %.40q", file, page)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(string(page), "--"+f.Name) {
			t.Errorf("%s does not name --%s", file, f.Name)
		}
	})
}

func TestManOfNothing(t *testing.T) {
	var out, problems bytes.Buffer
	if code := run([]string{"man", "nonesuch"}, nil, &out, &problems); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
}
