package scenario

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/quantity"
)

// tokens is a line split into words, quoted texts and JSON values. err keeps the first error.
type tokens struct {
	rest string
	err  error
}

func (t *tokens) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

func (t *tokens) unknown(word string) { t.fail("do not understand %q", word) }

func (t *tokens) more() bool {
	t.rest = strings.TrimLeft(t.rest, " \t")
	return t.rest != "" && t.err == nil
}

// peek returns the next word without consuming it.
func (t *tokens) peek() string {
	if !t.more() {
		return ""
	}
	word, _, _ := strings.Cut(t.rest, " ")
	return word
}

// word consumes a word or a quoted text.
func (t *tokens) word() string {
	if !t.more() {
		t.fail("something is missing at the end of the line")
		return ""
	}
	if t.rest[0] == '"' {
		var s string
		if err := json.Unmarshal(t.json(), &s); err != nil {
			t.fail("%v", err)
		}
		return s
	}
	word, rest, _ := strings.Cut(t.rest, " ")
	t.rest = rest
	return word
}

// is consumes the next word if it is this one.
func (t *tokens) is(word string) bool {
	if t.peek() != word {
		return false
	}
	t.word()
	return true
}

// skip requires a filler word.
func (t *tokens) skip(word string) {
	if !t.is(word) {
		t.fail("expected %q before %q", word, t.rest)
	}
}

// json consumes a JSON value.
func (t *tokens) json() json.RawMessage {
	if !t.more() {
		t.fail("a JSON value is missing")
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(t.rest))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		t.fail("%q: %v", t.rest, err)
		return nil
	}
	t.rest = t.rest[dec.InputOffset():]
	return raw
}

func (t *tokens) number() float64 {
	word := t.word()
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		t.fail("%q is not a number", word)
	}
	return n
}

func (t *tokens) money() (m quantity.Money) {
	word := t.word()
	if err := json.Unmarshal([]byte(strconv.Quote(word)), &m); err != nil {
		t.fail("%q is not an amount of money", word)
	}
	return m
}

// roles consumes (finance, legal) if present.
func (t *tokens) roles() ([]string, bool) {
	if !t.more() || t.rest[0] != '(' {
		return nil, false
	}
	inner, rest, ok := strings.Cut(t.rest[1:], ")")
	if !ok {
		t.fail("a ) is missing")
	}
	t.rest = rest
	var roles []string
	for role := range strings.SplitSeq(inner, ",") {
		if role = strings.TrimSpace(role); role != "" {
			roles = append(roles, role)
		}
	}
	return roles, true
}

// end requires that nothing is left.
func (t *tokens) end() error {
	if t.more() {
		t.fail("do not understand %q", t.rest)
	}
	return t.err
}

// place parses STEP or STEP[2], counting from 1.
func place(name string) (step string, index int, err error) {
	step, inner, ok := strings.Cut(name, "[")
	if !ok {
		return step, -1, nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(inner, "]"))
	return step, n - 1, err
}

// placed formats it.
func placed(step string, index int) string {
	if index < 0 {
		return step
	}
	return fmt.Sprintf("%s[%d]", step, index+1)
}
