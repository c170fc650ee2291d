package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// An agent asks before it begins, and works with the answer.
func TestClarifyingQuestions(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{script: `
turn 1: Two things first.
  call ask_human {"question":"Which region?","options":["Europe","Asia"]}
  call ask_human {"question":"What is the budget?"}
turn 2: Europe it is.
  hears Europe
  hears 10 EUR
`})
		id := d.begin()
		open := d.asks(id, "t1c1", "t1c2")
		choice, input := open["t1c1"], open["t1c2"]
		if choice.text("kind") != "choice" || choice.text("title") != "Which region?" ||
			choice.text("options.1.value") != "Asia" ||
			input.text("kind") != "input" || input.text("title") != "What is the budget?" {
			t.Errorf("%s\n%s", choice.body, input.body)
		}
		d.call("POST", "/approvals/"+choice.text("id")+"/decisions", `{"act":"choose","option":"Africa","version":1}`,
			as(bob)).problem(422, "invalid")
		d.says(choice, "choose", `,"option":"Europe"`)
		d.kill()
		d.start()
		d.says(input, "submit", `,"data":{"answer":"10 EUR"}`)
		d.settles(id, "completed")
		heard := d.model.last(t, 2).results(t)
		if !strings.Contains(heard["t1c1"], "Europe") || !strings.Contains(heard["t1c2"], "10 EUR") {
			t.Errorf("%v", heard)
		}
		d.once(2)
	})
}

// phases are a milestone between two risky calls.
const phases = `
turn 1: I pay, and the first phase is done.
  call refund {"id":1,"amount":10}
  call milestone {"phase":"pay","summary":"one refund"}
turn 2: Now the mail.
  call email_send {"to":"a@example.com","text":"hi"}
  call crm_lookup {"id":1}
turn 3: Done.
`

// Which approvals are required follows from the agent's autonomy and its settings for single tools.
func TestAutonomy(t *testing.T) {
	for _, c := range []struct {
		autonomy, more string
		asks           []string // calls that require approval, by turn
	}{
		{"full", "", nil},
		{"approve_high_risk", "", []string{"t1c1", "t2c1"}},
		{"approve_milestones", "", []string{"t1c2"}},
		{"approve_all", "", []string{"t1c1 t1c2", "t2c1 t2c2"}},
		{"approve_high_risk", "agent tool_risk: { refund: safe, crm_lookup: approval_required }\n", []string{"t2c1 t2c2"}},
		{"approve_high_risk", "agent tool_risk: { refund: low, email_send: safe }\n", nil},
		{"full", "agent tool_risk: { email_send: approval_required }\n", []string{"t2c1"}},
		{"approve_milestones", "agent tool_risk: { refund: critical, email_send: high }\n", []string{"t1c1 t1c2", "t2c1"}},
	} {
		t.Run(strings.TrimSpace(c.autonomy+" "+c.more), func(t *testing.T) {
			providers(t, func(t *testing.T, provider string) {
				d := newDesk(t, provider, setup{script: c.more + phases, autonomy: c.autonomy})
				id := d.begin()
				for _, calls := range c.asks {
					open := d.asks(id, strings.Fields(calls)...)
					for _, call := range strings.Fields(calls) {
						a := open[call]
						if want := map[bool]string{true: "milestone", false: "call"}[call == "t1c2"]; a.text("reason") != want ||
							a.text("agent") != "clerk" || a.text("risk.level") == "" {
							t.Errorf("%s", a.body)
						}
						if len(d.did(call)) != 0 {
							t.Errorf("%s happened before anybody said yes", call)
						}
						d.says(a, "approve", "")
					}
				}
				d.settles(id, "completed")
				if list := d.call("GET", "/approvals?run="+id,
					nil).want(200); list.number("total") != int64(len(strings.Fields(strings.Join(c.asks, " ")))) {
					t.Errorf("%s", list.body)
				}
				for _, call := range []string{"t1c1", "t2c1", "t2c2"} {
					if n := len(d.did(call)); n != 1 {
						t.Errorf("%s happened %d times", call, n)
					}
				}
				d.once(3)
			})
		})
	}
}

// A milestone that people send back is reported to the model with the reason.
func TestMilestoneSentBack(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{autonomy: "approve_milestones", script: `
turn 1: The first phase is done.
  call milestone {"phase":"collect","summary":"three sources"}
turn 2: A fourth one, then.
  hears denied by bob: look at prices, too
  call milestone {"phase":"collect","summary":"four sources"}
turn 3: Done.
`})
		id := d.begin()
		a := d.asks(id, "t1c1")["t1c1"]
		if a.text("reason") != "milestone" || a.text("proposed.phase") != "collect" ||
			!strings.Contains(a.text("description"), "collect") {
			t.Errorf("%s", a.body)
		}
		d.says(a, "reject", `,"comment":"look at prices, too"`)
		d.says(d.asks(id, "t2c1")["t2c1"], "approve", "")
		d.settles(id, "completed")
		d.once(3)
	})
}

// People change an agent's call. The changed call is executed, and the agent learns what was changed, by whom
// and why.
func TestChangedBeforeApproval(t *testing.T) {
	for name, why := range map[string]string{"with a reason": "at most 20", "without": ""} {
		t.Run(name, func(t *testing.T) {
			providers(t, func(t *testing.T, provider string) {
				d := newDesk(t, provider, setup{script: `
turn 1: I pay.
  call refund {"id":1,"amount":100}
turn 2: Done.
`})
				id := d.begin()
				a := d.asks(id, "t1c1")["t1c1"]
				if p := d.call("POST", "/approvals/"+a.text("id")+"/preview", `{"changes":{"amount":20}}`,
					as(bob)).want(200); p.get("valid") != true || p.text("diff.0.path") != "/amount" {
					t.Errorf("%s", p.body)
				}
				d.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"modify","changes":{"amount":"much"},"version":1}`,
					as(bob)).problem(422, "invalid")
				d.kill()
				d.start()
				d.says(a, "modify", fmt.Sprintf(`,"changes":{"amount":20},"comment":%q`, why))
				d.settles(id, "completed")
				if got := d.did("t1c1"); len(got) != 1 || !strings.Contains(got[0], `"amount":20`) ||
					!strings.Contains(got[0], `"id":1`) {
					t.Errorf("%v happened", got)
				}
				heard := d.model.last(t, 2).words
				for _, want := range []string{"changed", `"amount":20`, "bob", why} {
					if !strings.Contains(heard, want) {
						t.Errorf("the model does not hear %q: %s", want, heard)
					}
				}
				d.once(2)
			})
		})
	}
}

// Another agent takes over the conversation: it sees who said what, its own rules apply, and the log records
// who did what.
func TestHandOff(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{autonomy: "full", script: `
turn 1: A colleague knows this better.
  call hand_off {"to":"nobody"}
  call hand_off {"to":"colleague","reason":"be quick"}
turn 2: I pay.
  hears [clerk] A colleague knows this better.
  hears be quick
  hears clerk can't hand over to "nobody"
  call refund {"id":1,"amount":10}
turn 3: All done.
`})
		id := d.begin()
		a := d.asks(id, "t2c1")["t2c1"] // the clerk would not have asked
		if a.text("agent") != "colleague" {
			t.Errorf("%s", a.body)
		}
		d.says(a, "approve", "")
		r := d.settles(id, "completed")
		if !strings.Contains(d.model.last(t, 2).words, "You take over.") ||
			strings.Contains(d.model.last(t, 2).words, "You are a clerk") {
			t.Error("the colleague has not its own instructions")
		}
		thread := fmt.Sprint(r.get("thread"))
		for _, want := range []string{"name:clerk] text:A colleague knows this better.", "name:colleague] text:All done."} {
			if !strings.Contains(thread, want) {
				t.Errorf("%q is not in the thread: %s", want, thread)
			}
		}
		events := string(d.call("GET", "/runs/"+id+"/events?limit=1000", nil).want(200).body)
		if !strings.Contains(events, `"from":"clerk"`) ||
			!strings.Contains(events, `"to":"colleague","reason":"be quick"`) ||
			!strings.Contains(events, `"actor":{"kind":"agent","name":"colleague"}`) {
			t.Errorf("%s", events)
		}
		d.once(3)
	})
}

// A hand-off to an agent with full autonomy lifts no restrictions: the rules of the first agent still apply.
func TestHandOffNeverLoosens(t *testing.T) {
	providers(t, func(t *testing.T, provider string) {
		d := newDesk(t, provider, setup{autonomy: "approve_high_risk", script: `
turn 1: Somebody else may do this unasked.
  call hand_off {"to":"free","reason":"it need not ask"}
turn 2: I mail.
  call email_send {"to":"a@example.com","text":"hi"}
turn 3: Done.
`})
		id := d.begin()
		a := d.asks(id, "t2c1")["t2c1"]
		if a.text("agent") != "free" || a.text("reason") != "call" || len(d.did("t2c1")) != 0 {
			t.Errorf("%s, %v happened", a.body, d.did("t2c1"))
		}
		d.says(a, "approve", "")
		d.settles(id, "completed")
		d.once(3)
	})
}

// If no document names approvers, the deployment's default role is asked. Others neither see the approval nor
// decide it.
func TestDefaultRole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		asked string
	}{"by default": {nil, "approver"}, "as set": {[]string{"--default-role", "desk_lead"}, "desk_lead"}} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "openai", setup{autonomy: "approve_high_risk", args: c.args, script: `
turn 1: I mail.
  call email_send {"to":"a@example.com","text":"hi"}
turn 2: Done.
`})
			id := d.begin()
			a := d.asks(id, "t1c1")["t1c1"]
			if a.text("role") != c.asked {
				t.Errorf("%s", a.body)
			}
			eve := who{"eve", "nobody"}
			path := "/approvals/" + a.text("id")
			for _, query := range []string{"", "&run=" + id} {
				if list := d.call("GET", "/approvals?status=pending"+query, nil, as(eve)).want(200); list.number("total") != 0 ||
					strings.Contains(string(list.body), a.text("id")) {
					t.Errorf("eve sees %s", list.body)
				}
			}
			d.call("GET", path, nil, as(eve)).problem(404, "not_found")
			d.call("POST", path+"/decisions", `{"act":"approve","version":1}`, as(eve)).problem(404, "not_found")
			if len(d.did("t1c1")) != 0 {
				t.Error("it happened before anyone who is asked said yes")
			}
			lead := who{"lea", c.asked}
			if list := d.call("GET", "/approvals?status=pending", nil, as(lead)).want(200); list.number("total") != 1 {
				t.Errorf("%s sees %s", lead.name, list.body)
			}
			d.call("POST", path+"/decisions", `{"act":"approve","version":1}`, as(lead)).want(200)
			d.settles(id, "completed")
			d.once(2)
		})
	}
}
