package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/view"
)

// Past is the part of a server that a replay needs.
type Past interface {
	RunAt(ctx context.Context, id string, seq int64) (view.Run, error)
}

// ReplayOptions define what to replay.
type ReplayOptions struct {
	Server Past
	Run    string
	Events []view.Event
	Speed  float64
	Theme  show.Theme
	In     io.Reader
	Out    io.Writer
}

// pauseMax is the longest pause between two events, to skip the time people took.
const pauseMax = 1500 * time.Millisecond

// replay is the screen of a finished run.
type replay struct {
	ReplayOptions
	ctx    context.Context
	at     int // index of the event on the screen
	run    view.Run
	lines  []string // the line of each event
	paused bool
	width  int
	err    error
	turn   int // distinguishes the current timer from older ones
}

type (
	stateMsg struct {
		at  int
		run view.Run
		err error
	}
	nextMsg int
)

// Replay shows a run from its first event to its last.
func Replay(ctx context.Context, o ReplayOptions) error {
	if len(o.Events) == 0 {
		return nil
	}
	m := &replay{ReplayOptions: o, ctx: ctx, width: 80}
	teller := show.NewTeller(o.Theme, true)
	for _, e := range o.Events {
		line, _ := teller.Tell(e) // all are shown
		m.lines = append(m.lines, line)
	}
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out),
		tea.WithoutSignalHandler()).Run()
	if err = errors.Join(m.err, err); err == nil && m.run.ID != "" {
		fmt.Fprintln(o.Out, strings.Join(show.Run(m.run, m.options()), "\n"))
	}
	return err
}

func (m *replay) Init() tea.Cmd { return m.fold(0) }

// fold fetches the state at an event.
func (m *replay) fold(at int) tea.Cmd {
	at = min(max(at, 0), len(m.Events)-1)
	seq := m.Events[at].Seq
	return func() tea.Msg {
		v, err := m.Server.RunAt(m.ctx, m.ReplayOptions.Run, seq)
		return stateMsg{at, v, err}
	}
}

func (m *replay) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width = msg.Width
	case stateMsg:
		if m.err = msg.err; m.err != nil {
			return m, tea.Quit
		}
		m.at, m.run = msg.at, msg.run
		m.run.Progress.ETAs = nil // it is an estimate of today
		return m, m.goOn()
	case nextMsg:
		if int(msg) == m.turn && !m.paused {
			return m, m.fold(m.at + 1)
		}
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// goOn waits as long as it took originally, up to a limit.
func (m *replay) goOn() tea.Cmd {
	m.turn++
	if m.at == len(m.Events)-1 {
		if m.paused {
			return nil
		}
		return tea.Quit
	}
	if m.paused {
		return nil
	}
	gap := m.Events[m.at+1].At.Sub(m.Events[m.at].At)
	turn := m.turn
	return tea.Tick(time.Duration(float64(min(gap, pauseMax))/m.Speed), func(time.Time) tea.Msg { return nextMsg(turn) })
}

func (m *replay) key(key string) tea.Cmd {
	switch key {
	case "q", "esc", "ctrl+c":
		return tea.Quit
	case "space":
		m.paused = !m.paused
		if !m.paused {
			return m.goOn()
		}
		m.turn++
	case "right", "l":
		m.paused = true
		return m.fold(m.at + 1)
	case "left", "h":
		m.paused = true
		return m.fold(m.at - 1)
	}
	return nil
}

// View draws the screen; see Model.View for why it uses the whole terminal.
func (m *replay) View() tea.View {
	v := tea.NewView(strings.Join(m.render(), "\n"))
	v.AltScreen = true
	return v
}

func (m *replay) options() show.TreeOptions {
	return show.TreeOptions{Theme: m.Theme, Width: min(max(m.width, widthMin), widthMax),
		Now: m.Events[m.at].At, Frame: -1}
}

func (m *replay) render() []string {
	if m.run.ID == "" {
		return nil
	}
	o := m.options()
	lines := append([]string{show.Heading(m.run, o), ""}, show.Tree(m.run, o)...)
	lines = append(lines, "", show.Progress(m.run, o), "",
		show.Cut(fmt.Sprintf("%d of %d  %s", m.at+1, len(m.Events), m.lines[m.at]), o.Width))
	word := "pause"
	if m.paused {
		word = "resume"
	}
	return append(lines, "", show.Cut(m.Theme.Dim(fmt.Sprintf("space %s  ← → step  q quit", word)), o.Width))
}
