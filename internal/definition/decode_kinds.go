package definition

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition/tree"
)

func (d *decoder) workflow() Document {
	w := &Workflow{Place: d.place}
	d.into(&w.Workflow, "workflow")
	if w.Name == "" && len(d.problems) == 0 {
		d.bad("workflow", "the name is missing: use lower-case letters, digits, - _ . (at most 64)")
	}
	d.emptyNeeds()
	return w
}

// emptyNeeds warns of needs: without a list. It means the previous step, but the author may think it means none.
func (d *decoder) emptyNeeds() {
	steps := d.place.root.Get("steps")
	if steps == nil {
		return
	}
	for i, step := range steps.Items {
		if n := step.Get("needs"); n != nil && n.Kind == tree.Null {
			d.problems = append(d.problems, d.place.warn("steps["+strconv.Itoa(i)+"].needs",
				"no list is given, so the step needs the one before it: write [] for none"))
		}
	}
}

func (d *decoder) mcpServer() Document {
	m := &MCPServer{}
	d.into(m, "mcp_server")
	d.name(KindMCPServer, m.Name)
	m.Place = d.place
	return m
}

func (d *decoder) role() Document {
	r := &Role{}
	d.into(r, "role")
	d.name(KindRole, r.Name)
	r.Place = d.place
	return r
}

func (d *decoder) schedule() Document {
	s := &Schedule{}
	d.into(s, "schedule")
	d.name(KindSchedule, s.Name)
	s.Place = d.place
	return s
}

func (d *decoder) trigger() Document {
	t := &Trigger{}
	d.into(t, "trigger")
	d.name(KindTrigger, t.Name)
	t.Place = d.place
	return t
}

func (d *decoder) prices() Document {
	p := &Prices{}
	d.into(p, "prices")
	p.Place = d.place
	for model, price := range p.Models {
		price.Place = d.place
		if at := d.place.root.Get("prices"); at != nil {
			for _, m := range at.Members {
				if m.Key == model {
					price.Place = Place{d.place.File, m.Pos.Line, m.Pos.Column, d.place.root, nil}
				}
			}
		}
		p.Models[model] = price
	}
	return p
}

// ownKind reads the kind of an agent or tool, which determines its keys.
func ownKind[T ~string](d *decoder, kinds []T) (T, bool) {
	n := d.place.root.Get("kind")
	switch {
	case n == nil || n.Kind == tree.Null:
		d.bad("kind", "the kind is missing: use %s", phrase.Or(kinds))
		return "", false
	case n.Kind != tree.Text:
		return "", false // the decoder reports it
	}
	if why := unknownWord(T(n.Text), kinds); why != "" {
		d.bad("kind", "%s", why)
		return "", false
	}
	return T(n.Text), true
}

func (d *decoder) agent() Document {
	a := &Agent{Place: d.place}
	kind, known := ownKind(d, plan.AgentKinds)
	if !known {
		d.common("agent", &agentHead{})
		return nil
	}
	form, head := "agent/"+string(kind), (*agentHead)(nil)
	switch kind {
	case plan.AgentScripted:
		f := &scriptedForm{}
		d.into(f, form)
		a.Scripted, head = &f.Scripted, &f.agentHead
	case plan.AgentHTTP:
		f := &httpForm{}
		d.into(f, form)
		a.HTTP, head = &f.HTTP, &f.agentHead
	case plan.AgentCommand:
		f := &commandForm{}
		d.into(f, form)
		a.Command, head = &f.Process, &f.agentHead
	case plan.AgentLLM:
		f := &llmForm{}
		d.into(f, form)
		a.LLM, head = &f.LLM, &f.agentHead
	case plan.AgentMCP:
		f := &mcpForm{}
		d.into(f, form)
		a.MCP, head = &f.MCP, &f.agentHead
	default:
		head = &agentHead{}
		d.into(head, form)
	}
	d.name(KindAgent, head.Name)
	a.Agent, a.Description, a.Capabilities, a.Lessons, a.Notify = head.Agent, head.Description, head.Capabilities,
		head.Lessons, head.Notify
	return a
}

func (d *decoder) tool() Document {
	kind, known := ownKind(d, ToolKinds)
	if !known {
		d.common("tool", &toolBody{})
		return nil
	}
	var t Tool
	switch kind {
	case ToolHTTP:
		f := &httpToolForm{}
		d.into(f, "tool/http")
		t = Tool(f.toolBody)
		t.HTTP = &f.HTTP
	case ToolCommand:
		f := &commandToolForm{}
		d.into(f, "tool/command")
		t = Tool(f.toolBody)
		t.Command = &f.Process
	default:
		f := &builtinToolForm{}
		d.into(f, "tool/builtin")
		t = Tool(f.toolBody)
		t.Builtin = f.Builtin
	}
	d.name(KindTool, t.Name)
	t.Place = d.place
	return &t
}

// common checks the keys that all agents or all tools have, when the kind is unknown; the others may be valid.
func (d *decoder) common(family string, v any) {
	root := *d.place.root
	root.Members = slices.DeleteFunc(slices.Clone(root.Members), func(m tree.Member) bool {
		if slices.Contains(formKeys()[family], m.Key) {
			return false
		}
		for name, keys := range formKeys() {
			if strings.HasPrefix(name, family+"/") && slices.Contains(keys, m.Key) {
				return true
			}
		}
		return false
	})
	only := &decoder{place: d.place}
	only.place.root = &root
	only.into(v, family)
	d.problems = append(d.problems, only.problems...)
}

func (d *decoder) policy() Document {
	p := &Policy{Place: d.place}
	before := len(d.problems)
	d.into(&p.Document, "policy")
	d.problems = slices.Concat(d.problems[:before], d.refine(d.problems[before:]))
	return p
}

// refine finds the invalid key or value in a comparison, which the core reads as a whole.
func (d *decoder) refine(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		var inner []Problem
		switch key := p.Path[strings.LastIndexByte(p.Path, '.')+1:]; key {
		case "data_threshold", "custom_field":
			inner = within(d, p.Path, func() any { return new(policy.Field) })
		case "agent_confidence", "confidence":
			type comparison policy.Confidence // without its own decoding
			inner = within(d, p.Path, func() any { return new(comparison) })
		case "risk_level", "operation_type", "workflow", "agent", "tool", "escalate_to", "holidays", "notification_channels":
			p.Message = "must be a word, or a list of words"
		}
		if len(inner) == 0 {
			inner = []Problem{p}
		}
		out = append(out, inner...)
	}
	return out
}

// within decodes the mapping, or each item of the list, at a path.
func within(d *decoder, path string, form func() any) []Problem {
	at := d.place.root.Find(path)
	if !at.Exact || at.Node.Kind < tree.List {
		return nil
	}
	nodes, lists := []*tree.Node{at.Node}, at.Node.Kind == tree.List
	if lists {
		nodes = at.Node.Items
	}
	var out []Problem
	for i, n := range nodes {
		prefix := path
		if lists {
			prefix += "[" + strconv.Itoa(i) + "]"
		}
		var f *fault.Error
		if err := plan.Decode(n.JSON(), form()); errors.As(err, &f) {
			for _, p := range f.Problems {
				p.Path = strings.TrimSuffix(prefix+"."+p.Path, ".")
				out = append(out, d.place.locate(p))
			}
		}
	}
	return out
}
