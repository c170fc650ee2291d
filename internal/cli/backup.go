package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup DIR", Short: "Copy the store into a new directory, even while it is in use", GroupID: groupServer,
		Args: nArgs(1, 1, "a directory"),
		Long: `Copy the store into a new directory, even while servers are using it. The copy is a
consistent snapshot. A copy of the embedded store is a data directory: start a server on
it with --data. A copy of a PostgreSQL database has one file per table, for assent
restore.`,
		Example: "assent backup /var/backups/assent-monday\nassent backup --db postgres://db.example/assent monday",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if s.token == "" {
			return fail("run it where the server runs, with its --data, or with its --db",
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

func (t *tool) restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore DIR --db URL", Short: "Fill an empty PostgreSQL database from a backup", GroupID: groupServer,
		Args: nArgs(1, 1, "a directory"),
		Long: `Fill an empty PostgreSQL database from a backup, completely or not at all. Every file is
verified first. A backup of the embedded store does not have to be restored: start a
server on it with --data. To take one run back to an earlier point, see assent fork.`,
		Example: "assent restore /var/backups/assent-monday --db postgres://db.example/assent\n" +
			"assent serve --data /var/backups/assent-monday",
	}
	config.AddFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := config.FromFlags(cmd.Flags(), t.Getenv)
		if err != nil {
			return &failure{code: exitUsage, err: err}
		}
		db, err := c.DatabaseURL()
		if err != nil {
			return err
		}
		if db == "" {
			return &failure{code: exitUsage, err: errors.New("no database to restore into"),
				hint: "set --db postgres://…; a backup of the embedded store is a data directory: use it with --data"}
		}
		return t.restore(cmd.Context(), db, args[0])
	}
	return cmd
}

func (t *tool) restore(ctx context.Context, db, dir string) error {
	began, tables, rows := t.Now(), 0, int64(0)
	err := assembly.Restore(ctx, db, dir, func(table string, n int64) {
		tables, rows = tables+1, rows+n
		if !t.json {
			fmt.Fprintf(t.Stderr, "%s: %d rows\n", table, n)
		}
	})
	if err != nil {
		return err
	}
	took := t.Now().Sub(began)
	if t.json {
		return t.printJSON(map[string]any{"dir": dir, "tables": tables, "rows": rows, "took_ms": took.Milliseconds()})
	}
	t.say("%s restored %d rows from %s in %s", t.screen().Good("✓"), rows, dir, show.Duration(took))
	return nil
}
