// Package watch shows a run live, and lets people decide its approvals.
//
// The server is the only source of truth: an event reports that something changed, and the run is fetched
// again. The available acts on an approval are those the server lists, never a guess.
package watch

import (
	"context"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/view"
)

// Server is the part of a server that watching needs.
type Server interface {
	RunBriefly(ctx context.Context, id string) (view.Run, error)
	Approval(ctx context.Context, id string) (view.Approval, error)
	PreviewChanges(ctx context.Context, id string, changes json.RawMessage) (app.ChangeView, error)
	Decide(ctx context.Context, id string, d app.Decision) (view.Approval, error)
	Follow(ctx context.Context, f client.Follow) error
}

// Model is the screen. Only Update changes it.
type Model struct {
	ctx    context.Context
	server Server
	theme  show.Theme
	now    func() time.Time
	editor []string

	width, height int
	frame         int
	run           view.Run
	teller        *show.Teller
	log           []string

	approvals []view.Approval // pending, as far as they were fetched
	left      map[string]bool // those that the user skipped
	current   string          // the one on the screen
	shownAt   time.Time       // since when
	scroll    int

	asking   *asking // a form is open
	sure     *sure   // changes are shown before they are sent
	kept     *asking // rejected input, for another attempt
	notice   string  // the result of the last decision
	trouble  bool    // the notice is an error
	deciding bool

	fetching, dirty bool
	lost            error
	ended, detached bool
}

// sure shows the effect of changes before they are sent.
type sure struct {
	draft    *asking
	decision app.Decision
	diff     app.ChangeView
}

// Messages.
type (
	eventMsg view.Event
	runMsg   struct {
		run       view.Run
		approvals []view.Approval
		err       error
	}
	decidedMsg struct {
		act   gate.Act
		draft *asking // its input; nil: none
		err   error
	}
	previewMsg struct {
		sure
		err error
	}
	lostMsg struct{ err error }
	tickMsg time.Time
)

const (
	tick    = 120 * time.Millisecond
	logKept = 200
)

// Init fetches the run.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.fetch(), m.ticking()) }

func (m *Model) ticking() tea.Cmd {
	return tea.Tick(tick, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// fetch reads the run and its pending approvals. One fetch at a time: later changes are read by the next.
func (m *Model) fetch() tea.Cmd {
	if m.fetching {
		m.dirty = true
		return nil
	}
	m.fetching, m.dirty = true, false
	id := m.run.ID
	return func() tea.Msg {
		v, err := m.server.RunBriefly(m.ctx, id)
		msg := runMsg{run: v, err: err}
		for _, pending := range v.PendingApprovals {
			a, err := m.server.Approval(m.ctx, pending)
			if err != nil {
				msg.err = err
				break
			}
			msg.approvals = append(msg.approvals, a)
		}
		return msg
	}
}

// Update handles one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m, m.toForm(msg)
	case tickMsg:
		m.frame++
		return m, m.ticking()
	case eventMsg:
		m.lost = nil
		m.heard(view.Event(msg))
		return m, m.fetch()
	case lostMsg:
		m.lost = msg.err
		return m, nil
	case runMsg:
		return m, m.read(msg)
	case decidedMsg:
		return m, m.decided(msg)
	case previewMsg:
		return m, m.previewed(msg)
	case editedMsg:
		return m, m.edited(msg)
	case tea.KeyPressMsg:
		return m, m.key(msg)
	}
	return m, m.toForm(msg)
}

func (m *Model) heard(e view.Event) {
	line, ok := m.teller.Tell(e)
	if !ok {
		return
	}
	m.log = append(m.log, line)
	if over := len(m.log) - logKept; over > 0 {
		m.log = m.log[over:]
	}
}

// read applies the server's response.
func (m *Model) read(msg runMsg) tea.Cmd {
	m.fetching = false
	if msg.err != nil {
		m.lost = msg.err
		return tea.Tick(time.Second, func(time.Time) tea.Msg { return retryMsg{} })
	}
	m.lost = nil
	if msg.run.Seq >= m.run.Seq {
		m.run, m.approvals = msg.run, msg.approvals
		m.choose()
	}
	if m.run.Status.Ended() && !m.dirty {
		m.ended = true
		return tea.Quit
	}
	if m.dirty {
		return m.fetch()
	}
	return nil
}

// choose keeps an approval on the screen, if one is pending.
func (m *Model) choose() {
	open := m.open()
	for _, a := range open {
		if a.ID == m.current {
			return
		}
	}
	m.asking, m.sure = nil, nil
	m.turnTo("")
	if len(open) > 0 {
		m.turnTo(open[0].ID)
	}
}

// turnTo shows another approval.
func (m *Model) turnTo(id string) { m.current, m.scroll, m.shownAt = id, 0, m.now() }

// open lists the approvals that the user has not skipped.
func (m *Model) open() []view.Approval {
	var out []view.Approval
	for _, a := range m.approvals {
		if !m.left[a.ID] {
			out = append(out, a)
		}
	}
	return out
}

// card is the approval on the screen.
func (m *Model) card() (view.Approval, bool) {
	for _, a := range m.open() {
		if a.ID == m.current {
			return a, true
		}
	}
	return view.Approval{}, false
}

// decide sends a decision about the version on the screen.
func (m *Model) decide(a view.Approval, d app.Decision) tea.Cmd { return m.send(a, d, nil) }

// decideDraft sends the input.
func (m *Model) decideDraft(q *asking, d app.Decision) tea.Cmd { return m.send(q.approval, d, q) }

func (m *Model) send(a view.Approval, d app.Decision, draft *asking) tea.Cmd {
	d.Version = a.Version
	m.deciding, m.notice, m.asking, m.sure = true, "", nil, nil
	return func() tea.Msg {
		_, err := m.server.Decide(m.ctx, a.ID, d)
		return decidedMsg{d.Act, draft, err}
	}
}

func (m *Model) decided(msg decidedMsg) tea.Cmd {
	m.deciding = false
	if msg.err != nil {
		return tea.Batch(m.refused(msg.draft, msg.err), m.fetch())
	}
	m.notice, m.trouble, m.kept = "✓ "+show.Past(msg.act), false, nil
	return m.fetch()
}

// retryMsg fetches the run again after an error.
type retryMsg struct{}
