// Package quantity holds amounts people write with a unit: durations such as
// "90s" or "30d", and money that is never a float.
package quantity

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Duration reads "1h30m", "30d" or a number of seconds, and writes the former.
type Duration time.Duration

// Std is the standard library's view of it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Of returns a pointer, for optional fields.
func Of(d time.Duration) *Duration { q := Duration(d); return &q }

// Or returns what p says, or otherwise when it says nothing.
func Or(p *Duration, otherwise time.Duration) time.Duration {
	if p == nil {
		return otherwise
	}
	return p.Std()
}

const (
	day         = 24 * time.Hour
	durationMax = 36_500 * day
)

// ParseDuration accepts everything time.ParseDuration does, plus a leading
// count of days ("30d", "1d12h"), plus bare numbers, which are seconds. A
// duration is never negative and at most 36,500 days.
func ParseDuration(s string) (Duration, error) {
	bad := fmt.Errorf(`%q is not a duration: write "90s", "15m", "72h" or "30d"`, s)
	rest, total := strings.TrimSpace(s), time.Duration(0)
	if rest == "" || strings.ContainsAny(rest, "xX_") {
		return 0, bad
	}
	if n, err := strconv.ParseFloat(rest, 64); err == nil {
		return times(n, time.Second, bad)
	}
	if i := strings.IndexByte(rest, 'd'); i > 0 {
		n, err := strconv.ParseFloat(rest[:i], 64)
		if err != nil {
			return 0, bad
		}
		days, err := times(n, day, bad)
		if err != nil {
			return 0, err
		}
		total, rest = days.Std(), rest[i+1:]
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 || d > durationMax-total {
			return 0, bad
		}
		total += d
	}
	return Duration(total), nil
}

// times refuses NaN as well, for which every comparison is false.
func times(n float64, unit time.Duration, bad error) (Duration, error) {
	if d := n * float64(unit); d >= 0 && d <= float64(durationMax) {
		return Duration(math.Round(d)), nil
	}
	return 0, bad
}

func (d Duration) String() string {
	t := time.Duration(d)
	if t >= day && t%day == 0 {
		return strconv.FormatInt(int64(t/day), 10) + "d"
	}
	s := t.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

func (d *Duration) UnmarshalJSON(b []byte) (err error) {
	var s string
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	} else {
		s = string(b)
	}
	*d, err = ParseDuration(s)
	return err
}

// Money is an amount of US dollars in billionths, so that a single token of
// the cheapest model still counts and sums are exact.
type Money int64

const moneyScale = 1_000_000_000

// ParseMoney reads a plain or scientific decimal. It is never negative; what is
// below a billionth is cut off.
func ParseMoney(s string) (Money, error) {
	bad := fmt.Errorf("%q is not an amount of money: write a decimal such as 0.25", s)
	if len(s) == 0 || len(s) > 64 {
		return 0, bad
	}
	// The exponent is bounded before big.Rat expands it to digits.
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > 12 || e < -18 {
			return 0, bad
		}
	}
	if strings.ContainsAny(s, "/_xXpPoObB") {
		return 0, bad
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, bad
	}
	r.Mul(r, big.NewRat(moneyScale, 1))
	q := new(big.Int).Quo(r.Num(), r.Denom())
	if !q.IsInt64() || r.Sign() < 0 {
		return 0, bad
	}
	return Money(q.Int64()), nil
}

// Add saturates instead of wrapping round.
func (m Money) Add(n Money) Money {
	if n > 0 && m > math.MaxInt64-n {
		return math.MaxInt64
	}
	if n < 0 && m < math.MinInt64-n {
		return math.MinInt64
	}
	return m + n
}

func (m Money) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	s := fmt.Sprintf("%s%d.%09d", sign, n/moneyScale, n%moneyScale)
	s = strings.TrimRight(s, "0")
	return strings.TrimSuffix(s, ".")
}

func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(m.String()) }

func (m *Money) UnmarshalJSON(b []byte) (err error) {
	s := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	*m, err = ParseMoney(s)
	return err
}
