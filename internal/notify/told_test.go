package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/port"
)

// scenarios return what is wrong. Each of them works on the real host and store, with a clock of its own.
var scenarios = map[string]func(*world) []string{
	"a storm":        func(w *world) []string { return storm(w, 0) },
	"digest":         digest,
	"digest later":   digestLater,
	"fallback":       fallback,
	"may not see":    mayNotSee,
	"masked":         masked,
	"reminders":      reminders,
	"escalation":     escalation,
	"the owner":      owner,
	"quiet hours":    quietHours,
	"urgent":         urgentAnyway,
	"preferences":    preferences,
	"a killed host":  killed,
	"a dead channel": dead,
	"may have rung":  mayHaveRung,
	"late edit":      lateEdit,
	"a dead hook":    deadHook,
	"gone and back":  goneAndBack,
	"cannot open":    cannotOpen,
	"digest held":    digestHeld,
	"digest failing": digestFailing,
	"many results":   manyResults,
	"many urgent":    manyUrgent,
	"no digest":      noDigest,
	"no address":     noAddress,
	"not reachable":  notReachable,
	"a gate's wish":  gatesWish,
	"paused":         paused,
	"waits for days": waitsForDays,
	"a limit":        atLimit,
	"by a rule":      byRule,
	"agents' wishes": agentsWishes,
	"phones":         func(w *world) []string { w.phones = true; return storm(w, 1) },
}

func TestTold(t *testing.T) {
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) { report(t, scenario(newWorld(t))) })
	}
}

// wants compares the titles of messages to a person, in any order: several are sent at once.
func (w *world) wants(room, person string, want ...string) []string {
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(w.rooms[room].titles(person))); !slices.Equal(got, want) {
		return []string{fmt.Sprintf("%s on %s has %q, not %q", person, room, got, want)}
	}
	return nil
}

func (w *world) prefer(person, prefs string) {
	if err := w.PutPreferences(w.Context(), person, json.RawMessage(prefs), w.clock()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) begin() *notify.Host {
	h := w.host()
	w.step(h) // the mark
	return h
}

// mayHaveRung: a message whose first attempt arrived unnoticed is replaced once it is decided, although later attempts
// certainly did not arrive.
func mayHaveRung(w *world) (wrong []string) {
	w.phones, w.people = true, []string{"ann"}
	h, n := w.begin(), 0
	chat := w.rooms["chat"]
	chat.fails = func() (before, after *notify.Failure) {
		switch n++; n {
		case 1:
			return nil, &notify.Failure{Why: "timeout", Unknown: true}
		case 2:
			return &notify.Failure{Why: "status 429", After: time.Second}, nil
		}
		return nil, nil
	}
	w.ask("apr_1")
	w.step(h)
	w.wait(time.Second)
	w.step(h)
	w.decide("apr_1")
	w.settle(h, 5)
	if n < 2 {
		wrong = append(wrong, fmt.Sprintf("%d attempts", n))
	}
	return append(wrong, check(w, nil)...)
}

// digest: more approvals than the limit become one message, and those after it are sent one by one again.
func digest(w *world) (wrong []string) {
	w.set.Notifications = &definition.Notifications{Digest: &definition.Digest{After: 3},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	h := w.begin()
	for i := range 30 {
		w.ask(fmt.Sprintf("apr_%d", i))
	}
	w.request(gate.Request{ID: "apr_now", Risk: gate.Risk{Level: risk.Critical}})
	w.settle(h, 5)
	for _, person := range w.people {
		got := w.rooms["chat"].titles(person)
		slices.Sort(got)
		if !slices.Equal(got, []string{"30 approvals required", "Approval required: Pay apr_now"}) {
			wrong = append(wrong, fmt.Sprintf("%s has %q", person, got))
		}
	}
	for _, m := range w.rooms["chat"].all() {
		if strings.HasPrefix(m.Title, "30") &&
			(len(m.Facts) != 20 || !strings.Contains(m.Text, "10 more") || len(m.Acts) > 0) {
			wrong = append(wrong, fmt.Sprintf("the summary is %+v", m))
		}
	}
	w.ask("apr_later")
	w.settle(h, 2)
	if got := w.rooms["chat"].titles("ann"); got[len(got)-1] != "Approval required: Pay apr_later" {
		wrong = append(wrong, fmt.Sprintf("after the summary: %q", got))
	}
	return wrong
}

// digestLater: what exceeds the limit waits for the end of the period, and what is decided by then is left out.
func digestLater(w *world) (wrong []string) {
	w.set.Notifications = &definition.Notifications{Digest: &definition.Digest{After: 3},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	w.people = []string{"ann"}
	h := w.begin()
	w.ask("apr_1")
	w.ask("apr_2")
	w.settle(h, 1)
	first := []string{"Approval required: Pay apr_1", "Approval required: Pay apr_2"}
	for i := range 5 {
		w.ask(fmt.Sprintf("apr_x%d", i))
	}
	w.decide("apr_x4")
	w.settle(h, 60)
	wrong = w.wants("chat", "ann", first...)
	w.wait(15 * time.Minute)
	w.settle(h, 5)
	return append(wrong, w.wants("chat", "ann", append(slices.Clone(first), "4 approvals required")...)...)
}

// digestHeld: what was held for a summary is sent at the end of the period, whatever else is sent until then.
func digestHeld(w *world) (wrong []string) {
	w.people = []string{"eve"} // the owner of the runs
	h := w.begin()
	w.set.Notifications = &definition.Notifications{Digest: &definition.Digest{After: 2},
		Events: map[string][]string{"approval.needed": {"chat"}, "run.completed": {"chat"}}}
	for i := range 12 {
		if i < 4 {
			w.ask(fmt.Sprintf("apr_%d", i))
		}
		w.request(gate.Request{ID: fmt.Sprintf("apr_now%d", i), Risk: gate.Risk{Level: risk.Critical}})
		w.append(&run.RunCompleted{})
		w.settle(h, 1)
		w.wait(5 * time.Minute)
	}
	if got := w.rooms["chat"].titles("eve"); !slices.Contains(got, "2 approvals required") {
		wrong = append(wrong, fmt.Sprintf("it has %q", got))
	}
	return wrong
}

// digestFailing: the fallback of a summary says what the summary would have said.
func digestFailing(w *world) (wrong []string) {
	w.people = []string{"ann"}
	w.channel("backup")
	w.set.Notifications = &definition.Notifications{Fallback: []string{"backup"}, Digest: &definition.Digest{After: 2},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	w.rooms["chat"].fails = func() (before, after *notify.Failure) { return notify.Failed("status 503"), nil }
	h := w.begin()
	for i := range 5 {
		w.ask(fmt.Sprintf("apr_%d", i))
	}
	w.settle(h, 20)
	return append(w.wants("backup", "ann", "5 approvals required"), w.wants("chat", "ann")...)
}

// manyResults: a summary of what happened says it, by default too; approvals are not held back by it.
func manyResults(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	for i := range 11 {
		w.ask(fmt.Sprintf("apr_%d", i))
	}
	w.settle(h, 5)
	wrong = w.wants("chat", "ann", "11 approvals required")
	for i := range 11 {
		w.decide(fmt.Sprintf("apr_%d", i))
	}
	w.append(&run.RunCompleted{})
	w.settle(h, 5)
	wrong = append(wrong, w.wants("chat", "eve", "12 updates")...)
	var lines []notify.Fact
	for _, m := range w.rooms["chat"].all() {
		if m.Title == "12 updates" {
			lines = m.Facts
		}
	}
	for _, want := range []notify.Fact{{Label: "pay", Value: "Approved: Pay apr_3"}, {Label: "pay",
		Value: "Completed: Pay"}} {
		if !slices.Contains(lines, want) {
			wrong = append(wrong, fmt.Sprintf("no %q in %q", want, lines))
		}
	}
	return wrong
}

// manyUrgent: beyond the limit urgent approvals are combined, and wait for a minute at most.
func manyUrgent(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	for i := range 120 {
		w.request(gate.Request{ID: fmt.Sprintf("apr_%d", i), Risk: gate.Risk{Level: risk.Critical}})
		w.settle(h, 1)
	}
	for i := range 20 {
		w.request(gate.Request{ID: fmt.Sprintf("apr_at_once%d", i), Risk: gate.Risk{Level: risk.Critical}})
	}
	w.settle(h, 61)
	got, told := w.rooms["chat"].titles("ann"), 0
	for _, title := range got {
		n := 1
		_, _ = fmt.Sscanf(title, "%d approvals required", &n)
		told += n
	}
	if len(got) > 14 || told != 140 {
		wrong = append(wrong, fmt.Sprintf("told of %d in %q", told, got))
	}
	return wrong
}

// noDigest: summaries can be switched off, by all and by each.
func noDigest(w *world) (wrong []string) {
	h := w.begin()
	w.set.Notifications = &definition.Notifications{Digest: &definition.Digest{Off: true},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	w.prefer("bob", `{"digest":{"after":3}}`)
	for i := range 12 {
		w.ask(fmt.Sprintf("apr_%d", i))
	}
	w.settle(h, 5)
	w.set.Notifications.Digest = nil
	w.prefer("bob", `{"digest":{"off":true}}`)
	for i := range 12 {
		w.ask(fmt.Sprintf("apr_more%d", i))
	}
	w.settle(h, 5)
	if got := w.rooms["chat"].titles("ann"); len(got) != 12 {
		wrong = append(wrong, fmt.Sprintf("ann: %q", got))
	}
	if got := w.rooms["chat"].titles("bob"); len(got) != 13 || got[0] != "12 approvals required" {
		wrong = append(wrong, fmt.Sprintf("bob: %q", got))
	}
	return wrong
}

// noAddress: people without an e-mail address, and those who want no summaries by e-mail, are told on the fallback.
func noAddress(w *world) (wrong []string) {
	w.people = []string{"ann", "bob@example.com"}
	w.channel("mail")
	w.set.Channels["mail"].Kind = definition.ChannelEmail
	w.set.Channels["mail"].Email = &definition.EmailChannel{}
	w.set.Notifications = &definition.Notifications{Fallback: []string{"chat"}, Digest: &definition.Digest{After: 1},
		Events: map[string][]string{"approval.needed": {"mail"}}}
	w.prefer("bob@example.com", `{"no_mail_summaries":true}`)
	h := w.begin()
	w.ask("apr_1")
	w.ask("apr_2")
	w.settle(h, 5)
	wrong = append(w.wants("mail", "ann"), w.wants("mail", "bob@example.com")...)
	return append(append(wrong, w.wants("chat", "ann", "2 approvals required")...),
		w.wants("chat", "bob@example.com", "2 approvals required")...)
}

// notReachable: people who have nothing on a channel where a message could go are told on the fallback at once. That is
// no failure. Whether a message arrived that may have, is still found out.
func notReachable(w *world) (wrong []string) {
	w.people = []string{"ann"}
	w.channel("backup")
	w.set.Notifications = &definition.Notifications{Fallback: []string{"backup"},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	n := 0
	w.rooms["chat"].fails = func() (before, after *notify.Failure) {
		if n++; n == 2 { // the first attempt at the second message
			return nil, &notify.Failure{Why: "timeout", Unknown: true}
		}
		return &notify.Failure{Why: "ann has no linked user", Permanent: true, Unreachable: true}, nil
	}
	h := w.begin()
	w.ask("apr_1")
	w.step(h)
	w.step(h)
	wrong = w.wants("backup", "ann", "Approval required: Pay apr_1")
	w.ask("apr_2")
	w.settle(h, 5)
	page, err := w.Deliveries(context.Background(), port.DeliveryQuery{Channel: "chat"})
	if err != nil || len(page.Items) != 2 {
		return append(wrong, fmt.Sprintf("the log has %+v, %v", page.Items, err))
	}
	for _, d := range page.Items {
		if d.Approval == "apr_1" && (d.Status != port.DeliverySuppressed || d.Why != "ann has no linked user" ||
			d.Attempts != 1) || d.Approval == "apr_2" && d.Status == port.DeliverySuppressed {
			wrong = append(wrong, fmt.Sprintf("%s is %s: %q after %d attempts", d.Approval, d.Status, d.Why, d.Attempts))
		}
	}
	return wrong
}

// gatesWish: where a gate says who is told, that applies to what becomes of the approval, too.
func gatesWish(w *world) (wrong []string) {
	w.people = []string{"ann"}
	w.channel("other")
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"approval.resolved": {"chat"}}}
	h := w.begin()
	w.request(gate.Request{ID: "apr_1",
		Terms: gate.Terms{Notify: json.RawMessage(`{"channels":["other"],"recipients":["ann"],"only":true}`)}})
	w.decide("apr_1")
	w.settle(h, 2)
	return append(w.wants("chat", "eve"), w.wants("other", "eve", "Approved: Pay apr_1")...)
}

// paused: the owner of a run hears that it was paused, unless it was them, and that it stopped at a limit.
func paused(w *world) (wrong []string) {
	h := w.begin()
	w.append(&run.RunPaused{Reason: "wait"})
	w.mu.Lock()
	w.feed[0].Actor = run.Actor{Kind: run.Person, Name: "eve"}
	w.mu.Unlock()
	w.settle(h, 1)
	wrong = w.wants("chat", "eve")
	w.append(&run.RunPaused{Reason: "the agent in the loop gave no usable answer: no answer in time"})
	w.settle(h, 1)
	return append(wrong, w.wants("chat", "eve", "Paused: Pay")...)
}

// atLimit: a run that reached a limit has stopped, so its owner hears of it as of one that failed.
func atLimit(w *world) (wrong []string) {
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"run.failed": {"chat"}}}
	h := w.begin()
	w.append(&run.RunLimitReached{Step: "study", Agent: "researcher", Limit: run.LimitIterations, Current: 9, Max: 9})
	w.settle(h, 1)
	return w.wants("chat", "eve", "Stopped at a limit: Pay")
}

// waitsForDays: when an approval pauses its run, those who can decide it hear of it again, and so does the owner of the
// run. Once it is decided, the messages say so.
func waitsForDays(w *world) (wrong []string) {
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 1)
	w.wait(72 * time.Hour)
	w.append(&run.ApprovalPaused{ID: "apr_1"})
	w.append(&run.RunPaused{Reason: "no answer: Pay apr_1", Approval: "apr_1"})
	w.settle(h, 2)
	for _, person := range w.people {
		wrong = append(wrong, w.wants("chat", person, "Approval required: Pay apr_1", "Timed out: Pay apr_1")...)
	}
	wrong = append(wrong, w.wants("chat", "eve", "Timed out: Pay apr_1")...)
	for _, m := range w.rooms["chat"].all() {
		if m.Event == notify.ApprovalTimedOut && (len(m.Acts) == 0 || m.Text != "No decision in 3 d, so the run is "+
			"paused. It continues once this is decided.") {
			wrong = append(wrong, fmt.Sprintf("%q with %d buttons", m.Text, len(m.Acts)))
		}
	}
	w.decide("apr_1")
	w.settle(h, 2)
	return append(wrong, check(w, nil)...)
}

// byRule: the notice of an automatic approval leads to the page that asks whether to disable the rule.
func byRule(w *world) (wrong []string) {
	h := w.begin()
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"approval.auto_approved": {"chat"}}}
	q := gate.Request{ID: "apr_1", Kind: gate.KindApproval, Title: "Pay", Rule: &gate.Rule{Name: "A & B?"}}
	ap := gate.Open(q, w.now)
	ap.Settle(gate.Outcome{Status: gate.AutoApproved}, w.now)
	w.approvals["apr_1"] = ap
	w.append(&run.ApprovalAutoApproved{Request: q, Notify: true})
	w.settle(h, 1)
	for _, m := range w.rooms["chat"].all() {
		if len(m.Links) != 1 || m.Links[0].URL != "https://assent.example/policy?disable=A+%26+B%3F" {
			wrong = append(wrong, fmt.Sprintf("it leads to %+v", m.Links))
		}
	}
	return append(wrong, w.wants("chat", "eve", "Approved automatically: Pay")...)
}

// agentsWishes: what an agent's document says about notifications applies to what its agent did, and not to others.
func agentsWishes(w *world) (wrong []string) {
	w.people = []string{"ann"}
	w.channel("other")
	w.set.Agents["researcher"] = &definition.Agent{
		Notify: json.RawMessage(`{"channels":["other"],"recipients":["ann"],"only":true}`)}
	chat := []string{"chat"}
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"limit.warning": chat,
		"run.failed": chat, "deliverable.created": chat}}
	h := w.begin()
	for _, agent := range []string{"researcher", "writer"} {
		w.append(&run.LimitWarning{Step: "a", Agent: agent, Limit: run.LimitIterations, Current: 8, Max: 10})
		w.append(&run.RunFailed{Error: run.Failure{Agent: agent, Step: "a", Message: "no"}})
		w.append(&run.RunLimitReached{Step: "a", Agent: agent, Limit: run.LimitIterations, Current: 9, Max: 9})
		w.append(&run.DeliverableCreated{Step: "a", Agent: agent, Deliverable: run.Deliverable{Name: agent + ".md"}})
	}
	w.settle(h, 2)
	told := func(agent string) []string {
		return []string{"Close to a limit: Pay", "Failed: Pay", "Stopped at a limit: Pay",
			"New deliverable: " + agent + ".md"}
	}
	return slices.Concat(w.wants("other", "ann", told("researcher")...), w.wants("other", "eve", told("researcher")...),
		w.wants("chat", "ann"), w.wants("chat", "eve", told("writer")...))
}

// fallback: after three attempts on a channel that fails the fallback takes over, once.
func fallback(w *world) (wrong []string) {
	w.channel("backup")
	w.set.Notifications = &definition.Notifications{Fallback: []string{"backup"},
		Events: map[string][]string{"approval.needed": {"chat"}}}
	tries := 0
	w.rooms["chat"].fails = func() (before, after *notify.Failure) { tries++; return notify.Failed("status 503"), nil }
	h := w.begin()
	w.people = []string{"ann"}
	w.ask("apr_1")
	w.step(h)
	wrong = w.wants("backup", "ann")
	w.settle(h, 60)
	if tries != 3 {
		wrong = append(wrong, fmt.Sprintf("%d attempts", tries))
	}
	wrong = append(wrong, w.wants("backup", "ann", "Approval required: Pay apr_1")...)
	w.decide("apr_1")
	w.settle(h, 5)
	wrong = append(wrong, w.wants("backup", "ann", "Approved: Pay apr_1")...)
	page, err := w.Deliveries(context.Background(), port.DeliveryQuery{Status: []port.DeliveryStatus{"failed"}})
	if err != nil || len(page.Items) != 1 || page.Items[0].Why != "status 503" {
		wrong = append(wrong, fmt.Sprintf("the log has %+v, %v", page.Items, err))
	}
	return wrong
}

// mayNotSee: those who may not see an approval are not told, and what was told is taken back.
func mayNotSee(w *world) (wrong []string) {
	w.unseen["bob"] = true
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 2)
	wrong = append(w.wants("chat", "bob"), w.wants("chat", "ann", "Approval required: Pay apr_1")...)
	w.unseen["ann"] = true
	w.append(&run.ApprovalReminder{ID: "apr_1"})
	w.settle(h, 2)
	wrong = append(wrong, w.wants("chat", "ann", "No longer for you")...)
	for _, m := range w.rooms["chat"].all() {
		if len(m.Acts)+len(m.Details) > 0 {
			wrong = append(wrong, fmt.Sprintf("it still shows %+v", m))
		}
	}
	return wrong
}

// masked: a message about masked values neither shows them nor decides.
func masked(w *world) (wrong []string) {
	w.masked = true
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 2)
	wrong = w.wants("chat", "ann", "Approval required: Pay apr_1")
	for _, m := range w.rooms["chat"].all() {
		if len(m.Acts)+len(m.Details) > 0 || strings.Contains(string(m.Data), "***") {
			wrong = append(wrong, fmt.Sprintf("it shows %+v", m))
		}
	}
	return wrong
}

// reminders: each is a message of its own, all of them converge, and none is sent about what is settled.
func reminders(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	w.ask("apr_1")
	w.append(&run.ApprovalReminder{ID: "apr_1"})
	w.settle(h, 2)
	wrong = w.wants("chat", "ann", "Approval required: Pay apr_1", "Reminder: Pay apr_1")
	w.decide("apr_1")
	w.append(&run.ApprovalReminder{ID: "apr_1"})
	w.settle(h, 2)
	return append(append(wrong, w.wants("chat", "ann", "Approved: Pay apr_1", "Approved: Pay apr_1")...),
		check(w, nil)...)
}

// escalation: only those who have not been asked yet get a message.
func escalation(w *world) (wrong []string) {
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 1)
	w.people = append(w.people, "max")
	w.append(&run.ApprovalEscalated{ID: "apr_1"})
	w.settle(h, 2)
	wrong = append(w.wants("chat", "ann", "Approval required: Pay apr_1"),
		w.wants("chat", "max", "Escalated to you: Pay apr_1")...)
	return append(wrong, check(w, []string{"apr_1"})...)
}

// owner: the owner of a run hears what came of it, and is not asked.
func owner(w *world) (wrong []string) {
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 1)
	wrong = w.wants("chat", "eve")
	w.decide("apr_1")
	w.append(&run.RunCompleted{})
	w.settle(h, 2)
	return append(wrong, w.wants("chat", "eve", "Approved: Pay apr_1", "Completed: Pay")...)
}

// quietHours: messages wait for the end of the quiet hours of their recipient, in their time zone and across changes of
// the clock.
func quietHours(w *world) (wrong []string) {
	h := w.begin()
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"approval.needed": {"chat"}},
		QuietHours: &definition.QuietHours{From: "22:00", To: "07:00", Timezone: "Europe/Berlin"}}
	w.people = []string{"ann"}
	for i, c := range []struct{ prefs, at, until string }{
		{`{}`, "2026-11-02T12:00:00Z", ""},
		{`{}`, "2026-11-02T20:59:00Z", ""},
		{`{}`, "2026-11-02T21:30:00Z", "2026-11-03T06:00:00Z"},
		{`{}`, "2026-11-03T05:59:00Z", "2026-11-03T06:00:00Z"},
		{`{}`, "2026-11-03T06:00:00Z", ""},
		{`{"no_quiet_hours":true}`, "2026-11-03T21:30:00Z", ""},
		{`{"quiet_hours":{"from":"23:00","to":"06:30","timezone":"Asia/Tokyo"}}`, "2026-11-03T21:31:00Z", ""},
		{`{"quiet_hours":{"from":"23:00","to":"06:30","timezone":"Asia/Tokyo"}}`, "2026-11-04T14:00:00Z",
			"2026-11-04T21:30:00Z"},
		{`{"quiet_hours":{"from":"12:00","to":"13:00","timezone":"America/New_York"}}`, "2026-11-05T17:30:00Z",
			"2026-11-05T18:00:00Z"},
		{`{}`, "2027-03-27T22:30:00Z", "2027-03-28T05:00:00Z"}, // clocks go forward that night
		{`{}`, "2027-10-30T20:30:00Z", "2027-10-31T06:00:00Z"}, // and back
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			w.Fatal(err)
		}
		w.now = at
		w.prefer("ann", c.prefs)
		id := fmt.Sprintf("apr_q%d", i)
		w.ask(id)
		w.step(h)
		told := func() bool {
			return slices.Contains(w.rooms["chat"].titles("ann"), "Approval required: Pay "+id)
		}
		if told() != (c.until == "") {
			wrong = append(wrong, fmt.Sprintf("at %s with %s: told %v", c.at, c.prefs, told()))
		}
		if c.until == "" {
			continue
		}
		until, err := time.Parse(time.RFC3339, c.until)
		if err != nil {
			w.Fatal(err)
		}
		w.now = until.Add(-time.Second)
		w.step(h)
		early := told()
		w.now = until
		w.step(h)
		if early || !told() {
			wrong = append(wrong, fmt.Sprintf("at %s with %s until %s: before %v, then %v", c.at, c.prefs, c.until, early,
				told()))
		}
	}
	return wrong
}

// urgentAnyway: critical approvals, urgent ones and those that would be due do not wait.
func urgentAnyway(w *world) (wrong []string) {
	h := w.begin()
	w.people = []string{"ann"}
	w.now = time.Date(2026, 11, 2, 23, 0, 0, 0, time.UTC)
	w.prefer("ann", `{"quiet_hours":{"from":"22:00","to":"07:00"}}`)
	w.request(gate.Request{ID: "apr_critical", Risk: gate.Risk{Level: risk.Critical}})
	w.request(gate.Request{ID: "apr_due", Terms: gate.Terms{Deadline: w.now.Add(8 * time.Hour)}})
	w.request(gate.Request{ID: "apr_urgent", Terms: gate.Terms{Notify: json.RawMessage(`{"urgency":"high"}`)}})
	w.request(gate.Request{ID: "apr_later", Terms: gate.Terms{Deadline: w.now.Add(20 * time.Hour)}})
	w.settle(h, 2)
	got := w.rooms["chat"].titles("ann")
	slices.Sort(got)
	want := []string{"Approval required: Pay apr_critical", "Approval required: Pay apr_due",
		"Approval required: Pay apr_urgent"}
	if !slices.Equal(got, want) {
		wrong = append(wrong, fmt.Sprintf("told at night: %q", got))
	}
	return wrong
}

// preferences: a person chooses the channels of an event, or none.
func preferences(w *world) (wrong []string) {
	w.channel("other")
	h := w.begin()
	w.set.Notifications = &definition.Notifications{Events: map[string][]string{"approval.needed": {"chat"}}}
	w.prefer("ann", `{"events":{"approval.needed":["other"]}}`)
	w.prefer("bob", `{"events":{"approval.needed":[]}}`)
	w.ask("apr_1")
	w.settle(h, 1)
	wrong = append(w.wants("chat", "ann"), w.wants("other", "ann", "Approval required: Pay apr_1")...)
	return append(append(wrong, w.wants("chat", "bob")...), w.wants("other", "bob")...)
}

// killed: a message that was being sent when its process was killed is there once, within seconds.
func killed(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	w.ask("apr_1")
	w.ask("apr_2")
	arrived := false
	w.rooms["chat"].fails = func() (before, after *notify.Failure) {
		arrived = !arrived
		if arrived { // one arrives, the other does not
			return nil, &notify.Failure{Why: "killed", Unknown: true}
		}
		return &notify.Failure{Why: "killed", Unknown: true}, nil
	}
	n := 0
	w.breaks = func() (before, after bool) { n++; return n > 2, false } // expanded and claimed
	w.step(h)
	w.breaks, w.rooms["chat"].fails = nil, newRoom().fails
	w.settle(w.host(), 4)
	return check(w, []string{"apr_1", "apr_2"})
}

// lateEdit: a message that was right for days is replaced although the first attempt fails, and one attempt that
// fails days later is not the last.
func lateEdit(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 1)
	w.wait(4 * 24 * time.Hour)
	n := 0
	w.rooms["chat"].fails = func() (before, after *notify.Failure) {
		if n++; n == 1 {
			return notify.Failed("status 503"), nil
		}
		return nil, nil
	}
	w.decide("apr_1")
	w.settle(h, 5)
	return check(w, nil)
}

// goneAndBack: what failed while a channel was gone is made up for once it is back.
func goneAndBack(w *world) (wrong []string) {
	w.people = []string{"ann"}
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 1)
	w.rooms["chat"].fails = func() (before, after *notify.Failure) {
		return &notify.Failure{Why: "token revoked", Gone: true}, nil
	}
	w.decide("apr_1")
	w.settle(h, 5)
	wrong = w.wants("chat", "ann", "Approval required: Pay apr_1")
	w.rooms["chat"].fails = newRoom().fails
	w.settle(h, 60)
	set := *w.set
	doc := *set.Channels["chat"]
	set.Channels = map[string]*definition.Channel{"chat": &doc}
	w.set = &set // a new version
	w.settle(h, 2)
	return append(wrong, check(w, nil)...)
}

// cannotOpen: messages on a channel that cannot be opened wait until it can be, or are sent on the fallback.
func cannotOpen(w *world) (wrong []string) {
	w.people, w.shut = []string{"ann"}, true
	h := w.begin()
	w.ask("apr_1")
	w.settle(h, 5)
	page, err := w.Deliveries(context.Background(), port.DeliveryQuery{})
	if err != nil || len(page.Items) != 1 || !strings.Contains(page.Items[0].Why, "CHAT_TOKEN") {
		wrong = append(wrong, fmt.Sprintf("the log has %+v, %v", page.Items, err))
	}
	w.shut = false
	w.settle(h, 10)
	wrong = append(wrong, check(w, []string{"apr_1"})...)
	w.decide("apr_1")
	w.settle(h, 2)
	return append(wrong, check(w, nil)...)
}

// deadHook: a webhook that answers nothing is tried for three days, fails, and starts again when it is retried.
func deadHook(w *world) (wrong []string) {
	w.people = nil
	delete(w.set.Channels, "chat")
	w.channel("hooks")
	w.set.Channels["hooks"].Kind = definition.ChannelWebhook
	w.rooms["hooks"].fails = func() (before, after *notify.Failure) {
		return &notify.Failure{Why: "status 429", After: time.Minute}, nil
	}
	h := w.begin()
	w.ask("apr_1")
	first := w.clock()
	state := func(at time.Duration, want port.DeliveryStatus) {
		for w.clock().Before(first.Add(at)) {
			w.step(h)
			w.wait(30 * time.Minute)
		}
		page, err := w.Deliveries(context.Background(), port.DeliveryQuery{Channel: "hooks"})
		if err != nil || len(page.Items) != 1 || page.Items[0].Status != want {
			wrong = append(wrong, fmt.Sprintf("after %s: %+v, %v", at, page.Items, err))
		}
	}
	state(70*time.Hour, port.DeliveryQueued)
	state(80*time.Hour, port.DeliveryFailed)
	page, err := w.Deliveries(context.Background(), port.DeliveryQuery{Channel: "hooks"})
	if err != nil || len(page.Items) != 1 {
		return append(wrong, fmt.Sprint(err))
	}
	if _, err := w.RetryDelivery(context.Background(), page.Items[0].ID, w.clock()); err != nil {
		return append(wrong, err.Error())
	}
	state(90*time.Hour, port.DeliveryQueued)
	return wrong
}

// dead: a channel on which nothing arrives is tried with few messages a second, and gets all of them when it works.
func dead(w *world) (wrong []string) {
	w.people = []string{"ann"}
	w.prefer("ann", `{"digest":{"off":true}}`)
	tries := 0
	w.rooms["chat"].fails = func() (before, after *notify.Failure) { tries++; return notify.Failed("refused"), nil }
	h := w.begin()
	for i := range 300 {
		w.ask(fmt.Sprintf("apr_%d", i))
	}
	w.settle(h, 30)
	if tries > 50+12+4*30 {
		wrong = append(wrong, fmt.Sprintf("%d attempts in 30 s", tries))
	}
	w.rooms["chat"].fails = newRoom().fails
	w.settle(h, 4)
	if n := len(w.rooms["chat"].titles("ann")); n != 300 {
		wrong = append(wrong, fmt.Sprintf("%d of 300 arrived", n))
	}
	return wrong
}
