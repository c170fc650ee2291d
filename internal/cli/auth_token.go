package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Manage tokens", Args: noArgs,
		Long: `Manage tokens. A token is sent as "Authorization: Bearer …";
commands read it from ASSENT_TOKEN.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(t.tokenAddCommand(), t.tokenListCommand(), t.tokenRemoveCommand())
	return cmd
}

func (t *tool) tokenAddCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Create a token and print its secret once", Args: nArgs(1, 1, "a name"),
		Long: `Create a token and print its secret, which is shown only once. The token acts under
its name: as a service, as an agent (agents can never decide), or as a person.`,
		Example: "assent auth token add nightly --kind service --roles starter\nexport ASSENT_TOKEN=$(assent auth token " +
			"add ci --roles admin --expires 1d)",
	}
	kind := cmd.Flags().String("kind", "service", "kind of identity: service, agent or person")
	roles := cmd.Flags().String("roles", "", "its roles, comma-separated")
	expires := cmd.Flags().String("expires", "90d",
		"when it expires: after a duration such as 90d, on a day such as 2027-01-31, or never")
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		until, err := untilWhen(*expires, s.Now())
		if err != nil {
			return err
		}
		made, err := s.NewToken(ctx, k, contract.NewToken{Name: args[0], Kind: contract.TokenKind(*kind),
			Roles: splitRoles(*roles), ExpiresAt: until})
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(made)
		}
		// Only the token goes to stdout, so that a script can capture it.
		s.say("%s", made.Secret)
		fmt.Fprintf(s.Stderr, "%s: %s, kind %s; roles: %s; %s. The secret above is not shown again.\n",
			made.ID, show.Line(made.Name), made.Kind,
			show.Or(show.Line(strings.Join(made.Roles, ", ")), "none"), lasts(made.ExpiresAt))
		return nil
	})
}

func lasts(until *time.Time) string {
	if until == nil {
		return "it never expires"
	}
	return "it expires " + show.Moment(*until)
}

// untilWhen parses when something ends; nil is never.
func untilWhen(text string, now time.Time) (*time.Time, error) {
	if text == "never" {
		return nil, nil
	}
	at, ok := ahead(text, now)
	if !ok {
		return nil, usage("--expires %s: write a duration such as 90d, a day such as 2027-01-31, or never", text)
	}
	return &at, nil
}

func (t *tool) tokenListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List tokens, without their secrets", Args: noArgs,
		Example: "assent auth token list"}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, _ []string) error {
		list, err := s.Tokens(ctx, k)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		if len(list.Items) == 0 {
			s.say("There are no tokens yet. Create one: assent auth token add NAME")
			return nil
		}
		rows := make([][]string, len(list.Items))
		for i, v := range list.Items {
			rows[i] = []string{show.Line(v.Name), string(v.Kind), show.Line(strings.Join(v.Roles, ", ")), orNever(v.ExpiresAt),
				orNever(v.LastUsedAt), v.ID}
		}
		columns := []show.Column{{Title: "NAME", Min: 10}, {Title: "KIND"}, {Title: "ROLES", Min: 10}, {Title: "EXPIRES"},
			{Title: "USED"}, {Title: "ID", Under: true}}
		return show.Table(s.Stdout, s.screen(), s.width(), columns, rows)
	})
}

func orNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return show.Moment(*t)
}

func (t *tool) tokenRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "remove ID", Short: "Revoke a token", Args: nArgs(1, 1, "the id of a token"),
		Example: "assent auth token remove tok_…"}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		v, err := s.RemoveToken(ctx, k, args[0])
		switch {
		case err != nil:
			return err
		case s.json:
			return s.printJSON(v)
		}
		s.say("%s %s is revoked", s.screen().Good("✓"), show.Line(v.Name))
		return nil
	})
}
