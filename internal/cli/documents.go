package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

func kindNames(kinds []definition.Kind) []string {
	var out []string
	for _, k := range kinds {
		out = append(out, string(k))
	}
	return out
}

func (t *tool) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema [KIND]", Short: "Print the JSON Schema of documents, for editors", GroupID: groupWrite,
		Long: "Print the JSON Schema of one kind of document, or of all of them: " +
			strings.Join(kindNames(definition.Kinds), ", ") + ".",
		Example: "assent schema > assent.schema.json\nassent schema workflow", Args: nArgs(0, 1, "a kind"),
		ValidArgs: kindNames(definition.Kinds),
		RunE: func(_ *cobra.Command, args []string) error {
			kind := ""
			if len(args) == 1 {
				kind = args[0]
			}
			raw := definition.Schema(kind)
			if raw == nil {
				return usage("unknown kind %q; use one of %s", kind, strings.Join(kindNames(definition.Kinds), ", "))
			}
			var out bytes.Buffer
			if err := json.Indent(&out, raw, "", "  "); err != nil {
				return err
			}
			t.say("%s", out.String())
			return nil
		},
	}
}

func (t *tool) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "export NAME", Short: "Write a document as YAML", GroupID: groupWrite,
		Args:              nArgs(1, 1, "the name of a document"),
		Long:              "Write a published document as YAML. Literal secrets are shown as ***.",
		Example:           "assent export refund-email > refund.yaml\nassent export mailer --kind agent",
		ValidArgsFunction: t.complete(workflowNames),
	}
	kind := cmd.Flags().String("kind", string(definition.KindWorkflow), "kind of document: "+
		strings.Join(kindNames(client.Kinds), ", "))
	version := cmd.Flags().Int("version", 0, "this version instead of the one in force")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if !slices.Contains(client.Kinds, definition.Kind(*kind)) {
			return usage("--kind %s: use one of %s", *kind, strings.Join(kindNames(client.Kinds), ", "))
		}
		v, err := s.Document(ctx, definition.Kind(*kind), args[0], *version)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		_, err = fmt.Fprint(s.Stdout, show.Clean(v.YAML))
		return err
	})
}

func (t *tool) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Print the settings in force and where they come from", GroupID: groupServer, Args: noArgs,
		Long: "Print the settings in force and where each comes from: a flag, the environment, a file or the " +
			"default. Passwords are masked.",
	}
	config.AddFlags(cmd.Flags())
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Flags().Bool("plain", false, "disable colours")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.FromFlags(cmd.Flags(), t.Getenv)
		if err != nil {
			return &failure{code: exitUsage, err: err}
		}
		values := c.Values()
		if t.json {
			return t.printJSON(map[string]any{"file": c.File, "settings": values})
		}
		rows := make([][]string, len(values))
		for i, v := range values {
			rows[i] = []string{v.Name, show.Or(v.Value, t.screen().Dim("–")), t.screen().Dim(v.From)}
		}
		return show.Table(t.Stdout, t.screen(), 0, []show.Column{{Title: "SETTING"}, {Title: "VALUE"}, {Title: "FROM"}}, rows)
	}
	return cmd
}

func (t *tool) versionCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Print the version", GroupID: groupServer, Args: noArgs}
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		if t.json {
			return t.printJSON(map[string]string{
				"version": t.Build.Version, "commit": t.Build.Commit, "date": t.Build.Date, "go": runtime.Version(),
				"os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		t.say("assent %s", t.Build)
		return nil
	}
	return cmd
}
