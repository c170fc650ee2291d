package cli

import (
	"context"
	"path/filepath"

	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup DIR", Short: "Copy the store into a new directory, also while a server uses it", GroupID: groupServer,
		Args: nArgs(1, 1, "a directory"),
		Long: `Copy the embedded store into a new directory, also while a server uses it. The
copy is complete: start a server on it with --data.`,
		Example: "assent backup /var/backups/assent-monday",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if s.token == "" {
			return fail("run it where the server runs, with its --data",
				"%s keeps its store in its data directory, which is not on this machine", s.Base())
		}
		began := s.Now()
		err = s.busy("copying", func() error {
			return s.admin(ctx, host.AdminBackup, host.Admin{Dir: dir},
				&host.AdminAnswer{})
		})
		if err != nil {
			return err
		}
		took := s.Now().Sub(began)
		if s.json {
			return s.printJSON(map[string]any{"dir": dir, "took_ms": took.Milliseconds()})
		}
		s.say("%s copied to %s in %s", s.screen().Good("✓"), dir, show.Duration(took))
		return nil
	})
}
