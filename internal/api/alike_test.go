package api

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// alikeWrites is how many files an agent wants to write with the same content.
const alikeWrites = 15

func alikeDocuments() string {
	var calls strings.Builder
	for i := range alikeWrites {
		fmt.Fprintf(&calls, "      - { tool: write_file, args: { path: exports/%02d.csv, content: total } }\n", i)
	}
	calls.WriteString("      - { tool: write_file, args: { path: exports/15.csv, content: everything } }\n")
	return `
workflow: exports
steps: [{ id: write, agent: exporter }]
---
agent: exporter
kind: llm
provider: scripted
tools: [write_file]
autonomy: approve_high_risk
turns:
  - say: Ready to write.
    calls:
` + calls.String() + `  - say: Done.
`
}

// TestAlikeWrites: 15 writes of a run that are alike are one row, which can be
// approved at once, and the one with other content has a row of its own.
func TestAlikeWrites(t *testing.T) {
	d := open(t, Options{})
	file := filepath.Join(t.TempDir(), "exports.yaml")
	if err := os.WriteFile(file, []byte(alikeDocuments()), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann := as("ann", "approver")
	run := into[view.Run](d.post("/runs", `{"workflow":"exports"}`, ann...).want(201))
	d.until(run.ID, "waiting")
	list := func() view.List[view.Approval] {
		t.Helper()
		return into[view.List[view.Approval]](d.get("/approvals?group=alike&workflow=exports", ann...).want(200))
	}
	rows := list()
	if len(rows.Items) != 2 || rows.Total != alikeWrites+1 {
		t.Fatalf("%d rows of %d approvals", len(rows.Items), rows.Total)
	}
	odd := slices.IndexFunc(rows.Items, func(v view.Approval) bool { return v.Alike == nil })
	if odd < 0 || rows.Items[1-odd].Alike == nil {
		t.Fatalf("%+v", rows.Items)
	}
	alone, many := rows.Items[odd], rows.Items[1-odd]
	if !strings.Contains(string(alone.Proposed), `"everything"`) {
		t.Errorf("the one that stands out is %s", alone.Proposed)
	}
	ids := many.Alike.IDs
	if many.Alike.Count != alikeWrites || len(ids) != alikeWrites || ids[0] != many.ID || slices.Contains(ids, alone.ID) {
		t.Fatalf("%s stands for %+v", many.ID, many.Alike)
	}
	for _, id := range ids {
		if v := d.approval(id, ann...); !strings.Contains(string(v.Proposed), `"total"`) || v.Run != run.ID {
			t.Errorf("%s of %s proposes %s", id, v.Run, v.Proposed)
		}
	}
	body, err := value.Marshal(map[string]any{"ids": ids, "act": "approve"})
	if err != nil {
		t.Fatal(err)
	}
	d.post("/approvals/batch", string(body), as("bob", "approver")...).want(200)
	if rows := list(); len(rows.Items) != 1 || rows.Items[0].ID != alone.ID || rows.Items[0].Alike != nil {
		t.Errorf("%d rows are left: %+v", len(rows.Items), rows.Items)
	}
	d.post("/approvals/"+alone.ID+"/decisions", `{"act":"reject","comment":"too much","version":1}`,
		as("bob", "approver")...).want(200)
	d.until(run.ID, "completed")
}
