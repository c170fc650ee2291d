package cli

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) roleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "role", Short: "List and withdraw roles", Args: noArgs,
		Long: `List and withdraw roles. A role is a document: publish it with assent load, or create
it on the People page.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(t.roleListCommand(), t.roleWithdrawCommand())
	return cmd
}

func (t *tool) roleListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List roles and their permissions", Args: noArgs}
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, _ []string) error {
		list, err := s.Roles(ctx, k)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		rows := make([][]string, len(list.Items))
		for i, r := range list.Items {
			workflows := show.Line(strings.Join(r.Workflows, ", "))
			if r.Every {
				workflows = "all"
			}
			rows[i] = []string{show.Line(r.Name), roleSource(r), show.Or(workflows, "none"),
				show.Or(show.Line(strings.Join(r.Permissions, ", ")), "none")}
		}
		columns := []show.Column{{Title: "ROLE", Min: 10}, {Title: "SOURCE"}, {Title: "WORKFLOWS"},
			{Title: "PERMISSIONS", Min: 20}}
		return show.Table(s.Stdout, s.screen(), s.width(), columns, rows)
	})
}

func roleSource(r contract.RoleView) string {
	switch {
	case r.Withdrawn:
		return "withdrawn"
	case r.BuiltIn:
		return "built in"
	}
	return "document"
}

func (t *tool) roleWithdrawCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "withdraw NAME", Short: "Withdraw a role", Args: nArgs(1, 1, "the name of a role"),
		Long: `Withdraw a role: from their next request on, it grants its holders nothing. Refused
while a published document, an account, a token or a stand-in needs the role, unless
you set --force. Built-in roles cannot be withdrawn.`,
		Example: "assent auth role withdraw starter",
	}
	force := cmd.Flags().Bool("force", false, "withdraw it even if it is still needed")
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		v, err := s.WithdrawRole(ctx, k, args[0], *force)
		switch {
		case err != nil:
			return err
		case s.json:
			return s.printJSON(v)
		}
		s.say("%s withdrew role %s; it no longer grants permissions", s.screen().Good("✓"), show.Line(v.Name))
		return nil
	})
}
