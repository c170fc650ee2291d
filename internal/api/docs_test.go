package api

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/value"
)

// TestDocumentation runs every command of docs/api.md, in one shell, against a
// server with the examples.
func TestDocumentation(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	if testing.Short() {
		t.Skip("it waits for agents")
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	script, blocks := "set -eu\n", 0
	for _, part := range strings.Split(string(page), "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		script += block
		blocks++
	}
	if blocks < 10 {
		t.Fatalf("only %d blocks were found", blocks)
	}
	d := open(t, Options{})
	if _, err := d.parts.App.Documents.Load(t.Context(), "test", "../../examples"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-x", "-c", script)
	cmd.Env = append(os.Environ(), "ASSENT="+d.http.URL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"status":"ready"`, "event: approval.needed", `"status":"modified"`,
		`"output":{"amount":45.00,`, `"code":"not_found"`, `"inptu"`, "workflow: refund-email"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// TestDocumentationNamesAllCodes keeps the table of errors complete.
func TestDocumentationNamesAllCodes(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range problem.Codes() {
		if !strings.Contains(string(page), "`"+code+"`") {
			t.Errorf("%s is not told", code)
		}
	}
	if value.DepthMax != 1000 || bodyMax != 16<<20 || request.LimitMax != 1000 {
		t.Error("the limits are others by now")
	}
}
