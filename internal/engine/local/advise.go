package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// The agent in the loop. An agent of any kind but llm gets everything at once and answers. A language model
// gets as much as fits, and reads the rest in turns of its own; each turn is reported before the next one, so
// that a crash repeats none that was recorded. Its own tools are not offered: it advises, it does not act.

// advising prepares one attempt. What the agent may see is captured now, while the state is loaded.
func (e *Engine) advising(r *one, key run.Key, do run.Advise) func(context.Context) run.Operation {
	sight, llm := r.s.SightOf(do), r.s.Plan().Definition.Agents[do.Agent].Kind == plan.AgentLLM
	return func(ctx context.Context) run.Operation {
		ctx, cancel := e.until(ctx, do.Deadline)
		defer cancel()
		if llm {
			return e.adviseByModel(ctx, key, do, sight)
		}
		return e.advise(ctx, key, do, sight)
	}
}

// adviceStep is the step that the agent in the loop works on, as far as it can see.
const adviceStep = "loops.agent"

// advise asks an agent that is not a language model.
func (e *Engine) advise(ctx context.Context, key run.Key, do run.Advise, sight machine.Sight) run.Operation {
	agent, ok := e.Agent(do.Agent)
	if !ok {
		return run.Fail{Key: key, Failure: run.Failure{Message: fmt.Sprintf("agent %q is not registered here", do.Agent)}}
	}
	w := port.Work{Run: key.Run, Step: adviceStep, Try: do.Try, Key: key.Work(), Input: sight.Whole()}
	result, err := agent.Invoke(ctx, w, e.telling(w))
	switch {
	case err != nil && ours(ctx, err):
		return nil // it stays owed
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	return answered(key, do, result.Output, "", result.Usage)
}

// adviseByModel asks a language model for its next turn: an answer, or something to look up.
func (e *Engine) adviseByModel(ctx context.Context, key run.Key, do run.Advise, sight machine.Sight) run.Operation {
	if e.LLMAgent == nil {
		return run.Fail{Key: key, Failure: run.Failure{Code: "unsupported",
			Message: "language models are not available here"}}
	}
	llm, err := e.LLMAgent(do.Agent)
	if err != nil {
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	}
	t := port.TurnRequest{Run: key.Run, Step: adviceStep, Agent: do.Agent, Turn: do.Turn + 1, Try: do.Try, Key: key.Work(),
		Input: sight.Cut(), Entries: do.Entries, Tools: readingTools(e.Search != nil), Output: answerSchema(do)}
	turn, err := llm.Model.Think(ctx, t, e.telling(port.Work{Run: t.Run, Step: t.Step, Try: t.Try, Key: t.Key}))
	switch {
	case err != nil && ours(ctx, err):
		return nil // it stays owed
	case err != nil:
		return run.Fail{Key: key, Failure: port.FailureOf(err)}
	case len(turn.Calls) == 0:
		return answered(key, do, turn.Output, turn.Text, turn.Usage)
	}
	read := run.ReadForConsult{Key: key, Text: turn.Text, Usage: turn.Usage}
	whole, cancel := finishing(ctx)
	defer cancel()
	for _, c := range turn.Calls {
		if len(read.Reads) == readsMax {
			break
		}
		args, err := value.Strict(c.Args)
		if err != nil {
			args = json.RawMessage("{}")
		}
		read.Reads = append(read.Reads, run.ReadCall{ID: c.ID, Tool: c.Tool, Args: args,
			Output: e.lookUp(whole, c.Tool, args, err, sight)})
	}
	return read
}

// readsMax limits how much a model looks up in one turn.
const readsMax = 8

func answerSchema(do run.Advise) json.RawMessage {
	if do.For == run.ForSummary {
		return run.SummarySchema
	}
	return run.AdviceSchema
}

// answered checks an answer against its schema.
func answered(key run.Key, do run.Advise, out json.RawMessage, text string, used run.Usage) run.Operation {
	bad := func(why string) run.Operation {
		if text == "" {
			text = string(out)
		}
		return run.Fail{Key: key, Failure: run.Failure{Code: run.CodeInvalidAnswer, Message: why, Usage: used,
			Body: strings.ToValidUTF8(text[:min(len(text), answerShown)], "")}}
	}
	doc, err := value.Strict(out)
	if err != nil {
		return bad("the answer is not a JSON object: " + err.Error())
	}
	compiled, err := schema.Compile(answerSchema(do))
	if err != nil {
		return run.Fail{Key: key, Failure: run.Failure{Message: err.Error()}}
	}
	if ps := compiled.Validate(doc); len(ps) > 0 {
		return bad(fault.Of("the answer does not match its schema", ps).Error())
	}
	if member := run.Commanding(doc); member != "" && do.For != run.ForSummary {
		return bad(fmt.Sprintf("%q is a command, and advice has none: answer with action, requirement and reasoning only; "+
			"for new steps, with replan and a requirement", phrase.Clip(member, 40)))
	}
	var answer struct {
		run.AdviceRaw
		Summary string `json:"summary"`
	}
	if err := json.Unmarshal(doc, &answer); err != nil {
		return bad("the answer is not right: " + err.Error())
	}
	answer.AdviceRaw.Usage = used
	return run.AnswerConsult{Key: key, Advice: answer.AdviceRaw, Summary: answer.Summary}
}

// answerShown limits how much of an unusable answer a model is shown again.
const answerShown = 4 << 10

// readingTools are the tools of a model in the loop.
func readingTools(search bool) []port.ToolInfo {
	out := []port.ToolInfo{{Name: run.ToolReadValue,
		Description: "Reads a value of the run that was too long to be shown: one with $cut. Without from it starts at the " +
			"beginning; next in the result is where to continue.",
		Args: json.RawMessage(`{"type":"object","required":["of"],"properties":{"of":{"type":"string","description":` +
			`"The name of the value, such as steps.parse.output."},"from":{"type":"integer","minimum":0}}}`)}}
	if search {
		out = append(out, port.ToolInfo{Name: run.ToolFindTools,
			Description: "Searches the tools and agents that new steps could use. To add them, answer replan with a " +
				"requirement.",
			Args: json.RawMessage(`{"type":"object","required":["query"],"properties":{"query":{"type":"string",` +
				`"description":"What they should do, in plain words."}}}`)})
	}
	return out
}

// lookUp reads for a model. What it did wrong is an answer that it can learn from.
func (e *Engine) lookUp(ctx context.Context, tool string, raw json.RawMessage, err error,
	sight machine.Sight) json.RawMessage {
	failed := func(err error) json.RawMessage {
		return value.Object(value.Member{Key: "error", Value: value.Quote(err.Error())})
	}
	if err != nil {
		return failed(err)
	}
	var args struct {
		Of    string `json:"of"`
		From  int    `json:"from"`
		Query string `json:"query"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return failed(fmt.Errorf("the arguments are not right: %w", err))
	}
	switch {
	case tool == run.ToolReadValue:
		out, err := sight.Read(args.Of, args.From)
		if err != nil {
			return failed(err)
		}
		return out
	case tool == run.ToolFindTools && e.Search != nil:
		matches, notes := e.Search(ctx, args.Query, findMost)
		type found struct {
			Name        string  `json:"name"`
			Description string  `json:"description"`
			Score       float64 `json:"score"`
		}
		list := []found{}
		for _, m := range matches {
			list = append(list, found{Name: m.Name, Description: phrase.ClipBytes(m.Description, 300), Score: m.Score})
		}
		out, err := value.Marshal(struct {
			Found []found  `json:"found"`
			Notes []string `json:"notes,omitempty"`
		}{list, notes})
		if err != nil {
			return failed(err)
		}
		return out
	}
	return failed(fmt.Errorf("tool %q not found; answer with an action", tool))
}

// findMost limits the tools that one search of a model finds.
const findMost = 10
