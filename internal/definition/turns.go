package definition

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// script checks the turns of a scripted model, and that other models have none.
func (c *checker) script(a *Agent, l *LLM) {
	if l.Provider != Script {
		if len(l.Turns) > 0 {
			c.add(a.Place.warn("turns", "turns have no effect with the provider %s: they are for scripted", l.Provider))
		}
		return
	}
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"base_url", l.BaseURL != ""}, {"api_key", !l.APIKey.IsZero()}, {"headers", l.Headers != nil},
		{"temperature", l.Temperature != nil}, {"max_tokens", l.MaxTokens != 0},
	} {
		if k.given {
			c.add(a.Place.warn(k.name, "the provider scripted calls no model: remove it"))
		}
	}
	switch n := len(l.Turns); {
	case n == 0:
		c.add(a.Place.bad("turns", "at least one turn is required, such as { say: Done. }"))
	case n > TurnsMax:
		c.add(a.Place.bad("turns", "%d turns are too many: at most %d", n, TurnsMax))
		return
	}
	out, _ := schema.Compile(a.Output) // an invalid schema is reported elsewhere
	for i := range l.Turns {
		c.turn(a, l, out, i)
	}
}

func (c *checker) turn(a *Agent, l *LLM, out *schema.Schema, i int) {
	t, at := &l.Turns[i], fmt.Sprintf("turns[%d]", i)
	if t.When != "" {
		if _, err := expr.Compile(t.When); err != nil {
			c.add(a.Place.locate(exactly(fault.Problem{Path: at + ".when", Message: err.Error()}, t.When)))
		}
	}
	if t.Delay < 0 {
		c.add(a.Place.bad(at+".delay", "%s is negative", t.Delay))
	}
	if f := t.Confidence; f != nil && !(*f >= 0 && *f <= 1) {
		c.add(a.Place.bad(at+".confidence", "%v is not between 0 and 1", *f))
	}
	switch {
	case t.Say == "" && len(t.Calls) == 0 && len(t.Answer) == 0:
		c.add(a.Place.bad(at, "the turn is empty: add say, calls or answer"))
	case len(t.Calls) > 0 && len(t.Answer) > 0:
		c.add(a.Place.bad(at+".answer", "a turn either calls tools or answers"))
	case len(t.Calls) > run.CallsMax:
		c.add(a.Place.bad(at+".calls", "%d calls are too many for one turn: at most %d", len(t.Calls), run.CallsMax))
		return
	case len(t.Calls) > 0 && (t.Confidence != nil || t.Reasoning != ""):
		c.add(a.Place.warn(at, "confidence and reasoning have no effect in a turn that calls tools"))
	case len(t.Answer) > 0:
		for _, p := range out.Validate(t.Answer) {
			c.add(a.Place.warn(at+".answer", "the answer does not match the output schema: %s", p))
		}
	}
	for k, call := range t.Calls {
		c.turnCall(a, l, fmt.Sprintf("%s.calls[%d]", at, k), call)
	}
}

// turnCall checks a call as far as the tool is known here.
func (c *checker) turnCall(a *Agent, l *LLM, at string, call TurnCall) {
	switch {
	case call.Tool == "":
		c.add(a.Place.bad(at+".tool", "name the tool to call"))
	case call.Tool == run.ToolReadValue, call.Tool == run.ToolFindTools: // of an agent in the loop
	case !offers(l.Tools, call.Tool):
		c.add(a.Place.bad(at+".tool", "the agent has no tool %q%s", clip(call.Tool), c.didYouMean(call.Tool, l.Tools)))
	}
	switch value.KindOf(call.Args) {
	case value.KindObject:
		c.turnArgs(a, at, call)
	case value.Missing:
	default:
		c.add(a.Place.bad(at+".args", "arguments are a mapping of names to values"))
	}
}

// turnArgs warns of arguments that the tool will refuse: the agent receives the refusal, which is rarely what a
// script intends.
func (c *checker) turnArgs(a *Agent, at string, call TurnCall) {
	t, ok := c.set.Tools[call.Tool]
	if !ok {
		t, ok = c.known.Tools[call.Tool]
	}
	if !ok {
		return
	}
	takes, err := schema.Compile(t.Args)
	if err != nil {
		return // reported at the tool
	}
	for _, p := range takes.Validate(call.Args) {
		c.add(a.Place.warn(at+".args", "the arguments do not match those of %s: %s", call.Tool, p))
	}
}

// offers reports whether an agent with these tools may call one.
func offers(tools []string, name string) bool {
	server, _, isMCP := strings.Cut(name, "/")
	return slices.Contains(tools, name) || isMCP && slices.Contains(tools, server+"/*")
}

// files checks the paths of files that an agent provides.
func (c *checker) files(a *Agent, files map[string]string) {
	if n := len(files); n > AgentFilesMax {
		c.add(a.Place.bad("files", "%d files are too many: at most %d", n, AgentFilesMax))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !localPath(name) {
			c.add(a.Place.bad("files", "%q is not a path inside the workspace: write it like data/sales.csv", clip(name)))
			continue
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, both := files[dir]; both {
				c.add(a.Place.bad("files", "%q is a file, so %q cannot be in it", clip(dir), clip(name)))
			}
		}
	}
}

// localPath accepts paths that mean the same on every system and stay inside the folder.
func localPath(p string) bool {
	return p != "" && p != "." && len(p) <= 200 && !strings.ContainsAny(p, "\x00\\:") && !path.IsAbs(p) &&
		path.Clean(p) == p && p != ".." && !strings.HasPrefix(p, "../") && strings.Count(p, "/") < 10
}

// builtin finds the tool that does the work of one under another name. The engine knows its own tools by name
// only.
func (c *checker) builtin(t *Tool) {
	if t.Builtin == "" {
		return
	}
	if slices.Contains(run.OwnTools, t.Builtin) {
		c.add(t.Place.bad("builtin", "%s is carried out by the engine, under its own name only", t.Builtin))
	} else if _, ok := slices.BinarySearch(c.tools, t.Builtin); !ok {
		c.add(t.Place.bad("builtin", "unknown built-in tool %q%s", clip(t.Builtin), c.didYouMean(t.Builtin, c.tools)))
	}
}
