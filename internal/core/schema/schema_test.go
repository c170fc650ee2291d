package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/steady"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func compiled(t testing.TB, src string) *Schema {
	t.Helper()
	s, err := Compile(raw(src))
	if err != nil {
		t.Fatalf("Compile(%s): %v", src, err)
	}
	return s
}

func said(problems []fault.Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestNoSchema(t *testing.T) {
	for _, in := range []string{"", " \n", "null"} {
		s, err := Compile(raw(in))
		if s != nil || err != nil {
			t.Errorf("Compile(%q) = %v, %v", in, s, err)
		}
		if p := s.Validate(raw(`{"a":1}`)); p != nil {
			t.Errorf("nothing was demanded, got %v", p)
		}
	}
}

func TestValidateSays(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `5`, `expected a string, got 5`},
		{`{"type":["string","null"]}`, `{"a":[1]}`, `expected null or a string, got {"a":[1]}`},
		{`{"type":"integer"}`, `1.5`, `expected an integer, got 1.5`},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"type":"string"}`, `[` + strings.Repeat("1,", 99) + `1]`, `expected a string, got an array of 100 items`},
		{`{"type":"number"}`, `"` + long + `"`, `expected a number, got a string of 500 characters`},
		{`{"type":"object","required":["a","b"],"properties":{"a":{"type":"number","maximum":500}},"additionalProperties":false}`,
			`{"a":1200,"c/d":1}`, "the property \"b\" is missing\n/a: expected at most 500, got 1200\n/c~1d: the property " +
				"\"c/d\" is not allowed here"},
		{`{"const":"x"}`, `"y"`, `expected "x", got "y"`},
		{`{"const":9007199254740993}`, `9007199254740992`, `expected 9007199254740993, got 9007199254740992`},
		{`{"const":9007199254740993}`, `9007199254740993`, ``},
		{`{"maximum":9007199254740992}`, `9007199254740993`, `expected at most 9007199254740992, got 9007199254740993`},
		{`{"multipleOf":0.01}`, `0.10`, ``},
		{`{"multipleOf":0.01}`, `0.105`, `expected a multiple of 0.01, got 0.105`},
		{`{"maximum":1e300}`, `1E400`, `expected at most about 1e+300, got 1E400`},
		{`{"enum":["a","b"]}`, `"c"`, `expected one of "a", "b", got "c"`},
		{`{"enum":[1,2,3,4,5,6,7,8,9,10,11,12]}`, `0`, `expected one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (12 in all), got 0`},
		{`{"minLength":3}`, `"é"`, `expected at least 3 characters, got 1`},
		{`{"maxLength":1}`, `"` + long + `"`, `expected at most 1 character, got 500`},
		{`{"pattern":"^[a-z]+$"}`, `"A1"`, `expected text that matches ^[a-z]+$, got "A1"`},
		{`{"pattern":"^\\u0041\\u0042$"}`, `"AB"`, ``},
		{`{"format":"email"}`, `"ann"`, `expected the format email (such as ann@example.com), got "ann"`},
		{`{"format":"date-time"}`, `"2026-01-31"`,
			`expected the format date-time (such as 2026-01-31T12:00:00Z), got "2026-01-31"`},
		{`{"format":"unheard-of"}`, `"x"`, ``},
		{`{"minItems":2,"uniqueItems":true}`, `[]`, `expected at least 2 items, got 0`},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, `expected items that all differ, got the same at 0 and 2`},
		{`{"items":{"type":"string"}}`, `["a",1,"b",null]`, "/1: expected a string, got 1\n/3: expected a string, got null"},
		{`{"minProperties":1}`, `{}`, `expected at least 1 property, got 0`},
		{`{"maxProperties":0}`, `{"a":1}`, `expected at most 0 properties, got 1`},
		{`{"not":{"type":"string"}}`, `"a"`, `"a" is of a form that is not allowed here`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `/a: expected nothing here, got 1`},
		{`{"exclusiveMinimum":0}`, `0`, `expected more than 0, got 0`},
		{`{"exclusiveMaximum":0.5}`, `0.5`, `expected less than 0.5, got 0.5`},
		{`{"contains":{"const":1}}`, `[2]`, `expected an item of a certain form, got none`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `with the property "a" also "b" must be there`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `5`, `expected null or a string, got 5`},
		{`{"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]}`, `{}`, `the property "a" is missing`},
		{`{"oneOf":[{"properties":{"k":{"const":"card"}},"required":["no"]},{"properties":{"k":{"const":"cash"}},"required":["till"]}]}`, `{"k":"cash"}`, `the property "till" is missing`},
		{`{"anyOf":[{"minLength":3},{"pattern":"^x"}]}`, `"a"`,
			`fits none of 2 forms: (1) expected at least 3 characters, got 1; (2) expected text that matches ^x, got "a"`},
		{`{"oneOf":[{"type":"string"},{"minLength":0}]}`, `"a"`,
			`"a" fits forms 1 and 2 of those that exclude each other; expected exactly one`},
		{`{"allOf":[{"required":["a"]},{"required":["a","b"]}]}`, `{}`,
			"the property \"a\" is missing\nthe property \"b\" is missing"},
		{`{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"next":{"next":3}}`, `/next/next: expected an object, got 3`},
		{`{"items":{"propertyNames":{"maxLength":2}}}`, `[{"abc":1},{"ok":1},{"x":1}]`,
			`/0: the property name "abc" is not allowed: expected at most 2 characters, got 3`},
		{`false`, `1`, `expected nothing here, got 1`},
		{`true`, `1`, ``},
		{`{}`, `1`, ``},
		{`{"type":"string"}`, `{"a":`, `not valid JSON at byte 5: it ends where a value should be`},
		{`{"type":"string"}`, ``, `not valid JSON at byte 0: it ends where a value should be`},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":1,"a":"x"}`, ``},
		{`{"unevaluatedProperties":false,"properties":{"a":true}}`, `{"a":1,"b":2}`, `/b: expected nothing here, got 2`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":0,"exclusiveMinimum":true}`, `0`,
			`expected more than 0, got 0`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`,
			`["a",1]`, `expected no further items, got 1 too many`},
	} {
		if got := said(compiled(t, c.schema).Validate(raw(c.value))); got != c.want {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.value, c.schema, got, c.want)
		}
	}
}

func TestCompileSays(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":`:                   "the schema cannot be used: not valid JSON at byte 8: it ends where a value should be",
		`5`:                          "the schema cannot be used: a schema is an object, not 5",
		`[]`:                         "the schema cannot be used: a schema is an object, not []",
		`{"type":"strng"}`:           "the schema cannot be used: /type: ",
		`{"minLength":-1}`:           "the schema cannot be used: /minLength: expected at least 0, got -1",
		`{"properties":{"a":5}}`:     "the schema cannot be used: /properties/a: expected true or false or an object, got 5",
		`{"multipleOf":0}`:           "the schema cannot be used: /multipleOf: expected more than 0, got 0",
		`{"pattern":"("}`:            "the schema cannot be used: /pattern: the pattern \"(\" cannot be used",
		`{"pattern":"^(?!x)"}`:       "(?! is not supported (no look-around or back-references)",
		`{"$ref":"#/$defs/a"}`:       "the schema cannot be used: /$ref: #/$defs/a is not in the schema",
		`{"items":{"$ref":"#nope"}}`: "the schema cannot be used: /items/$ref: #nope is not in the schema",
		`{"properties":{"x":{"$ref":"file:///etc/passwd"}}}`: "the schema cannot be used: /properties/x/$ref: " +
			"file:///etc/passwd is outside of the schema",
		`{"$ref":"https://example.com/s.json"}`:  "/$ref: https://example.com/s.json is outside of the schema",
		`{"$ref":"other.json"}`:                  "/$ref: assent:///other.json is outside of the schema",
		`{"$schema":"https://example.com/meta"}`: "/$schema: https://example.com/meta is outside of the schema",
		`{"maximum":1e999999}`: "/maximum: the number 1e999999 is too large or " +
			"too precise to be checked",
		`{"$id":"::"}`: "the schema cannot be used",
	} {
		s, err := Compile(raw(in))
		var f *fault.Error
		if s != nil || !errors.As(err, &f) || f.Code != fault.Invalid || len(f.Problems) == 0 ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%s):\n got %v\nwant %s", in, err, want)
		}
	}
	fill := func(n int) json.RawMessage { return raw(`{"title":"` + strings.Repeat("x", n-12) + `"}`) }
	if _, err := Compile(fill(sizeMax)); err != nil {
		t.Errorf("%d bytes: %v", sizeMax, err)
	}
	if _, err := Compile(fill(sizeMax + 1)); !fault.Is(err, fault.Invalid) {
		t.Errorf("%d bytes: %v", sizeMax+1, err)
	}
}

func TestReferencesStayInside(t *testing.T) {
	s := compiled(t, `{"$id":"https://example.com/root","$defs":{"a":{"$id":"a.json","type":"string"},"b":{"$anchor":"here","type":"null"}},"properties":{"x":{"$ref":"a.json"},"y":{"$ref":"#here"}}}`)
	if got := said(s.Validate(raw(`{"x":1,"y":2}`))); got != "/x: expected a string, got 1\n/y: expected null, got 2" {
		t.Errorf("got %s", got)
	}
	s = compiled(t, `{"properties":{"schema":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`)
	if got := s.Validate(raw(`{"schema":{"type":7}}`)); len(got) == 0 {
		t.Error("the built-in meta-schema is not available")
	}
}

func TestProblemsAreCappedAndSorted(t *testing.T) {
	s := compiled(t, `{"additionalProperties":{"type":"string"}}`)
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `,"k%04d":%d`, i, i)
	}
	if p := compiled(t, `{"items":{"type":"string"}}`).Validate(raw(`[1,1,1,1,1,1,1,1,1,1,1]`)); p[2].Path != "/2" ||
		p[10].Path != "/10" {
		t.Errorf("item 10 comes before item 2: %v", p)
	}
	in := raw("{" + b.String()[1:] + "}")
	first := s.Validate(in)
	if len(first) != problemsMax || first[0].Path != "/k0000" || first[99].Path != "/k0099" {
		t.Errorf("%d problems from %s to %s", len(first), first[0].Path, first[len(first)-1].Path)
	}
	for range 5 {
		if again := s.Validate(in); !reflect.DeepEqual(again, first) {
			t.Fatal("the same value got another answer")
		}
	}
}

func TestLongValuesAreNotRepeated(t *testing.T) {
	secret := strings.Repeat("s3cret", 50)
	for _, schema := range []string{
		`{"type":"number"}`, `{"const":1}`, `{"enum":["a"]}`, `{"pattern":"^z"}`, `{"format":"email"}`,
		`{"maxLength":3}`, `{"not":{}}`,
		`{"anyOf":[{"const":1},{"pattern":"^z"}]}`, `{"oneOf":[true,true]}`,
		`{"propertyNames":false,"additionalProperties":false}`, `false`,
	} {
		for _, in := range []string{`"` + secret + `"`, `["` + secret + `"]`, `{"` + secret + `":1}`,
			`{"a":{"b":"` + secret + `"}}`} {
			for _, p := range compiled(t, schema).Validate(raw(in)) {
				if strings.Contains(p.Message, strings.Repeat("s3cret", 14)) || len(p.Message) > 400 {
					t.Errorf("%s: %s", schema, p.Message)
				}
			}
		}
	}
}

// Schemas and values designed to take forever are rejected in time.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	double := func(kw string) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
		for i := range 60 {
			fmt.Fprintf(&b, `"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, kw, i+1, i+1)
		}
		return b.String() + `"d60":{"type":"string"}}}`
	}
	nested := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	many := "[" + strings.Repeat("1,", 900_000) + "1]"
	for _, c := range []struct{ name, schema, value string }{
		{"allOf", double("allOf"), `1`},
		{"allOf, valid", double("allOf"), `"x"`},
		{"anyOf", double("anyOf"), `1`},
		{"oneOf", double("oneOf"), `1`},
		{"not", strings.Replace(double("anyOf"), `"$ref"`, `"not":{"$ref":"#/$defs/d0"},"$comment"`, 1), `1`},
		{"properties", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested},
		{"dynamic", `{"$dynamicAnchor":"x","properties":{"a":{"allOf":[{"$dynamicRef":"#x"},{"$dynamicRef":"#x"}]}}}`,
			nested},
		{"exponent", `{"maximum":5}`, `1e999999999`},
		{"exponent, unique", `{"uniqueItems":true}`, `[` + strings.Repeat("1e999999,", 100) + `1]`},
		{"small exponents", `{"type":"integer"}`, `[` + strings.Repeat("1e-1000,", 100_000) + `1]`},
		{"digits", `{"type":"integer"}`, strings.Repeat("9", 1_000_000)},
		{"many wrong", `{"items":{"type":"string"}}`, many},
		{"too many", `{"items":{"type":"string"}}`, "[" + many + "," + many + "]"},
		{"pattern", `{"pattern":"(x+x+)+y"}`, `"` + strings.Repeat("x", 5<<20) + `"`},
		{"large pattern", `{"pattern":"^((a{0,90}){0,10}b)+$"}`, `"` + strings.Repeat("a", 5<<20) + `"`},
		{"enum", `{"items":{"enum":[` + strings.Repeat("1,", 5000) + `2]}}`, many},
	} {
		start := steady.CPU()
		s, err := Compile(raw(c.schema))
		if err != nil {
			t.Logf("%s: refused to compile: %.100v", c.name, err)
			continue
		}
		p := s.Validate(raw(c.value))
		took := steady.CPU() - start
		t.Logf("%s: %s, %d problems, %.100s", c.name, took.Round(time.Millisecond), len(p), said(p))
		if took > 20*time.Second {
			t.Errorf("%s took %s", c.name, took)
		}
	}
	var b strings.Builder
	b.WriteString(`{"properties":{"a":{}`)
	for i := 0; i < 9900; i++ {
		fmt.Fprintf(&b, `,"k%d":{}`, i)
	}
	start := steady.CPU()
	_, err := Compile(raw(b.String() + "}}"))
	if took := steady.CPU() - start; took > 20*time.Second {
		t.Errorf("a wide schema took %s", took)
	} else {
		t.Logf("wide schema: %s %v", took.Round(time.Millisecond), err)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"a":{"pattern":"^x"}}}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				if got := len(s.Validate(raw(fmt.Sprintf(`{"a":"%c"}`, 'w'+i%2)))); got != 1-i%2 {
					t.Errorf("got %d problems", got)
				}
			}
		})
	}
	wg.Wait()
}

func ExampleSchema_Validate() {
	s, _ := Compile(json.RawMessage(`{
		"type": "object", "required": ["to", "amount"],
		"properties": {"to": {"type": "string", "format": "email"}, "amount": {"type": "number", "maximum": 500}}}`))
	for _, p := range s.Validate(json.RawMessage(`{"to":"ann","amount":1200}`)) {
		fmt.Println(p)
	}
	// Output:
	// /amount: expected at most 500, got 1200
	// /to: expected the format email (such as ann@example.com), got "ann"
}
