package registry

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinkedFoldersAreWatched: a folder that is a link is looked into, as it is
// when it is loaded.
func TestLinkedFoldersAreWatched(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(real, "a.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("..", filepath.Join(real, "round")); err != nil { // a cycle
		t.Fatal(err)
	}
	write("role: a\n")
	before := fingerprint([]string{link})
	if again := fingerprint([]string{link}); again != before {
		t.Errorf("%q is %q when nothing changed", before, again)
	}
	write("role: another\n")
	if fingerprint([]string{link}) == before {
		t.Error("the change was not noticed")
	}
}
