package definition

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
)

// maker fills documents with whatever their types allow.
type maker struct {
	*rapid.T
	depth int
}

var pieces = []string{
	"a", "b c", " ", "\n", "\t", ":", ": ", "#", " #", "-", "- ", "?", "*", "&", "!", "'", "\"", "\\", "|", ">", "%", ",",
	"[", "]", "{", "}", "---", "<<",
	"0", "07", "1.5", "yes", "no", "null", "~", "true", "2026-01-01", "é", "😀", "\u2028", "\ufeff", "\x07", "line\nline\n",
}

func (m *maker) text() string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(m.T, "text"), "")
}

func (m *maker) name() string {
	return rapid.StringMatching(`[a-z][a-z0-9_.-]{0,20}`).Draw(m.T, "name")
}

func (m *maker) json(depth int) json.RawMessage {
	switch k := rapid.IntRange(0, 5).Draw(m.T, "json"); {
	case k == 0 && depth > 0:
		var items []json.RawMessage
		for range rapid.IntRange(0, 3).Draw(m.T, "items") {
			items = append(items, m.json(depth-1))
		}
		return value.Array(items...)
	case k == 1 && depth > 0:
		var members []value.Member
		for i := range rapid.IntRange(0, 3).Draw(m.T, "members") {
			members = append(members, value.Member{Key: m.text() + string(rune('a'+i)), Value: m.json(depth - 1)})
		}
		return value.Object(members...)
	case k == 2:
		return json.RawMessage(rapid.SampledFrom([]string{"0.10", "9007199254740993", "-0", "1E300", "true",
			"null"}).Draw(m.T, "literal"))
	}
	return value.Quote(m.text())
}

// fill sets a value to something of its type, or leaves it out.
func (m *maker) fill(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *json.RawMessage:
		if rapid.Bool().Draw(m.T, "given") {
			*p = m.json(3)
		}
		return
	case *quantity.Duration:
		*p = quantity.Duration(rapid.Int64Range(0, int64(1000*24*time.Hour)).Draw(m.T, "duration"))
		return
	case *quantity.Money:
		*p = quantity.Money(rapid.Int64Range(0, 1e15).Draw(m.T, "money"))
		return
	case *plan.Mapping:
		for i := range rapid.IntRange(0, 3).Draw(m.T, "fields") {
			*p = append(*p, plan.Field{Target: m.text() + string(rune('a'+i)), Source: m.text()})
		}
		return
	case *Secret:
		text := rapid.SampledFrom([]string{"", "x", "Bearer ", "\n"}).Draw(m.T, "before") +
			rapid.SampledFrom([]string{"", "${env:A}", "${file:/a b}", "$${"}).Draw(m.T, "secret")
		var err error
		if *p, err = ParseSecret(text); err != nil {
			m.Fatal(err)
		}
		return
	case *Place:
		return
	}
	m.fillKind(v)
}

func (m *maker) fillKind(v reflect.Value) {
	if m.depth++; m.depth > 12 {
		m.depth--
		return
	}
	defer func() { m.depth-- }()
	switch v.Kind() {
	case reflect.String:
		v.SetString(m.text())
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(m.T, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1000, 1000).Draw(m.T, "int"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(-1e9, 1e9).Draw(m.T, "float"))
	case reflect.Pointer:
		if rapid.Bool().Draw(m.T, "given") {
			v.Set(reflect.New(v.Type().Elem()))
			m.fill(v.Elem())
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 2).Draw(m.T, "length") {
			item := reflect.New(v.Type().Elem()).Elem()
			m.fill(item)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		out := reflect.MakeMap(v.Type())
		for range rapid.IntRange(0, 2).Draw(m.T, "size") {
			item := reflect.New(v.Type().Elem()).Elem()
			m.fill(item)
			out.SetMapIndex(reflect.ValueOf(m.text()), item)
		}
		if out.Len() > 0 {
			v.Set(out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				m.fill(v.Field(i))
			}
		}
	}
}

// document makes one of any kind.
func (m *maker) document() Document {
	switch rapid.IntRange(0, 6).Draw(m.T, "kind") {
	case 0:
		w := &Workflow{}
		m.fill(reflect.ValueOf(&w.Workflow).Elem())
		w.Name = m.name()
		return w
	case 1:
		return m.agent()
	case 2:
		t := &Tool{}
		m.fill(reflect.ValueOf(t).Elem())
		t.Name, t.HTTP, t.Command = m.name(), nil, nil
		switch t.Kind = rapid.SampledFrom(ToolKinds).Draw(m.T, "tool"); t.Kind {
		case ToolBuiltin:
			return t
		case ToolHTTP:
			t.HTTP = &HTTP{}
			m.fill(reflect.ValueOf(t.HTTP).Elem())
		case ToolCommand:
			t.Command = &Process{}
			m.fill(reflect.ValueOf(t.Command).Elem())
		}
		t.Builtin = ""
		return t
	case 3:
		s := &MCPServer{}
		m.fill(reflect.ValueOf(s).Elem())
		s.Name = m.name()
		return s
	case 4:
		p := &Policy{}
		m.fill(reflect.ValueOf(&p.Document).Elem())
		p.Name = m.name()
		for _, rules := range [][]policy.Rule{p.Rules, p.Checkpoints} {
			for i := range rules {
				m.settle(&rules[i].Trigger)
			}
		}
		if p.AutoApproval != nil {
			for i := range p.AutoApproval.Rules {
				m.settle(&p.AutoApproval.Rules[i].Conditions.Trigger)
			}
		}
		return p
	case 5:
		r := &Role{}
		m.fill(reflect.ValueOf(r).Elem())
		r.Name = m.name()
		return r
	}
	p := &Prices{Models: map[string]Price{}}
	m.fill(reflect.ValueOf(p).Elem())
	if len(p.Models) == 0 {
		p.Models = map[string]Price{"gpt": {}}
	}
	return p
}

// settle gives comparisons a value, which JSON cannot leave out.
func (m *maker) settle(t *policy.Trigger) {
	for _, fields := range []policy.Fields{t.DataThreshold, t.CustomField} {
		for i := range fields {
			fields[i].Value = m.json(1)
		}
	}
}

func (m *maker) agent() *Agent {
	a := &Agent{}
	m.fill(reflect.ValueOf(&a.Agent).Elem())
	m.fill(reflect.ValueOf(&a.Description).Elem())
	m.fill(reflect.ValueOf(&a.Capabilities).Elem())
	m.fill(reflect.ValueOf(&a.Notify).Elem())
	a.Name, a.Kind = m.name(), rapid.SampledFrom(plan.AgentKinds).Draw(m.T, "agent")
	switch a.Kind {
	case plan.AgentScripted:
		a.Scripted = &Scripted{}
		m.fill(reflect.ValueOf(a.Scripted).Elem())
	case plan.AgentHTTP:
		a.HTTP = &HTTP{}
		m.fill(reflect.ValueOf(a.HTTP).Elem())
	case plan.AgentCommand:
		a.Command = &Process{}
		m.fill(reflect.ValueOf(a.Command).Elem())
	case plan.AgentLLM:
		a.LLM = &LLM{}
		m.fill(reflect.ValueOf(a.LLM).Elem())
	case plan.AgentMCP:
		a.MCP = &MCP{}
		m.fill(reflect.ValueOf(a.MCP).Elem())
	}
	return a
}

// TestExportsAreReadAgain: Parse(export(x)) is x, for documents of all kinds
// with everything their types allow in them.
func TestExportsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{T: t}
		set := NewSet()
		for range 3 {
			set.Add(m.document())
		}
		sameAgain(t, set)
	})
}

// TestExportLooksLikeThis shows the layout: block style, the order of the
// contract, quotes where they are needed.
func TestExportLooksLikeThis(t *testing.T) {
	const want = `agent: researcher
kind: llm
headers:
  X-Team: "***"
provider: openai
model: gpt-4o
api_key: ${env:OPENAI_API_KEY}
timeout: 1m30s
description: "Note: reads the web"
system: |
  You are careful.

  Say "no" when unsure.
tools:
  - web_fetch
  - mcp:files/*
input:
  type: object
  properties:
    "yes":
      type: string
      default: "no"
autonomy: approve_high_risk
tool_risk:
  web_fetch: safe
limits:
  duration: 3d
  cost_usd: 0.25
  iterations: 500
`
	src := strings.NewReplacer(`"***"`, "blue", "3d", "72h", `"no" when`, `"no" when`).Replace(want)
	doc, problems := ParseDocument(YAML, []byte(src))
	if doc == nil {
		t.Fatal(problems)
	}
	if got := string(doc.YAML()); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := string(doc.YAMLWithSecrets()); got != strings.Replace(want, `"***"`, "blue", 1) {
		t.Errorf("got\n%s", got)
	}
}
