package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A probe is this very program in its own process, also under test.
func TestMain(m *testing.M) {
	if spec := os.Getenv(probeVariable); spec != "" {
		os.Exit(probeMain(spec))
	}
	if spec := os.Getenv(floodVariable); spec != "" {
		os.Exit(floodMain(spec))
	}
	os.Exit(m.Run())
}

// TestQuick measures everything at small sizes, to check that it works, not how fast.
func TestQuick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	var out bytes.Buffer
	if err := execute(t.Context(), []string{"-quick", "-json", path}, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Floor    floor     `json:"floor"`
		Measures []measure `json:"measures"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	if report.Floor.FsyncP50 <= 0 || report.Floor.Commits["sqlite"] <= 0 {
		t.Errorf("the floor is %+v", report.Floor)
	}
	for _, name := range topicNames() {
		if !slices.ContainsFunc(report.Measures, func(m measure) bool { return m.Topic == name }) {
			t.Errorf("nothing was measured about %s", name)
		}
	}
	for _, m := range report.Measures {
		if len(m.Figures) == 0 || (len(m.Budget) > 0) != (m.OK != nil) {
			t.Errorf("%s, %s: %+v", m.Topic, m.Name, m)
		}
		if !strings.Contains(out.String(), m.Name) {
			t.Errorf("%q is not in the table", m.Name)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-only", "no-such"}, {"stray"}, {"-no-such"}} {
		if err := execute(t.Context(), args, t.Output(), t.Output()); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestPercentilesAndBudgets(t *testing.T) {
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i)*time.Millisecond)
	}
	m := latencies("x", took)
	if m.Figures[p50] != 101 || m.Figures[p99] != 199 || m.Figures[worst] != 200 {
		t.Errorf("got %v", m.Figures)
	}
	for want, m := range map[string]measure{
		"yes": m.below(p50, 102).below(p99, 200),
		"NO":  m.below(p50, 102).below(p99, 199),
		"":    m,
	} {
		if got := m.judged().verdict(); got != want {
			t.Errorf("%s: got %q, want %q", m.budget(), got, want)
		}
	}
	if got := single("rate", "/s", 5000).atLeast(5000).judged(); !*got.OK {
		t.Error("a budget that is just reached is missed")
	}
	if got := latencies("none", nil).below(p99, 5).judged(); *got.OK {
		t.Error("what was not measured is fine")
	}
}
