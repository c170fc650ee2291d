package quantity

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "1e3": 1000 * time.Second,
		"1.005": 1005 * time.Millisecond,
		"90s":   90 * time.Second, "15m": 15 * time.Minute, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond,
		"1µs": time.Microsecond,
		"30d": 30 * day, "1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour, " 5m ": 5 * time.Minute, "0d": 0,
		"0.1d":   144 * time.Minute,
		"36500d": durationMax, "876000h": durationMax, "3153600000": durationMax,
	} {
		got, err := ParseDuration(in)
		if err != nil || got.Std() != want {
			t.Errorf("ParseDuration(%q) = %v %v, want %v", in, got.Std(), err, want)
		}
	}
	for _, in := range []string{
		"", " ", "d", "x", "h", "-5", "-5s", "-1d", "1d-5h", "1d 5h", "5 m", "1h1d", "1dd", "30days", "true", "null",
		"NaN", "nan", "inf", "-inf", "NaNd", "nand", "infd", "0x1p4", "0x10", "1_000", "1e400",
		"36500d1ns", "36501d", "876001h", "3153600001", "1e300d", "9999999999999999999h",
	} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("ParseDuration(%q) = %v", in, got)
		} else if !strings.Contains(err.Error(), "is not a duration") {
			t.Errorf("ParseDuration(%q): %v", in, err)
		}
	}
}

func TestDurationString(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 10 * time.Minute: "10m", time.Hour: "1h", 10 * time.Hour: "10h",
		90 * time.Minute:        "1h30m",
		time.Hour + time.Second: "1h0m1s", 100 * time.Minute: "1h40m", day: "1d", 36 * time.Hour: "36h", 30 * day: "30d",
		1500 * time.Millisecond: "1.5s",
	} {
		if got := Duration(d).String(); got != want {
			t.Errorf("%v prints as %s, want %s", d, got, want)
		}
	}
}

func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Second, time.Minute, time.Hour, day}).Draw(t,
			"unit")
		d := Duration(time.Duration(rapid.Int64Range(0, int64(durationMax/unit)).Draw(t, "n")) * unit)
		got, err := ParseDuration(d.String())
		if err != nil || got != d {
			t.Fatalf("%v printed as %s reads as %v %v", d.Std(), d, got.Std(), err)
		}
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back Duration
		if err := json.Unmarshal(b, &back); err != nil || back != d {
			t.Fatalf("%s reads as %v %v", b, back, err)
		}
	})
}

func TestDurationJSON(t *testing.T) {
	var c struct {
		A Duration
		B *Duration
		C *Duration
	}
	if err := json.Unmarshal([]byte(`{"A":90,"B":"30d","C":null}`), &c); err != nil || c.A.Std() != 90*time.Second ||
		c.B.Std() != 30*day || c.C != nil {
		t.Errorf("got %+v %v", c, err)
	}
	for _, in := range []string{`{"A":true}`, `{"A":""}`, `{"A":-1}`, `{"A":{}}`, `{"A":"\ud800"}`, `{"A":1e999}`} {
		if err := json.Unmarshal([]byte(in), &c); err == nil {
			t.Errorf("%s is accepted", in)
		}
	}
	if Or(nil, time.Hour) != time.Hour || Or(Of(time.Minute), time.Hour) != time.Minute || Or(Of(0), time.Hour) != 0 {
		t.Error("Or is wrong")
	}
}

func TestParseMoney(t *testing.T) {
	for in, want := range map[string]Money{
		"0": 0, "-0": 0, "1": 1e9, "0.25": 25e7, "0.10": 1e8, "1e-9": 1, "2.5E-6": 2500, "1e3": 1e12, ".5": 5e8,
		"+1": 1e9, "0.0000000019": 1,
		"9223372036.854775807": math.MaxInt64,
	} {
		got, err := ParseMoney(in)
		if err != nil || got != want {
			t.Errorf("ParseMoney(%q) = %d %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", " 1", "1 ", "-1", "-0.0000000001", "1/3", "0x10", "0b1", "1_0", "1p3", "NaN", "Inf", "1e13", "1e-19",
		"1e999999999", "1e", "1e1e1", "1,5", "$1", "null", "true",
		"9223372036.854775808", strings.Repeat("1", 65),
	} {
		if got, err := ParseMoney(in); err == nil {
			t.Errorf("ParseMoney(%q) = %s", in, got)
		}
	}
}

func TestMoneyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Range(0, math.MaxInt64).Draw(t, "m"))
		got, err := ParseMoney(m.String())
		if err != nil || got != m {
			t.Fatalf("%d printed as %s reads as %d %v", int64(m), m, got, err)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back Money
		if err := json.Unmarshal(b, &back); err != nil || back != m {
			t.Fatalf("%s reads as %d %v", b, back, err)
		}
	})
}

func TestMoneyString(t *testing.T) {
	for m, want := range map[Money]string{
		0: "0", 1: "0.000000001", 1e9: "1", 100e9: "100", 25e7: "0.25", -15e8: "-1.5", -1: "-0.000000001",
		math.MaxInt64: "9223372036.854775807", math.MinInt64: "-9223372036.854775808",
	} {
		if got := m.String(); got != want {
			t.Errorf("%d prints as %s, want %s", int64(m), got, want)
		}
	}
}

func TestMoneyAdd(t *testing.T) {
	for _, c := range []struct{ a, b, want Money }{
		{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64 - 1, 1, math.MaxInt64}, {5, -7, -2},
		{math.MinInt64, -1, math.MinInt64}, {math.MaxInt64, math.MinInt64, -1},
	} {
		if got := c.a.Add(c.b); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := c.b.Add(c.a); got != c.want {
			t.Errorf("%d + %d = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestMoneyJSON(t *testing.T) {
	var c struct{ A, B Money }
	if err := json.Unmarshal([]byte(`{"A":0.10,"B":"0.25"}`), &c); err != nil || c.A != 1e8 || c.B != 25e7 {
		t.Errorf("got %+v %v", c, err)
	}
	if b, _ := json.Marshal(c); string(b) != `{"A":"0.1","B":"0.25"}` {
		t.Errorf("got %s", b)
	}
	for _, in := range []string{`{"A":true}`, `{"A":""}`, `{"A":-1}`, `{"A":[]}`, `{"A":null}`} {
		if err := json.Unmarshal([]byte(in), &c); err == nil {
			t.Errorf("%s is accepted", in)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1h30m", "30d", "NaNd", "0x1p4", "0.25", "1e-9", "-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := ParseDuration(s); err == nil {
			if again, err := ParseDuration(d.String()); err != nil || again != d || d < 0 || d.Std() > durationMax {
				t.Fatalf("%q is %v, printed %s, reads as %v %v", s, d.Std(), d, again, err)
			}
		}
		if m, err := ParseMoney(s); err == nil {
			if again, err := ParseMoney(m.String()); err != nil || again != m || m < 0 {
				t.Fatalf("%q is %d, printed %s, reads as %d %v", s, m, m, again, err)
			}
		}
	})
}
