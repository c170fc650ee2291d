package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
	"github.com/charmbracelet/x/ansi"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // otherwise golden files would depend on the time zone
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "rewrite the golden files")

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) *time.Time {
	t := began.Add(d)
	return &t
}

// desk is a server with one run.
type desk struct {
	run       view.Run
	approvals map[string]view.Approval
	preview   app.ChangeView
	decisions []app.Decision
	err       error
	refuse    error // the response to decisions
}

func (d *desk) RunBriefly(context.Context, string) (view.Run, error) { return d.run, d.err }

func (d *desk) Approval(_ context.Context, id string) (view.Approval, error) {
	return d.approvals[id], d.err
}

func (d *desk) PreviewChanges(context.Context, string, json.RawMessage) (app.ChangeView, error) {
	return d.preview, d.err
}

func (d *desk) Decide(_ context.Context, id string, x app.Decision) (view.Approval, error) {
	d.decisions = append(d.decisions, x)
	return d.approvals[id], errors.Join(d.err, d.refuse)
}

func (d *desk) Follow(ctx context.Context, _ client.Follow) error {
	<-ctx.Done()
	return ctx.Err()
}

func done(ms int64) *int64 { return &ms }

func testRun(status run.Status) view.Run {
	return view.Run{
		ID: "run_01", Workflow: "ticket-triage", Version: 3, Status: status, StartedAt: began, Seq: 7,
		Progress: view.Progress{Done: 2, Total: 6, Percent: 33},
		Usage:    view.Usage{LLMCalls: 2, TokensIn: 900, TokensOut: 350, CostUSD: "0.0375"},
		Steps: []view.Step{
			{ID: "classify", Kind: "agent", Agent: "ticket_classifier", Status: run.DoneStep, StartedAt: at(0),
				EndedAt: at(time.Second), DurationMS: done(1000)},
			{ID: "similar", Kind: "agent", Agent: "ticket_search", Layer: 1, Status: run.DoneStep, DurationMS: done(412)},
			{ID: "device", Kind: "agent", Agent: "device_check", Layer: 1, Status: run.RunningStep,
				StartedAt: at(time.Second), Try: 2},
			{ID: "pages", Kind: "agent", Agent: "reader", Layer: 1, Status: run.RunningStep, StartedAt: at(time.Second),
				Elements: &view.Elements{Total: 9, Done: 4, Running: 3}},
			{ID: "act", Kind: "human", Layer: 2, Status: run.WaitingStep},
			{ID: "notify", Kind: "workflow", Workflow: "tell", Layer: 3, Status: run.PendingStep},
		},
	}
}

func testApproval() view.Approval {
	sure := 0.62
	return view.Approval{
		ID: "apr_01", Run: "run_01", Workflow: "ticket-triage", Step: "act", Kind: gate.KindApproval,
		Reason: gate.ReasonRule, Status: gate.Pending, Version: 2,
		Title: "Delete this account", Description: "This cannot be undone.",
		Risk: gate.Risk{Level: "high", Reasons: []string{"it deletes data"}}, Confidence: &sure,
		Reasoning: "The person has left; the account has not been used for months.",
		Rule:      &gate.Rule{Name: "Deletions", Reason: "operation is delete"},
		Proposed:  json.RawMessage(`{"account":"u-0925","count":1,"why":"gone"}`),
		Show:      json.RawMessage(`{"account.status":"active"}`),
		Role:      "it_lead", Requester: "eve",
		Quorum:      gate.Quorum{Needed: 2, Given: 1, ByRole: map[string]int{"security": 1}},
		Decisions:   []gate.Decision{{By: "ann", Act: gate.Approve, Comment: "checked", At: began}},
		Acts:        []gate.Act{gate.Approve, gate.Modify, gate.Reject, gate.Delegate},
		RequestedAt: began, DeadlineAt: at(5 * time.Minute), OnTimeout: gate.ThenReject, IfDenied: "The step is left out.",
	}
}

func newModel(d *desk, width, height int) *Model {
	m := New(context.Background(), Options{Server: d, Run: d.run, Theme: show.Plain(),
		Now: func() time.Time { return began.Add(2500 * time.Millisecond) }, Editor: "true"})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

// feed executes a model's commands, and those that follow.
func feed(m *Model, cmd tea.Cmd) {
	for cmd != nil {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				feed(m, c)
			}
			return
		}
		if _, ticks := msg.(tickMsg); ticks || msg == nil {
			return
		}
		_, cmd = m.Update(msg)
	}
}

func waiting() *desk {
	r := testRun(run.Waiting)
	r.PendingApprovals = []string{"apr_01"}
	return &desk{run: r, approvals: map[string]view.Approval{"apr_01": testApproval()}}
}

func press(m *Model, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		}
		m.shownAt = m.shownAt.Add(-glance) // a test is faster than any user
		_, cmd := m.Update(msg)
		feed(m, cmd)
	}
}

func golden(t *testing.T, name string, lines []string, width int) {
	t.Helper()
	for _, line := range lines {
		if ansi.StringWidth(line) > width {
			t.Errorf("wider than %d: %q", width, line)
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it anew):\n%s", path, got)
	}
}

func TestScreens(t *testing.T) {
	for _, width := range []int{80, 40} {
		running := newModel(&desk{run: testRun(run.Running)}, width, 24)
		running.heard(event(t, 1, &run.StepStarted{Step: "classify", Try: 1}, 0))
		running.heard(event(t, 2, &run.StepCompleted{Step: "classify"}, time.Second))
		golden(t, fmt.Sprintf("running-%d", width), running.render(), width)

		asked := newModel(waiting(), width, 50)
		feed(asked, asked.fetch())
		golden(t, fmt.Sprintf("asked-%d", width), asked.render(), width)

		short := newModel(waiting(), width, 24)
		feed(short, short.fetch())
		lines := short.render()
		if len(lines) > 24 {
			t.Errorf("%d lines on a screen of 24", len(lines))
		}
		golden(t, fmt.Sprintf("short-%d", width), lines, width)
	}
}

func TestEndings(t *testing.T) {
	failed := testRun(run.Failed)
	failed.EndedAt = at(3 * time.Second)
	failed.Error = &view.Error{Code: "timeout", Message: "no answer in time", Step: "device", Agent: "device_check",
		Try: 3, StepIndex: 3, StepCount: 6}
	m := newModel(&desk{run: failed}, 80, 24)
	golden(t, "failed-80", m.Parting(), 80)
}

// Only acts that the server lists have keys.
func TestOnlyListedActs(t *testing.T) {
	d := waiting()
	a := d.approvals["apr_01"]
	a.Acts = []gate.Act{gate.Reject}
	d.approvals["apr_01"] = a
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "a")
	if len(d.decisions) > 0 {
		t.Errorf("decided: %+v", d.decisions)
	}
	if keys := strings.Join(m.keyLines(), " "); strings.Contains(keys, "approve") || !strings.Contains(keys, "r reject") {
		t.Errorf("keys: %s", keys)
	}
}

func TestApproveSendsTheShownVersion(t *testing.T) {
	d := waiting()
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "a")
	if len(d.decisions) != 1 || d.decisions[0].Act != gate.Approve || d.decisions[0].Version != 2 {
		t.Errorf("decided: %+v", d.decisions)
	}
}

// A key pressed twice must not decide the next approval.
func TestNoAnswerBeforeAGlance(t *testing.T) {
	d := waiting()
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	_, cmd := m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	feed(m, cmd)
	if len(d.decisions) > 0 {
		t.Errorf("decided: %+v", d.decisions)
	}
}

func TestCriticalWantsTheWord(t *testing.T) {
	d := waiting()
	a := d.approvals["apr_01"]
	a.Risk.Level = "critical"
	d.approvals["apr_01"] = a
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "a")
	if len(d.decisions) != 0 || m.asking == nil {
		t.Fatalf("asked for nothing, decided %+v", d.decisions)
	}
	m.asking.word = "approve"
	feed(m, m.filledIn(m.asking))
	if len(d.decisions) != 1 {
		t.Errorf("decided: %+v", d.decisions)
	}
}

func TestEditShowsChangesFirst(t *testing.T) {
	d := waiting()
	d.preview = app.ChangeView{Valid: true}
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "e")
	if m.asking == nil || len(m.asking.fields) != 3 {
		t.Fatalf("no form: %+v", m.asking)
	}
	m.asking.fields[1].entry = "7"
	feed(m, m.filledIn(m.asking))
	if len(d.decisions) != 0 || m.sure == nil {
		t.Fatalf("it was sent before it was shown: %+v", d.decisions)
	}
	press(m, "y")
	if len(d.decisions) != 1 || string(d.decisions[0].Changes) != `{"count":7}` {
		t.Errorf("decided: %+v", d.decisions)
	}
}

func TestChangesThatDoNotFitAreNotSent(t *testing.T) {
	d := waiting()
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "e")
	m.asking.fields[1].entry = "7"
	feed(m, m.filledIn(m.asking))
	if m.sure != nil || !m.trouble || !strings.Contains(m.notice, "not valid") {
		t.Errorf("notice: %q", m.notice)
	}
}

func TestRefusalsAreShown(t *testing.T) {
	d := waiting()
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	_, cmd := m.Update(decidedMsg{gate.Approve, nil, errors.New("ann was faster")})
	feed(m, cmd)
	if !strings.Contains(strings.Join(m.render(), "\n"), "ann was faster") {
		t.Error("nothing was said")
	}
}

func TestLeavingAnApproval(t *testing.T) {
	d := waiting()
	d.run.PendingApprovals = append(d.run.PendingApprovals, "apr_02")
	second := testApproval()
	second.ID, second.Title = "apr_02", "Another one"
	d.approvals["apr_02"] = second
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "tab")
	if m.current != "apr_02" {
		t.Errorf("tab leads to %s", m.current)
	}
	press(m, "x")
	if m.current != "apr_01" {
		t.Errorf("x leads to %s", m.current)
	}
	press(m, "x")
	if _, ok := m.card(); ok {
		t.Error("a card is still there")
	}
}

func TestPatchOf(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"b":3}`},
		{`{"a":1,"b":2}`, `{"a":1}`, `{"b":null}`},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"x":1,"y":3}}`, `{"a":{"y":3}}`},
		{`{"a":[1,2]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"a":0.10}`, `{"a":0.10}`, `{}`},
		{`[1]`, `[2]`, `[2]`},
	} {
		if got := patchOf(json.RawMessage(c.from), json.RawMessage(c.to)); string(got) != c.want {
			t.Errorf("%s → %s: %s, not %s", c.from, c.to, got, c.want)
		}
	}
}

func event(t *testing.T, seq int64, fact run.Fact, after time.Duration) view.Event {
	t.Helper()
	data, err := run.EncodeFact(fact)
	if err != nil {
		t.Fatal(err)
	}
	return view.Event{Feed: seq, Run: "run_01", Seq: seq, At: began.Add(after), Type: fact.Type(), Data: data}
}

func TestLinesEndWithTheRun(t *testing.T) {
	var out bytes.Buffer
	finished := testRun(run.Completed)
	d := &desk{run: finished}
	o := PlainOptions{Options: Options{Server: d, Run: finished, Theme: show.Plain(), Out: &out,
		Visible: []view.Event{event(t, 7, &run.RunCompleted{}, 0)}}}
	v, err := Lines(context.Background(), o)
	if err != nil || v.Status != run.Completed || !strings.Contains(out.String(), "completed") {
		t.Errorf("%v %v %q", v.Status, err, out.String())
	}
}

func TestLinesSayWhoIsAsked(t *testing.T) {
	var asked []string
	d := waiting()
	seen := []view.Event{event(t, 7, &run.RunWaiting{}, 0)}
	o := PlainOptions{Options: Options{Server: d, Run: d.run, Theme: show.Plain(), Out: &bytes.Buffer{}, Visible: seen},
		Leave: true, Waits: func(a view.Approval) { asked = append(asked, a.ID) }}
	if _, err := Lines(context.Background(), o); err != nil || len(asked) != 1 {
		t.Errorf("%v %v", asked, err)
	}
}

// Input survives a rejection: the form reopens with it, and with the problems.
func TestRefusedEditsAreKept(t *testing.T) {
	d := waiting()
	d.preview = app.ChangeView{Valid: true}
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "e")
	m.asking.fields[1].entry, m.asking.fields[2].entry = "7", "moved away"
	feed(m, m.filledIn(m.asking))
	press(m, "esc") // back from the preview, not away
	if m.asking == nil || m.asking.fields[1].entry != "7" {
		t.Fatalf("going back threw it away: %+v", m.asking)
	}
	feed(m, m.filledIn(m.asking))
	d.refuse = &client.Problem{Status: 422, Detail: "the changes are not valid",
		Errors: []client.Mistake{{Path: "count", Message: "must be at most 5"}}}
	press(m, "y")
	if m.asking == nil || m.asking.fields[1].entry != "7" || m.asking.fields[2].entry != "moved away" {
		t.Fatalf("the refusal threw it away: %+v", m.asking)
	}
	screen := strings.Join(m.render(), "\n")
	for _, want := range []string{"count: must be at most 5", "moved away"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
	d.refuse = nil
	m.asking.fields[1].entry = "5"
	feed(m, m.filledIn(m.asking))
	if m.notice != "" {
		t.Errorf("it still says %q about changes that are valid", m.notice)
	}
	press(m, "y")
	if last := d.decisions[len(d.decisions)-1]; string(last.Changes) != `{"count":5,"why":"moved away"}` || m.kept != nil {
		t.Errorf("sent %s, kept %+v", last.Changes, m.kept)
	}
}

// A changed approval is shown first; the form then has the edits on top of the current proposal.
func TestEditsSurviveAnotherVersion(t *testing.T) {
	d := waiting()
	d.preview = app.ChangeView{Valid: true}
	m := newModel(d, 80, 40)
	feed(m, m.fetch())
	press(m, "e")
	m.asking.fields[1].entry = "7"
	feed(m, m.filledIn(m.asking))
	d.refuse = &client.Problem{Status: 409, Code: "version_mismatch", Detail: "the approval has changed"}
	a := d.approvals["apr_01"]
	a.Version, a.Proposed = 3, json.RawMessage(`{"account":"u-0926","count":1,"why":"gone"}`)
	d.approvals["apr_01"] = a
	press(m, "y")
	if m.asking != nil || !strings.Contains(m.notice, "press e to continue") {
		t.Fatalf("%q, form %+v", m.notice, m.asking)
	}
	d.refuse = nil
	press(m, "e")
	if f := m.asking.fields; f[0].entry != "u-0926" || f[1].entry != "7" {
		t.Errorf("the form says %s, %s", f[0].entry, f[1].entry)
	}
}

func TestEditorKeepsWhatIsNoJSON(t *testing.T) {
	m := newModel(waiting(), 80, 40)
	feed(m, m.fetch())
	path := filepath.Join(t.TempDir(), "draft.json")
	if err := os.WriteFile(path, []byte(`{"count": 7,`), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := m.card()
	feed(m, m.edited(editedMsg{approval: a, act: gate.Modify, path: path}))
	if !strings.Contains(m.notice, "press E to continue") || !m.kept.about(a, gate.Modify) {
		t.Fatalf("notice %q, kept %+v", m.notice, m.kept)
	}
	again, err := writeDraft(m.kept.text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(again) })
	if text, _ := os.ReadFile(again); string(text) != "{\"count\": 7,\n" {
		t.Errorf("the editor opens with %q", text)
	}
}
