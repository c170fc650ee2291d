package port

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"Refund €2,400.00 to Åse Lund":   "refund 2 400 00 240000 to ase lund",
		"run_01KABC_apr.x":               "run 01kabc apr x",
		"ann@example.com, Ann":           "ann example com",
		"STRASSE Straße ŁÓDŹ Ørsted":     "strasse lodz orsted",
		"東京都 Tokyo":                      "東 京 都 tokyo",
		"ﬁne ２０２６":                       "fine 2026",
		`"* OR NEAR(a,b) -- '; DROP %_\`: "or near a b drop",
		"\x00\xff\u200b":                 "",
		"1.2.3 4":                        "1 2 3 123 4",
		"1,, 2":                          "1 2",
		"v2.5b":                          "v2 5b",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	if got := strings.Join(SearchWords("2,400 Åse"), " "); got != "2 400 ase" {
		t.Errorf("a search: %q", got)
	}
	if n := len(SearchWords(strings.Repeat("a b c d e f g h i j k l m n o p q r s t ", 9))); n != SearchMax {
		t.Errorf("a search has %d words", n)
	}
	for _, n := range []int{1, 31, 32, 33, 100} {
		var text strings.Builder
		for i := range 3 * n {
			fmt.Fprintf(&text, "w%d ", i%n)
		}
		if got := Words(text.String(), text.String()); len(got) != n {
			t.Errorf("%d words became %d: %v", n, len(got), got)
		}
	}
	long := Words(strings.Repeat("é", 100) + " " + strings.Repeat("東", 3000) + strings.Repeat("x ", 1e5))
	if len(long[0]) > wordBytes || len(long) > WordsMax {
		t.Errorf("%d words, the first of %d bytes", len(long), len(long[0]))
	}
}

func TestMatches(t *testing.T) {
	words := Words("Refund 2,400.00 EUR to Åse")
	for q, want := range map[string]bool{
		"refund": true, "ref": true, "fund": false, "ASE eur": true, "åse usd": false, "2400": true,
		"2,400.00": true, "": true,
	} {
		if got := Matches(words, SearchWords(q)); got != want {
			t.Errorf("%q matches: %v", q, got)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Refund €2,400.00 to Åse")
	f.Add("\x00\xff東ß")
	f.Fuzz(func(t *testing.T, s string) {
		words := Words(s)
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || len(w) > wordBytes || strings.ContainsAny(w, " '\"\\*:&|!()<>%_\x00") {
				t.Fatalf("%q is not a word", w)
			}
		}
		if search := SearchWords(s); len(s) < 1000 && len(words) < WordsMax && !Matches(words, search) {
			t.Fatalf("%q does not find itself: %q in %q", s, search, words)
		}
	})
}
