package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// definition is a workflow as written, parsed independently.
type definition struct {
	Workflow struct {
		Name        string    `json:"workflow"`
		OwnerOnly   bool      `json:"owner_only"`
		Speculate   bool      `json:"speculate"`
		HandOff     []string  `json:"hand_off"`
		Threshold   *float64  `json:"confidence_threshold"`
		StopOnError *bool     `json:"stop_on_error"`
		Steps       []stepDef `json:"steps"`
		Gates       []gateDef `json:"gates"`
		Ask         struct {
			Role   string `json:"role"`
			Quorum int    `json:"quorum"`
		} `json:"ask"`
		Loops *struct {
			Human  string `json:"human"`
			Replan string `json:"replan"`
			Agent  *struct {
				At string `json:"at"`
			} `json:"agent"`
		} `json:"loops"`
	} `json:"definition"`
	Agents      map[string]agentDef `json:"agents"`
	DefaultRole string              `json:"default_role"`
}

type stepDef struct {
	ID        string    `json:"id"`
	Agent     string    `json:"agent"`
	Tool      string    `json:"tool"`
	Replaces  string    `json:"replaces"`
	Workflow  string    `json:"workflow"`
	Human     *gateDef  `json:"human"`
	Needs     *[]string `json:"needs"`
	NeededBy  []string  `json:"needed_by"`
	Each      string    `json:"each"`
	Operation string    `json:"operation"`
	Risk      string    `json:"risk"`
	Effects   string    `json:"effects"`
	If        string    `json:"if"`

	With map[string]string `json:"with"` // target to source
}

type gateDef struct {
	ID        string         `json:"id"`
	At        string         `json:"at"`
	When      string         `json:"when"`
	Kind      string         `json:"kind"`
	Role      string         `json:"role"`
	Roles     map[string]int `json:"roles"`
	Assignees []string       `json:"assignees"`
	Quorum    int            `json:"quorum"`
	Requester string         `json:"requester"`
	OnReject  string         `json:"on_reject"`
	Timeout   *struct {
		After   string          `json:"after"`
		Then    string          `json:"then"`
		Default json.RawMessage `json:"default"`
	} `json:"timeout"`
	Escalate []struct {
		After string `json:"after"`
		To    string `json:"to"`
	} `json:"escalate"`
	AutoApprovable bool `json:"auto_approvable"`
}

type agentDef struct {
	Kind      string            `json:"kind"`
	Effects   string            `json:"effects"`
	Threshold *float64          `json:"confidence_threshold"`
	Autonomy  string            `json:"autonomy"`
	ToolRisk  map[string]string `json:"tool_risk"`
	HandOff   []string          `json:"hand_off"`
	Limits    *struct {
		Iterations int    `json:"iterations"`
		OnLimit    string `json:"on_limit"`
	} `json:"limits"`
}

// isLoop reports whether a step is performed by a language model, or is the call of a tool, which is checked as such.
func (d *definition) isLoop(s *stepDef) bool { return s.Tool != "" || d.Agents[s.Agent].Kind == "llm" }

// performer is the name under which a step's work is recorded.
func (s *stepDef) performer() string {
	if s.Tool != "" {
		return "tool:" + s.Tool
	}
	return s.Agent
}

// terms define who has to decide and by when.
type terms struct {
	role      string
	roles     map[string]int
	assignees []string
	needed    int
	excluded  bool // the requester may not decide
	after     time.Duration
	then      string
	rungs     []rung
	onReject  string
	auto      bool // a policy may decide
	named     bool // a policy names the approvers, so owner_only does not apply
}

type rung struct {
	after time.Duration
	to    string
}

func (g *gateDef) terms() terms {
	t := terms{role: g.Role, roles: g.Roles, assignees: g.Assignees, needed: max(g.Quorum, 1), onReject: g.OnReject,
		auto: g.AutoApprovable}
	sum := 0
	for _, n := range g.Roles {
		sum += n
	}
	t.needed = max(t.needed, sum)
	t.excluded = g.Requester == "excluded" || g.Requester == "" && t.needed >= 2
	if g.Timeout != nil {
		t.after, t.then = duration(g.Timeout.After), g.Timeout.Then
	}
	for _, e := range g.Escalate {
		t.rungs = append(t.rungs, rung{duration(e.After), e.To})
	}
	return t
}

// duration reads a duration as files have it.
func duration(s string) time.Duration {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil {
			return time.Duration(n) * 24 * time.Hour
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		panic("the auditor cannot read the duration " + s)
	}
	return d
}

// defaults of on_reject, by place.
var onReject = map[string]string{"start": "cancel", "before": "fail", "after": "fail", "call": "tell", "end": "revise",
	"layer": "cancel", "limit": "fail"}

// gatesAt lists the gates at a place of a step or of the run; for calls the
// name is the tool's. A step has the gates of the one that it replaces as well.
func (r *replay) gatesAt(at, name string) (out []*gateDef) {
	if s := r.steps[name]; s != nil && s.def.Replaces != "" && (at == "before" || at == "after") {
		out = r.gatesAt(at, s.def.Replaces)
	}
	for i := range r.def.Workflow.Gates {
		g := &r.def.Workflow.Gates[i]
		words := strings.Fields(g.At)
		switch {
		case words[0] != at:
		case at == "start" || at == "end":
			out = append(out, g)
		case at == "call":
			if prefix, star := strings.CutSuffix(words[1], "*"); star && strings.HasPrefix(name, prefix) || words[1] == name {
				out = append(out, g)
			}
		case words[1] == name:
			out = append(out, g)
		}
	}
	return out
}

// needsOf lists a step's needs: as declared, or the step listed before it.
func (r *replay) needsOf(id string) []string {
	for i := range r.def.Workflow.Steps {
		s := &r.def.Workflow.Steps[i]
		switch {
		case s.ID != id:
		case s.Needs != nil:
			return *s.Needs
		case i > 0:
			return []string{r.def.Workflow.Steps[i-1].ID}
		}
	}
	return nil
}

// layerOf is the length of the longest path to a step.
func (r *replay) layerOf(id string) int {
	deepest := 0
	for _, n := range r.needsOf(id) {
		deepest = max(deepest, 1+r.layerOf(n))
	}
	return deepest
}

// inject adds steps to the running plan.
func (r *replay) inject(raw json.RawMessage, agents json.RawMessage) {
	var steps []stepDef
	if err := json.Unmarshal(raw, &steps); err != nil {
		r.fail(readable, "%v", err)
	}
	var more map[string]agentDef
	_ = json.Unmarshal(agents, &more)
	own := map[string]agentDef{}
	for k, v := range r.def.Agents {
		own[k] = v
	}
	for k, v := range more {
		if _, ok := own[k]; !ok {
			own[k] = v
		}
	}
	r.def.Agents = own
	for _, s := range steps {
		for _, id := range s.NeededBy {
			needs := append(append([]string{}, r.needsOf(id)...), s.ID)
			r.setNeeds(id, steps, needs)
		}
	}
	for _, s := range steps {
		r.replace(s)
	}
	r.def.Workflow.Steps = append(append([]stepDef{}, r.def.Workflow.Steps...), steps...)
	for i := range steps {
		r.steps[steps[i].ID] = newStep(&r.def.Workflow.Steps[len(r.def.Workflow.Steps)-len(steps)+i])
	}
	for i := range r.def.Workflow.Steps {
		r.steps[r.def.Workflow.Steps[i].ID].def = &r.def.Workflow.Steps[i]
	}
}

func (r *replay) setNeeds(id string, added []stepDef, needs []string) {
	for _, list := range [][]stepDef{r.def.Workflow.Steps, added} {
		for i := range list {
			if list[i].ID == id {
				list[i].Needs = &needs
			}
		}
	}
}

// replace: steps wait for the new step instead of the failed one, and nothing else is replaced.
func (r *replay) replace(by stepDef) {
	if by.Replaces == "" {
		return
	}
	old := r.steps[by.Replaces]
	if old == nil || old.status != "failed" {
		r.fail(order, "step %s replaces %s, which has not failed", by.ID, by.Replaces)
	}
	old.replaced = true
	for id := range r.steps {
		needs := slices.Clone(r.needsOf(id))
		if at := slices.Index(needs, by.Replaces); at >= 0 {
			needs[at] = by.ID
			r.setNeeds(id, nil, needs)
		}
	}
}
