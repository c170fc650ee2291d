package expr_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/expr"
	"pgregory.net/rapid"
)

func TestNumbersAreExact(t *testing.T) {
	cases := []struct {
		src  string
		want bool
	}{
		{`9007199254740993 == 9007199254740992`, false},
		{`9007199254740993 > 9007199254740992`, true},
		{`big == 9007199254740993`, true},
		{`big == 9007199254740992`, false},
		{`123456789012345678901234567890 > 123456789012345678901234567889`, true},
		{`huge > 1e308`, true},
		{`huge == 1e400 && huge == 10e399 && huge < 1.0000000000000000000001e400`, true},
		{`-huge < -1e308`, true},
		{`1e999999999 > 1e999999998`, true},
		{`1e-999999999 > 0`, true},
		{`1e-999999999 < tiny`, true},
		{`0e999999999 == 0 && -0.0 == 0`, true},
		{`0.1 + 0.2 == 0.3`, true},
		{`0.70 == 0.7 && 7e-1 == .7 && 70_000 == 7E+4`, true},
		{`100 == 1e2 && 1.5e3 == 1500`, true},
		{`1 / 3 * 3 == 1`, true},
		{`1 / 3 < 0.3333333333333333333333333333334`, true},
		{`1 / 3 < 1e999999 && -1 / 3 < 1e-999999 && 1 / 3 > -1e999999 && 1 / 3 > 1e-999999`, true},
		{`7 % 3 == 1 && -7 % 3 == -1`, true},
		{`9223372036854775807 + 1 == 9223372036854775808`, true},
		{`999999999999999999 * 999999999999999999 == 999999999999999998000000000000000001`, true},
		{`0 - 9223372036854775807 - 1 == -9223372036854775808`, true},
		{`-(0 - 9223372036854775807 - 1) == 9223372036854775808`, true},
		{`5 - (0 - 9223372036854775807 - 1) == 9223372036854775813`, true},
		{`abs(minus) == 3 && abs(-0.5) == 0.5 && abs(2) == 2`, true},
		{`min(3, 1, 2) == 1 && max(3, 1, 2.5) == 3`, true},
		{`-minus == 3 && - 3 == minus && +3 == 3`, true},
		{`minus < 0 && minus > -3.5`, true},
		{`2 + 3 * 4 == 14 && (2 + 3) * 4 == 20 && 10 - 2 - 3 == 5`, true},
		{`amount * 100 == 4999`, true},
	}
	for _, c := range cases {
		got, err := compile(t, c.src).Test(in(claim))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.src, got, err, c.want)
		}
	}
}

func TestTextsHaveLimits(t *testing.T) {
	doc := `{"t": "` + strings.Repeat("x", 600_000) + `"}`
	if ok, err := compile(t, `t + "y" endsWith "xy"`).Test(in(doc)); !ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := compile(t, `t + t == "y"`).Test(in(doc)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
}

func TestArithmeticHasLimits(t *testing.T) {
	long := strings.Repeat("9", 3000)
	cases := []struct{ src, want string }{
		{`x + 1 > 0`, "too long"},
		{`1e9999 + 1 > 0`, "too long"},
		{`1 / 3 > x`, ""}, // x is beyond every fraction
		{`1 / 3 > y`, "too long"},
		{strings.Repeat("1e2000 * ", 3) + "1 > 0", "too large"},
	}
	for _, c := range cases {
		_, err := compile(t, c.src).Test(in(`{"x": ` + long + `, "y": 0.` + long + `}`))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.src, err, c.want)
		}
	}
}

// Comparing two decimals always agrees with exact fractions.
func TestOrderIsThatOfFractions(t *testing.T) {
	literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := literal.Draw(t, "a"), literal.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a + "e0"
			if strings.ContainsAny(a, "eE") {
				b = strings.Replace(strings.ToLower(a), "e", "0e", 1)
				if !strings.Contains(a, ".") {
					b = strings.Replace(strings.ToLower(a), "e", ".00e", 1)
				}
			}
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		for op, want := range map[string]bool{
			"<": x.Cmp(y) < 0, "<=": x.Cmp(y) <= 0, "==": x.Cmp(y) == 0, "!=": x.Cmp(y) != 0,
			">": x.Cmp(y) > 0, ">=": x.Cmp(y) >= 0,
		} {
			got, err := expr.Compare(budget(), op, json.RawMessage(a), json.RawMessage(b))
			if err != nil || got != want {
				t.Fatalf("%s %s %s: %v, %v; want %v", a, op, b, got, err, want)
			}
			// The same through arithmetic.
			p, err := expr.Compile("a * 3 / 3 " + op + " b")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Test(in(`{"a": ` + a + `, "b": ` + b + `}`)); err != nil || got != want {
				t.Fatalf("%s*3/3 %s %s: %v, %v; want %v", a, op, b, got, err, want)
			}
		}
	})
}
