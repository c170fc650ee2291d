package watch

import (
	"errors"
	"net/http"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/view"
)

// refused shows why a decision was rejected and keeps its input. A form reopens immediately, to be corrected,
// unless the approval itself has changed: then the new version has to be reviewed first.
func (m *Model) refused(q *asking, err error) tea.Cmd {
	m.notice, m.trouble = err.Error(), true
	if q == nil {
		return nil
	}
	m.kept = q
	var p *client.Problem
	changed := errors.As(err, &p) && p.Status == http.StatusConflict
	if q.form != nil && !changed {
		return m.reopen(q)
	}
	if key := keyOf(q); key != "" {
		m.notice += "\nYour edits are kept: press " + key + " to continue."
	}
	return nil
}

// keyOf is the key that opens the same form or editor again.
func keyOf(q *asking) string {
	if q.text != nil && q.act == gate.Modify {
		return "E"
	}
	for _, b := range bindings {
		if b.act == q.act {
			return b.key
		}
	}
	return ""
}

// reopen shows a form again with its previous input.
func (m *Model) reopen(q *asking) tea.Cmd {
	if m.kept = q; q.form == nil {
		return nil
	}
	q.build(m.formWidth())
	m.asking = q
	return q.form.Init()
}

// about reports whether there is input for this act on this approval.
func (q *asking) about(a view.Approval, act gate.Act) bool {
	return q != nil && q.approval.ID == a.ID && q.act == act
}

// takeOver fills a new form with the input of an earlier one. Unchanged fields show the current proposal.
func (q *asking) takeOver(old *asking) {
	q.comment, q.option, q.to = old.comment, old.option, old.to
	for _, before := range old.fields {
		for _, now := range q.fields {
			if now.name == before.name && before.edited() {
				now.entry, now.yes = before.entry, before.yes
			}
		}
	}
}

// edited reports whether a field differs from the proposal.
func (f *field) edited() bool {
	proposed, ok := newField(f.name, f.before)
	return !ok || proposed.entry != f.entry || proposed.yes != f.yes
}
