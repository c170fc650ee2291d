// Package cron computes the times of five-field cron expressions in a time zone:
//
//	s, err := cron.Parse("30 9 * * mon-fri")
//	next := s.Next(time.Now(), berlin)
//
// An expression describes times on the clock on the wall. When clocks are put forward, a time that is skipped falls on
// the first moment after the gap, and all that are skipped fall on the same; when they are put back, a time that occurs
// twice falls on its first occurrence. So no time is lost, and none occurs twice.
package cron

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
)

// Schedule is a parsed expression. A bit is set for every value that a field admits.
type Schedule struct {
	minute, hour, day, month, weekday uint64
	anyDay, anyWeekday                bool // the field starts with *: then the other one decides alone
}

// field is one of the five positions of an expression.
type field struct {
	name     string
	min, max int
	names    []string // of values, from min on
}

var fields = [5]field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{"day of the week", 0, 7, strings.Fields("sun mon tue wed thu fri sat")},
}

// textMax bounds the length of an expression.
const textMax = 200

// Parse reads an expression: minute, hour, day of the month, month and day of the week, each * or a list of values,
// ranges (1-5) and steps (*/15). Months and weekdays have names; Sunday is 0 and 7. If both days are restricted, either
// of them is enough, as in cron.
func Parse(text string) (*Schedule, error) {
	if len(text) > textMax {
		return nil, fault.Newf(fault.Invalid, "a cron expression has at most %d characters", textMax)
	}
	if strings.HasPrefix(text, "@") {
		return nil, fault.Newf(fault.Invalid, "%q is not supported: write five fields, for example 0 9 * * mon-fri", text)
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return nil, fault.Newf(fault.Invalid, "a cron expression has five fields (minute, hour, day of the month, month, "+
			"day of the week), not %d; for example 0 9 * * mon-fri", len(parts))
	}
	var sets [len(fields)]uint64
	for i, part := range parts {
		var err error
		if sets[i], err = fields[i].parse(part); err != nil {
			return nil, err
		}
	}
	s := &Schedule{
		minute: sets[0], hour: sets[1], day: sets[2], month: sets[3], weekday: sets[4]&0x7f | sets[4]>>7,
		anyDay: parts[2][0] == '*', anyWeekday: parts[4][0] == '*',
	}
	if _, ok := s.after(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return nil, fault.Newf(fault.Invalid, "%q never occurs: no such day exists in these months", text)
	}
	return s, nil
}

// parse reads a list of values, ranges and steps.
func (f *field) parse(text string) (set uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(item, "/")
		step := 1
		if stepped {
			if step, err = number(by); err != nil || step < 1 || step > f.max {
				return 0, f.bad(item, "the step after / is a number from 1 to "+strconv.Itoa(f.max))
			}
		}
		from, to, err := f.span(span, stepped)
		if err != nil {
			return 0, err
		}
		for v := from; v <= to; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

// span reads *, one value, or a range. A single value with a step starts there and continues to the end.
func (f *field) span(text string, stepped bool) (from, to int, err error) {
	if text == "*" {
		if f.max == 7 {
			return 0, 6, nil
		}
		return f.min, f.max, nil
	}
	first, last, ranged := strings.Cut(text, "-")
	if from, err = f.value(first); err != nil {
		return 0, 0, err
	}
	if !ranged {
		if stepped {
			return from, f.max, nil
		}
		return from, from, nil
	}
	if to, err = f.value(last); err != nil {
		return 0, 0, err
	}
	if from > to {
		return 0, 0, f.bad(text, "a range goes upwards")
	}
	return from, to, nil
}

func (f *field) value(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.min + i, nil
		}
	}
	n, err := number(text)
	if err != nil || n < f.min || n > f.max {
		hint := "values are " + strconv.Itoa(f.min) + " to " + strconv.Itoa(f.max)
		if len(f.names) > 0 {
			hint += " or " + f.names[0] + " to " + f.names[len(f.names)-1]
		}
		return 0, f.bad(text, hint)
	}
	return n, nil
}

// number reads digits only: no sign, and no more than a value has.
func number(text string) (int, error) {
	if len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(text)
}

func (f *field) bad(text, hint string) error {
	return fault.Newf(fault.Invalid, "%q is not a valid %s: %s", text, f.name, hint)
}

// Next returns the first time after a moment.
func (s *Schedule) Next(after time.Time, zone *time.Location) time.Time {
	n, _ := s.after(reached(after.In(zone))) // Parse has checked that there is one
	return moment(n, zone)
}

// Clock readings are times in UTC that have the same date and time of day.

// reading is what the clock shows.
func reading(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.Add(time.Duration(offset) * time.Second).UTC()
}

// reached is the latest reading up to a moment. It is the current one, unless clocks were put back recently: the
// readings that occur again were reached before.
func reached(t time.Time) time.Time {
	latest := reading(t)
	for at := t; ; {
		start, _ := at.ZoneBounds()
		if start.IsZero() || t.Sub(start) > 48*time.Hour {
			return latest
		}
		at = start.Add(-1)
		if before := reading(at); before.After(latest) {
			latest = before
		}
	}
}

// moment is when a reading is first reached.
func moment(n time.Time, zone *time.Location) time.Time {
	t := time.Date(n.Year(), n.Month(), n.Day(), n.Hour(), n.Minute(), 0, 0, zone)
	start, end := t.ZoneBounds()
	switch shown := reading(t); {
	case shown.After(n):
		return start // skipped: t is after the gap
	case shown.Before(n):
		return end // skipped: t is before the gap
	case start.IsZero():
		return t
	}
	_, offset := start.Add(-1).Zone()
	if earlier := n.Add(-time.Duration(offset) * time.Second); earlier.Before(start) {
		return earlier.In(zone) // it occurs twice
	}
	return t
}

// years bounds the search: 29 February is missing for at most eight years.
const years = 9

// after returns the first reading after another one that the expression admits; false if there is none.
func (s *Schedule) after(n time.Time) (time.Time, bool) {
	n = n.Truncate(time.Minute).Add(time.Minute)
	for last := n.Year() + years; n.Year() <= last; {
		switch {
		case s.month&(1<<n.Month()) == 0:
			n = time.Date(n.Year(), n.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		case !s.admits(n):
			n = time.Date(n.Year(), n.Month(), n.Day()+1, 0, 0, 0, 0, time.UTC)
		default:
			hour, ok := next(s.hour, n.Hour())
			if !ok {
				n = time.Date(n.Year(), n.Month(), n.Day()+1, 0, 0, 0, 0, time.UTC)
				continue
			}
			if hour > n.Hour() {
				n = time.Date(n.Year(), n.Month(), n.Day(), hour, 0, 0, 0, time.UTC)
			}
			if minute, ok := next(s.minute, n.Minute()); ok {
				return time.Date(n.Year(), n.Month(), n.Day(), hour, minute, 0, 0, time.UTC), true
			}
			n = time.Date(n.Year(), n.Month(), n.Day(), hour+1, 0, 0, 0, time.UTC)
		}
	}
	return time.Time{}, false
}

// admits reports whether a day is one of those of the expression.
func (s *Schedule) admits(n time.Time) bool {
	day, weekday := s.day&(1<<n.Day()) != 0, s.weekday&(1<<n.Weekday()) != 0
	if s.anyDay || s.anyWeekday {
		return day && weekday
	}
	return day || weekday
}

// next returns the smallest value of a set that is at least n.
func next(set uint64, n int) (int, bool) {
	rest := set >> n << n
	return bits.TrailingZeros64(rest), rest != 0
}
