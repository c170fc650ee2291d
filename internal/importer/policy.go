package importer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

const policyFile = "policy.yaml"

// policySource is a document of rules, which the loader reads unchanged.
type policySource struct {
	doc   *object
	file  Source
	alone bool // the file contains nothing else, in YAML
	policy.Document
}

// policy combines all rules in the one policy of a deployment.
func (im *imported) policy() {
	var read []policySource
	for _, s := range im.policies {
		doc, problems := definition.ParseDocument(tree.JSON, s.doc.node.JSON())
		for _, p := range problems {
			at := s.placeOf(p.Path)
			if p.Warning {
				im.notes.warn(at, "%s", p.Message)
			} else {
				im.notes.bad(at, "%s", p.Message)
			}
		}
		if p, ok := doc.(*definition.Policy); ok {
			s.Document = p.Document
			read = append(read, s)
		}
	}
	if len(read) == 0 {
		return
	}
	out := policy.Document{Name: "default"}
	if len(read) == 1 {
		out.Name = read[0].Name
	}
	m := merger{im: im, out: &out, priorities: map[int]ruleAt{}, names: map[string]ruleAt{},
		verbatim: len(read) == 1 && read[0].alone}
	for _, s := range read {
		m.add(s)
	}
	var body []byte
	if m.verbatim {
		text := strings.TrimSpace(strings.TrimPrefix(string(read[0].file.Body), "\ufeff"))
		body = []byte(text + "\n")
	} else {
		body = (&definition.Policy{Document: out}).YAML()
	}
	var from []string
	for _, s := range read {
		from = append(from, s.file.Name)
	}
	im.out = append(im.out, File{policyFile, append(header(from, "The rules of the deployment."), body...)})
}

// placeOf converts a path in the document to a location in the file.
func (s policySource) placeOf(path string) place {
	at := s.doc.at
	spot := s.doc.node.Find(path)
	at.path, at.line, at.column = path, spot.Pos.Line, spot.Pos.Column
	if spot.Exact && spot.Key.Line > 0 {
		at.line, at.column = spot.Key.Line, spot.Key.Column
	}
	return at
}

// ruleAt is a rule and its location.
type ruleAt struct {
	name string
	at   place
}

// merger combines policies.
type merger struct {
	im         *imported
	out        *policy.Document
	verbatim   bool // one file is kept verbatim, with its comments
	priorities map[int]ruleAt
	names      map[string]ruleAt
	auto       place // of the first auto_approval
}

func (m *merger) add(s policySource) {
	n := &m.im.notes
	to := target{file: policyFile}
	for _, head := range []struct {
		key, value string
		into       *string
	}{
		{"policy", s.Name, &m.out.Name}, {"version", string(s.Version), (*string)(&m.out.Version)},
		{"description", s.Description, &m.out.Description},
	} {
		switch {
		case head.value == "":
		case *head.into == "" || *head.into == head.value:
			*head.into = head.value
			n.mapped(s.placeOf(head.key), to.in(head.key), "")
		default:
			n.dropped(s.placeOf(head.key), "the policy has one %s: %s", head.key, clip(*head.into))
		}
	}
	for i, r := range s.Rules {
		m.rule(s, fmt.Sprintf("rules[%d]", i), r)
	}
	for i, r := range s.Checkpoints {
		m.rule(s, fmt.Sprintf("checkpoints[%d]", i), r)
	}
	if s.AutoApproval != nil {
		m.autoApproval(s)
	}
}

// rule adds a rule. Priorities and names must be unique, and only the authors know which of two comes first.
func (m *merger) rule(s policySource, path string, r policy.Rule) {
	n := &m.im.notes
	at := s.placeOf(path)
	if other, taken := m.priorities[r.Priority]; taken {
		n.bad(s.placeOf(path+".priority"), "%q has priority %d, and so has %q in %s: which one comes first?", clip(r.Name),
			r.Priority, clip(other.name), other.at)
	} else {
		m.priorities[r.Priority] = ruleAt{r.Name, at}
	}
	m.name(s, path, r.Name)
	to := target{policyFile, fmt.Sprintf("rules[%d]", len(m.out.Rules))}
	if m.verbatim {
		to.path = path
	}
	n.mapped(at, to, "%s, priority %d", clip(r.Name), r.Priority)
	if r.Action.Escalation != nil {
		for i, who := range r.Action.Escalation.EscalateTo {
			if strings.Contains(who, "@") {
				key := fmt.Sprintf("action.escalation.escalate_to[%d]", i)
				n.mapped(s.placeOf(path+"."+key), to.in(key), "the person with that address")
			}
		}
	}
	m.out.Rules = append(m.out.Rules, r)
}

func (m *merger) name(s policySource, path, name string) {
	if other, taken := m.names[name]; taken && name != "" {
		m.im.notes.bad(s.placeOf(path+".name"),
			"%q is the name of a rule in %s as well: rename one of them", clip(name), other.at)
		return
	}
	m.names[name] = ruleAt{name, s.placeOf(path)}
}

// autoApproval combines the rules of several blocks if their settings agree.
func (m *merger) autoApproval(s policySource) {
	n := &m.im.notes
	const key = "auto_approval"
	at, in := s.placeOf(key), *s.AutoApproval
	to := target{policyFile, key}
	if m.out.AutoApproval == nil {
		m.auto = at
		out := in
		out.Rules = nil
		m.out.AutoApproval = &out
	} else if !sameSwitches(*m.out.AutoApproval, in) {
		n.bad(at, "auto_approval is set otherwise in %s: make enabled and global_settings the same, or leave one out", m.auto)
		return
	}
	n.mapped(at, to, "")
	for i, r := range in.Rules {
		path := fmt.Sprintf("%s.rules[%d]", key, i)
		m.name(s, path, r.Name)
		n.mapped(s.placeOf(path), to.in(fmt.Sprintf("rules[%d]", len(m.out.AutoApproval.Rules))), "%s", clip(r.Name))
		m.out.AutoApproval.Rules = append(m.out.AutoApproval.Rules, r)
	}
}

func sameSwitches(a, b policy.AutoApproval) bool {
	a.Rules, b.Rules = nil, nil
	x, err1 := value.Marshal(a)
	y, err2 := value.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
