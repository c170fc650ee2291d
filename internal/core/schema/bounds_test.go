package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
)

// list is a JSON array of n values.
func list(n int, one func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(one(i))
	}
	return b.String() + "]"
}

func ints(from int) func(int) string { return func(i int) string { return fmt.Sprint(from + i) } }

func always(s string) func(int) string { return func(int) string { return s } }

// A value too large to check is rejected, and one just below the limit is not.
func TestLimitsOfValues(t *testing.T) {
	digits := func(n int) string { return strings.Repeat("7", n) }
	for _, c := range []struct{ name, schema, most, over, want string }{
		{"digits of a number", `{"type":"number"}`, digits(numberLenMax), digits(numberLenMax + 1),
			"the number " + digits(shownMax-3) + "… is too large or too precise to be checked"},
		{"an exponent", `{"type":"number"}`, `1e1000`, `1e1001`,
			"the number 1e1001 is too large or too precise to be checked"},
		{"a negative exponent", `{"type":"number"}`, `1E-1000`, `1E-1001`,
			"the number 1E-1001 is too large or too precise to be checked"},
		{"exponents in all", `{"type":"array"}`, list(expandedMax/1000, always("1e-1000")),
			list(expandedMax/1000+1, always("1e-1000")),
			"it contains too many numbers with large exponents to be checked"},
		{"comparisons with numbers", `{"items":{"enum":` + list(1000, ints(0)) + `}}`,
			`{"a":` + list(9_998, ints(0)) + `}`, `{"a":` + list(9_999, ints(0)) + `}`, tooCostly()[0].Message},
		{"comparisons with text", `{"items":{"enum":` +
			list(10_000, func(i int) string { return fmt.Sprintf("%q", fmt.Sprint(i)) }) + `}}`,
			`{"a":` + list(99_998, always("1")) + `}`, `{"a":` + list(99_999, always("1")) + `}`, tooCostly()[0].Message},
		{"comparisons with lists and objects", `{"items":{"enum":` + list(249, always(`{"a":[1,2]}`)) + `},"const":[1,2,3]}`,
			`{"a":` + list(10_038, always("1")) + `}`, `{"a":` + list(10_039, always("1")) + `}`, tooCostly()[0].Message},
		{"steps", `{"items":{"allOf":` + list(9, always("true")) + `}}`, list(41_666, always("1")),
			list(41_667, always("1")), tooCostly()[0].Message},
	} {
		s := compiled(t, c.schema)
		if got := said(s.Validate(raw(c.most))); strings.Contains(got, "check") {
			t.Errorf("%s: the most that is allowed: %.200s", c.name, got)
		}
		if got := said(s.Validate(raw(c.over))); got != c.want {
			t.Errorf("%s, too much:\n got %.200s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestLimitsOfSchemas(t *testing.T) {
	heavy := func(nulls int, keys string) string {
		members := ""
		for _, k := range keys {
			members += fmt.Sprintf(`,%q:null`, string(k))
		}
		return `{"x":` + list(nulls, always("null")) + members + `}`
	}
	pattern := func(last int) string {
		return `{"pattern":"` + strings.Repeat("a{1000}", 9) + fmt.Sprintf("a{%d}", last) + `"}`
	}
	for _, c := range []struct{ name, most, over, want string }{
		{"weight", heavy(15_992, "abcdefg"), heavy(15_993, "abcdef"), "it contains too many values to be checked"},
		{"a pattern", pattern(998), pattern(999), "it is too large"},
	} {
		if _, err := Compile(raw(c.most)); err != nil {
			t.Errorf("%s: the most that is allowed: %v", c.name, err)
		}
		if _, err := Compile(raw(c.over)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, too much: %v", c.name, err)
		}
	}
}

func TestLimitsOfFits(t *testing.T) {
	nested := func(depth int, typ string) string {
		return strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, depth) + `{"type":"` + typ + `"}` +
			strings.Repeat("}}", depth)
	}
	chain := func(refs int) string {
		defs := ""
		for i := range refs {
			defs += fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
		}
		return `{"$ref":"#/$defs/d0","$defs":{` + defs + fmt.Sprintf(`"d%d":{"type":"string"}}}`, refs)
	}
	either := func(depth int) string {
		return strings.Repeat(`{"anyOf":[`, depth) + `{"type":"string"}` + strings.Repeat("]}", depth)
	}
	fill := func(n int) string {
		head := `{"type":"string","title":"`
		return head + strings.Repeat("x", n-len(head)-2) + `"}`
	}
	number := `{"type":"number"}`
	for _, c := range []struct{ name, from, to, beyondFrom, beyondTo string }{
		{"depth", nested(fitsDepthMax, "string"), nested(fitsDepthMax, "number"), nested(fitsDepthMax+1, "string"),
			nested(fitsDepthMax+1, "number")},
		{"references", chain(fitsDepthMax - 1), number, chain(fitsDepthMax), number},
		{"forms", either(fitsDepthMax), number, either(fitsDepthMax + 2), number},
		{"size of one", fill(sizeMax), number, fill(sizeMax + 1), number},
		{"size of the other", number, fill(sizeMax), number, fill(sizeMax + 1)},
		{"choices", `{"enum":` + list(250, ints(0)) + `}`, `{"enum":` + list(400, ints(1000)) + `}`,
			`{"enum":` + list(251, ints(0)) + `}`, `{"enum":` + list(400, ints(1000)) + `}`},
	} {
		if got := Fits(raw(c.from), raw(c.to)); len(got) != 1 {
			t.Errorf("%s: within the limit: %d problems", c.name, len(got))
		}
		if got := Fits(raw(c.beyondFrom), raw(c.beyondTo)); len(got) != 0 {
			t.Errorf("%s: beyond the limit nothing is certain: %.300s", c.name, said(got))
		}
	}
}

// How much of a value a message quotes, at the limit.
func TestWhatIsRepeated(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"null"}`, `"` + x(78) + `"`, `expected null, got "` + x(78) + `"`},
		{`{"type":"null"}`, `"` + x(79) + `"`, `expected null, got a string of 79 characters`},
		{`{"type":"null"}`, `"` + strings.Repeat("é", 78) + `"`, `expected null, got "` + strings.Repeat("é", 78) + `"`},
		{`{"type":"null"}`, strings.Repeat("7", 80), `expected null, got ` + strings.Repeat("7", 80)},
		{`{"type":"null"}`, strings.Repeat("7", 81), `expected null, got a number of 81 digits`},
		{`{"type":"null"}`, `["` + x(76) + `"]`, `expected null, got ["` + x(76) + `"]`},
		{`{"type":"null"}`, `["` + x(77) + `"]`, `expected null, got an array of 1 items`},
		{`{"type":"null"}`, `{"a":"` + x(72) + `"}`, `expected null, got {"a":"` + x(72) + `"}`},
		{`{"type":"null"}`, `{"a":"` + x(73) + `"}`, `expected null, got an object with 1 properties`},
		{`{"type":"null"}`, list(38, always("1")), `expected null, got ` + list(38, always("1"))},
		{`{"type":"null"}`, list(39, always("1")), `expected null, got an array of 39 items`},
		{`{"type":"null"}`, `[` + list(18, always("1")) + `,` + list(18, always("1")) + `]`,
			`expected null, got [` + list(18, always("1")) + `,` + list(18, always("1")) + `]`},
		{`{"type":"null"}`, `[` + list(18, always("1")) + `,` + list(19, always("1")) + `]`,
			`expected null, got an array of 2 items`},
		{`{"additionalProperties":false}`, `{"` + x(78) + `":1}`,
			`/` + x(78) + `: the property "` + x(78) + `" is not allowed here`},
		{`{"additionalProperties":false}`, `{"` + x(79) + `":1}`,
			`/` + x(79) + `: the property "` + x(77) + `…" is not allowed here`},
		{`{"additionalProperties":false}`, `{"` + strings.Repeat("é", 79) + `":1}`,
			`/` + strings.Repeat("é", 79) + `: the property "` + strings.Repeat("é", 77) + `…" is not allowed here`},
		{`{"maximum":1e79}`, `1e80`, `expected at most 1` + strings.Repeat("0", 79) + `, got 1e80`},
		{`{"maximum":1e80}`, `1e81`, `expected at most about 1e+80, got 1e81`},
		{`{"minimum":0.125}`, `0`, `expected at least 0.125, got 0`},
		{`{"enum":["a"]}`, `1`, `expected "a", got 1`},
		{`{"enum":` + list(11, ints(1)) + `}`, `0`, `expected one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, got 0`},
		{`{"dependentRequired":{"a":["b1","b2","b3","b4","b5","b6","b7","b8","b9","c1","c2"]}}`, `{"a":1}`,
			`with the property "a" also "b1" and "b2" and "b3" and "b4" and "b5" and "b6" and "b7" and "b8" and "b9" and "c1" must be there`},
		{`{"maxItems":1}`, `[1,2]`, `expected at most 1 item, got 2`},
		{`{"contains":{"type":"string"},"minContains":2}`, `["a"]`, `expected at least 2 items of a certain form, got 1`},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, `expected at most 1 item of a certain form, got 2`},
		{`{"format":"regex"}`, `"("`, "the pattern \"(\" cannot be used: error parsing regexp: missing closing ): `(`"},
		{`{"type":["boolean","array"]}`, `1`, `expected true or false or an array, got 1`},
		{`{"type":["integer","number"]}`, `"1"`, `expected a number, got "1"`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`,
			`with the property "a" also "b" must be there`},
	} {
		if got := said(compiled(t, c.schema).Validate(raw(c.value))); got != c.want {
			t.Errorf("%.80s against %.80s:\n got %s\nwant %s", c.value, c.schema, got, c.want)
		}
	}
}

// Among several alternatives the intended one is explained, or else why each does not match.
func TestForms(t *testing.T) {
	forms := func(n int) string {
		return list(n, func(i int) string { return fmt.Sprintf(`{"minLength":%d}`, i+2) })
	}
	whyNot := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("(%d) expected at least %d characters, got 1", i+1, i+2))
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct{ schema, value, want string }{
		{`{"anyOf":` + forms(5) + `}`, `"a"`, `fits none of 5 forms: ` + whyNot(5)},
		{`{"anyOf":` + forms(6) + `}`, `"a"`, `fits none of 6 forms: ` + whyNot(5) + `; …`},
		{`{"anyOf":[{"required":["a","b","c"]},{"minProperties":9}]}`, `{}`,
			`fits none of 2 forms: (1) the property "a" is missing, the property "b" is missing, the property "c" is missing; (2) expected at least 9 properties, got 0`},
		{`{"anyOf":[{"required":["a","b","c","d"]},{"minProperties":9}]}`, `{}`,
			`fits none of 2 forms: (1) the property "a" is missing, the property "b" is missing, the property "c" is missing, …; (2) expected at least 9 properties, got 0`},
		{`{"anyOf":[{"const":1},{"const":2}]}`, `3`, `fits none of 2 forms: (1) expected 1, got 3; (2) expected 2, got 3`},
		{`{"anyOf":[{"const":1},{"type":"object","required":["a"]}]}`, `{}`, `the property "a" is missing`},
		{`{"anyOf":[{"enum":[1,2]},{"type":"object","required":["a"]}]}`, `{}`, `the property "a" is missing`},
		{`{"anyOf":[{"$ref":"#/$defs/n"},{"type":"object","required":["a"]}],"$defs":{"n":{"type":"null"}}}`, `{}`,
			`the property "a" is missing`},
		{`{"anyOf":[{"allOf":[{"type":"null"}]},{"type":"object","required":["a"]}]}`, `{}`, `the property "a" is missing`},
		{`{"anyOf":[{"minProperties":1,"type":"null"},{"type":"object","required":["a"]}]}`, `{}`,
			`the property "a" is missing`},
		{`{"items":{"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]}}`, `[{}]`,
			`/0: the property "a" is missing`},
		// A nested constant does not discriminate alternatives.
		{`{"anyOf":[{"properties":{"k":{"properties":{"t":{"const":1}}}}},{"required":["z"]}]}`, `{"k":{"t":2}}`,
			`fits none of 2 forms: (1) /k/t: expected 1, got 2; (2) the property "z" is missing`},
		{`{"anyOf":[{"properties":{"k":{"minimum":9}}},{"required":["z"]}]}`, `{"k":1}`,
			`fits none of 2 forms: (1) /k: expected at least 9, got 1; (2) the property "z" is missing`},
		{`{"properties":{"a":{"required":["b"],"properties":{"c":{"type":"null"}}}},"required":["z"]}`, `{"a":{"c":1}}`,
			"the property \"z\" is missing\n/a: the property \"b\" is missing\n/a/c: expected null, got 1"},
		{`{"additionalProperties":{"type":"null"}}`, `{"a":1,"10":1,"9":1,"b":1,"":1}`,
			"/: expected null, got 1\n/9: expected null, got 1\n/10: expected null, got 1\n/a: expected null, got " +
				"1\n/b: expected null, got 1"},
		{`{"propertyNames":{"minLength":2,"pattern":"^x"}}`, `{"a":1}`,
			`the property name "a" is not allowed: expected at least 2 characters, got 1, expected text that matches ^x, got "a"`},
		{`{"pattern":"^x\\u0041"}`, `"xB"`, `expected text that matches ^x\u0041, got "xB"`},
		{`{"pattern":"^x\\u0041"}`, `"xA"`, ``},
		{`{"pattern":"^\\\\u0041$"}`, `"\\u0041"`, ``},
		{`{"pattern":"^\\u0041\\.$"}`, `"A."`, ``},
		{`{"pattern":"^\\u0041\\.$"}`, `"Ax"`, `expected text that matches ^\u0041\.$, got "Ax"`},
	} {
		if got := said(compiled(t, c.schema).Validate(raw(c.value))); got != c.want {
			t.Errorf("%s against %s:\n got %s\nwant %s", c.value, c.schema, got, c.want)
		}
	}
}

// Positions of problems in the schema, through references as well.
func TestCompileSaysWhere(t *testing.T) {
	for in, want := range map[string]string{
		`{"$ref":"#/x/y","x":{"y":{"minLength":-1}}}`:                    "/x/y/minLength: expected at least 0, got -1",
		`{"$ref":"#/x/a~1b~0c","x":{"a/b~c":{"minLength":-1}}}`:          "/x/a~1b~0c/minLength: expected at least 0, got -1",
		`{"$ref":"#/x/1","x":[{},{"minLength":-1}]}`:                     "/x/1/minLength: expected at least 0, got -1",
		`{"allOf":[{},{"$ref":"#/no"},{"$ref":"#/no"}]}`:                 "/allOf/1/$ref: #/no is not in the schema",
		`{"properties":{"b":{"$ref":"#/no"},"a":{"$ref":"#/no"}}}`:       "/properties/a/$ref: #/no is not in the schema",
		`{"allOf":[{"$ref":"#/no"}],"properties":{"a":{"$ref":"#/no"}}}`: "/allOf/0/$ref: #/no is not in the schema",
		`{"properties":{"a":{"$ref":"#/a%20b"}}}`:                        "/properties/a/$ref: #/a b is not in the schema",
		`{"pattern":"\\u00zz"}`:                                          `/pattern: the pattern "\\u00zz" cannot be used`,
		`{"pattern":"a\\u004"}`:                                          `/pattern: the pattern "a\\u004" cannot be used`,
		`{"properties":{"a":{"patternProperties":{"(":{}}}}}`:            "cannot be used",
		`{"type":["string","string"]}`:                                   "/type: ",
		`{"properties":{"a":{"minLength":-1},"b":{"maxLength":-2}},"required":3}`: "/properties/a/minLength: expected at " +
			"least 0, got -1; /properties/b/maxLength: expected at least 0, got -2; /required: expected an array, got 3",
	} {
		s, err := Compile(raw(in))
		if s != nil || !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%s):\n got %v\nwant %s", in, err, want)
		}
	}
}

func TestFitsValuesAndMembers(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{"const":null}`, `{"type":"string"}`, `expected a string, but it is always null`},
		{`{"const":true}`, `{"type":"string"}`, `expected a string, but it is always true or false`},
		{`{"const":[1]}`, `{"type":"object"}`, `expected an object, but it is always an array`},
		{`{"const":{"a":1}}`, `{"type":"array"}`, `expected an array, but it is always an object`},
		{`{"type":"integer"}`, `{"type":"string"}`, `expected a string, but it is always an integer`},
		{`{"type":"number"}`, `{"type":"string"}`, `expected a string, but it is always a number`},
		{`{"const":{"a":1}}`, `{"const":{"a":1,"b":2}}`, `expected {"a":1,"b":2}, but it is always {"a":1}`},
		{`{"const":{"a":1}}`, `{"const":{"b":1}}`, `expected {"b":1}, but it is always {"a":1}`},
		{`{"const":{"a":1}}`, `{"const":{"a":2}}`, `expected {"a":2}, but it is always {"a":1}`},
		{`{"const":{"a":1,"b":2}}`, `{"const":{"a":1,"b":2.0}}`, ``},
		{`{"const":[1]}`, `{"const":[1,2]}`, `expected [1,2], but it is always [1]`},
		{`{"enum":[1,"a"]}`, `{"enum":["1",2]}`, `expected one of "1", 2, but it is always one of 1, "a"`},
		{`{"enum":[[1],"a"]}`, `{"enum":[{"x":1},"b"]}`, `expected one of {"x":1}, "b", but it is always one of [1], "a"`},
		{`{"enum":[{"x":1},"a"]}`, `{"enum":[[1],"b"]}`, `expected one of [1], "b", but it is always one of {"x":1}, "a"`},
		{`{"type":"string","anyOf":[]}`, `{"type":"number"}`, `expected a number, but it is always a string`},
		{`{"$id":"x","type":"string"}`, `{"type":"number"}`, `expected a number, but it is always a string`},
		{`{"type":"number"}`, `{"$defs":{"s":{"$id":"x","type":"string"}},"$ref":"#/$defs/s"}`, ``},
		{`{"$ref":"#s","$defs":{"s":{"$anchor":"s","type":"string"}}}`, `{"type":"number"}`, ``},
		{`{"anyOf":[{"type":"string"},{"type":"null"}],"type":["string","number"]}`, `{"type":"number"}`,
			`expected a number, but it is always a string`},
		{`{"type":"object","properties":{"a":false}}`, `{"type":"object","required":["a"]}`,
			`/a: the property "a" is required, but it is never there`},
		{`{"allOf":[{"type":"object","properties":{"a":{}}},{"additionalProperties":false}]}`,
			`{"type":"object","required":["a"]}`,
			`/a: the property "a" is required, but it is never there`},
		{`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":["string","null"]}}},{"properties":{"a":{"type":["string","number"]}}}]}`,
			`{"type":"object","properties":{"a":{"type":"null"}}}`, `/a: expected null, but it is always a string`},
		{`{"type":"object","required":["b","a",5],"properties":{"a":{"type":"null"},"b":{"type":"null"}}}`,
			`{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
			"/a: expected a string, but it is always null\n/b: expected a string, but it is always null"},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["z"],"properties":{"z":{"type":"null"}}},"z":{"type":"null"}}}`,
			`{"type":"object","required":["z"],"properties":{"z":{"type":"string"},"a":{"type":"object","properties":{"z":{"type":"string"}}}}}`,
			"/a/z: expected a string, but it is always null\n/z: expected a string, but it is always null"},
	} {
		if got := said(Fits(raw(c.from), raw(c.to))); got != c.want {
			t.Errorf("%s → %s:\n got %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
}

func TestSampleMore(t *testing.T) {
	few := func(n int, one string) string { return list(n, always(one)) }
	for _, c := range []struct{ schema, want string }{
		// Unique items.
		{`{"type":"array","items":{"type":"boolean"},"minItems":2,"uniqueItems":true}`, `[true,false]`},
		{`{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true}`, `["text","text1","text2"]`},
		{`{"type":"array","minItems":3,"uniqueItems":true}`, `["text","text1","text2"]`},
		{`{"type":"array","minItems":2,"uniqueItems":false}`, `["text","text"]`},
		{`{"type":"array","items":{"type":"integer","default":7},"minItems":2,"uniqueItems":true}`, `[7,2]`},
		{`{"type":"array","items":{"type":"string","examples":["a","b"]},"minItems":3,"uniqueItems":true}`,
			`["a","b","text2"]`},
		{`{"type":"array","items":{"type":"integer","maximum":2},"minItems":2,"uniqueItems":true}`, `[1,2]`},
		// Lists.
		{`{"type":"array","items":[{"const":1},{"const":2}],"additionalItems":{"const":9},"minItems":3}`, `[1,2,9]`},
		{`{"type":"array","prefixItems":[{"const":1},{"const":2}],"items":{"const":9},"minItems":3}`, `[1,2,9]`},
		{`{"type":"array","prefixItems":[{"const":1},{"const":2}],"maxItems":1}`, `[1]`},
		{`{"type":"array","items":{"const":1},"maxItems":-1}`, `[1]`},
		{`{"type":"array","items":{"const":1},"minItems":1.5}`, `[1]`},
		{`{"type":"array","items":true}`, `[]`},
		{`{"type":"array","items":{"const":1},"minItems":100}`, few(100, "1")},
		{`{"type":"array","items":{"const":1},"minItems":101}`, few(100, "1")},
		{`{"type":"array","items":{"const":1},"minItems":"2"}`, `[1]`},
		// Objects.
		{`{"type":"object","required":["a","a"]}`, `{"a":"text"}`},
		{`{"properties":{"a":false,"b":{}}}`, `{"b":"text"}`},
		{`{"required":["a"],"minProperties":2,"properties":{"a":{},"b":{"const":1},"c":{"const":2}}}`, `{"a":"text","b":1}`},
		{`{"required":["b"],"minProperties":3,"properties":{"b":{}}}`, `{"b":"text","key1":"text","key2":"text"}`},
		{`{"required":["x"],"additionalProperties":{"type":"integer"}}`, `{"x":1}`},
		{`{"required":["key1"],"minProperties":2}`, `{"key1":"text","key2":"text"}`},
		{`{"properties":{"a":{"properties":{"b":{"properties":{"c":{"properties":{"d":{"properties":{"e":{}}}}}}}}}}}`,
			`{"a":{"b":{"c":{"d":{}}}}}`},
		// Types implied by keywords.
		{`{"additionalProperties":{}}`, `{}`},
		{`{"minProperties":1}`, `{"key1":"text"}`},
		{`{"items":{"const":1}}`, `[1]`},
		{`{"prefixItems":[{"const":1}]}`, `[1]`},
		{`{"minItems":1}`, `["text"]`},
		{`{"minLength":5}`, `"textx"`},
		{`{"pattern":"^x$"}`, `"x"`},
		{`{"format":"date"}`, `"2026-01-31"`},
		{`{"maxLength":3}`, `"ext"`},
		{`{"minimum":2}`, `2`},
		{`{"maximum":0}`, `0`},
		{`{"multipleOf":3}`, `0`},
		{`{"exclusiveMinimum":1}`, `2`},
		{`{"exclusiveMaximum":1}`, `0`},
		// Alternatives and parts.
		{`{"anyOf":[{"type":"null"}]}`, `null`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `"text"`},
		{`{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `1`},
		{`{"oneOf":[{"const":3},{"const":4}]}`, `3`},
		{`{"type":"integer","allOf":[{"minimum":5},{"maximum":9}]}`, `5`},
		{`{"required":["a"],"anyOf":[{"required":["b"]},{"required":["c"]}]}`, `{"a":"text","b":"text"}`},
		{`{"allOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, `"text"`},
		{`{"$ref":"#/$defs/a~0b","$defs":{"a~b":{"const":7}}}`, `7`},
		{`{"$ref":"#s","$defs":{"s":{"$anchor":"s","const":7}}}`, `{}`},
		{`{"$ref":"other.json"}`, `{}`},
		{`{"type":["null","null"]}`, `null`},
		{`{"type":"null","minimum":3}`, `null`},
		{`{"enum":[]}`, `{}`},
		// Text.
		{`{"type":"string","format":"email","maxLength":5}`, `"text"`},
		{`{"type":"string","format":"date","minLength":10,"maxLength":10}`, `"2026-01-31"`},
		{`{"type":"string","format":"date","minLength":11}`, `"textxxxxxxx"`},
		{`{"type":"string","format":"date","maxLength":9}`, `"text"`},
		{`{"type":"string","pattern":"^t"}`, `"text"`},
		{`{"type":"string","pattern":"^t","minLength":4}`, `"text"`},
		{`{"type":"string","pattern":"^t","minLength":6}`, `"textxx"`},
		{`{"type":"string","pattern":"^[b-y]$"}`, `"x"`},
		{`{"type":"string","pattern":"^[0-9]$"}`, `"1"`},
		{`{"type":"string","pattern":"^[A-Z]$"}`, `"A"`},
		{`{"type":"string","pattern":"^[B-D!]$"}`, `"!"`},
		{`{"type":"string","pattern":"^.$"}`, `"x"`},
		{`{"type":"string","pattern":"^[b-d]?$"}`, `""`},
		{`{"type":"string","pattern":"^[b-d]?$","minLength":1}`, `"b"`},
		{`{"type":"string","pattern":"^[b-d]*$","minLength":3}`, `"bbb"`},
		{`{"type":"string","pattern":"^b{2,4}$","minLength":3}`, `"bbb"`},
		{`{"type":"string","pattern":"^b{2,3}$","minLength":3}`, `"bbb"`},
		{`{"type":"string","pattern":"^\\u0041\\d$"}`, `"A1"`},
		{`{"type":"string","pattern":"` + strings.Repeat("b", 1000) + `"}`, `"` + strings.Repeat("b", 1000) + `"`},
		{`{"type":"string","pattern":"` + strings.Repeat("b", 1001) + `"}`, `"text"`},
		{`{"type":"string","pattern":"("}`, `"text"`},
		{`{"type":"string","minLength":4}`, `"text"`},
		{`{"type":"string","maxLength":4}`, `"text"`},
		{`{"type":"string","minLength":20000}`, `"text` + strings.Repeat("x", sampleTextMax-4) + `"`},
		{`{"type":"string","maxLength":-1}`, `"text"`},
		// Numbers.
		{`{"type":"integer","minimum":1}`, `1`},
		{`{"type":"integer","maximum":1}`, `1`},
		{`{"type":"integer","minimum":1,"exclusiveMinimum":1}`, `2`},
		{`{"type":"integer","minimum":3,"exclusiveMinimum":1}`, `3`},
		{`{"type":"integer","minimum":1,"exclusiveMinimum":3}`, `4`},
		{`{"type":"integer","maximum":0,"exclusiveMaximum":0}`, `-1`},
		{`{"type":"integer","maximum":-3,"exclusiveMaximum":0}`, `-3`},
		{`{"type":"integer","maximum":0,"exclusiveMaximum":-3}`, `-4`},
		{`{"type":"integer","maximum":0,"exclusiveMaximum":true}`, `-1`},
		{`{"type":"integer","maximum":0,"exclusiveMaximum":false}`, `0`},
		{`{"type":"integer","maximum":-2.5}`, `-3`},
		{`{"type":"integer","multipleOf":4,"minimum":8,"exclusiveMaximum":12}`, `8`},
		{`{"type":"integer","multipleOf":4,"exclusiveMinimum":8}`, `12`},
		{`{"type":"integer","multipleOf":4,"maximum":-5}`, `-8`},
		{`{"type":"integer","multipleOf":-4}`, `1`},
		{`{"type":"number","minimum":2.5}`, `2.5`},
		{`{"type":"number","maximum":0.5}`, `0.5`},
		{`{"type":"number","minimum":"2"}`, `1`},
		{`{"type":"array","items":{"type":"integer","multipleOf":5},"minItems":2,"uniqueItems":true}`, `[0,5]`},
	} {
		got := Sample(raw(c.schema))
		if string(got) != c.want {
			t.Errorf("Sample(%.100s) = %.200s, want %.200s", c.schema, got, c.want)
		}
		if !json.Valid(got) {
			t.Errorf("Sample(%.100s) is not JSON", c.schema)
		}
	}
}

func TestSampleOfLargeSchemas(t *testing.T) {
	fill := func(n int) json.RawMessage { return raw(`{"const":"` + strings.Repeat("x", n-12) + `"}`) }
	if got := Sample(fill(sizeMax)); len(got) != sizeMax-10 {
		t.Errorf("the constant of the largest schema has %d bytes", len(got))
	}
	if got := Sample(fill(sizeMax + 1)); string(got) != "{}" {
		t.Errorf("a schema that is too large gives %d bytes", len(got))
	}
}
