package plan

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seeds are the documents of testdata/problems.txt.
func seeds(tb testing.TB) (out [][]byte) {
	raw, err := os.ReadFile("testdata/problems.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for _, block := range strings.Split(string(raw), "\n# ")[1:] {
		_, rest, _ := strings.Cut(block, "\n")
		doc, _, _ := strings.Cut(rest, "----\n")
		def, err := read(doc)
		if err != nil {
			tb.Fatal(err)
		}
		seed, err := json.Marshal(document{def.Workflow, def.Agents, def.Workflows})
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, seed)
	}
	return out
}

// FuzzCompile: parsing, compiling and editing never panic, whatever the document.
func FuzzCompile(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { tryDocument(t, raw) })
}

// TestAnyDocument does the same with documents that are valid JSON: good ones with some values replaced.
func TestAnyDocument(t *testing.T) {
	all := seeds(t)
	var pool []any
	for _, raw := range all {
		var doc any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		pool = values(pool, doc)
	}
	rapid.Check(t, func(t *rapid.T) {
		var doc any
		_ = json.Unmarshal(rapid.SampledFrom(all).Draw(t, "document"), &doc)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			doc = replace(t, doc, pool)
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		tryDocument(t, raw)
	})
}

func values(pool []any, v any) []any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			pool = values(pool, v[k])
		}
	case []any:
		for _, x := range v {
			pool = values(pool, x)
		}
	}
	return append(pool, v)
}

// replace puts another value somewhere into v.
func replace(t *rapid.T, v any, pool []any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			k := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "key")
			out := maps.Clone(v)
			out[k] = replace(t, v[k], pool)
			return out
		}
	case []any:
		if len(v) > 0 {
			out := slices.Clone(v)
			i := rapid.IntRange(0, len(v)-1).Draw(t, "element")
			out[i] = replace(t, v[i], pool)
			return out
		}
	}
	return rapid.SampledFrom(pool).Draw(t, "value")
}

// tryDocument compiles a document. If it compiles, it must also compile after a round trip through JSON, and
// accept an edit.
func tryDocument(t rapid.TB, raw []byte) {
	var d document
	if err := Decode(raw, &d); err != nil {
		_ = err.Error()
		return
	}
	def := &Definition{Workflow: d.Workflow, Agents: d.Agents, Workflows: d.Workflows}
	p, problems := Compile(def)
	if p == nil {
		if len(problems) == 0 {
			t.Fatal("refused without a reason")
		}
		return
	}
	stored, err := json.Marshal(p.Definition)
	if err != nil {
		t.Fatal(err)
	}
	var back Definition
	if err := Decode(stored, &back); err != nil {
		t.Fatalf("%v\n%s", err, stored)
	}
	again, problems := Compile(&back)
	if again == nil || Digest(&back) != Digest(def) || len(again.Gates) != len(p.Gates) {
		t.Fatalf("the stored definition is another one: %v\n%s", problems, stored)
	}
	edit := []Step{{ID: "fuzz-new", Human: &Gate{}, NeededBy: []string{p.Nodes[0].Step.ID}}}
	next, steps, err := p.Inject(edit, nil, nil, nil)
	if err != nil || len(next.Nodes) != len(p.Nodes)+1 || len(steps) != 1 {
		t.Fatalf("injecting: %v", err)
	}
	if whole, problems := Compile(next.Definition); whole == nil {
		t.Fatalf("the definition that results is refused: %v", problems)
	}
}
