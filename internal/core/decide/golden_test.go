package decide_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Logs are permanent. testdata/golden contains logs as releases wrote them, one directory per release; this
// release has to fold them all to the same result.
var writeGolden = flag.String("write-golden", "", "write logs of this release into testdata/golden/NAME")

// golden is the expected result of folding a log, independent of the snapshot format.
type golden struct {
	Status  run.Status                `json:"status"`
	Steps   map[string]run.StepStatus `json:"steps"`
	Output  json.RawMessage           `json:"output,omitempty"`
	Pending []string                  `json:"pending,omitempty"`
	Owed    []string                  `json:"owed,omitempty"`
	Usage   run.Usage                 `json:"usage"`
}

func meaning(s *machine.State) golden {
	g := golden{Status: s.Status, Steps: map[string]run.StepStatus{}, Output: s.Output, Usage: s.Usage}
	for i, st := range s.Steps {
		g.Steps[s.Plan().Nodes[i].Step.ID] = st.Status
	}
	for _, a := range s.Pending() {
		g.Pending = append(g.Pending, fmt.Sprintf("%s %s %s", a.ID, a.Kind, a.Title))
	}
	for _, e := range s.Effects() {
		g.Owed = append(g.Owed, fmt.Sprintf("%T %s", e.Do, e.Key))
	}
	return g
}

func TestGoldenLogsFold(t *testing.T) {
	if *writeGolden != "" {
		writeGoldenLogs(t, filepath.Join("testdata/golden", *writeGolden))
	}
	files, err := filepath.Glob("testdata/golden/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden logs: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimPrefix(name, "testdata/golden/"), func(t *testing.T) { foldGolden(t, name) })
	}
}

func foldGolden(t *testing.T, name string) {
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 64<<20)
	lines.Scan()
	var def plan.Definition
	if err := json.Unmarshal(lines.Bytes(), &def); err != nil {
		t.Fatal(err)
	}
	p, problems := plan.Compile(&def)
	if p == nil {
		t.Fatal(problems)
	}
	lines.Scan()
	want := bytes.Clone(lines.Bytes())
	var log []run.Event
	for lines.Scan() {
		var e run.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	got, err := value.Marshal(meaning(machine.Fold(log[0].Run, p, log)))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the log means something else now (%v):\n got %s\nwant %s", err, got, want)
	}
}

// writeGoldenLogs keeps one long walk per definition.
func writeGoldenLogs(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range walkPlans {
		var best *walk
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			first := true
			w := newWalk(t, func(k int) int {
				if first {
					first = false
					return n
				}
				return r.IntN(k)
			})
			for range 80 {
				w.step()
			}
			if best == nil || len(w.log) > len(best.log) {
				best = w
			}
		}
		var b bytes.Buffer
		for _, v := range []any{best.plan.Definition, meaning(best.s)} {
			line, err := value.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		for _, e := range best.log {
			line, err := value.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.jsonl", n)), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
