//go:build unix

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
)

const patience = 2 * time.Minute

// ran lets a shell script be a peer.
func ran(t *testing.T, script string, most time.Duration) (work.Report, error) {
	t.Helper()
	c := &comparison{dir: t.TempDir(), Sizes: quickSizes, limits: limits{run: most}}
	return c.run(t.Context(), command{args: []string{"sh", "-c", script}}, "sqlite")
}

func TestReportIsReadLineByLine(t *testing.T) {
	r, err := ran(t, `echo '{"version":"v1","runs_per_s":12}'; echo '{"decision_p50_ms":3}'`, patience)
	if want := (work.Report{Version: "v1", Runs: 12, DecisionP50: 3}); err != nil || r != want {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestPeersGetTheirSpec(t *testing.T) {
	const script = `case $PEER_SPEC in *'"store":"sqlite"'*'"at_once":8'*) echo '{"version":"found"}';; esac`
	r, err := ran(t, script, patience)
	if err != nil || r.Version != "found" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestFiguresBeforeAFailureCount(t *testing.T) {
	for script, reason := range map[string]string{
		`echo '{"runs_per_s":12}'; echo no such table >&2; exit 3`: "no such table",
		`echo '{"runs_per_s":12}'; echo surprise`:                  "surprise",
	} {
		r, err := ran(t, script, patience)
		if r.Runs != 12 || err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %+v, %v", script, r, err)
		}
	}
	for most := 300 * time.Millisecond; ; most *= 2 { // a busy machine may not get to the figure in time
		r, err := ran(t, `echo '{"runs_per_s":12}'; sleep 600`, most)
		if r.Runs == 0 && most < patience {
			continue
		}
		if r.Runs != 12 || err == nil || !strings.Contains(err.Error(), "stopped after "+most.String()) {
			t.Errorf("got %+v, %v", r, err)
		}
		break
	}
}

// A server that a peer leaves behind would be measured together with the next one.
func TestServersEndWithTheirPeer(t *testing.T) {
	out, err := command{args: []string{"sh", "-c", `sleep 60 >/dev/null 2>&1 & echo $!`}}.output(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := (command{args: []string{"kill", "-0", strings.TrimSpace(out)}}).output(t.Context()); err != nil {
			return
		}
	}
	t.Error("the process still runs")
}

func TestRatios(t *testing.T) {
	figures := func(runs, decision50, decision99, list50, list99 float64) work.Report {
		return work.Report{Runs: runs, DecisionP50: decision50, DecisionP99: decision99, ListP50: list50, ListP99: list99}
	}
	c := &comparison{Floor: floor{0.1, map[string]float64{"sqlite": 5000, "postgres": 2500}}, Rows: []row{
		{Peer: "Assent", Store: "sqlite", Report: figures(2000, 1, 2, 4, 5)},
		{Peer: "Assent", Store: "postgres", Report: figures(1000, 2, 3, 4, 5)},
		{Peer: "X", Store: "own", Report: figures(500, 25, 30, 2, 3)},
		{Peer: "Y", Store: "postgres", Report: work.Report{Runs: 500}, Missing: "stopped after 5m"},
	}}
	text := c.tables()
	for _, line := range []string{
		"| Assent | sqlite | 2000 | 1 | 0.4 | 1 / 2 ms | 1 | 10 | 4 / 5 ms | 1 |",
		"| X | own | 500 | 0.25 | 0.1 | 25 / 30 ms | 25 | 250 | 2 / 3 ms | 0.5 |",
		"| Y | postgres | 500 | 0.5 | 0.2 | – | – | – | – | – |",
		"Y on postgres: stopped after 5m",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

func TestChoice(t *testing.T) {
	chosen, err := choose("dbos")
	if err != nil || len(chosen) != 2 || chosen[0].name != baseline || chosen[1].name != "dbos" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if err := execute(context.Background(), []string{"-only", "no-such"}); err == nil {
		t.Error("an unknown peer was accepted")
	}
}
