package expr_test

import (
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/expr"
)

func TestWeigh(t *testing.T) {
	const no, yes, unknown = expr.False, expr.True, expr.Unknown
	for src, want := range map[string]expr.Truth{
		`amount > 40`:              yes,
		`amount > 50`:              no,
		`sum > 40`:                 unknown,
		`sum != 40`:                unknown,
		`not (sum > 40)`:           unknown,
		`not (amount > 50)`:        yes,
		`note == "x"`:              unknown, // null
		`note == null`:             yes,
		`sum == null`:              yes,
		`sum != null`:              no,
		`amount != null`:           yes,
		`amount > 50 and sum > 40`: no,
		`sum > 40 and amount > 50`: no,
		`amount > 40 or sum > 40`:  yes,
		`sum > 40 or amount > 40`:  yes,
		`sum > 40 or amount > 50`:  unknown,
		`sum > 40 and amount > 40`: unknown,
		`name > 3`:                 unknown, // invalid
		`name > 3 or amount > 40`:  yes,
		`amount > 50 and name > 3`: no,
		`name > 3 and amount > 50`: no,
		`not (name > 3)`:           unknown,
		`amount == "49.99"`:        unknown, // another kind
		`amount != "49.99"`:        unknown,
		`name != "bob"`:            yes,
		`name not in ["bob"]`:      yes,
		`amount not in ["bob"]`:    unknown,
		`amount in ["bob", 49.99]`: yes,
		`amount in ["bob", 50]`:    no,
		`name in [sum, "bob"]`:     unknown,
		`name in [sum, "anna"]`:    yes,
		`tags contains "vip"`:      yes,
		`tags contains "old"`:      no,
		`mixed contains "1"`:       yes,
		`mixed contains "2"`:       unknown, // one of its elements may have been meant
		`empty contains "x"`:       no,
		`sum contains "x"`:         unknown,
		`nested contains "field"`:  unknown,
		`vip`:                      yes,
		`sum`:                      unknown,
		`not sum`:                  unknown,
		`note`:                     unknown,
		`name`:                     unknown,
		`sum + 1 > 3`:              unknown,
		`note + 1 > 3`:             unknown,
		`max(amount, sum) > 3`:     unknown,
		`len(sum) > 3`:             unknown,
		`sum.length > 3`:           unknown,
		`fraud_signals.length > 3`: yes,
		`nested.none > 1`:          unknown,
		`amount.none > 1`:          unknown,
		`name startsWith "an"`:     yes,
		`amount startsWith "4"`:    unknown,
		`(sum > 3) == true`:        unknown,
		`nested == one`:            unknown,
		`amount / zero > 3`:        unknown,
		`[1, 2] == ["1", 2]`:       unknown,
		`(sum > 3 and amount > 50) or vip == false`: no,
	} {
		if got := compile(t, src).Weigh(budget(), in(claim)); got.Truth != want {
			t.Errorf("%s: %v, want %v (%+v)", src, got.Truth, want, got)
		}
	}
}

func TestWeighSaysWhatIsMissing(t *testing.T) {
	got := compile(t, `sum > 3 and nested.none == "x" and sum < 9 and name > 3 and note != 1`).Weigh(budget(), in(claim))
	if want := `[sum nested.none note]`; fmt.Sprint(got.Missing) != want ||
		got.Doubt != `cannot compare the text "anna" with the number 3` {
		t.Errorf("%+v", got)
	}
	if got := compile(t, `sum > 3 or amount > 1`).Weigh(budget(), in(claim)); got.Truth != expr.True ||
		got.Missing != nil {
		t.Errorf("%+v", got)
	}
	spent := 10
	if got := compile(t, `name == "anna" or vip`).Weigh(&spent, in(claim)); got.Truth != expr.Unknown || got.Doubt == "" {
		t.Errorf("what costs too much is unknown: %+v", got)
	}
}

// Both logics agree if all values are present and valid.
func TestWeighAgreesWithTest(t *testing.T) {
	for _, src := range []string{
		`amount > 40 and not vip`, `tags contains "vip" or name == "x"`, `amount in [1, 49.99]`,
		`nested.deep.er[1].x == "y"`, `note == null`,
		`lower(name) == "anna" and min(amount, 3) == 3`, `fraud_signals.length > 3`, `text matches "^very"`,
		`name not in ["a", "b"]`,
	} {
		p := compile(t, src)
		ok, err := p.Test(in(claim))
		if got := p.Weigh(budget(), in(claim)); err != nil || (got.Truth == expr.True) != ok || got.Truth == expr.Unknown {
			t.Errorf("%s: %v %v, weighed %+v", src, ok, err, got)
		}
	}
}

func TestComparisonWeighs(t *testing.T) {
	for _, c := range []struct {
		operator, right, left string
		want                  expr.Truth
		why                   string
	}{
		{">", `1000`, `1500`, expr.True, ""},
		{">", `1000`, `1000`, expr.False, ""},
		{">", `1000`, ``, expr.Unknown, ""},
		{">", `1000`, `null`, expr.Unknown, ""},
		{">", `1000`, `"1500"`, expr.Unknown, `cannot compare the text "1500" with the number 1000`},
		{"!=", `"NO"`, ``, expr.Unknown, ""},
		{"!=", `"NO"`, `47`, expr.Unknown, `cannot compare the number 47 with the text "NO"`},
		{"==", `null`, ``, expr.True, ""},
		{"!=", `null`, ``, expr.False, ""},
		{"not in", `["a"]`, `"b"`, expr.True, ""},
		{"not in", `["a"]`, `1`, expr.Unknown, `cannot compare the text "a" with the number 1`},
		{"contains", `"vip"`, `["new"]`, expr.False, ""},
		{"contains", `"vip"`, `[{"name": "vip"}]`, expr.Unknown, `cannot compare an object with the text "vip"`},
	} {
		test, err := expr.NewComparison(c.operator, []byte(c.right))
		if err != nil {
			t.Fatal(err)
		}
		if got, why := test.Weigh(budget(), expr.Read(budget(), []byte(c.left))); got != c.want || why != c.why {
			t.Errorf("%s %s %s: %v %q", c.left, c.operator, c.right, got, why)
		}
	}
}
