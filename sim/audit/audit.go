// Package audit checks the logs of a simulation for violations. It is an independent, simple reader of the
// event log: it shares no code with the core, works on JSON, and knows the rules from the contract.
//
//	if v := audit.Check(c); v != nil {
//		fmt.Println(v) // nothing gated runs without its quorum: run_1 at 17: …
//	}
//
// The evidence (Case) has the logs as they were stored, the definitions and the policy as written, who holds
// which role, what the hosts acknowledged (Ack) and what they really started (Start). The auditor replays
// each log event by event, keeps its own records of steps, calls and approvals, and checks at every event
// whether it is allowed there.
package audit

import (
	"encoding/json"
	"fmt"
)

// Case is the evidence.
type Case struct {
	Definitions map[string][]byte // by the workflow's name: {definition, version, agents}
	Policies    []Policy          // all that were ever in force
	Commits     []Commit          // in the order in which they were stored
	People      []Person
	Runs        []Run
	Acks        []Ack
	Starts      []Start
	Spent       map[string]int64 // by run: its cost in billionths of a dollar, without what ran ahead in vain
	Quiet       bool             // the faults stopped and everything was decided: all must have ended
}

// Person is someone who may decide, with their actual roles.
type Person struct {
	Name        string
	Roles       []string
	Kind        string // person, service or agent
	StandsInFor string
}

// Policy is a rule set as written, nil if there was none.
type Policy struct {
	Document []byte
	Hash     string // by which approvals refer to it
	Stopped  bool   // the emergency stop was on
}

// Commit records by which policy the events of a run were judged.
type Commit struct {
	Run         string
	First, Last int64
	Policy      int            // the one that the host knew, by its number
	InForce     int            // the one that was in force
	Uses        map[string]int // how often rules had approved, as far as the host knew
	Origin      string         // the original run of a fork, "" otherwise
}

// Run is a log.
type Run struct {
	ID    string
	Lines [][]byte
}

// Ack is an acknowledgement by a host: this command is in the log.
type Ack struct {
	Run, ID     string // ID is empty for a host's own reports
	First, Last int64
	Again       bool // the answer to a repeated command
	Report      *Report
}

// Report is what a result was about.
type Report struct {
	Kind, Step         string // step, turn or call
	Index, Rev, N, Try int
}

// Start is work that a host started when its state was at Seq.
type Start struct {
	Run                string
	Seq                int64
	Kind               string // step, turn, call, consult, replan or child; ahead: a run takes over what was done ahead
	Work               string // the idempotency key that the outside world saw
	Step               string
	Index, Rev, N, Try int
	Content            json.RawMessage
	Answer             json.RawMessage // people's answers to a tool's question
	Child              string
	Used               []string // what it is done with: "kind name version"; nil: not versioned
}

// Violation is a broken invariant.
type Violation struct {
	Invariant string
	Run       string
	Seq       int64
	Text      string
}

func (v *Violation) String() string {
	return fmt.Sprintf("%s: %s at %d: %s", v.Invariant, v.Run, v.Seq, v.Text)
}

// The invariants, by their names in complaints.
const (
	seqDense     = "seq is dense"
	ackDurable   = "acknowledged means durable"
	oneAnswer    = "one command id, one answer"
	oneOutcome   = "at most one outcome per approval"
	quorum       = "nothing is approved without its quorum"
	authority    = "only who may decide decides"
	gated        = "nothing gated runs without its approval"
	denied       = "what is denied never runs"
	deadline     = "a deadline counts only once it has passed"
	fenced       = "results count only for what is owed"
	onlyOwed     = "only what is owed is started"
	sameWork     = "equal keys are equal work"
	order        = "steps start in their order"
	completeness = "a run completes only when nothing is open"
	moves        = "every run moves on once faults stop"
	children     = "sub-runs end with those they work for"
	forks        = "a fork keeps its past and repeats nothing of it"
	kept         = "a fork keeps no answer to something else"
	readable     = "a log can be read"
	bound        = "what runs is what was approved"
	harmless     = "a test run calls nothing that may do harm"
	ahead        = "what ran ahead is used as assumed, or not at all"
)

// Knows reports whether an invariant is one of the auditor's own.
func Knows(invariant string) bool {
	return contains([]string{
		seqDense, ackDurable, oneAnswer, oneOutcome, quorum, authority, gated, denied, deadline, fenced,
		onlyOwed, sameWork, order,
		completeness, moves, children, forks, kept, readable, bound, harmless, ahead,
	}, invariant)
}

// Check audits everything and returns the first violation, or nil.
func Check(c Case) (v *Violation) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Violation:
			v = p
		default:
			panic(p)
		}
	}()
	a := &auditor{c: &c, people: map[string]*Person{}, ends: map[string]*replay{}, logs: map[string]*Run{},
		work: map[string]*Start{}, commits: map[string][]*Commit{}}
	for i := range c.People {
		a.people[c.People[i].Name] = &c.People[i]
	}
	for i := range c.Runs {
		a.logs[c.Runs[i].ID] = &c.Runs[i]
	}
	for i := range c.Policies {
		a.policies = append(a.policies, readPolicy(&c.Policies[i]))
	}
	for i := range c.Commits {
		k := &c.Commits[i]
		a.commits[k.Run] = append(a.commits[k.Run], k)
	}
	a.checkUses()
	for i := range c.Runs {
		a.audit(&c.Runs[i])
	}
	a.checkChildren()
	return nil
}

// auditor has what all runs share.
type auditor struct {
	c        *Case
	people   map[string]*Person
	policies []*policy
	commits  map[string][]*Commit
	counted  *Commit // this one is being checked
	here     map[string]int
	acts     map[string]bool
	logs     map[string]*Run
	ends     map[string]*replay // by run, at its end
	work     map[string]*Start  // the first start of each piece of work
}

// audit replays one run.
func (a *auditor) audit(log *Run) {
	r := &replay{a: a, id: log.ID, steps: map[string]*step{}, approvals: map[string]*approval{}, causes: map[string]span{},
		early: map[string]*early{}}
	starts := map[int64][]*Start{}
	for i := range a.c.Starts {
		if s := &a.c.Starts[i]; s.Run == log.ID {
			starts[s.Seq] = append(starts[s.Seq], s)
		}
	}
	acks := map[int64][]*Ack{}
	for i := range a.c.Acks {
		if k := &a.c.Acks[i]; k.Run == log.ID && !k.Again {
			acks[k.First] = append(acks[k.First], k)
		}
	}
	for n, line := range log.Lines {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			r.e = &e
			r.fail(readable, "event %d: %v", n+1, err)
		}
		r.e = &e
		r.checkEvent(int64(n) + 1)
		r.law = a.lawAt(&e)
		for _, k := range acks[e.Seq] {
			r.checkReport(k)
		}
		r.replay()
		for _, s := range starts[e.Seq] {
			r.checkStart(s)
		}
	}
	r.checkAcks()
	r.checkEnd()
	a.ends[log.ID] = r
}

// fail stops the audit: anything after a violation proves nothing.
func (r *replay) fail(invariant, format string, args ...any) {
	panic(&Violation{Invariant: invariant, Run: r.id, Seq: r.e.Seq, Text: fmt.Sprintf(format, args...)})
}
