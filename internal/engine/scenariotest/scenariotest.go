// Package scenariotest plays the scripts of internal/core/decide on real engines and stores. What agents, models,
// tools, searches and the agent in the loop answer comes from the script, and so does the time. After every command,
// the log of the run has to be the one that the state machine alone writes, byte for byte:
//
//	scenariotest.Run(t, "../../core/decide/testdata/scenario", 1, func(t testing.TB, home string,
//		configure func(*local.Config)) (port.Engine, scenariotest.Store) { … })
package scenariotest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/scenario"
)

// Store is the part of a store that results are read from.
type Store interface {
	Run(ctx context.Context, id string) (port.RunRow, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	io.Closer
}

// Open starts an engine on a home. Opening the same home again is a restart. Configure sets what an engine gets from
// the script; processes that do its work get the same.
type Open func(t testing.TB, home string, configure func(*local.Config)) (port.Engine, Store)

// Run plays the scripts of a directory: one in every so many, or all if SCENARIOS is all.
func Run(t *testing.T, dir string, every int, open Open) {
	if os.Getenv("SCENARIOS") == "all" {
		every = 1
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	known := map[string]bool{}
	for n, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		known[name] = true
		if n%every == 0 {
			t.Run(name, func(t *testing.T) { play(t, file, apart[name], open) })
		}
	}
	for name := range apart {
		if !known[name] {
			t.Errorf("there is no script %s", name)
		}
	}
}

// play plays a script, without the parts that engines cannot play.
func play(t *testing.T, file string, without []part, open Open) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	tools := s.Tools()
	if err := cut(s, without); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	h := newHost(t, open, tools)
	defer h.close()
	w := scenario.NewWorld()
	w.Host = h
	if err := s.PlayIn(w); err != nil {
		t.Errorf("%s: %v", file, err)
	}
}
