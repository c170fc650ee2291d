package risk_test

import (
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
)

func TestLevels(t *testing.T) {
	for i, l := range risk.Levels {
		if l.Rank() != i+1 || !l.Valid() {
			t.Errorf("%s: rank %d, valid %v", l, l.Rank(), l.Valid())
		}
	}
	for _, l := range []risk.Level{"", "LOW", "severe"} {
		if l.Rank() != 0 || l.Valid() {
			t.Errorf("%q must be unknown", l)
		}
	}
}

func TestClasses(t *testing.T) {
	cases := []struct {
		class risk.Class
		level risk.Level
		asks  bool
		valid bool
	}{
		{"safe", risk.Low, false, true},
		{"low", risk.Low, false, true},
		{"medium", risk.Medium, false, true},
		{"approval_required", risk.High, true, true},
		{"high", risk.High, true, true},
		{"critical", risk.Critical, true, true},
		{"harmless", risk.High, true, false},
		{"", risk.High, true, false},
	}
	for _, c := range cases {
		if c.class.Level() != c.level || c.class.Asks() != c.asks || c.class.Valid() != c.valid {
			t.Errorf("%q: level %s, asks %v, valid %v", c.class, c.class.Level(), c.class.Asks(), c.class.Valid())
		}
	}
}

func TestClassify(t *testing.T) {
	const safe, ask = risk.Safe, risk.ApprovalRequired
	cases := []struct {
		tool risk.Tool
		want risk.Class
	}{
		// The table in specification 002.
		{risk.Tool{Name: "web_search"}, safe},
		{risk.Tool{Name: "read_file"}, safe},
		{risk.Tool{Name: "query_kb"}, safe},
		{risk.Tool{Name: "search_memory"}, safe},
		{risk.Tool{Name: "update_working_memory"}, safe},
		{risk.Tool{Name: "create_deliverable"}, safe},
		{risk.Tool{Name: "slack_send_message"}, ask},
		{risk.Tool{Name: "email_send"}, ask},
		{risk.Tool{Name: "github_create_pr"}, ask},
		{risk.Tool{Name: "write_file"}, ask},
		{risk.Tool{Name: "delete_file"}, ask},
		{risk.Tool{Name: "move_file"}, ask},
		{risk.Tool{Name: "crunchbase_query"}, ask},
		{risk.Tool{Name: "clearbit_enrich"}, ask},
		{risk.Tool{Name: "db_insert"}, ask},
		{risk.Tool{Name: "db_update"}, ask},
		{risk.Tool{Name: "db_delete"}, ask},
		// Names of other shapes.
		{risk.Tool{Name: "crm_lookup"}, safe},
		{risk.Tool{Name: "web_fetch"}, safe},
		{risk.Tool{Name: "mcp:files/read_file"}, safe},
		{risk.Tool{Name: "mcp:email/list_messages"}, safe},
		{risk.Tool{Name: "mcp:files/delete"}, ask},
		{risk.Tool{Name: "mcp:github/create_milestone"}, ask},
		{risk.Tool{Name: "mcp:vault/update_memory"}, ask},
		{risk.Tool{Name: "milestone"}, safe},
		{risk.Tool{Name: "getUser"}, safe},
		{risk.Tool{Name: "deleteUser"}, ask},
		{risk.Tool{Name: "read-and-delete"}, ask},
		{risk.Tool{Name: "delete_memory"}, ask},
		{risk.Tool{Name: "frobnicate"}, ask},
		{risk.Tool{Name: ""}, ask},
		// A declaration takes precedence over the name.
		{risk.Tool{Name: "delete_file", Class: "safe"}, safe},
		{risk.Tool{Name: "read_file", Class: "critical"}, "critical"},
		{risk.Tool{Name: "read_file", Class: "harmless"}, ask},
		{risk.Tool{Name: "send_ping", Operation: "read"}, safe},
		{risk.Tool{Name: "x", Operation: "query"}, safe},
		{risk.Tool{Name: "x", Operation: "internal_write"}, safe},
		{risk.Tool{Name: "get_x", Operation: "financial_transaction"}, ask},
		{risk.Tool{Name: "get_x", Operation: "external_api_call"}, ask},
		// Hints.
		{risk.Tool{Name: "frobnicate", ReadOnly: true}, safe},
		{risk.Tool{Name: "delete_file", ReadOnly: true}, ask},
		{risk.Tool{Name: "get_x", ReadOnly: true, Destructive: true}, ask},
		{risk.Tool{Name: "get_x", Operation: "read", Destructive: true}, ask},
		{risk.Tool{Name: "web_search", CostUSD: 1}, ask},
	}
	for _, c := range cases {
		if got := risk.Classify(c.tool); got != c.want {
			t.Errorf("%+v: %s, want %s", c.tool, got, c.want)
		}
	}
}

func TestAsk(t *testing.T) {
	read, send := risk.Tool{Name: "web_search"}, risk.Tool{Name: "email_send"}
	stone, wire := risk.Tool{Name: risk.Milestone}, risk.Tool{Name: "wire", Class: "critical"}
	overrides := map[string]risk.Class{"web_search": "approval_required", "email_send": "safe"}
	cases := []struct {
		autonomy  risk.Autonomy
		tool      risk.Tool
		overrides map[string]risk.Class
		ask       bool
		level     risk.Level
	}{
		{risk.Full, read, nil, false, risk.Low},
		{risk.Full, send, nil, false, risk.High},
		{risk.Full, stone, nil, false, risk.Low},
		{risk.ApproveHighRisk, read, nil, false, risk.Low},
		{risk.ApproveHighRisk, send, nil, true, risk.High},
		{risk.ApproveHighRisk, stone, nil, false, risk.Low},
		{"", read, nil, false, risk.Low},
		{"", send, nil, true, risk.High},
		{"", risk.Tool{Name: "x", Class: "medium"}, nil, false, risk.Medium},
		{risk.ApproveMilestones, read, nil, false, risk.Low},
		{risk.ApproveMilestones, send, nil, false, risk.High},
		{risk.ApproveMilestones, stone, nil, true, risk.Low},
		{risk.ApproveAll, read, nil, true, risk.Low},
		{risk.ApproveAll, send, nil, true, risk.High},
		{risk.ApproveHighRisk, read, overrides, true, risk.High},
		{risk.ApproveHighRisk, send, overrides, false, risk.Low},
		{risk.ApproveHighRisk, read, map[string]risk.Class{"web_search": "sfae"}, true, risk.High},
		{"approve_some", read, nil, true, risk.Low},
		// Overrides come first, and critical tools always ask.
		{risk.Full, read, overrides, true, risk.High},
		{risk.ApproveMilestones, read, overrides, true, risk.High},
		{risk.Full, send, overrides, false, risk.Low},
		{risk.ApproveAll, send, overrides, true, risk.Low},
		{risk.Full, read, map[string]risk.Class{"web_search": "high"}, true, risk.High},
		{risk.Full, read, map[string]risk.Class{"web_search": "medium"}, false, risk.Medium},
		{risk.Full, read, map[string]risk.Class{"web_search": "critical"}, true, risk.Critical},
		{risk.Full, wire, nil, true, risk.Critical},
		{risk.ApproveMilestones, wire, nil, true, risk.Critical},
		{risk.ApproveHighRisk, wire, map[string]risk.Class{"wire": "safe"}, true, risk.Critical},
		{risk.Full, wire, map[string]risk.Class{"wire": "high"}, true, risk.Critical},
		// Names match exactly.
		{risk.Full, read, map[string]risk.Class{"Web_search": "high", "web_search ": "high"}, false, risk.Low},
		{risk.ApproveHighRisk, send, map[string]risk.Class{"Email_send": "safe", "email*": "safe", "*": "safe"},
			true, risk.High},
		{risk.Full, risk.Tool{Name: "mcp:bank/pay"}, map[string]risk.Class{"mcp:bank/*": "high"}, true, risk.High},
		{risk.Full, risk.Tool{Name: "mcp:bank/pay"},
			map[string]risk.Class{"mcp:bank/*": "high", "mcp:bank/pay": "safe"}, false, risk.Low},
		{risk.ApproveHighRisk, risk.Tool{Name: "mcp:bank/pay"},
			map[string]risk.Class{"mcp:ban/*": "safe", "mcp:*/*": "safe"}, true, risk.High},
	}
	for _, c := range cases {
		ask, level, reasons := risk.Ask(c.autonomy, c.tool, c.overrides)
		if ask != c.ask || level != c.level || len(reasons) == 0 {
			t.Errorf("%s %s: ask %v, level %s, reasons %q", c.autonomy, c.tool.Name, ask, level, reasons)
		}
	}
}

// TestStrictest: among several agents the strictest counts, in any order.
func TestStrictest(t *testing.T) {
	mail := risk.Tool{Name: "mail", Class: "high"}
	free := risk.Rules{Autonomy: risk.Full, Overrides: map[string]risk.Class{"mail": "safe"}}
	careful := risk.Rules{Autonomy: risk.ApproveHighRisk}
	for _, rules := range [][]risk.Rules{{free, careful}, {careful, free}, {free, free, careful}} {
		if ask, level, reasons := risk.Strictest(mail, rules...); !ask || level != risk.High || len(reasons) == 0 {
			t.Errorf("%v: ask %v, level %s, reasons %q", rules, ask, level, reasons)
		}
	}
	if ask, level, _ := risk.Strictest(mail, free); ask || level != risk.Low {
		t.Errorf("alone: ask %v, level %s", ask, level)
	}
}

func TestReasons(t *testing.T) {
	cost, err := quantity.ParseMoney("0.5")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		tool risk.Tool
		want []string
	}{
		{risk.Tool{Name: "email_send"}, []string{"sends or publishes data to others"}},
		{risk.Tool{Name: "people_data", Operation: "query", CostUSD: cost}, []string{"costs 0.50 USD"}},
		{risk.Tool{Name: "db_delete", Destructive: true}, []string{"declared destructive by its server", "deletes data"}},
		{risk.Tool{Name: "frobnicate"}, []string{"frobnicate declares neither a risk nor an operation"}},
		{risk.Tool{Name: "x", Class: "approval_required"}, []string{"x is declared to need approval"}},
	}
	for _, c := range cases {
		if _, _, got := risk.Ask(risk.ApproveHighRisk, c.tool, nil); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.tool, got, c.want)
		}
	}
}

func TestAutonomies(t *testing.T) {
	for _, a := range append(risk.Autonomies, "") {
		if !a.Valid() {
			t.Errorf("%q must be valid", a)
		}
	}
	if risk.Autonomy("none").Valid() {
		t.Error("none is no autonomy")
	}
}
