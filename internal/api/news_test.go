package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/workbench"
)

// TestNews: what happens beside all runs is told to everybody who follows all
// of them, without a number of its own.
func TestNews(t *testing.T) {
	d := open(t, Options{})
	asked := d.asked("ask")
	follow := func(query string) *watcher {
		w, err := watch(t.Context(), d.http.URL+contract.PathEvents+query)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.close)
		if _, err := w.next(); err != nil { // it is open
			t.Fatal(err)
		}
		return w
	}
	hears := func(w *watcher, kind, about string) {
		t.Helper()
		b, err := w.next()
		// A reader that resumes by its feed misses nothing and gets nothing twice.
		at := fmt.Sprintf(`{"feed":%d,"run":"","seq":0,`, d.parts.App.FeedHead(t.Context()))
		if err != nil || b.event != kind || b.id != "" || !strings.HasPrefix(b.data, at) ||
			!strings.HasSuffix(b.data, about+"}") {
			t.Errorf("%+v %v; expected %s %s", b, err, kind, about)
		}
	}
	all, policy, one := follow(""), follow("?types=policy.changed,run.started"), follow("?run="+asked.Run)

	d.post("/policy/emergency_stop", `{"on":true,"reason":"odd refunds"}`).want(200)
	hears(all, "policy.changed", `"data":{"emergency_stop":true}`)
	hears(policy, "policy.changed", `"data":{"emergency_stop":true}`)

	d.send("PUT", base+"/workflows/fresh?publish=true",
		`{"workflow":"fresh","steps":[{"id":"greet","agent":"writer"}]}`).want(201)
	hears(all, "definition.changed", `"data":{"kind":"workflow"}`)

	// A delivery that starts no run is in no other event.
	d.send("PUT", base+"/triggers/door", `{"trigger":"door","workflow":"fresh","verify":"none"}`).want(201)
	hears(all, "definition.changed", `"data":{"kind":"trigger"}`)
	d.post("/hooks/door", `{"twice":1,"twice":2}`).want(422)
	hears(all, "trigger.delivered", `"data":{}`)

	// An editor of the same draft learns that it is gone. No name: not all watchers may see the workflow.
	saved := into[workbench.Saved](d.send("PUT", base+"/workflows/fresh/working_copy",
		`{"yaml":"workflow: fresh","base":0,"layout":{},"samples":[],"revision":0}`).want(200))
	d.send("DELETE", fmt.Sprintf("%s/workflows/fresh/working_copy?revision=%d", base, saved.Revision), "").want(200)
	hears(all, "definition.changed", `"data":{"kind":"working_copy"}`)

	// Only what is published is in force, and only what differs is news.
	d.send("PUT", base+"/workflows/fresh", `{"workflow":"fresh","steps":[{"id":"other","agent":"writer"}]}`).want(201)
	d.send("PUT", base+"/policy", `{"policy":"default","rules":[]}`).want(201)
	hears(all, "definition.changed", `"data":{"kind":"policy"}`)
	hears(all, "policy.changed", `"data":{"emergency_stop":true}`)
	hears(policy, "policy.changed", `"data":{"emergency_stop":true}`)

	// Somebody who comes later asks how things stand, and hears what is new since.
	late := follow("?types=policy.changed")
	d.post("/policy/emergency_stop", `{"on":false}`).want(200)
	hears(late, "policy.changed", `"data":{"emergency_stop":false}`)
	hears(policy, "policy.changed", `"data":{"emergency_stop":false}`)

	// Runs go on being told as ever, and who follows one run hears of that alone.
	other := d.begin("plain")
	if e, err := policy.event(); err != nil || e.Type != "run.started" || e.Run != other.ID {
		t.Errorf("%+v %v", e, err)
	}
	d.post("/runs/"+asked.Run+"/commands", `{"type":"cancel"}`).want(202)
	if e, err := one.event(); err != nil || e.Run != asked.Run {
		t.Errorf("%+v %v", e, err)
	}

	// One that starts a run is stored after that, so the event of the run comes too early to read it.
	d.post("/hooks/door", `{}`).want(202)
	for {
		b, err := all.next()
		if err != nil {
			t.Fatal(err)
		}
		if b.event == "trigger.delivered" {
			break
		}
	}
}
