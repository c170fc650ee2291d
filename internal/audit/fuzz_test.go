package audit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// Fuzz workers are separate processes that share inputs, so keys and proofs have to be the same in all of
// them.

// FuzzProof mutates a genuine proof: under its key, only the original is valid.
func FuzzProof(f *testing.F) {
	public := testKey(f, 2).Public
	file, err := os.ReadFile(filepath.Join("testdata", "run.proof.json"))
	if err != nil {
		f.Fatal(err)
	}
	if r, err := VerifyProof(file, Expected{Public: public}); err != nil || !r.OK {
		f.Fatalf("%+v, %v", r, err)
	}
	f.Add(file)
	f.Add(bytes.Replace(file, []byte(`"seq":1`), []byte(`"seq":2`), 1))
	f.Fuzz(func(t *testing.T, changed []byte) {
		r, err := VerifyProof(changed, Expected{Public: public})
		if err == nil && r.OK && r.Removed == 0 && !bytes.Equal(changed, file) {
			t.Fatalf("a changed proof is good: %+v", r)
		}
	})
}

// FuzzAnchor parses arbitrary anchor files. A parsed anchor is written back as it was understood.
func FuzzAnchor(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"head":{"n":5,"hash":"aa"},"keys":["x"],"keys":["y"]}`))
	f.Add([]byte(`{"N":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), AnchorFile)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := AnchorIn(path).Load()
		if err != nil {
			return
		}
		if err := AnchorIn(path).Keep(a); err != nil {
			t.Skip(err) // such as a year that no time can be formatted with
		}
		if again, err := AnchorIn(path).Load(); err != nil || !reflect.DeepEqual(a, again) {
			t.Fatalf("%+v was kept as %+v: %v", a, again, err)
		}
	})
}

// FuzzLink mutates a link between two keys: any other link leads nowhere.
func FuzzLink(f *testing.F) {
	from, to := testKey(f, 1), testKey(f, 2)
	link, err := linkKeys(from, to, time.Unix(1_700_000_000, 0))
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(link)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"from":"ed25519:","to":"","at":"2026-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var l port.AuditLink
		if json.Unmarshal(text, &l) != nil {
			return
		}
		_, _, err := checkLink(l)
		if err == nil && !(l.From == link.From && l.To == link.To && l.At.Equal(link.At)) {
			t.Fatalf("a link that nobody signed is good: %+v", l)
		}
		if keys, err := trusted(from.Public, []port.AuditLink{l}); err != nil || len(keys) > 2 {
			t.Fatalf("%v, %v", keys, err)
		}
	})
}
