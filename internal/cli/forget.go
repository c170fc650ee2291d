package cli

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/spf13/cobra"
)

// forgetCommand deletes the payloads of a run.
func (t *tool) forgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "forget RUN", Short: "Permanently delete a finished run's payloads", Args: nArgs(1, 1, "the id of a run"),
		ValidArgsFunction: t.complete(runIDs), Example: `assent runs forget run_… --reason "The customer asked for it."`,
	}
	reason := cmd.Flags().String("reason", "", "the reason, kept in the audit log; do not include the deleted data")
	copies := cmd.Flags().Bool("with-copies", false, "also delete them from forks and retries of the run")
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		if *reason == "" {
			return usage("set the reason with --reason")
		}
		v, err := s.Forget(ctx, args[0], app.Forgetting{Reason: *reason, WithCopies: *copies})
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("%s the payloads of %s are deleted", s.screen().Good("✓"), strings.Join(v.Runs, ", "))
		if len(v.Copies) > 0 {
			s.say("Copies may remain in: %s", strings.Join(v.Copies, ", "))
		}
		return nil
	})
}
