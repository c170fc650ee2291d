package api

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/view"
)

// TestMineIsWhatYouMayAnswer: what mine lists to its end, its total, and what
// shows acts when everything is listed are the same, for every caller.
func TestMineIsWhatYouMayAnswer(t *testing.T) {
	d := open(t, Options{})
	role := filepath.Join(t.TempDir(), "role.yaml")
	if err := os.WriteFile(role, []byte("role: chooser\nkinds: [choice, approval]\nworkflows: "+
		"[pick*]\npermissions: [view, decide]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", role); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	for name, gate := range map[string]string{
		"anybody": "",
		"owned":   "", // owner_only, below
		"manager": "role: manager",
		"both":    "role: approver, quorum: 2, acts: [approve, reject]", // who asked is excluded
		"picky":   "role: chooser",
	} {
		doc := fmt.Sprintf("workflow: %s\nowner_only: %v\nsteps: [{ id: draft, agent: writer }]\ngates: [{ id: review, "+
			"at: after draft, %s }]\n", name, name == "owned", gate)
		d.send("PUT", base+"/workflows/"+name+"?publish=true", doc, "Content-Type", "application/yaml").want(201)
	}
	// Steps with a risk ask the default role.
	doc := "workflow: risky\nsteps: [{ id: draft, agent: writer, risk: high }]\n"
	d.send("PUT", base+"/workflows/risky?publish=true", doc, "Content-Type", "application/yaml").want(201)
	for _, workflow := range []string{"ask", "ask", "pair", "apart", "form", "choose", "anybody", "owned", "manager",
		"both", "picky", "risky"} {
		d.asked(workflow)
	}
	passed := d.asked("ask")
	d.post("/approvals/"+passed.ID+"/decisions", `{"act":"delegate","to":"dora","version":1}`,
		as("bob", "approver")...).want(200)
	voted := d.asked("pair")
	d.post("/approvals/"+voted.ID+"/decisions", `{"act":"approve","version":1}`, as("bob", "approver")...).want(200)
	settled := d.asked("ask")
	d.post("/approvals/"+settled.ID+"/decisions", `{"act":"approve","version":1}`, as("bob", "approver")...).want(200)

	list := func(query string, limit int, who []string) (ids []string, total int64) {
		t.Helper()
		for cursor, more := "", true; more; {
			v := into[view.List[view.Approval]](d.get(fmt.Sprintf("/approvals?status=pending&limit=%d&cursor=%s%s", limit,
				cursor, query), who...).want(200))
			for _, a := range v.Items {
				if query != "" || len(a.Acts) > 0 {
					ids = append(ids, a.ID)
				}
			}
			if v.AtLeast {
				t.Errorf("%v: %d is a lower bound", who, v.Total)
			}
			cursor, more, total = v.Next, v.Next != "", v.Total
		}
		return ids, total
	}
	counts := map[string]int{}
	for name, who := range map[string][]string{
		"local": nil, "ann": as("ann", "approver"), "bob": as("bob", "approver"), "max": as("max", "manager"),
		"cleo": as("cleo", "chooser"), "vera": as("vera", "viewer"), "dora": as("dora", "viewer"), "free": as("free"),
		"both": as("both", "manager", "approver"), "root": as("root", "admin"), "new": as("new", "unheard-of"),
	} {
		want, _ := list("", 100, who)
		for _, limit := range []int{1, 2, 100} {
			got, total := list("&mine=true", limit, who)
			if !slices.Equal(got, want) || total != int64(len(want)) {
				t.Errorf("%s by %d: mine lists %d and counts %d; %d may be answered", name, limit, len(got), total, len(want))
			}
		}
		counts[name] = len(want)
	}
	if counts["local"] < 12 || counts["root"] != counts["local"] || counts["vera"] != 0 || counts["dora"] != 1 ||
		counts["ann"] >= counts["bob"] {
		t.Errorf("%v", counts)
	}
	// Of what is settled, mine is what asked you.
	for name, want := range map[string]int64{"bob": 1, "max": 0} {
		role := map[string]string{"bob": "approver", "max": "viewer"}[name]
		if v := into[view.List[view.Approval]](d.get("/approvals?status=approved&mine=true",
			as(name, role)...).want(200)); v.Total != want {
			t.Errorf("%s: %d settled, not %d", name, v.Total, want)
		}
	}
}
