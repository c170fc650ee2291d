package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/template"
)

func (c *checker) agent(a *Agent) {
	c.notify(a.Place, "notify", a.Notify)
	c.add(a.Place.locateAll(plan.CheckAgent(&a.Agent))...)
	if err := CheckQueue(a.Queue); a.Queue != "" && err != nil {
		c.add(a.Place.bad("queue", "%v", err))
	}
	if a.Kind != plan.AgentLLM {
		c.onlyForLLM(a, "autonomy", a.Autonomy != "")
		c.onlyForLLM(a, "tool_risk", a.ToolRisk != nil)
		c.onlyForLLM(a, "limits", a.Limits != nil)
		c.onlyForLLM(a, "hand_off", a.HandOff != nil)
	}
	switch a.Kind {
	case plan.AgentScripted:
		c.scripted(a, orEmpty(a.Scripted))
	case plan.AgentHTTP:
		c.http(a.Place, orEmpty(a.HTTP))
	case plan.AgentCommand:
		c.process(a.Place, orEmpty(a.Command))
	case plan.AgentLLM:
		c.llm(a, orEmpty(a.LLM))
	case plan.AgentMCP:
		c.mcp(a, orEmpty(a.MCP))
	}
}

// CheckQueue returns what is wrong with the name of a queue. A queue is part of names in other programs.
func CheckQueue(name string) error {
	switch {
	case name == "":
		return errors.New("a queue has no name: use letters, digits, - _ . (at most 64)")
	case !nameLike().MatchString(name):
		return fmt.Errorf("%q is not the name of a queue: use letters, digits, - _ . (at most 64)", clip(name))
	}
	return nil
}

// orEmpty replaces the part of a kind that a program left out.
func orEmpty[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

func (c *checker) onlyForLLM(a *Agent, key string, given bool) {
	if given {
		c.add(a.Place.warn(key, "%s has no effect on agents of kind %s: it is for llm", key, a.Kind))
	}
}

func (c *checker) scripted(a *Agent, s *Scripted) {
	if len(s.Answers) == 0 {
		c.add(a.Place.bad("answers", "at least one answer is required, such as { output: { done: true } }"))
	}
	out, _ := schema.Compile(a.Output) // an invalid schema is reported elsewhere
	for i, answer := range s.Answers {
		at := fmt.Sprintf("answers[%d]", i)
		if answer.Match != "" {
			if _, err := expr.Compile(answer.Match); err != nil {
				c.add(a.Place.locate(exactly(fault.Problem{Path: at + ".match", Message: err.Error()}, answer.Match)))
			}
		}
		if answer.Delay < 0 {
			c.add(a.Place.bad(at+".delay", "%s is negative", answer.Delay))
		}
		if f := answer.Confidence; f != nil && !(*f >= 0 && *f <= 1) {
			c.add(a.Place.bad(at+".confidence", "%v is not between 0 and 1", *f))
		}
		switch {
		case answer.Fail != "" && len(answer.Output) > 0:
			c.add(a.Place.bad(at+".fail", "an answer either fails or has an output"))
		case answer.Fail == "" && answer.Transient:
			c.add(a.Place.warn(at+".transient", "transient has no effect without fail"))
		case answer.Fail == "" && len(answer.Output) > 0:
			for _, p := range out.Validate(answer.Output) {
				c.add(a.Place.warn(at+".output", "the output does not match the output schema: %s", p))
			}
		}
		for k, d := range answer.Deliverables {
			c.deliverable(a.Place, fmt.Sprintf("%s.deliverables[%d]", at, k), d)
		}
	}
}

// Allowed values for deliverables.
var (
	deliverableTypes    = []string{"document", "code", "data", "media", "other"}
	deliverableStatuses = []string{"draft", "final", "archived"}
)

func (c *checker) deliverable(place Place, at string, d Deliverable) {
	given := 0
	for _, s := range []string{d.Content, d.ContentBase64, d.URL} {
		if s != "" {
			given++
		}
	}
	if d.Name == "" {
		c.add(place.bad(at+".name", "the name is missing"))
	}
	if given > 1 {
		c.add(place.bad(at, "a deliverable has one of content, content_base64 or url, not %d of them", given))
	}
	c.word(place, at+".type", d.Type, deliverableTypes)
	c.word(place, at+".status", d.Status, deliverableStatuses)
}

// word accepts one of the words, or nothing.
func (c *checker) word(place Place, path, word string, words []string) {
	if why := unknownWord(word, words); word != "" && why != "" {
		c.add(place.bad(path, "%s", why))
	}
}

func (c *checker) llm(a *Agent, l *LLM) {
	if l.Provider == "" {
		c.add(a.Place.bad("provider", "the provider is missing: use %s", phrase.Or(Providers)))
	}
	c.word(a.Place, "provider", string(l.Provider), texts(Providers))
	c.script(a, l)
	c.files(a, l.Files)
	if l.Model == "" && l.Provider != Script {
		c.add(a.Place.bad("model", "the model is missing"))
	}
	if l.BaseURL != "" {
		c.url(a.Place, "base_url", l.BaseURL)
	}
	if !l.APIKey.IsZero() && len(l.APIKey.References()) == 0 {
		c.add(a.Place.warn("api_key", "this is the key itself: store it elsewhere and refer to it with "+
			"${env:NAME} or ${file:PATH}"))
	}
	if t := l.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		c.add(a.Place.bad("temperature", "%v is not between 0 and 2", *t))
	}
	if l.MaxTokens < 0 {
		c.add(a.Place.bad("max_tokens", "%d is negative", l.MaxTokens))
	}
	c.headers(a.Place, l.Headers)
	c.plainText(a.Place, "model", l.Model)
	c.plainText(a.Place, "base_url", l.BaseURL)
	c.toolNames(a, l.Tools)
	c.toolRisk(a, l.Tools)
	c.handOff(a)
}

// toolNames checks the tools that an agent names. The tools of an MCP server are known only when it runs.
func (c *checker) toolNames(a *Agent, tools []string) {
	if n := len(tools); n > ToolsMax {
		c.add(a.Place.bad("tools", "%d tools are too many: at most %d", n, ToolsMax))
		return
	}
	for i, name := range tools {
		at := fmt.Sprintf("tools[%d]", i)
		server, isMCP := strings.CutPrefix(name, "mcp:")
		if isMCP {
			server, tool, _ := strings.Cut(server, "/")
			if server == "" || tool == "" {
				c.add(a.Place.bad(at, "%q is not a tool of a server: write mcp:SERVER/TOOL, or mcp:SERVER/* for all", clip(name)))
			} else if _, ok := slices.BinarySearch(c.servers, server); !ok {
				c.add(a.Place.warn(at, "unknown mcp_server %q%s", clip(server), c.didYouMean(server, c.servers)))
			}
		} else if _, ok := slices.BinarySearch(c.tools, name); !ok {
			c.add(a.Place.bad(at, "unknown tool %q%s", clip(name), c.didYouMean(name, c.tools)))
		}
		if slices.Contains(tools[:i], name) {
			c.add(a.Place.warn(at, "%q is listed twice", clip(name)))
		}
	}
}

// didYouMean suggests names up to a total cost: a document full of typos is not worth more.
func (c *checker) didYouMean(name string, known []string) string {
	if c.looked += len(known); c.looked > lookedMax {
		return ""
	}
	return DidYouMean(name, known)
}

const lookedMax = 1_000_000

func (c *checker) mcp(a *Agent, m *MCP) {
	if m.Server == "" {
		c.add(a.Place.bad("server", "name the mcp_server"))
	} else if _, ok := slices.BinarySearch(c.servers, m.Server); !ok {
		c.add(a.Place.bad("server", "unknown mcp_server %q%s", clip(m.Server), c.didYouMean(m.Server, c.servers)))
	}
	if m.Tool == "" {
		c.add(a.Place.bad("tool", "name the tool of the server to call"))
	}
}

// template checks a text about a call that is filled in from its arguments.
func (c *checker) template(p Place, key, text string) {
	if len(text) > DescribeMax {
		c.add(p.bad(key, "it has %d characters; the maximum is %d", len(text), DescribeMax))
	} else if _, err := template.Parse(text); err != nil {
		c.add(p.bad(key, "this is not a template such as Look up {{.id}}: %v", err))
	}
}

func (c *checker) tool(t *Tool) {
	c.schema(t.Place, "args", t.Args)
	c.schema(t.Place, "output", t.Output)
	if t.Risk != "" {
		c.word(t.Place, "risk", string(t.Risk), texts(risk.Classes))
	}
	c.template(t.Place, "describe", t.Describe)
	c.template(t.Place, "if_denied", t.IfDenied)
	c.timeout(t.Place, t.Timeout)
	c.criticalFor(t)
	c.word(t.Place, "effects", t.Effects, []string{plan.EffectsNone})
	c.reversible(t.Place, "reversible_by", t.ReversibleBy, t.Name, t.Operation)
	c.word(t.Place, "kind", string(t.Kind), texts(ToolKinds))
	switch t.Kind {
	case ToolHTTP:
		c.http(t.Place, orEmpty(t.HTTP))
	case ToolCommand:
		c.process(t.Place, orEmpty(t.Command))
	case ToolBuiltin:
		c.builtin(t)
	}
}

// schema reports the problems of a schema, as package plan does.
func (c *checker) schema(place Place, key string, raw json.RawMessage) {
	_, err := schema.Compile(raw)
	var f *fault.Error
	if !errors.As(err, &f) {
		return
	}
	for _, p := range f.Problems {
		if p.Path != "" {
			p.Message = p.Path + ": " + p.Message
		}
		p.Path = key
		c.add(place.locate(p))
	}
}

func (c *checker) mcpServer(m *MCPServer) {
	switch {
	case len(m.Command) == 0 && m.URL == "":
		c.add(m.Place.bad("command", "the server cannot be reached: add a command or a url"))
	case len(m.Command) > 0 && m.URL != "":
		c.add(m.Place.bad("url", "a server has a command or a url, not both"))
	case m.URL != "":
		c.http(m.Place, &HTTP{m.URL, m.Headers})
	default:
		c.process(m.Place, &Process{m.Command, m.Env})
	}
	if m.URL == "" && m.Headers != nil {
		c.add(m.Place.warn("headers", "headers have no effect without a url"))
	}
	if m.URL != "" && m.Env != nil {
		c.add(m.Place.warn("env", "env has no effect without a command"))
	}
	c.timeout(m.Place, m.Timeout)
}

func (c *checker) role(r *Role) {
	if r.Name == gate.RoleAdmin {
		c.add(r.Place.bad("role", "admin is built in, may do everything and cannot be changed: give the role another name"))
	}
	kinds := append(slices.Clone(gate.Kinds), "*")
	for i, k := range r.Kinds {
		at := fmt.Sprintf("kinds[%d]", i)
		if k == "decision" {
			c.add(r.Place.bad(at, `"decision" is called choice here`))
		} else if why := unknownWord(k, kinds); why != "" {
			c.add(r.Place.bad(at, "%s", why))
		}
	}
	for i, p := range r.Permissions {
		if _, ok := seedPermissions[p]; !ok {
			c.word(r.Place, fmt.Sprintf("permissions[%d]", i), p, Permissions)
		}
	}
	for i, other := range r.CanActAs {
		if other == r.Name {
			c.add(r.Place.warn(fmt.Sprintf("can_act_as[%d]", i), "every role can act as itself: leave it out"))
		}
	}
}

func (c *checker) http(place Place, h *HTTP) {
	if h.URL == "" {
		c.add(place.bad("url", "the url is missing"))
	} else {
		c.url(place, "url", h.URL)
	}
	c.plainText(place, "url", h.URL)
	c.headers(place, h.Headers)
}

func (c *checker) url(place Place, path, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		c.add(place.bad(path, "this is not a URL: write http://HOST/PATH or https://HOST/PATH"))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		c.add(place.bad(path, "%q is not a URL: write http://HOST/PATH or https://HOST/PATH", clip(u.Redacted())))
	case u.User != nil:
		c.add(place.bad(path, "a password in a URL is visible to everyone: remove it, and use headers or a secret"))
	}
}

func (c *checker) headers(place Place, headers map[string]Secret) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if !headerName(name) {
			c.add(place.bad("headers."+name, "%q is not a valid header name", clip(name)))
		}
	}
}

func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name,
		func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) })
}

func (c *checker) process(place Place, p *Process) {
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		c.add(place.bad("command", "the command is missing: write [PROGRAM, ARGUMENT, …]"))
	}
	for i, word := range p.Argv {
		c.plainText(place, fmt.Sprintf("command[%d]", i), word)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			c.add(place.bad("env."+name, "%q is not a valid name of an environment variable", clip(name)))
		}
	}
}

// plainText warns of references where no secret is expected: they would be used literally.
func (c *checker) plainText(place Place, path, text string) {
	if strings.Contains(text, "${env:") || strings.Contains(text, "${file:") {
		c.add(place.warn(path, "references are looked up in api_key, headers and env only: here the text "+
			"is used literally"))
	}
}

func (c *checker) timeout(place Place, d *quantity.Duration) {
	if d != nil && *d < 0 {
		c.add(place.bad("timeout", "%s is negative", d))
	}
}
