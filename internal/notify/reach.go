package notify

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/definition"
)

// Reach is how well people can be notified of approvals.
type Reach struct {
	People int `json:"people"`
	// Channels are those that tell of approvals; none: people see them on the pages only.
	Channels int `json:"channels"`
	// Unreached are the people whom none of these channels, and no fallback, reaches.
	Unreached []Unreached `json:"unreached,omitempty"`
}

// Unreached is a person who cannot be reached, and why.
type Unreached struct {
	Person string `json:"person"`
	Why    string `json:"why"`
}

const noAddress = " has no e-mail address"

// address is where mail to a person is sent; empty: nowhere.
func (p *Preferences) address(person string) string {
	if p.Email == "" && mailLike(person) {
		return person
	}
	return p.Email
}

// Reach reports which people cannot be notified of their approvals. A message in a room reaches everyone,
// and people who turned the event off chose that.
func (h *Host) Reach(ctx context.Context, people []string) (out Reach, err error) {
	b := &batch{host: h, set: h.Documents(), now: h.Now()}
	var instead []string // when the others do not reach them
	if b.set.Notifications != nil {
		instead = b.set.Notifications.Fallback
	}
	told := func(names []string) []string {
		return slices.DeleteFunc(b.resolve(names), func(name string) bool {
			return b.set.Channels[name].Kind == definition.ChannelWebhook
		})
	}
	common := told(announced(b.set, ApprovalNeeded))
	out = Reach{People: len(people), Channels: len(common)}
	for _, name := range common {
		if o, ok := h.channel(name); ok && len(b.rooms(o, nil)) > 0 {
			return out, nil
		}
	}
	for _, person := range people {
		prefs, err := b.preferences(ctx, person)
		if err != nil {
			return out, err
		}
		channels := common
		own, chosen := prefs.Events[ApprovalNeeded]
		if chosen {
			channels = told(own)
		}
		if chosen && len(own) == 0 || !chosen && len(common) == 0 {
			continue
		}
		if why := h.unreached(ctx, b, slices.Concat(channels, told(instead)), person, &prefs); why != "" {
			out.Unreached = append(out.Unreached, Unreached{person, why})
		}
	}
	return out, nil
}

// unreached is why none of some channels reaches a person; empty: one does.
func (h *Host) unreached(ctx context.Context, b *batch, channels []string, person string, prefs *Preferences) string {
	why := []string{}
	for _, name := range channels {
		reason := h.reaches(ctx, b, name, person, prefs)
		if reason == "" {
			return ""
		}
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	if len(why) == 0 {
		return person + " chose channels that are no longer in force"
	}
	return strings.Join(why, "; ")
}

// reaches is why a channel does not reach a person; empty: it does, as far as is known.
func (h *Host) reaches(ctx context.Context, b *batch, channel, person string, prefs *Preferences) (why string) {
	o, ok := h.channel(channel)
	switch {
	case !ok:
		return "the channel " + channel + " is no longer in force"
	case o.err != nil:
		return "the channel " + channel + " cannot be opened"
	case len(b.rooms(o, nil)) > 0:
		return ""
	case o.doc.Kind == definition.ChannelEmail && prefs.address(person) == "":
		return person + noAddress
	}
	if r, ok := o.Channel.(Reacher); ok {
		return r.Reaches(ctx, person)
	}
	return ""
}
