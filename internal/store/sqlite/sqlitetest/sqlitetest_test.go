package sqlitetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/store/sqlite"
)

// TestDir: stores start with their tables, and share nothing.
func TestDir(t *testing.T) {
	first, second := Dir(t), Dir(t)
	if info, err := os.Stat(filepath.Join(first, sqlite.FileName)); err != nil || info.Size() < 100<<10 {
		t.Fatalf("the tables are missing: %v, %v", info, err)
	}
	for _, dir := range []string{first, second} {
		s, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close() //nolint:errcheck // nothing was written
	}
}

// TestFill: what a test stored stays when it opens the store again.
func TestFill(t *testing.T) {
	file := filepath.Join(t.TempDir(), sqlite.FileName)
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	Fill(t, filepath.Dir(file))
	if got, err := os.ReadFile(file); string(got) != "kept" {
		t.Errorf("%q, %v", got, err)
	}
}
