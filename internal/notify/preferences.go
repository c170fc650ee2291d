package notify

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/mail"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition"
)

// Preferences are a person's notification preferences.
type Preferences struct {
	// Where mail is sent; if empty, to your name if it is an e-mail address.
	Email string `json:"email,omitempty"`
	// The channels for each event. Events that are not listed use the default channels; an empty list turns an event off.
	Events map[Event][]string `json:"events,omitempty"`
	// When messages to you wait; if null, the default applies.
	QuietHours *definition.QuietHours `json:"quiet_hours,omitempty"`
	// Whether your messages never wait, not even during the default quiet hours.
	NoQuietHours bool `json:"no_quiet_hours,omitempty"`
	// When messages are combined; if null, the default applies.
	Digest *definition.Digest `json:"digest,omitempty"`
	// Whether summaries are not sent by e-mail. The link in a summary sets this.
	NoMailSummaries bool `json:"no_mail_summaries,omitempty"`
	// The time zone of times in messages, such as Europe/Berlin; if empty, that of the quiet hours.
	Timezone string `json:"timezone,omitempty"`
}

// Defaults apply to people without preferences. Workflows, gates and rules may add to them.
type Defaults struct {
	// The channels for each event, of those that send to each person; events that are not listed are not sent.
	Events map[Event][]string `json:"events"`
	// When messages to people wait; if null, never.
	QuietHours *definition.QuietHours `json:"quiet_hours,omitempty"`
	// When messages are combined.
	Digest *definition.Digest `json:"digest,omitempty"`
}

// DefaultsOf are those of the documents in force.
func DefaultsOf(set *definition.Set) Defaults {
	d := Defaults{Events: map[Event][]string{}}
	for _, e := range Events {
		names := slices.DeleteFunc(resolve(set, announced(set, e)),
			func(name string) bool { return !set.Channels[name].Personal() })
		if len(names) > 0 {
			d.Events[e] = names
		}
	}
	if n := set.Notifications; n != nil {
		d.QuietHours = n.QuietHours
	}
	d.Digest = digestOf(set.Notifications)
	return d
}

// Unwritten says what is sent where without a document about it.
func Unwritten(set *definition.Set) *definition.Notifications {
	n := &definition.Notifications{Name: definition.DefaultNotifications, Events: map[string][]string{}}
	for _, e := range Events {
		if names := slices.Sorted(slices.Values(announced(set, e))); len(names) > 0 {
			n.Events[string(e)] = names
		}
	}
	return n
}

// Chosen are the channels that the person chose, for any event.
func (p *Preferences) Chosen() (out []string) {
	for _, names := range p.Events {
		out = append(out, names...)
	}
	return out
}

// Check lists what is wrong with preferences. Channels are the names that may be used; others may stay as they are.
func (p *Preferences) Check(channels []string, others ...string) error {
	var problems []fault.Problem
	bad := func(path, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	choose := "no channel reaches people one by one yet, so choose none"
	if len(channels) > 0 {
		choose = "choose one of " + cut(phrase.Or(channels), lineMax)
	}
	if p.Email != "" {
		if a, err := mail.ParseAddress(p.Email); err != nil || a.Address != p.Email || len(p.Email) > 254 {
			bad("email", "not an e-mail address: write one such as ann@example.com")
		}
	}
	for _, e := range slices.Sorted(maps.Keys(p.Events)) {
		if !slices.Contains(Events, e) {
			bad("events."+cut(string(e), 60), "not a notification event: write one of %s", phrase.Or(Events))
		}
		for i, name := range p.Events[e] {
			if !slices.Contains(channels, name) && !slices.Contains(others, name) {
				bad(fmt.Sprintf("events.%s[%d]", cut(string(e), 60), i), "channel %q not found: %s", cut(name, 80), choose)
			}
		}
	}
	if p.QuietHours != nil {
		for key, why := range p.QuietHours.Check() {
			bad("quiet_hours."+key, "%s", why)
		}
	}
	if p.Digest != nil {
		for key, why := range p.Digest.Check() {
			bad("digest."+key, "%s", why)
		}
	}
	if _, err := time.LoadLocation(p.Timezone); err != nil || p.Timezone == "Local" {
		bad("timezone", "not a time zone: write one such as Europe/Berlin or UTC")
	}
	if len(problems) == 0 {
		return nil
	}
	slices.SortFunc(problems, func(a, b fault.Problem) int { return len(a.Path) - len(b.Path) })
	return fault.Of("the preferences are not valid", problems)
}

// readPreferences reads what was stored. What cannot be read is as if nothing had been set.
func readPreferences(raw json.RawMessage) (p Preferences) {
	if len(raw) > 0 && json.Unmarshal(raw, &p) != nil {
		return Preferences{}
	}
	return p
}

// zone is the time zone of times in messages.
func (p *Preferences) zone() *time.Location {
	name := p.Timezone
	if name == "" && p.QuietHours != nil {
		name = p.QuietHours.Timezone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// quietUntil is when the quiet hours that now is in end; zero: now is not in quiet hours.
func quietUntil(q *definition.QuietHours, now time.Time) time.Time {
	if q == nil {
		return time.Time{}
	}
	zone, err := time.LoadLocation(q.Timezone)
	if err != nil {
		return time.Time{}
	}
	local := now.In(zone)
	at := func(text string, day int) time.Time {
		var h, m int
		if _, err := fmt.Sscanf(text, "%d:%d", &h, &m); err != nil {
			return time.Time{}
		}
		return time.Date(local.Year(), local.Month(), local.Day()+day, h, m, 0, 0, zone)
	}
	for day := -1; day <= 0; day++ { // a span that began yesterday may not have ended
		from, to := at(q.From, day), at(q.To, day)
		if !to.After(from) {
			to = at(q.To, day+1)
		}
		if !now.Before(from) && now.Before(to) {
			return to
		}
	}
	return time.Time{}
}
