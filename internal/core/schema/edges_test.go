package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reference does not read files, even existing ones that contain a schema.
func TestReferencesReadNoFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Compile(raw(`{"$ref":"file://` + filepath.ToSlash(file) + `"}`))
	if err == nil || !strings.Contains(err.Error(), "is outside of the schema") {
		t.Error(err)
	}
}

// Exponential work is rejected anywhere in a schema, including keywords that contain a schema in some drafts
// only.
func TestBudgetHoldsBehindEveryKeyword(t *testing.T) {
	nested := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	twice := func(ref string) string {
		return `{"properties":{"a":{"allOf":[{"$ref":"` + ref + `"},{"$ref":"` + ref + `"}]}}}`
	}
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for name, schema := range map[string]string{
		"dependencies":      `{` + draft7 + `"dependencies":{"x":["y"],"a":` + twice("#/dependencies/a") + `}}`,
		"dependentSchemas":  `{"dependentSchemas":{"a":` + twice("#/dependentSchemas/a") + `}}`,
		"patternProperties": `{"patternProperties":{"^a$":` + twice("#/patternProperties/%5Ea$") + `}}`,
		"if":                `{"if":` + twice("#/if") + `}`,
		"then":              `{"if":true,"then":` + twice("#/then") + `}`,
		"not":               `{"not":` + twice("#/not") + `}`,
		"additional":        `{"additionalProperties":` + twice("#/additionalProperties") + `}`,
		"unevaluated":       `{"unevaluatedProperties":` + twice("#/unevaluatedProperties") + `}`,
		"a dynamic anchor": `{"$id":"https://example.com/root","$ref":"inner","$defs":{
			"inner":{"$id":"inner","$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}},
			"o v%":{"$dynamicAnchor":"x","properties":{"a":{"allOf":[{"$dynamicRef":"#x"},{"$dynamicRef":"#x"}]}}}}}`,
	} {
		if got := said(compiled(t, schema).Validate(raw(nested))); got != tooCostly()[0].Message {
			t.Errorf("%s: %.200s", name, got)
		}
	}
}

// A problem with a property name is reported once.
func TestNamesAreToldOnce(t *testing.T) {
	s := compiled(t, `{"propertyNames":{"allOf":[{"minLength":2},{"minLength":2}]}}`)
	if got := said(s.Validate(raw(`{"a":1}`))); got != `the property name "a" is not allowed: expected at least 2 characters, got 1` {
		t.Error(got)
	}
}

// Unresolvable references impose no constraint.
func TestFitsOfReferencesToNothing(t *testing.T) {
	for _, ref := range []string{"#/x/2", "#/x/-1", "#/x/y", "#/x/0/type/z", "#x", "x", "#/no"} {
		schema := raw(`{"$ref":"` + ref + `","x":[{"type":"null"},{"type":"null"}]}`)
		if got := Fits(schema, raw(`{"type":"string"}`)); len(got) != 0 {
			t.Errorf("%s: %s", ref, said(got))
		}
	}
	if got := Fits(raw(`{"$ref":"#/x/1","x":[{},{"type":"null"}]}`), raw(`{"type":"string"}`)); len(got) != 1 {
		t.Error("a reference to the last element leads there")
	}
}

// An invalid type is no hint; other keywords may be.
func TestSamplesOfOddTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":5,"minimum":3}`:     `3`,
		`{"type":[],"minimum":3}`:    `3`,
		`{"type":["null"]}`:          `null`,
		`{"type":[5],"minLength":6}`: `null`,
	} {
		if got := string(Sample(raw(schema))); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}
