package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/docs"
	"github.com/assent-run/assent/internal/api/openapi"
	"github.com/assent-run/assent/internal/app"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const documentPath = "../../docs/openapi.json"

var update = flag.Bool("update-openapi", false, "write docs/openapi.json")

func TestOpenAPIIsCurrent(t *testing.T) {
	current := openAPI()
	if !bytes.Equal(current, openAPI()) {
		t.Fatal("it is not the same every time")
	}
	if *update {
		if err := os.WriteFile(documentPath, current, 0o644); err != nil {
			t.Fatal(err)
		}
		return // this test was built with the file as it was before
	}
	if !bytes.Equal(docs.OpenAPI, current) {
		t.Error("docs/openapi.json is not current: go test ./internal/api -run OpenAPI -update-openapi")
	}
	d := open(t, Options{})
	if served := d.get("/openapi.json").want(200); !bytes.Equal(served.body, docs.OpenAPI) {
		t.Error("another document is served")
	}
}

// parsed is the document as other tools would read it.
var parsed = sync.OnceValue(func() map[string]any {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI()))
	if err != nil {
		panic(err)
	}
	return doc.(map[string]any)
})

// at follows keys into the document.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// each calls f for every operation of the document.
func each(f func(path, method string, op map[string]any)) {
	for path, item := range at(parsed(), "paths").(map[string]any) {
		for method, op := range item.(map[string]any) {
			f(path, method, op.(map[string]any))
		}
	}
}

func TestOpenAPIOperations(t *testing.T) {
	seen := map[string]bool{}
	var tagNames []string
	for _, tag := range at(parsed(), "tags").([]any) {
		tagNames = append(tagNames, at(tag, "name").(string))
	}
	each(func(path, method string, op map[string]any) {
		where := method + " " + path
		id, _ := op["operationId"].(string)
		if id == "" || seen[id] {
			t.Errorf("%s: operationId %q", where, id)
		}
		seen[id] = true
		if s, _ := op["summary"].(string); s == "" || strings.HasSuffix(s, ".") {
			t.Errorf("%s: summary %q", where, s)
		}
		if tags, _ := op["tags"].([]any); len(tags) != 1 || !slices.Contains(tagNames, tags[0].(string)) {
			t.Errorf("%s: tags %v", where, op["tags"])
		}
		refused := 0
		for status := range op["responses"].(map[string]any) {
			if status[0] == '4' {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s: no 4xx", where)
		}
		declared := map[string]bool{}
		for _, p := range op["parameters"].([]any) {
			p = deref(p)
			if doc, _ := at(p, "description").(string); doc == "" {
				t.Errorf("%s: parameter %v has no description", where, at(p, "name"))
			}
			if at(p, "in") == "path" {
				declared[at(p, "name").(string)] = true
			}
		}
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
			if !declared[m[1]] {
				t.Errorf("%s: {%s} is not declared", where, m[1])
			}
			delete(declared, m[1])
		}
		if len(declared) > 0 {
			t.Errorf("%s: %v are not in the path", where, declared)
		}
	})
	if len(seen) != len(operations()) {
		t.Errorf("%d operations, not %d", len(seen), len(operations()))
	}
	for name, r := range at(parsed(), "components", "responses").(map[string]any) {
		if at(r, "content", "application/problem+json") == nil || at(r, "description") == "" {
			t.Errorf("%s is no problem", name)
		}
	}
}

func deref(v any) any {
	ref, ok := at(v, "$ref").(string)
	if !ok {
		return v
	}
	return at(parsed(), strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

func TestOpenAPIReferences(t *testing.T) {
	used := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, m := range v {
				if ref, ok := m.(string); ok && k == "$ref" {
					used[ref] = true
					if deref(v) == nil {
						t.Errorf("%s leads nowhere", ref)
					}
				}
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		}
	}
	walk(parsed())
	for _, part := range []string{"schemas", "responses", "parameters"} {
		for name := range at(parsed(), "components", part).(map[string]any) {
			if ref := "#/components/" + part + "/" + name; !used[ref] {
				t.Errorf("%s is not used", ref)
			}
		}
	}
}

// TestOpenAPIWords: everything is described, and nothing that does not exist.
func TestOpenAPIWords(t *testing.T) {
	all, used := at(parsed(), "components", "schemas").(map[string]any), map[string]int{}
	for name, schema := range all {
		if doc, _ := at(schema, "description").(string); doc == "" {
			t.Errorf("%s has no description", name)
		}
		properties, _ := at(schema, "properties").(map[string]any)
		for member, p := range properties {
			doc, _ := at(p, "description").(string)
			if doc == "" || doc == "Any JSON." {
				t.Errorf("%s.%s has no description: comment on the field", name, member)
			} else if !strings.HasSuffix(doc, ".") && !strings.HasSuffix(doc, "…") {
				t.Errorf("%s.%s: %q is not a sentence", name, member, doc)
			}
			if doc == openapi.Common[member] {
				used[member]++
			}
		}
	}
	for name := range openapi.Components {
		if all[name] == nil {
			t.Errorf("%s is described and does not exist", name)
		}
	}
	for member := range openapi.Common {
		if used[member] < 2 {
			t.Errorf("%s is described for all and used %d times: comment on the fields", member, used[member])
		}
	}
}

func TestOpenAPIKnowsAllCommands(t *testing.T) {
	var kinds []string
	for _, c := range commandForms {
		kinds = append(kinds, c.kind)
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, app.CommandTypes()) {
		t.Errorf("%v is not %v", kinds, app.CommandTypes())
	}
}

// TestExamplesFit: what the document shows as a request is one.
func TestExamplesFit(t *testing.T) {
	each(func(path, method string, op map[string]any) {
		media := at(op, "requestBody", "content", "application/json")
		if media == nil || at(media, "example") == nil {
			return
		}
		pointer := fmt.Sprintf("/paths/%s/%s/requestBody/content/application~1json/schema", escape(path), method)
		if err := compile(t, pointer).Validate(at(media, "example")); err != nil {
			t.Errorf("%s %s: %v", method, path, err)
		}
	})
}

func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// strict is the document with no room for members that it does not name.
var strict = sync.OnceValue(func() *jsonschema.Compiler {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI()))
	if err != nil {
		panic(err)
	}
	for _, schema := range at(doc, "components", "schemas").(map[string]any) {
		s := schema.(map[string]any)
		if _, open := s["additionalProperties"]; !open && s["type"] == "object" {
			s["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("https://assent.test/openapi.json", doc); err != nil {
		panic(err)
	}
	return c
})

var compiling sync.Mutex

func compile(t testing.TB, pointer string) *jsonschema.Schema {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	s, err := strict().Compile("https://assent.test/openapi.json#" + pointer)
	if err != nil {
		t.Fatalf("%s: %v", pointer, err)
	}
	return s
}

// conforms checks an answer of any test against what the document promises:
// the status is listed, and the body has no member that is not.
func (a answer) conforms(op *operation) {
	a.Helper()
	status := fmt.Sprint(a.status)
	promised := at(parsed(), "paths", op.Path, strings.ToLower(op.Method), "responses", status)
	if promised == nil {
		a.Fatalf("%s %s: the document knows no %s: %s", op.Method, op.Path, status, a.body)
	}
	if len(a.body) == 0 {
		return
	}
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%s", escape(op.Path), strings.ToLower(op.Method), status)
	if ref, ok := at(promised, "$ref").(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
	}
	if at(deref(promised), "content", media) == nil && op.Media != "application/octet-stream" {
		a.Fatalf("%s %s: the document knows no %s", op.Method, op.Path, media)
	}
	if media != "application/json" && media != "application/problem+json" {
		return
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		a.Fatal(err)
	}
	if err := compile(a, pointer+"/content/"+escape(media)+"/schema").Validate(body); err != nil {
		raw, _ := json.Marshal(body)
		a.Fatalf("%s %s: %v\n%s", op.Method, op.Path, err, raw)
	}
}
