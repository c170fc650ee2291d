package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// asking is an open form about an approval.
type asking struct {
	approval view.Approval
	act      gate.Act
	form     *huh.Form
	comment  string
	option   string
	to       string
	word     string
	fields   []*field
	text     []byte // written in an editor instead of a form
}

// field is one editable value.
type field struct {
	name   string
	before json.RawMessage // the proposal; nil: empty
	text   bool            // a text is a text, everything else is JSON
	entry  string
	yes    bool
	isBool bool
}

// fieldsMax is how many fields fit on a form; larger ones use the editor.
const fieldsMax = 8

// newAsking creates the form for an act; fits is false if it needs an editor.
func newAsking(a view.Approval, act gate.Act, width int) (q *asking, fits bool) {
	q = &asking{approval: a, act: act}
	switch act {
	case gate.Modify:
		q.fields, fits = editable(a.Proposed)
	case gate.Submit:
		q.fields, fits = wanted(a.InputSchema, a.Proposed)
	default:
		fits = true
	}
	if !fits {
		return nil, false
	}
	q.build(width)
	return q, true
}

// build builds the form with the input so far.
func (q *asking) build(width int) {
	a := q.approval
	var fields []huh.Field
	switch q.act {
	case gate.Reject, gate.RequestRevision:
		title := "Reason"
		if q.act == gate.RequestRevision {
			title = "What should change?"
		}
		fields = append(fields, huh.NewText().Title(title).Lines(3).Value(&q.comment).Validate(notEmpty))
	case gate.Choose:
		options := make([]huh.Option[string], len(a.Options))
		for i, o := range a.Options {
			options[i] = huh.NewOption(show.Line(show.Or(o.Label, o.Value)), o.Value)
		}
		fields = append(fields, huh.NewSelect[string]().Title("Choose").Options(options...).Value(&q.option),
			huh.NewInput().Title("Comment").Value(&q.comment))
	case gate.Escalate, gate.Delegate:
		fields = append(fields,
			huh.NewInput().Title("To whom?").Placeholder("a name, or role:manager").Value(&q.to).Validate(notEmpty))
	case gate.Approve: // only critical ones get here
		title := "The risk is critical. Type approve to continue"
		fields = append(fields, huh.NewInput().Title(title).Value(&q.word).Validate(is("approve")))
	case gate.Modify:
		fields = inputs(q.fields, nil)
	case gate.Submit:
		fields = inputs(q.fields, a.InputSchema)
	}
	q.form = huh.NewForm(huh.NewGroup(fields...)).
		WithTheme(huh.ThemeFunc(huh.ThemeBase16)).WithWidth(width).WithShowHelp(true)
}

func notEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("required")
	}
	return nil
}

func is(word string) func(string) error {
	return func(s string) error {
		if strings.TrimSpace(s) != word {
			return errors.New("type " + word + ", or press Esc")
		}
		return nil
	}
}

// editable are the members of an object that fit into fields.
func editable(proposed json.RawMessage) ([]*field, bool) {
	if value.KindOf(proposed) != value.KindObject {
		return nil, false
	}
	var out []*field
	for name, v := range value.Members(proposed) {
		f, ok := newField(name, v)
		if !ok {
			return nil, false
		}
		out = append(out, f)
	}
	return out, len(out) > 0 && len(out) <= fieldsMax
}

func newField(name string, v json.RawMessage) (*field, bool) {
	f := &field{name: name, before: v, entry: string(v)}
	switch value.KindOf(v) {
	case value.String:
		f.text = true
		return f, json.Unmarshal(v, &f.entry) == nil
	case value.Bool:
		f.isBool, f.yes = true, string(v) == "true"
	case value.Number, value.Null:
	default:
		return nil, false
	}
	return f, true
}

// wanted are the properties of a schema, filled with the proposal.
func wanted(schema, proposed json.RawMessage) ([]*field, bool) {
	properties, ok := value.Get(schema, "properties")
	if !ok {
		return nil, false
	}
	var out []*field
	for name, p := range value.Members(properties) {
		f := &field{name: name}
		kind, _ := value.Get(p, "type")
		f.text, f.isBool = string(kind) == `"string"`, string(kind) == `"boolean"`
		if v, ok := value.Get(proposed, name); ok && string(v) != "null" {
			filled, simple := newField(name, v)
			if !simple {
				return nil, false
			}
			f.entry, f.yes = filled.entry, filled.yes
		}
		if word := string(kind); word == `"object"` || word == `"array"` {
			return nil, false
		}
		out = append(out, f)
	}
	return out, len(out) > 0 && len(out) <= fieldsMax
}

func inputs(fields []*field, schema json.RawMessage) []huh.Field {
	out := make([]huh.Field, len(fields))
	for i, f := range fields {
		title := show.Line(f.name)
		switch {
		case f.isBool:
			out[i] = huh.NewConfirm().Title(title).Value(&f.yes)
		case f.text && strings.Contains(f.entry, "\n"):
			out[i] = huh.NewText().Title(title).Lines(min(8, strings.Count(f.entry, "\n")+2)).Value(&f.entry)
		case f.text:
			out[i] = huh.NewInput().Title(title).Description(describe(schema, f.name)).Value(&f.entry)
		default:
			out[i] = huh.NewInput().Title(title).Description(describe(schema, f.name)).Value(&f.entry).Validate(jsonOrNothing)
		}
	}
	return out
}

func describe(schema json.RawMessage, name string) string {
	raw, _ := value.Get(schema, "properties", name, "description")
	var text string
	_ = json.Unmarshal(raw, &text) // none is fine
	return show.Line(text)
}

func jsonOrNothing(s string) error {
	if s = strings.TrimSpace(s); s != "" && !json.Valid([]byte(s)) {
		return errors.New("write a number, true, false, null, or \"a text\"")
	}
	return nil
}

// raw is the input; nil is empty.
func (f *field) raw() json.RawMessage {
	switch entry := strings.TrimSpace(f.entry); {
	case f.isBool:
		return json.RawMessage(fmt.Sprint(f.yes))
	case f.text:
		if f.entry == "" && f.before == nil {
			return nil
		}
		b, _ := json.Marshal(f.entry) // a text is always valid
		return b
	case entry == "":
		return nil
	default:
		return json.RawMessage(entry)
	}
}

// toForm passes a message to the open form, and continues when it is complete.
func (m *Model) toForm(msg tea.Msg) tea.Cmd {
	if _, again := msg.(retryMsg); again {
		return m.fetch()
	}
	if m.asking == nil {
		return nil
	}
	updated, cmd := m.asking.form.Update(msg)
	if form, ok := updated.(*huh.Form); ok {
		m.asking.form = form
	}
	switch m.asking.form.State {
	case huh.StateAborted:
		m.asking = nil
	case huh.StateCompleted:
		return m.filledIn(m.asking)
	}
	return cmd
}

// filledIn submits the form. Changes are shown first.
func (m *Model) filledIn(q *asking) tea.Cmd {
	m.asking = nil
	d := app.Decision{Act: q.act, Comment: q.comment, Option: q.option, To: q.to}
	switch q.act {
	case gate.Modify:
		d.Changes = changesOf(q.fields)
		if string(d.Changes) == "{}" {
			m.notice, m.trouble = "nothing was changed", true
			return nil
		}
		return m.preview(q, d)
	case gate.Submit:
		d.Data = dataOf(q.fields)
	}
	return m.decideDraft(q, d)
}

// changesOf is a merge patch of the changed fields.
func changesOf(fields []*field) json.RawMessage {
	var members []value.Member
	for _, f := range fields {
		if now := f.raw(); now != nil && !value.Equal(now, f.before) {
			members = append(members, value.Member{Key: f.name, Value: now})
		}
	}
	return value.Object(members...)
}

func dataOf(fields []*field) json.RawMessage {
	var members []value.Member
	for _, f := range fields {
		if now := f.raw(); now != nil {
			members = append(members, value.Member{Key: f.name, Value: now})
		}
	}
	return value.Object(members...)
}

// preview asks the server for the effect of changes.
func (m *Model) preview(q *asking, d app.Decision) tea.Cmd {
	return func() tea.Msg {
		v, err := m.server.PreviewChanges(m.ctx, q.approval.ID, d.Changes)
		return previewMsg{sure{q, d, v}, err}
	}
}

func (m *Model) previewed(msg previewMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.refused(msg.draft, msg.err)
	case !msg.diff.Valid:
		return m.refused(msg.draft, errors.New("not valid: "+problems(msg.diff)))
	}
	m.sure, m.notice = &msg.sure, ""
	return nil
}

func problems(v app.ChangeView) string {
	parts := make([]string, len(v.Errors))
	for i, p := range v.Errors {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}
