package expr

import (
	"encoding/json"
	"strings"
	"testing"
)

// A comparison with null holds for what is null and for what is missing.
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
	// Other comparisons with what is null or missing are unknown.
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

// A number that breaks off is told as what it is.
func TestNumbersThatBreakOff(t *testing.T) {
	for source, want := range map[string]string{
		"a > 1e": "1e is neither a number nor a name", "a > 1E": "1E is neither a number nor a name", "a > 1e+": "1e is neither a number nor a name",
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
