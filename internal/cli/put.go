package cli

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

func (t *tool) loadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "load FILE…", Short: "Publish the documents of files and folders", GroupID: groupWrite,
		Args: nArgs(1, -1, "a file or a folder"),
		Long: `Put the documents of files and folders in force, of every kind, such as workflows,
agents, tools, roles, channels and the policy. Unchanged documents are left alone. A
document whose file has been removed from a folder is withdrawn.

On a server of another machine, documents are sent to the API one by one, and none is
withdrawn. The API accepts every kind except tools, MCP servers and prices, which are
named in a message; that server reads them from its own folders (--load).

A document that would break published workflows or agents is refused, with a list of
them. With --force it is published anyway, and the audit log records that.`,
		Example: "assent load ./flows\nassent load agents.yaml --force",
	}
	force := cmd.Flags().Bool("force", false, "publish even if published workflows or agents become invalid")
	return t.talking(cmd, needKeep, func(ctx context.Context, s *session, args []string) error {
		return s.loadPaths(ctx, args, *force)
	})
}

// loadPaths loads through a server with access to our disk, else one document at a time.
func (s *session) loadPaths(ctx context.Context, paths []string, force bool) error {
	var published, withdrawn []string
	var problems []definition.Problem
	if s.token != "" {
		answer, err := s.load(ctx, force, paths...)
		if err != nil {
			return err
		}
		published, withdrawn, problems = answer.Published, answer.Withdrawn, answer.Problems
	} else {
		for _, path := range paths {
			set, wrong := definition.LoadPath(path)
			found, sent, err := s.send(ctx, path, set, wrong, force)
			published, problems = append(published, sent...), append(problems, found...)
			if err != nil {
				return err
			}
		}
	}
	wrong := definition.Errors(problems)
	if s.json {
		err := s.printJSON(map[string]any{
			"published": orEmpty(published), "withdrawn": orEmpty(withdrawn),
			"problems": append([]definition.Problem{}, wrong...),
			"warnings": append([]definition.Problem{}, warnings(problems)...),
		})
		if err != nil {
			return err
		}
	} else {
		s.tellPut(published, withdrawn, problems)
	}
	if len(wrong) > 0 {
		return quiet(exitFailed)
	}
	return nil
}

func orEmpty(words []string) []string { return append([]string{}, words...) }

func (s *session) tellPut(published, withdrawn []string, problems []definition.Problem) {
	if wrong := definition.Errors(problems); len(wrong) > 0 {
		so := "the other documents are in force"
		if len(published) == 0 {
			so = "nothing was published"
		}
		s.tellProblems(problems, so)
	} else {
		theme := s.screen()
		for _, p := range worthTelling(problems) {
			s.say("%s", problemLine(p, theme.Warn("warning")))
		}
	}
	for _, line := range []struct {
		what  string
		names []string
	}{{"published", published}, {"no longer in force", withdrawn}} {
		if len(line.names) > 0 {
			s.say("%s %s: %s", s.screen().Good("✓"), line.what, show.Clean(strings.Join(line.names, ", ")))
		}
	}
	if len(published)+len(withdrawn) == 0 && len(definition.Errors(problems)) == 0 {
		s.say("Nothing changed")
	}
}
