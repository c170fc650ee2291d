package phrase_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// in finds fields of an object.
func in(data string) func(value.Path) (json.RawMessage, bool) {
	return func(path value.Path) (json.RawMessage, bool) { return value.Get(json.RawMessage(data), path...) }
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ template, data, want string }{
		{"Refund {amount} {currency} to {customer.name}", `{"amount":2400,"currency":"EUR","customer":{"name":"Ann"}}`,
			"Refund 2,400.00 EUR to Ann"},
		{"{items[1].sku}, {items}, {one}", `{"items":[{"sku":"a"},{"sku":"b"}],"one":{"x":1}}`, "b, 2 items, 1 item"},
		{"{a} and {b}", `{"a":null}`, "? and ?"},
		{"{{x}} {n}", `{"n":9007199254740993}`, "{x} 9007199254740993"},
		{"für {a} ✓", `{"a":"Åse"}`, "für Åse ✓"},
		{"two\nlines {a}", `{"a":"of\ttext"}`, "two lines of text"},
		{"{a}", `"not an object"`, "?"},
		{"{a}", `{"a":"` + strings.Repeat("ü", 100) + `"}`, strings.Repeat("ü", phrase.ValueMax-1) + "…"},
	} {
		p, err := phrase.Parse(c.template)
		if err != nil {
			t.Errorf("%s: %v", c.template, err)
			continue
		}
		if got := p.Fill(in(c.data)); got != c.want {
			t.Errorf("%s: %q, want %q", c.template, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for template, want := range map[string]string{
		"{amount": "has no }",
		"amount}": "closes nothing",
		"{}":      "names no field",
		"{a b}":   "{a b}",
		strings.Repeat("x", phrase.TemplateMax+1): "at most 500",
	} {
		if _, err := phrase.Parse(template); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v", template, err)
		}
	}
	if _, err := phrase.Parse(strings.Repeat("x", phrase.TemplateMax)); err != nil {
		t.Error(err)
	}
}

func TestGuess(t *testing.T) {
	for data, want := range map[string]string{
		`{"order_id":"A-5501","rush":true,"lines":[1],"amount":89.50,"reason":"The cable is broken."}`: "A-5501 · 89.50 · The cable is broken.",
		`{"a":1,"b":2,"c":3,"d":4}`: "1 · 2 · 3",
		`{}`:                        "",
		`[1]`:                       "",
		`null`:                      "",
	} {
		if got := phrase.Guess(json.RawMessage(data), 3); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add("Refund {amount} {{", `{"amount":1}`)
	f.Fuzz(func(t *testing.T, template, data string) {
		p, err := phrase.Parse(template)
		if err != nil || !json.Valid([]byte(data)) {
			return
		}
		got := p.Fill(in(data))
		if utf8.RuneCountInString(got) > phrase.TextMax || strings.ContainsAny(got, "\n\r\t") {
			t.Errorf("%q, %q: %q", template, data, got)
		}
	})
}

func TestOr(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := phrase.Or(words); got != want {
			t.Errorf("%q: %q", words, got)
		}
	}
}
