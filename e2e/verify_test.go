package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestVerify lets the program try attacks against a real deployment, as an administrator with a token, and
// checks the signed report.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := office(t)
	ann := cookie(s.signIn("ann", annPassword))
	body := fmt.Sprintf(`{"name":"ann","kind":"person","roles":["admin"],"expires_at":%q}`,
		time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	token := s.call("POST", "/tokens", body, ann).want(201).text("secret")
	data := ""
	for i, arg := range s.args {
		if arg == "--data" {
			data = s.args[i+1]
		}
	}
	waitFor(t, "the server to create its key", func() bool {
		_, err := os.Stat(filepath.Join(data, "audit.key"))
		return err == nil
	})
	out, err := exec.Command(binary, "verify", "--addr", s.url, "--data", data, "--token", token, "--json").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var signed struct {
		Report struct {
			Passed, Failed, Skipped int
			By                      string
			Checks                  []struct{ ID, Outcome, Observed string }
		}
		Key, Signature string
	}
	if err := json.Unmarshal(out, &signed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := signed.Report
	if r.Failed != 0 || r.Skipped != 1 || r.Passed < 13 || r.By != "ann" || signed.Signature == "" {
		t.Errorf("%s", out)
	}
	if tokens := string(s.call("GET", "/tokens", nil, ann).want(200).body); strings.Contains(tokens, "assent-verify") {
		t.Errorf("its token is still there: %s", tokens)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	check := func(text string, args ...string) (string, error) {
		if err := writeFile(file, text); err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(binary, append([]string{"verify", "--report", file}, args...)...).CombinedOutput()
		return string(said), err
	}
	if said, err := check(string(out), "--key", signed.Key); err != nil || !strings.Contains(said, signed.Key) {
		t.Errorf("%v: %s", err, said)
	}
	if said, err := check(strings.Replace(string(out), `"failed": 0`, `"failed": 1`, 1)); err == nil ||
		!strings.Contains(said, "was changed after the key") {
		t.Errorf("a changed report is taken: %s", said)
	}
	other := "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
	if said, err := check(string(out), "--key", other); err == nil {
		t.Errorf("another key is taken: %s", said)
	}
}

// TestVerifyInLocalMode: a deployment without sign-in is reported as such, and a machine without the key
// signs nothing.
func TestVerifyInLocalMode(t *testing.T) {
	t.Parallel()
	s := serve(t)
	out, err := exec.Command(binary, "verify", "--addr", s.url, "--data", t.TempDir()).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "local mode: the server is reachable from this machine only") ||
		!strings.Contains(string(out), "not signed") {
		t.Errorf("%v: %s", err, out)
	}
}
