package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) eventsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "events RUN", Short: "Read the log of a run", GroupID: groupRuns, Args: nArgs(1, 1, "the id of a run"),
		Long:    "Read the log of a run, oldest first. With --json it is one event per line.",
		Example: "assent events run_…\nassent events run_… --follow --json", ValidArgsFunction: t.complete(runIDs),
	}
	follow := cmd.Flags().BoolP("follow", "f", false, "follow until the run ends")
	after := cmd.Flags().Int64("after", 0, "only events after this sequence number")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		return s.events(ctx, args[0], *after, *follow)
	})
}

const eventsPage = 200

// eventIndent is the column of an event's text, after its number, time and step.
const eventIndent = 28

func (s *session) events(ctx context.Context, id string, after int64, follow bool) error {
	teller := show.NewTeller(s.screen(), true)
	feed, ended := int64(0), false
	tell := func(e view.Event) error {
		feed, ended = e.Feed, endsRun(e.Type)
		if s.json {
			return writeJSONLine(s.Stdout, e)
		}
		if line, ok := teller.Tell(e); ok {
			s.lines(show.Hang(fmt.Sprintf("%5d  %s", e.Seq, line), eventIndent, s.width()))
		}
		return nil
	}
	if err := s.eachEvent(ctx, id, after, tell); err != nil || !follow || ended {
		return err
	}
	done := errors.New("done")
	err := s.Follow(ctx, client.Follow{Run: id, After: feed, Event: func(e view.Event) error {
		if err := tell(e); err != nil {
			return err
		}
		if ended {
			return done
		}
		return nil
	}})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

// eachEvent reads a log from a position to its end.
func (s *session) eachEvent(ctx context.Context, id string, after int64, do func(view.Event) error) error {
	for {
		page, err := s.Events(ctx, id, after, eventsPage)
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for _, e := range page.Items {
			if err := do(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
}

// endsRun reports whether an event is the last, unless the run is resumed.
func endsRun(kind string) bool {
	switch kind {
	case (&run.RunCompleted{}).Type(), (&run.RunFailed{}).Type(), (&run.RunCancelled{}).Type(),
		(&run.RunLimitReached{}).Type():
		return true
	}
	return false
}
