package audit

import (
	"encoding/json"
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
			Escalation *struct {
				After float64  `json:"after_seconds"`
				To    []string `json:"escalate_to"`
			} `json:"escalation"`
		} `json:"action"`
	} `json:"rules"`
	Auto *struct {
		Enabled *bool `json:"enabled"`
	} `json:"auto_approval"`
}

type field struct {
	Field    string  `json:"field"`
	Operator string  `json:"operator"`
	Value    float64 `json:"value"`
}

func readPolicy(raw []byte) *policy {
	if raw == nil {
		return nil
	}
	p := &policy{}
	if err := json.Unmarshal(raw, p); err != nil {
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
}

// verdict is what the first rule that applies says.
type verdict struct {
	effect string // "", ask, approve or deny
	rule   string
	terms  terms
}

func (p *policy) judge(s subject) verdict {
	if p == nil {
		return verdict{}
	}
	for i := range p.Rules {
		rule := &p.Rules[i]
		t, act := &rule.Trigger, &rule.Action
		switch {
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
		case act.Approve && (p.Auto == nil || p.Auto.Enabled == nil || *p.Auto.Enabled):
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
