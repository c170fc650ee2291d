package decide_test

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

const catalogueHead = `# Event types

This page is for developers who follow runs through the API, a webhook or the Go library. It lists every event type: when it is recorded, its fields, and an example.

A run is the list of its events. ` + "`GET /api/v1/runs/{id}/events`, the stream at `GET " +
	"/api/v1/events` and the WebSocket" + ` return the same objects:

| field | type | |
|---|---|---|
| ` + "`feed`" + ` | integer | number in the feed of all runs, without gaps; only in lists and streams |
| ` + "`run`" + ` | string | the run |
| ` + "`seq`" + ` | integer | number in the run, from 1 |
| ` + "`at`" + ` | time | when it was recorded |
| ` + "`type`" + ` | string | one of the types below |
| ` + "`actor`" + ` | object | ` + "`kind` (`person`, `service`, `agent`, `schedule`, `trigger`, `policy` or `system`) and `name`" + ` |
| ` + "`cause`" + ` | string, optional | the command that led to it |
| ` + "`data`" + ` | object | the fields below |

Types and fields are only ever added, so ignore the ones you do not know. Optional fields are absent when they have no value. Durations are strings such as ` + "`30m`" + `, amounts of money are strings in US dollars.

This page is generated. After a change to the facts, run ` + "`" + howToCatalogue + "`" + `.
`

// Notices are not facts: they are not in the log. A test of internal/api compares this part with the types that
// streams send.
const catalogueTail = `## Notices

Streams also send these. They are not part of a run's log and have no number, so read the current state again after you reconnect.

| type | when | data |
|---|---|---|
| ` + "`definition.changed`" + ` | documents of one kind were published or removed, or a draft of a workflow was discarded | ` + "`kind`" + ` |
| ` + "`policy.changed`" + ` | the policy or the emergency stop changed | ` + "`emergency_stop`" + ` |
| ` + "`step.progress`" + ` | an agent reports progress (only with ` + "`?progress=true`" + `) | ` +
	"`step`, `index`, `try`, `text`, `percent`" + ` |
| ` + "`trigger.delivered`" + ` | a delivery to a trigger has been stored | |
`

// commonFields describes fields with the same meaning everywhere.
var commonFields = map[string]string{
	"agent": "name of the agent", "approval": "id of the approval",
	"at_seq": "last event of the other run that was copied", "child": "id of the sub-run",
	"confidence": "0 to 1", "cost_usd": "in US dollars", "deadline": "when it times out", "gate": "id of the gate",
	"index": "element of a map, from 0", "layer": "number of the layer, from 0",
	"labels": "labels to find the run by", "n": "number of the consultation or search, from 1",
	"no": "number of the call within the step, from 1", "output": "the result", "reasoning": "the agent's reasoning",
	"retry_at": "when the next attempt starts", "retry_of": "the run that this one retries",
	"rev":  "how often it was sent back for revision",
	"step": "id of the step", "test_mode": "true in a test run", "tool": "name of the tool",
	"try": "number of the attempt, from 1", "usage": "model calls, tokens and cost", "workflow": "name of the workflow",
}

// catalogue renders the page.
type catalogue struct {
	words    *words
	examples map[string]string
	shared   []reflect.Type // objects with a section of their own
}

func newCatalogue(w *words, examples map[string]string) *catalogue {
	return &catalogue{words: w, examples: examples}
}

func (c *catalogue) page() (text string, problems []string) {
	var b strings.Builder
	b.WriteString(catalogueHead)
	group := ""
	for _, f := range c.words.facts() {
		if f.group != group {
			group = f.group
			fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(group, "."))
		}
		what, err := f.describe()
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		fact, err := run.DecodeFact(f.typ, json.RawMessage(`{}`))
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n%s", f.typ, what, c.table(reflect.TypeOf(fact).Elem()))
		if e := c.examples[f.typ]; e != "" {
			fmt.Fprintf(&b, "\n```json\n%s\n```\n", indentExample(e))
		}
	}
	b.WriteString("\n## Objects\n")
	for i := 0; i < len(c.shared); i++ { // tables add to it
		t := c.shared[i]
		fmt.Fprintf(&b, "\n### %s\n%s", objectName(t), c.table(t))
	}
	b.WriteString("\n" + catalogueTail)
	return b.String(), problems
}

// table lists the fields of an object.
func (c *catalogue) table(t reflect.Type) string {
	rows := c.rows(t)
	if len(rows) == 0 {
		return "\nIt has no fields.\n"
	}
	return "\n| field | type | |\n|---|---|---|\n" + strings.Join(rows, "")
}

func (c *catalogue) rows(t reflect.Type) (out []string) {
	for f := range fields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			out = append(out, c.rows(f.Type)...)
			continue
		}
		typ := c.typeOf(f.Type)
		if rest != "" {
			typ += ", optional"
		}
		doc := c.words.docs[path.Base(t.PkgPath())+"."+t.Name()+"."+f.Name]
		if rest, ok := strings.CutPrefix(doc, f.Name+" is "); ok {
			doc = rest
		}
		if doc == "" {
			doc = commonFields[name]
		}
		if len(doc) > 1 && strings.ToUpper(doc[1:2]) != doc[1:2] || strings.HasPrefix(doc, "A ") {
			doc = strings.ToLower(doc[:1]) + doc[1:]
		}
		out = append(out, fmt.Sprintf("| `%s` | %s | %s |\n", name, typ,
			strings.TrimSuffix(strings.ReplaceAll(doc, "|", "\\|"), ".")))
	}
	return out
}

func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") != "-" && (f.IsExported() || f.Anonymous) && !yield(f) {
				return
			}
		}
	}
}

// typeOf returns a field's JSON type.
func (c *catalogue) typeOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "any"
	case reflect.TypeFor[time.Time]():
		return "time"
	case reflect.TypeFor[quantity.Duration]():
		return "duration"
	case reflect.TypeFor[quantity.Money]():
		return "money"
	case reflect.TypeFor[time.Duration]():
		return "integer (nanoseconds)"
	case reflect.TypeFor[run.Key]():
		return "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.typeOf(t.Elem())
	case reflect.Slice:
		return "list of " + c.typeOf(t.Elem())
	case reflect.Map:
		return "map of " + c.typeOf(t.Elem())
	case reflect.Struct:
		return c.object(t)
	case reflect.String:
		if values := c.words.values[path.Base(t.PkgPath())+"."+t.Name()]; t.PkgPath() != "" && len(values) > 0 {
			return "`" + strings.Join(values, "` `") + "`"
		}
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	}
	return "integer"
}

// object links to the section of an object. Objects that people write in files are documented with the files.
func (c *catalogue) object(t reflect.Type) string {
	if path.Base(t.PkgPath()) == "plan" {
		return fmt.Sprintf("%s, as in [files](workflows.md)", strings.ToLower(t.Name()))
	}
	if !slices.Contains(c.shared, t) {
		c.shared = append(c.shared, t)
	}
	name := objectName(t)
	return fmt.Sprintf("[%s](#%s)", name, strings.ReplaceAll(strings.ToLower(name), " ", "-"))
}

// objectName splits a type's name into words.
func objectName(t reflect.Type) string {
	var b strings.Builder
	for i, r := range t.Name() {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	name := strings.TrimSuffix(b.String(), " Raw")
	return name[:1] + strings.ToLower(name[1:])
}
