package notify

import (
	"context"
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

// combine replaces messages to one recipient by a summary when there are many, and holds back those that come soon
// after one. It returns the messages to send one by one.
func (h *Host) combine(ctx context.Context, channel string, all []port.Delivery) (out []port.Delivery, err error) {
	o, ok := h.channel(channel)
	if !ok || o.doc.Kind == definition.ChannelWebhook {
		return all, nil
	}
	groups := map[string][]port.Delivery{}
	for _, d := range all {
		if d.Approval == "" || d.Urgent || d.Summary || d.Shown > 0 || d.Unknown || d.Failures > 0 {
			out = append(out, d)
			continue
		}
		groups[d.Recipient] = append(groups[d.Recipient], d)
	}
	for recipient, group := range groups {
		limits, err := h.digest(ctx, group[0].Person)
		if err != nil {
			return append(out, group...), err
		}
		if limits == nil {
			out = append(out, group...)
			continue
		}
		now := h.Now()
		sent, first, err := h.Store.DeliveriesSent(ctx, channel, recipient, now.Add(-limits.Period()))
		if err != nil {
			return append(out, group...), err
		}
		if sent+len(group) <= limits.After {
			out = append(out, group...)
			continue
		}
		until := now.Add(soon)
		if sent > 0 { // something was sent in this period: the rest waits for its end
			until = first.Add(limits.Period())
		}
		for _, d := range group {
			d.DueAt, d.Unknown, d.UpdatedAt, d.Why = until, false, now, "waiting for a summary"
			if err := h.Store.SettleDelivery(ctx, port.DeliveryResult{Delivery: d}); err != nil &&
				!fault.Is(err, fault.Conflict) {
				return out, err
			}
		}
		if sent > 0 {
			continue
		}
		s := group[0]
		s.ID = "dlv_" + digest("summary", s.ID)
		s.Summary, s.Approval, s.DueAt, s.CreatedAt, s.UpdatedAt, s.Attempts, s.Edits = true, "", now, now, now, 0, false
		if _, err := h.Store.SumUpDeliveries(ctx, s); err != nil {
			return out, err
		}
	}
	return out, nil
}

// digest is when messages to a person are combined; nil: never.
func (h *Host) digest(ctx context.Context, person string) (*definition.Digest, error) {
	if person != "" {
		raw, err := h.Store.Preferences(ctx, person)
		if err != nil {
			return nil, err
		}
		if p := readPreferences(raw); p.Digest != nil {
			return p.Digest, nil
		}
	}
	if n := h.Documents().Notifications; n != nil {
		return n.Digest, nil
	}
	return nil, nil
}

// summary composes the message that stands for others: those that are pending and that its recipient may see.
func (h *Host) summary(ctx context.Context, d port.Delivery) (Message, error) {
	q := port.DeliveryQuery{In: d.ID, Limit: 500}
	var lines []Fact
	var seen []string
	for {
		page, err := h.Store.Deliveries(ctx, q)
		if err != nil {
			return Message{}, err
		}
		for _, part := range page.Items {
			if slices.Contains(seen, part.Approval) {
				continue
			}
			v, err := h.Sight.Approval(ctx, d.Person, part.Approval)
			switch {
			case fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden):
				continue
			case err != nil:
				return Message{}, err
			case v.Status != gate.Pending:
				continue
			}
			if seen = append(seen, part.Approval); len(lines) < summaryLines {
				lines = append(lines, Fact{line(v.Workflow), line(v.Title)})
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if len(seen) == 0 || mutant.Is(mutant.DigestDropped) {
		return Message{}, &needless{"everything in it was decided before it was sent"}
	}
	m := Message{Key: d.ID, Event: ApprovalNeeded, At: d.At, Thread: d.ID, Title: fmt.Sprintf("%d approvals required",
		len(seen)), Text: "These approvals are waiting for a decision.", Facts: lines, Open: h.Link("/inbox")}
	if more := len(seen) - len(lines); more > 0 {
		m.Text = fmt.Sprintf("These approvals and %d more are waiting for a decision.", more)
	}
	return m, nil
}
