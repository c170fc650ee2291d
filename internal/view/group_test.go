package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
)

// TestGroups: what a run asks alike is one row, and what stands out has its own.
func TestGroups(t *testing.T) {
	var list []Approval
	ask := func(run, tool, proposed string, level risk.Level) {
		v := Approval{ID: fmt.Sprintf("apr_%d", len(list)), Run: run, Step: "work", Status: gate.Pending,
			Proposed: json.RawMessage(proposed)}
		v.Action.Tool, v.Risk.Level = tool, level
		list = append(list, v)
	}
	for i := range 15 {
		ask("run_1", "write_file", fmt.Sprintf(`{"path":"docs/%d.md","mode":"append"}`, i), risk.Medium)
	}
	ask("run_1", "write_file", `{"path":"docs/15.md","mode":"replace"}`, risk.Medium) // another mode than all others
	ask("run_1", "write_file", `{"path":"docs/16.md","mode":"append"}`, risk.High)    // another risk
	ask("run_2", "write_file", `{"path":"docs/17.md","mode":"append"}`, risk.Medium)  // another run
	for _, amount := range []int{10, 12, 5000, 9, 11, 1} {
		ask("run_3", "pay", fmt.Sprintf(`{"amount":%d}`, amount), risk.Medium)
	}
	ask("run_4", "pay", `{"amount":10}`, risk.Medium) // too few to tell which one stands out
	ask("run_4", "pay", `{"amount":5000}`, risk.Medium)
	ask("run_5", "say", `"a"`, risk.Low)
	ask("run_5", "say", `"b"`, risk.Low)
	ask("run_5", "say", `"c"`, risk.Low)
	ask("run_5", "say", `"d"`, risk.Low)
	var got []string
	seen := map[string]bool{}
	for _, v := range Group(list) {
		ids := []string{v.ID}
		if v.Alike != nil {
			ids = v.Alike.IDs
			if v.Alike.Count != len(ids) || ids[0] != v.ID {
				t.Errorf("%s stands for %d: %v", v.ID, v.Alike.Count, ids)
			}
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s is there twice", id)
			}
			seen[id] = true
		}
		got = append(got, fmt.Sprintf("%s %d", v.Run[4:], len(ids)))
	}
	if want := "1 15, 1 1, 1 1, 2 1, 3 4, 3 1, 3 1, 4 2, 5 4"; strings.Join(got, ", ") != want || len(seen) != len(list) {
		t.Errorf("%d of %d: %s\nnot %s", len(seen), len(list), strings.Join(got, ", "), want)
	}
	if len(Group(nil)) != 0 {
		t.Error("nothing is grouped into something")
	}
}
