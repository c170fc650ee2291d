package api

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/view"
)

// TestMostUrgentFirst: what a timeout decides comes before what waits, and the
// inbox has the same order for every reader and across pages.
func TestMostUrgentFirst(t *testing.T) {
	d := open(t, Options{})
	// the most urgent first
	want := []string{"approves-risky", "approves", "rejects", "grave", "files", "pauses", "trifle"}
	how := map[string][2]string{
		"approves-risky": {"risk: high", "timeout: { after: 17m, then: approve }"},
		"approves":       {"risk: low", "timeout: { after: 17m, then: approve }"},
		"rejects":        {"risk: medium", "timeout: { after: 10m, then: reject }"},
		"grave":          {"risk: critical", ""},
		"files":          {"risk: high", ""},
		"pauses":         {"risk: medium", "timeout: { after: 10m, then: pause }"},
		"trifle":         {"risk: low", ""},
	}
	for _, name := range slices.Sorted(slices.Values(want)) {
		doc := fmt.Sprintf("workflow: %s\nsteps: [{ id: draft, agent: writer, %s }]\ngates: [{ id: review, at: before "+
			"draft, role: approver, %s }]\n", name, how[name][0], how[name][1])
		d.send("PUT", base+"/workflows/"+name+"?publish=true", doc, "Content-Type", "application/yaml").want(201)
		d.asked(name)
	}
	for _, who := range [][]string{nil, as("bob", "approver")} {
		for _, limit := range []int{1, 3, 50} {
			var got []string
			for cursor, more := "", true; more; {
				v := into[view.List[view.Approval]](d.get(fmt.Sprintf("/approvals?sort=priority&limit=%d&cursor=%s", limit,
					cursor), who...).want(200))
				for _, a := range v.Items {
					if a.Gate == "review" { // a risky step asks by itself as well
						got = append(got, a.Workflow)
					}
				}
				cursor, more = v.Next, v.Next != ""
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v by %d: %v, not %v", who, limit, got, want)
			}
		}
	}
}
