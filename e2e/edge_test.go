package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The edge cases of specification 002, by number, and its rules on autonomy, each on the binary with models
// of both providers.

const mail = `
turn 1: I write to them.
  call email_send {"to":"a@example.com","text":"hi"}
turn 2: Done.
`

// Edge case 1: no one ever decides.
func TestEdge1NobodyAnswers(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: mail})
		id := d.begin()
		a := d.asks(id, "t1c1")["t1c1"]
		if a.get("deadline_at") != nil || a.text("on_timeout") != "" {
			t.Errorf("it expires: %s", a.body)
		}
		d.kill()
		d.start()
		if again := d.asks(id, "t1c1")["t1c1"]; again.text("id") != a.text("id") || again.number("version") != 1 {
			t.Errorf("%s", again.body)
		}
		// An administrator may clear old approvals.
		expire := func(w who) answer {
			return d.call("POST", "/approvals/expire", `{"older_than":"1ms","comment":"nobody was there"}`, as(w))
		}
		expire(bob).problem(403, "forbidden")
		if e := expire(who{"root", "admin"}).want(200); e.count("results") != 1 || e.get("results.0.ok") != true ||
			e.text("results.0.id") != a.text("id") {
			t.Errorf("%s", e.body)
		}
		d.settles(id, "completed")
		if said := d.model.last(t, 2).results(t)["t1c1"]; !strings.Contains(said, "nobody was there") ||
			len(d.did("t1c1")) != 0 {
			t.Errorf("the model hears %q, and %d mails are out", said, len(d.did("t1c1")))
		}
		if a := d.call("GET", "/approvals/"+a.text("id"), nil).want(200); a.text("status") == "pending" ||
			a.text("status") == "approved" {
			t.Errorf("%s", a.body)
		}
		d.once(2)
	})
}

// Edge case 1, with a timeout that rejects.
func TestEdge1SilenceIsNo(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: mail,
			workflow: `gates: [{ id: mails, at: call email_send, title: A mail, role: approver, timeout: { after: 1500ms, then: reject } }]` + "\n"})
		id := d.begin()
		a := d.asks(id, "t1c1")["t1c1"]
		if a.text("deadline_at") == "" || a.text("on_timeout") != "reject" || a.text("gate") != "mails" {
			t.Errorf("%s", a.body)
		}
		d.settles(id, "completed")
		if a := d.call("GET", "/approvals/"+a.text("id"), nil).want(200); a.text("status") != "timed_out" ||
			a.text("outcome.act") != "reject" {
			t.Errorf("%s", a.body)
		}
		if said := d.model.last(t, 2).results(t)["t1c1"]; !strings.Contains(said, "denied") || len(d.did("t1c1")) != 0 {
			t.Errorf("the model hears %q", said)
		}
		d.once(2)
	})
}

const draftThenMail = `
turn 1: A draft first.
  call create_deliverable {"name":"draft.md","type":"document","content":"# So far"}
turn 2: And a mail.
  call email_send {"to":"a@example.com","text":"hi"}
turn 3: Done.
`

// kept checks that a run's deliverables still exist.
func (d *desk) kept(id string) {
	d.t.Helper()
	list := d.call("GET", "/deliverables?run="+id, nil).want(200)
	if list.count("items") != 1 || list.text("items.0.name") != "draft.md" || list.text("items.0.status") != "draft" {
		d.t.Fatalf("%s", list.body)
	}
	if c := d.call("GET", "/deliverables/"+list.text("items.0.id")+"/content",
		nil).want(200); string(c.body) != "# So far" {
		d.t.Errorf("%s", c.body)
	}
}

// Edge case 2: cancelled with pending approvals.
func TestEdge2CancelWhileWaiting(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: draftThenMail})
		id := d.begin()
		a := d.asks(id, "t2c1")["t2c1"]
		d.call("POST", "/runs/"+id+"/commands", `{"type":"cancel","reason":"not needed"}`, as(ann)).want(202)
		d.settles(id, "cancelled")
		if a := d.call("GET", "/approvals/"+a.text("id"), nil).want(200); a.text("status") != "cancelled" ||
			a.count("acts") != 0 {
			t.Errorf("%s", a.body)
		}
		if p := d.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`,
			as(bob)); p.status != 409 {
			t.Errorf("%d %s", p.status, p.body)
		}
		d.kill()
		d.start()
		d.kept(id)
		if r := d.settles(id, "cancelled"); r.count("pending_approvals") != 0 || len(d.did("t2c1")) != 0 {
			t.Errorf("%s", r.body)
		}
		d.once(2)
	})
}

// Edge case 3: the time limit is reached with pending approvals. Waiting counts.
func TestEdge3DurationWhileWaiting(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: "agent limits: { duration: 3s }\n" + draftThenMail})
		id := d.begin()
		a := d.asks(id, "t2c1")["t2c1"]
		r := d.settles(id, "limit_reached")
		log := d.history(id)
		if log.limit != "duration" || !slices.Contains(log.types, "limit.warning") {
			t.Errorf("the limit %q was reached; %v", log.limit, log.types)
		}
		if r.text("steps.0.limits.0.limit") != "duration" || r.number("steps.0.limits.0.percent") != 100 ||
			r.count("pending_approvals") != 0 {
			t.Errorf("%s", r.body)
		}
		if a := d.call("GET", "/approvals/"+a.text("id"), nil).want(200); a.text("status") != "cancelled" {
			t.Errorf("%s", a.body)
		}
		d.kept(id)
		d.once(2)
	})
}

const spending = `
turn 1: A draft first.
  call create_deliverable {"name":"draft.md","type":"document","content":"# So far"}
turn 2:
  call crm_lookup {"id":2}
turn 3:
  call crm_lookup {"id":3}
turn 4:
  call crm_lookup {"id":4}
turn 5:
  hears 80 % of the money used.
  call crm_lookup {"id":5}
turn 6:
  call crm_lookup {"id":6}
turn 7: Done.
`

// Edge case 4: the cost limit is nearly reached, and then it is.
func TestEdge4CostLimit(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		limits := fmt.Sprintf("agent limits: { cost_usd: %.3f }\n", 5*turnCosts)
		d := newDesk(t, provider, setup{script: limits + spending})
		id := d.begin()
		r := d.settles(id, "limit_reached", "completed")
		log := d.history(id)
		if r.text("status") != "limit_reached" || log.limit != "cost_usd" || r.text("usage.cost_usd") != "0.01" {
			t.Errorf("%q: %s", log.limit, r.body)
		}
		if at := slices.Index(log.types, "limit.warning"); at < 0 || slices.Contains(log.types[at+1:], "limit.warning") {
			t.Errorf("not one warning: %v", log.types)
		}
		d.kept(id)
		d.once(5)
		if len(d.did("t5c1")) != 0 {
			t.Error("it worked on beyond its limit")
		}
	})
}

// Edge case 4, with a request for more: it continues exactly where it stopped.
func TestEdge4AskForMore(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		limits := fmt.Sprintf("agent limits: { cost_usd: %.3f, on_limit: ask }\n", 5*turnCosts)
		d := newDesk(t, provider, setup{script: limits + spending})
		id := d.begin()
		a := d.asks(id, "")[""]
		if a.text("reason") != "limit" || a.text("kind") != "input" || a.text("proposed.cost_usd") != "0.01" ||
			a.text("title") != "Clerk has used up its money" || !strings.Contains(a.text("if_denied"), "are kept") {
			t.Errorf("%s", a.body)
		}
		d.once(5)
		d.kill()
		d.start()
		d.says(d.asks(id, "")[""], "approve", "")
		r := d.settles(id, "completed", "limit_reached")
		d.once(7)
		if n := len(d.did("t5c1")); r.text("status") != "completed" || n != 1 || len(d.model.questions()) != 7 {
			t.Errorf("the call of the fifth turn happened %d times, and the model was asked %d times: %s", n,
				len(d.model.questions()), r.body)
		}
		if !slices.Contains(d.history(id).types, "limit.granted") {
			t.Error("the log does not tell that more was granted")
		}
	})
}

const three = `
turn 1: All three at once.
  call email_send {"to":"a@example.com","text":"hi a"}
  call refund {"id":7,"amount":30}
  call email_send {"to":"c@example.com","text":"hi c"}
turn 2: Done.
`

// Edge case 5: three calls in one turn are three approvals, decided one by one or together; approved calls
// run, denied ones are reported, each by its id.
func TestEdge5ThreeAtOnce(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		t.Run("one by one", func(t *testing.T) {
			d := newDesk(t, provider, setup{script: three})
			id := d.begin()
			open := d.asks(id, "t1c1", "t1c2", "t1c3")
			d.says(open["t1c1"], "approve", "")
			waitFor(t, "the mail to be sent", func() bool { return len(d.did("t1c1")) == 1 })
			if n := len(d.model.questions()); n != 1 {
				t.Errorf("the model goes on before all is answered: %d", n)
			}
			d.kill()
			d.start()
			d.says(open["t1c2"], "reject", `,"comment":"no money today"`)
			d.says(open["t1c3"], "approve", "")
			d.settles(id, "completed")
			d.partial(t, []string{"t1c1", "t1c3"}, "t1c2", "denied by bob: no money today")
		})
		t.Run("together", func(t *testing.T) {
			d := newDesk(t, provider, setup{script: three})
			id := d.begin()
			open := d.asks(id, "t1c1", "t1c2", "t1c3")
			ids := []string{open["t1c2"].text("id"), open["t1c3"].text("id"), "apr_none"}
			b := d.call("POST", "/approvals/batch",
				map[string]any{"ids": ids, "act": "approve", "comment": "both fine"}, as(bob)).want(200)
			if b.count("results") != 3 || b.get("results.0.ok") != true || b.get("results.1.ok") != true ||
				b.get("results.2.ok") != false {
				t.Errorf("%s", b.body)
			}
			b = d.call("POST", "/approvals/batch",
				map[string]any{"ids": []string{open["t1c1"].text("id")}, "act": "reject", "comment": "not to a"}, as(bob)).want(200)
			if b.get("results.0.ok") != true || b.text("results.0.status") != "rejected" {
				t.Errorf("%s", b.body)
			}
			d.settles(id, "completed")
			d.partial(t, []string{"t1c2", "t1c3"}, "t1c1", "denied by bob: not to a")
		})
	})
}

// partial checks that some calls happened once and one was denied, and that the model learns that about each
// of them.
func (d *desk) partial(t *testing.T, ran []string, denied, why string) {
	t.Helper()
	heard := d.model.last(t, 2).results(t)
	for _, id := range ran {
		if len(d.did(id)) != 1 || !strings.Contains(heard[id], "r-"+id) {
			t.Errorf("%s happened %d times; the model hears %q", id, len(d.did(id)), heard[id])
		}
	}
	if len(d.did(denied)) != 0 || !strings.Contains(heard[denied], why) {
		t.Errorf("%s happened %d times; the model hears %q", denied, len(d.did(denied)), heard[denied])
	}
	d.once(2)
}

// Edge case 6: a tool fails after approval. A repeat needs no new approval, anything else does.
func TestEdge6FailsAfterApproval(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: `
turn 1: I pay.
  call refund {"id":1,"amount":10}
  tool c1 503 2
turn 2: And another one.
  call refund {"id":2,"amount":20}
  tool c1 422 1
turn 3: The same once more.
  hears the service of refund is out
  call refund {"id":2,"amount":20}
  tool c1 422 1
turn 4: Then less.
  call refund {"id":2,"amount":19}
turn 5: Done.
`})
		id := d.begin()
		d.says(d.asks(id, "t1c1")["t1c1"], "approve", "") // the service is down twice, and is retried automatically
		a := d.asks(id, "t2c1")["t2c1"]
		if calls := d.calls("t1c1"); len(calls) != 3 || calls[0].key != calls[1].key || calls[1].key != calls[2].key ||
			len(d.did("t1c1")) != 1 {
			t.Errorf("%+v", calls)
		}
		d.says(a, "approve", "") // fails, is repeated by the model, and fails again
		a = d.asks(id, "t4c1")["t4c1"]
		if n := len(d.calls("t3c1")); n != 1 {
			t.Errorf("the same again was called %d times", n)
		}
		if list := d.call("GET", "/approvals?run="+id, nil).want(200); list.number("total") != 3 {
			t.Errorf("%s", list.body)
		}
		d.says(a, "approve", "")
		d.settles(id, "completed")
		if got := d.did("t4c1"); len(got) != 1 || !strings.Contains(got[0], "19") {
			t.Errorf("%v", got)
		}
		d.once(5)
	})
}

// calls are the requests that a tool got for a call.
func (d *desk) calls(call string) (out []used) {
	d.tools.mu.Lock()
	defer d.tools.mu.Unlock()
	for _, c := range d.tools.calls {
		if c.call == call {
			out = append(out, c)
		}
	}
	return out
}

// Edge case 7: a message arrives while the agent works. It is kept for the next turn, even if the agent was
// about to finish.
func TestEdge7MessageWhileWorking(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: `
turn 1: I look.
  call crm_lookup {"id":1}
turn 2: Nothing more to do.
  hears ann: Look at 2, too.
turn 3: I did what bob asked for.
  hears bob: And be brief.
`})
		said := make(chan answer, 2)
		var id string
		begun := make(chan struct{})
		d.model.when = func(moment string, turn int) bool {
			<-begun
			if moment == "first" && turn < 3 {
				text, by := "Look at 2, too.", ann
				if turn == 2 {
					text, by = "And be brief.", bob
				}
				said <- d.call("POST", "/runs/"+id+"/commands", map[string]string{"type": "message", "text": text}, as(by))
			}
			return false
		}
		id = d.begin()
		close(begun)
		for range 2 {
			if a := (<-said).want(202); a.get("accepted") != true || a.number("seq") == 0 {
				t.Errorf("%s", a.body)
			}
		}
		r := d.settles(id, "completed")
		if r.text("output.text") != "I did what bob asked for." {
			t.Errorf("%s", r.body)
		}
		thread := fmt.Sprint(r.get("thread"))
		for _, want := range []string{"name:ann] text:Look at 2, too.", "name:bob] text:And be brief.",
			"name:clerk] text:I did what bob asked for."} {
			if !strings.Contains(thread, want) {
				t.Errorf("%q is not in the thread: %s", want, thread)
			}
		}
		d.once(3)
	})
}

// Edge case 8: the watcher is gone for a while. The agent continues, its questions are kept, and the
// returning watcher misses nothing and sees nothing twice.
func TestEdge8ConnectionLost(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: `
turn 1: I look.
  call crm_lookup {"id":1}
turn 2: And again.
  call crm_lookup {"id":2}
turn 3: Now a mail.
  call email_send {"to":"a@example.com","text":"hi"}
turn 4: Done.
`})
		var heads []int64
		last := "0"
		// follow reads the stream up to an event of some type.
		follow := func(kind string) {
			t.Helper()
			ctx, gone := context.WithTimeout(t.Context(), patience)
			defer gone()
			found := false
			_ = d.listen(ctx, "", last, func(id string, e event) {
				if found {
					return // it was read before the connection broke, but not processed
				}
				heads, last = append(heads, e.Feed), id
				if e.Type == kind {
					found = true
					gone()
				}
			})
			if !found {
				t.Fatalf("no %s in the stream", kind)
			}
		}
		id := d.begin()
		follow("turn.started")
		a := d.asks(id, "t3c1")["t3c1"] // without a listener it continues
		d.stop()
		d.start()
		follow("approval.needed")
		d.says(a, "approve", "")
		follow("run.completed")
		for i, feed := range heads {
			if feed != int64(i)+1 {
				t.Fatalf("event %d came as number %d: %v", feed, i+1, heads)
			}
		}
		if log := d.history(id); len(heads) < len(log.types) {
			t.Errorf("%d events came, and the log has %d", len(heads), len(log.types))
		}
		d.once(4)
	})
}
