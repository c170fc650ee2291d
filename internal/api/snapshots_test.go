package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/view"
)

// TestSnapshotsAreListed: a workflow that saves a snapshot after each step has as many places to return to, in pages
// of any size, and a fork from one repeats nothing that came before.
func TestSnapshotsAreListed(t *testing.T) {
	d := open(t, Options{})
	run := d.until(d.begin("saved").ID, "completed")
	all := into[view.List[view.Snapshot]](d.get("/runs/" + run.ID + "/snapshots").want(200))
	var where []string
	for _, s := range all.Items {
		where = append(where, fmt.Sprintf("%s %s by %s", s.Reason, s.Step, s.By.Kind))
	}
	if strings.Join(where, ", ") != "after_step one by system, after_step two by system" || all.Total != 2 ||
		all.Next != "" {
		t.Fatalf("%v %+v", where, all)
	}
	first := into[view.List[view.Snapshot]](d.get("/runs/" + run.ID + "/snapshots?limit=1").want(200))
	if len(first.Items) != 1 || first.Items[0].Seq != all.Items[0].Seq || first.Next == "" || !first.AtLeast {
		t.Errorf("%+v", first)
	}
	rest := into[view.List[view.Snapshot]](d.get("/runs/" + run.ID + "/snapshots?limit=9&cursor=" + first.Next).want(200))
	if len(rest.Items) != 1 || rest.Items[0].Seq != all.Items[1].Seq || rest.Next != "" {
		t.Errorf("%+v", rest)
	}
	d.get("/runs/"+run.ID+"/snapshots?cursor=x").refused(422, "invalid")
	d.get("/runs/run_none/snapshots").refused(404, "not_found")
	fork := into[view.Run](d.post("/runs/"+run.ID+"/fork", fmt.Sprintf(`{"at_seq":%d}`, all.Items[0].Seq),
		as("ann", "approver")...).want(201))
	d.until(fork.ID, "completed")
	events := into[view.List[view.Event]](d.get("/runs/" + fork.ID + "/events").want(200)).Items
	for _, e := range events {
		if e.Seq > all.Items[0].Seq && e.Type == "step.started" && strings.Contains(string(e.Data), `"one"`) {
			t.Errorf("what came before the snapshot is repeated: %s", e.Data)
		}
	}
}

// TestStatesAreStreamed: with state, each event that ends a step is followed by the run as of that event. Without, and
// for other types, it is not.
func TestStatesAreStreamed(t *testing.T) {
	d := open(t, Options{})
	run := d.until(d.begin("saved").ID, "completed")
	listed := into[view.List[view.Event]](d.get("/runs/" + run.ID + "/events").want(200)).Items
	read := func(query string, until string) (types []string, states []contract.StateView) {
		t.Helper()
		w, err := watch(t.Context(), d.http.URL+contract.PathEvents+"?after=0&run="+run.ID+query)
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		for {
			b, err := w.next()
			if err != nil {
				t.Fatal(err)
			}
			if b.data == "" {
				continue
			}
			var e view.Event
			if err := json.Unmarshal([]byte(b.data), &e); err != nil {
				t.Fatal(err)
			}
			types = append(types, e.Type)
			if e.Type == "state.updated" {
				var s contract.StateView
				if err := json.Unmarshal(e.Data, &s); err != nil || e.Seq != 0 || b.id != "" {
					t.Fatalf("%v: it has a number: %+v %+v", err, e, b)
				}
				states = append(states, s)
			}
			if e.Type == until && (until != "state.updated" || len(states) == 2) {
				return types, states
			}
		}
	}
	types, states := read("&state=true", "run.completed")
	if len(states) != 2 || len(types) != len(listed)+2 {
		t.Fatalf("%v", types)
	}
	for n, s := range states {
		then := into[view.Run](d.get(fmt.Sprintf("/runs/%s/state?at_seq=%d", run.ID, s.Seq)).want(200))
		if s.Step != []string{"one", "two"}[n] || s.State.Seq != s.Seq || s.State.Progress.Done != n+1 ||
			string(s.State.Context) != string(then.Context) || len(s.State.Context) < 5 {
			t.Errorf("%+v\n%+v", s, then)
		}
	}
	if types, _ := read("", "run.completed"); len(types) != len(listed) {
		t.Errorf("%v", types)
	}
	if types, _ := read("&state=true&types=run.completed", "run.completed"); len(types) != 1 {
		t.Errorf("%v", types)
	}
	if types, _ := read("&state=true&types=state.updated", "state.updated"); len(types) != 2 {
		t.Errorf("%v", types)
	}
	d.get("/events?state=true").refused(422, "invalid")
}
