package quantity_test

import (
	"math"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/quantity"
)

func TestMoneyAtTheEdges(t *testing.T) {
	for text, want := range map[string]string{
		"1e9":                          "1000000000",
		"0e12":                         "0",
		"0e13":                         "bad",
		"0e-18":                        "0",
		"0e-19":                        "bad",
		"1e":                           "bad",
		"e3":                           "bad",
		"1e99999999999999999999":       "bad",
		"1." + strings.Repeat("0", 62): "1",
		"1." + strings.Repeat("0", 63): "bad",
		"":                             "bad",
		"9223372036.854775807":         "9223372036.854775807",
		"9223372036.854775808":         "bad",
	} {
		m, err := quantity.ParseMoney(text)
		got := m.String()
		if err != nil {
			got = "bad"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for _, c := range [][3]quantity.Money{
		{math.MaxInt64 - 1, 1, math.MaxInt64},
		{math.MaxInt64, 1, math.MaxInt64},
		{math.MaxInt64, 0, math.MaxInt64},
		{math.MinInt64 + 1, -1, math.MinInt64},
		{math.MinInt64, -1, math.MinInt64},
		{math.MinInt64, 0, math.MinInt64},
		{2, 3, 5},
	} {
		if got := c[0].Add(c[1]); got != c[2] {
			t.Errorf("%d + %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
