package e2e

import (
	"bufio"
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// metrics reads the numbers of /metrics by their series.
func (s *server) metrics() map[string]float64 {
	s.t.Helper()
	out := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(s.call("GET", "/metrics", nil).want(200).body))
	for lines.Scan() {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			at := strings.LastIndexByte(line, ' ')
			n, err := strconv.ParseFloat(line[at+1:], 64)
			if err != nil {
				s.t.Errorf("%s: %v", line, err)
			}
			out[line[:at]] = n
		}
	}
	return out
}

// TestMetrics: figures of runs, approvals, decisions and cost are exported as they happen, and count no payload, person
// or id.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	before := s.metrics()
	if n, ok := before["assent_oldest_approval_seconds"]; !ok || n != 0 {
		t.Errorf("the oldest approval of an empty store has waited %v s", n)
	}
	id := s.run("refund", map[string]any{"amount": 5}, as(ann))
	ap := s.pending(id).text("id")
	s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
	s.settles(id, "completed")
	second := s.run("refund", map[string]any{"amount": 6}, as(ann))
	ap = s.pending(second).text("id")
	s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "reject", "version": 1, "comment": "no"},
		as(bob)).want(200)
	s.settles(second, "failed")

	got := s.metrics()
	for series, want := range map[string]float64{
		`assent_runs_total{workflow="refund",status="started"}`:                    2,
		`assent_runs_total{workflow="refund",status="completed"}`:                  1,
		`assent_runs_total{workflow="refund",status="failed"}`:                     1,
		`assent_decisions_total{act="approve",by="person"}`:                        1,
		`assent_decisions_total{act="reject",by="person"}`:                         1,
		`assent_approval_wait_seconds_count{workflow="refund",outcome="approved"}`: 1,
		`assent_approval_wait_seconds_count{workflow="refund",outcome="rejected"}`: 1,
		`assent_llm_tokens_total{agent="writer",direction="in"}`:                   20,
		`assent_llm_tokens_total{agent="writer",direction="out"}`:                  10,
		`assent_cost_usd_total{agent="writer"}`:                                    0.075,
		`assent_step_seconds_count{agent="writer",outcome="completed"}`:            2,
		`assent_step_seconds_count{agent="mailer",outcome="completed"}`:            1,
		`assent_leader`: 1,
	} {
		if got[series] != want {
			t.Errorf("%s is %v, not %v", series, got[series], want)
		}
	}
	if got[`assent_append_seconds_count`] < 4 {
		t.Errorf("only %v appends", got[`assent_append_seconds_count`])
	}
	for _, series := range slices.Sorted(maps.Keys(got)) {
		if regexp.MustCompile(`(run|apr)_[0-9a-z]{10}|"(ann|bob)"`).MatchString(series) {
			t.Errorf("%s names a run, an approval or a person", series)
		}
	}
}

// TestMetricsOfWhatIsOpen: pending approvals and open runs are counted when the metrics are read.
func TestMetricsOfWhatIsOpen(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	for i := range 3 {
		s.pending(s.run("refund", map[string]any{"amount": i}, as(ann)))
	}
	got := s.metrics() // the first time that it is counted
	pending := 0.0
	for series, n := range got {
		if strings.HasPrefix(series, `assent_approvals_pending{workflow="refund"`) {
			pending += n
		}
	}
	open, oldest := got[`assent_runs_open{workflow="refund",status="waiting"}`], got["assent_oldest_approval_seconds"]
	if pending != 3 || open != 3 || oldest <= 0 {
		t.Errorf("%v pending, %v open, the oldest for %v s", pending, open, oldest)
	}
}
