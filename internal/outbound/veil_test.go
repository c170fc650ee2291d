package outbound_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/outbound"
)

func TestHideJSON(t *testing.T) {
	v := outbound.NewVeil("swordfish", "1234", `a"b\c`)
	for in, want := range map[string]string{
		`{"a":"the swordfish","n":0.10}`: `{"a":"the ***","n":0.10}`,
		`{"swordfish":1}`:                `{"***":1}`,
		`{"a":"a\"b\\c"}`:                `{"a":"***"}`,
		`{"n":123456}`:                   `"{\"n\":***56}"`, // no longer JSON: a text
		`[1E400]`:                        `[1E400]`,
		``:                               ``,
	} {
		got := v.HideJSON(json.RawMessage(in))
		if string(got) != want || in != "" && !value.Valid(got) {
			t.Errorf("%s became %s", in, got)
		}
	}
	if got := (outbound.Veil{}).HideJSON(json.RawMessage(`"swordfish"`)); string(got) != `"swordfish"` {
		t.Errorf("%s", got)
	}
}

// written is a text as documents have it: references stand in angle brackets.
type written string

func (w written) Expand(lookup func(string) (string, error)) (string, error) {
	before, rest, ok := strings.Cut(string(w), "<")
	if !ok {
		return string(w), nil
	}
	name, after, _ := strings.Cut(rest, ">")
	found, err := lookup(name)
	return before + found + after, err
}

// In data, what a reference stands for is hidden however short it is; of what was
// written out only what is long enough for a key.
func TestDataKeepsShortWords(t *testing.T) {
	_, v, err := outbound.Expand(map[string]written{
		"A": "Bearer <key>", "B": "en-US", "C": "Token a-long-literal-token", "D": "Basic pass",
	}, func(string) (string, error) { return "hush\n", nil })
	if err != nil {
		t.Fatal(err)
	}
	const in = `"hush en-US a-long-literal-token pass"`
	if got := v.HideJSON(json.RawMessage(in)); string(got) != `"*** en-US *** pass"` {
		t.Errorf("%s", got)
	}
	if got := v.HideData(in); got != `"*** en-US *** pass"` {
		t.Errorf("%s", got)
	}
	if got := v.Hide(in); got != `"*** *** *** ***"` {
		t.Errorf("%s", got)
	}
}

// A secret is found however an encoder of JSON wrote it.
func TestHideJSONOfOthers(t *testing.T) {
	v := outbound.NewVeil(`kün"stlich&<1>😀`)
	for _, in := range []string{
		`"kün\"stlich&<1>😀"`,                                               // as little as possible
		`"k\u00fcn\"stlich&<1>\ud83d\ude00"`,                               // ASCII alone
		`"kün\"stlich\u0026\u003c1\u003e😀"`,                                // nothing that HTML minds
		`"https://example.com/?k=k%C3%BCn%22stlich%26%3C1%3E%F0%9F%98%80"`, // an address
	} {
		if got := v.HideJSON(json.RawMessage(in)); !strings.Contains(string(got), "***") ||
			strings.Contains(string(got), "stlich") {
			t.Errorf("%s became %s", in, got)
		}
	}
}
