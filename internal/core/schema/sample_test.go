package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/steady"
)

func TestSample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{``, `{}`},
		{`null`, `{}`},
		{`true`, `{}`},
		{`{}`, `{}`},
		{`{"a":`, `{}`},
		{`{"const":1E400}`, `1E400`},
		{`{"enum":[0.10,2]}`, `0.10`},
		{`{"default":{"b":1,"a":"\u0000"}}`, `{"b":1,"a":"\u0000"}`},
		{`{"type":"string","examples":["ann"]}`, `"ann"`},
		{`{"type":"string"}`, `"text"`},
		{`{"type":"string","minLength":6}`, `"textxx"`},
		{`{"type":"string","maxLength":2}`, `"xt"`},
		{`{"type":"string","maxLength":0}`, `""`},
		{`{"type":"string","format":"date"}`, `"2026-01-31"`},
		{`{"type":"string","format":"date-time"}`, `"2026-01-31T12:00:00Z"`},
		{`{"type":"string","format":"email"}`, `"ann@example.com"`},
		{`{"type":"string","format":"uri"}`, `"https://example.com/"`},
		{`{"type":"string","pattern":"^[A-Z]{3}-\\d{2,4}$"}`, `"AAA-11"`},
		{`{"type":"string","pattern":"^(usd|eur)$"}`, `"usd"`},
		{`{"type":"string","pattern":"^x+$","minLength":5}`, `"xxxxxx"`},
		{`{"type":"integer"}`, `1`},
		{`{"type":"integer","minimum":5}`, `5`},
		{`{"type":"integer","exclusiveMinimum":5}`, `6`},
		{`{"type":"integer","minimum":2.5}`, `3`},
		{`{"type":"integer","maximum":-3}`, `-3`},
		{`{"type":"integer","exclusiveMaximum":-3}`, `-4`},
		{`{"type":"integer","minimum":7,"multipleOf":5}`, `10`},
		{`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.5`},
		{`{"type":"number","multipleOf":0.25,"maximum":0.8}`, `0.75`},
		{`{"type":"number","minimum":9007199254740993}`, `9007199254740993`},
		{`{"minimum":3,"exclusiveMinimum":true}`, `4`},
		{`{"type":"boolean"}`, `true`},
		{`{"type":"null"}`, `null`},
		{`{"type":["null","integer"]}`, `1`},
		{`{"type":["null"]}`, `null`},
		{`{"type":"array"}`, `[]`},
		{`{"type":"array","items":{"type":"string"}}`, `["text"]`},
		{`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`, `[1,2,3]`},
		{`{"type":"array","items":{"enum":["a","b"]},"minItems":2,"uniqueItems":true}`, `["a","b"]`},
		{`{"type":"array","items":{"type":"string"},"maxItems":0}`, `[]`},
		{`{"type":"array","prefixItems":[{"type":"integer"},{"type":"boolean"}]}`, `[1,true]`},
		{`{"properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a","c","b"]}`,
			`{"b":"text","a":1,"c":"text"}`},
		{`{"properties":{"b":{"type":"string"},"a":{}}}`, `{"b":"text","a":"text"}`},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"const":1}}},"z":{}}}`, `{"a":{"b":1}}`},
		{`{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}`, `{"key1":1,"key2":1}`},
		{`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"integer"}}}`, `1`},
		{`{"$ref":"#/$defs/a%20b","$defs":{"a b":{"type":"integer"}}}`, `1`},
		{`{"anyOf":[{"type":"null"},{"type":"string"}]}`, `"text"`},
		{`{"oneOf":[{"type":"string","format":"email"}]}`, `"ann@example.com"`},
		{`{"type":"string","allOf":[{"format":"email"}]}`, `"ann@example.com"`},
		{`{"allOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},{"type":"object","required":["b"]}]}`, `{"a":1,"b":"text"}`},
	} {
		got := Sample(raw(c.schema))
		if string(got) != c.want {
			t.Errorf("Sample(%s) = %s, want %s", c.schema, got, c.want)
		}
		if s, err := Compile(raw(c.schema)); err == nil {
			if p := s.Validate(got); len(p) > 0 {
				t.Errorf("Sample(%s) = %s does not fit: %v", c.schema, got, p)
			}
		}
	}
}

func TestSampleEnds(t *testing.T) {
	var wide strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&wide, `"property_number_%d":{"$ref":"#"},`, i)
	}
	for _, schema := range []string{
		`{"$ref":"#"}`,
		`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`,
		`{"required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`,
		`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"type":"array","minItems":1000000000,"items":{"$ref":"#"}}`,
		`{"type":"string","minLength":1000000000}`,
		`{"type":"string","pattern":"^((a{1000}){1000}){1000}$"}`,
		`{"type":"string","pattern":"^(((a+)+)+)+$","minLength":9000}`,
		`{"type":"object","minProperties":1000000000}`,
		`{"type":"number","minimum":1e999999999}`,
		`{"properties":{` + wide.String() + `"z":{}}}`,
		strings.Repeat(`{"items":`, 900) + `{}` + strings.Repeat(`}`, 900),
	} {
		start := steady.CPU()
		got := Sample(raw(schema))
		if took := steady.CPU() - start; took > 5*time.Second || len(got) > 2<<20 || !value.Valid(got) {
			t.Errorf("%.80s: %d bytes in %s", schema, len(got), took)
		}
	}
}

// ordinary draws schemas typical of forms and tools.
func ordinary(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		limit := func(name string, lo, hi int) string {
			n := rapid.IntRange(lo, hi).Draw(t, name)
			return fmt.Sprintf(`,%q:%d`, name, n)
		}
		kinds := 6
		if depth > 0 {
			kinds = 9
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return `{"type":"string"` + limit("minLength", 0, 8) + limit("maxLength", 8, 20) + `}`
		case 1:
			format := rapid.SampledFrom([]string{"date", "date-time", "email", "uri", "uuid", "time", "ipv4", "ipv6",
				"hostname", "duration", "json-pointer", "regex", "uri-reference", "uri-template", "semver", "period",
				"relative-json-pointer"}).Draw(t, "format")
			return `{"type":"string","format":"` + format + `"}`
		case 2:
			return `{"type":"string","pattern":"` +
				rapid.SampledFrom([]string{`^[a-z]+$`, `^[A-Z]{2,5}$`, `^\\d{4}-\\d{2}$`, `^(a|b)+c?$`, `x`, `^ORD-[0-9]+$`,
					`^[^@]+@[^@]+$`, `^\\S+$`}).Draw(t, "pattern") + `"}`
		case 3:
			return `{"type":"integer"` + limit("minimum", -20, 5) + limit("maximum", 15, 40) + limit("multipleOf", 1, 10) + `}`
		case 4:
			return `{"type":"number"` + limit("exclusiveMinimum", -20, 5) + limit("exclusiveMaximum", 6, 9) + `}`
		case 5:
			return `{"enum":["a",2,null]}`
		case 6:
			return `{"type":["null","boolean"]}`
		case 7:
			return `{"type":"array","items":` + ordinary(depth-1).Draw(t, "items") + limit("minItems", 0, 3) +
				limit("maxItems", 3, 5) + `}`
		}
		props, req := []string{}, []string{}
		for i := range rapid.IntRange(0, 4).Draw(t, "n") {
			props = append(props, fmt.Sprintf(`"p%d":%s`, i, ordinary(depth-1).Draw(t, "p")))
			if rapid.Bool().Draw(t, "required") {
				req = append(req, fmt.Sprintf(`"p%d"`, i))
			}
		}
		return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(req, ",") +
			`],"additionalProperties":false}`
	})
}

func TestSampleFitsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := raw(ordinary(3).Draw(t, "schema"))
		s, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		got := Sample(src)
		if p := s.Validate(got); len(p) > 0 {
			t.Fatalf("Sample(%s) = %s: %v", src, got, p)
		}
		if again := Sample(src); string(again) != string(got) {
			t.Fatalf("first %s, then %s", got, again)
		}
		if p := Fits(src, src); len(p) > 0 {
			t.Fatalf("%s does not fit itself: %v", src, p)
		}
	})
}

func FuzzNoPanic(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":1}}}`, `{"$ref":"#"}`,
		`{"pattern":"^(a|b)*$"}`,
		`{"anyOf":[{"const":1},{"$ref":"#/$defs/x"}],"$defs":{"x":{"enum":[1,2]}}}`, `{"multipleOf":0.1,"maximum":1E400}`,
		`{"items":[{}],"$schema":"http://json-schema.org/draft-04/schema#"}`,
		`{"$dynamicAnchor":"x","$dynamicRef":"#x"}`, `{"propertyNames":{"minLength":2},"uniqueItems":true,"format":"regex"}`,
		`{"$id":"x","not":{}}`, `{"if":{},"then":false,"dependentRequired":{"a":["b"]}}`,
	} {
		f.Add([]byte(s), []byte(`{"a":[1,2.50,"x",null]}`))
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, schema, instance []byte) {
		Fits(schema, instance)
		got := Sample(schema)
		if !value.Valid(got) {
			t.Fatalf("Sample(%q) = %q", schema, got)
		}
		s, err := Compile(schema)
		if err != nil {
			return
		}
		s.Validate(got)
		for _, p := range s.Validate(instance) {
			if p.Message == "" || strings.Contains(p.Message, "cannot be checked (") {
				t.Fatalf("%q against %q: %q", instance, schema, p.Message)
			}
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	s := compiled(b, `{"type":"object","required":["records"],"properties":{"records":{"type":"array","items":{"type":"object","required":["id","email"],"properties":{"id":{"type":"integer"},"email":{"type":"string","format":"email"},"total":{"type":"number","minimum":0}}}}}}`)
	for _, n := range []int{1, 60_000} {
		var recs []json.RawMessage
		for i := range n {
			recs = append(recs, raw(fmt.Sprintf(`{"id":%d,"name":"customer %d","email":"c%d@example.com","tags":["a","b"],"note":"said \"hello\", then came back for a longer talk about it","total":%d.10,"ok":true}`, i, i, i, i)))
		}
		doc := value.Object(value.Member{Key: "records", Value: value.Array(recs...)})
		b.Run(fmt.Sprintf("%dKB", len(doc)>>10), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if p := s.Validate(doc); len(p) > 0 {
					b.Fatal(p)
				}
			}
		})
	}
	b.Run("Compile", func(b *testing.B) {
		for b.Loop() {
			compiled(b, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`)
		}
	})
}
