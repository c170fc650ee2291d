package media_test

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/assent-run/assent/internal/media"
)

// hostile are names with what one file and a place in a folder make of them.
var hostile = []struct{ name, file, place string }{
	{"report.md", "report.md", "report.md"},
	{"a/b/c.html", "c.html", "a/b/c.html"},
	{"", "deliverable", "deliverable"},
	{".", "deliverable", "deliverable"},
	{"..", "deliverable", "deliverable"},
	{"/", "deliverable", "deliverable"},
	{"../../etc/passwd", "passwd", "etc/passwd"},
	{"a/../../../x", "x", "a/x"},
	{"/etc/passwd", "passwd", "etc/passwd"},
	{"//server/share/x", "x", "server/share/x"},
	{`..\..\boot.ini`, "boot.ini", "boot.ini"},
	{`\\?\C:\x`, "x", "_/C_/x"},
	{`C:\Windows\x.dll`, "x.dll", "C_/Windows/x.dll"},
	{"C:x", "C_x", "C_x"},
	{"a.txt:stream", "a.txt_stream", "a.txt_stream"},
	{"a\x00b", "a_b", "a_b"},
	{"a\r\nb\x1b[2J\x7f\u0085", "a__b_[2J__", "a__b_[2J__"},
	{"ann\u202efdp.exe", "ann_fdp.exe", "ann_fdp.exe"},
	{"a\xffb", "a_b", "a_b"},
	{"CON", "_CON", "_CON"},
	{"nul.tar.gz", "_nul.tar.gz", "_nul.tar.gz"},
	{"aux .txt", "_aux .txt", "_aux .txt"},
	{"con/x", "x", "_con/x"},
	{"LPT¹", "_LPT¹", "_LPT¹"},
	{"console.log", "console.log", "console.log"},
	{"x. . .", "x", "x"},
	{"...", "deliverable", "deliverable"},
	{".. /x", "x", "x"},
	{"  x", "x", "x"},
	{".bashrc", "_bashrc", ".bashrc"},
	{".ssh/authorized_keys", "authorized_keys", ".ssh/authorized_keys"},
	{"e\u0301.csv", "é.csv", "é.csv"},
	{"a*?\"<>|b", "a______b", "a______b"},
	{"-rf", "-rf", "-rf"},
	{"~/x", "x", "~/x"},
	{strings.Repeat("é", 255) + ".csv", strings.Repeat("é", 118) + ".csv", strings.Repeat("é", 118) + ".csv"},
	{"x." + strings.Repeat("y", 300), "x." + strings.Repeat("y", 238), "x." + strings.Repeat("y", 238)},
}

func TestFiles(t *testing.T) {
	for _, c := range hostile {
		if got := media.File(c.name); got != c.file {
			t.Errorf("%q is stored as %q, not %q", c.name, got, c.file)
		}
		if got := new(media.Folder).Place(c.name); got != c.place {
			t.Errorf("%q has its place at %q, not %q", c.name, got, c.place)
		}
	}
}

// TestPlacesAreTheirOwn: names that some system takes for the same have places
// that none does.
func TestPlacesAreTheirOwn(t *testing.T) {
	var f media.Folder
	for _, c := range []struct{ name, place string }{
		{"a.txt", "a.txt"}, {"a.txt", "a (2).txt"}, {"A.TXT", "A (3).TXT"}, {"a (2).txt", "a (2) (2).txt"},
		{"x/../a.txt", "x/a.txt"}, {"../a.txt", "a (4).txt"},
		{"é", "é"}, {"e\u0301", "é (2)"}, {"É", "É (3)"}, // composed or not
		// sharp s, a ligature, the sign for kelvin
		{"straße", "straße"}, {"STRASSE", "STRASSE (2)"}, {"ﬁle", "ﬁle"}, {"file", "file (2)"}, {"K", "K"}, {"k", "k (2)"},
		{"d/x", "d/x"}, {"D", "D (2)"}, {"d/x/y", "d/x (2)/y"}, {"a.txt/z", "a.txt (2)/z"}, // what is a file is no folder
		{"con", "_con"}, {"_CON", "_CON (2)"}, {"b.", "b"}, {"b", "b (2)"}, {".env", ".env"}, {".ENV", ".ENV (2)"},
	} {
		if got := f.Place(c.name); got != c.place {
			t.Errorf("%q has its place at %q, not %q", c.name, got, c.place)
		}
	}
}

func TestManyPlaces(t *testing.T) {
	var f media.Folder
	seen := map[string]bool{}
	for range 3_000 {
		seen[f.Place("../same.txt")] = true
	}
	if len(seen) != 3_000 {
		t.Errorf("%d places", len(seen))
	}
}

// FuzzFiles: whatever names are, their places are inside the folder and apart.
func FuzzFiles(f *testing.F) {
	for i, c := range hostile {
		f.Add(c.name, hostile[(i+7)%len(hostile)].name)
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		if file := media.File(one); strings.Contains(file, "/") || strings.HasPrefix(file, ".") {
			t.Errorf("%q is stored as %q", one, file)
		} else {
			safe(t, file)
		}
		var folder media.Folder
		taken := map[string]bool{}
		for _, name := range []string{one, other, one, strings.ToUpper(one), other + "/" + one, norm.NFD.String(one)} {
			at := folder.Place(name)
			safe(t, at)
			key := norm.NFC.String(cases.Fold().String(norm.NFD.String(at)))
			if taken[key] {
				t.Errorf("%q has its place at %q, where another has its own", name, at)
			}
			taken[key] = true
			for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
				if taken[dir] {
					t.Errorf("%q is a file and a folder", dir)
				}
			}
		}
	})
}

// safe says what is wrong with a path, in words of its own.
func safe(t *testing.T, at string) {
	t.Helper()
	if !filepath.IsLocal(at) || !utf8.ValidString(at) || path.Clean(at) != at ||
		strings.ContainsAny(at, "\\:*?\"<>|\u202e\u2028\ufeff") ||
		strings.ContainsFunc(at, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
		t.Errorf("%q is no place", at)
	}
	for part := range strings.SplitSeq(at, "/") {
		stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
		if len(part) == 0 || len(part) > 255 || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") ||
			part == ".." ||
			slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "COM1", "COM9", "LPT1"}, strings.TrimRight(stem, " ")) {
			t.Errorf("%q in %q is no name for a file", part, at)
		}
	}
}
