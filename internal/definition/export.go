package definition

import (
	"encoding/json"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition/tree"
)

// order is the layout of documents: kind, connection, purpose, long parts last. Keys that are not listed follow in
// the order of their types.
var order = map[Kind][]string{
	KindWorkflow: {"workflow", "description", "subject", "owner_only", "input", "output", "timeout", "stop_on_error",
		"confidence_threshold", "loops", "snapshots", "speculate", "notify", "labels", "sensitive", "steps", "gates"},
	KindAgent: {
		"agent", "kind", "url", "headers", "command", "env", "server", "tool", "provider", "base_url", "model", "api_key",
		"temperature", "max_tokens", "timeout",
		"description", "capabilities", "system", "tools", "milestones", "call_confidence", "input", "output",
		"confidence_threshold", "queue", "autonomy", "tool_risk", "limits", "lessons", "notify", "sample",
		"answers", "files", "turns",
	},
	KindTool: {"tool", "kind", "builtin", "url", "headers", "command", "env", "description", "args", "output", "risk",
		"operation", "describe", "if_denied", "cost_usd", "timeout", "sample"},
	KindChannel: {"channel", "kind", "description", "smtp", "password", "from", "token", "signing_secret", "url", "to"},
}

// money are amounts that are strings in JSON and numbers in files; * is any key or index.
var money = map[Kind][][]string{
	KindAgent:  {{"limits", "cost_usd"}, {"answers", "*", "usage", "cost_usd"}, {"turns", "*", "usage", "cost_usd"}},
	KindTool:   {{"cost_usd"}},
	KindPrices: {{"prices", "*", "in_usd_per_mtok"}, {"prices", "*", "out_usd_per_mtok"}},
}

// toJSON writes a document's form in the order of its kind.
func toJSON(k Kind, form any) json.RawMessage {
	raw, err := value.Marshal(form)
	if err != nil {
		return json.RawMessage("null") // a program supplied invalid JSON
	}
	rank := func(key string) int {
		if i := slices.Index(order[k], key); i >= 0 {
			return i
		}
		return len(order[k])
	}
	var members []value.Member
	for key, val := range value.Members(raw) {
		members = append(members, value.Member{Key: key, Value: val})
	}
	slices.SortStableFunc(members, func(a, b value.Member) int { return rank(a.Key) - rank(b.Key) })
	return value.Object(members...)
}

// toYAML writes a document as a file.
func toYAML(k Kind, raw json.RawMessage) []byte {
	for _, path := range money[k] {
		raw = asNumber(raw, path)
	}
	return tree.WriteYAML(raw)
}

// asNumber turns the strings at a path into numbers.
func asNumber(raw json.RawMessage, path []string) json.RawMessage {
	if len(path) == 0 {
		if text, ok := value.Text(raw); ok && value.KindOf([]byte(text)) == value.Number && value.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		return raw
	}
	switch value.KindOf(raw) {
	case value.KindObject:
		var members []value.Member
		for key, val := range value.Members(raw) {
			if path[0] == "*" || path[0] == key {
				val = asNumber(val, path[1:])
			}
			members = append(members, value.Member{Key: key, Value: val})
		}
		return value.Object(members...)
	case value.KindArray:
		items := value.Elements(raw)
		if path[0] == "*" {
			for i := range items {
				items[i] = asNumber(items[i], path[1:])
			}
		}
		return value.Array(items...)
	}
	return raw
}

func (w *Workflow) JSON() json.RawMessage      { return toJSON(KindWorkflow, w.form()) }
func (a *Agent) JSON() json.RawMessage         { return toJSON(KindAgent, a.form()) }
func (t *Tool) JSON() json.RawMessage          { return toJSON(KindTool, t.form()) }
func (m *MCPServer) JSON() json.RawMessage     { return toJSON(KindMCPServer, *m) }
func (p *Policy) JSON() json.RawMessage        { return toJSON(KindPolicy, p.Document) }
func (r *Role) JSON() json.RawMessage          { return toJSON(KindRole, *r) }
func (p *Prices) JSON() json.RawMessage        { return toJSON(KindPrices, *p) }
func (s *Schedule) JSON() json.RawMessage      { return toJSON(KindSchedule, *s) }
func (c *Channel) JSON() json.RawMessage       { return toJSON(KindChannel, c.form()) }
func (n *Notifications) JSON() json.RawMessage { return toJSON(KindNotifications, *n) }

func (w *Workflow) YAML() []byte      { return toYAML(KindWorkflow, w.JSON()) }
func (a *Agent) YAML() []byte         { return toYAML(KindAgent, a.JSON()) }
func (t *Tool) YAML() []byte          { return toYAML(KindTool, t.JSON()) }
func (m *MCPServer) YAML() []byte     { return toYAML(KindMCPServer, m.JSON()) }
func (p *Policy) YAML() []byte        { return toYAML(KindPolicy, p.JSON()) }
func (r *Role) YAML() []byte          { return toYAML(KindRole, r.JSON()) }
func (p *Prices) YAML() []byte        { return toYAML(KindPrices, p.JSON()) }
func (s *Schedule) YAML() []byte      { return toYAML(KindSchedule, s.JSON()) }
func (c *Channel) YAML() []byte       { return toYAML(KindChannel, c.JSON()) }
func (n *Notifications) YAML() []byte { return toYAML(KindNotifications, n.JSON()) }

func (w *Workflow) JSONWithSecrets() json.RawMessage      { return w.JSON() }
func (a *Agent) JSONWithSecrets() json.RawMessage         { return a.revealed().JSON() }
func (t *Tool) JSONWithSecrets() json.RawMessage          { return t.revealed().JSON() }
func (m *MCPServer) JSONWithSecrets() json.RawMessage     { return m.revealed().JSON() }
func (p *Policy) JSONWithSecrets() json.RawMessage        { return p.JSON() }
func (r *Role) JSONWithSecrets() json.RawMessage          { return r.JSON() }
func (p *Prices) JSONWithSecrets() json.RawMessage        { return p.JSON() }
func (s *Schedule) JSONWithSecrets() json.RawMessage      { return s.JSON() }
func (c *Channel) JSONWithSecrets() json.RawMessage       { return c.revealed().JSON() }
func (n *Notifications) JSONWithSecrets() json.RawMessage { return n.JSON() }

func (w *Workflow) YAMLWithSecrets() []byte         { return w.YAML() }
func (a *Agent) YAMLWithSecrets() []byte            { return a.revealed().YAML() }
func (t *Tool) YAMLWithSecrets() []byte             { return t.revealed().YAML() }
func (m *MCPServer) YAMLWithSecrets() []byte        { return m.revealed().YAML() }
func (p *Policy) YAMLWithSecrets() []byte           { return p.YAML() }
func (r *Role) YAMLWithSecrets() []byte             { return r.YAML() }
func (p *Prices) YAMLWithSecrets() []byte           { return p.YAML() }
func (s *Schedule) YAMLWithSecrets() []byte         { return s.YAML() }
func (c *Channel) YAMLWithSecrets() []byte          { return c.revealed().YAML() }
func (n *Notifications) YAMLWithSecrets() []byte    { return n.YAML() }
func (t *Trigger) JSON() json.RawMessage            { return toJSON(KindTrigger, *t) }
func (t *Trigger) YAML() []byte                     { return toYAML(KindTrigger, t.JSON()) }
func (t *Trigger) JSONWithSecrets() json.RawMessage { return t.revealed().JSON() }
func (t *Trigger) YAMLWithSecrets() []byte          { return t.revealed().YAML() }

// form is the workflow as written in a file. A program may express that a step needs nothing by an empty list,
// which must not become a missing list: that would mean the previous step.
func (w *Workflow) form() plan.Workflow {
	out := w.Workflow
	for i := range out.Steps {
		if needs := out.Steps[i].Needs; needs != nil && *needs == nil {
			out.Steps = slices.Clone(out.Steps)
			out.Steps[i].Needs = &[]string{}
		}
	}
	return out
}

// revealed is a copy with its secrets in plain text.
func (a *Agent) revealed() *Agent {
	out := new(*a)
	if a.HTTP != nil {
		out.HTTP = &HTTP{a.HTTP.URL, openAll(a.HTTP.Headers)}
	}
	if a.Command != nil {
		out.Command = &Process{a.Command.Argv, openAll(a.Command.Env)}
	}
	if a.LLM != nil {
		out.LLM = new(*a.LLM)
		out.LLM.APIKey, out.LLM.Headers = a.LLM.APIKey.opened(), openAll(a.LLM.Headers)
	}
	return out
}

// revealed is a copy with its secrets in plain text.
func (t *Tool) revealed() *Tool {
	out := new(*t)
	if t.HTTP != nil {
		out.HTTP = &HTTP{t.HTTP.URL, openAll(t.HTTP.Headers)}
	}
	if t.Command != nil {
		out.Command = &Process{t.Command.Argv, openAll(t.Command.Env)}
	}
	return out
}

// revealed is a copy with its secrets in plain text.
func (m *MCPServer) revealed() *MCPServer {
	out := new(*m)
	out.Headers, out.Env = openAll(m.Headers), openAll(m.Env)
	return out
}
