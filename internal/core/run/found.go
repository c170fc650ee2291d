package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
)

// FoundSteps are steps that were found for a requirement.
type FoundSteps struct {
	Steps   []plan.Step           `json:"steps"`
	Agents  map[string]plan.Agent `json:"agents,omitempty" holds:"id"` // agents that are new to the plan
	Because []Because             `json:"because,omitempty"`
}

// Because is why a step was added to a plan.
type Because struct {
	Step    string  `json:"step" holds:"id"`
	Tool    string  `json:"tool" holds:"id"`            // The tool, or agent:NAME.
	Score   float64 `json:"score"`                      // How well it fits the requirement, from 0 to 1.
	Because string  `json:"because" holds:"text,blank"` // The reasons, in plain words, each after a semicolon.
	// Wanted is the part of the requirement that it meets.
	Wanted string `json:"wanted,omitempty" holds:"text,blank"`
	// The required arguments without a value.
	Unset []string `json:"unset,omitempty" holds:"id"`
	// Risk is that of the tool or agent, as far as it is declared.
	Risk risk.Class `json:"risk,omitempty" holds:"id"`
	// Operation is what the tool declares to do.
	Operation string `json:"operation,omitempty" holds:"id"`
}

// AddedBySearch reports whether a search added a step.
func AddedBySearch(step string, changes []*PlanChanged) bool {
	return slices.ContainsFunc(changes, func(c *PlanChanged) bool {
		return slices.ContainsFunc(c.Because, func(b Because) bool { return b.Step == step })
	})
}

// Lacks are the arguments that could not be filled in, by step: people complete them.
func (f *FoundSteps) Lacks() map[string][]string {
	out := map[string][]string{}
	for _, b := range f.Because {
		out[b.Step] = b.Unset
	}
	return out
}

// RiskAsFound raises a risk to that of what a step was found to use.
func RiskAsFound(because []Because, s *plan.Step, level risk.Level) risk.Level {
	for i := range because {
		if b := &because[i]; b.Step == s.ID && b.Tool == uses(s) && b.level().Rank() > level.Rank() {
			level = b.level()
		}
	}
	return level
}

// uses names what a step uses as a search does.
func uses(s *plan.Step) string {
	if s.Agent != "" {
		return AgentPrefix + s.Agent
	}
	return s.Tool
}

// level is the risk of what was found. An agent that declares no risk acts without approval, so it
// counts as high.
func (b *Because) level() risk.Level {
	if b.Risk == "" && !strings.HasPrefix(b.Tool, AgentPrefix) {
		return "" // as the plan rates the tool
	}
	return b.Risk.Level()
}

// Riskiest is the highest risk of some steps, and which of them has it.
func Riskiest(steps []*plan.Step, of func(n int) risk.Level) (out gate.Risk) {
	for n, s := range steps {
		if level := of(n); level.Rank() > out.Level.Rank() {
			out = gate.Risk{Level: level, Reasons: []string{fmt.Sprintf("%s is rated %s risk", StepName(s), level)}}
		}
	}
	return out
}

// Risk is the highest risk of the steps in a plan.
func (f *FoundSteps) Risk(in *plan.Plan) gate.Risk {
	steps := make([]*plan.Step, len(f.Steps))
	for i := range f.Steps {
		steps[i] = &f.Steps[i]
	}
	return Riskiest(steps, func(n int) risk.Level {
		return RiskAsFound(f.Because, steps[n], in.Definition.RiskOf(steps[n]))
	})
}

// namedMax limits how many of the new steps a question names.
const namedMax = 3

// Question asks whether the steps that were found become part of the plan.
func (f *FoundSteps) Question() string {
	names := make([]string, len(f.Steps))
	for i := range f.Steps {
		names[i] = StepName(&f.Steps[i])
	}
	return fmt.Sprintf("Add %s to the plan?", phrase.Quoted(names, namedMax))
}

const stepNameMax = 40 // characters

// StepName is what people call a step: its title, unless that depends on values, or else its id in words.
func StepName(s *plan.Step) string {
	name := phrase.Sentence("%s", s.ID)
	if p, err := phrase.Parse(s.Title); s.Title != "" && err == nil && len(p.Fields()) == 0 {
		name = phrase.Plain(p.Fill(nil))
	}
	return phrase.ClipWords(name, stepNameMax)
}

// Reasons explains to people why these steps were found for a requirement, in place of a failed step if one is named.
func (f *FoundSteps) Reasons(requirement, failed string) string {
	needs := "The run needs a step for"
	if len(f.Steps) > 1 {
		needs = "The run needs steps for"
	}
	lines := []string{fmt.Sprintf("%s %s.", needs, phrase.Quote(phrase.ClipBytes(requirement, 1_000)))}
	if failed != "" {
		lines = append(lines, phrase.Sentence("%s failed and is replaced.", failed))
	}
	for i := range f.Because {
		lines = append(lines, phrase.ClipBytes(f.Because[i].reason(requirement), 500)+".")
	}
	return strings.Join(lines, "\n")
}

// reason is one sentence, or two, without the last full stop.
func (b *Because) reason(requirement string) string {
	line := phrase.Sentence("%s", b.Step)
	if b.Wanted != "" && b.Wanted != requirement {
		line += fmt.Sprintf(", for %s,", phrase.Quote(b.Wanted))
	}
	if agent, ok := strings.CutPrefix(b.Tool, AgentPrefix); ok {
		line += " uses the agent " + agent
	} else {
		line += " uses " + b.Tool
	}
	var facts []string
	if b.Operation != "" {
		facts = append(facts, b.Operation)
	}
	if level := b.level(); level.Rank() > risk.Low.Rank() {
		facts = append(facts, string(level)+" risk")
	}
	if len(facts) > 0 {
		line += " (" + strings.Join(facts, ", ") + ")"
	}
	if why := b.why(); len(why) > 0 {
		line += ", which " + strings.Join(why, " and ")
	}
	if len(b.Unset) > 0 {
		line += fmt.Sprintf(". Set %s before you approve", strings.Join(b.Unset, ", "))
	}
	return line
}

// why are the reasons for a tool. Logs of earlier releases name the requirement among them.
func (b *Because) why() (out []string) {
	for _, one := range strings.Split(b.Because, "; ") {
		if one != "" && !strings.HasPrefix(one, "wanted: ") {
			out = append(out, one)
		}
	}
	return out
}
