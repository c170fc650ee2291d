package importer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// printed reads one of the specifications' examples, under the name that the
// specification gives it if it gives one.
func printed(t testing.TB, file string) Source {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "printed", file))
	if err != nil {
		t.Fatal(err)
	}
	switch file {
	case "registry.json", "example_1.json":
		file = "claims_triage.json"
	}
	return Source{Name: file, Body: body}
}

// inCheckpoint puts a printed part of a checkpoint into one that has nothing
// but what it must have.
func inCheckpoint(t testing.TB, file, kind string) Source {
	t.Helper()
	part := strings.TrimSpace(string(printed(t, file).Body))
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(part, "{"), "}"))
	body := fmt.Sprintf(`{
  "checkpoint_id": "a_checkpoint",
  "checkpoint_type": %q,
  "trigger_point": "after_agent",
  "agent_id": "an_agent",
  "required_role": %q,
  %s
}
`, kind, roleFor(kind), inner)
	return Source{Name: file, Body: []byte(body)}
}

// mustImport imports without problems and loads the result as a server does.
func mustImport(t testing.TB, files ...Source) (Result, *definition.Set) {
	t.Helper()
	res, err := Import(files)
	if err != nil || len(res.Problems) > 0 {
		t.Fatalf("problems:\n%v\n%v", res.Problems, err)
	}
	return res, loadResult(t, res)
}

func loadResult(t testing.TB, res Result) *definition.Set {
	t.Helper()
	folder := fstest.MapFS{}
	for _, f := range res.Files {
		if folder[f.Name] != nil {
			t.Errorf("%s is written twice", f.Name)
		}
		folder[f.Name] = &fstest.MapFile{Data: f.Body}
	}
	set, problems := definition.Load(folder, ".")
	for _, p := range definition.Errors(append(problems, set.Check(nil)...)) {
		t.Errorf("the result does not load: %s", p)
	}
	if len(set.Files) != len(res.Files) {
		t.Errorf("%d of %d files were loaded", len(set.Files), len(res.Files))
	}
	return set
}

func TestPrintedFiles(t *testing.T) {
	all := func(files ...string) (out []Source) {
		for _, f := range files {
			out = append(out, printed(t, f))
		}
		return out
	}
	cases := map[string][]Source{
		"registry":   all("registry.json"),
		"governance": all("governance_policies.json"),
		"example_1":  all("example_1.json"),
		"example_2":  all("example_2.json"),
		"example_3":  all("example_3.json"),
		"example_4":  all("example_4.json"),
		"examples": all("example_1.json", "example_2.json", "example_3.json", "example_4.json",
			"governance_policies.json"),
		"registry_governed": all("governance_policies.json", "registry.json"),
		"checkpoint_rules":  all("checkpoint-rules.yaml"),
		"auto_approval":     all("auto_approval.yaml"),
		"policies":          all("checkpoint-rules.yaml", "auto_approval.yaml"),
		"everything": all("registry.json", "example_3.json", "example_4.json", "governance_policies.json",
			"checkpoint-rules.yaml", "auto_approval.yaml"),
		"part_condition": {inCheckpoint(t, "fragment_trigger_condition.json", "approval")},
		"part_timeout":   {inCheckpoint(t, "fragment_timeout_config.json", "escalation")},
		"part_approval":  {inCheckpoint(t, "fragment_ui_approval.json", "approval")},
		"part_decision":  {inCheckpoint(t, "fragment_ui_decision.json", "decision")},
		"part_input":     {inCheckpoint(t, "fragment_ui_input.json", "input")},
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			res, _ := mustImport(t, files...)
			golden(t, name, res)
			again, err := Import(files)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := shown(res), shown(again); !bytes.Equal(a, b) {
				t.Error("the second import differs from the first")
			}
			everyKeyIsReported(t, files, res)
		})
	}
}

// golden compares a result with the one that is kept.
func golden(t *testing.T, name string, res Result) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	got := shown(res)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./internal/importer -update writes it anew); got\n%s", file, got)
	}
}

func shown(res Result) []byte {
	var b bytes.Buffer
	for _, p := range res.Problems {
		fmt.Fprintln(&b, p)
	}
	for _, f := range res.Files {
		fmt.Fprintf(&b, "==== %s\n%s", f.Name, f.Body)
	}
	b.WriteString("==== report\n")
	for _, m := range res.Report {
		fmt.Fprintln(&b, m)
	}
	return b.Bytes()
}

// everyKeyIsReported: each key of a source has a line in the report, stands
// inside of something that has been dropped, or holds nothing but others. Rules
// are read by the loader, which refuses what it does not know.
func everyKeyIsReported(t *testing.T, files []Source, res Result) {
	t.Helper()
	told := map[string]Level{}
	for _, m := range res.Report {
		at := fmt.Sprintf("%s:%d:%d", m.File, m.Line, m.Column)
		if told[at] != Dropped {
			told[at] = m.Level
		}
	}
	for _, f := range files {
		docs, _ := tree.NewSource(f.Name, f.Body).Read(formatOf(f))
		var each func(n *tree.Node, path string)
		each = func(n *tree.Node, path string) {
			for _, m := range n.Members {
				level, known := told[fmt.Sprintf("%s:%d:%d", f.Name, m.Pos.Line, m.Pos.Column)]
				nothing := m.Value.Kind == tree.Null || m.Value.Kind >= tree.List && len(m.Value.Members)+len(m.Value.Items) == 0
				holds := m.Value.Kind == tree.Map ||
					m.Value.Kind == tree.List && m.Value.Items != nil && m.Value.Items[0].Kind == tree.Map
				if !known && !nothing && !holds {
					t.Errorf("%s:%d:%d: %s.%s is not in the report", f.Name, m.Pos.Line, m.Pos.Column, path, m.Key)
				}
				if level != Dropped && m.Key != "output_schema" {
					each(m.Value, path+"."+m.Key)
				}
			}
			for i, item := range n.Items {
				each(item, fmt.Sprintf("%s[%d]", path, i))
			}
		}
		for _, d := range docs {
			if d.Root.Get("checkpoints") == nil && d.Root.Get("rules") == nil && d.Root.Get("auto_approval") == nil {
				each(d.Root, "")
			}
		}
	}
}

// TestPrintedRunTime: what the specification prints of running systems is told
// apart from configuration, and so are parts without a checkpoint.
func TestPrintedRunTime(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"an event", `{"event_type": "checkpoint_created", "session_id": "sess_abc123", "workflow_id": "claims_triage", "checkpoint_id": "fraud_review"}`, "what happened in a run"},
		{"a list of checkpoints", `{"checkpoints": [{"checkpoint_instance_id": "cp_abc123", "checkpoint_id": "fraud_review"}], "total_count": 1}`, "what happened in a run"},
		{"an execution", `{"execution_id": "exec-1", "workflow_id": "wf"}`, "what happened in a run"},
		{"a resolution", `{"action": "confirm_fraud", "user_id": "john.doe@example.com"}`, "unknown kind of document"},
		{"a part", string(printed(t, "fragment_ui_input.json").Body), "part of a checkpoint"},
		{"ours", `{"workflow": "refund", "steps": []}`, "already an Assent document"},
		{"nothing", ` `, "empty"},
		{"a text", `"hello"`, "this is a text"},
	}
	for _, c := range cases {
		res, err := Import([]Source{{Name: "a.json", Body: []byte(c.body)}})
		if err == nil || len(res.Files) > 0 || len(res.Problems) != 1 || !strings.Contains(res.Problems[0].Message, c.want) {
			t.Errorf("%s: %v %v", c.name, res.Problems, err)
		}
	}
}
