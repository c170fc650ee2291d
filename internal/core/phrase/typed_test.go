package phrase_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/phrase"
)

// Values read as people write them, by the name of their field and their own form.
func TestTyped(t *testing.T) {
	for _, c := range []struct{ name, v, currency, want string }{
		{"amount", `2400`, "EUR", "2,400.00"},
		{"amount", `89.5`, "EUR", "89.50"},
		{"amount", `"1200.125"`, "EUR", "1,200.125"},
		{"amount", `2400`, "JPY", "2,400"},
		{"amount", `2400`, "KWD", "2,400.000"},
		{"amount", `2400`, "credits", "2,400"},
		{"amount", `2400`, "", "2,400"},
		{"amount", `-12000`, "", "-12,000"},
		{"amount", `1e6`, "EUR", "1e6"},
		{"amount", `"about 2400"`, "EUR", "about 2400"},
		{"claim_amount", `24000`, "", "24,000"},
		{"invoiceTotal", `24000`, "", "24,000"},
		{"customer_id", `20771`, "", "20771"},
		{"discount", `10000`, "", "10000"},
		{"due", `"2026-01-08"`, "", "8 Jan 2026"},
		{"at", `"2026-01-08T23:30:00-02:00"`, "", "9 Jan 2026 01:30 UTC"},
		{"code", `"2026-13-08"`, "", "2026-13-08"},
		{"code", `"2026-abcdef"`, "", "2026-abcdef"},
		{"customer", `{"id":7,"name":"Ann Lee"}`, "", "Ann Lee"},
		{"customer", `{"id":7}`, "", "1 item"},
		{"items", `["paper","toner"]`, "", "paper, toner"},
		{"items", `["a","b","c","d"]`, "", "4 items"},
		{"items", `["a",1]`, "", "2 items"},
		{"items", `[]`, "", "0 items"},
	} {
		got := phrase.Typed(c.name, json.RawMessage(c.v), c.currency)
		if got != c.want {
			t.Errorf("%s %s %s: %q, want %q", c.name, c.v, c.currency, got, c.want)
		}
	}
}

// Forms lists every way in which Typed writes a value, so that masks find them all.
func TestForms(t *testing.T) {
	for text, want := range map[string][]string{
		"2400":       {"2,400", "2,400.00", "2,400.000"},
		"2400.5":     {"2,400.5", "2,400.50", "2,400.500"},
		"2026-01-08": {"8 Jan 2026"},
		"The desks do not fit into our rooms. We have sent all six back to you.": {
			"The desks do not fit into our rooms. We have sent all six…",
			"The desks do not fit into our rooms. We have sent all six b…",
		},
		"To the board of the housing cooperative: counterrevolutionaries everywhere": {
			"To the board of the housing cooperative…",
			"To the board of the housing cooperative:…",
			"To the board of the housing cooperative: counterrevolutiona…",
		},
	} {
		got := phrase.Forms(text)
		for _, form := range want {
			if !slices.Contains(got, form) {
				t.Errorf("%s: %q lacks %q", text, got, form)
			}
		}
	}
}

func TestGuessPrefersWhatTells(t *testing.T) {
	for data, want := range map[string]string{
		`{"reason":"Broken.","customer":"Ann Lee","amount":2400,"currency":"EUR","order_id":"A-7720"}`: "A-7720 · 2,400.00 EUR · Ann Lee",
		`{"claim":{"description":"Water.","claim_amount":1850,"claim_id":"CLM-2042"}}`:                 "CLM-2042 · 1,850 · Water.",
		`{"urgent":true,"text":"Hello","note":"Hello","due":"2026-01-08"}`:                             "Hello · 8 Jan 2026",
		`{"a":{"b":{"id":"deep"}},"text":"here"}`:                                                      "here",
		`{"customer":{"name":"Ann Lee"},"topic":"Cables"}`:                                             "Ann Lee · Cables",
	} {
		if got := phrase.Guess(json.RawMessage(data), 3); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
