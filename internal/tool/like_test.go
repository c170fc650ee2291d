package tool_test

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/tool"
)

// TestLikeABuiltin: a built-in tool under another name, with its own risk, description and cost, and narrower
// arguments.
func TestLikeABuiltin(t *testing.T) {
	b := open(t, `
tool: market_data
kind: builtin
builtin: read_file
description: Buy market shares
describe: "Buy {{.path}}"
args: { type: object, properties: { path: { enum: [paid.csv] } } }
cost_usd: 2
---
tool: open_pull
kind: builtin
builtin: write_file
operation: create_pull_request
---
tool: notes
kind: builtin
builtin: read_file
---
tool: question
kind: builtin
builtin: ask_human
---
tool: write_file
kind: builtin
builtin: read_file
---
tool: odd
kind: builtin
builtin: nothing
`, tool.Options{Files: func(agent string) map[string]string {
		if agent == "a" {
			return map[string]string{"paid.csv": "Alder,34", "free.csv": "x"}
		}
		return nil
	}})
	if r, f := b.call(t, "market_data", `{"path":"paid.csv"}`); !strings.Contains(string(r.Output), "Alder,34") ||
		r.Usage.CostUSD.String() != "2" {
		t.Errorf("%+v %+v", r, f)
	}
	if r, _ := b.call(t, "market_data", `{"path":"free.csv"}`); r.Error == "" || r.Usage.CostUSD != 0 {
		t.Errorf("%+v", r)
	}
	if r, _ := b.call(t, "market_data", `{}`); r.Error == "" {
		t.Error("the built-in tool's own schema does not count")
	}
	if r, _ := b.call(t, "open_pull", `{"path":"p.md","content":"x"}`); r.Error != "" {
		t.Error(r.Error)
	}
	classify := func(name, args string) (risk.Class, bool) {
		s := b.spec(t, name, args)
		return risk.Classify(risk.Tool{Name: name, Class: s.Class, Operation: s.Operation, ReadOnly: s.ReadOnly,
			CostUSD: s.CostUSD}), s.Unknown
	}
	for name, want := range map[string]risk.Class{"market_data": risk.ApprovalRequired,
		"open_pull": risk.ApprovalRequired, "notes": risk.Safe} {
		if got, unknown := classify(name, `{"path":"paid.csv"}`); got != want || unknown {
			t.Errorf("%s is %s", name, got)
		}
	}
	if s := b.spec(t, "market_data", `{"path":"paid.csv"}`); s.Description != "Buy paid.csv" || s.CostUSD.String() != "2" {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"question", "write_file", "odd"} {
		if _, unknown := classify(name, `{}`); !unknown {
			t.Errorf("%s should not be there", name)
		}
	}
}
