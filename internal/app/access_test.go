package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// house is a deployment with two workflows, and roles that see one of them.
const house = flow + `
---
workflow: other
steps:
  - { id: draft, agent: writer }
gates:
  - { id: check, at: before draft, title: Fine?, role: cook }
---
role: seer
workflows: [ref*]
permissions: [view]
---
role: driver
workflows: [refund]
permissions: [view, command]
---
role: opener
workflows: [refund]
permissions: [start]
`

func in(name string, roles ...string) app.Who {
	return app.Who{Name: name, Kind: run.Person, Roles: roles, SignedIn: true}
}

// TestNothingIsToldAboutWhatIsHidden: what somebody may not see answers like what
// does not exist, and goes on record as a refusal all the same.
func TestNothingIsToldAboutWhatIsHidden(t *testing.T) {
	h := open(t, house)
	ap := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	other := h.asked(h.begin(ann, "other", `{}`).ID)
	seer := in("sue", "seer")
	cancel := func(who app.Who, id string) error {
		_, err := h.Command(h.Context(), who, id, app.Command{Do: run.Cancel{}}, nil)
		return err
	}
	for what, try := range map[string]func(a view.Approval, r string) error{
		"approval": func(a view.Approval, _ string) error {
			_, err := h.Approval(h.Context(), seer, a.ID, false)
			return err
		},
		"run": func(_ view.Approval, r string) error { _, err := h.App.Run(h.Context(), seer, r, false); return err },
		"events": func(_ view.Approval, r string) error {
			_, err := h.Events(h.Context(), seer, r, 0, 9, false)
			return err
		},
		"zip": func(_ view.Approval, r string) error {
			return h.Deliverables.Zip(h.Context(), seer, r, &strings.Builder{})
		},
		"stream": func(_ view.Approval, r string) error {
			s, err := h.Follow(h.Context(), seer, feed.Filter{Run: r})
			if err == nil {
				s.Close()
			}
			return err
		},
	} {
		if err := try(ap, ap.Run); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		hidden, missing := try(other, other.Run), try(view.Approval{ID: "apr_1_1"}, "run_1")
		if !fault.Is(hidden, fault.NotFound) || !fault.Is(missing, fault.NotFound) {
			t.Fatalf("%s: %v, %v", what, hidden, missing)
		}
		if same := strings.NewReplacer(other.ID, "ID", other.Run, "ID", "apr_1_1", "ID", "run_1",
			"ID"); same.Replace(hidden.Error()) != same.Replace(missing.Error()) ||
			fault.HintOf(hidden) != fault.HintOf(missing) || fault.HintOf(hidden) == "" {
			t.Errorf("%s: %q and %q can be told apart", what, hidden, missing)
		}
	}
	// What can be seen is refused by name, with what is missing.
	wantFault(t, cancel(seer, ap.Run), fault.Forbidden,
		"sue may not cancel this run: this requires the permission command")
	wantFault(t, cancel(seer, other.Run), fault.NotFound, "not found")
	if got, _ := h.trail(port.AuditQuery{Target: other.Run, Outcome: "refused"}); !slices.Contains(got,
		"run.command sue refused") {
		t.Errorf("%q", got)
	}
	_, err := h.Begin(h.Context(), seer, app.NewRun{Workflow: "other"}, nil)
	wantFault(t, err, fault.NotFound, `workflow "other" not found`)
	if _, missing := h.Begin(h.Context(), seer, app.NewRun{Workflow: "nope"},
		nil); strings.ReplaceAll(err.Error()+fault.HintOf(err), "other", "nope") != missing.Error()+fault.HintOf(missing) ||
		strings.Contains(fault.HintOf(missing), "other") {
		t.Errorf("%q %q", fault.HintOf(err), fault.HintOf(missing))
	}
	_, err = h.Documents.Show(h.Context(), seer, definition.KindWorkflow, "other", 0)
	wantFault(t, err, fault.NotFound, "not found")
	batch, err := h.DecideMany(h.Context(), seer, app.Batch{IDs: []string{other.ID, ap.ID}, Act: gate.Approve}, "")
	if err != nil || !fault.Is(batch.Results[0].Error, fault.NotFound) || batch.Results[0].Status != "" ||
		!fault.Is(batch.Results[1].Error, fault.Forbidden) {
		t.Errorf("%+v %v", batch, err)
	}
}

// TestNothingIsDoneToWhatIsHidden: a permission without view does nothing, and
// goes on record as a refusal.
func TestNothingIsDoneToWhatIsHidden(t *testing.T) {
	h := open(t, house+"---\nrole: pusher\npermissions: [command, decide, comment, sensitive]\n")
	ap, pusher := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID), in("paul", "pusher")
	_, cancelled := h.Command(h.Context(), pusher, ap.Run, app.Command{Do: run.Cancel{}}, nil)
	_, many := h.CancelRuns(h.Context(), pusher, app.CancelRequest{IDs: []string{ap.Run}})
	_, reviewed := h.Hindsight.Review(h.Context(), pusher, ap.ID, true, "")
	_, decided := h.Decide(h.Context(), pusher, ap.ID, app.Decision{Act: gate.Approve, Version: ap.Version}, "", nil)
	for what, err := range map[string]error{"cancel": cancelled, "cancel many": many,
		"review": reviewed, "decide": decided} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got, _ := h.trail(port.AuditQuery{Target: ap.Run, Outcome: "refused"}); !slices.Contains(got,
		"run.command paul refused") {
		t.Errorf("%q", got)
	}
	if v, err := h.App.Run(h.Context(), admin, ap.Run, false); err != nil || v.Status != run.Waiting {
		t.Errorf("%s %v", v.Status, err)
	}
}

// TestListsLeaveOutWhatIsHidden: also totals, figures and history.
func TestListsLeaveOutWhatIsHidden(t *testing.T) {
	h := open(t, house)
	mine := h.begin(in("olga", "opener"), "refund", `{"amount":5}`).ID
	h.asked(mine)
	h.asked(h.begin(ann, "other", `{}`).ID)
	for _, c := range []struct {
		who              app.Who
		runs, asks, docs int
	}{
		{in("sue", "seer"), 1, 1, 1},
		{in("olga", "opener"), 1, 1, -1}, // her own
		{in("carl", "cook"), 1, 1, -1},   // where cooks are asked
		{in("nobody"), 0, 0, -1},
		{admin, 2, 2, 2},
		{ann, 2, 2, 2},
	} {
		runs, err := h.Lists(c.who).Runs(h.Context(), port.RunQuery{Limit: 9})
		if err != nil || len(runs.Items) != c.runs || int(runs.Total) != c.runs {
			t.Errorf("%s: %d runs, %d in all: %v", c.who.Name, len(runs.Items), runs.Total, err)
		}
		inbox, err := h.Lists(c.who).Approvals(h.Context(), port.ApprovalQuery{Limit: 9})
		if err != nil || len(inbox.Items) != c.asks || int(inbox.Total) != c.asks {
			t.Errorf("%s: %d approvals: %v", c.who.Name, len(inbox.Items), err)
		}
		figures, err := h.Hindsight.Insights(h.Context(), c.who, time.Time{}, time.Time{}, "")
		if err != nil || int(figures.Runs.Total) != c.runs || int(figures.Pending.Total) != c.asks {
			t.Errorf("%s: %+v %v", c.who.Name, figures.Runs, err)
		}
		for _, r := range runs.Items {
			if _, err := h.App.Run(h.Context(), c.who, r.ID, false); err != nil {
				t.Errorf("%s: what is listed can be seen: %v", c.who.Name, err)
			}
		}
		for _, a := range inbox.Items {
			if _, err := h.Approval(h.Context(), c.who, a.ID, false); err != nil {
				t.Errorf("%s: what is listed can be seen: %v", c.who.Name, err)
			}
		}
		docs, err := h.Documents.Workflows(h.Context(), c.who)
		if c.docs < 0 && !fault.Is(err, fault.Forbidden) || c.docs >= 0 && (err != nil || len(docs.Items) != c.docs) {
			t.Errorf("%s: %d workflows: %v", c.who.Name, len(docs.Items), err)
		}
	}
}

// TestOwnersSteerTheirOwn runs a little, and no others.
func TestOwnersSteerTheirOwn(t *testing.T) {
	h := open(t, house)
	olga := in("olga", "opener")
	id := h.begin(olga, "refund", `{"amount":5}`).ID
	h.asked(id)
	do := func(who app.Who, d run.Operation) error {
		_, err := h.Command(h.Context(), who, id, app.Command{Do: d}, nil)
		return err
	}
	wantFault(t, do(olga, run.SkipStep{Step: "send"}), fault.Forbidden, "olga may not steer")
	_, err := h.Fork(h.Context(), olga, id, app.Fork{AtSeq: 1}, nil)
	wantFault(t, err, fault.Forbidden, "command and start")
	_, err = h.Fork(h.Context(), in("dan", "driver"), id, app.Fork{AtSeq: 1}, nil)
	wantFault(t, err, fault.Forbidden, "command and start")
	_, err = h.Retry(h.Context(), olga, id, nil)
	wantFault(t, err, fault.Forbidden, "olga may not steer")
	wantFault(t, do(in("otto", "opener"), run.Pause{}), fault.NotFound, "not found")
	for _, d := range []run.Operation{run.Pause{}, run.Resume{}, run.Cancel{}} {
		if err := do(olga, d); err != nil {
			t.Errorf("%T: %v", d, err)
		}
	}
	// Many at once: one's own, and a refusal where there are only others'.
	other := h.begin(ann, "refund", `{"amount":5}`).ID
	own := h.begin(olga, "refund", `{"amount":5}`).ID
	_, err = h.CancelRuns(h.Context(), in("sue", "seer"), app.CancelRequest{Workflow: "refund"})
	wantFault(t, err, fault.Forbidden, "sue may not cancel")
	v, err := h.CancelRuns(h.Context(), olga, app.CancelRequest{Workflow: "refund"})
	if err != nil || v.Cancelled != 1 {
		t.Errorf("%+v %v", v, err)
	}
	if r, err := h.App.Run(h.Context(), admin, other, false); err != nil || r.Status.Ended() {
		t.Errorf("%+v %v", r, err)
	}
	h.waits(own, run.Cancelled)
}

// TestAgentsMayNot comment, decide, review, write or give access.
func TestAgentsMayNot(t *testing.T) {
	h := open(t, house)
	robot := app.Who{Name: "robot", Kind: run.Agent, Roles: []string{"admin", "approver"}, SignedIn: true}
	ap := h.asked(h.begin(robot, "refund", `{"amount":5}`).ID)
	for what, try := range map[string]func() error{
		"comment": func() error { _, err := h.Comment(h.Context(), robot, ap.ID, "hm", "", nil); return err },
		"decide": func() error {
			_, err := h.Decide(h.Context(), robot, ap.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
			return err
		},
		"save": func() error {
			_, _, err := h.Documents.Save(h.Context(), robot, definition.KindRole, "seer", definition.YAML,
				[]byte("role: seer\npermissions: ['*']\n"), documents.Saving{Publish: true})
			return err
		},
		"publish": func() error {
			_, err := h.Documents.Publish(h.Context(), robot, definition.KindWorkflow, "refund", 1, documents.Saving{})
			return err
		},
		"stop":   func() error { _, err := h.Documents.EmergencyStop(h.Context(), robot, true, "x"); return err },
		"expire": func() error { _, err := h.Expire(h.Context(), robot, app.Expiry{OlderThan: time.Hour}); return err },
		"access": func() error { return h.Access.MayGiveAccess(robot) },
		"review": func() error { _, err := h.Hindsight.Review(h.Context(), robot, ap.ID, true, ""); return err },
	} {
		if err := try(); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "agents never") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRolesCountAtOnce: a document that changes a role counts for the next
// question, also on a stream that is open.
func TestRolesCountAtOnce(t *testing.T) {
	h := open(t, house)
	seer := in("sue", "seer")
	zero := int64(0)
	stream, err := h.Follow(h.Context(), seer, feed.Filter{After: &zero})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	seen := map[string]bool{}
	watch := func(until func(view.Event) bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
		defer cancel()
		for {
			events, err := stream.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				seen[e.Run] = true
			}
			if slices.ContainsFunc(events, until) {
				return
			}
		}
	}
	hidden := h.begin(ann, "other", `{}`).ID
	h.asked(hidden)
	shown := h.begin(ann, "refund", `{"amount":5}`).ID
	h.asked(shown)
	watch(func(e view.Event) bool { return e.Run == shown && e.Type == "approval.needed" })
	if seen[hidden] {
		t.Error("an event of a run that she may not see")
	}
	h.save(definition.KindRole, "seer", "role: seer\nworkflows: [other]\npermissions: [view]\n", true)
	if _, err := h.App.Run(h.Context(), seer, shown, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	clear(seen)
	if _, err := h.Command(h.Context(), admin, shown, app.Command{Do: run.Cancel{}}, nil); err != nil {
		t.Fatal(err)
	}
	again, now := h.begin(ann, "refund", `{"amount":6}`).ID, h.begin(ann, "other", `{}`).ID
	watch(func(e view.Event) bool { return e.Run == now })
	if seen[again] || seen[shown] {
		t.Errorf("%v", seen)
	}
}

// TestWhoeverIsAskedSeesTheRunFromThenOn, and no other.
func TestWhoeverIsAskedSeesTheRunFromThenOn(t *testing.T) {
	h := open(t, house)
	for _, types := range [][]string{nil, {"approval.needed", "run.cancelled"}} {
		carl := in("carl", "cook")
		stream, err := h.Follow(h.Context(), carl, feed.Filter{Types: types})
		if err != nil {
			t.Fatal(err)
		}
		refund := h.begin(ann, "refund", `{"amount":5}`).ID
		h.asked(refund)
		asked := h.asked(h.begin(ann, "other", `{}`).ID)
		if _, err := h.Command(h.Context(), admin, asked.Run, app.Command{Do: run.Cancel{}}, nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
		for !slices.Contains(got, "run.cancelled") {
			events, err := stream.Next(ctx)
			if err != nil {
				t.Fatal(err, got)
			}
			for _, e := range events {
				if e.Run != asked.Run {
					t.Errorf("%+v", e)
				}
				got = append(got, e.Type)
			}
		}
		cancel()
		stream.Close()
		if !slices.Contains(got, "approval.needed") {
			t.Errorf("%q", got)
		}
	}
}

// TestPassedOnToSomebodyOutside: what is open to anybody and was passed on by name
// to somebody who may not see the workflow is theirs, in every list.
func TestPassedOnToSomebodyOutside(t *testing.T) {
	h := open(t, house+"---\nworkflow: open\nsteps: [{ id: draft, agent: writer }]\ngates: [{ id: look, at: before "+
		"draft, title: Fine?, acts: [approve, reject, delegate] }]\n")
	dora, carl, eve := in("dora"), in("carl", "cook"), in("eve")
	stream, err := h.Follow(h.Context(), dora, feed.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	ap, unseen := h.asked(h.begin(ann, "open", `{}`).ID), h.asked(h.begin(ann, "open", `{}`).ID)
	lists := func(who app.Who) string {
		t.Helper()
		all, err := h.Lists(who).Approvals(h.Context(), port.ApprovalQuery{})
		if err != nil {
			t.Fatal(err)
		}
		mine, err := h.Lists(who).Mine(h.Context(), port.ApprovalQuery{Status: []string{"pending"}})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := h.Lists(who).Runs(h.Context(), port.RunQuery{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, v := range all.Items {
			ids = append(ids, v.ID)
		}
		for _, v := range mine.Items {
			ids = append(ids, "mine "+v.ID)
		}
		for _, v := range runs.Items {
			ids = append(ids, v.ID)
		}
		return fmt.Sprint(ids, all.Total, mine.Total, runs.Total)
	}
	for _, who := range []app.Who{dora, carl, eve} {
		if got := lists(who); got != "[] 0 0 0" {
			t.Errorf("%s sees %s", who.Name, got)
		}
	}
	for by, to := range map[string]string{"pia": "dora", "max": "role:cook"} {
		if ap, err = h.Decide(h.Context(), in(by, "approver"), ap.ID,
			app.Decision{Act: gate.Delegate, Version: ap.Version, To: to, Comment: "yours"}, "", nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, who := range []app.Who{dora, carl} {
		if got, want := lists(who), fmt.Sprint([]string{ap.ID, "mine " + ap.ID, ap.Run}, 1, 1, 1); got != want {
			t.Errorf("%s sees %s, not %s", who.Name, got, want)
		}
		if _, err := h.Approval(h.Context(), who, ap.ID, false); err != nil {
			t.Error(err)
		}
	}
	if got := lists(eve); got != "[] 0 0 0" {
		t.Errorf("eve sees %s", got)
	}
	// Everyone who may see the workflow still has it, and it counts once.
	if got := lists(in("lea", "approver")); strings.Count(got, ap.ID) != 2 || strings.Count(got, unseen.ID) != 2 ||
		!strings.HasSuffix(got, " 2 2 2") {
		t.Errorf("an approver sees %s", got)
	}
	ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
	defer cancel()
	events, err := stream.Next(ctx)
	for _, e := range events {
		if e.Run != ap.Run {
			t.Errorf("%+v", e)
		}
	}
	if err != nil || len(events) == 0 {
		t.Errorf("%d events: %v", len(events), err)
	}
	if _, err := h.Decide(h.Context(), dora, ap.ID,
		app.Decision{Act: gate.Approve, Version: ap.Version}, "", nil); err != nil {
		t.Error(err)
	}
}

func TestExplainAccess(t *testing.T) {
	h := open(t, house)
	ap := h.asked(h.begin(ann, "refund", `{"amount":5}`).ID)
	sue := in("sue", "seer")
	v, err := h.Rights.ExplainAccess(h.Context(), sue, sue, ap.ID)
	if err != nil || v.User != "sue" || len(v.Acts) != 2+len(gate.Acts) || !v.Acts[0].Allowed || v.Acts[1].Allowed ||
		v.Workflow != "refund" {
		t.Errorf("%+v %v", v, err)
	}
	_, err = h.Rights.ExplainAccess(h.Context(), sue, in("bob", "approver"), ap.ID)
	wantFault(t, err, fault.Forbidden, "sue may not see what another person may do")
	_, err = h.Rights.ExplainAccess(h.Context(), in("carl"), in("carl"), ap.ID)
	wantFault(t, err, fault.NotFound, "not found")
	v, err = h.Rights.ExplainAccess(h.Context(), in("zoe", "admin"), in("bob", "approver"), ap.ID)
	if raw, _ := json.Marshal(v.Acts[2]); err != nil ||
		string(raw) != `{"act":"approve","allowed":true,"because":"the role approver grants approve",`+
			`"roles":["approver"],"with_role":[]}` {
		t.Errorf("%s %v", raw, err)
	}
	// What it says is what happens.
	if _, err := h.Decide(h.Context(), in("bob", "approver"), ap.ID,
		app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Error(err)
	}
	_, err = h.Rights.HolderOf(h.Context(), "nobody")
	wantFault(t, err, fault.NotFound, "has no account here")
}

func TestAdminCannotBeRedefined(t *testing.T) {
	h := open(t, flow)
	_, _, err := h.Documents.Save(h.Context(), admin, definition.KindRole, "admin", definition.YAML,
		[]byte("role: admin\npermissions: [view]\n"), documents.Saving{Publish: true})
	wantFault(t, err, fault.Invalid, "admin is built in")
	_, _, err = h.Documents.Save(h.Context(), admin, definition.KindRole, "x", definition.YAML,
		[]byte("role: x\npermissions: [sensitiv]\n"), documents.Saving{})
	wantFault(t, err, fault.Invalid, `did you mean "sensitive"`)
	if got := fmt.Sprint(h.Access.Permissions(in("ann", "admin"))); !strings.Contains(got, "sensitive") {
		t.Error(got)
	}
}
