package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/port"
	"github.com/spf13/cobra"
)

func (t *tool) authCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "auth", Short: "Manage accounts and tokens", GroupID: groupServer, Args: noArgs,
		Long: `Manage the accounts of people who sign in with a password, and the tokens of
programs. On the server's machine this needs read access to its data directory;
from elsewhere it needs the token of an administrator.`,
		Example: "assent auth add ann --roles admin\nassent auth token add nightly --kind service --roles " +
			"approver\nassent auth why bob apr_…",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(t.authAddCommand(), t.authPasswordCommand(), t.authRolesCommand(), t.authListCommand(),
		t.authSwitchCommand("disable", "Disable an account and sign the person out everywhere", true),
		t.authSwitchCommand("enable", "Enable a disabled account", false),
		t.authRemoveCommand(), t.authWhyCommand(), t.authMayCommand(), t.authStandInCommand(), t.tokenCommand(),
		t.roleCommand(),
		t.passwdCommand(), t.subjectCommand())
	return cmd
}

// keeping is a command about accounts or tokens.
func (t *tool) keeping(cmd *cobra.Command,
	do func(context.Context, *session, client.Console, []string) error) *cobra.Command {
	return t.talking(cmd, needKeep, func(ctx context.Context, s *session, args []string) error {
		return do(ctx, s, s.console(), args)
	})
}

// console is the credential of a caller who may read the data directory. A caller with a token acts as its
// owner instead.
func (s *session) console() client.Console {
	if s.HasToken() {
		return ""
	}
	return client.Console(s.token)
}

func passwordFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("password-stdin", false, "read the password from standard input")
}

func (t *tool) authAddCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Create an account", Args: nArgs(1, 1, "a name"),
		Long: `Create an account for a person who signs in with a password. You are prompted for
the password; in scripts, pass it on standard input.`,
		Example: "assent auth add ann --roles admin\nassent auth add bob --roles approver,reviewer " +
			"--password-stdin < password.txt",
	}
	roles := cmd.Flags().String("roles", "", "the person's roles, comma-separated")
	stdin := passwordFlag(cmd)
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		password, err := s.newPassword(*stdin)
		if err != nil {
			return err
		}
		held := splitRoles(*roles)
		a, err := s.PutAccount(ctx, k, args[0], string(port.OnlyCreate),
			contract.AccountChange{Password: &password, Roles: &held})
		return s.tellAccount(a, err, "can sign in")
	})
}

func (t *tool) authPasswordCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "set-password NAME", Short: "Change the password of an account", Args: nArgs(1, 1, "a name"),
		Long:    "Change the password of an account. The person is signed out everywhere.",
		Example: "assent auth set-password ann",
	}
	stdin := passwordFlag(cmd)
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		password, err := s.newPassword(*stdin)
		if err != nil {
			return err
		}
		a, err := s.PutAccount(ctx, k, args[0], string(port.OnlyChange), contract.AccountChange{Password: &password})
		return s.tellAccount(a, err, "has a new password and is signed out everywhere")
	})
}

func (t *tool) authRolesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "set-roles NAME ROLES", Short: "Change the roles of an account",
		Args:    nArgs(2, 2, "a name", "comma-separated roles"),
		Long:    `Change the roles of an account. They apply from the next request on; "" removes all.`,
		Example: "assent auth set-roles bob approver,reviewer",
	}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		held := splitRoles(args[1])
		a, err := s.PutAccount(ctx, k, args[0], string(port.OnlyChange), contract.AccountChange{Roles: &held})
		return s.tellAccount(a, err, "has new roles")
	})
}

func (t *tool) authSwitchCommand(use, short string, disabled bool) *cobra.Command {
	cmd := &cobra.Command{Use: use + " NAME", Short: short, Args: nArgs(1, 1, "a name"),
		Example: "assent auth " + use + " ann"}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		a, err := s.PutAccount(ctx, k, args[0], string(port.OnlyChange), contract.AccountChange{Disabled: &disabled})
		if disabled {
			return s.tellAccount(a, err, "can no longer sign in and is signed out everywhere")
		}
		return s.tellAccount(a, err, "can sign in again")
	})
}

func (t *tool) authRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Remove an account", Args: nArgs(1, 1, "a name"), Example: "assent auth remove ann",
		Long: `Remove an account. The person is signed out everywhere, and personal tokens of
that name are revoked. The person's actions stay in the audit log.`,
	}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		a, err := s.RemoveAccount(ctx, k, args[0])
		return s.tellAccount(a, err, "no longer has an account")
	})
}

func (s *session) tellAccount(a contract.AccountView, err error, what string) error {
	switch {
	case err != nil:
		return err
	case s.json:
		return s.printJSON(a)
	}
	s.say("%s %s %s; roles: %s", s.screen().Good("✓"), show.Line(a.Name), what,
		show.Or(show.Line(strings.Join(a.Roles, ", ")), "none"))
	return nil
}

func (t *tool) authListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List accounts", Args: noArgs, Example: "assent auth list"}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, _ []string) error {
		list, err := s.Accounts(ctx, k)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		if len(list.Items) == 0 {
			s.say("There are no accounts yet. Create one: assent auth add NAME --roles admin")
			return nil
		}
		rows := make([][]string, len(list.Items))
		for i, a := range list.Items {
			state, seen := "active", "never"
			if a.Disabled {
				state = "disabled"
			}
			if a.SignedInAt != nil {
				seen = show.Moment(*a.SignedInAt)
			}
			rows[i] = []string{show.Line(a.Name), state, show.Line(strings.Join(a.Roles, ", ")), seen}
		}
		columns := []show.Column{{Title: "NAME", Min: 10}, {Title: "ACCOUNT"},
			{Title: "ROLES", Min: 10}, {Title: "SIGNED IN"}}
		return show.Table(s.Stdout, s.screen(), s.width(), columns, rows)
	})
}

// newPassword prompts for a password twice without echo, or reads it from stdin.
func (t *tool) newPassword(stdin bool) (string, error) {
	if stdin {
		return readPassword(t.Stdin)
	}
	if !t.InTerminal || t.ReadPassword == nil {
		return "", &failure{code: exitUsage, err: errNoPassword, hint: "pass it with --password-stdin"}
	}
	first, err := t.askPassword("Password (at least 12 characters; a few words work well): ")
	if err != nil {
		return "", err
	}
	second, err := t.askPassword("Again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", usage("the passwords do not match")
	}
	return first, nil
}

func (t *tool) askPassword(label string) (string, error) {
	fmt.Fprint(t.Stderr, label)
	b, err := t.ReadPassword()
	fmt.Fprintln(t.Stderr)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return string(b), nil
}

// passwordBytes is more than any valid password, to detect one that is too long.
const passwordBytes = 4096

func readPassword(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, passwordBytes))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
}
