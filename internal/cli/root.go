package cli

import (
	"strings"

	"github.com/assent-run/assent/internal/cli/config"
	"github.com/spf13/cobra"
)

// The groups of the help page.
const (
	groupDecide = "decide"
	groupRuns   = "runs"
	groupRules  = "rules"
	groupWrite  = "write"
	groupServer = "server"
)

// root is the root command.
func (t *tool) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "assent",
		Version: t.Build.String(),
		Short:   "Agents propose. People decide. Nothing is lost.",
		Long: `Assent runs workflows of agents and pauses them for approval where your rules require it.

Without a command, it starts a local server with the examples loaded.`,
		Example: "assent\nassent run ./flows/refund.yaml --input @order.json --watch\nassent inbox\nassent approve apr_…",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return t.serve(cmd, demoIfNew) },
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			t.remember(cmd)
		},
		SilenceUsage: true, SilenceErrors: true,
	}
	config.AddFlags(root.Flags())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%w", err) })
	root.SetHelpFunc(t.help)
	root.AddGroup(
		&cobra.Group{ID: groupDecide, Title: "Decisions"}, &cobra.Group{ID: groupRuns, Title: "Runs"},
		&cobra.Group{ID: groupRules, Title: "Rules"}, &cobra.Group{ID: groupWrite, Title: "Workflows"},
		&cobra.Group{ID: groupServer, Title: "Server"},
	)
	root.SetHelpCommandGroupID(groupServer)
	root.SetCompletionCommandGroupID(groupServer)
	root.AddCommand(t.commands()...)
	return root
}

// noArgs rejects arguments. On a group of commands, they are unknown commands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := config.Nearest(args[0], names); near != "" {
		return usage("unknown command %q; did you mean %q?", args[0], near)
	}
	return usage("unknown command %q; see: %s --help", args[0], cmd.CommandPath())
}

// nArgs requires that many arguments, named in the error.
func nArgs(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s needs %s", cmd.CommandPath(), strings.Join(names[:least], " and "))
		case most >= 0 && len(args) > most:
			return usage("%s: unexpected argument %q", cmd.CommandPath(), args[most])
		}
		return nil
	}
}
