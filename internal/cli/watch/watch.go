package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/view"
)

// Options define where and how to watch.
type Options struct {
	Server  Server
	Run     view.Run // as last fetched
	Feed    int64    // the feed position it was fetched at
	Theme   show.Theme
	Now     func() time.Time
	In      io.Reader
	Out     io.Writer
	Editor  string // a command line
	Visible []view.Event
}

// ErrDetached reports that the user stopped watching; the run continues.
var ErrDetached = errors.New("detached")

// New creates the screen.
func New(ctx context.Context, o Options) *Model {
	return &Model{
		ctx: ctx, server: o.Server, theme: o.Theme, now: o.Now, editor: strings.Fields(o.Editor), width: 80, height: 24,
		run: o.Run, teller: show.NewTeller(o.Theme, false), left: map[string]bool{},
	}
}

// Screen watches a run on a terminal until it ends or the user detaches.
func Screen(ctx context.Context, o Options) (view.Run, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := New(ctx, o)
	for _, e := range o.Visible {
		m.heard(e)
	}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithoutSignalHandler())
	following := make(chan struct{})
	go func() {
		defer close(following)
		_ = o.Server.Follow(ctx, client.Follow{ // it ends with ctx
			Run: o.Run.ID, After: o.Feed,
			Event: func(e view.Event) error { p.Send(eventMsg(e)); return nil },
			Lost:  func(err error) { p.Send(lostMsg{err}) },
			Back:  func() { p.Send(lostMsg{}) },
		})
	}()
	_, err := p.Run()
	cancel()
	<-following
	if err == nil {
		fmt.Fprintln(o.Out, strings.Join(m.Parting(), "\n"))
	}
	switch {
	case errors.Is(err, tea.ErrInterrupted):
		return m.run, context.Canceled
	case err != nil:
		return m.run, err
	case m.detached:
		return m.run, ErrDetached
	}
	return m.run, nil
}
