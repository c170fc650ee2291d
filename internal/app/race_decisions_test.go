//go:build unix

package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/agent/gofunc"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// stormFlow asks for three approvers, for all four that there are, or for one of
// each of three departments.
const stormFlow = `
workflow: storm
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: approver, quorum: 3, acts: [approve, modify, reject, delegate] }]
---
workflow: scarce
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: approver, quorum: 4, acts: [approve, modify, reject, delegate] }]
---
workflow: departments
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, roles: { finance: 1, legal: 1, board: 1 }, acts: [approve, modify, reject, delegate] }]
---
agent: payer
kind: go
`

// stormRounds is how often each storm is tried, each time in another order.
func stormRounds() int {
	if os.Getenv("ASSENT_STORETEST") == "all" { // make soak
		return 5
	}
	return 2
}

// TestStorm lets 20 people send 100 decisions about one approval at once: some
// may, some may not, and some try to count twice. It has to come out as if they
// had queued up.
func TestStorm(t *testing.T) {
	for store, config := range map[string]func(*testing.T) assembly.Config{
		"sqlite": func(t *testing.T) assembly.Config { return assembly.Config{Data: sqlitetest.Dir(t), Local: true} },
		"postgres": func(t *testing.T) assembly.Config {
			return assembly.Config{Data: t.TempDir(), DB: pgtest.Database(t), Local: true}
		},
	} {
		t.Run(store, func(t *testing.T) {
			w := &weather{paid: map[string][]string{}}
			c := config(t)
			c.Functions = map[string]port.Agent{"payer": gofunc.New(w.pay)}
			w.home = openOn(t, c, stormFlow)
			for name, storm := range map[string]func(*rand.Rand){
				"approvals":   func(r *rand.Rand) { w.storm(r, "storm", onlyApprove) },
				"scarce":      func(r *rand.Rand) { w.storm(r, "scarce", onlyApprove) },
				"departments": func(r *rand.Rand) { w.storm(r, "departments", onlyApprove) },
				"rejections":  func(r *rand.Rand) { w.storm(r, "storm", sometimesReject) },
				"changes":     func(r *rand.Rand) { w.storm(r, "storm", sometimesModify) },
			} {
				t.Run(name, func(t *testing.T) {
					w.T = t
					for round := range stormRounds() {
						storm(rand.New(rand.NewPCG(uint64(round), uint64(len(name)))))
					}
				})
			}
		})
	}
}

// openOn is open with parts that a test chooses.
func openOn(t *testing.T, c assembly.Config, documents string) *home {
	t.Helper()
	s, err := assembly.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	h := &home{T: t, App: s.App, server: s, dir: c.Data}
	t.Cleanup(h.stop)
	set, problems := definition.Parse("flow.yaml", []byte(documents))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, kind := range []definition.Kind{definition.KindRole, definition.KindAgent, definition.KindWorkflow} {
		for _, doc := range set.Documents() {
			if k, name := doc.Ident(); k == kind {
				h.save(k, name, string(doc.YAMLWithSecrets()), true)
			}
		}
	}
	return h
}

// weather is a place for storms.
type weather struct {
	*home
	mu   sync.Mutex
	paid map[string][]string // run → what was paid, each time
}

func (w *weather) pay(_ context.Context, work port.Work) (run.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paid[work.Run] = append(w.paid[work.Run], string(work.Input))
	return run.Result{Output: json.RawMessage(`{"paid":true}`)}, nil
}

// voter is one of the crowd. All that share an authority have one vote together.
type voter struct {
	names     []app.Who // the same person, as they come in by different ways
	authority string    // whose vote it would be; empty: none, they are always refused
}

func signedIn(name string, kind run.ActorKind, roles ...string) app.Who {
	return app.Who{Name: name, Kind: kind, Roles: roles, SignedIn: true}
}

// standingIn is a person without roles who decides for another who is away.
func standingIn(name, away string, roles ...string) app.Who {
	who := signedIn(name, run.Person)
	who.For = []access.Substitute{{Name: away, Roles: roles}}
	return who
}

// crowd are 20 people and programs. asked are the roles that the approval asks.
// Where rights are scarce only pia and those who handed their votes on hold them:
// as many as are needed, so a vote that counted twice would show.
func crowd(asked []string, scarce bool) []voter {
	all := func(name string, roles ...string) voter {
		ways := []app.Who{signedIn(name, run.Person, roles...),
			signedIn(name, run.Person, append([]string{"reviewer"}, roles...)...)}
		return voter{ways, name}
	}
	one := func(name string, roles ...string) voter {
		return voter{[]app.Who{signedIn(name, run.Person, roles...)}, name}
	}
	out := []voter{
		all("pia", asked...), all("pam", asked...), all("pat", asked...), // every role that is asked, by several ways
		one("sam", asked[0]), one("sid", asked[len(asked)/2]),
		{[]app.Who{standingIn("sue", "pia", asked...)}, "pia"}, // whose vote it is, and only once
		// Programs never count, whatever they are called and hold.
		{names: []app.Who{signedIn("teller", run.Service, asked...), signedIn("teller", run.Service, gate.RoleAdmin),
			signedIn("teller", run.Agent, asked...)}},
		one("ada", gate.RoleAdmin), all("abe", append([]string{gate.RoleAdmin}, asked...)...),
		// gus handed his vote to dan, who has none of his own; gil to gay, who has; guy to whoever is a manager.
		one("gus", asked...), {[]app.Who{signedIn("dan", run.Person)}, "gus"},
		one("gil", asked...), one("gay", asked...),
		one("guy", asked...), {[]app.Who{signedIn("mia", run.Person, "manager")}, "guy"},
		{[]app.Who{signedIn("max", run.Person, "manager")}, "guy"},
	}
	for i := range out {
		switch name := out[i].names[0].Name; {
		case name == "gus" || name == "gil" || name == "guy":
			out[i].authority = "" // it is no longer theirs
		case scarce && name == "gay":
			out[i] = voter{[]app.Who{signedIn(name, run.Person)}, "gil"}
		case scarce && out[i].authority == name && name != "pia":
			out[i] = voter{names: []app.Who{signedIn(name, run.Person, "reviewer")}}
		}
	}
	return append(out,
		voter{names: []app.Who{ // who asked for it, by every way there is
			signedIn("rita", run.Person, asked...), signedIn("rita", run.Person, gate.RoleAdmin),
			signedIn("rita", run.Service, asked...),
			signedIn("rita", run.Person, "manager"), standingIn("rita", "pam", asked...),
		}},
		voter{names: []app.Who{signedIn("robot", run.Agent, append([]string{gate.RoleAdmin}, asked...)...)}},
		voter{names: []app.Who{signedIn("rob", run.Person, "reviewer"), signedIn("rob", run.Person, "claims_adjuster"),
			signedIn("rob", run.Person, "fraud_investigator")}},
		voter{names: []app.Who{signedIn("nan", run.Person), standingIn("nan", "rita", asked...)}},
	)
}

func onlyApprove(*rand.Rand) app.Decision { return app.Decision{Act: gate.Approve} }

func sometimesReject(r *rand.Rand) app.Decision {
	if r.IntN(8) == 0 {
		return app.Decision{Act: gate.Reject, Comment: "no"}
	}
	return app.Decision{Act: gate.Approve}
}

func sometimesModify(r *rand.Rand) app.Decision {
	if r.IntN(6) == 0 {
		return app.Decision{Act: gate.Modify, Changes: json.RawMessage(fmt.Sprintf(`{"amount":%d}`, r.IntN(1000)))}
	}
	return app.Decision{Act: gate.Approve}
}

// try is one of the hundred decisions, and how it ended.
type try struct {
	voter
	who app.Who
	d   app.Decision
	err error
}

func (w *weather) storm(r *rand.Rand, workflow string, choose func(*rand.Rand) app.Decision) {
	w.Helper()
	asked := map[string][]string{"storm": {"approver"}, "scarce": {"approver"},
		"departments": {"board", "finance", "legal"}}[workflow]
	rita := signedIn("rita", run.Person, "approver", gate.RoleAdmin)
	id := w.begin(rita, workflow, `{"amount":1}`).ID
	ap := w.waits(id, run.Waiting).PendingApprovals[0]
	for from, to := range map[string]string{"gus": "dan", "gil": "gay", "guy": "role:manager"} {
		if err := w.attempt(signedIn(from, run.Person, asked...), ap, app.Decision{Act: gate.Delegate, To: to}); err != nil {
			w.Fatal(err)
		}
	}
	var tries []*try
	for _, v := range crowd(asked, workflow == "scarce") {
		for i := range 5 {
			tries = append(tries, &try{voter: v, who: v.names[i%len(v.names)], d: choose(r)})
		}
	}
	if len(tries) != 100 {
		w.Fatalf("%d decisions", len(tries))
	}
	r.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
	go1 := make(chan struct{})
	var all sync.WaitGroup
	for _, t := range tries {
		all.Go(func() {
			<-go1
			t.err = w.attempt(t.who, ap, t.d)
		})
	}
	close(go1)
	all.Wait()
	w.refusals(tries)
	w.finish(tries, ap)
	w.judge(id, ap, tries, map[string]int{"storm": 3, "scarce": 4, "departments": 3}[workflow])
}

// attempt decides about what is shown, and looks again whenever that changed.
func (w *weather) attempt(who app.Who, ap string, d app.Decision) error {
	for {
		v, err := w.Approval(w.Context(), admin, ap, false)
		if err != nil {
			return err
		}
		d.Version = v.Version
		if _, err = w.Decide(w.Context(), who, ap, d, "", nil); !fault.Is(err, fault.VersionMismatch) {
			return err
		}
	}
}

// refusals checks the reason that each refused voter was given.
func (w *weather) refusals(tries []*try) {
	w.Helper()
	for _, t := range tries {
		allowed := []fault.Code{fault.AlreadyDecided}
		if t.authority == "" {
			allowed = append(allowed, fault.Forbidden, fault.NotFound)
		} else {
			allowed = append(allowed, fault.Conflict)
		}
		if len(t.who.For) > 0 { // who is away has voted: there is nobody to stand in for
			allowed = append(allowed, fault.Forbidden)
		}
		if t.err == nil && t.authority == "" || t.err != nil && !slices.Contains(allowed, fault.CodeOf(t.err)) {
			w.Errorf("%s (%s, %v) may count for %q and was told: %v", t.who.Name, t.who.Kind, t.who.Roles, t.authority, t.err)
		}
	}
}

// finish has the remaining approvers approve content that others changed in the meantime.
func (w *weather) finish(tries []*try, ap string) {
	w.Helper()
	for _, t := range tries {
		if v, err := w.Approval(w.Context(), admin, ap, false); err != nil || v.Status != gate.Pending {
			return
		}
		if t.authority != "" {
			if err := w.attempt(t.who, ap, app.Decision{Act: gate.Approve}); err != nil && !fault.Is(err, fault.Conflict) &&
				len(t.who.For) == 0 {
				w.Errorf("%s: %v", t.who.Name, err)
			}
		}
	}
}

// judge counts the votes by hand, and what the run did.
func (w *weather) judge(id, ap string, tries []*try, quorum int) {
	w.Helper()
	v, err := w.Approval(w.Context(), admin, ap, true)
	if err != nil || v.Status == gate.Pending {
		w.Fatalf("%s %v", v.Status, err)
	}
	authority := map[string]string{}
	for _, t := range tries {
		authority[t.who.Name] = t.authority
	}
	votes, extra, rejects := map[string]string{}, 0, 0
	for i, d := range v.Decisions {
		whose := authority[d.By]
		switch d.Act {
		case gate.Delegate:
			continue
		case gate.Reject:
			rejects++
			continue
		case gate.Modify:
			clear(votes)
			extra = 0
		}
		if d.Role == gate.RoleNone { // the places of its roles were taken: it settles nothing
			extra++
		}
		if whose == "" || votes[whose] != "" {
			w.Errorf("decision %d by %s counts although it is nobody's, or %s voted for %s", i, d.By, votes[whose], whose)
		}
		if d.OnBehalfOf != "" && d.OnBehalfOf != whose || d.OnBehalfOf == "" && whose != d.By {
			w.Errorf("decision %d by %s is shown as on behalf of %q, not %q", i, d.By, d.OnBehalfOf, whose)
		}
		votes[whose] = d.By
	}
	pays, want := 1, run.Completed
	if rejects > 0 {
		pays, want = 0, run.Failed
	}
	if rejects > 1 || rejects == 0 && len(votes)-extra != quorum || len(v.Acts) != 0 || v.Version != 1+len(v.Decisions) {
		w.Errorf("%d rejections, votes %v, version %d after %d decisions", rejects, votes, v.Version, len(v.Decisions))
	}
	w.waits(id, want)
	w.mu.Lock()
	paid := slices.Clone(w.paid[id])
	w.mu.Unlock()
	if len(paid) != pays || pays == 1 && strings.TrimSpace(paid[0]) != string(v.Proposed) {
		w.Errorf("it was paid %v, and %s was approved", paid, v.Proposed)
	}
	events, err := w.Events(w.Context(), admin, id, 0, 1000, false)
	if err != nil {
		w.Fatal(err)
	}
	resolved := 0
	for _, e := range events.Items {
		if e.Type == "approval.resolved" {
			resolved++
		}
	}
	if resolved != 1 {
		w.Errorf("it was settled %d times", resolved)
	}
}
