package decide_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/scenario"
)

const factsFile = "testdata/facts.txt"

// shapes counts the facts of all scenarios by the fields they have, and keeps the first of each shape.
type shapes struct {
	count map[string]int
	first map[string]string
}

func (s *shapes) add(e run.Event) error {
	data, err := run.EncodeFact(e.Fact)
	if err != nil {
		return err
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	who := string(e.Actor.Kind)
	s.keep(e.Fact.Type()+" by "+who, strings.TrimSpace(e.Fact.Type()+" by "+who+" "+e.Actor.Name), doc, data)
	return nil
}

// owe adds effects.
func (s *shapes) owe(e run.Effect) error {
	data, err := value.Marshal(e.Do)
	if err != nil {
		return err
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", e.Do), "run.")
	s.keep(kind, fmt.Sprintf("owed: %s [%s]", kind, e.Key), doc, data)
	return nil
}

func (s *shapes) keep(kind, name string, doc any, data []byte) {
	members := map[string]bool{}
	membersOf(members, "", doc)
	key := kind + " " + strings.Join(slices.Sorted(maps.Keys(members)), " ")
	if s.count[key]++; s.count[key] == 1 {
		s.first[key] = name + " " + string(data)
	}
}

// payload are fields whose content comes from people or agents.
var payload = []string{
	"Answer", "Args", "ArgsSchema", "Entries", "State", "args", "args_schema", "changes", "content", "current", "data",
	"input", "input_schema", "output", "patch", "proposed",
	"sample", "schema", "show", "state", "steps", "value", "form", "shown",
}

// membersOf records which fields have a value, and the values of booleans.
func membersOf(out map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			if slices.Contains(payload, name) {
				out[path+"."+name] = true
				continue
			}
			membersOf(out, path+"."+name, m)
		}
	case []any:
		if len(v) > 0 {
			out[path+"[]"] = true
		}
	case bool:
		out[fmt.Sprintf("%s=%v", path, v)] = true
	case nil:
	default:
		if v != "" && v != 0.0 && v != "0001-01-01T00:00:00Z" {
			out[path] = true
		}
	}
}

// Every kind of fact and effect, in every shape it takes in the scenarios: how often, and one complete
// example. The scenarios omit most of that. -update rewrites the file; review the diff before committing it.
func TestFactsOfScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := &shapes{map[string]int{}, map[string]string{}}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenario.Read(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		w := scenario.NewWorld()
		w.Watch, w.Owes = all.add, all.owe
		if err := s.PlayIn(w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	var lines []string
	for key, n := range all.count {
		lines = append(lines, fmt.Sprintf("%s\n\t%d times", all.first[key], n))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(factsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(factsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	known := strings.Split(strings.TrimSpace(string(want)), "\n")
	now := strings.Split(strings.TrimSpace(got), "\n")
	for n := range max(len(known), len(now)) {
		if n >= len(known) || n >= len(now) || known[n] != now[n] {
			t.Fatalf("%s:%d is another fact now:\nwant %s\n got %s", factsFile, n+1, line(known, n), line(now, n))
		}
	}
}

func line(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return "nothing"
}
