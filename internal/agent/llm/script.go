package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Open opens the model that an agent's document describes: at a provider, or a script in its place.
func Open(d definition.LLM, o Options) (port.Model, error) {
	if d.Provider == definition.Script {
		return NewScript(d, o)
	}
	return New(d, o)
}

// Script takes its turns from the agent's document, so that everything around a model can be tested without
// one:
//
//	provider: scripted
//	turns:
//	  - { say: I look it up., calls: [{ tool: crm_lookup, args: { id: 7 } }] }
//	  - { when: errors.crm_lookup != null, say: Then I have to guess. }
//	  - { answer: { reply: It is on its way. }, confidence: 0.9 }
//
// # Choosing a turn
//
// A turn with when is taken, once, as soon as its condition is true; otherwise the next one without. The last
// of those repeats. Nothing is kept in memory: which turns were taken follows from the conversation so far,
// so the same question has the same answer after a crash and on every host.
//
// # Names in when
//
//	said        messages from people since the agent's last turn
//	notes       the engine's notes since then, such as a limit that is close
//	results     results of the newest calls of each tool: results.crm_lookup.name
//	errors      their errors, including denials: errors.crm_lookup
//	guidance    feedback from people who sent the work back, a list
//	turn        the number of this turn, from 1
//	input       the whole input; any other name is a field of it
//
// The newest calls of a tool are those of the last turn that called it; of several, the last success and the
// last error are visible.
type Script struct {
	turns []scriptTurn
}

type scriptTurn struct {
	when  *expr.Program // nil: none
	delay time.Duration
	turn  run.Turn
}

var _ port.Model = (*Script)(nil)

// NewScript parses the turns of a document. The error lists all problems, by path.
func NewScript(d definition.LLM, o Options) (*Script, error) {
	s := &Script{}
	var problems []fault.Problem
	for i, in := range d.Turns {
		t := scriptTurn{delay: in.Delay.Std()}
		if in.When != "" {
			var err error
			if t.when, err = expr.Compile(in.When); err != nil {
				problems = append(problems, fault.Problem{Path: fmt.Sprintf("/turns/%d/when", i), Message: err.Error()})
			}
		}
		if len(in.Calls) > 0 && len(in.Answer) > 0 {
			problems = append(problems, fault.Problem{Path: fmt.Sprintf("/turns/%d/answer", i),
				Message: "a turn either calls tools or answers"})
		}
		t.turn = run.Turn{Text: in.Say, Output: in.Answer, Confidence: in.Confidence, Reasoning: in.Reasoning,
			Usage: scriptUsage(d, o, in.Usage)}
		for k, c := range in.Calls {
			args := c.Args
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			t.turn.Calls = append(t.turn.Calls, run.Call{ID: fmt.Sprintf("call_%d_%d", i+1, k+1), Tool: c.Tool, Args: args})
		}
		s.turns = append(s.turns, t)
	}
	if len(d.Turns) == 0 {
		problems = append(problems, fault.Problem{Path: "/turns", Message: "a script needs at least one turn"})
	}
	if len(problems) > 0 {
		return nil, fault.Of("the script is not valid", problems)
	}
	return s, nil
}

// scriptUsage is a turn's cost: as declared, or by the price of the model that the document names.
func scriptUsage(d definition.LLM, o Options, said *run.Usage) run.Usage {
	u := run.Usage{LLMCalls: 1}
	if said == nil {
		return u
	}
	u = *said
	u.LLMCalls = max(u.LLMCalls, 1)
	if p, ok := (&Model{d: d, o: o}).price(); ok && u.CostUSD == 0 {
		u.CostUSD = cost(u.TokensIn, u.TokensOut, p)
	}
	return u
}

// Think takes the next turn of the script.
func (s *Script) Think(ctx context.Context, t port.TurnRequest, tell func(port.Progress)) (run.Turn, error) {
	if err := ctx.Err(); err != nil {
		return run.Turn{}, err
	}
	i, err := s.next(t)
	if err != nil {
		return run.Turn{}, err
	}
	next := &s.turns[i]
	if err := next.speak(ctx, tell); err != nil {
		return run.Turn{}, err
	}
	out := next.turn
	out.Calls = nil
	for _, c := range next.turn.Calls {
		// A repeated turn makes calls of its own.
		c.ID += "_" + strconv.Itoa(t.Turn)
		out.Calls = append(out.Calls, c)
	}
	return out, nil
}

// next finds the turn to take, by replaying all earlier ones.
func (s *Script) next(t port.TurnRequest) (int, error) {
	taken, plain, at := make([]bool, len(s.turns)), 0, 0
	for n, e := range t.Entries {
		if e.Role != "assistant" {
			continue
		}
		if e.Name == t.Agent || e.Name == "" {
			i, err := s.choose(sight{t, n, t.Entries[at:n]}, taken, plain)
			if err != nil {
				return 0, err
			}
			plain = s.take(i, taken, plain)
		}
		at = n + 1
	}
	return s.choose(sight{t, len(t.Entries), t.Entries[at:]}, taken, plain)
}

// take marks a turn as taken; plain is the position of those without when.
func (s *Script) take(i int, taken []bool, plain int) int {
	taken[i] = true
	if s.turns[i].when == nil {
		return i + 1
	}
	return plain
}

// choose picks a turn for what is visible.
func (s *Script) choose(see sight, taken []bool, plain int) (int, error) {
	last := -1
	for i := range s.turns {
		t := &s.turns[i]
		if t.when == nil {
			last = i
			continue
		}
		if taken[i] {
			continue
		}
		ok, err := t.when.Test(see.look)
		switch {
		case err != nil:
			return 0, scriptFailed("invalid_when",
				fmt.Sprintf("the when of turn %d (%s) cannot be evaluated: %v", i+1, t.when, err))
		case ok:
			return i, nil
		}
	}
	for i := plain; i < len(s.turns); i++ {
		if s.turns[i].when == nil {
			return i, nil
		}
	}
	if last < 0 {
		return 0, scriptFailed("no_turn", "no turn of the script matches, and each has a when: add one without")
	}
	return last, nil
}

// sight is what a turn's when can see: entries are those since the previous turn, and they end at to in the
// conversation.
type sight struct {
	t       port.TurnRequest
	to      int
	entries []run.Entry
}

func (s sight) look(root string) (json.RawMessage, bool) {
	switch root {
	case "said":
		return s.words("user"), true
	case "messages":
		return s.words("agent"), true
	case "notes":
		return s.words("note"), true
	case "results", "errors":
		return s.byTool(root == "errors"), true
	case "guidance":
		var all []json.RawMessage
		for _, g := range s.t.Guidance {
			all = append(all, value.Quote(g))
		}
		return value.Array(all...), true
	case "turn":
		turns := 1
		for _, e := range s.t.Entries[:s.to] {
			if e.Role == "assistant" {
				turns++
			}
		}
		return json.RawMessage(strconv.Itoa(turns)), true
	case "input":
		return s.t.Input, true
	}
	return value.Get(s.t.Input, root)
}

func (s sight) words(role string) json.RawMessage {
	var all []string
	for _, e := range s.entries {
		if e.Role == role {
			all = append(all, e.Text)
		}
	}
	return value.Quote(strings.Join(all, "\n"))
}

// byTool is the result or error of the newest calls of each tool.
func (s sight) byTool(failed bool) json.RawMessage {
	found, of := map[string]json.RawMessage{}, map[string]int{}
	turns := 0
	for _, e := range s.t.Entries[:s.to] {
		if e.Role == "assistant" {
			turns++
		}
		if e.Role != "tool" {
			continue
		}
		if of[e.Name] != turns { // the tool was called again
			of[e.Name] = turns
			delete(found, e.Name)
		}
		switch {
		case e.Failed != failed:
		case failed:
			found[e.Name] = value.Quote(e.Text)
		case len(e.Output) > 0:
			found[e.Name] = e.Output
		}
	}
	var members []value.Member
	for _, tool := range slices.Sorted(maps.Keys(found)) {
		members = append(members, value.Member{Key: tool, Value: found[tool]})
	}
	return value.Object(members...)
}

// speak waits for the delay and sends the words in the meantime, one after the other as models do.
func (t *scriptTurn) speak(ctx context.Context, tell func(port.Progress)) error {
	if tell == nil {
		tell = func(port.Progress) {}
	}
	pieces := []string{t.turn.Text}
	if t.delay > 0 {
		pieces = strings.SplitAfter(t.turn.Text, " ")
	}
	pace := t.delay / time.Duration(len(pieces))
	for _, p := range pieces {
		if pace > 0 {
			timer := time.NewTimer(pace)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return ctx.Err()
			}
		}
		if p != "" {
			tell(port.Progress{Text: p})
		}
	}
	return nil
}

func scriptFailed(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}
