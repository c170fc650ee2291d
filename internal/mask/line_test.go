package mask

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	rules, err := Parse("input.a")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("secret", 15)
	values := NewValues()
	for _, v := range []string{`"42"`, `7`, `"x-1"`, `"` + long + `"`, `"two\n words"`, `"•••"`, `""`} {
		rules.Collect(Input, json.RawMessage(`{"a":`+v+`}`), values)
	}
	m := New(rules, values)
	for line, want := range map[string]string{
		"Pay 42 now":                  "Pay ••• now",
		"42":                          "•••",
		"42 42, 42.":                  "••• •••, •••.",
		"Pay 420, 142 or a42":         "Pay 420, 142 or a42",
		"Order 7 of x-1":              "Order ••• of •••",
		"To " + long[:59] + "… today": "To ••• today",
		"To two words":                "To •••",
		"To " + long[:20] + "…":       "To •••…",
		"Go on…":                      "Go on…",
		"•••":                         "•••",
		"":                            "",
	} {
		if got := m.Line(line); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
	if got := m.Text("Pay 42 now"); got != "Pay 42 now" {
		t.Errorf("a text that people wrote becomes %q", got)
	}
}
