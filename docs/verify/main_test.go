package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// The tests make real files with Assent, and read them with this program.

const released = "../../internal/audit/testdata"

// keys are those that the released files are signed with, the older one first.
var keys = []string{"ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=",
	"ed25519:gTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5Q="}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReleasedFiles(t *testing.T) {
	files, err := filepath.Glob(released + "/*.json*")
	must(t, err)
	if len(files) < 3 {
		t.Fatal(files)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		must(t, err)
		for _, key := range append(keys, "") {
			if err := check(file, key, ""); err != nil {
				t.Errorf("%s with %q: %v", name, key, err)
			}
		}
		if check(file, "ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "") == nil {
			t.Errorf("%s: a key that nobody expected was good enough", name)
		}
	}
}

// TestChanges changes bytes of the released files all over; each has to be noticed.
func TestChanges(t *testing.T) {
	const stride = 23
	files, err := filepath.Glob(released + "/*.json*")
	must(t, err)
	quiet(t)
	for _, name := range files {
		file, err := os.ReadFile(name)
		must(t, err)
		changes := 0
		for i := 0; i < len(file); i += stride {
			c := file[i]
			if c == '\n' {
				continue
			}
			changed := bytes.Clone(file)
			changed[i] = c ^ 1
			if check(changed, "", "") == nil && !harmless(file, i) {
				t.Fatalf("%s: byte %d changed passes: …%s…", name, i, file[max(0, i-60):min(len(file), i+20)])
			}
			changes++
		}
		if changes < len(file)/(2*stride) {
			t.Errorf("%s: %d changes", name, changes)
		}
	}
}

// harmless are places that this program does not read: Assent wants them as it
// writes them.
func harmless(file []byte, i int) bool {
	start := bytes.LastIndexAny(file[:i+1], `{,`)
	return bytes.HasPrefix(file[start+1:], []byte(`"assent_`)) || bytes.HasPrefix(file[start+1:], []byte(`"links"`)) ||
		bytes.HasPrefix(file[start+1:], []byte(`"cause"`))
}

// quiet keeps what is found from being printed.
func quiet(t *testing.T) {
	null, err := os.Open(os.DevNull)
	must(t, err)
	out := os.Stdout
	os.Stdout = null
	t.Cleanup(func() { os.Stdout = out; _ = null.Close() })
}

// TestRealFiles reads what a store has just written.
func TestRealFiles(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	must(t, err)
	defer store.Close() //nolint:errcheck // the test is over
	s := audit.New(audit.Config{Store: store, Key: audit.KeyIn(dir)})
	for i := range 30 {
		_, err := store.AppendAudit(t.Context(), port.AuditDraft{
			At: time.Now(), Actor: run.Actor{Kind: run.Person, Name: "ann"}, Action: "message.added", Target: fmt.Sprint("é", i),
			Sealed: []port.Sealed{{Name: "text", Value: []byte(`{"b": "\u00e9<", "a":1.0}`)}},
		})
		must(t, err)
	}
	var out bytes.Buffer
	must(t, s.Export(t.Context(), &out))
	must(t, check(out.Bytes(), "", ""))
	head, err := s.Cut(t.Context())
	must(t, err)
	must(t, check(out.Bytes(), "", audit.FormatHead(head.N, head.Hash)))
	if check(out.Bytes(), "", fmt.Sprintf("%d:%s", head.N+1, head.Hash)) == nil ||
		check(out.Bytes(), "", fmt.Sprintf("3:%s", head.Hash)) == nil {
		t.Error("another end than the one that was kept passes")
	}
	lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
	if check(bytes.Join(append(lines[:3:3], lines[4:]...), nil), "", "") == nil {
		t.Error("an entry less passes")
	}
	if check(bytes.Join(lines[:10], nil), "", "") == nil {
		t.Error("an end that was cut off passes")
	}
}
