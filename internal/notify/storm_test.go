package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

var began = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// messages are those of a store, with what other packages do with them.
type messages interface {
	notify.Store
	PutPreferences(ctx context.Context, person string, prefs json.RawMessage, at time.Time,
		audit ...port.AuditDraft) error
	RetryDelivery(ctx context.Context, id string, at time.Time, audit ...port.AuditDraft) (port.Delivery, error)
}

// world has runs with approvals, and people whom they ask.
type world struct {
	*testing.T
	messages
	mu        sync.Mutex
	now       time.Time
	feed      []port.Record
	approvals map[string]*gate.Approval
	people    []string
	unseen    map[string]bool // people who may see nothing
	masked    bool
	phones    bool // channels are phones
	shut      bool // channels cannot be opened
	set       *definition.Set
	rooms     map[string]*room
	epoch     int64 // of the newest process
	// breaks decides whether a write fails before it is made, or seems to fail after it.
	breaks func() (before, after bool)
}

var errBroken = errors.New("the process was killed")

func newWorld(t *testing.T) *world {
	s, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := &world{T: t, messages: s, now: began, approvals: map[string]*gate.Approval{}, people: []string{"ann", "bob"},
		unseen: map[string]bool{}, set: definition.NewSet(), rooms: map[string]*room{}}
	w.channel("chat")
	return w
}

func (w *world) channel(name string) *room {
	w.rooms[name] = newRoom()
	w.set.Channels[name] = &definition.Channel{Name: name, Kind: definition.ChannelSlack,
		Slack: &definition.SlackChannel{}}
	return w.rooms[name]
}

func (w *world) host() *notify.Host {
	w.epoch++
	epoch := w.epoch
	return notify.New(notify.Config{Store: term{w, epoch}, Sight: seen{w},
		Documents: func() *definition.Set { return w.set },
		Digest:    func(string) string { return "1" }, Epoch: func() int64 { return epoch },
		Open: func(d *definition.Channel) (notify.Channel, error) {
			switch {
			case w.shut:
				return nil, errors.New("environment variable CHAT_TOKEN is not set")
			case w.phones:
				return phone{w.rooms[d.Name]}, nil
			case d.Kind == definition.ChannelWebhook:
				return hook{w.rooms[d.Name]}, nil
			}
			return w.rooms[d.Name], nil
		},
		Link: func(path string) string { return "https://assent.example" + path }, Now: w.clock,
		Log: slog.New(slog.DiscardHandler)})
}

// term is a world for a process that does not notice when another leads.
type term struct {
	*world
	epoch int64
}

func (t term) Epoch(context.Context) (int64, error) { return t.epoch, nil }

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) wait(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) append(f run.Fact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := int64(len(w.feed) + 1)
	w.feed = append(w.feed, port.Record{Feed: n, Event: run.Event{Run: "run_1", Seq: n, At: w.now, Fact: f}})
}

// ask requests an approval.
func (w *world) ask(id string) {
	w.request(gate.Request{ID: id})
}

// request requests an approval with some terms.
func (w *world) request(q gate.Request) {
	id := q.ID
	q.Kind, q.Title, q.Proposed = gate.KindApproval, "Pay "+id, json.RawMessage(`{"amount":7}`)
	q.Terms.Acts = []gate.Act{gate.Approve, gate.Reject}
	w.mu.Lock()
	w.approvals[id] = gate.Open(q, w.now)
	w.mu.Unlock()
	w.append(&run.ApprovalNeeded{Request: q})
}

func (w *world) decide(id string) {
	o := gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "ann"}
	w.mu.Lock()
	w.approvals[id].Settle(o, w.now)
	w.mu.Unlock()
	w.append(&run.ApprovalResolved{ID: id, Outcome: o})
}

func (w *world) Head(context.Context) (int64, error) { return int64(len(w.feed)), nil }

func (w *world) Feed(_ context.Context, after int64, limit int, _ port.FeedFilter) ([]port.Record, int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := slices.Clone(w.feed[after:min(after+int64(limit), int64(len(w.feed)))])
	return out, after + int64(len(out)), nil
}

func (w *world) Run(ctx context.Context, id string) (port.RunRow, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	row := port.RunRow{ID: id, Workflow: "pay", Owner: "eve", Status: run.Running}
	for _, r := range w.feed {
		if _, ok := r.Fact.(*run.RunPaused); ok {
			row.Status = run.Paused
		}
	}
	return row, nil
}

// sight is a world as people see it.
func (w *world) Approval(_ context.Context, id string) (port.ApprovalRow, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ap, ok := w.approvals[id]
	if !ok {
		return port.ApprovalRow{}, fault.New(fault.NotFound, "approval not found", "")
	}
	body, err := json.Marshal(ap)
	return port.ApprovalRow{ID: id, Run: "run_1", Workflow: "pay", Status: string(ap.Status), Body: body,
		DeadlineAt: ap.Terms.Deadline}, err
}

func (w *world) ClaimDeliveries(ctx context.Context, c port.DeliveryClaim) (out []port.Delivery, err error) {
	err = w.broken(func() (err error) { out, err = w.messages.ClaimDeliveries(ctx, c); return err })
	return out, err
}

func (w *world) SettleDelivery(ctx context.Context, r port.DeliveryResult) error {
	return w.broken(func() error { return w.messages.SettleDelivery(ctx, r) })
}

func (w *world) ExpandOutbox(ctx context.Context, e port.Expansion) error {
	return w.broken(func() error { return w.messages.ExpandOutbox(ctx, e) })
}

func (w *world) broken(f func() error) error {
	before, after := false, false
	if w.breaks != nil {
		w.mu.Lock()
		before, after = w.breaks()
		w.mu.Unlock()
	}
	if before {
		return errBroken
	}
	if err := f(); err != nil || !after {
		return err
	}
	return errBroken
}

// seen adapts a world to notify.Sight.
type seen struct{ *world }

func (s seen) Approval(_ context.Context, person, id string) (view.Approval, error) {
	row, err := s.world.Approval(context.Background(), id)
	if err != nil || s.unseen[person] {
		return view.Approval{}, fault.New(fault.NotFound, "approval not found", "")
	}
	ap, err := view.ReadApproval(row)
	v := view.ApprovalOf(row, ap, true)
	if v.Acts, v.Masked = ap.Terms.Acts, s.masked; v.Masked {
		v.Proposed = json.RawMessage(`{"amount":"***"}`)
	}
	return v, err
}

func (s seen) Run(_ context.Context, _, _ string, seq int64) (notify.News, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return notify.News{Subject: "Pay", Fact: s.feed[seq-1].Fact, By: s.feed[seq-1].Actor, StartedAt: began}, nil
}

func (s seen) Asked(context.Context, *gate.Approval) ([]string, error) { return s.people, nil }

func (s seen) Holders(context.Context, string) ([]string, error) { return nil, nil }

func (s seen) Known(_ context.Context, person string) (known, gone bool, err error) {
	return slices.Contains(append(s.people, "eve"), person), false, nil
}

// settle lets a host work until nothing is due for some time.
func (w *world) settle(h *notify.Host, seconds int) {
	w.Helper()
	for range seconds * 4 {
		w.step(h)
		w.wait(250 * time.Millisecond)
	}
}

func (w *world) step(h *notify.Host) {
	ctx := context.Background()
	for more := true; more; {
		var err error
		if more, err = h.Expand(ctx); err != nil {
			more = false
		}
	}
	if err := h.Recover(ctx); err != nil {
		w.Error(err)
	}
	epoch := h.Epoch()
	due, err := w.messages.DueDeliveries(ctx, port.DeliveryClaim{Now: w.clock(), Epoch: epoch, Early: time.Hour})
	if err != nil {
		w.Error(err)
	}
	for _, d := range due {
		h.Send(ctx, d.Channel, epoch)
	}
}

// TestStorm: requests fail in every way, processes are killed around every write, two of them work at once, and people
// decide. Afterwards what is there is what should be there.
func TestStorm(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { report(t, storm(newWorld(t), seed)) })
	}
}

func report(t *testing.T, wrong []string) {
	t.Helper()
	for _, why := range wrong {
		t.Error(why)
	}
}

func storm(w *world, seed uint64) []string {
	// Each is used under a lock of its own.
	source := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
	r, requests, writes := source(1), source(2), source(3)
	chat := w.rooms["chat"]
	hosts := []*notify.Host{w.host(), w.host()}
	w.step(hosts[0]) // the mark
	chat.fails = stormy(requests)
	w.breaks = func() (before, after bool) { n := writes.IntN(10); return n == 0, n == 1 }
	for _, person := range w.people {
		w.prefer(person, `{"digest":{"off":true}}`)
	}
	var open []string
	for i := range 60 {
		id := fmt.Sprintf("apr_%d", i)
		w.ask(id)
		open = append(open, id)
		if len(open) > 1 && r.IntN(3) > 0 {
			n := r.IntN(len(open))
			w.decide(open[n])
			open = slices.Delete(open, n, n+1)
		}
		if r.IntN(5) == 0 {
			hosts[r.IntN(2)] = w.host() // another process
		}
		var both sync.WaitGroup
		for _, h := range hosts {
			both.Go(func() { w.step(h) })
		}
		both.Wait()
		w.wait(time.Second)
	}
	chat.fails, w.breaks = func() (a, b *notify.Failure) { return nil, nil }, nil
	w.settle(w.host(), 5) // the claims of killed processes end
	return check(w, open)
}

// check compares what is there with what should be there.
func check(w *world, open []string) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	told := map[string]int{}
	for _, m := range w.rooms["chat"].all() {
		pending := w.approvals[m.Approval].Status == gate.Pending
		if len(m.Acts) > 0 && !pending || pending == m.Settled {
			bad("%s is %s and shows %q with %d buttons", m.Approval, w.approvals[m.Approval].Status, m.Title, len(m.Acts))
		}
		if pending && len(m.Acts) == 0 {
			bad("%s has no buttons", m.Approval)
		}
		told[m.Approval]++
	}
	for key, n := range w.rooms["chat"].keys {
		if n > 1 {
			bad("%s was sent %d times", key, n)
		}
	}
	for _, id := range open {
		if told[id] != len(w.people) {
			bad("%s is pending, and %d people were told", id, told[id])
		}
	}
	return wrong
}
