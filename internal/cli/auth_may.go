package cli

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/rights"
	"github.com/spf13/cobra"
)

func (t *tool) authMayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "may USER [ACTION]", Short: "Explain what a person or program may do, and why",
		Args: nArgs(1, 2, "a name", "an action such as start, stop or approve"),
		Long: `Explain for each action whether a person or program may take it, and by which
role or rule, or what is missing. The roles are those of the person's account;
--roles tries others. For a token of a program, set --kind and --roles.`,
		Example: "assent auth may bob --workflow refund-email\nassent auth may bob stop\n" +
			"assent auth may nightly start --kind service --roles starter --workflow refund-email",
	}
	var q client.MayQuery
	roles := cmd.Flags().String("roles", "", "roles to check instead of those of the account, comma-separated")
	cmd.Flags().StringVar(&q.As, "kind", "", "the kind of principal: person (default), service or agent")
	cmd.Flags().StringVar(&q.Workflow, "workflow", "", "the workflow of the run or approval")
	cmd.Flags().StringVar(&q.Kind, "approval", "", "the kind of approval: approval (default), choice, input, escalation")
	cmd.Flags().StringVar(&q.Role, "asks", "", "the role that the approval asks")
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		q.User, q.Roles = args[0], splitRoles(*roles)
		v, err := s.May(ctx, k, q)
		if err != nil {
			return err
		}
		if len(args) == 2 {
			if err := oneAction(&v, args[1]); err != nil {
				return err
			}
		}
		if s.json {
			return s.printJSON(v)
		}
		return s.showMay(v)
	})
}

// oneAction leaves only the action with a name.
func oneAction(v *rights.PermissionsView, name string) error {
	names := make([]string, len(v.Actions))
	for i, one := range v.Actions {
		if string(one.Action) == name {
			v.Actions = v.Actions[i : i+1]
			return nil
		}
		names[i] = string(one.Action)
	}
	return fault.New(fault.Invalid, name+" is not an action", "one of "+strings.Join(names, ", "))
}

func (s *session) showMay(v rights.PermissionsView) error {
	origins := make([]string, len(v.Roles))
	for i, r := range v.Roles {
		origins[i] = show.Line(r.Name) + " (" + originOf(r) + ")"
	}
	s.say("%s, %s, roles: %s", show.Line(v.User), v.Kind, show.Or(strings.Join(origins, ", "), "none"))
	if len(v.For) > 0 {
		s.say("stands in for: %s", show.Line(strings.Join(v.For, ", ")))
	}
	rows := make([][]string, len(v.Actions))
	for i, one := range v.Actions {
		rows[i] = explained(string(one.Action), one.Allowed, one.Because)
	}
	if err := s.showExplained("ACTION", rows); err != nil {
		return err
	}
	if len(v.Actions) == 1 && len(v.Actions[0].WithRole) > 0 {
		s.say("roles that would allow it: %s", show.Line(strings.Join(v.Actions[0].WithRole, ", ")))
	}
	return nil
}

func originOf(r rights.RoleOrigin) string {
	switch {
	case r.Withdrawn:
		return "withdrawn"
	case r.BuiltIn:
		return "built in"
	case r.Version > 0:
		return "saved by " + show.Line(r.By)
	}
	return "only a name"
}
