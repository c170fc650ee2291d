package watch

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/view"
)

// binding is a key that decides an approval.
type binding struct {
	key, word string
	act       gate.Act
}

// bindings are in display order. Only those whose act the server lists are offered.
var bindings = []binding{
	{"a", "approve", gate.Approve},
	{"c", "choose", gate.Choose},
	{"s", "submit", gate.Submit},
	{"e", "edit", gate.Modify},
	{"r", "reject", gate.Reject},
	{"v", "revise", gate.RequestRevision},
	{"u", "escalate", gate.Escalate},
	{"d", "delegate", gate.Delegate},
}

// offered are the keys for an approval.
func offered(a view.Approval) []binding {
	var out []binding
	for _, b := range bindings {
		if slices.Contains(a.Acts, b.act) {
			out = append(out, b)
		}
	}
	return out
}

func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); {
	case key == "ctrl+c":
		m.detached = true
		return tea.Interrupt
	case m.asking != nil:
		if key == "esc" {
			m.asking = nil
			return nil
		}
		return m.toForm(k)
	case m.sure != nil:
		return m.keySure(key)
	case key == "q":
		m.detached = true
		return tea.Quit
	default:
		return m.keyCard(key)
	}
}

func (m *Model) keySure(key string) tea.Cmd {
	s := m.sure
	switch key {
	case "y", "enter":
		return m.decideDraft(s.draft, s.decision)
	case "n", "esc", "q":
		m.sure, m.notice = nil, ""
		return m.reopen(s.draft)
	}
	return nil
}

func (m *Model) keyCard(key string) tea.Cmd {
	a, ok := m.card()
	if !ok || m.deciding {
		return nil
	}
	switch key {
	case "up", "k":
		m.scroll--
	case "down", "j":
		m.scroll++
	case "pgup":
		m.scroll -= 10
	case "pgdown", "space":
		m.scroll += 10
	case "tab":
		m.next(a)
	case "x":
		m.left[a.ID] = true
		m.choose()
	case "E":
		if slices.Contains(a.Acts, gate.Modify) {
			return m.openEditor(a, gate.Modify)
		}
	}
	m.scroll = max(0, m.scroll)
	for _, b := range offered(a) {
		if b.key == key && m.now().Sub(m.shownAt) >= glance {
			return m.begin(a, b.act)
		}
	}
	return nil
}

// next moves to the next approval.
func (m *Model) next(a view.Approval) {
	open := m.open()
	i := slices.IndexFunc(open, func(o view.Approval) bool { return o.ID == a.ID })
	m.notice = ""
	m.turnTo(open[(i+1)%len(open)].ID)
}

// glance is how long an approval has to be on the screen before it can be decided: a key meant for the
// previous one must not decide this one.
const glance = 400 * time.Millisecond

// begin starts a decision: immediately if it needs no input, or with a form.
func (m *Model) begin(a view.Approval, act gate.Act) tea.Cmd {
	m.notice = ""
	if act == gate.Approve && a.Risk.Level != risk.Critical {
		return m.decide(a, app.Decision{Act: act})
	}
	form, fits := newAsking(a, act, m.formWidth())
	if !fits {
		return m.openEditor(a, act)
	}
	if m.kept.about(a, act) {
		form.takeOver(m.kept)
		form.build(m.formWidth())
	}
	m.asking = form
	return form.form.Init()
}
