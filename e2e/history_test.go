package e2e

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/sim/audit"
)

// history is what a run's log says about its turns and calls.
type history struct {
	lines     [][]byte
	completed map[int]time.Time    // turn → when its answer was recorded
	settled   map[string]time.Time // call → when its result was recorded
	failed    map[string]bool      // calls without a result
	begun     []begun
	types     []string // of all events
	limit     string   // that was reached
}

// begun is an attempt at a turn or a call.
type begun struct {
	kind   string
	n, try int
	seq    int64
	at     time.Time
}

func readLog(t testing.TB, lines [][]byte) *history {
	t.Helper()
	h := &history{lines: lines, completed: map[int]time.Time{}, settled: map[string]time.Time{}, failed: map[string]bool{}}
	newest := 0
	for _, line := range lines {
		var e struct {
			Seq  int64
			At   time.Time
			Type string
			Data struct {
				Turn    json.RawMessage
				Try, No int
				ID      string
				Limit   string
				Result  struct{ Error string }
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		h.types = append(h.types, e.Type)
		switch e.Type {
		case "run.limit_reached":
			h.limit = e.Data.Limit
		case "turn.started":
			newest, _ = strconv.Atoi(string(e.Data.Turn))
			h.begun = append(h.begun, begun{"turn", newest, e.Data.Try, e.Seq, e.At})
		case "turn.completed":
			if _, had := h.completed[newest]; had {
				t.Errorf("turn %d is recorded twice", newest)
			}
			h.completed[newest] = e.At
		case "call.started":
			h.begun = append(h.begun, begun{"call", e.Data.No, e.Data.Try, e.Seq, e.At})
		case "call.completed":
			h.settled[e.Data.ID], h.failed[e.Data.ID] = e.At, e.Data.Result.Error != ""
		}
	}
	return h
}

// started finds the attempt that a request belonged to: the newest that had begun.
func (h *history) started(kind string, n int, at time.Time) (begun, bool) {
	var out begun
	for _, b := range h.begun {
		if b.kind == kind && b.n == n && !b.at.After(at) {
			out = b
		}
	}
	return out, out.seq > 0
}

// start is a request as the auditor knows it.
func (h *history) start(t testing.TB, kind, key string, at time.Time, content json.RawMessage) (audit.Start, bool) {
	t.Helper()
	run, rest, _ := strings.Cut(key, "/")
	step, number, _ := strings.Cut(strings.TrimPrefix(rest, kind+"/"), "#")
	first, second, _ := strings.Cut(number, ".")
	rev, _ := strconv.Atoi(first)
	n, err := strconv.Atoi(second)
	b, ok := h.started(kind, n, at)
	if err != nil || !ok {
		t.Errorf("%s was asked for and is not in the log", key)
		return audit.Start{}, false
	}
	return audit.Start{Run: run, Seq: b.seq, Kind: kind, Work: key, Step: step, Index: -1, Rev: rev, N: n, Try: b.try,
		Content: content}, true
}

func (h *history) turnStarts(t testing.TB, m *model) (out []audit.Start) {
	t.Helper()
	for _, q := range m.questions() {
		if s, ok := h.start(t, "turn", q.key, q.at, json.RawMessage(q.body)); ok {
			out = append(out, s)
		}
	}
	return out
}

func (h *history) callStarts(t testing.TB, s *toolServer) (out []audit.Start) {
	t.Helper()
	for _, c := range s.calls {
		if start, ok := h.start(t, "call", c.key, c.at, c.args); ok {
			out = append(out, start)
		}
	}
	return out
}
