package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"sort"
	"time"
)

// policy is the rule set, parsed independently.
type policy struct {
	Rules []struct {
		Name     string `json:"name"`
		Priority int    `json:"priority"`
		Trigger  struct {
			At         string   `json:"at"`
			Risk       []string `json:"risk_level"`
			Operation  []string `json:"operation_type"`
			Tool       []string `json:"tool"`
			Fields     []field  `json:"data_threshold"`
			Confidence *struct {
				Operator string  `json:"operator"`
				Value    float64 `json:"value"`
			} `json:"agent_confidence"`
		} `json:"trigger"`
		Action struct {
			Approve    bool           `json:"auto_approve"`
			Deny       string         `json:"deny"`
			Count      int            `json:"require_approval_count"`
			Role       string         `json:"role"`
			Roles      map[string]int `json:"roles"`
			Seconds    float64        `json:"timeout_seconds"`
			OnTimeout  string         `json:"on_timeout"`
			Rollout    *float64       `json:"rollout_percentage"`
			Ramp       *ramp          `json:"rollout"`
			MaxUses    int            `json:"max_uses"`
			Escalation *struct {
				After float64  `json:"after_seconds"`
				To    []string `json:"escalate_to"`
			} `json:"escalation"`
		} `json:"action"`
	} `json:"rules"`
	Auto *struct {
		Enabled  *bool `json:"enabled"`
		Settings struct {
			Hours *struct {
				Week string `json:"monday_friday"`
			} `json:"business_hours"`
		} `json:"global_settings"`
	} `json:"auto_approval"`
	hash    string
	stopped bool
}

// ramp is a share of the cases that grows linearly from 0.
type ramp struct {
	To   float64   `json:"to"`
	Over string    `json:"over"`
	From time.Time `json:"from"`
}

func (r *ramp) at(now time.Time) float64 {
	over, known := map[string]time.Duration{"1h": time.Hour, "1d": 24 * time.Hour, "14d": 14 * 24 * time.Hour}[r.Over]
	if !known {
		panic("the auditor does not know how long this is: " + r.Over)
	}
	gone := min(max(now.Sub(r.From), 0), over)
	return float64(int64(100*r.To)*gone.Milliseconds()/over.Milliseconds()) / 100
}

type field struct {
	Field    string  `json:"field"`
	Operator string  `json:"operator"`
	Value    float64 `json:"value"`
}

func readPolicy(in *Policy) *policy {
	p := &policy{hash: in.Hash, stopped: in.Stopped}
	if in.Document == nil {
		return p
	}
	if err := json.Unmarshal(in.Document, p); err != nil {
		panic("the auditor cannot read the policy: " + err.Error())
	}
	for i := 1; i < len(p.Rules); i++ {
		if p.Rules[i].Priority <= p.Rules[i-1].Priority {
			panic("the auditor wants rules in the order of their priority")
		}
	}
	return p
}

// subject is what a rule is asked about.
type subject struct {
	workflow, agent, tool, operation, risk string

	data       json.RawMessage
	confidence *float64
	result     bool
	key        string // identifies the subject in rollouts
	granted    string // the rule that approved it before: that use has been counted
}

// verdict is the verdict of the first rule that applies.
type verdict struct {
	effect string // "", ask, approve or deny
	rule   string
	terms  terms
}

// law is the policy by which an event was judged, and when.
type law struct {
	*policy
	commit *Commit
	at     time.Time
	here   map[string]int // approvals by rules earlier in this commit
}

// judge evaluates the rules in order. A missing or mistyped field is unknown: a rule that asks or denies then
// asks, and one that approves leaves it to others and, if none decides, to people.
func (p law) judge(s subject) verdict {
	back, held := -1, -1 // would approve except for an unknown field; and would not even then
	for i := range p.Rules {
		t, act := &p.Rules[i].Trigger, &p.Rules[i].Action
		if !p.looksAt(i, s) {
			continue
		}
		v := verdict{effect: "ask", rule: p.Rules[i].Name, terms: p.terms(i)}
		afterwards := s.result && t.At == "" // a result is not put up for approval because it could not be approved
		allowed := p.automatic() && p.rolledOut(i, s)
		switch p.matches(i, s) {
		case doubt:
			switch undeclared := len(t.Risk) > 0 && s.risk == "" || len(t.Operation) > 0 && s.operation == ""; {
			case !act.Approve:
				return v
			case undeclared || afterwards:
				continue
			case back < 0:
				back = i
			}
			if held < 0 && !p.rolledOut(i, s) {
				held = i
			}
		case yes:
			switch {
			case !act.Approve && act.Deny != "":
				v.effect = "deny"
			case !act.Approve:
			case held >= 0:
				v.rule, v.terms = p.Rules[held].Name, p.terms(held)
			case allowed:
				v.effect = "approve"
			case afterwards:
				continue
			}
			return v
		}
	}
	if back >= 0 {
		return verdict{effect: "ask", rule: p.Rules[back].Name, terms: p.terms(back)}
	}
	return verdict{}
}

// looksAt reports whether a rule is in force and covers such subjects.
func (p law) looksAt(i int, s subject) bool {
	t, act := &p.Rules[i].Trigger, &p.Rules[i].Action
	if act.MaxUses > 0 && p.Rules[i].Name != s.granted &&
		p.commit.Uses[p.Rules[i].Name]+p.here[p.Rules[i].Name] >= act.MaxUses {
		return false
	}
	if s.result {
		return t.At == "result" || t.At == "" && t.Confidence != nil && s.confidence != nil
	}
	return t.At != "result"
}

// matches is false as soon as one part is, and unknown if one is.
func (p law) matches(i int, s subject) holds {
	t := &p.Rules[i].Trigger
	match := yes
	if len(t.Risk) > 0 && !contains(t.Risk, s.risk) {
		if s.risk != "" || s.operation == "" {
			return no
		}
		match = doubt
	}
	if len(t.Operation) > 0 && !contains(t.Operation, s.operation) {
		if s.operation != "" || rank[s.risk] < 2 {
			return no
		}
		match = doubt
	}
	if len(t.Tool) > 0 && !contains(t.Tool, s.tool) {
		return no
	}
	if c := t.Confidence; c != nil && s.confidence == nil {
		match = doubt
	} else if c != nil && !ordered(*s.confidence, c.Operator, c.Value) {
		return no
	}
	for _, f := range t.Fields {
		switch fields, _ := parse(s.data).(map[string]any); {
		case fields[f.Field] == nil:
			match = doubt
		default:
			if h := compare(s.data, f.Field, f.Operator, f.Value); h == no {
				return no
			} else if h == doubt {
				match = doubt
			}
		}
	}
	return match
}

// rolledOut reports whether a subject is among those a rule is rolled out to.
func (p law) rolledOut(i int, s subject) bool {
	act := &p.Rules[i].Action
	most := 100.0
	switch {
	case act.Ramp != nil:
		most = act.Ramp.at(p.at)
	case act.Rollout != nil:
		most = *act.Rollout
	}
	return share(p.Rules[i].Name, s.key) < most
}

// terms of rule i.
func (p *policy) terms(i int) terms {
	act := &p.Rules[i].Action
	g := gateDef{Role: act.Role, Roles: act.Roles, Quorum: act.Count}
	t := g.terms()
	t.named = act.Role != "" || t.needed > 1
	if act.Seconds > 0 {
		t.after, t.then = time.Duration(act.Seconds*float64(time.Second)), act.OnTimeout
		if t.then == "" {
			t.then = "pause"
		}
	}
	if act.Escalation != nil {
		for _, to := range act.Escalation.To {
			t.rungs = append(t.rungs, rung{time.Duration(act.Escalation.After * float64(time.Second)), to})
		}
	}
	return t
}

// automatic: nothing is approved automatically while the emergency stop is on, while it is disabled, and
// outside business hours.
func (p law) automatic() bool {
	switch {
	case p.stopped:
		return false
	case p.Auto == nil:
		return true
	case p.Auto.Enabled != nil && !*p.Auto.Enabled:
		return false
	case p.Auto.Settings.Hours == nil:
		return true
	case p.Auto.Settings.Hours.Week != "09:00-17:00":
		panic("the auditor does not know these hours: " + p.Auto.Settings.Hours.Week)
	}
	day, hour := p.at.UTC().Weekday(), p.at.UTC().Hour()
	return day != time.Saturday && day != time.Sunday && hour >= 9 && hour < 17
}

// share is a subject's position in a rollout, in percent.
func share(rule, key string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "7:rollout%d:%s%d:%s", len(rule), rule, len(key), key))
	return float64(binary.BigEndian.Uint64(sum[:8])%10_000) / 100
}

// lawAt finds the policy by which an event was judged.
func (a *auditor) lawAt(e *event) law {
	list := a.commits[e.Run]
	n := sort.Search(len(list), func(i int) bool { return list[i].Last >= e.Seq })
	if n == len(list) || list[n].First > e.Seq {
		return law{policy: &policy{}, commit: &Commit{}, at: e.At} // not even the store knows it
	}
	if a.counted != list[n] {
		a.counted, a.here, a.acts = list[n], map[string]int{}, map[string]bool{}
	}
	out := law{policy: a.policies[list[n].Policy], commit: list[n], at: e.At, here: maps.Clone(a.here)}
	if e.Type == "approval.auto_approved" {
		var f fact
		_ = json.Unmarshal(e.Data, &f)
		if act := e.Actor.Name + " " + f.Spot.place(); !a.acts[act] { // for a gate and for itself: one use
			a.acts[act] = true
			a.here[e.Actor.Name]++
		}
	}
	return out
}

// byHash finds the edition that an approval refers to.
func (a *auditor) byHash(hash string) *policy {
	for _, p := range a.policies {
		if p.hash == hash {
			return p
		}
	}
	return nil
}

// checkUses: a rule approves only while it is in force, and no more often than allowed, across all runs.
func (a *auditor) checkUses() {
	uses := map[string]int{}
	for _, c := range a.c.Commits {
		log, ok := a.logs[c.Run]
		if c.Origin != "" || !ok || c.Last > int64(len(log.Lines)) {
			continue
		}
		acts := map[string]bool{}
		for _, line := range log.Lines[c.First-1 : c.Last] {
			if !bytes.Contains(line, []byte(`"approval.auto_approved"`)) {
				continue
			}
			r := &replay{a: a, id: c.Run, e: &event{}}
			if json.Unmarshal(line, r.e) != nil || r.e.Type != "approval.auto_approved" {
				continue
			}
			_ = json.Unmarshal(r.e.Data, &r.f)
			name := r.e.Actor.Name
			if c.Policy != c.InForce {
				r.fail(quorum, "rule %q approved %s, but its policy was no longer in force", name, r.f.Request.ID)
			}
			act := name + " " + r.f.Spot.place()
			if acts[act] {
				continue
			}
			acts[act] = true
			for _, rule := range a.policies[c.Policy].Rules {
				if rule.Name != name || rule.Action.MaxUses == 0 {
					continue // uses without a limit are not counted
				}
				if uses[name]++; uses[name] > rule.Action.MaxUses {
					r.fail(quorum, "rule %q approved %s, and had approved %d times, which is all it may", name,
						r.f.Request.ID, uses[name]-1)
				}
			}
		}
	}
}
