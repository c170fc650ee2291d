package cron

import (
	"strings"
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func parse(t testing.TB, text string) *Schedule {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		cron, zone, after string
		want              []string
	}{
		{"30 9 * * mon-fri", "Europe/Berlin", "2026-11-13T09:30:00+01:00", []string{"2026-11-16T09:30:00+01:00"}},
		{"0 0 1 * *", "UTC", "2026-12-31T23:59:59Z", []string{"2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"}},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", []string{"2104-02-29T00:00:00Z"}}, // 2100 is no leap year
		{"*/20 1-2 * * *", "UTC", "2026-01-01T01:30:00Z",
			[]string{"2026-01-01T01:40:00Z", "2026-01-01T02:00:00Z", "2026-01-01T02:20:00Z"}},
		{"5/20 0 * * *", "UTC", "2026-01-01T00:00:00Z",
			[]string{"2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z", "2026-01-01T00:45:00Z", "2026-01-02T00:05:00Z"}},
		// With both days restricted, either is enough: the 13th, and every Friday.
		{"0 12 13 * fri", "UTC", "2026-10-10T00:00:00Z", []string{"2026-10-13T12:00:00Z", "2026-10-16T12:00:00Z"}},
		// With a step the field still starts with *, so both must hold, as in cron.
		{"0 12 */2 * fri", "UTC", "2026-10-01T00:00:00Z", []string{"2026-10-09T12:00:00Z", "2026-10-23T12:00:00Z"}},
		{"0 0 * * 7", "UTC", "2026-11-16T00:00:00Z", []string{"2026-11-22T00:00:00Z"}},
		{"0 0 * JAN Sun,5-6", "UTC", "2027-01-01T00:00:00Z",
			[]string{"2027-01-02T00:00:00Z", "2027-01-03T00:00:00Z", "2027-01-08T00:00:00Z"}},
		// 02:30 does not exist on 29 March: the first moment after the gap.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		// Everything that is skipped falls on 03:00, together with 03:00 itself.
		{"*/15 * * * *", "Europe/Berlin", "2026-03-29T01:45:00+01:00",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-29T03:15:00+02:00"}},
		// 02:30 occurs twice on 25 October: only the first counts.
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		// From within the repeated hour.
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T02:10:00+01:00", []string{"2026-10-26T02:30:00+01:00"}},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-25T02:30:00+02:00", []string{"2026-10-25T03:00:00+01:00"}},
		// Samoa skipped a whole day.
		{"0 12 * * *", "Pacific/Apia", "2011-12-29T12:00:00-10:00",
			[]string{"2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
		// Half an hour of summer time.
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T02:00:00+11:00", []string{"2026-04-05T01:45:00+11:00",
			"2026-04-06T01:45:00+10:30"}},
	} {
		s, z := parse(t, c.cron), zone(t, c.zone)
		at, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			at = s.Next(at, z)
			if got := at.Format(time.RFC3339); got != want {
				t.Errorf("%s in %s after %s: %s, want %s", c.cron, c.zone, c.after, got, want)
				break
			}
		}
	}
}

// TestAYearMinuteByMinute compares a year in five time zones with the definition: a time occurs in the minute in which
// its reading, or a later one, is on the clock for the first time.
func TestAYearMinuteByMinute(t *testing.T) {
	expressions := []string{"30 2 * * *", "*/15 * * * *", "0 3 * * sun", "7,37 1-3 */5 3,4,9-11 *", "59 23 13 * fri",
		"0 0 1 1,7 *"}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
		"Africa/Casablanca"} {
		z := zone(t, name)
		begin, end := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)
		schedules, nexts := make([]*Schedule, len(expressions)), make([]time.Time, len(expressions))
		for i, text := range expressions {
			schedules[i] = parse(t, text)
			nexts[i] = schedules[i].Next(begin, z)
		}
		highest := reading(begin.In(z))
		for at := begin.Add(time.Minute); at.Before(end); at = at.Add(time.Minute) {
			now := reading(at.In(z))
			for i, s := range schedules {
				due := false
				for n := highest.Add(time.Minute); !n.After(now); n = n.Add(time.Minute) {
					due = due || s.minute&(1<<n.Minute()) != 0 && s.hour&(1<<n.Hour()) != 0 &&
						s.month&(1<<n.Month()) != 0 && s.admits(n)
				}
				if due != nexts[i].Equal(at) {
					t.Fatalf("%s in %s at %s: due %t, next %s", expressions[i], name, at.In(z), due, nexts[i])
				}
				if due {
					nexts[i] = s.Next(at, z)
				}
			}
			if now.After(highest) {
				highest = now
			}
		}
	}
}

func TestWrongExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "five fields",
		"* * * *":                "not 4",
		"* * * * * *":            "not 6",
		"@daily":                 "five fields",
		"60 * * * *":             `"60" is not a valid minute: values are 0 to 59`,
		"* 24 * * *":             "hour",
		"* * 0 * *":              "1 to 31",
		"* * * 13 *":             "jan to dec",
		"* * * * funday":         "sun to sat",
		"* * * * 8":              "0 to 7",
		"5-1 * * * *":            "upwards",
		"*/0 * * * *":            "step",
		"*/x * * * *":            "step",
		"*/60 * * * *":           "step",
		"1,,2 * * * *":           "minute",
		"-1 * * * *":             "minute",
		"+1 * * * *":             "minute",
		"1- * * * *":             "minute",
		"007 * * * *":            "minute",
		"0 0 31 2 *":             "never occurs",
		"0 0 31 feb,apr,nov *":   "never occurs",
		"*5 * * * *":             "minute",
		"? * * * *":              "minute",
		strings.Repeat("*", 300): "at most 200",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("30 9 * * mon-fri", int64(1_800_000_000))
	f.Add("*/15 1-3 29 feb,mar 0-7/2", int64(0))
	z := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		at := time.Unix(unix%4_000_000_000, 0)
		next := s.Next(at, z)
		if !next.After(at) || next.Sub(at) > (years+1)*366*24*time.Hour {
			t.Errorf("%q after %s: %s", text, at, next)
		}
		if again := s.Next(next.Add(-1), z); !again.Equal(next) {
			t.Errorf("%q just before %s: %s", text, next, again)
		}
	})
}

// The largest step, a range of one value and the longest expression are accepted; one more is not.
func TestEdgesOfExpressions(t *testing.T) {
	longest := "0 0 1 1 " + strings.Repeat("1,", (textMax-8)/2-1) + "01"
	for text, ok := range map[string]bool{"*/59 */23 */31 */12 */7": true, "*/60 * * * *": false, "* */24 * * *": false,
		"5-5 * * * *": true, "5-4 * * * *": false, longest: true, longest + "0": false} {
		if _, err := Parse(text); (err == nil) != ok {
			t.Errorf("%d characters, %.40q: %v", len(text), text, err)
		}
	}
	if s := parse(t, "5-5 * * * *"); s.minute != 1<<5 {
		t.Errorf("minutes %b", s.minute)
	}
}
