package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Compile checks a definition as a whole and lists all errors and warnings in document order. The plan is nil
// if there is any error. A problem inside an expression has the line and column within that expression.
func Compile(def *Definition) (*Plan, []fault.Problem) {
	if def == nil {
		return nil, []fault.Problem{{Message: "the definition is missing"}}
	}
	c := newCompiler(def)
	c.checkHead()
	if c.withinLimits() {
		c.nameSteps()
		c.nameGates()
		c.link()
		c.sort()
		c.compileSteps()
		c.compileGates()
		c.compileOutput()
		c.checkSubWorkflows()
		c.checkSensitive()
		c.compileSubject()
		c.checkSpeculate()
		c.answer()
	}
	p, problems := c.finish()
	if p != nil {
		p.digest = Digest(def)
	}
	return p, problems
}

// compiler fills a plan in passes. Names come first, then the graph, because everything else depends on the
// order of steps.
type compiler struct {
	report
	suggester
	plan      *Plan
	base      int                 // steps below this index were compiled before, in the plan being edited
	changed   map[int]bool        // those of them with new needs
	remapped  map[int]bool        // those of them that read another step's output
	ids       []string            // of all steps, for suggestions
	lacks     map[string][]string // required arguments that may be missing, by step
	questions []question
	compared                            // cached results about schemas
	schemas   map[string]compiledSchema // by text: steps often share them
	names     map[string][]string       // sorted, of agents and workflows
}

type compiledSchema struct {
	schema *schema.Schema
	err    error
}

func newCompiler(def *Definition) *compiler {
	own := *def
	own.Workflow.Steps = slices.Clone(def.Workflow.Steps)
	own.Workflow.Gates = slices.Clone(def.Workflow.Gates)
	own.Agents = maps.Clone(def.Agents)
	p := &Plan{
		Definition: &own,
		nodeByID:   make(map[string]int, len(own.Workflow.Steps)),
		gateByID:   map[string]int{},
		agents:     map[string]*agentFacts{},
	}
	return compilerFor(p)
}

func compilerFor(p *Plan) *compiler {
	return &compiler{plan: p, compared: newCompared(), schemas: map[string]compiledSchema{}, names: map[string][]string{}}
}

func (c *compiler) finish() (*Plan, []fault.Problem) {
	problems := c.problems()
	if c.errors > 0 {
		return nil, problems
	}
	c.plan.timeout = c.plan.workingTime()
	return c.plan, problems
}

func (c *compiler) workflow() *Workflow { return &c.plan.Definition.Workflow }

func (c *compiler) step(i int) *Step { return &c.plan.Definition.Workflow.Steps[i] }

// atStep is a step's position; injected ones count from the start of their list.
func (c *compiler) atStep(i int) where { return where{part: inSteps, index: i - c.base} }

// withinLimits rejects oversized documents before doing any work on them.
func (c *compiler) withinLimits() bool {
	w := c.workflow()
	edges := 0
	for i := range w.Steps {
		if needs := w.Steps[i].Needs; needs != nil {
			edges += len(*needs)
		} else {
			edges++
		}
	}
	before := c.errors
	if len(w.Steps) == 0 {
		c.bad(where{}, "steps", "the workflow has no steps: add at least one")
	}
	if len(w.Steps) > StepsMax {
		c.bad(where{}, "steps", "%d steps are too many: at most %d; split it into sub-workflows", len(w.Steps), StepsMax)
	}
	if len(w.Gates) > GatesMax {
		c.bad(where{}, "gates", "%d gates are too many: at most %d", len(w.Gates), GatesMax)
	}
	if edges > EdgesMax {
		c.bad(where{}, "steps", "the steps have %d needs in all; the maximum is %d; put a step in "+
			"between to join them", edges, EdgesMax)
	}
	return c.errors == before
}

// checkHead checks everything but steps and gates.
func (c *compiler) checkHead() {
	w, head := c.workflow(), where{}
	if !isWorkflowName(w.Name) {
		if w.Name == "" {
			c.bad(head, "workflow", "the name is missing: use %s", workflowName)
		} else {
			c.bad(head, "workflow", "%q is not a name: use %s", clip(w.Name), workflowName)
		}
	}
	c.plan.InputSchema = c.schema(head, "input", w.Input)
	c.json(head, "notify", w.Notify)
	c.notNegative(head, "timeout", w.Timeout)
	c.fraction(head, "confidence_threshold", w.ConfidenceThreshold)
	c.fraction(head, "confidence_threshold", c.plan.Definition.ConfidenceThreshold)
	c.checkHandOff(head, w.HandOff)
	c.checkAsk(head, "ask", w.Ask)
	c.oneOf(head, "snapshots", string(w.Snapshots), snapshotWords)
	c.checkLoops(head, w.Loops)
}

func (c *compiler) checkLoops(head where, l *Loops) {
	if l == nil {
		return
	}
	when := "loops.human.when"
	if h, err := json.Marshal(l.Human); err == nil && value.KindOf(h) == value.String {
		when = "loops.human"
	}
	c.oneOf(head, when, string(l.Human.When), humanWords)
	c.checkAsk(head, "loops.human", &l.Human.Ask)
	if by := l.Human.SummaryBy(); by != "" {
		c.agent(head, "loops.human.summary", by)
	}
	c.oneOf(head, "loops.replan", string(l.Replan), replanWords)
	c.oneOf(head, "loops.learn", string(l.Learn), learnWords)
	a := l.Agent
	if a == nil {
		return
	}
	c.oneOf(head, "loops.agent.at", string(a.At), agentAtWords)
	c.oneOf(head, "loops.agent.fallback", string(a.Fallback), fallbackWords)
	if a.Timeout != nil && *a.Timeout <= 0 {
		c.bad(head, "loops.agent.timeout", "must be longer than zero, such as 30s; the default is 60s")
	}
	if a.Agent == "" {
		c.bad(head, "loops.agent.agent", "name the agent to ask between layers")
	} else {
		c.agent(head, "loops.agent.agent", a.Agent)
	}
}

func (c *compiler) nameSteps() {
	steps := c.workflow().Steps
	c.ids = make([]string, len(steps))
	for i := range steps {
		id := steps[i].ID
		c.ids[i] = id
		if i < c.base {
			continue
		}
		if why := checkID(id); why != "" {
			c.bad(c.atStep(i), "id", "%s", why)
		}
		if other, taken := c.plan.nodeByID[id]; taken {
			if id != "" {
				c.bad(c.atStep(i), "id", "the id %s is already used by %s: rename one of them", quote(id), c.nameOfStep(other))
			}
			continue
		}
		// Steps of an edited plan can hit gates that already exist.
		if _, taken := c.plan.gateByID[id]; taken {
			c.bad(c.atStep(i), "id", "the id %q is already used by a gate of this run: use another", id)
			continue
		}
		c.plan.nodeByID[id] = i
	}
}

// nameOfStep identifies a step to a reader of the document.
func (c *compiler) nameOfStep(i int) string {
	if i < c.base {
		return "a step of this run"
	}
	return c.atStep(i).path("")
}

func (c *compiler) nameGates() {
	gates := c.workflow().Gates
	for i := range gates {
		c.nameGate(where{part: inGates, index: i}, gates[i].ID, i)
	}
}

func (c *compiler) nameGate(w where, id string, index int) {
	if why := checkID(id); why != "" {
		c.bad(w, "id", "%s", why)
		return
	}
	if other, taken := c.plan.nodeByID[id]; taken {
		c.bad(w, "id", "the id %q is already used by %s: steps and gates share their names", id, c.nameOfStep(other))
		return
	}
	if _, taken := c.plan.gateByID[id]; taken {
		c.bad(w, "id", "the id %q is already used by another gate: rename one of them", id)
		return
	}
	c.plan.gateByID[id] = index
}

// Checks of single values, shared by steps, gates and agents.

// oneOf accepts the given words and the empty one.
func (c *compiler) oneOf(w where, field, word string, words []string) {
	if word != "" {
		c.mustBe(w, field, word, words)
	}
}

func (c *compiler) mustBe(w where, field, word string, words []string) {
	if !slices.Contains(words, word) {
		c.bad(w, field, "%q is not one of %s%s", clip(word), phrase.Or(words), c.didYouMean(word, words))
	}
}

func (c *compiler) notNegative(w where, field string, d *quantity.Duration) {
	if d != nil && *d < 0 {
		c.bad(w, field, "%s is negative: write a duration such as 90s or 15m", d)
	}
}

func (c *compiler) fraction(w where, field string, f *float64) {
	if f != nil && !(*f >= 0 && *f <= 1) {
		c.bad(w, field, "%v is not between 0 and 1", *f)
	}
}

func (c *compiler) level(w where, field string, l risk.Level) {
	c.oneOf(w, field, string(l), levelWords)
}

func (c *compiler) schema(w where, field string, raw []byte) *schema.Schema {
	s, err := c.compileSchema(raw)
	if err != nil {
		c.failed(w, field, err)
	}
	return s
}

// compileSchema returns nil for no schema: `input:` with an empty value.
func (c *compiler) compileSchema(raw []byte) (*schema.Schema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	got, ok := c.schemas[string(raw)]
	if !ok {
		got.schema, got.err = schema.Compile(raw)
		c.schemas[string(raw)] = got
	}
	return got.schema, got.err
}

// json rejects invalid JSON, which only a Go program can pass in; the definition could not be stored.
func (c *compiler) json(w where, field string, raw []byte) {
	if len(raw) > 0 && !value.Valid(raw) {
		c.bad(w, field, "this is not valid JSON")
	}
}

func (c *compiler) program(w where, field, src string) *expr.Program {
	if src == "" {
		return nil
	}
	if len(src) > ExpressionMax {
		c.bad(w, field, "the expression has %d characters; the maximum is %d", len(src), ExpressionMax)
		return nil
	}
	p, err := expr.Compile(src)
	if err != nil {
		c.failed(w, field, err)
		return nil
	}
	return p
}
