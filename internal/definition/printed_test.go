package definition

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// The documents that the contract, the design and specification 000 print, as they are.
var printed = []string{"api.yaml", "design.yaml", "seed_000_checkpoint_rules.yaml", "seed_000_auto_approval.yaml"}

func loadPrinted(t *testing.T, name string) *Set {
	t.Helper()
	set, problems := Load(os.DirFS("testdata/printed"), name)
	for _, p := range problems {
		t.Error(p)
	}
	return set
}

func TestPrintedDocuments(t *testing.T) {
	counts := map[string]int{"api.yaml": 8, "design.yaml": 1, "seed_000_checkpoint_rules.yaml": 1,
		"seed_000_auto_approval.yaml": 1}
	for _, name := range printed {
		t.Run(name, func(t *testing.T) {
			set := loadPrinted(t, name)
			if n := len(set.Documents()); n != counts[name] {
				t.Errorf("%d documents", n)
			}
			sameAgain(t, set)
		})
	}
}

// TestPrintedDocumentsFit: the specifications' policies compile, and of the others only
// what the print leaves out is missing.
func TestPrintedDocumentsFit(t *testing.T) {
	want := map[string]string{
		"api.yaml": `api.yaml:8:19: loops.agent.agent: unknown agent "planner"
api.yaml:14:13: steps[0].needs[0]: unknown step "draft"
api.yaml:15:9: steps[0].if: "draft" is neither input nor context nor a step
api.yaml:16:36: steps[0].with.body: "draft" is neither input nor context nor a step
api.yaml:17:11: steps[0].each: "draft" is neither input nor context nor a step
`,
		"design.yaml": `design.yaml:5:12: steps[0].agent: unknown agent "intake_agent"
design.yaml:7:12: steps[1].agent: unknown agent "fraud_agent"
design.yaml:11:12: steps[2].agent: unknown agent "settlement_agent"
`,
	}
	for _, name := range printed {
		set := loadPrinted(t, name)
		var got strings.Builder
		for _, p := range set.Check(known()) {
			got.WriteString(p.String() + "\n")
		}
		if got.String() != want[name] {
			t.Errorf("%s: got\n%s", name, got.String())
		}
	}
}

func TestPrintedDocumentsMatchTheirSchemas(t *testing.T) {
	for _, name := range printed {
		src, err := os.ReadFile("testdata/printed/" + name)
		if err != nil {
			t.Fatal(err)
		}
		docs, problems := tree.NewSource(name, src).Read(YAML)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, d := range docs {
			k, _ := kindOf(d.Root)
			for _, which := range []string{string(k), ""} {
				s, err := schema.Compile(Schema(which))
				if err != nil {
					t.Fatalf("schema %q: %v", which, err)
				}
				for _, p := range s.Validate(d.Root.JSON()) {
					t.Errorf("%s, %s, schema %q: %s", name, k, which, p)
				}
			}
		}
	}
}

// sameAgain writes every document in all ways and reads it again.
func sameAgain(t interface {
	Helper()
	Fatalf(string, ...any)
}, set *Set) {
	t.Helper()
	for _, d := range set.Documents() {
		want := d.JSONWithSecrets()
		for f, text := range map[Format][]byte{YAML: d.YAMLWithSecrets(), JSON: want} {
			again, problems := ParseDocument(f, text)
			if again == nil {
				t.Fatalf("%s\n%v", text, problems)
			}
			if got := again.JSONWithSecrets(); string(got) != string(want) {
				t.Fatalf("%s\n got %s\nwant %s", text, got, want)
			}
			if string(again.YAMLWithSecrets()) != string(d.YAMLWithSecrets()) {
				t.Fatalf("the second export differs:\n%s\n%s", d.YAMLWithSecrets(), again.YAMLWithSecrets())
			}
		}
	}
	whole, problems := Parse("export.yaml", set.YAMLWithSecrets())
	if len(Errors(problems)) > 0 {
		t.Fatalf("%v", problems)
	}
	if string(whole.YAMLWithSecrets()) != string(set.YAMLWithSecrets()) {
		t.Fatalf("the whole differs")
	}
}

// TestFidelity: numbers and the order of keys survive reading and writing.
func TestFidelity(t *testing.T) {
	const payload = `{"z":0.10,"a":9007199254740993,"m":1E300,"d":123456789.123456789123456789,"n":-0,"l":[1.0,null,{}],"t":"no"}`
	src := "agent: a\nkind: scripted\nsample: {z: 0.10, a: 9007199254740993, m: 1E300, d: " +
		"123456789.123456789123456789, n: -0, l: [1.0, null, {}], t: no}\n" +
		"output:\n  type: object\n  properties:\n    z: {type: number}\n    a: {type: integer}\nanswers:\n  - output:\n   " +
		"   z: 0.10\n      a: 9007199254740993\n      m: 1E300\n" +
		"      d: 123456789.123456789123456789\n      n: -0\n      l: [1.0, null, {}]\n      t: no\n"
	set, problems := Parse("a.yaml", []byte(src))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a := set.Agents["a"]
	if string(a.Sample) != payload || string(a.Scripted.Answers[0].Output) != payload {
		t.Errorf("got %s and %s", a.Sample, a.Scripted.Answers[0].Output)
	}
	if order, _ := value.Get(a.Output, "properties"); string(order) != `{"z":{"type":"number"},"a":{"type":"integer"}}` {
		t.Errorf("got %s", order)
	}
	sameAgain(t, set)
}
