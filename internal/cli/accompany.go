package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/cli/watch"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

// watchFlags define how long to follow a run.
type watchFlags struct{ watch, wait bool }

func (f *watchFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "follow the run live and decide approvals")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "wait until the run ends; exit with 1 if it fails")
}

// accompany follows a run as long as the flags require.
func (s *session) accompany(ctx context.Context, v view.Run, f watchFlags) error {
	if !f.watch && !f.wait {
		return s.letGo(ctx, v)
	}
	o, err := s.watchOptions(ctx, v)
	if err != nil {
		return err
	}
	if f.watch && s.interactive() {
		return s.watchScreen(ctx, o)
	}
	return s.watchLines(ctx, o, f)
}

// letGo prints which run it is. Without a server, the command itself works on the run until it rests.
func (s *session) letGo(ctx context.Context, v view.Run) error {
	if s.own != nil {
		if err := s.busy("agents working", func() error { return s.settle(ctx, v.ID) }); err != nil {
			return err
		}
		now, err := s.RunBriefly(ctx, v.ID)
		if err != nil {
			return err
		}
		v = now
	}
	if s.json {
		return s.printJSON(v)
	}
	s.say("%s", v.ID)
	if s.own == nil {
		return nil
	}
	theme := s.screen()
	fmt.Fprintf(s.Stderr, "run %s; details: assent show %s\n", theme.RunStatus(v.Status), v.ID)
	for _, id := range v.PendingApprovals {
		fmt.Fprintf(s.Stderr, "waiting for a decision: assent show %s\n", id)
	}
	return outcome(v)
}

// pastShown is how much history is printed when watching begins.
const pastShown = 200

func (s *session) watchOptions(ctx context.Context, v view.Run) (watch.Options, error) {
	o := watch.Options{
		Server: s.Client, Run: v, Theme: s.screen(), Now: s.Now, In: s.Stdin, Out: s.Stdout, Editor: s.editor(),
	}
	err := s.eachEvent(ctx, v.ID, max(0, v.Seq-pastShown), func(e view.Event) error {
		o.Visible, o.Feed = append(o.Visible, e), e.Feed
		return nil
	})
	return o, err
}

func (t *tool) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if v := t.Getenv(name); v != "" {
			return v
		}
	}
	return "vi"
}

func (s *session) watchScreen(ctx context.Context, o watch.Options) error {
	v, err := watch.Screen(ctx, o)
	if errors.Is(err, watch.ErrDetached) {
		next := "the run continues on the server"
		if s.own != nil {
			next = "the run continues when a server starts (assent serve) or you reconnect"
		}
		s.say("%s; see it with: assent show %s", next, v.ID)
		return nil
	}
	if err != nil {
		return err
	}
	return outcome(v)
}

func (s *session) watchLines(ctx context.Context, o watch.Options, f watchFlags) error {
	plain := watch.PlainOptions{
		Options: o, Silent: s.json || !f.watch,
		// No other process can open the store while this command has it.
		Leave: s.own != nil,
		Waits: func(a view.Approval) { s.tellWaits(a) },
	}
	v, err := watch.Lines(ctx, plain)
	if err != nil {
		return err
	}
	if s.json {
		whole, err := s.Run(ctx, v.ID)
		if err != nil {
			return err
		}
		if err := s.printJSON(whole); err != nil {
			return err
		}
	} else {
		if !f.watch {
			s.say("%s", v.ID)
		}
		s.lines(show.Ending(v, s.treeOptions()))
	}
	return outcome(v)
}

// tellWaits prints on stderr that the run is waiting, and how to decide.
func (s *session) tellWaits(a view.Approval) {
	fmt.Fprintf(s.Stderr, "waiting for %s: %s\n", show.Asked(a), show.Line(a.Title))
	fmt.Fprintf(s.Stderr, "  assent show %s\n", a.ID)
	for _, act := range a.Acts {
		fmt.Fprintf(s.Stderr, "  %s\n", howTo(act, a))
	}
}

// outcome is the exit code for a run that was waited for.
func outcome(v view.Run) error {
	if v.Status.Ended() && v.Status != run.Completed {
		return quiet(exitFailed)
	}
	return nil
}
