package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/cli/config"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(t.help)
	root.AddGroup(
		&cobra.Group{ID: groupDecide, Title: "Decisions"}, &cobra.Group{ID: groupRuns, Title: "Runs"},
		&cobra.Group{ID: groupRules, Title: "Rules"}, &cobra.Group{ID: groupWrite, Title: "Workflows"},
		&cobra.Group{ID: groupServer, Title: "Server"},
	)
	root.SetHelpCommand(helpCommand())
	root.SetCompletionCommandGroupID(groupServer)
	root.AddCommand(t.commands()...)
	root.SetOut(t.Stdout)
	root.InitDefaultCompletionCmd()
	describeCompletion(root)
	return root
}

// helpCommand replaces cobra's, which prints the page of assent for an unknown command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command", GroupID: groupServer,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) (
			names []cobra.Completion, _ cobra.ShellCompDirective) {
			if of, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range of.Commands() {
					if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if of.HasSubCommands() {
				if err := noArgs(of, rest); err != nil {
					return err
				}
			}
			return of.Help()
		},
	}
}

// describeCompletion replaces the words of the command that cobra adds.
func describeCompletion(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Use, cmd.Short = "completion SHELL", "Print a completion script for your shell"
		cmd.Long = "Print a script that completes commands, flags and ids in your shell. " +
			"To see how to load it: assent completion SHELL --help"
		cmd.Args, cmd.RunE = noArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, c := range cmd.Commands() {
			c.Short = "Print the script for " + c.Name()
		}
	}
}

// flagError reports an unknown flag or an invalid value.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() { // a misspelt command has other flags
		if unknown := noArgs(cmd, cmd.Flags().Args()); unknown != nil {
			return unknown
		}
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		switch f := bad.GetFlag(); f.Value.Type() {
		case "int":
			return usage("--%s: %q is not a whole number", f.Name, bad.GetValue())
		case "float64":
			return usage("--%s: %q is not a number", f.Name, bad.GetValue())
		case "bool":
			return usage("--%s: %q is neither true nor false", f.Name, bad.GetValue())
		default:
			return usage("--%s: %w", f.Name, bad.Unwrap())
		}
	}
	return &failure{code: exitUsage, err: err, hint: "see: " + cmd.CommandPath() + " --help"}
}

// noArgs rejects arguments. On a group of commands, they are unknown commands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage("%s takes no arguments, got %q", shortPath(cmd), args[0])
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
			return &failure{code: exitUsage, hint: "see: " + cmd.CommandPath() + " --help",
				err: fmt.Errorf("%s needs %s", shortPath(cmd), strings.Join(names[:least], " and "))}
		case most >= 0 && len(args) > most:
			return usage("%s: unexpected argument %q", shortPath(cmd), args[most])
		}
		return nil
	}
}

// shortPath is the path of a command without the program, with whose name every error begins.
func shortPath(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
