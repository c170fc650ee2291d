package suggest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Intent is what a plan is wanted for.
type Intent struct {
	// The goal of the plan, in plain words. At most 4,000 characters.
	Intent string `json:"intent"`
	// An example of a run's input, an object: its values are used where they fit.
	Input json.RawMessage `json:"input,omitempty"`
	// How many candidates to list, from 1 to 50; 8 if omitted.
	Limit *int `json:"limit,omitempty"`
	// The name of the workflow; made from the intent if omitted.
	Name string `json:"name,omitempty"`
	// An LLM agent that arranges the candidates. Its answer is checked; if it is refused, the response is the plan that
	// is suggested without it, and a note says why.
	Agent string `json:"agent,omitempty"`
}

// Suggestion is a plan for an intent. Nothing of it is saved.
type Suggestion struct {
	// Whether anything fits. If not, there are no steps, and the candidates are the tools that come nearest.
	Found bool `json:"found"`
	// How well the plan accounts for the intent, from 0 to 1: that of its weakest step, times the share of the intent's
	// parts that have one.
	Confidence float64 `json:"confidence"`
	// The steps, as in files.
	Steps []plan.Step `json:"steps"`
	// The reason for each step, in the same order.
	Why []Reason `json:"why"`
	// Parts of the intent that nothing fits.
	Missing []string `json:"missing" holds:"text"`
	// Tools and agents that come nearest to the intent, the best first.
	Candidates []Tool `json:"candidates"`
	// The whole workflow as JSON; missing if nothing was found.
	Definition json.RawMessage `json:"definition,omitempty" holds:"config"`
	// The whole workflow as a file; missing if nothing was found.
	YAML string `json:"yaml,omitempty" holds:"config"`
	// The agent that arranged the candidates, if its answer was used.
	ArrangedBy string `json:"arranged_by,omitempty" holds:"id"`
	// What else to know, such as a server that has not answered.
	Notes []string `json:"notes,omitempty" holds:"text"`
}

// Reason is why a step was suggested.
type Reason struct {
	Step string `json:"step" holds:"id"`
	// The tool, or agent:NAME.
	Tool string `json:"tool" holds:"id"`
	// The part of the intent that it serves.
	Part string `json:"part" holds:"text"`
	// How well the tool fits, compared with the others.
	Score float64 `json:"score"`
	// The share of its part of the intent that the step accounts for, from 0 to 1; less if arguments are missing.
	Confidence float64 `json:"confidence"`
	// The reasons, in plain words.
	Because string `json:"because" holds:"text"`
	// Required arguments that nothing provides: the workflow asks for them as its input.
	Unset []string `json:"unset,omitempty" holds:"id"`
	// Whether a gate asks people before it.
	Asks bool `json:"asks"`
	// How dangerous a call is; missing for an agent.
	Risk risk.Class `json:"risk,omitempty" holds:"id"`
}

// Limits of an intent.
const (
	IntentMax      = 4_000 // characters
	intentInputMax = 256 << 10
	candidatesMax  = 50
	candidatesOf   = 8
	offeredMin     = 20 // candidates that an agent chooses among, at least
	arrangeWithin  = 45 * time.Second
	arrangeShown   = 300 // characters of a description
)

func (in *Intent) check() error {
	var problems []fault.Problem
	bad := func(path, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	switch n := utf8.RuneCountInString(in.Intent); {
	case strings.TrimSpace(in.Intent) == "":
		bad("intent", "describe the goal of the plan in plain words")
	case n > IntentMax:
		bad("intent", "it has %d characters; the limit is %d: describe the steps, not the data", n, IntentMax)
	}
	switch {
	case len(in.Input) > intentInputMax:
		bad("input", "the example has %s; the limit is %s", phrase.Bytes(len(in.Input)), phrase.Bytes(intentInputMax))
	case len(in.Input) > 0 && value.KindOf(in.Input) != value.KindObject && value.KindOf(in.Input) != value.Null:
		bad("input", "an example of the input has to be an object")
	}
	if in.Limit != nil && (*in.Limit < 1 || *in.Limit > candidatesMax) {
		bad("limit", "write a number from 1 to %d", candidatesMax)
	}
	if in.Name != "" && !plan.IsWorkflowName(in.Name) {
		bad("name", "%q is not the name of a workflow: use lower-case letters, digits, - _ . (at most %d)",
			phrase.Clip(in.Name, plan.NameMax), plan.NameMax)
	}
	if len(problems) > 0 {
		return fault.Of("the intent is not valid", problems)
	}
	return nil
}

// Documents are the published documents, as far as suggestions need them.
type Documents interface {
	Validate(kind definition.Kind, format definition.Format, body []byte) registry.Validation
	LLMAgent(agent string) (port.LLMAgent, error)
}

// Suggester makes plans. It is safe for concurrent use.
type Suggester struct {
	documents Documents
	plan      func(context.Context, port.Intent) (port.Suggestion, error)
	log       *slog.Logger
}

// New creates a suggester from something that makes plans.
func New(d Documents, plan func(context.Context, port.Intent) (port.Suggestion, error), log *slog.Logger) *Suggester {
	return &Suggester{d, plan, log}
}

// Plan makes a plan for an intent. Nothing is saved, and nothing is called but the agent that the intent names.
func (s *Suggester) Plan(ctx context.Context, in Intent) (Suggestion, error) {
	if err := in.check(); err != nil {
		return Suggestion{}, err
	}
	most := candidatesOf
	if in.Limit != nil {
		most = *in.Limit
	}
	wanted := port.Intent{Text: in.Intent, Name: in.Name, Candidates: max(most, offeredMin)}
	if value.KindOf(in.Input) == value.KindObject {
		wanted.Input = in.Input
	}
	plain, err := s.plan(ctx, wanted)
	if err != nil {
		return Suggestion{}, err
	}
	if in.Agent == "" {
		return s.shown(plain, "", most), nil
	}
	arranged, why := s.arranged(ctx, in.Agent, wanted, plain.Candidates)
	if why != "" {
		out := s.shown(plain, "", most)
		out.Notes = append(out.Notes, fmt.Sprintf("The arrangement of %s was not used: %s.", in.Agent,
			strings.TrimSuffix(why, ".")))
		return out, nil
	}
	return s.shown(arranged, in.Agent, most), nil
}

// shown is a suggestion as callers see it. A plan that is not valid is not shown as one.
func (s *Suggester) shown(found port.Suggestion, by string, most int) Suggestion {
	out := Suggestion{Steps: []plan.Step{}, Why: []Reason{}, Missing: view.NotNil(found.Missing),
		Candidates: []Tool{}, ArrangedBy: by}
	for _, n := range found.Notes {
		out.Notes = append(out.Notes, strings.ToUpper(n[:1])+n[1:])
	}
	for _, m := range found.Candidates[:min(most, len(found.Candidates))] {
		t := ToolOf(m.Callable)
		t.Score, t.Why = &m.Score, m.Why
		out.Candidates = append(out.Candidates, t)
	}
	if found.Workflow == nil {
		return out
	}
	doc := &definition.Workflow{Workflow: *found.Workflow}
	checked := s.documents.Validate(definition.KindWorkflow, definition.YAML, doc.YAML())
	if !checked.Valid {
		out.Notes = append(out.Notes, problemNotes(checked)...)
		return out
	}
	out.Found, out.Confidence, out.Steps = true, found.Confidence, found.Workflow.Steps
	out.Definition, out.YAML = doc.JSON(), string(doc.YAML())
	for _, w := range found.Why {
		out.Why = append(out.Why, Reason{Step: w.Step, Tool: w.Tool, Part: w.Part, Score: w.Score,
			Confidence: w.Confidence, Because: strings.Join(w.Because, "; "), Unset: w.Unset, Asks: w.Asks, Risk: w.Risk})
	}
	return out
}

// problemNotes says why a plan is not shown.
func problemNotes(v registry.Validation) []string {
	out := []string{"A plan was found, but it is not valid, so it is not shown."}
	for _, p := range v.Problems[:min(len(v.Problems), 5)] {
		out = append(out, phrase.Clip(p.Problem.String(), 300))
	}
	return out
}
