// Package newstest has messages about runs, and some about approvals, for tests of how channels draw them.
package newstest

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/view"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Story is a message, by a name for people.
type Story struct {
	Name string
	notify.Message
}

// Stories are messages as they are composed.
func Stories() (out []Story) {
	began := time.Date(2026, 11, 18, 14, 32, 3, 0, time.UTC)
	two := 1
	failed := &run.RunFailed{Error: run.Failure{Code: "unreachable", Step: "check_database", Agent: "database_query",
		Message: "connection timeout to SQL Server (10.0.0.50:1433)", StepIndex: 2, StepCount: 5, Try: 3}}
	strange := &run.RunFailed{Error: run.Failure{Code: "failed", Step: "write", Agent: "writer", Index: &two,
		Message: "<b>\u202egnp.exe</b>\r\nBcc: eve@example.com ```*hi* <!channel> " + strings.Repeat("ü ", 200)}}
	all := notify.News{Subject: "Check of server db-7", Status: run.Failed, Done: 1, All: 5, StartedAt: began,
		CostUSD: "0.42"}
	for _, s := range []struct {
		name   string
		event  notify.Event
		fact   run.Fact
		status run.Status
		by     string
	}{
		{"completed", notify.RunCompleted, &run.RunCompleted{}, run.Completed, ""},
		{"failed", notify.RunFailed, failed, run.Failed, ""},
		{"failed, resumed since", notify.RunFailed, failed, run.Running, ""},
		{"failed with a strange error", notify.RunFailed, strange, run.Failed, ""},
		{"failed without a step", notify.RunFailed, &run.RunFailed{Error: run.Failure{Code: "timeout",
			Message: "the run took longer than 10m of working time"}}, run.Failed, ""},
		{"failed without words", notify.RunFailed, &run.RunFailed{}, run.Failed, ""},
		{"rejected", notify.RunFailed, &run.RunFailed{Error: run.Failure{Code: "rejected", Step: "check_database",
			Message: "ann rejected: not on a Friday"}}, run.Failed, ""},
		{"failed in a sub-run", notify.RunFailed, &run.RunFailed{Error: run.Failure{Code: "child_failed", Step: "refund",
			Message: "the account is closed", Child: &run.ChildFailure{Run: "run_2"}, StepIndex: 3, StepCount: 5}},
			run.Failed, ""},
		{"stopped at a limit", notify.RunFailed, &run.RunLimitReached{Step: "study", Agent: "researcher",
			Limit: run.LimitCost, Current: 5_000_000_000, Max: 5_000_000_000}, run.LimitReached, ""},
		{"paused by a person", notify.RunPaused, &run.RunPaused{Reason: "wait for the new prices"}, run.Paused, "ann"},
		{"paused without a reason", notify.RunPaused, &run.RunPaused{}, run.Paused, "ann"},
		{"paused by the program", notify.RunPaused,
			&run.RunPaused{Reason: "the agent in the loop gave no usable answer: no answer in time"}, run.Paused, ""},
		{"paused, resumed since", notify.RunPaused, &run.RunPaused{}, run.Completed, "ann"},
		{"deliverable", notify.DeliverableCreated, &run.DeliverableCreated{Step: "write", Agent: "writer",
			Deliverable: run.Deliverable{ID: "dlv_1", Name: "report.md", Type: "document",
				Description: "Results of all checks, with what to do about them."}}, run.Running, ""},
		{"new version", notify.DeliverableCreated, &run.DeliverableCreated{Step: "write",
			Deliverable: run.Deliverable{Name: "report.md", Update: true}}, run.Running, ""},
		{"close to a limit", notify.LimitWarning, &run.LimitWarning{Step: "study", Agent: "researcher",
			Limit: run.LimitDuration, Current: int64(48 * time.Minute), Max: int64(time.Hour), Percentage: 80},
			run.Running, ""},
		{"close to a limit, of an earlier release", notify.LimitWarning, &run.LimitWarning{Step: "study",
			Limit: run.LimitIterations}, run.Running, ""},
	} {
		n := all
		n.Fact, n.Status = s.fact, s.status
		if s.by != "" {
			n.By = run.Actor{Kind: run.Person, Name: s.by}
		}
		out = append(out, Story{s.name, notify.ComposeNews(n, notify.Message{Key: "dlv_1", Event: s.event,
			At: began.Add(12500 * time.Millisecond), Thread: "run_1", Run: "run_1", Workflow: "server_health",
			Open: "https://assent.example.com/runs/run_1"}, time.UTC)})
	}
	return append(out, approvals(began)...)
}

// approvals are messages about approvals that lead on from one: with links, and after a pause.
func approvals(began time.Time) []Story {
	v := view.Approval{ID: "apr_1", Run: "run_1", Workflow: "refunds", Version: 1, Kind: gate.KindApproval,
		Title: "Refund 35.00 USD to Ann", Agent: "refund_writer", RequestedAt: began, Requester: "eve",
		Proposed: []byte(`{"amount":"35.00","to":"ann@example.com"}`), Acts: []gate.Act{gate.Approve, gate.Reject}}
	s := notify.Sheet{Key: "dlv_1", At: began.Add(72 * time.Hour), Edits: true, Whole: true,
		Room: notify.Room{Acts: true, Details: 3000}, Link: "https://assent.example.com/approvals/apr_1"}
	waits, open := s, v
	waits.Event, waits.Paused, open.Status = notify.ApprovalTimedOut, true, gate.Pending
	ruled, settled := s, v
	ruled.Event, ruled.Rule = notify.ApprovalAutoApproved, "https://assent.example.com/policy?disable=Small+refunds"
	settled.Status, settled.Acts = gate.AutoApproved, nil
	settled.Risk.Level, settled.Action.Operation = risk.Low, "financial_transaction"
	settled.Outcome = &view.Outcome{Outcome: gate.Outcome{Status: gate.AutoApproved}}
	settled.Rule = &gate.Rule{Name: "Small refunds", Reason: `Rule "Small refunds" approves: risk is low, ` +
		`operation is financial_transaction, amount 35.00 is at most 50, confidence 0.92 is at least 0.9.`}
	asked, due := s, began.Add(80*time.Hour)
	asked.Event = notify.ApprovalNeeded
	arabic, hebrew := open, open
	arabic.DeadlineAt, hebrew.DeadlineAt = &due, &due
	arabic.Title, arabic.Description = "استرداد 35.00 USD إلى Ann", "وصل الطرد تالفًا في 12 نوفمبر."
	hebrew.Title, hebrew.Description = "החזר 35.00 USD ל-Ann", "החבילה הגיעה פגומה ב-12 בנובמבר."
	return []Story{{"waits for days, run paused", notify.Compose(open, waits)},
		{"approved by a rule", notify.Compose(settled, ruled)},
		{"in Arabic, with a deadline", notify.Compose(arabic, asked)},
		{"in Hebrew, with a deadline", notify.Compose(hebrew, asked)}}
}

// Golden compares what a channel makes of the stories with testdata/news.txt, which -update rewrites.
func Golden(t *testing.T, draw func(notify.Message) string) {
	t.Helper()
	var b strings.Builder
	for _, s := range Stories() {
		b.WriteString("== " + s.Name + "\n" + strings.TrimRight(draw(s.Message), "\n") + "\n\n")
	}
	const file = "testdata/news.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(lines), len(wanted)) {
		var is, should string
		if i < len(lines) {
			is = lines[i]
		}
		if i < len(wanted) {
			should = wanted[i]
		}
		if is != should {
			t.Fatalf("%s:%d (rewrite it with -update)\nis     %s\nshould %s", file, i+1, is, should)
		}
	}
}
