package notify

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"log/slog"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that notifications use.
type Store interface {
	port.Outbox
	messages
	settings
	Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error)
	Head(ctx context.Context) (int64, error)
	Watch(ctx context.Context) <-chan struct{}
	Run(ctx context.Context, id string) (port.RunRow, error)
	Approval(ctx context.Context, id string) (port.ApprovalRow, error)
	Epoch(ctx context.Context) (int64, error)
}

type (
	messages interface {
		Delivery(ctx context.Context, id string) (port.Delivery, error)
		Deliveries(ctx context.Context, q port.DeliveryQuery) (port.Page[port.Delivery], error)
	}
	settings interface {
		Preferences(ctx context.Context, person string) (json.RawMessage, error)
		DisableChannel(ctx context.Context, c port.DisabledChannel) error
		EnableChannel(ctx context.Context, name string, at time.Time) (int, error)
		DisabledChannels(ctx context.Context) ([]port.DisabledChannel, error)
	}
)

// Sight shows approvals and runs as people see them now. A person without a name is a room with any readers.
type Sight interface {
	// Approval returns fault.NotFound if the person may not see it.
	Approval(ctx context.Context, person, id string) (view.Approval, error)
	// Run returns an event of a run; fault.NotFound if the person may not see it.
	Run(ctx context.Context, person, id string, seq int64) (News, error)
	// Asked lists the people whom an approval asks, their stand-ins among them.
	Asked(ctx context.Context, ap *gate.Approval) ([]string, error)
	// Holders lists the people with a role.
	Holders(ctx context.Context, role string) ([]string, error)
	// Known reports whether a word names a person who can be told; gone: one who no longer can, as their account is
	// disabled or their name was released.
	Known(ctx context.Context, word string) (known, gone bool, err error)
}

// Config is the environment of notifications.
type Config struct {
	Store Store
	Sight Sight
	// Documents are the documents in force. They never change; a new set replaces them.
	Documents func() *definition.Set
	// Digest names the content of a channel's document.
	Digest func(channel string) string
	// Open opens the channel of a document.
	Open func(*definition.Channel) (Channel, error)
	// Link is the address of a page.
	Link func(path string) string
	// Epoch is that of this process's leadership; 0: another process leads.
	Epoch func() int64
	// Trace makes requests part of the trace of a run; nil: there are none.
	Trace func(ctx context.Context, run string) context.Context
	// Count counts the outcome of an attempt. It may be nil.
	Count func(channel, outcome string)
	Now   func() time.Time
	Log   *slog.Logger
}

// Host expands the log of runs into messages and sends them. Call Run.
type Host struct {
	Config
	mu     sync.Mutex
	opened map[string]opened
	busy   map[string]bool // channels with a sender
	health map[string]health
	ready  map[string]*definition.Channel // documents of channels whose failed messages were made due
	wake   chan struct{}
	began  *int64 // head of the feed when Run was called
}

// opened is a channel as it was opened from a document.
type opened struct {
	doc *definition.Channel
	Channel
	err error
	at  time.Time
}

// New creates a host.
func New(c Config) *Host {
	if c.Count == nil {
		c.Count = func(string, string) {}
	}
	return &Host{Config: c, opened: map[string]opened{}, busy: map[string]bool{}, health: map[string]health{},
		ready: map[string]*definition.Channel{}, wake: make(chan struct{}, 1)}
}

const (
	look     = time.Second            // how soon a change of the clock is noticed
	lookLead = 100 * time.Millisecond // and one of the leader
	reopen   = 5 * time.Second        // when a channel that cannot be opened is tried again
)

// term is what a host does under one leadership. Nothing of it continues under the next one: whether its last attempts
// arrived can be looked up then.
type term struct {
	epoch   int64
	stop    context.CancelFunc
	senders sync.WaitGroup
}

func (t *term) end() {
	if t != nil {
		t.stop()
		t.senders.Wait()
	}
}

// Run expands and sends whenever this process leads, until ctx ends.
func (h *Host) Run(ctx context.Context) {
	var t *term
	defer func() { t.end() }()
	under := ctx
	grown := h.Store.Watch(ctx)
	if head, err := h.Store.Head(ctx); err == nil {
		h.began = &head
	}
	for ctx.Err() == nil {
		wait, epoch := lookLead, h.Epoch()
		if t != nil && t.epoch != epoch {
			t.end()
			t = nil
		}
		if t == nil && epoch != 0 {
			t = &term{epoch: epoch}
			under, t.stop = context.WithCancel(ctx)
			clear(h.ready)
		}
		if t != nil {
			more, err := h.Expand(ctx)
			if err == nil {
				err = h.Recover(ctx)
			}
			if err == nil {
				err = h.start(under, t)
			}
			wait = look
			switch {
			case err != nil && ctx.Err() == nil && !fault.Is(err, fault.Conflict):
				h.Log.Error("send notifications; retrying", "error", err)
			case more:
				wait = 0
			default:
				wait = h.untilDue(ctx, epoch)
			}
		}
		select {
		case <-time.After(wait):
		case _, open := <-grown:
			if !open {
				grown = nil
			}
		case <-h.wake:
		case <-ctx.Done():
		}
	}
}

// Wake lets the host look at once.
func (h *Host) Wake() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// untilDue is how long nothing is due, at most look.
func (h *Host) untilDue(ctx context.Context, epoch int64) time.Duration {
	now, wait := h.Now(), look
	due, err := h.Store.DueDeliveries(ctx, claim("", now.Add(look), epoch))
	if err != nil {
		return look
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range due {
		if !h.busy[d.Channel] {
			at := d.At
			if rest := h.health[d.Channel].rest; rest.After(at) {
				at = rest
			}
			wait = min(wait, max(at.Sub(now), 0))
		}
	}
	return wait
}

// start starts a sender for every channel with messages that are due, unless there is one.
func (h *Host) start(ctx context.Context, t *term) error {
	due, err := h.Store.DueDeliveries(ctx, claim("", h.Now(), t.epoch))
	if err != nil {
		return err
	}
	for _, d := range due {
		h.mu.Lock()
		if h.busy[d.Channel] || h.health[d.Channel].rest.After(h.Now()) {
			h.mu.Unlock()
			continue
		}
		h.busy[d.Channel] = true
		h.mu.Unlock()
		t.senders.Go(func() {
			h.Send(ctx, d.Channel, t.epoch)
			h.mu.Lock()
			delete(h.busy, d.Channel)
			h.mu.Unlock()
			h.Wake()
		})
	}
	return nil
}

// channel is a channel in force, opened.
func (h *Host) channel(name string) (opened, bool) {
	doc := h.Documents().Channels[name]
	if doc == nil {
		return opened{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	o, ok := h.opened[name]
	if now := h.Now(); !ok || o.doc != doc || o.err != nil && now.Sub(o.at) >= reopen {
		was := o.err
		o = opened{doc: doc, at: now}
		if o.Channel, o.err = h.Open(doc); o.err != nil && (was == nil || was.Error() != o.err.Error()) {
			h.Log.Warn("a channel cannot be opened, so nothing is sent there", "channel", name, "error", o.err)
		}
		h.opened[name] = o
	}
	return o, true
}

// Recover makes messages due that failed on channels that work again, as far as is known: this process has begun to
// lead, the document changed, or the channel can be opened now.
func (h *Host) Recover(ctx context.Context) error {
	for name, doc := range h.Documents().Channels {
		o, ok := h.channel(name)
		if !ok || o.err != nil {
			delete(h.ready, name)
			continue
		}
		if h.ready[name] == doc {
			continue
		}
		_, off, err := h.disabled(ctx, name)
		if err == nil && !off {
			_, err = h.Store.EnableChannel(ctx, name, h.Now())
		}
		if err != nil {
			return err
		}
		h.ready[name] = doc
	}
	return nil
}

// Channel is a channel in force, for its own operations; fault.NotFound.
func (h *Host) Channel(name string) (Channel, *definition.Channel, error) {
	o, ok := h.channel(name)
	if !ok {
		return nil, nil, fault.New(fault.NotFound, "channel "+strconv.Quote(cut(name, 80))+" not found", "")
	}
	return o.Channel, o.doc, o.err
}

// edits reports whether messages of a channel can be replaced. Of one that cannot be opened its kind decides.
func (o opened) edits() bool {
	if o.err != nil {
		return o.doc.Kind != definition.ChannelWebhook && (o.doc.Teams == nil || o.doc.Teams.Bot != nil)
	}
	_, ok := o.Channel.(Editor)
	return ok
}

// expandMax is how many events are expanded at a time.
const expandMax = 200

// types are the events of the log that change messages.
var types = []string{"approval.needed", "approval.auto_approved", "approval.decided", "approval.resolved",
	"approval.reminder", "approval.escalated", "approval.timed_out", "approval.paused", "run.completed", "run.failed",
	"run.limit_reached", "run.paused", "deliverable.created", "limit.warning"}

// Expand stores which messages follow from the next part of the log, and reports whether there is more.
func (h *Host) Expand(ctx context.Context) (more bool, err error) {
	mark, set, err := h.Store.OutboxMark(ctx)
	if err != nil {
		return false, err
	}
	if !set { // what happened before is history
		head, err := h.Store.Head(ctx)
		if err != nil {
			return false, err
		}
		if h.began != nil { // what happened since this process started is not
			head = min(head, *h.began)
		}
		return true, h.Store.ExpandOutbox(ctx, port.Expansion{First: true, To: head, At: h.Now()})
	}
	records, next, err := h.Store.Feed(ctx, mark, expandMax, port.FeedFilter{Types: types})
	if err != nil || next == mark {
		return false, err
	}
	e := port.Expansion{From: mark, To: next, At: h.Now()}
	b := &batch{host: h, runs: map[string]port.RunRow{}, now: e.At, set: h.Documents()}
	if len(b.set.Channels) > 0 || len(records) > 0 {
		for i := range records {
			if err := b.event(ctx, &records[i]); err != nil {
				return false, err
			}
		}
	}
	e.New, e.Raised = b.out, b.raised
	return true, h.Store.ExpandOutbox(ctx, e)
}

// batch expands events.
type batch struct {
	host   *Host
	set    *definition.Set
	now    time.Time
	runs   map[string]port.RunRow
	prefs  map[string]Preferences
	out    []port.Delivery
	raised []port.RaisedApproval
}

func (b *batch) run(ctx context.Context, id string) (port.RunRow, error) {
	if row, ok := b.runs[id]; ok {
		return row, nil
	}
	row, err := b.host.Store.Run(ctx, id)
	if err == nil {
		b.runs[id] = row
	}
	return row, err
}

// preferences are those of a person.
func (b *batch) preferences(ctx context.Context, person string) (Preferences, error) {
	if p, ok := b.prefs[person]; ok {
		return p, nil
	}
	raw, err := b.host.Store.Preferences(ctx, person)
	if err != nil {
		return Preferences{}, err
	}
	if b.prefs == nil {
		b.prefs = map[string]Preferences{}
	}
	b.prefs[person] = readPreferences(raw)
	return b.prefs[person], nil
}

// event adds the messages that follow from an event, and raises those about the same approval.
func (b *batch) event(ctx context.Context, r *port.Record) error {
	row, err := b.run(ctx, r.Run)
	if fault.Is(err, fault.NotFound) || err == nil && row.TestMode {
		return nil
	}
	if err != nil {
		return err
	}
	switch f := r.Fact.(type) {
	case *run.ApprovalNeeded:
		ap := gate.Open(f.Request, r.At)
		return b.approval(ctx, r, row, ApprovalNeeded, ap, true)
	case *run.ApprovalAutoApproved:
		if f.Notify {
			return b.autoApproved(ctx, r, row, &f.Request)
		}
	case *run.ApprovalDecided:
		b.raise(f.ID, r.Feed)
		if f.Decision.Act == gate.Delegate || f.Decision.Act == gate.Escalate {
			return b.known(ctx, r, row, ApprovalEscalated, f.ID)
		}
	case *run.ApprovalResolved:
		b.raise(f.ID, r.Feed)
		return b.resolved(ctx, r, row, f)
	case *run.ApprovalReminder:
		b.raise(f.ID, r.Feed)
		return b.known(ctx, r, row, ApprovalReminder, f.ID)
	case *run.ApprovalEscalated:
		b.raise(f.ID, r.Feed)
		return b.known(ctx, r, row, ApprovalEscalated, f.ID)
	case *run.ApprovalTimedOut:
		b.raise(f.ID, r.Feed)
		if f.Then == gate.ThenPause || f.Then == gate.ThenEscalate { // it stays open
			return b.known(ctx, r, row, ApprovalTimedOut, f.ID)
		}
		return b.result(ctx, r, row, ApprovalTimedOut, f.ID)
	case *run.ApprovalPaused:
		b.raise(f.ID, r.Feed)
		return b.known(ctx, r, row, ApprovalTimedOut, f.ID)
	case *run.RunCompleted:
		return b.news(ctx, r, row, RunCompleted, "")
	case *run.RunFailed:
		return b.news(ctx, r, row, RunFailed, f.Error.Agent)
	case *run.RunLimitReached:
		return b.news(ctx, r, row, RunFailed, f.Agent)
	case *run.RunPaused:
		if f.Approval == "" && !(r.Actor.Kind == run.Person && r.Actor.Name == row.Owner) { // else it is known
			return b.news(ctx, r, row, RunPaused, "")
		}
	case *run.DeliverableCreated:
		return b.news(ctx, r, row, DeliverableCreated, f.Agent)
	case *run.LimitWarning:
		return b.news(ctx, r, row, LimitWarning, f.Agent)
	}
	return nil
}

func (b *batch) raise(approval string, feed int64) {
	if mutant.Is(mutant.ButtonsStay) {
		return
	}
	b.raised = append(b.raised, port.RaisedApproval{Approval: approval, Feed: feed})
}

// known is approval for one that is stored. One that is settled by now needs no message.
func (b *batch) known(ctx context.Context, r *port.Record, row port.RunRow, e Event, id string) error {
	stored, err := b.host.Store.Approval(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ap, err := view.ReadApproval(stored)
	if err != nil || ap.Status != gate.Pending {
		return err
	}
	return b.approval(ctx, r, row, e, ap, e == ApprovalReminder || e == ApprovalTimedOut)
}

// approval adds messages to the people whom an approval asks. Unless again, only to those who have none about it.
func (b *batch) approval(ctx context.Context, r *port.Record, row port.RunRow, e Event, ap *gate.Approval,
	again bool) error {
	people, err := b.host.Sight.Asked(ctx, ap)
	if err != nil {
		return err
	}
	if e == ApprovalTimedOut { // the run of its owner does not continue
		people = append(people, row.Owner)
	}
	n, _ := gate.ReadNotify("", ap.Terms.Notify)
	return b.tell(ctx, r, row, telling{event: e, approval: ap.ID, agent: ap.Agent, notify: &n, people: people,
		again: again, urgent: n.Urgent || urgent(ap, b.now)})
}

// urgent reports whether an approval is announced at any hour: it is critical, or due within the hour.
func urgent(ap *gate.Approval, now time.Time) bool {
	return ap.Risk.Level == "critical" ||
		!ap.Terms.Deadline.IsZero() && ap.Terms.Deadline.Before(now.Add(time.Hour))
}

// autoApproved tells of an approval by a rule, where the rule asks for that.
func (b *batch) autoApproved(ctx context.Context, r *port.Record, row port.RunRow, q *gate.Request) error {
	n, _ := gate.ReadNotify("", q.Terms.Notify)
	if q.Rule != nil {
		n.Channels = append(n.Channels, b.ruleChannels(q.Rule.Name)...)
	}
	return b.tell(ctx, r, row, telling{event: ApprovalAutoApproved, approval: q.ID, agent: q.Agent, notify: &n,
		people: []string{row.Owner}, again: true})
}

// ruleChannels are the channels that a rule of the policy in force names.
func (b *batch) ruleChannels(name string) []string {
	p := b.set.Policy
	if p == nil {
		return nil
	}
	for _, r := range slices.Concat(p.Rules, p.Checkpoints) {
		if r.Name == name {
			return r.Action.NotificationChannels
		}
	}
	if p.AutoApproval != nil {
		for _, r := range p.AutoApproval.Rules {
			if r.Name == name {
				return r.Action.NotificationChannels
			}
		}
	}
	return nil
}

// resolved tells the requester how an approval ended.
func (b *batch) resolved(ctx context.Context, r *port.Record, row port.RunRow, f *run.ApprovalResolved) error {
	if f.Outcome.Status == gate.Cancelled || f.Outcome.Status == gate.TimedOut { // told of the run, or by itself
		return nil
	}
	return b.result(ctx, r, row, ApprovalResolved, f.ID)
}

// news tells the owner of a run what happened in it. Sub-runs are parts of their parents.
func (b *batch) news(ctx context.Context, r *port.Record, row port.RunRow, e Event, agent string) error {
	if row.Parent != "" {
		return nil
	}
	return b.tell(ctx, r, row, telling{event: e, agent: agent, people: []string{row.Owner}, again: true})
}

// result tells the owner of a run what came of an approval.
func (b *batch) result(ctx context.Context, r *port.Record, row port.RunRow, e Event, approval string) error {
	t := telling{event: e, approval: approval, people: []string{row.Owner}}
	stored, err := b.host.Store.Approval(ctx, approval)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if ap, err := view.ReadApproval(stored); err == nil {
		n, _ := gate.ReadNotify("", ap.Terms.Notify)
		t.agent, t.notify = ap.Agent, &n
	}
	return b.tell(ctx, r, row, t)
}

// telling collects who is notified of an event, and how.
type telling struct {
	event    Event
	approval string
	agent    string
	notify   *gate.Notify // of the gate or rule
	people   []string
	again    bool // also those who have a message about the approval
	urgent   bool
}

// tell adds messages on the channels of an event.
func (b *batch) tell(ctx context.Context, r *port.Record, row port.RunRow, t telling) error {
	channels, extra, urgentToo := b.channels(row.Workflow, t)
	people := slices.Clone(t.people)
	var addresses []string
	for _, to := range extra {
		role, isRole := strings.CutPrefix(to, "role:")
		known, gone, err := false, false, error(nil)
		if !isRole {
			known, gone, err = b.host.Sight.Known(ctx, to)
		}
		switch {
		case err != nil:
			return err
		case gone: // their mailbox is not someone else's
		case isRole:
			holders, err := b.host.Sight.Holders(ctx, role)
			if err != nil {
				return err
			}
			people = append(people, holders...)
		case known:
			people = append(people, to)
		default:
			addresses = append(addresses, to)
		}
	}
	t.urgent = t.urgent || urgentToo
	for _, name := range channels {
		o, ok := b.host.channel(name)
		if !ok {
			continue
		}
		for _, to := range b.rooms(o, addresses) {
			b.add(r, row, t, o, "", to)
		}
	}
	slices.Sort(people)
	for _, person := range slices.Compact(people) {
		if err := b.person(ctx, r, row, t, person, channels); err != nil {
			return err
		}
	}
	return nil
}

// person adds the messages to one person.
func (b *batch) person(ctx context.Context, r *port.Record, row port.RunRow, t telling, person string,
	channels []string) error {
	if person == "" || gate.Automatic(person) {
		return nil
	}
	known, _, err := b.host.Sight.Known(ctx, person)
	if err != nil || !known {
		return err
	}
	prefs, err := b.preferences(ctx, person)
	if err != nil {
		return err
	}
	if own, set := prefs.Events[t.event]; set {
		channels = b.resolve(own)
	}
	for _, name := range channels {
		o, ok := b.host.channel(name)
		if !ok || !o.doc.Personal() {
			continue
		}
		b.add(r, row, t, o, person, "")
	}
	return nil
}

// rooms are the recipients of a channel that are not people: its own room, and addresses of its kind. An empty address
// means that the channel knows.
func (b *batch) rooms(o opened, addresses []string) (out []string) {
	switch o.doc.Kind {
	case definition.ChannelEmail:
		if len(o.doc.Email.To) > 0 {
			out = append(out, "")
		}
		for _, to := range addresses {
			if a, err := mail.ParseAddress(to); err == nil && !slices.Contains(o.doc.Email.To, a.Address) {
				out = append(out, a.Address)
			}
		}
	case definition.ChannelSlack:
		if o.doc.Slack.To != "" {
			out = append(out, "")
		}
		for _, to := range addresses {
			if strings.HasPrefix(to, "#") && to != o.doc.Slack.To {
				out = append(out, to)
			}
		}
	case definition.ChannelTeams:
		if !o.doc.Personal() {
			out = append(out, "")
		}
	case definition.ChannelWebhook:
		out = append(out, "")
	}
	return out
}

// channels are the names of the channels of an event, who else is notified, and whether it is urgent.
func (b *batch) channels(workflow string, t telling) (names, recipients []string, urgent bool) {
	names = announced(b.set, t.event)
	add := func(n gate.Notify) {
		if n.Only {
			names, recipients = nil, nil
		}
		names, recipients = append(names, n.Channels...), append(recipients, n.Recipients...)
		urgent = urgent || n.Urgent
	}
	if w := b.set.Workflows[workflow]; w != nil && t.event != ApprovalAutoApproved {
		n, _ := gate.ReadNotify("", w.Notify)
		add(n)
	}
	if a := b.set.Agents[t.agent]; a != nil && t.event != ApprovalAutoApproved {
		n, _ := gate.ReadNotify("", a.Notify)
		add(n)
	}
	if t.notify != nil {
		add(*t.notify)
	}
	return b.resolve(names), recipients, urgent
}

// announced are the default channels of an event.
func announced(set *definition.Set, e Event) (names []string) {
	if n := set.Notifications; n != nil {
		return slices.Clone(n.Events[string(e)])
	}
	if e != ApprovalAutoApproved {
		for name := range set.Channels {
			names = append(names, name)
		}
	}
	return names
}

func (b *batch) resolve(names []string) (out []string) { return resolve(b.set, names) }

// resolve finds channels by name, or by kind if none has the name, and sorts them.
func resolve(set *definition.Set, names []string) (out []string) {
	for _, name := range names {
		if set.Channels[name] != nil {
			out = append(out, name)
			continue
		}
		for other, doc := range set.Channels {
			if string(doc.Kind) == name {
				out = append(out, other)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// add adds a message.
func (b *batch) add(r *port.Record, row port.RunRow, t telling, o opened, person, address string) {
	recipient := digest(person, address)
	d := port.Delivery{
		ID:      "dlv_" + digest(r.Run, strconv.FormatInt(r.Seq, 10), string(t.event), o.doc.Name, person, address),
		Channel: o.doc.Name,
		Event:   string(t.event), Run: r.Run, Workflow: row.Workflow, Seq: r.Seq, At: r.At, Approval: t.approval,
		Person: person, Address: address, Recipient: recipient, Edits: o.edits(), Urgent: t.urgent,
		Status: port.DeliveryQueued, Wanted: r.Feed, DueAt: b.now, CreatedAt: b.now, UpdatedAt: b.now,
	}
	// Programs are notified of every event; for people and rooms, the message about an approval shows its outcome.
	d.Once = !t.again && t.approval != "" && o.doc.Kind != definition.ChannelWebhook &&
		(d.Edits || t.event == ApprovalEscalated) && !mutant.Is(mutant.ToldAgain)
	b.out = append(b.out, d)
}

// digest names a list of texts.
func digest(parts ...string) string {
	raw, _ := json.Marshal(parts) // strings can always be encoded
	sum := sha256.Sum256(raw)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]))
}
