package plan

import (
	"slices"

	"github.com/assent-run/assent/internal/core/expr"
)

// scope defines which names are valid at one place of the document.
type scope struct {
	where where
	field string
	node  int    // a step's name must refer to an ancestor of this step; -1: any step
	items bool   // item and index are defined
	gate  *Spot  // other names are fields of this gate's subject
	text  string // for with: text that may be meant as a literal
}

// checkNames checks the first name of every path in an expression.
func (c *compiler) checkNames(s scope, p *expr.Program) {
	if p == nil {
		return
	}
	for _, root := range p.Roots() {
		c.checkName(s, root)
	}
}

var always = []string{"input", "context"}

// checkName checks the first element of a path.
func (c *compiler) checkName(s scope, name string) {
	if slices.Contains(always, name) {
		return
	}
	if step, ok := c.plan.nodeByID[name]; ok {
		c.checkStepName(s, name, step)
		return
	}
	if s.gate != nil {
		return // a field of the subject, or confidence, risk, operation, tool, agent
	}
	if name == "item" || name == "index" {
		if !s.items {
			c.bad(s.where, s.field, "%q is only known in the `with` of a step that has `each`", name)
		}
		return
	}
	if _, ok := c.plan.gateByID[name]; ok {
		c.bad(s.where, s.field, "%q is a gate: the answer given there is context.%s", name, name)
		return
	}
	hint := c.didYouMean(name, always, c.ids)
	if s.text != "" {
		hint += `; for the text itself write '"` + clip(s.text) + `"'`
	}
	c.bad(s.where, s.field, "%q is neither input nor context nor a step%s", clip(name), hint)
}

func (c *compiler) checkStepName(s scope, name string, step int) {
	if s.gate != nil {
		c.checkStepNameAtGate(s, name, step)
		return
	}
	if s.node < 0 {
		return
	}
	if step == s.node {
		c.bad(s.where, s.field, "step %q cannot use its own output", name)
		return
	}
	c.mustPrecede(step, s.node, func() {
		c.bad(s.where, s.field, "step %q is not before %q: add it to needs", name, c.ids[s.node])
	})
}

// checkStepNameAtGate only warns: a field of the subject may share its name with a step unrelated to this
// gate.
func (c *compiler) checkStepNameAtGate(s scope, name string, step int) {
	warn := func() {
		c.warn(s.where, s.field, "step %q has not run at this gate (%s), so %q means a field here", name, s.gate, name)
	}
	switch s.gate.Kind {
	case SpotStart:
		warn()
	case SpotBefore, SpotHuman:
		if step == s.node {
			warn()
		} else if s.node >= 0 {
			c.mustPrecede(step, s.node, warn)
		}
	case SpotAfter:
		if step != s.node && s.node >= 0 {
			c.mustPrecede(step, s.node, warn)
		}
	}
}

// question asks whether first always ends before then starts.
type question struct {
	first, then int
	no          func() // reports the problem
}

// mustPrecede answers easy questions immediately and queues the others to be answered together: each on its
// own would cost a traversal of the graph.
func (c *compiler) mustPrecede(first, then int, no func()) {
	nodes := c.plan.Nodes
	switch {
	case !c.ordered(first) || !c.ordered(then):
		// There is a cycle to fix first.
	case nodes[first].Layer >= nodes[then].Layer || nodes[first].Order > nodes[then].Order:
		no()
	default:
		if _, direct := slices.BinarySearch(nodes[then].Needs, first); !direct {
			c.questions = append(c.questions, question{first, then, no})
		}
	}
}

// answer settles all open questions, 64 different steps per traversal.
func (c *compiler) answer() {
	slices.SortStableFunc(c.questions, func(a, b question) int { return a.first - b.first })
	rest := c.questions
	behind := make([]uint64, len(c.plan.Nodes))
	bit := make([]uint64, len(c.plan.Nodes))
	for len(rest) > 0 {
		var batch []question
		batch, rest = nextBatch(rest, bit)
		from, to := len(c.plan.order), 0
		for _, q := range batch {
			from = min(from, c.plan.Nodes[q.first].Order)
			to = max(to, c.plan.Nodes[q.then].Order)
		}
		for _, i := range c.plan.order[from : to+1] {
			m := uint64(0)
			for _, n := range c.plan.Nodes[i].Needs {
				m |= behind[n] | bit[n]
			}
			behind[i] = m
		}
		for _, q := range batch {
			if behind[q.then]&bit[q.first] == 0 {
				q.no()
			}
		}
		for _, q := range batch {
			bit[q.first] = 0
		}
		clear(behind)
	}
	c.questions = nil
}

// nextBatch takes the questions about the next 64 steps and assigns each step its bit.
func nextBatch(qs []question, bit []uint64) (batch, rest []question) {
	used := 0
	for k, q := range qs {
		if bit[q.first] != 0 {
			continue
		}
		if used == 64 {
			return qs[:k], qs[k:]
		}
		bit[q.first] = 1 << used
		used++
	}
	return qs, nil
}
