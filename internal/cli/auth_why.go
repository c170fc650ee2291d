package cli

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) authWhyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "why USER APPROVAL", Short: "Explain who may decide, and why",
		Args: nArgs(2, 2, "a name", "the id of an approval"),
		Long: `Explain for each act on an approval whether a person may do it, and by which
role or rule, or what is missing. The roles are those of the
person's account; --roles tries others.`,
		Example: "assent auth why bob apr_…\nassent auth why bob apr_… --roles reviewer,finance",
	}
	roles := cmd.Flags().String("roles", "", "roles to check instead of those of the account, comma-separated")
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		v, err := s.Why(ctx, k, args[0], args[1], splitRoles(*roles))
		switch {
		case err != nil:
			return err
		case s.json:
			return s.printJSON(v)
		}
		s.say("%s, roles: %s; %s of %s is %s", show.Line(v.User), show.Or(show.Line(strings.Join(v.Roles, ", ")), "none"),
			v.Approval, show.Line(v.Workflow), v.Status)
		rows := make([][]string, len(v.Acts))
		for i, one := range v.Acts {
			rows[i] = explained(one.Act, one.Allowed, one.Because)
		}
		return s.showExplained("ACT", rows)
	})
}

// explained is a row of showExplained.
func explained(what string, allowed bool, because string) []string {
	word := "no"
	if allowed {
		word = "yes"
	}
	return []string{what, word, show.Line(because)}
}

// showExplained lists what is allowed, and why.
func (s *session) showExplained(what string, rows [][]string) error {
	return show.Table(s.Stdout, s.screen(), s.width(),
		[]show.Column{{Title: what}, {Title: "ALLOWED"}, {Title: "WHY", Min: 20}}, rows)
}
