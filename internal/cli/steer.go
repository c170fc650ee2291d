package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

// steerCommands are commands to a run.
func (t *tool) steerCommands() []*cobra.Command {
	return []*cobra.Command{
		t.againCommand("retry", "Retry a run with the same input and version",
			func(ctx context.Context, s *session, id string) (view.Run, error) { return s.Retry(ctx, id) }),
		t.resumeCommand(),
		t.stopCommand("pause", "Pause a run: running steps finish, no new ones start"),
		t.stopCommand("cancel", "Cancel a run after its running steps finish"),
		t.stopCommand("abort", "Cancel a run immediately"),
		t.skipCommand(),
		t.messageCommand(),
	}
}

// againCommand continues a run and prints its status.
func (t *tool) againCommand(name, short string,
	do func(context.Context, *session, string) (view.Run, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " RUN", Short: short, GroupID: groupRuns, Args: nArgs(1, 1, "the id of a run"),
		ValidArgsFunction: t.complete(runIDs),
	}
	var f watchFlags
	f.add(cmd)
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := do(ctx, s, args[0])
		if err != nil {
			return err
		}
		return s.accompany(ctx, v, f)
	})
}

// resumeCommand resumes a run, with higher limits if it stopped at one.
func (t *tool) resumeCommand() *cobra.Command {
	var do run.Resume
	var duration, cost string
	cmd := t.againCommand("resume", "Resume a run that failed, was paused, or stopped at a limit",
		func(ctx context.Context, s *session, id string) (view.Run, error) {
			var err error
			if do.Limits.Duration, err = flagged(duration, "--duration", quantity.ParseDuration); err != nil {
				return view.Run{}, err
			}
			if do.Limits.CostUSD, err = flagged(cost, "--cost-usd", quantity.ParseMoney); err != nil {
				return view.Run{}, err
			}
			return s.Resume(ctx, id, do)
		})
	cmd.Long = `Resume a run from its last good state. Completed work is not repeated.
A run that stopped at a limit needs a higher one: set the new total, not the amount
to add. Raising a limit requires the permissions command and approve.`
	cmd.Example = "assent resume run_…\nassent resume run_… --turns 40\nassent resume run_… --cost-usd 5 --duration 8h"
	cmd.Flags().IntVar(&do.Limits.Iterations, "turns", 0, "raise the limit on turns to this number")
	cmd.Flags().StringVar(&cost, "cost-usd", "", "raise the limit on cost to this amount")
	cmd.Flags().StringVar(&duration, "duration", "", "raise the limit on time to this duration, such as 8h")
	return cmd
}

// flagged reads the value of a flag, if it is set.
func flagged[T any](text, flag string, parse func(string) (T, error)) (v T, err error) {
	if text == "" {
		return v, nil
	}
	if v, err = parse(text); err != nil {
		return v, usage("%s: %v", flag, err)
	}
	return v, nil
}

func (t *tool) stopCommand(name, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " RUN…", Short: short, GroupID: groupRuns, Args: nArgs(1, -1, "the id of a run"),
		ValidArgsFunction: t.complete(runIDs),
	}
	reason := cmd.Flags().String("reason", "", "the reason")
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		command := map[string]any{"type": name}
		if *reason != "" {
			command["reason"] = *reason
		}
		for _, id := range args {
			if err := s.steer(ctx, id, command); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
		return nil
	})
}

func (t *tool) skipCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "skip RUN STEP", Short: "Skip a step that has not started", GroupID: groupRuns,
		Args: nArgs(2, 2, "the id of a run", "the id of a step"), ValidArgsFunction: t.complete(runIDs),
	}
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		return s.steer(ctx, args[0], map[string]any{"type": "skip_step", "step": args[1]})
	})
}

func (t *tool) messageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "message RUN TEXT", Short: "Send a message to the agents of a run", GroupID: groupRuns,
		Args: nArgs(2, -1, "the id of a run", "the message"), ValidArgsFunction: t.complete(runIDs),
	}
	to := cmd.Flags().String("to", "", "a step or an agent (default: all that are working)")
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		command := map[string]any{"type": "message", "text": strings.Join(args[1:], " ")}
		if *to != "" {
			command["to"] = *to
		}
		return s.steer(ctx, args[0], command)
	})
}

// steer sends a command and prints the run's status afterwards.
func (s *session) steer(ctx context.Context, id string, command map[string]any) error {
	accepted, err := s.Command(ctx, id, command)
	if err != nil {
		return err
	}
	if err := s.busy("agents working", func() error { return s.settle(ctx, id) }); err != nil {
		return err
	}
	if s.json {
		return s.printJSON(accepted)
	}
	v, err := s.RunBriefly(ctx, id)
	if err != nil {
		return err
	}
	s.say("%s run %s is %s", s.screen().Good("✓"), v.ID, s.screen().RunStatus(v.Status))
	return nil
}

func (t *tool) forkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "fork RUN", Short: "Fork a run from any event", GroupID: groupRuns, Args: nArgs(1, 1, "the id of a run"),
		Long: `Start a new run from a snapshot, or from any other event, of another run's log. Completed steps
are reused, not repeated; the other run stays as it is. Files that agents wrote are not part of a run: the steps
after that event meet them as they are now.`,
		Example: "assent snapshots run_…\nassent fork run_… --at 9\nassent fork run_… --at 9 --set input.amount=20\n" +
			"assent fork run_… --at 9 --set outputs.propose.amount=20",
		ValidArgsFunction: t.complete(runIDs),
	}
	at := cmd.Flags().Int64("at", 0, "the number of the last event to keep (see: assent snapshots, assent events)")
	sets := cmd.Flags().StringArray("set", nil,
		"change the past: input.PATH=VALUE, context.PATH=VALUE or outputs.STEP.PATH=VALUE")
	var f watchFlags
	f.add(cmd)
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		if *at < 1 {
			return usage("set the event to fork at with --at; list them with: assent events %s", args[0])
		}
		edits, err := s.edits(ctx, args[0], *at, *sets)
		if err != nil {
			return err
		}
		v, err := s.Fork(ctx, args[0], app.Fork{AtSeq: *at, Edits: edits})
		if err != nil {
			return err
		}
		return s.accompany(ctx, v, f)
	})
}

// edits merges changes into the run's data at that time, so that the rest is kept.
func (s *session) edits(ctx context.Context, id string, at int64, sets []string) (edits run.Edits, err error) {
	if len(sets) == 0 {
		return edits, nil
	}
	then, err := s.RunAt(ctx, id, at)
	if err != nil {
		return edits, err
	}
	past := value.Object(value.Member{Key: "input", Value: then.Input},
		value.Member{Key: "outputs", Value: outputsOf(then)})
	changed, err := setPaths(past, sets)
	if err != nil {
		return edits, err
	}
	edits.Outputs = map[string]json.RawMessage{}
	for _, set := range sets {
		path, _, _ := strings.Cut(set, "=")
		switch parts := strings.Split(path, "."); {
		case parts[0] == "input" && len(parts) > 1:
			edits.Input, _ = value.Get(changed, "input")
		case parts[0] == "context" && len(parts) > 1:
			edits.Context, _ = value.Get(changed, "context")
		case parts[0] == "outputs" && len(parts) > 1:
			edits.Outputs[parts[1]], _ = value.Get(changed, "outputs", parts[1])
		default:
			return edits, usage("--set %s: a fork can change input.…, context.… and outputs.STEP.…", set)
		}
	}
	return edits, nil
}

func outputsOf(v view.Run) json.RawMessage {
	var members []value.Member
	for _, st := range v.Steps {
		if !show.Empty(st.Output) {
			members = append(members, value.Member{Key: st.ID, Value: st.Output})
		}
	}
	return value.Object(slices.Clip(members)...)
}
