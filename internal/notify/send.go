package notify

import (
	"cmp"
	"context"
	"errors"
	"net/mail"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const (
	claimed     = 50               // messages of a channel at a time
	pool        = 8                // of them at once
	sendFor     = 30 * time.Second // the longest attempt
	lease       = 2 * time.Minute  // when an attempt without a result is made again
	arrives     = 2 * time.Second  // the same, if the process that made it no longer leads: it may just be arriving
	triesPeople = 3                // before the fallback
	givesUp     = 24 * time.Hour   // without a fallback
	givesUpLate = 3 * 24 * time.Hour
	hookFirst   = 5 * time.Second
	hookLongest = 6 * time.Hour
	soonest     = time.Second
	soon        = 2 * time.Second
	slowAfter   = 40 // failures
	slow        = 5 * time.Minute
)

// claim is what a leader may send at a time.
func claim(channel string, now time.Time, epoch int64) port.DeliveryClaim {
	if mutant.Is(mutant.ClaimsStay) {
		epoch = 1
	}
	return port.DeliveryClaim{Channel: channel, Now: now, Until: now.Add(lease), Limit: claimed, Epoch: epoch,
		Early: lease - arrives}
}

// health is how a channel works. One on which nothing arrives is tried with a few messages a second: thousands that
// are tried again and again would slow down everything else.
type health struct {
	width int       // messages at a time; 0: as many as are claimed
	rest  time.Time // when it is tried again
}

const narrow = 4

// judge adapts the health of a channel to the outcome of attempts.
func (h *Host) judge(channel string, arrived, retried int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.health[channel]
	switch n := h.Documents().Notifications; {
	case arrived > 0:
		was.width, was.rest = min(2*cmp.Or(was.width, claimed), claimed), time.Time{}
	case retried > 0 && (n == nil || len(n.Fallback) == 0): // otherwise attempts end with the fallback
		was.width, was.rest = max(cmp.Or(was.width, claimed)/4, narrow), h.Now().Add(soonest)
	}
	h.health[channel] = was
}

// width is how many messages of a channel are tried at a time now.
func (h *Host) width(channel string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.health[channel]
	if was.rest.After(h.Now()) {
		return 0
	}
	return cmp.Or(was.width, claimed)
}

// Send sends and replaces messages of a channel until none is due, none arrives, or another process leads.
func (h *Host) Send(ctx context.Context, channel string, epoch int64) {
	for ctx.Err() == nil && h.Epoch() == epoch {
		c := claim(channel, h.Now(), epoch)
		if c.Limit = h.width(channel); c.Limit == 0 {
			return
		}
		all, err := h.Store.ClaimDeliveries(ctx, c)
		if err != nil {
			if ctx.Err() == nil {
				h.Log.Error("claim notifications; retrying", "channel", channel, "error", err)
			}
			return
		}
		if len(all) == 0 {
			return
		}
		all, err = h.combine(ctx, channel, all)
		if err != nil && ctx.Err() == nil {
			h.Log.Error("sum up notifications; retrying", "channel", channel, "error", err)
		}
		var turns sync.WaitGroup
		var arrived, retried atomic.Int64
		free := make(chan struct{}, pool)
		for _, d := range all {
			free <- struct{}{}
			turns.Go(func() {
				defer func() { <-free }()
				switch h.one(ctx, d, epoch) {
				case string(port.DeliverySent), string(port.DeliveryUpdated):
					arrived.Add(1)
				case "retried":
					retried.Add(1)
				}
			})
		}
		turns.Wait()
		h.judge(channel, int(arrived.Load()), int(retried.Load()))
	}
}

// one makes an attempt at a message and stores its result. Before that the store is asked whether this process still
// leads: if not, the one that does takes the claim over.
func (h *Host) one(term context.Context, d port.Delivery, epoch int64) (outcome string) {
	ctx, stop := context.WithTimeout(term, sendFor)
	defer stop()
	if now, err := h.Store.Epoch(ctx); err != nil || now != epoch {
		return ""
	}
	before := d
	result, outcome := h.attempt(ctx, d)
	if term.Err() != nil && result.Shown <= d.Shown && result.Status != port.DeliverySuppressed {
		return "" // stopped, which is not a failure
	}
	result.UpdatedAt = h.Now()
	err := h.Store.SettleDelivery(context.WithoutCancel(ctx), result)
	switch {
	case err == nil:
		h.Count(d.Channel, outcome)
		if result.Status == port.DeliveryFailed {
			h.Log.Warn("a notification could not be delivered", "delivery", d.ID, "channel", d.Channel, "why", result.Why)
		}
	case !fault.Is(err, fault.Conflict):
		h.Log.Error("store the result of a notification", "delivery", before.ID, "error", err)
	}
	return outcome
}

// attempt composes a message as it should be now, and sends it or replaces what is there.
func (h *Host) attempt(ctx context.Context, d port.Delivery) (port.DeliveryResult, string) {
	o, ok := h.channel(d.Channel)
	switch {
	case !ok:
		return h.done(d, port.DeliverySuppressed, "the channel is no longer in force"), "suppressed"
	case o.err != nil: // it is tried again, and again once it can be opened
		return h.failed(o, d, &Failure{Why: "the channel cannot be opened: " + o.err.Error(), Unknown: d.Unknown})
	}
	if why, off, err := h.disabled(ctx, d.Channel); err != nil || off {
		if err != nil {
			return h.failed(o, d, &Failure{Why: err.Error(), Unknown: d.Unknown})
		}
		return h.failed(o, d, &Failure{Why: "the channel is disabled: " + why, Permanent: true, Unknown: d.Unknown})
	}
	m, to, err := h.compose(ctx, o, d)
	var skip *needless
	switch {
	case errors.As(err, &skip):
		result := h.done(d, port.DeliverySuppressed, skip.why)
		if skip.unreachable && d.Shown == 0 {
			result.Fallbacks = h.fallbacks(d, h.Now())
		}
		return result, "suppressed"
	case err != nil:
		return h.failed(o, d, &Failure{Why: err.Error(), Unknown: d.Unknown})
	}
	if until := h.quiet(ctx, d, m); !until.IsZero() {
		d.DueAt, d.Why = until, "waiting for the end of quiet hours"
		return port.DeliveryResult{Delivery: d}, "delayed"
	}
	return h.deliver(ctx, o, d, to, m)
}

// deliver sends a message, or replaces the one that is there.
func (h *Host) deliver(ctx context.Context, o opened, d port.Delivery, to Recipient, m Message) (port.DeliveryResult,
	string) {
	if h.Trace != nil {
		ctx = h.Trace(ctx, d.Run)
	}
	if d.Ref == "" && d.Unknown && !mutant.Is(mutant.NotLookedUp) {
		if f, ok := o.Channel.(Finder); ok {
			ref, err := f.Find(ctx, to, m.Key, d.CreatedAt)
			if err != nil {
				failure := asFailure(err)
				failure.Unknown = true // whether the first attempt arrived is still not known
				return h.failed(o, d, failure)
			}
			d.Ref, d.Unknown = string(ref), ref != ""
			if d.Unknown {
				d.Shown = max(d.Shown, 1) // it is there, and shows the past
			}
		}
	}
	var ref Ref
	var err error
	editor, edits := o.Channel.(Editor)
	switch {
	case d.Ref != "" && edits:
		ref, err = editor.Edit(ctx, to, Ref(d.Ref), m)
	case d.Ref != "":
		ref = Ref(d.Ref)
	default:
		ref, err = o.Send(ctx, to, m)
	}
	if err != nil {
		failure := asFailure(err)
		failure.Unknown = failure.Unknown || d.Unknown // an earlier attempt may have arrived
		if failure.Unreachable && !failure.Unknown && d.Shown == 0 {
			result := h.done(d, port.DeliverySuppressed, cut(failure.Why, textMax))
			result.Fallbacks = h.fallbacks(d, h.Now())
			return result, "suppressed"
		}
		if failure.Gone && d.Person == "" && d.Address == "" {
			h.disable(ctx, d.Channel, failure.Why)
		}
		return h.failed(o, d, failure)
	}
	outcome := port.DeliveryUpdated
	if d.SentAt.IsZero() {
		outcome, d.SentAt = port.DeliverySent, h.Now()
	}
	if d.Ref = cmp.Or(string(ref), d.Ref); d.Ref == "" {
		d.Ref = "sent"
	}
	d.Shown, d.Failures, d.FailsSince, d.Edits = max(d.Wanted, 1), 0, time.Time{}, edits
	return h.done(d, outcome, ""), string(outcome)
}

func (h *Host) done(d port.Delivery, status port.DeliveryStatus, why string) port.DeliveryResult {
	d.Status, d.Why, d.Unknown, d.DueAt = status, why, false, time.Time{}
	return port.DeliveryResult{Delivery: d}
}

func asFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return new(*f)
	}
	return &Failure{Why: err.Error(), Unknown: true}
}

// failed decides what follows a failure: another attempt, the fallback, or nothing.
func (h *Host) failed(o opened, d port.Delivery, f *Failure) (port.DeliveryResult, string) {
	now := h.Now()
	d.Why, d.Unknown = cut(f.Why, textMax), f.Unknown
	hook := o.doc != nil && o.doc.Kind == definition.ChannelWebhook
	first := !hook && d.Shown == 0
	counts := f.After == 0 || !first // a request to wait does not use up the attempts before the fallback
	if counts {
		d.Failures++
	}
	if counts && d.Failures == 1 || d.FailsSince.IsZero() {
		d.FailsSince = now
	}
	fails := now.Sub(d.FailsSince)
	late := fails > givesUpLate || fails > givesUp && first && !d.Unknown
	var instead []port.Delivery
	if d.Shown == 0 && !hook && (f.Permanent || f.Gone || d.Failures >= triesPeople) {
		instead = h.fallbacks(d, now)
	}
	if f.Permanent || f.Gone || late || len(instead) > 0 {
		d.Status, d.DueAt = port.DeliveryFailed, time.Time{}
		return port.DeliveryResult{Delivery: d, Fallbacks: instead}, "failed"
	}
	tries := d.Failures
	if f.After > 0 {
		tries = 0 // it says itself how long to wait
	}
	wait := backoff(tries)
	if hook {
		wait = min(hookFirst<<min(max(tries-1, 0), 20), hookLongest)
	}
	d.DueAt = now.Add(max(wait, min(f.After, hookLongest)))
	return port.DeliveryResult{Delivery: d}, "retried"
}

// backoff is how long to wait after a number of failures. It stays short for a minute: a message that shows the past
// may have buttons.
func backoff(failures int) time.Duration {
	if failures > slowAfter {
		return min(soon<<min(failures-slowAfter, 20), slow)
	}
	return min(soonest<<min(max(failures-1, 0), 10), soon)
}

// fallbacks are the messages to send in place of one that could not be delivered.
func (h *Host) fallbacks(d port.Delivery, now time.Time) (out []port.Delivery) {
	set := h.Documents()
	if set.Notifications == nil || d.Fallback != "" || mutant.Is(mutant.FallbackForgotten) {
		return nil
	}
	b := &batch{host: h, set: set, now: now}
	for _, name := range b.resolve(set.Notifications.Fallback) {
		o, ok := h.channel(name)
		if !ok || name == d.Channel {
			continue
		}
		to := []string{d.Person}
		if !o.doc.Personal() || d.Person == "" {
			to = nil
			if len(b.rooms(o, nil)) > 0 {
				to = []string{""}
			}
		}
		for _, person := range to {
			f := d
			f.ID = "dlv_" + digest(d.ID, name)
			f.Channel, f.Person, f.Address, f.Recipient, f.Edits = name, person, "", digest(person, ""), o.edits()
			f.Fallback, f.Once, f.Status, f.Ref, f.Why, f.Attempts, f.Failures, f.Unknown = d.ID, d.Approval != "",
				port.DeliveryQueued, "", "", 0, 0, false
			f.FailsSince = time.Time{}
			f.DueAt, f.CreatedAt, f.UpdatedAt, f.Shown = now, now, now, 0
			out = append(out, f)
		}
	}
	return out
}

// disabled reports whether a channel no longer takes messages, and why. A new version of its document does.
func (h *Host) disabled(ctx context.Context, channel string) (why string, off bool, err error) {
	all, err := h.Store.DisabledChannels(ctx)
	for _, c := range all {
		if c.Name == channel && c.Digest == h.Digest(channel) {
			return c.Why, true, nil
		}
	}
	return "", false, err
}

func (h *Host) disable(ctx context.Context, channel, why string) {
	err := h.Store.DisableChannel(ctx, port.DisabledChannel{Name: channel, Digest: h.Digest(channel),
		Why: cut(why, textMax), At: h.Now()})
	if err != nil {
		h.Log.Error("disable a channel", "channel", channel, "error", err)
		return
	}
	h.Log.Error("channel disabled: it no longer accepts messages", "channel", channel, "why", why)
}

// needless is why a message is not sent.
type needless struct {
	why string
	// unreachable: the recipient cannot be reached, or not in this way, on the channel.
	unreachable bool
}

func (n *needless) Error() string { return n.why }

// compose writes a message for its recipient as they are now.
func (h *Host) compose(ctx context.Context, o opened, d port.Delivery) (m Message, to Recipient, err error) {
	to = Recipient{Person: d.Person, Address: d.Address, Zone: time.UTC}
	if d.Person != "" {
		raw, err := h.Store.Preferences(ctx, d.Person)
		if err != nil {
			return m, to, err
		}
		prefs := readPreferences(raw)
		to.Zone = prefs.zone()
		if o.doc.Kind == definition.ChannelEmail {
			if d.Summary && prefs.NoMailSummaries {
				return m, to, &needless{d.Person + " unsubscribed from summaries by e-mail", true}
			}
			if to.Address = prefs.address(d.Person); to.Address == "" {
				return m, to, &needless{d.Person + noAddress, true}
			}
		}
	}
	switch {
	case d.Summary:
		m, err = h.summary(ctx, o, d, to)
	case d.Approval != "":
		m, err = h.about(ctx, o, d, to)
	default:
		m, err = h.aboutRun(ctx, d, to)
	}
	return m, to, err
}

// about composes the message about an approval. One that is no longer for its recipient is replaced by a note.
func (h *Host) about(ctx context.Context, o opened, d port.Delivery, to Recipient) (Message, error) {
	sheet := Sheet{Event: Event(d.Event), Key: d.ID, At: d.At, Room: o.Room(), Edits: o.edits(), Zone: to.Zone,
		Link: h.Link("/approvals/" + d.Approval), Whole: true}
	there := d.Shown > 0 || d.Unknown
	person := d.Person
	if mutant.Is(mutant.ToldWithoutRight) {
		person = ""
	}
	v, err := h.Sight.Approval(ctx, person, d.Approval)
	switch {
	case fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden):
		if !there {
			return Message{}, &needless{why: "the recipient may not see it"}
		}
		return Message{Key: d.ID, Event: sheet.Event, At: d.At, Thread: d.Approval, Run: d.Run, Workflow: d.Workflow,
			Approval: d.Approval, Title: "No longer for you", Text: "You are no longer an approver.", Open: sheet.Link,
			Settled: true}, nil
	case err != nil:
		return Message{}, err
	case sheet.Event.asks() && v.Status != gate.Pending && !there && o.doc.Kind != definition.ChannelWebhook:
		return Message{}, &needless{why: "it was decided before the message was sent"}
	}
	if d.Person == "" && private(v) {
		sheet.Whole = false
	}
	if sheet.Event == ApprovalAutoApproved && v.Rule != nil {
		sheet.Rule = h.Link("/policy?" + url.Values{"disable": {v.Rule.Name}}.Encode())
	}
	if sheet.Event == ApprovalTimedOut && v.Status == gate.Pending {
		row, err := h.Store.Run(ctx, d.Run)
		if err != nil {
			return Message{}, err
		}
		sheet.Paused = row.Status == run.Paused
	}
	return Compose(v, sheet), nil
}

// private reports whether an approval is for the people it names.
func private(v view.Approval) bool {
	return v.Role == "" && len(v.Assignees) > 0 && v.Gate == "" && v.Rule == nil
}

// aboutRun composes the message about an event of a run.
func (h *Host) aboutRun(ctx context.Context, d port.Delivery, to Recipient) (Message, error) {
	news, err := h.Sight.Run(ctx, d.Person, d.Run, d.Seq)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) {
		return Message{}, &needless{why: "the recipient may not see it"}
	}
	if err != nil {
		return Message{}, err
	}
	return ComposeNews(news, Message{Key: d.ID, Event: Event(d.Event), At: d.At, Thread: d.Run, Run: d.Run,
		Workflow: d.Workflow, Open: h.Link("/runs/" + d.Run)}, to.Zone), nil
}

// Test sends a message on a channel: to a person, if it reaches people, else to its room.
func (h *Host) Test(ctx context.Context, name, person string) error {
	ch, doc, err := h.Channel(name)
	if err != nil {
		return err
	}
	b := &batch{host: h, set: h.Documents(), now: h.Now()}
	d := port.Delivery{Channel: name, Person: person}
	o := opened{doc: doc, Channel: ch}
	if !doc.Personal() || len(b.rooms(o, nil)) > 0 {
		d.Person = ""
	}
	if d.Person == "" && doc.Personal() && len(b.rooms(o, nil)) == 0 {
		return &Failure{Why: "the channel has no room, so only a person can get its test message", Permanent: true}
	}
	to := Recipient{Person: d.Person, Zone: time.UTC}
	if d.Person != "" && doc.Kind == definition.ChannelEmail {
		raw, err := h.Store.Preferences(ctx, d.Person)
		if err != nil {
			return err
		}
		prefs := readPreferences(raw)
		if to.Address = cmp.Or(prefs.Email, d.Person); !mailLike(to.Address) {
			return &Failure{Why: d.Person + " has no e-mail address: set one in the notification settings", Permanent: true}
		}
	}
	key := "dlv_" + digest("test", name, h.Now().Format(time.RFC3339Nano))
	_, err = ch.Send(ctx, to, Message{Key: key, Event: RunCompleted, At: h.Now(), Thread: key, Title: "Test message",
		Text: "The channel " + name + " works.", Open: h.Link("/"), Settled: true, Data: []byte(`{"test":true}`)})
	return err
}

func mailLike(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}
