package phrase

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text         string
		most         int
		clip, atByte string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc…", "abc…"},
		{"äöü", 3, "äöü", "ä…"},
		{"äöüß", 3, "äöü…", "ä…"},
		{"äb", 0, "…", "…"},
	} {
		if got := Clip(c.text, c.most); got != c.clip {
			t.Errorf("Clip(%q, %d) is %q, not %q", c.text, c.most, got, c.clip)
		}
		if got := ClipBytes(c.text, c.most); got != c.atByte || !utf8.ValidString(got) {
			t.Errorf("ClipBytes(%q, %d) is %q, not %q", c.text, c.most, got, c.atByte)
		}
		if got := ClipValid(c.text, c.most); got != c.atByte {
			t.Errorf("ClipValid(%q, %d) is %q, not %q", c.text, c.most, got, c.atByte)
		}
	}
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"one two", 7, "one two"},
		{"one two three", 9, "one two…"},
		{"one two three", 8, "one two…"},
		{"one two three", 7, "one…"},
		{"one two, three", 10, "one two…"},
		{"one two. Three", 10, "one two…"},
		{"one (two three)", 8, "one…"},
		{"one · two three", 7, "one…"},
		{"--------------", 5, "----…"},
		{"Accept internationalization", 20, "Accept…"},
		{"Accept antidisestablishmentarianism and go home", 34, "Accept…"},
		{"Open https://example.com/a/very/long/address/of/a/page", 45, "Open https://example.com/a/very/long/address…"},
	} {
		if got := ClipWords(c.text, c.most); got != c.want {
			t.Errorf("ClipWords(%q, %d) is %q, not %q", c.text, c.most, got, c.want)
		}
	}
	if got := ClipValid("a\xff\xfebc", 5); got != "a\uFFFDb…" {
		t.Errorf("%q", got)
	}
}

// What is shown stops at the edge of its limit, whatever the bytes are.
func TestEdgesOfWhatIsShown(t *testing.T) {
	for got, want := range map[string]string{
		ClipBytes("\x80\x80\x80", 1):                                    "…",
		ClipBytes("aé", 2):                                              "a…",
		ClipBytes("ab", 2):                                              "ab",
		Grouped("123"):                                                  "123",
		Grouped("-123456"):                                              "-123,456",
		Grouped("1234567.5"):                                            "1,234,567.5",
		Plain("a\u200bb\u202ec 👩\u200d👧"):                               "abc 👩\u200d👧",
		CurrencyOf([]byte(`{"currency":840}`)) + "a":                    "a",
		Quoted(nil, 2) + "-":                                            "-",
		Quoted([]string{"a"}, 2):                                        "“a”",
		Quoted([]string{"a", "b", "c"}, 3):                              "“a”, “b” and “c”",
		Quoted([]string{"a", "b", "c", "d"}, 2):                         "“a”, “b” and 2 more",
		Quote("a”.\nApprove “b"):                                        "“a’. Approve ‘b”",
		CurrencyOf([]byte(`{"currency":" EUR "}`)):                      "EUR",
		CurrencyOf([]byte(`{"currency":"12345678901234567890"}`)) + "b": "b",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for template, want := range map[string]string{"ab{c": "position 3", "ab}c": "position 3"} {
		if _, err := Parse(template); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", template, err)
		}
	}
}
