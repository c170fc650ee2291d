package risk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
)

// The reasons are those of the rules that make a call ask, or that rate it highest; among equal rules, the
// first.
func TestStrictestGivesItsReasons(t *testing.T) {
	tool := risk.Tool{Name: "email_send"}
	free := func(c risk.Class) risk.Rules {
		return risk.Rules{Autonomy: risk.Full, Overrides: map[string]risk.Class{"email_send": c}}
	}
	why := func(all ...risk.Rules) (bool, risk.Level, string) {
		ask, level, reasons := risk.Strictest(tool, all...)
		return ask, level, strings.Join(reasons, "; ")
	}
	_, _, ofAll := why(risk.Rules{Autonomy: risk.ApproveAll})
	_, _, ofLow := why(free("low"))
	_, _, ofMedium := why(free("medium"))
	if ofAll == ofLow || ofLow == ofMedium || ofAll == "" || ofLow == "" {
		t.Fatalf("these reasons do not tell rules apart: %q, %q, %q", ofAll, ofLow, ofMedium)
	}
	for name, c := range map[string]struct {
		all     []risk.Rules
		ask     bool
		reasons string
	}{
		"one asks, last":          {[]risk.Rules{free("low"), {Autonomy: risk.ApproveAll}}, true, ofAll},
		"one asks, first":         {[]risk.Rules{{Autonomy: risk.ApproveAll}, free("low")}, true, ofAll},
		"none asks, higher last":  {[]risk.Rules{free("low"), free("medium")}, false, ofMedium},
		"none asks, higher first": {[]risk.Rules{free("medium"), free("low")}, false, ofMedium},
	} {
		ask, _, reasons := why(c.all...)
		if ask != c.ask || reasons != c.reasons {
			t.Errorf("%s: %v, %q, want %q", name, ask, reasons, c.reasons)
		}
	}
	tool.Class = "medium"
	if _, level, reasons := why(risk.Rules{Autonomy: risk.Full}, free("medium")); level != risk.Medium ||
		reasons != "email_send is declared medium risk" {
		t.Errorf("of rules that agree: %q", reasons)
	}
}

// Only a declaration proves that a tool is harmless.
func TestHarmless(t *testing.T) {
	for _, c := range []struct {
		class     risk.Class
		operation string
		want      bool
	}{
		{risk.Safe, "read", true},
		{"low", "read", true},
		{"medium", "read", false},
		{risk.ApprovalRequired, "read", false},
		{"", "read", false},
		{"no such word", "read", false},
		{risk.Safe, "delete", false},
		{risk.Safe, "send_email", false},
		{risk.Safe, "", false},
		{"low", "refund", false},
	} {
		if got := risk.Harmless(c.class, c.operation); got != c.want {
			t.Errorf("%q, %q: %v", c.class, c.operation, got)
		}
	}
}

// Settings for all tools of a server apply to servers only.
func TestOverridesOfServers(t *testing.T) {
	overrides := map[string]risk.Class{"mcp:files/*": risk.Safe, "files/*": risk.Safe, "mcp:alone/*": risk.Safe}
	for tool, want := range map[string]bool{"mcp:files/read": true, "files/read": false,
		"mcp:other/read": false, "mcp:alone": false} {
		if _, given := risk.Override(overrides, tool); given != want {
			t.Errorf("%s: %v", tool, given)
		}
	}
}

// Amounts are formatted for people.
func TestCostsAreTold(t *testing.T) {
	for cost, want := range map[string]string{"3": "costs 3.00 USD", "0.5": "costs 0.50 USD", "0.25": "costs 0.25 USD",
		"0.125": "costs 0.125 USD", "0": ""} {
		m, err := quantity.ParseMoney(cost)
		if err != nil {
			t.Fatal(err)
		}
		_, _, reasons := risk.Ask(risk.ApproveHighRisk, risk.Tool{Name: "email_send", CostUSD: m}, nil)
		if got := slices.Contains(reasons, want); got != (want != "") || want == "" && len(reasons) != 1 {
			t.Errorf("%s: %q", cost, reasons)
		}
	}
}

// A capital letter starts a word, and belongs to it.
func TestWordsInNames(t *testing.T) {
	for name, like := range map[string]string{"fileDelete": "file_delete", "mailSend": "mail_send",
		"v2Delete": "v2_delete"} {
		_, _, want := risk.Ask(risk.ApproveHighRisk, risk.Tool{Name: like}, nil)
		if _, _, got := risk.Ask(risk.ApproveHighRisk, risk.Tool{Name: name}, nil); !slices.Equal(got, want) {
			t.Errorf("%s: %q, and %s: %q", name, got, like, want)
		}
	}
	if class := risk.Classify(risk.Tool{Name: "HTTPGet"}); class != risk.ApprovalRequired {
		t.Errorf("HTTPGet is one word, and is %s", class)
	}
}

// A tool without a name is described as such.
func TestToolsWithoutAName(t *testing.T) {
	_, _, reasons := risk.Ask(risk.ApproveHighRisk, risk.Tool{Class: "high"}, nil)
	if len(reasons) != 1 || !strings.Contains(reasons[0], "the tool") {
		t.Errorf("%q", reasons)
	}
}
