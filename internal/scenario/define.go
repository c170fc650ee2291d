package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition/tree"
)

// define reads the documents that a run is bound to: a workflow, its agents, the workflows it calls, and the
// policy in force.
func (w *World) define(lines []string) error {
	def := &plan.Definition{Version: 1, Agents: map[string]plan.Agent{}, Workflows: map[string]plan.Workflow{}}
	for _, doc := range documents(lines) {
		raw, err := yamlToJSON([]byte(doc))
		if err != nil {
			return err
		}
		if err := w.document(def, raw); err != nil {
			return err
		}
	}
	p, problems := plan.Compile(def)
	for _, problem := range problems {
		kind := "problem"
		if problem.Warning {
			kind = "note"
		}
		w.say("%s: %s", kind, problem)
	}
	if p == nil {
		return fault.Of("the definition does not compile", problems)
	}
	w.plan, w.s, w.log = p, machine.New("run_1", p), nil
	return w.played(func(h Host) error { return h.Define(w) })
}

func (w *World) document(def *plan.Definition, raw json.RawMessage) error {
	var kind map[string]json.RawMessage
	if err := json.Unmarshal(raw, &kind); err != nil {
		return err
	}
	switch {
	case kind["workflow"] != nil:
		var wf plan.Workflow
		if err := plan.Decode(raw, &wf); err != nil {
			return err
		}
		if def.Workflow.Name == "" {
			def.Workflow = wf
		} else {
			def.Workflows[wf.Name] = wf
		}
	case kind["agent"] != nil:
		var a plan.Agent
		if err := plan.Decode(raw, &a); err != nil {
			return err
		}
		def.Agents[a.Name] = a
	case kind["deployment"] != nil:
		var settings struct {
			Role    string `json:"default_role"`
			Missing string `json:"gates_if_missing"`
		}
		if err := json.Unmarshal(raw, &settings); err != nil {
			return err
		}
		def.DefaultRole, def.GatesIfMissing = settings.Role, settings.Missing
	default: // specification 000 writes version and checkpoints
		return w.setPolicy(raw)
	}
	return nil
}

func (w *World) setPolicy(raw json.RawMessage) error {
	doc, err := policy.Decode(raw)
	if err != nil {
		return err
	}
	set, problems := policy.Compile(doc, time.LoadLocation)
	if set == nil {
		return fault.Of("the policy does not compile", problems)
	}
	w.judge = set
	return nil
}

func documents(lines []string) []string {
	return strings.Split("\n"+strings.Join(lines, "\n")+"\n", "\n---\n")
}

// steps reads YAML steps, and agents in the documents after them.
func readSteps(lines []string) (steps []plan.Step, agents map[string]plan.Agent, err error) {
	for n, doc := range documents(lines) {
		raw, err := yamlToJSON([]byte(doc))
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			if strings.TrimSpace(doc) == "" {
				continue
			}
			if err := plan.Decode(raw, &steps); err != nil {
				return nil, nil, err
			}
			continue
		}
		var a plan.Agent
		if err := plan.Decode(raw, &a); err != nil {
			return nil, nil, err
		}
		if agents == nil {
			agents = map[string]plan.Agent{}
		}
		agents[a.Name] = a
	}
	return steps, agents, nil
}

// fork creates run NAME from the log up to an event: fork at LAST TYPE [of STEP] as NAME [by PROGRAM].
func (w *World) fork(t *tokens, lines []string) error {
	t.skip("at")
	t.skip("last")
	typ, step := t.word(), ""
	if t.is("of") {
		step = t.word()
	}
	t.skip("as")
	id := t.word()
	by := run.Command{By: run.Actor{Kind: run.Person, Name: "ann"}}
	if t.is("by") {
		by.By = run.Actor{Kind: run.Service, Name: t.word()}
	}
	if t.err != nil {
		return t.err
	}
	events, err := w.events()
	if err != nil {
		return err
	}
	cut := 0
	for n, e := range events {
		var about struct {
			Step string
			Spot struct{ Step string }
		}
		data, _ := run.EncodeFact(e.Fact)
		_ = json.Unmarshal(data, &about)
		if e.Fact.Type() == typ && (step == "" || step == about.Step || step == about.Spot.Step) {
			cut = n + 1
		}
	}
	if cut == 0 {
		return fmt.Errorf("no event %s of %q", typ, step)
	}
	var edits run.Edits
	if raw, err := yamlToJSON([]byte(strings.Join(lines, "\n"))); err != nil {
		return err
	} else if len(lines) > 0 {
		if err := plan.Decode(raw, &edits); err != nil {
			return err
		}
	}
	log, refused := decide.Fork(w.env(), id, w.plan, events[:cut], edits, by)
	from := w.s.ID
	play := func() error {
		return w.played(func(h Host) error { return h.Fork(w, id, from, int64(cut), edits, by, refused) })
	}
	if refused != nil {
		w.refuse(refused)
		return play()
	}
	w.keys, w.log = map[string][]run.Key{}, nil
	w.s = machine.New(id, w.plan)
	had := len(w.said)
	if err := w.append(log[:cut]); err != nil {
		return err
	}
	w.said, w.recent = w.said[:had], nil // the history was shown before
	w.done = slices.DeleteFunc(w.done, func(c countedRun) bool { return c.run == id })
	w.keys = map[string][]run.Key{}
	before, err := w.s.Snapshot()
	if err != nil {
		return err
	}
	if err := w.append(log[cut:]); err != nil {
		return err
	}
	if err := w.obey(before, log[cut:]); err != nil {
		return err
	}
	return play()
}

// yamlToJSON reads one document with the parser used for definitions.
func yamlToJSON(doc []byte) (json.RawMessage, error) {
	docs, problems := tree.NewSource("scenario", doc).Read(tree.YAML)
	if len(problems) > 0 {
		return nil, fmt.Errorf("%v", problems)
	}
	if len(docs) == 0 {
		return json.RawMessage("null"), nil
	}
	return docs[0].Root.JSON(), nil
}
