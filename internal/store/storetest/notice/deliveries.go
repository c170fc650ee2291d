package notice

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Message is a message about an approval to a person, due some seconds after the beginning.
func Message(id, channel, person, approval string, feed int64, seconds int) port.Delivery {
	at := fixture.Began.Add(time.Duration(seconds) * time.Second)
	return port.Delivery{ID: id, Channel: channel, Event: "approval.needed", Run: "run_1", Workflow: "pay", Seq: 3,
		At: at, Approval: approval, Person: person, Recipient: "to_" + person, Edits: true, Status: port.DeliveryQueued,
		Wanted: feed, DueAt: at, CreatedAt: at, UpdatedAt: at}
}

func expand(t *testing.T, s store.Store, from, to int64, add []port.Delivery, raised ...port.RaisedApproval) {
	t.Helper()
	fixture.Must(t, s.ExpandOutbox(t.Context(), port.Expansion{From: from, To: to, First: from == 0, New: add,
		Raised: raised, At: fixture.Began.Add(time.Minute)}))
}

func delivery(t *testing.T, s store.Store, id string) port.Delivery {
	t.Helper()
	d, err := s.Delivery(t.Context(), id)
	fixture.Must(t, err)
	return d
}

// TraceMarks: the mark of traces moves forward, once, by any process, and is not that of the outbox.
func TraceMarks(t *testing.T, s store.Store) {
	ctx := t.Context()
	_, set, err := s.TraceMark(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "a mark", set, false)
	fixture.WantCode(t, s.MoveTraceMark(ctx, 3, 4), fault.Conflict)
	fixture.Must(t, s.MoveTraceMark(ctx, 0, 5))
	for _, from := range []int64{0, 4, 6} {
		fixture.WantCode(t, s.MoveTraceMark(ctx, from, 9), fault.Conflict)
	}
	fixture.WantCode(t, s.MoveTraceMark(ctx, 5, 4), fault.Invalid)
	expand(t, s, 0, 7, nil)
	var all sync.WaitGroup
	var won sync.Map
	for i := range 4 {
		all.Go(func() {
			if s.MoveTraceMark(ctx, 5, int64(10+i)) == nil {
				won.Store(int64(10+i), true)
			}
		})
	}
	all.Wait()
	mark, set, err := s.TraceMark(ctx)
	fixture.Must(t, err)
	_, ok := won.Load(mark)
	n := 0
	won.Range(func(any, any) bool { n++; return true })
	fixture.WantEqual(t, "moved", set && ok && n == 1, true)
	mark, _, err = s.OutboxMark(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "the outbox", mark, int64(7))
}

// Outbox: messages and the mark are stored together, once, by any process.
func Outbox(t *testing.T, s store.Store) {
	ctx := t.Context()
	_, set, err := s.OutboxMark(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "a mark", set, false)
	first := Message("d1", "mail", "ann", "apr_1", 5, 1)
	first.Address, first.Ref, first.Why, first.FailsSince = "ann@example.com", "ref", "why", fixture.Began
	expand(t, s, 0, 5, []port.Delivery{first})
	mark, _, err := s.OutboxMark(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "mark", mark, int64(5))
	fixture.WantEqual(t, "stored", delivery(t, s, "d1"), first)

	for name, e := range map[string]port.Expansion{
		"a stale mark":     {From: 4, To: 9, New: []port.Delivery{Message("d9", "mail", "bob", "apr_1", 6, 1)}},
		"a second first":   {First: true, To: 9, New: []port.Delivery{Message("d9", "mail", "bob", "apr_1", 6, 1)}},
		"a mark to come":   {From: 6, To: 9},
		"the same, raised": {From: 4, To: 5, Raised: []port.RaisedApproval{{Approval: "apr_1", Feed: 9}}},
	} {
		t.Run(name, func(t *testing.T) {
			e.At = fixture.Began
			fixture.WantCode(t, s.ExpandOutbox(ctx, e), fault.Conflict)
		})
	}
	_, err = s.Delivery(ctx, "d9")
	fixture.WantCode(t, err, fault.NotFound)
	fixture.WantEqual(t, "not raised", delivery(t, s, "d1").Wanted, int64(5))

	// A message that exists stays, one to the same recipient about the same approval is left out if it says so.
	again := Message("d1", "mail", "zoe", "apr_1", 7, 1)
	once := Message("d2", "mail", "ann", "apr_1", 7, 1)
	once.Once = true
	other := Message("d3", "chat", "ann", "apr_1", 7, 1)
	other.Once = true
	expand(t, s, 5, 7, []port.Delivery{again, once, other})
	fixture.WantEqual(t, "kept", delivery(t, s, "d1"), first)
	_, err = s.Delivery(ctx, "d2")
	fixture.WantCode(t, err, fault.NotFound)
	fixture.WantEqual(t, "on another channel", delivery(t, s, "d3").Channel, "chat")

	bad := Message("d4", "mail", "ann", "apr_1", 7, 1)
	bad.Status = "lost"
	fixture.WantCode(t, s.ExpandOutbox(ctx, port.Expansion{From: 7, To: 8, At: fixture.Began,
		New: []port.Delivery{bad}}), fault.Invalid)

	var won sync.Map
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			err := s.ExpandOutbox(ctx, port.Expansion{From: 7, To: 10, At: fixture.Began,
				New: []port.Delivery{Message(string(rune('a'+i)), "mail", "eve", "apr_2", 8, 1)}})
			if err == nil {
				won.Store(i, true)
			}
		})
	}
	all.Wait()
	n := 0
	won.Range(func(any, any) bool { n++; return true })
	fixture.WantEqual(t, "processes that expanded", n, 1)
	page, err := s.Deliveries(ctx, port.DeliveryQuery{Approval: "apr_2"})
	fixture.Must(t, err)
	fixture.WantEqual(t, "their messages", len(page.Items), 1)
}

// Claims: an attempt is counted before it is made, its result counts only if there was no other, and what is there is
// replaced until it shows what it should.
func Claims(t *testing.T, s store.Store) {
	ctx := t.Context()
	at := func(seconds int) time.Time { return fixture.Began.Add(time.Duration(seconds) * time.Second) }
	claim := func(now int, want ...string) []port.Delivery {
		t.Helper()
		got, err := s.ClaimDeliveries(ctx, port.DeliveryClaim{Channel: "mail", Now: at(now), Until: at(now + 30), Limit: 10})
		fixture.Must(t, err)
		var ids []string
		for _, d := range got {
			ids = append(ids, d.ID)
		}
		fixture.WantEqual(t, "claimed", ids, want)
		return got
	}
	plain := Message("d2", "mail", "bob", "apr_1", 5, 2)
	plain.Edits = false
	expand(t, s, 0, 5, []port.Delivery{Message("d1", "mail", "ann", "apr_1", 5, 1), plain,
		Message("d3", "chat", "ann", "apr_1", 5, 1)})
	claim(0)
	due, err := s.DueDeliveries(ctx, port.DeliveryClaim{Now: at(5)})
	fixture.Must(t, err)
	fixture.WantEqual(t, "due", due, []port.DueChannel{{Channel: "chat", At: at(1)}, {Channel: "mail", At: at(1)}})
	got := claim(3, "d1", "d2")
	fixture.WantEqual(t, "attempts", got[0].Attempts, 1)
	fixture.WantEqual(t, "known before", got[0].Unknown, false)
	fixture.WantEqual(t, "unknown now", delivery(t, s, "d1").Unknown, true)
	claim(20)
	got = claim(33, "d1", "d2") // the process that claimed them has stopped
	fixture.WantEqual(t, "unknown", got[0].Unknown, true)

	sent := got[0]
	sent.Status, sent.Shown, sent.Ref, sent.Unknown, sent.DueAt, sent.SentAt, sent.UpdatedAt = port.DeliverySent, 5, "m1",
		false, time.Time{}, at(34), at(34)
	late := sent
	late.Attempts, late.Ref = 1, "m0"
	fixture.WantCode(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: late}), fault.Conflict)
	fixture.Must(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: sent}))
	fixture.WantEqual(t, "settled", delivery(t, s, "d1"), sent)
	done := got[1]
	done.Status, done.Shown, done.DueAt, done.SentAt, done.Unknown = port.DeliverySent, 5, time.Time{}, at(34), false
	fixture.Must(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: done}))
	claim(1000)

	// Something happened to the approval: what can be replaced is due again.
	expand(t, s, 5, 9, nil, port.RaisedApproval{Approval: "apr_1", Feed: 9})
	got = claim(1001, "d1")
	fixture.WantEqual(t, "wanted", got[0].Wanted, int64(9))
	expand(t, s, 9, 12, nil, port.RaisedApproval{Approval: "apr_1", Feed: 12}) // while it is being replaced
	claim(1002)
	edited := got[0]
	edited.Status, edited.Shown, edited.DueAt, edited.UpdatedAt, edited.Unknown = port.DeliveryUpdated, 9, time.Time{},
		at(1003), false
	fixture.Must(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: edited}))
	got = claim(1004, "d1")
	edited = got[0]
	edited.Status, edited.Failures, edited.DueAt, edited.Unknown = port.DeliveryFailed, 3, time.Time{}, false
	fall := Message("d1f", "chat", "ann", "apr_9", 12, 5)
	fall.Fallback = "d1"
	fixture.Must(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: edited, Fallbacks: []port.Delivery{fall}}))
	fixture.WantEqual(t, "fallback", delivery(t, s, "d1f"), fall)
	claim(2000) // it failed, and shows 9
	expand(t, s, 12, 13, nil, port.RaisedApproval{Approval: "apr_1", Feed: 13})
	got = claim(2001, "d1")
	fixture.WantEqual(t, "failures", got[0].Failures, 0)
	edited = got[0]
	edited.Status, edited.Shown, edited.DueAt, edited.Unknown = port.DeliveryUpdated, 13, time.Time{}, false
	fixture.Must(t, s.SettleDelivery(ctx, port.DeliveryResult{Delivery: edited}))

	asks := port.DeliveryClass{Asks: true}
	n, first, err := s.DeliveriesSent(ctx, "mail", "to_ann", asks, at(0))
	fixture.Must(t, err)
	fixture.WantEqual(t, "sent", n, 1)
	fixture.WantEqual(t, "first", first, at(34))
	for class, since := range map[port.DeliveryClass]int{asks: 34, {}: 0, {Asks: true, Urgent: true}: 0} {
		n, _, err = s.DeliveriesSent(ctx, "mail", "to_ann", class, at(since))
		fixture.Must(t, err)
		fixture.WantEqual(t, "sent later, or of another class", n, 0)
	}
	sumUp(t, s)
}

// Takeover: the claims of a leader that is no more end soon under the next, and a result that it reports late counts
// only if there was no other attempt.
func Takeover(t *testing.T, s store.Store) {
	ctx := t.Context()
	at := func(seconds int) time.Time { return fixture.Began.Add(time.Duration(seconds) * time.Second) }
	under := func(epoch int64, now int) port.DeliveryClaim {
		return port.DeliveryClaim{Channel: "mail", Now: at(now), Until: at(now + 100), Limit: 10, Epoch: epoch,
			Early: 98 * time.Second}
	}
	claim := func(epoch int64, now int, want ...string) []port.Delivery {
		t.Helper()
		got, err := s.ClaimDeliveries(ctx, under(epoch, now))
		fixture.Must(t, err)
		var ids []string
		for _, d := range got {
			ids = append(ids, d.ID)
		}
		fixture.WantEqual(t, "claimed", ids, want)
		return got
	}
	due := func(epoch int64, now int, want ...port.DueChannel) {
		t.Helper()
		got, err := s.DueDeliveries(ctx, under(epoch, now))
		fixture.Must(t, err)
		fixture.WantEqual(t, "due", got, want)
	}
	sent := func(d port.Delivery, ref string) port.DeliveryResult {
		d.Status, d.Shown, d.Ref, d.Unknown, d.DueAt, d.SentAt = port.DeliverySent, 5, ref, false, time.Time{}, at(20)
		return port.DeliveryResult{Delivery: d}
	}
	expand(t, s, 0, 5, []port.Delivery{Message("d1", "mail", "ann", "apr_1", 5, 1),
		Message("d2", "mail", "bob", "apr_1", 5, 2), Message("d3", "chat", "bob", "apr_1", 5, 3),
		Message("d4", "mail", "eve", "apr_1", 5, 11)})
	old := claim(3, 10, "d1", "d2")
	claim(3, 10)
	due(3, 10, port.DueChannel{Channel: "chat", At: at(3)})
	due(4, 11, port.DueChannel{Channel: "chat", At: at(3)}, port.DueChannel{Channel: "mail", At: at(11)})
	claim(4, 10) // an attempt that was just begun may still arrive
	again, err := s.RetryDelivery(ctx, "d1", at(10))
	fixture.Must(t, err)
	fixture.WantEqual(t, "retried while it is being sent", again.DueAt, at(110))
	due(4, 12, port.DueChannel{Channel: "chat", At: at(3)}, port.DueChannel{Channel: "mail", At: at(11)})
	fixture.Must(t, s.SettleDelivery(ctx, sent(old[1], "m2"))) // it arrived, no matter who leads
	got := claim(4, 12, "d1", "d4")
	fixture.WantEqual(t, "unknown", got[0].Unknown, true)
	fixture.WantEqual(t, "attempts", got[0].Attempts, 2)
	fixture.WantEqual(t, "due again", got[0].DueAt, at(112))
	claim(4, 13)
	claim(3, 105) // a leader of the past takes nothing over
	fixture.WantCode(t, s.SettleDelivery(ctx, sent(old[0], "m1")), fault.Conflict)
	fixture.Must(t, s.SettleDelivery(ctx, sent(got[0], "m1")))
	claim(5, 15, "d4")
	fixture.WantEqual(t, "delivered", delivery(t, s, "d2").Ref, "m2")
}

// sumUp: a summary stands for what was not sent of its class, except for what may be under way.
func sumUp(t *testing.T, s store.Store) {
	ctx := t.Context()
	urgent := Message("e3", "mail", "eve", "apr_7", 14, 1)
	urgent.Urgent = true
	result := Message("e5", "mail", "eve", "apr_7", 14, 1)
	result.Event = "approval.resolved"
	expand(t, s, 13, 20, []port.Delivery{result, Message("e1", "mail", "eve", "apr_5", 14, 1),
		Message("e2", "mail", "eve", "apr_6", 14, 5000), urgent, Message("e4", "mail", "ann", "apr_5", 14, 5000)})
	summary := Message("e9", "mail", "eve", "", 20, 6000)
	summary.Summary = true
	n, err := s.SumUpDeliveries(ctx, summary)
	fixture.Must(t, err)
	fixture.WantEqual(t, "summed up", n, 2)
	in, err := s.Deliveries(ctx, port.DeliveryQuery{In: "e9"})
	fixture.Must(t, err)
	fixture.WantEqual(t, "parts", []string{in.Items[0].ID, in.Items[1].ID}, []string{"e2", "e1"})
	fixture.WantEqual(t, "part", in.Items[0].Status, port.DeliverySuppressed)
	fixture.WantEqual(t, "urgent", delivery(t, s, "e3").Status, port.DeliveryQueued)
	fixture.WantEqual(t, "result", delivery(t, s, "e5").Status, port.DeliveryQueued)
	_, err = s.RetryDelivery(ctx, "e1", fixture.Began)
	fixture.WantCode(t, err, fault.Conflict)
	summary.ID = "e10"
	n, err = s.SumUpDeliveries(ctx, summary)
	fixture.Must(t, err)
	fixture.WantEqual(t, "summed up again", n, 0)
	_, err = s.Delivery(ctx, "e10")
	fixture.WantCode(t, err, fault.NotFound)
}

// DeliveryLog: lists, retries and retention.
func DeliveryLog(t *testing.T, s store.Store) {
	ctx := t.Context()
	failed := Message("d2", "mail", "bob", "apr_2", 5, 2)
	failed.Status, failed.DueAt, failed.Failures = port.DeliveryFailed, time.Time{}, 3
	sent := Message("d3", "chat", "ann", "apr_1", 5, 3)
	sent.Status, sent.DueAt, sent.Shown, sent.SentAt = port.DeliverySent, time.Time{}, 5, fixture.Began
	expand(t, s, 0, 5, []port.Delivery{Message("d1", "mail", "ann", "apr_1", 5, 1), failed, sent})
	for name, c := range map[string]struct {
		q    port.DeliveryQuery
		want string
	}{
		"all":      {port.DeliveryQuery{}, "d3 d2 d1"},
		"status":   {port.DeliveryQuery{Status: []port.DeliveryStatus{"failed", "sent"}}, "d3 d2"},
		"approval": {port.DeliveryQuery{Approval: "apr_1"}, "d3 d1"},
		"run":      {port.DeliveryQuery{Run: "run_2"}, ""},
		"channel":  {port.DeliveryQuery{Channel: "mail"}, "d2 d1"},
		"person":   {port.DeliveryQuery{Person: "bob"}, "d2"},
		"pages":    {port.DeliveryQuery{Limit: 1}, "d3 d2 d1"},
	} {
		t.Run(name, func(t *testing.T) {
			var ids []string
			for {
				page, err := s.Deliveries(ctx, c.q)
				fixture.Must(t, err)
				for _, d := range page.Items {
					ids = append(ids, d.ID)
				}
				if c.q.Cursor = page.Next; page.Next == "" {
					break
				}
			}
			fixture.WantEqual(t, "ids", strings.Join(ids, " "), c.want)
		})
	}
	_, err := s.Deliveries(ctx, port.DeliveryQuery{Status: []port.DeliveryStatus{"lost"}})
	fixture.WantCode(t, err, fault.Invalid)

	entry := port.AuditDraft{At: fixture.Began, Actor: run.Actor{Kind: run.Person, Name: "ann"},
		Action: "delivery.retried", Target: "delivery/d2"}
	at := fixture.Began.Add(time.Hour)
	again, err := s.RetryDelivery(ctx, "d2", at, entry)
	fixture.Must(t, err)
	fixture.WantEqual(t, "again", []any{again.Status, again.Failures, again.DueAt},
		[]any{port.DeliveryQueued, 0, at})
	_, err = s.RetryDelivery(ctx, "d3", at, entry)
	fixture.WantCode(t, err, fault.Conflict)
	_, err = s.RetryDelivery(ctx, "d7", at, entry)
	fixture.WantCode(t, err, fault.NotFound)
	wantEntries(t, s, 1)

	n, err := s.ForgetDeliveries(ctx, fixture.Began.Add(3*time.Second))
	fixture.Must(t, err)
	fixture.WantEqual(t, "forgotten early", n, 0)
	n, err = s.ForgetDeliveries(ctx, at)
	fixture.Must(t, err)
	fixture.WantEqual(t, "forgotten", n, 1)
	_, err = s.Delivery(ctx, "d3")
	fixture.WantCode(t, err, fault.NotFound)
}

// Notices: preferences of people and disabled channels.
func Notices(t *testing.T, s store.Store) {
	ctx := t.Context()
	raw, err := s.Preferences(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "preferences", raw, json.RawMessage(nil))
	for _, text := range []string{`{"email":"ann@example.com"}`, `{"email":"a@example.com"}`} {
		fixture.Must(t, s.PutPreferences(ctx, "ann", json.RawMessage(text), fixture.Began))
		raw, err = s.Preferences(ctx, "ann")
		fixture.Must(t, err)
		fixture.WantEqual(t, "preferences", string(raw), text)
	}
	entry := port.AuditDraft{At: fixture.Began, Actor: run.Actor{Kind: run.Person, Name: "ann"},
		Action: "notifications.unsubscribed", Target: "person/ann", Detail: map[string]any{"what": "summaries"}}
	fixture.Must(t, s.PutPreferences(ctx, "ann", json.RawMessage(`{"no_mail_summaries":true}`), fixture.Began, entry))
	recorded, err := s.AuditEntries(ctx, port.AuditQuery{Action: entry.Action, Limit: 10})
	fixture.Must(t, err)
	fixture.WantEqual(t, "audit", len(recorded.Items), 1)
	fixture.WantCode(t, s.PutPreferences(ctx, "", json.RawMessage(`{}`), fixture.Began), fault.Invalid)
	fixture.WantCode(t, s.PutPreferences(ctx, "ann", json.RawMessage(`{`), fixture.Began), fault.Invalid)
	fixture.WantCode(t, s.PutPreferences(ctx, "ann", json.RawMessage(`"`+strings.Repeat("x", 1<<20)+`"`),
		fixture.Began), fault.Invalid)

	gone := port.DisabledChannel{Name: "hooks", Digest: "sha256:1", Why: "status 410", At: fixture.Began}
	fixture.Must(t, s.DisableChannel(ctx, gone))
	gone.Digest = "sha256:2"
	fixture.Must(t, s.DisableChannel(ctx, gone))
	all, err := s.DisabledChannels(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "disabled", all, []port.DisabledChannel{gone})
	fixture.WantCode(t, s.DisableChannel(ctx, port.DisabledChannel{}), fault.Invalid)
	for range 2 {
		_, err := s.EnableChannel(ctx, "hooks", fixture.Began)
		fixture.Must(t, err)
	}
	all, err = s.DisabledChannels(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "disabled", len(all), 0)
}
