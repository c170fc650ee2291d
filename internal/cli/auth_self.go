package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

func (t *tool) passwdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "passwd NAME", Short: "Change your own password", Args: nArgs(1, 1, "your name"),
		Long: `Change your own password. You are prompted for the old and the new one, and signed
out everywhere. In scripts, pass both on standard input: the old one on the first
line, the new one on the second.`,
		Example: "assent auth passwd ann\nprintf '%s\\n' \"$OLD\" \"$NEW\" | assent auth passwd ann --password-stdin",
	}
	stdin := passwordFlag(cmd)
	return t.talking(cmd, needKeep, func(ctx context.Context, s *session, args []string) error {
		before, after, err := s.twoPasswords(*stdin)
		if err != nil {
			return err
		}
		if err := s.ChangePassword(ctx, args[0], before, after); err != nil {
			return err
		}
		s.say("%s %s has a new password and is signed out everywhere", s.screen().Good("✓"), show.Line(args[0]))
		return nil
	})
}

// twoPasswords are the current and the new password.
func (t *tool) twoPasswords(stdin bool) (before, after string, err error) {
	if !stdin {
		if !t.InTerminal || t.ReadPassword == nil {
			return "", "", &failure{code: exitUsage, err: errNoPassword,
				hint: "pass both with --password-stdin, one per line"}
		}
		if before, err = t.askPassword("Your password: "); err != nil {
			return "", "", err
		}
		after, err = t.newPassword(false)
		return before, after, err
	}
	r := bufio.NewReader(io.LimitReader(t.Stdin, 2*passwordBytes))
	for _, to := range []*string{&before, &after} {
		line, err := r.ReadString('\n')
		if err != nil && (!errors.Is(err, io.EOF) || line == "") {
			return "", "", &failure{code: exitUsage, err: fmt.Errorf("expected two passwords, one per line"),
				hint: "the old one comes first"}
		}
		*to = strings.TrimRight(line, "\r\n")
	}
	return before, after, nil
}

func (t *tool) subjectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "subject", Short: "Manage names from the identity provider", Args: noArgs,
		Long: `Manage names from the identity provider. A name belongs to the first person who signed
in with it, even if the provider later gives the same e-mail address to someone else.
Documents, delegations and stand-ins refer to people by name.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{Use: "list", Short: "List names and their owners", Args: noArgs,
		Example: "assent auth subject list"}
	release := &cobra.Command{
		Use: "release NAME", Short: "Release a name", Args: nArgs(1, 1, "a name"),
		Example: "assent auth subject release ann@example.com",
		Long: `Release a name: sessions under it end, and personal tokens of that name are revoked.
Another person with that name can then sign in, under a name of their own: everything
under the released name stays with its owner.

With --hand-over, the next person to sign in with the name gets it, with everything
under it: runs, assignments, votes. Use it when the provider now knows the same person
under another subject.`,
	}
	handOver := release.Flags().Bool("hand-over", false,
		"hand everything under the name to the next person who signs in with it")
	cmd.AddCommand(
		t.keeping(list, func(ctx context.Context, s *session, k client.Console, _ []string) error {
			return s.listSubjects(ctx, k)
		}),
		t.keeping(release, func(ctx context.Context, s *session, k client.Console, args []string) error {
			v, err := s.ReleaseSubject(ctx, k, args[0], *handOver)
			switch {
			case err != nil:
				return err
			case s.json:
				return s.printJSON(v)
			}
			if *handOver {
				s.say("%s %s and everything under it belong to the next person who signs in with it",
					s.screen().Good("✓"), show.Line(v.Name))
				return nil
			}
			s.say("%s %s is signed out everywhere; another person can use the name now", s.screen().Good("✓"), show.Line(v.Name))
			return nil
		}),
	)
	return cmd
}

func (s *session) listSubjects(ctx context.Context, k client.Console) error {
	list, err := s.Subjects(ctx, k)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No one has signed in through an identity provider yet.")
		return nil
	}
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		rows[i] = []string{show.Line(v.Name), show.Line(v.Label), show.Line(v.Issuer), show.Line(v.Subject),
			show.Moment(v.BoundAt)}
	}
	columns := []show.Column{{Title: "NAME", Min: 10}, {Title: "LABEL", Min: 10}, {Title: "PROVIDER", Min: 10},
		{Title: "SUBJECT"}, {Title: "SINCE"}}
	return show.Table(s.Stdout, s.screen(), s.width(), columns, rows)
}
