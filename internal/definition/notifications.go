package definition

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
)

// DefaultNotifications is the name of the only document of its kind.
const DefaultNotifications = "default"

// Notifications are the default channels of each event.
type Notifications struct {
	Name        string `json:"notifications"` // default
	Description string `json:"description,omitempty"`
	// Events are the channels of each event; a missing event is announced nowhere.
	Events     map[string][]string `json:"events,omitempty"`
	QuietHours *QuietHours         `json:"quiet_hours,omitempty"` // of people who set none
	Digest     *Digest             `json:"digest,omitempty"`      // nil: the default
	Fallback   []string            `json:"fallback,omitempty"`    // channels for what could not be delivered
	Place      Place               `json:"-"`
}

// QuietHours are times of day at which people are not disturbed.
type QuietHours struct {
	// From and To are times of day such as 22:00; a span may cross midnight.
	From     string `json:"from"`
	To       string `json:"to"`
	Timezone string `json:"timezone,omitempty"` // The time zone; UTC if omitted.
}

// Digest combines messages to one person on one channel.
type Digest struct {
	After int `json:"after,omitempty"` // How many are sent one by one in a period.
	// The period: the others are sent as one summary at its end; 15m if omitted.
	Every *quantity.Duration `json:"every,omitempty"`
	Off   bool               `json:"off,omitempty"` // Whether no messages are combined.
}

// Limits of digests.
const (
	DigestEvery    = 15 * time.Minute
	digestAfterMax = 1000
	digestEveryMin = time.Second
	digestEveryMax = 24 * time.Hour
)

// Notified are the events that notifications are about. Package notify has them as constants.
var Notified = []string{"approval.needed", "approval.reminder", "approval.escalated", "approval.timed_out",
	"approval.resolved", "approval.auto_approved", "run.completed", "run.failed", "run.paused", "deliverable.created",
	"limit.warning"}

var timeOfDay = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// Check returns what is wrong with quiet hours, by key.
func (q *QuietHours) Check() map[string]string {
	out := map[string]string{}
	for key, text := range map[string]string{"from": q.From, "to": q.To} {
		if !timeOfDay.MatchString(text) {
			out[key] = "write a time of day such as 22:00"
		}
	}
	if len(out) == 0 && q.From == q.To {
		out["to"] = "it is the same time as from"
	}
	if _, err := time.LoadLocation(q.Timezone); err != nil || q.Timezone == "Local" {
		out["timezone"] = fmt.Sprintf("%q is not a time zone: write one such as Europe/Berlin or UTC", clip(q.Timezone))
	}
	return out
}

// Check returns what is wrong with a digest, by key.
func (d *Digest) Check() map[string]string {
	out := map[string]string{}
	if (d.After != 0 || !d.Off) && (d.After < 1 || d.After > digestAfterMax) {
		out["after"] = fmt.Sprintf("it is from 1 to %d", digestAfterMax)
	}
	if e := d.Every; e != nil && (e.Std() < digestEveryMin || e.Std() > digestEveryMax) {
		out["every"] = "it is from 1s to 24h"
	}
	return out
}

// Period is how often a summary is sent.
func (d *Digest) Period() time.Duration { return quantity.Or(d.Every, DigestEvery) }

func (d *decoder) notifications() Document {
	n := &Notifications{}
	d.into(n, "notifications")
	n.Place = d.place
	if n.Name != DefaultNotifications && len(Errors(d.problems)) == 0 {
		d.bad("notifications", "write notifications: default: there is one document of this kind")
	}
	return n
}

func (c *checker) notifications(n *Notifications) {
	for _, event := range slices.Sorted(maps.Keys(n.Events)) {
		if why := unknownWord(event, Notified); why != "" {
			c.add(n.Place.bad("events."+event, "%s", why))
		}
		c.channelNames(n.Place, "events."+event, n.Events[event])
	}
	c.channelNames(n.Place, "fallback", n.Fallback)
	if n.QuietHours != nil {
		c.parts(n.Place, "quiet_hours.", n.QuietHours.Check())
	}
	if n.Digest != nil {
		c.parts(n.Place, "digest.", n.Digest.Check())
	}
}

func (c *checker) parts(place Place, prefix string, wrong map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(wrong)) {
		c.add(place.bad(prefix+key, "%s", wrong[key]))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
