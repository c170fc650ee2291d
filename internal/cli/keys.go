package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/seal"
	"github.com/spf13/cobra"
)

func (t *tool) keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "keys", Short: "Manage encryption keys", GroupID: groupServer, Args: noArgs,
		Long: `Manage encryption keys. The setting encryption_keys lists them, the one for new
values first. A running server reads the setting again on assent keys rotate.`,
		Example: "assent keys new --out /etc/assent/key-2\nassent keys list\nassent keys rotate\nassent keys encrypt",
	}
	list := t.keysListCommand()
	cmd.AddCommand(list, t.keysNewCommand(), t.keysRotateCommand(), t.keysEncryptCommand())
	t.accessFlags(cmd)
	cmd.RunE = list.RunE
	return cmd
}

func (t *tool) keysNewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "new", Short: "Create a key", Args: noArgs,
		Long: `Create a key: 32 random bytes in base64. Store it apart from the data and its backups.
Values encrypted with it cannot be read without it.`,
		Example: "assent keys new --out /etc/assent/key-2",
	}
	out := cmd.Flags().String("out", "-", "new file, readable by its owner only; - for stdout")
	cmd.RunE = func(*cobra.Command, []string) error {
		text := seal.NewKey()
		if *out == "-" {
			t.say("%s", text)
			return nil
		}
		f, err := os.OpenFile(*out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return fail("choose another name: values encrypted with a lost key cannot be read", "%s already exists", *out)
		}
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, text+"\n")
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
		key, err := seal.ParseKey(text)
		if err != nil {
			return err
		}
		path, err := filepath.Abs(*out)
		if err != nil {
			return err
		}
		t.say("%s key %s is in %s", t.screen().Good("✓"), key.ID(), *out)
		t.say("  put it first in encryption_keys: ${file:%s}", path)
		return nil
	}
	return cmd
}

func (t *tool) keysListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys and which of them are still needed", Args: noArgs,
		Long: `Show the keys in force by id, and how many data keys each one wraps. A key that wraps
none is no longer needed and can be removed from the settings.`,
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		var out host.AdminAnswer
		if err := s.keys(ctx, host.Admin{Keys: host.KeysList}, &out); err != nil {
			return err
		}
		if s.json {
			return s.printJSON(map[string]any{"items": out.Keys})
		}
		return s.keyTable(out.Keys)
	})
}

func (s *session) keyTable(keys []seal.KeyState) error {
	if len(keys) == 0 {
		s.say("No key is configured, and nothing is encrypted.")
		return nil
	}
	theme := s.screen()
	columns := []show.Column{{Title: "KEY"}, {Title: "CONFIGURED"},
		{Title: "DATA KEYS", Right: true}, {Title: "NEEDED"}}
	rows := make([][]string, len(keys))
	for i, k := range keys {
		where, needed := "yes", "no"
		switch {
		case k.First:
			where = "first"
		case !k.Here:
			where = theme.Bad("missing")
		}
		if k.DataKeys > 0 || k.First {
			needed = "yes"
		}
		rows[i] = []string{k.ID, where, fmt.Sprint(k.DataKeys), needed}
	}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}

func (t *tool) keysRotateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rotate", Short: "Rotate to the first key in the settings, even while a server is running", Args: noArgs,
		Long: `Read encryption_keys again and rotate to its first key: the data keys are encrypted
again in one transaction, and the values stay as they are. With --values, they are
encrypted again as well, under a new data key and in batches; if that is interrupted,
run the same command again to continue.`,
		Example: "assent keys rotate\nassent keys rotate --values",
	}
	values := cmd.Flags().Bool("values", false, "also encrypt all values again")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		var out host.AdminAnswer
		if err := s.keys(ctx, host.Admin{Keys: host.KeysRotate, By: s.by}, &out); err != nil {
			return err
		}
		if !s.json {
			s.say("%s key %s is in force; %s", s.screen().Good("✓"), out.Keys[0].ID,
				counted(out.Rewrapped, "data key was encrypted again", "data keys were encrypted again"))
		}
		if *values {
			return s.rewrite(ctx, host.KeysRewrite)
		}
		if s.json {
			return s.printJSON(map[string]any{"items": out.Keys, "rewrapped": out.Rewrapped})
		}
		return nil
	})
}

func (t *tool) keysEncryptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "encrypt", Short: "Encrypt values stored before a key was set, even while a server is running", Args: noArgs,
		Long: `Encrypt values that were stored before a key was set, in batches. If interrupted, run
the command again to continue.`,
	}
	return t.looking(cmd, func(ctx context.Context, s *session,
		_ []string) error {
		return s.rewrite(ctx, host.KeysEncrypt)
	})
}

// rewrite requests one part after the other.
func (s *session) rewrite(ctx context.Context, how string) error {
	var last seal.Rewriting
	var damaged []string
	line := s.ErrTerminal && !s.plain && !s.json
	for !last.Done {
		var out host.AdminAnswer
		if err := s.keys(ctx, host.Admin{Keys: how, By: s.by}, &out); err != nil {
			return err
		}
		last = *out.Rewriting
		damaged = append(damaged, last.Damaged...)
		if line {
			fmt.Fprintf(s.Stderr, "\r\x1b[Kencrypting: %d of %d rows checked", min(last.Looked, last.Total), last.Total)
		}
	}
	if line {
		fmt.Fprint(s.Stderr, "\r\x1b[K")
	}
	last.Damaged = damaged
	if s.json {
		return s.printJSON(last)
	}
	s.say("%s %s encrypted", s.screen().Good("✓"), counted(int(last.Rewritten), "value was", "values were"))
	for _, name := range damaged {
		s.say("%s %s is damaged and was left unchanged", s.screen().Bad("✗"), name)
	}
	if len(damaged) > 0 {
		return quiet(exitFailed)
	}
	return nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// keys asks the process that has the store open.
func (s *session) keys(ctx context.Context, ask host.Admin, out *host.AdminAnswer) error {
	if s.token == "" {
		return fail("run it where the server runs, with its --data",
			"%s keeps its keys in its data directory, which is not on this machine", s.Base())
	}
	return s.admin(ctx, host.AdminKeys, ask, out)
}

// encryptionKeys reads the keys in the settings and warns about problems with their storage.
func (t *tool) encryptionKeys(c *config.Config) ([]seal.Key, error) {
	keys, warnings, err := c.Keys()
	for _, w := range warnings {
		fmt.Fprintf(t.Stderr, "assent: %s\n", w)
	}
	return keys, err
}
