package expr

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A comparison with null is true for null and for missing fields.
func TestComparisonsWithNull(t *testing.T) {
	for _, c := range []struct {
		operator, left string
		want           Truth
	}{
		{"==", "null", True}, {"==", "", True}, {"==", "1", False}, {"==", `"null"`, False},
		{"!=", "null", False}, {"!=", "", False}, {"!=", "1", True},
	} {
		n, err := NewComparison(c.operator, json.RawMessage("null"))
		if err != nil {
			t.Fatal(err)
		}
		budget := Budget
		if got, why := n.Weigh(&budget, Read(&budget, json.RawMessage(c.left))); got != c.want || why != "" {
			t.Errorf("%q %s null: %v, %s", c.left, c.operator, got, why)
		}
	}
	// Other comparisons with null or missing fields are unknown.
	n, err := NewComparison(">", json.RawMessage("1"))
	if err != nil {
		t.Fatal(err)
	}
	for left, want := range map[string]Truth{"null": Unknown, "": Unknown, "2": True, "1": False} {
		budget := Budget
		if got, why := n.Weigh(&budget, Read(&budget, json.RawMessage(left))); got != want || why != "" {
			t.Errorf("%q > 1: %v, %s", left, got, why)
		}
	}
}

// A truncated number is reported as such.
func TestNumbersThatBreakOff(t *testing.T) {
	for source, want := range map[string]string{
		"a > 1e": "1e is neither a number nor a name", "a > 1E": "1E is neither a number nor a name",
		"a > 1e+": "1e is neither a number nor a name",
	} {
		if _, err := Compile(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	for _, source := range []string{"a > 1e5", "a > 1E+5", "a > 1e-5", "a > .5", "a > 1_000"} {
		if _, err := Compile(source); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// Sums and differences beyond 64 bits are still exact.
func TestSumsBeyond64Bits(t *testing.T) {
	const most, least = "9223372036854775807", "-9223372036854775808"
	for _, c := range []struct{ a, b, source string }{
		{most, "1", "a + b == 9223372036854775808"}, {most, most, "a + b > a"},
		{least, "-1", "a + b == -9223372036854775809"},
		{least, "1", "a - b == -9223372036854775809"}, {"0", least, "a - b == 9223372036854775808"},
		{"-1", least, "a - b == 9223372036854775807"},
		{most, "-1", "a - b == 9223372036854775808"}, {"5", "0", "a + b == 5"}, {most, "0", "a - b == 9223372036854775807"},
		{"999999999999999999", "9", "a * b + a * b == 17999999999999999982"},
		{"999999999999999999", "9", "0 - a * b - a * b == -17999999999999999982"},
		{"999999999999999999", "9", "a * b * b == 80999999999999999919"},
		{"999999999999999999", "-9", "a * b - a == -9999999999999999990"},
		{"7", "5", "a + b == 12"}, {"7", "5", "a - b == 2"}, {"7", "5", "a * b == 35"}, {"7", "0", "a * b == 0"},
		{"0", "7", "a * b == 0"},
		{most, "2", "a * b == 18446744073709551614"}, {least, "-1", "a * b == 9223372036854775808"},
		{least, "0", "a * b == 0"}, {"9223372036854775806", "3", "b * (a + 1) == 27670116110564327421"},
		{"9223372036854775806", "3", "(a + 1) * b == 27670116110564327421"},
	} {
		p, err := Compile(c.source)
		if err != nil {
			t.Fatal(err)
		}
		budget := Budget
		got := p.Weigh(&budget, func(name string) (json.RawMessage, bool) {
			return json.RawMessage(map[string]string{"a": c.a, "b": c.b}[name]), true
		})
		if got.Truth != True {
			t.Errorf("%s with %s and %s: %+v", c.source, c.a, c.b, got)
		}
	}
}

// The distance of words is the minimum number of letters to change.
func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"", "ab"}: 2, {"abc", "abc"}: 0, {"kitten", "sitting"}: 3, {"flaw", "lawn"}: 2,
		{"startwith", "startswith"}: 1, {"ab", "ba"}: 2, {"contain", "contains"}: 1, {"xyz", "contains"}: 8,
	} {
		if got := distance(words[0], words[1]); got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}

// A number in the data may have as many digits as arithmetic supports.
func TestLongestNumbers(t *testing.T) {
	p, err := Compile("x * 0 == 0")
	if err != nil {
		t.Fatal(err)
	}
	for literal, want := range map[string]Truth{
		strings.Repeat("9", digitsMax):                True,
		strings.Repeat("9", digitsMax+1):              Unknown,
		"0." + strings.Repeat("9", digitsMax):         True,
		"0." + strings.Repeat("9", digitsMax+1):       Unknown,
		"0." + strings.Repeat("0", digitsMax) + "9":   True,
		"0." + strings.Repeat("0", digitsMax+1) + "9": Unknown,
	} {
		budget := Budget
		got := p.Weigh(&budget, func(string) (json.RawMessage, bool) { return json.RawMessage(literal), true })
		if got.Truth != want {
			t.Errorf("%.20s… of %d bytes: %+v", literal, len(literal), got)
		}
	}
}

// Truncated data is read as far as it goes, and text in it is reported.
func TestDataThatBreaksOff(t *testing.T) {
	p, err := Compile("d contains 2 || len(d) == 7")
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		"[1,2": "true, <nil>", "[": "false, <nil>", "[[1,2]": "false, <nil>", "[1": "false, <nil>",
		"1x": "1x is not a number that can be compared", "1.x": "1.x is not a number", "1e": "1e is not a number",
		`["a`: "not valid JSON", `["a\`: "not valid JSON",
	} {
		ok, err := p.Test(func(string) (json.RawMessage, bool) { return json.RawMessage(raw), true })
		if got := fmt.Sprint(ok, ", ", err); !strings.Contains(got, want) {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
