package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/cli/watch"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "replay RUN", Short: "Replay a run, event by event", GroupID: groupRuns, Args: nArgs(1, 1, "the id of a run"),
		Long: `Replay a run from its log. No agents are called and nothing changes. At a terminal:
space pauses, the arrow keys step, q quits.`,
		Example:           "assent replay run_…\nassent replay run_… --at 7\nassent replay run_… --speed 4",
		ValidArgsFunction: t.complete(runIDs),
	}
	at := cmd.Flags().Int64("at", 0, "show only the state after the event with this sequence number")
	speed := cmd.Flags().Float64("speed", 1, "playback speed: 2 is twice as fast")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if *speed <= 0 {
			return usage("--speed %g: it must be greater than 0", *speed)
		}
		if *at > 0 {
			return s.replayAt(ctx, args[0], *at)
		}
		return s.replay(ctx, args[0], *speed)
	})
}

func (s *session) replayAt(ctx context.Context, id string, seq int64) error {
	v, err := s.RunAt(ctx, id, seq)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	v.Progress.ETAs = nil // it is an estimate of today
	o := s.treeOptions()
	if o.Now, err = s.timeOf(ctx, id, seq); err != nil {
		return err
	}
	s.lines(show.Run(v, o))
	return nil
}

// timeOf is when an event happened.
func (s *session) timeOf(ctx context.Context, id string, seq int64) (time.Time, error) {
	found, err := s.Events(ctx, id, seq-1, 1)
	if err != nil || len(found.Items) == 0 {
		return s.Now(), err
	}
	return found.Items[0].At, nil
}

func (s *session) replay(ctx context.Context, id string, speed float64) error {
	var events []view.Event
	err := s.eachEvent(ctx, id, 0, func(e view.Event) error {
		events = append(events, e)
		return nil
	})
	if err != nil {
		return err
	}
	if s.interactive() {
		return watch.Replay(ctx, watch.ReplayOptions{Server: s.Client, Run: id, Events: events, Speed: speed,
			Theme: s.screen(), In: s.Stdin, Out: s.Stdout})
	}
	teller := show.NewTeller(s.screen(), false)
	var last view.Run
	for _, e := range events {
		if last, err = s.RunAt(ctx, id, e.Seq); err != nil {
			return err
		}
		if s.json {
			err = writeJSONLine(s.Stdout, map[string]any{"seq": e.Seq, "type": e.Type, "at": e.At, "status": last.Status,
				"progress": last.Progress})
		} else if line, ok := teller.Tell(e); ok {
			_, err = fmt.Fprintf(s.Stdout, "%3d %%  %s\n", last.Progress.Percent, line)
		}
		if err != nil {
			return err
		}
	}
	if s.json || len(events) == 0 {
		return nil
	}
	o := s.treeOptions()
	o.Now = events[len(events)-1].At
	s.say("")
	s.lines(show.Run(last, o))
	return nil
}
