package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

func TestFits(t *testing.T) {
	obj := func(props, more string) string { return `{"type":"object","properties":{` + props + `}` + more + `}` }
	for _, c := range []struct{ from, to, want string }{
		// Types.
		{`{"type":"string"}`, `{"type":"number"}`, `expected a number, but it is always a string`},
		{`{"type":"integer"}`, `{"type":"number"}`, ``},
		{`{"type":"number"}`, `{"type":"integer"}`, ``},
		{`{"type":["string","null"]}`, `{"type":"string"}`, ``},
		{`{"type":["string","null"]}`, `{"type":["object","array"]}`,
			`expected an array or an object, but it is always null or a string`},
		{`{"type":"string"}`, `{}`, ``},
		{`{}`, `{"type":"string"}`, ``},
		{`true`, `false`, ``},
		{``, `{"type":"string"}`, ``},
		{`{"type":"string"}`, `null`, ``},
		{`{"type":"string"}`, `{"type":"strng"}`, ``},
		{`{"type":"string"}`, `{"anyOf":[{"type":"null"},{"type":"number"}]}`,
			`expected null or a number, but it is always a string`},
		{`{"type":"string"}`, `{"anyOf":[{"type":"null"},{}]}`, ``},
		{`{"oneOf":[{"type":"null"},{"type":"string"}]}`, `{"type":"string"}`, ``},
		{`{"allOf":[{"type":"string"}]}`, `{"type":"number"}`, `expected a number, but it is always a string`},
		{`{"type":"string","const":5}`, `{"type":"number"}`, ``},
		// Values.
		{`{"enum":["a","b"]}`, `{"enum":["c"]}`, `expected "c", but it is always one of "a", "b"`},
		{`{"enum":["a","b"]}`, `{"enum":["b","c"]}`, ``},
		{`{"const":1}`, `{"enum":[1.0,2]}`, ``},
		{`{"const":9007199254740993}`, `{"const":9007199254740992}`,
			`expected 9007199254740992, but it is always 9007199254740993`},
		{`{"const":{"a":[1]}}`, `{"const":{"a":[1.0]}}`, ``},
		{`{"enum":["a"]}`, `{"type":"integer"}`, `expected an integer, but it is always a string`},
		{`{"const":1.5}`, `{"type":"integer"}`, ``}, // not reported: numbers count as either
		// Properties.
		{obj(`"a":{"type":"string"}`, ``), obj(`"a":{"type":"number"}`, `,"required":["a"]`),
			`/a: expected a number, but it is always a string`},
		{obj(`"a":{"type":"string"}`, ``), obj(`"a":{"type":"number"}`, ``), ``}, // may be missing
		{obj(`"a":{"type":"string"}`, `,"required":["a"]`), obj(`"a":{"type":"number"}`, ``),
			`/a: expected a number, but it is always a string`},
		{obj(``, ``), obj(`"a":{"type":"number"}`, `,"required":["a"]`), ``},
		{obj(``, `,"additionalProperties":false`), obj(``, `,"required":["a/b"]`),
			`/a~1b: the property "a/b" is required, but it is never there`},
		{obj(``, `,"additionalProperties":false,"patternProperties":{"^a":{}}`), obj(``, `,"required":["a"]`), ``},
		{obj(`"a":{}`, `,"additionalProperties":false`), obj(``, `,"required":["a"]`), ``},
		{obj(`"a":{}`, `,"required":["a"]`), obj(``, `,"additionalProperties":false`),
			`/a: the property "a" is not allowed, but it is always there`},
		{obj(`"a":{}`, ``), obj(``, `,"additionalProperties":false`), ``},
		// need not be objects
		{`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"number"}},"required":["a"]}`, ``},
		{obj(`"a":`+obj(`"b":{"type":"null"},"c":{"type":"null"}`, ``), ``),
			obj(`"a":`+obj(`"b":{"type":"array"},"c":{"type":"string"}`, `,"required":["b","c"]`), `,"required":["a"]`),
			"/a/b: expected an array, but it is always null\n/a/c: expected a string, but it is always null"},
		// References.
		{`{"$ref":"#/$defs/s","$defs":{"s":{"type":"string"}}}`,
			`{"$ref":"#/definitions/n","definitions":{"n":{"type":"number"}}}`, `expected a number, but it is always a string`},
		{`{"$ref":"#"}`, `{"type":"number"}`, ``},
		{`{"$ref":"#/nowhere"}`, `{"type":"number"}`, ``},
		{`{"$ref":"https://example.com/x"}`, `{"type":"number"}`, ``},
		// a sibling of $ref may not count
		{`{"type":"string","$ref":"#/$defs/x","$defs":{"x":{}}}`, `{"type":"number"}`, ``},
		{`{"$defs":{"s":{"$id":"x","type":"string"}},"$ref":"#/$defs/s"}`, `{"type":"number"}`, ``},
	} {
		if got := said(Fits(raw(c.from), raw(c.to))); got != c.want {
			t.Errorf("%s → %s:\n got %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}

func TestFitsEnds(t *testing.T) {
	tree := `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}},"required":["l","r"]}`
	all := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		all += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}],"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1, i+1, i+1)
	}
	all += `"d40":{"type":"string"}}}`
	start := steady.CPU()
	Fits(raw(tree), raw(tree))
	Fits(raw(all), raw(all))
	Fits(raw(all), raw(tree))
	if took := steady.CPU() - start; took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	var props strings.Builder
	for i := range 300 {
		fmt.Fprintf(&props, `,"k%d":{"type":"TYPE"}`, i)
	}
	side := func(kind string) string {
		keys := ""
		for i := range 300 {
			keys += fmt.Sprintf(`,"k%d"`, i)
		}
		return `{"type":"object","required":[` + keys[1:] + `],"properties":{` +
			strings.ReplaceAll(props.String()[1:], "TYPE", kind) + `}}`
	}
	if got := len(Fits(raw(side("string")), raw(side("number")))); got != problemsMax {
		t.Errorf("got %d problems", got)
	}
}

// Problems that Fits reports are certain: no sample of one schema passes the other.
func TestFitsAgreesWithValidate(t *testing.T) {
	schemas := []string{
		`{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":["string","null"]}`, `{"enum":["a",1]}`,
		`{"const":"text"}`, `{"const":1}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}`,
		`{"type":"object","additionalProperties":false}`, `{"type":"object"}`, `{"properties":{"a":{"type":"null"}}}`,
		`{"type":"array"}`, `{}`,
	}
	misfits := 0
	for _, from := range schemas {
		for _, to := range schemas {
			if len(Fits(raw(from), raw(to))) == 0 {
				continue
			}
			misfits++
			if v := Sample(raw(from)); len(compiled(t, to).Validate(v)) == 0 {
				t.Errorf("%s is said not to fit %s, but %s does", from, to, v)
			}
		}
	}
	if misfits < 50 {
		t.Errorf("only %d misfits were found", misfits)
	}
}
