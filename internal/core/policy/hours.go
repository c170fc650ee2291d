package policy

import (
	"fmt"
	"strings"
	"time"
)

// Zones looks up a time zone by name. time.LoadLocation does, but it reads files, so the core takes it as an
// argument.
type Zones func(name string) (*time.Location, error)

// hours are compiled business hours.
type hours struct {
	zone     *time.Location
	week     span
	weekend  span
	holidays map[string]bool // by date
}

// span is a part of the day in minutes; one that ends before it begins spans midnight. The zero span is
// closed.
type span struct{ from, to int }

func (s span) closed() bool { return s == span{} }

// parseSpan reads "09:00-17:00" or "disabled".
func parseSpan(s string) (span, error) {
	s = strings.TrimSpace(s)
	if s == "" || strings.EqualFold(s, "disabled") || strings.EqualFold(s, "closed") {
		return span{}, nil
	}
	bad := fmt.Errorf(`%q is not a valid range of hours: write "09:00-17:00" or "disabled"`, s)
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return span{}, bad
	}
	a, okA := parseClock(from)
	b, okB := parseClock(to)
	if !okA || !okB || a == 24*60 {
		return span{}, bad
	}
	if a == b {
		return span{}, fmt.Errorf(`%q is empty: write "disabled", or "00:00-24:00" for the whole day`, s)
	}
	return span{a, b}, nil
}

// parseClock reads "9:00" to "24:00" as minutes.
func parseClock(s string) (int, bool) {
	s = strings.TrimSpace(s)
	h, m, ok := strings.Cut(s, ":")
	if !ok || len(h) < 1 || len(h) > 2 || len(m) != 2 {
		return 0, false
	}
	for _, c := range h + m {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	minutes := 0
	for _, c := range h {
		minutes = minutes*10 + int(c-'0')
	}
	minutes = minutes*60 + int(m[0]-'0')*10 + int(m[1]-'0')
	return minutes, m[0] < '6' && minutes <= 24*60
}

// open reports whether now is within the hours. A shift that spans midnight belongs to the day it began on; a
// holiday closes both its own shift and its own early hours.
func (h *hours) open(now time.Time) bool {
	local := now.In(h.zone)
	if h.holiday(local) {
		return false
	}
	minute := local.Hour()*60 + local.Minute()
	today := h.on(local)
	if !today.closed() {
		if today.from < today.to && today.from <= minute && minute < today.to {
			return true
		}
		if today.from > today.to && minute >= today.from {
			return true
		}
	}
	yesterday := local.AddDate(0, 0, -1)
	before := h.on(yesterday)
	return before.from > before.to && minute < before.to && !h.holiday(yesterday)
}

func (h *hours) on(day time.Time) span {
	if d := day.Weekday(); d == time.Saturday || d == time.Sunday {
		return h.weekend
	}
	return h.week
}

func (h *hours) holiday(day time.Time) bool { return h.holidays[day.Format(time.DateOnly)] }

// hours compiles business hours; problems are reported at paths that start with path.
func (c *compiler) hours(path string, in *Hours) *hours {
	out := &hours{zone: c.zone(path+".timezone", in.Timezone), holidays: map[string]bool{}}
	var err error
	if out.week, err = parseSpan(in.MondayFriday); err != nil {
		c.bad(path+".monday_friday", "%v", err)
	}
	if out.weekend, err = parseSpan(in.SaturdaySunday); err != nil {
		c.bad(path+".saturday_sunday", "%v", err)
	}
	for i, d := range in.Holidays {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			c.bad(fmt.Sprintf("%s.holidays[%d]", path, i), "%q is not a valid date: write 2026-12-25", d)
		}
		out.holidays[d] = true
	}
	return out
}

func (c *compiler) zone(path, name string) *time.Location {
	switch name {
	case "":
		c.warn(path, "no time zone is given: UTC is used")
		return time.UTC
	case "UTC":
		return time.UTC
	case "Local":
		c.bad(path, "Local differs between machines: write a name such as Europe/Oslo")
		return time.UTC
	}
	if c.zones == nil {
		c.bad(path, "the time zone %q cannot be looked up here", name)
		return time.UTC
	}
	loc, err := c.zones(name)
	if err != nil || loc == nil {
		c.bad(path, "%q is not a known time zone: write a name such as Europe/Oslo or America/New_York", name)
		return time.UTC
	}
	return loc
}
