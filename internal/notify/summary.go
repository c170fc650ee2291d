package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// summaryLines is how many approvals a summary names.
const summaryLines = 20

// quiet is when a message may be sent to a person who is not to be disturbed; zero: now. What is there is replaced at
// any time: that disturbs no one.
func (h *Host) quiet(ctx context.Context, d port.Delivery, m Message) time.Time {
	if d.Person == "" || d.Urgent || d.Shown > 0 || d.Unknown || mutant.Is(mutant.QuietIgnored) {
		return time.Time{}
	}
	raw, err := h.Store.Preferences(ctx, d.Person)
	if err != nil {
		return time.Time{}
	}
	prefs, hours := readPreferences(raw), (*definition.QuietHours)(nil)
	if n := h.Documents().Notifications; n != nil {
		hours = n.QuietHours
	}
	if prefs.QuietHours != nil {
		hours = prefs.QuietHours
	}
	if prefs.NoQuietHours {
		return time.Time{}
	}
	until := quietUntil(hours, h.Now())
	if until.IsZero() || d.Approval == "" || m.Settled {
		return until
	}
	row, err := h.Store.Approval(ctx, d.Approval)
	if err == nil && !row.DeadlineAt.IsZero() && row.DeadlineAt.Before(until.Add(time.Hour)) {
		return time.Time{} // there would be no time left
	}
	return until
}

const (
	awaitsSummary = "waiting for a summary"
	urgentWaits   = time.Minute // longest that something urgent waits for a summary
)

// combine replaces messages to one recipient by a summary when there are many, and holds back those that come soon
// after one. It returns the messages to send one by one. What asks, what is urgent and what says what happened are
// combined separately.
func (h *Host) combine(ctx context.Context, channel string, all []port.Delivery) (out []port.Delivery, err error) {
	o, ok := h.channel(channel)
	if !ok || o.doc.Kind == definition.ChannelWebhook {
		return all, nil
	}
	type heap struct {
		recipient string
		class     port.DeliveryClass
	}
	groups := map[heap][]port.Delivery{}
	for _, d := range all {
		if d.Summary || d.Shown > 0 || d.Unknown || d.Failures > 0 {
			out = append(out, d)
			continue
		}
		k := heap{d.Recipient, d.Class()}
		groups[k] = append(groups[k], d)
	}
	for _, group := range groups {
		single, err := h.group(ctx, group)
		if out = append(out, single...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// group returns the messages of a group that are sent one by one now. The others wait, or become a summary.
func (h *Host) group(ctx context.Context, group []port.Delivery) ([]port.Delivery, error) {
	d := &group[0]
	limits, err := h.digest(ctx, d.Person)
	if err != nil || limits == nil {
		return group, err
	}
	now, period := h.Now(), limits.Period()
	sent, first, err := h.Store.DeliveriesSent(ctx, d.Channel, d.Recipient, d.Class(), now.Add(-period))
	if err != nil || sent+len(group) <= limits.After {
		return group, err
	}
	if d.Urgent && period > urgentWaits {
		period = urgentWaits
		first = now
		if sent, _, err = h.Store.DeliveriesSent(ctx, d.Channel, d.Recipient, d.Class(), now.Add(-period)); err != nil {
			return group, err
		}
	}
	// What has waited once does not wait again, whatever was sent since.
	wait := sent > 0 && !slices.ContainsFunc(group, func(d port.Delivery) bool { return d.Why == awaitsSummary })
	until := now.Add(soon)
	if wait { // something was sent in this period: the rest waits for its end
		until = first.Add(period)
	}
	for _, d := range group {
		d.DueAt, d.Unknown, d.UpdatedAt, d.Why = until, false, now, awaitsSummary
		if err := h.Store.SettleDelivery(ctx, port.DeliveryResult{Delivery: d}); err != nil &&
			!fault.Is(err, fault.Conflict) {
			return nil, err
		}
	}
	if wait {
		return nil, nil
	}
	s := *d
	s.ID = "dlv_" + digest("summary", s.ID)
	s.Summary, s.Approval, s.DueAt, s.CreatedAt, s.UpdatedAt, s.Attempts, s.Edits = true, "", now, now, now, 0, false
	s.Why = ""
	_, err = h.Store.SumUpDeliveries(ctx, s)
	return nil, err
}

// defaultDigest combines messages to a person where no document and no preference says anything else.
var defaultDigest = &definition.Digest{After: 10}

// digest is when messages to a person, or in a room, are combined; nil: never.
func (h *Host) digest(ctx context.Context, person string) (*definition.Digest, error) {
	set := h.Documents().Notifications
	if person == "" {
		if set == nil || set.Digest == nil || set.Digest.Off {
			return nil, nil
		}
		return set.Digest, nil
	}
	raw, err := h.Store.Preferences(ctx, person)
	if err != nil {
		return nil, err
	}
	prefs := readPreferences(raw)
	d := digestOf(set)
	if prefs.Digest != nil {
		d = prefs.Digest
	}
	if d.Off {
		return nil, nil
	}
	return d, nil
}

// digestOf is the digest of people who chose none.
func digestOf(n *definition.Notifications) *definition.Digest {
	if n == nil || n.Digest == nil {
		return defaultDigest
	}
	return n.Digest
}

// summary composes the message that stands for others, as far as its recipient may see them: the approvals that are
// pending, or what happened.
func (h *Host) summary(ctx context.Context, o opened, d port.Delivery, to Recipient) (Message, error) {
	q := port.DeliveryQuery{In: cmp.Or(d.Fallback, d.ID), Limit: 500}
	var lines []Fact
	var seen []string
	for {
		page, err := h.Store.Deliveries(ctx, q)
		if err != nil {
			return Message{}, err
		}
		for _, part := range page.Items {
			key := cmp.Or(part.Approval, part.ID)
			if slices.Contains(seen, key) {
				continue
			}
			fact, err := h.part(ctx, o, part, to)
			var skip *needless
			switch {
			case errors.As(err, &skip):
				continue
			case err != nil:
				return Message{}, err
			}
			if seen = append(seen, key); len(lines) < summaryLines {
				lines = append(lines, fact)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if len(seen) == 0 || mutant.Is(mutant.DigestDropped) {
		return Message{}, &needless{why: "everything in it was decided before it was sent"}
	}
	return h.summed(d, lines, len(seen)), nil
}

// part is a message in a summary, as a line of it.
func (h *Host) part(ctx context.Context, o opened, d port.Delivery, to Recipient) (Fact, error) {
	if d.Approval == "" {
		m, err := h.aboutRun(ctx, d, to)
		return Fact{line(d.Workflow), m.Title}, err
	}
	if !Event(d.Event).asks() {
		m, err := h.about(ctx, o, d, to)
		return Fact{line(d.Workflow), m.Title}, err
	}
	v, err := h.Sight.Approval(ctx, d.Person, d.Approval)
	switch {
	case fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden):
		return Fact{}, &needless{why: "the recipient may not see it"}
	case err == nil && v.Status != gate.Pending:
		return Fact{}, &needless{why: "it was decided before the message was sent"}
	}
	return Fact{line(v.Workflow), line(v.Title)}, err
}

// summed is the summary of a number of messages, with lines about the first of them.
func (h *Host) summed(d port.Delivery, lines []Fact, n int) Message {
	m := Message{Key: d.ID, Event: Event(d.Event), At: d.At, Thread: d.ID, Facts: lines, Summary: true}
	more := n - len(lines)
	switch {
	case !m.Event.asks():
		m.Title, m.Text, m.Open, m.Settled = fmt.Sprintf("%d updates", n), "Several runs have news.", h.Link("/runs"), true
		if n == 1 {
			m.Title = lines[0].Value
		}
		if more > 0 {
			m.Text = fmt.Sprintf("These are the first %d of %d updates.", len(lines), n)
		}
		return m
	case n == 1:
		m.Title, m.Text = "Approval required: "+lines[0].Value, "This approval is waiting for a decision."
	case more > 0:
		m.Text = fmt.Sprintf("These approvals and %d more are waiting for a decision.", more)
	default:
		m.Text = "These approvals are waiting for a decision."
	}
	if n > 1 {
		m.Title = fmt.Sprintf("%d approvals required", n)
	}
	m.Event, m.Open = ApprovalNeeded, h.Link("/inbox")
	return m
}
