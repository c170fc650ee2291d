package importer

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/assent-run/assent/internal/definition/tree"
)

// soundImport: there are problems, or a result that loads; and the same again
// the second time.
func soundImport(t *testing.T, files []Source) (imported bool) {
	t.Helper()
	res, err := Import(files)
	if (err == nil) != (len(res.Problems) == 0) || err != nil && len(res.Files) > 0 {
		t.Fatalf("%v and %v", err, res.Problems)
	}
	again, _ := Import(files)
	if !bytes.Equal(shown(res), shown(again)) {
		t.Errorf("the second import differs from the first:\n%s\n----\n%s", shown(res), shown(again))
	}
	if err != nil {
		return false
	}
	loadResult(t, res)
	everyKeyIsReported(t, files, res)
	for _, m := range res.Report {
		if m.File == "" || m.Line < 1 || m.Column < 1 {
			t.Errorf("nobody finds %+v", m)
		}
	}
	return true
}

// odds are values that may stand anywhere in a broken file.
var odds = []string{
	`null`, `true`, `false`, `0`, `-1`, `1e400`, `0.5`, `99999999999999999999`, `""`, `"x"`, `"a b"`, `"input"`, `"*"`,
	`"role:"`, `"ü\u0000\n"`, `[]`, `{}`, `["approve", 1]`,
	`{"value": "a"}`, `[{"value": "a"}, "a"]`, `"escalate"`, `"proceed_with_default"`, `"decision"`, `"input_based"`,
	`"before_completion"`, `"after_agent"`, `"a > 1 and (b"`, `"confidence > 0.3"`,
}

// TestMutations changes values and keys of the printed files at random, which
// reaches further than changing bytes.
func TestMutations(t *testing.T) {
	sources := []Source{
		printed(t, "registry.json"), printed(t, "example_1.json"), printed(t, "example_3.json"),
		printed(t, "example_4.json"), printed(t, "governance_policies.json"),
		printed(t, "checkpoint-rules.yaml"), printed(t, "auto_approval.yaml"),
		checkpointWith("input", `"ui_schema": {"editable_fields": ["n"], "validation_rules": {"n": {"type": "number", "min": 0, "pattern": "x", "required": true, "enum": [1]}}}`),
		checkpointWith("escalation", `"escalation": {"enabled": true, "after_seconds": 3, "escalate_to": ["a@b"]}, "timeout_config": {"enabled": true, "timeout_seconds": 3, "on_timeout": "escalate", "default": "a"}`),
		{"agents.yaml", []byte(`{workflow_id: w, agents: [a, {agent_id: b, order: 1, input_mapping: {x: y}, max_retries: 2, output_schema: {type: object}, timeout_seconds: 3}]}`)},
	}
	imported, all := 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		src := sources[r.IntN(len(sources))]
		docs, problems := tree.NewSource(src.Name, src.Body).Read(formatOf(src))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for range 1 + r.IntN(3) {
			mutate(r, docs[0].Root)
		}
		all++
		if soundImport(t, []Source{{Name: "m.json", Body: docs[0].Root.JSON()}, printed(t, "governance_policies.json")}) {
			imported++
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, docs[0].Root.JSON())
		}
	}
	if imported < all/10 || imported > all*9/10 {
		t.Errorf("%d of %d were imported", imported, all)
	}
}

func odd(r *rand.Rand) *tree.Node { return read([]byte(odds[r.IntN(len(odds))])) }

func read(raw []byte) *tree.Node {
	docs, _ := tree.NewSource("odd", append(append([]byte(`{"x": `), raw...), '}')).Read(tree.JSON)
	return docs[0].Root.Get("x")
}

// mutate replaces, removes or renames one value below n.
func mutate(r *rand.Rand, n *tree.Node) {
	for {
		switch {
		case n.Kind == tree.Map && len(n.Members) > 0:
			i := r.IntN(len(n.Members))
			m := &n.Members[i]
			if m.Value.Kind >= tree.List && r.IntN(4) > 0 {
				n = m.Value
				continue
			}
			switch r.IntN(6) {
			case 0:
				n.Members = append(n.Members[:i], n.Members[i+1:]...)
			case 1:
				m.Key = odd(r).Text + "k"
			default:
				m.Value = odd(r)
			}
		case n.Kind == tree.List && len(n.Items) > 0:
			i := r.IntN(len(n.Items))
			if n.Items[i].Kind >= tree.List && r.IntN(4) > 0 {
				n = n.Items[i]
				continue
			}
			if r.IntN(3) == 0 {
				n.Items = append(n.Items, read(n.Items[i].JSON()))
			} else {
				n.Items[i] = odd(r)
			}
		}
		return
	}
}

func FuzzImport(f *testing.F) {
	for _, name := range []string{"registry.json", "example_1.json", "example_2.json", "example_3.json", "example_4.json",
		"governance_policies.json", "checkpoint-rules.yaml", "auto_approval.yaml"} {
		s := printed(f, name)
		f.Add(s.Name, s.Body, []byte(`{"hitl_access_control": {"roles": [{"role_id": "reviewer"}]}}`))
	}
	f.Add("w.yaml", []byte("workflow_id: w\nagents: [a, { agent_id: b, order: 1, input_mapping: { x: y }, max_retries: "+
		"2, output_schema: {} }]"), []byte("checkpoint_id: c"))
	f.Add("w.json", checkpointWith("input",
		`"ui_schema": {"editable_fields": ["n"], "validation_rules": {"n": {"type": "number", "min": 0}}}`).Body,
		[]byte("rules: []"))
	f.Add("w.json", checkpointWith("approval",
		`"trigger_condition": {"type": "input_based", "condition": "a.b > 1 and c contains 'x'"}, "escalation": {"after_seconds": 3, "escalate_to": ["a@b"]}`).Body, []byte("rules: []"))
	f.Fuzz(func(t *testing.T, name string, body, other []byte) {
		files := []Source{{name, body}, {"other.yaml", other}}
		soundImport(t, files)
	})
}
