package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report is signed with the key of a data directory, and valid for nothing else.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadKey(dir); err == nil {
		t.Error("a key was read where there is none")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("reading made %v, %v", left, err)
	}
	own, err := KeyIn(dir)()
	must(t, err)
	for _, path := range []string{dir, filepath.Join(dir, KeyFile)} {
		if k, err := ReadKey(path); err != nil || k.ID != own.ID {
			t.Errorf("%s: %v", path, err)
		}
	}
	doc := []byte(`{"passed":3}`)
	sig := own.SignReport(doc)
	must(t, CheckReport(own.Public, doc, sig))
	for _, c := range []struct{ name, public, doc, sig, why string }{
		{"no key", "x", string(doc), sig, "is not a valid public key"},
		{"no signature", own.Public, string(doc), "!", "the signature cannot be read"},
		{"another document", own.Public, `{"passed":4}`, sig,
			"the report was changed after the key " + own.ID + " signed it"},
		{"another key", testKey(t, 9).Public, string(doc), sig, "the report was changed after the key"},
		{"another signature", own.Public, string(doc), testKey(t, 9).SignReport(doc), "the report was changed after the key"},
	} {
		if err := CheckReport(c.public, []byte(c.doc), c.sig); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
