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

// PlainOptions define how to print a run line by line.
type PlainOptions struct {
	Options
	Silent bool // nothing is printed; only the end counts
	// Leave stops watching when the run waits.
	Leave bool
	// Waits is called once for each approval that the run waits for.
	Waits func(view.Approval)
}

// Lines prints a run line by line until it ends.
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
		Lost: func(err error) { p.say("connection lost, retrying: " + show.Line(err.Error())) },
		Back: func() { p.say("reconnected") },
	})
	if errors.Is(err, over) {
		err = nil
	}
	return p.run, err
}

// plain is a run being printed.
type plain struct {
	PlainOptions
	teller *show.Teller
	told   map[string]bool
	run    view.Run
	seq    int64 // of the newest event that was printed
	until  int64 // when to check again: a run is ahead of its events
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

// changesStatus reports whether an event may change the run's status.
func changesStatus(kind string) bool {
	switch kind {
	case "run.waiting", "run.paused", "run.completed", "run.failed", "run.cancelled",
		"run.limit_reached", "approval.needed":
		return true
	}
	return false
}

// look fetches the run, prints whom it waits for, and reports whether watching ends.
func (p *plain) look(ctx context.Context) (done bool, err error) {
	v, err := p.Server.RunBriefly(ctx, p.run.ID)
	if err != nil {
		return false, err
	}
	p.run = v
	if p.until = v.Seq; p.seq < v.Seq {
		return false, nil // earlier events are still to be printed
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
