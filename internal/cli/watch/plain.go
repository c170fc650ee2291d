package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// PlainOptions say how to tell a run line by line.
type PlainOptions struct {
	Options
	Silent bool // nothing is written; only the end counts
	// Leave ends watching when the run waits for somebody.
	Leave bool
	// Waits hears once for each approval that the run comes to wait for.
	Waits func(view.Approval)
}

// Lines tells a run line by line until it ends.
func Lines(ctx context.Context, o PlainOptions) (view.Run, error) {
	p := &plain{PlainOptions: o, teller: show.NewTeller(o.Theme, false), told: map[string]bool{}, run: o.Run}
	for _, e := range o.Visible {
		p.tell(e)
	}
	done, err := p.look(ctx)
	if done || err != nil {
		return p.run, err
	}
	over := errors.New("over")
	err = o.Server.Follow(ctx, client.Follow{
		Run: o.Run.ID, After: o.Feed,
		Event: func(e view.Event) error {
			p.tell(e)
			if !changesStatus(e.Type) && e.Seq != p.until {
				return nil
			}
			done, err := p.look(ctx)
			if done {
				return over
			}
			return err
		},
		Lost: func(err error) { p.say("no connection, trying again: " + show.Line(err.Error())) },
		Back: func() { p.say("the connection is back") },
	})
	if errors.Is(err, over) {
		err = nil
	}
	return p.run, err
}

// plain is a run as it is told.
type plain struct {
	PlainOptions
	teller *show.Teller
	told   map[string]bool
	run    view.Run
	seq    int64 // of the newest event that was told
	until  int64 // where there is reason to look again: a run is ahead of its events
}

func (p *plain) tell(e view.Event) {
	p.seq = e.Seq
	if line, ok := p.teller.Tell(e); ok {
		p.say(line)
	}
}

func (p *plain) say(line string) {
	if !p.Silent {
		fmt.Fprintln(p.Out, line)
	}
}

// changesStatus reports whether a run may stand differently after an event.
func changesStatus(kind string) bool {
	switch kind {
	case "run.waiting", "run.paused", "run.completed", "run.failed", "run.cancelled",
		"run.limit_reached", "approval.needed":
		return true
	}
	return false
}

// look asks for the run, says whom it waits for, and reports whether that is all.
func (p *plain) look(ctx context.Context) (done bool, err error) {
	v, err := p.Server.RunBriefly(ctx, p.run.ID)
	if err != nil {
		return false, err
	}
	p.run = v
	if p.until = v.Seq; p.seq < v.Seq {
		return false, nil // what led there is still to be told
	}
	if v.Status.Ended() {
		return true, nil
	}
	if v.Status != run.Waiting {
		return p.Leave && v.Status == run.Paused, nil
	}
	for _, id := range v.PendingApprovals {
		if p.told[id] || p.Waits == nil {
			continue
		}
		a, err := p.Server.Approval(ctx, id)
		if err != nil {
			return false, err
		}
		p.told[id] = true
		p.Waits(a)
	}
	return p.Leave, nil
}
