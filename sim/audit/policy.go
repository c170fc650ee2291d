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

// policy is the rule set, read a second time.
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
	key        string // by which the subject is known in rollouts
	granted    string // the rule that approved it before: that use has been counted
}

// verdict is what the first rule that applies says.
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

func (p law) judge(s subject) verdict {
	for i := range p.Rules {
		rule := &p.Rules[i]
		t, act := &rule.Trigger, &rule.Action
		switch {
		case act.MaxUses > 0 && rule.Name != s.granted && p.commit.Uses[rule.Name]+p.here[rule.Name] >= act.MaxUses:
			continue
		case t.At == "result" && !s.result:
			continue
		case t.At == "" && t.Confidence != nil && !s.result && s.confidence == nil:
			continue
		case t.At == "" && t.Confidence == nil && s.result:
			continue
		case len(t.Risk) > 0 && !contains(t.Risk, s.risk), len(t.Operation) > 0 && !contains(t.Operation, s.operation), len(t.Tool) > 0 && !contains(t.Tool, s.tool):
			continue
		case t.Confidence != nil && (s.confidence == nil || !ordered(*s.confidence, t.Confidence.Operator, t.Confidence.Value)):
			continue
		}
		match := yes
		for _, f := range t.Fields {
			if h := compare(s.data, f.Field, f.Operator, f.Value); h != yes {
				match = h
			}
		}
		v := verdict{effect: "ask", rule: rule.Name, terms: p.terms(i)}
		switch {
		case match == no, match == doubt && act.Approve:
			continue
		case match == doubt:
		case act.Deny != "":
			v.effect = "deny"
		case act.Approve && p.automatic() && (act.Rollout == nil || share(rule.Name, s.key) < *act.Rollout):
			v.effect = "approve"
		}
		return v
	}
	return verdict{}
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

// automatic: nothing is approved without people while the emergency stop is on,
// while it is switched off, and outside business hours.
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

// share is where a subject stands among those a rule is rolled out to, in
// percent.
func share(rule, key string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "7:rollout%d:%s%d:%s", len(rule), rule, len(key), key))
	return float64(binary.BigEndian.Uint64(sum[:8])%10_000) / 100
}

// lawAt finds the policy by which an event was judged.
func (a *auditor) lawAt(e *event) law {
	list := a.commits[e.Run]
	n := sort.Search(len(list), func(i int) bool { return list[i].Last >= e.Seq })
	if n == len(list) || list[n].First > e.Seq {
		return law{policy: &policy{}, commit: &Commit{}, at: e.At} // not even the store knows of it
	}
	if a.counted != list[n] {
		a.counted, a.here = list[n], map[string]int{}
	}
	out := law{policy: a.policies[list[n].Policy], commit: list[n], at: e.At, here: maps.Clone(a.here)}
	if e.Type == "approval.auto_approved" {
		a.here[e.Actor.Name]++
	}
	return out
}

// byHash finds the edition that an approval names.
func (a *auditor) byHash(hash string) *policy {
	for _, p := range a.policies {
		if p.hash == hash {
			return p
		}
	}
	return nil
}

// checkUses: a rule approves only while it is in force, and only as often as
// it may, whichever runs ask.
func (a *auditor) checkUses() {
	uses := map[string]int{}
	for _, c := range a.c.Commits {
		log, ok := a.logs[c.Run]
		if c.Origin != "" || !ok || c.Last > int64(len(log.Lines)) {
			continue
		}
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
			uses[name]++
			for _, rule := range a.policies[c.Policy].Rules {
				if rule.Name == name && rule.Action.MaxUses > 0 && uses[name] > rule.Action.MaxUses {
					r.fail(quorum, "rule %q approved %s, and had approved %d times, which is all it may", name, r.f.Request.ID, uses[name]-1)
				}
			}
		}
	}
}
