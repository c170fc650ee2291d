package cli

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "audit", Short: "View, export and verify the audit log", GroupID: groupServer, Args: noArgs,
		Long: `List audit entries, newest first: decisions, changes, starts and refused requests.
Every entry contains the hash of the one before it, and the head of the log is signed,
so anyone with a copy can verify it without this server.`,
		Example: "assent audit --target run_… --outcome refused\nassent audit verify\nassent audit export --out " +
			"audit.jsonl\nassent audit proof run_… --out run.proof.json",
	}
	query := auditFlags(cmd)
	limit := cmd.Flags().Int("limit", 20, "maximum number of rows")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		q := query()
		filtered := len(q) > 0
		q.Set("limit", itoa(*limit))
		list, err := s.Audit(ctx, q)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		return s.auditTable(list, filtered)
	})
	cmd.AddCommand(t.auditVerifyCommand(), t.auditExportCommand(), t.auditHeadCommand(), t.auditKeyCommand(),
		t.auditProofCommand(), t.auditConsistencyCommand(), t.auditRedactCommand(), t.auditAcceptCommand(),
		t.auditRotateCommand())
	return cmd
}

// auditFlags are the filters of the log.
func auditFlags(cmd *cobra.Command) func() url.Values {
	f := cmd.Flags()
	q := map[string]*string{
		"actor":   f.String("actor", "", "only actions of this person or program"),
		"action":  f.String("action", "", "only this action, such as approval.decided"),
		"target":  f.String("target", "", "only entries about this id; for a run, everything that belongs to it"),
		"outcome": f.String("outcome", "", "only this outcome: done or refused"),
		"since":   f.String("since", "", "only since then: a duration such as 30d, or a time"),
		"until":   f.String("until", "", "only until then: a duration such as 1h, or a time"),
	}
	return func() url.Values {
		out := url.Values{}
		for name, v := range q {
			if *v != "" {
				out.Set(name, *v)
			}
		}
		return out
	}
}

func (s *session) auditTable(list view.List[port.AuditEntry], filtered bool) error {
	if len(list.Items) == 0 {
		if filtered {
			s.say("No matches.")
		} else {
			s.say("The audit log is empty.")
		}
		return nil
	}
	theme := s.screen()
	columns := []show.Column{{Title: "N", Right: true}, {Title: "AT"}, {Title: "WHO", Min: 8}, {Title: "ACTION", Min: 12},
		{Title: "TARGET", Min: 16}, {Title: "OUTCOME"}, {Title: "DETAIL", Min: 24, Under: true, Whole: true}}
	rows := make([][]string, len(list.Items))
	for i, e := range list.Items {
		outcome := string(e.Outcome)
		if e.Outcome == port.AuditRefused {
			outcome = theme.Bad(outcome)
		}
		rows[i] = []string{fmt.Sprint(e.N), show.Moment(e.At), show.Who(e.Actor), e.Action, show.Line(e.Target), outcome,
			theme.Dim(show.Line(string(e.Detail)))}
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	tellMore(s, list, "--limit, or write them to a file: assent audit export")
	return nil
}

func (t *tool) auditExportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "export", Short: "Write the audit log to a file", Args: noArgs,
		Long: `Write the audit log to a file. jsonl is the whole log with a signed head at its end,
for assent audit verify. csv is a table for spreadsheets and accepts the filters of
assent audit.`,
		Example: "assent audit export --out audit.jsonl\nassent audit export --format csv --since 30d --out audit.csv",
	}
	query := auditFlags(cmd)
	format := cmd.Flags().String("format", "jsonl", "file format: jsonl or csv")
	out := cmd.Flags().String("out", "-", "output file; - for stdout")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		switch {
		case *format != "jsonl" && *format != "csv":
			return usage("--format is jsonl or csv, not %q", *format)
		case *format == "jsonl" && len(query()) > 0:
			return usage("a filtered log cannot be verified: remove the filters, or use --format csv")
		}
		return nil
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		write := func(w io.Writer) error { return s.ExportAudit(ctx, w) }
		if *format == "csv" {
			write = func(w io.Writer) error { return s.TabulateAudit(ctx, query(), w) }
		}
		if *out == "-" {
			return write(s.Stdout)
		}
		var n lineCounter
		err := s.busy("writing", func() error {
			return writeWhole(*out, func(w io.Writer) error { return write(io.MultiWriter(w, &n)) })
		})
		if err != nil {
			return err
		}
		count := int64(n) - 1 // the last line of one, or the first of the other, is not one
		if s.json {
			return s.printJSON(map[string]any{"file": *out, "entries": count})
		}
		s.say("%s %s in %s", s.screen().Good("✓"), entries(count), *out)
		return nil
	})
}

func (t *tool) auditHeadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "head", Short: "Sign and print the head of the audit log", Args: noArgs,
		Long: `Sign the head of the audit log and print it as N:HASH. Keep it out of reach of the
server's operators: assent audit verify --head then detects a log that was truncated
or rewritten.`,
		Example: "assent audit head >> heads.txt",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		v, err := s.AuditHead(ctx)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("%s", v.Head)
		return nil
	})
}

func (t *tool) auditKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "key", Short: "Print the public key that the audit log is signed with", Args: noArgs,
		Long: `Print the public key that this server signs the audit log with; with --all, earlier
keys as well. As JSON, keys come with the signatures that link each to the one before
it; keep them to check older files with a newer key (verify --keys).`,
		Example: "assent audit key > assent.pub\nassent audit key --json > keys.json",
	}
	all := cmd.Flags().Bool("all", false, "also print earlier keys, with their ids")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		v, err := s.AuditHead(ctx)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v.Keys)
		}
		for _, k := range v.Keys {
			switch {
			case *all:
				s.say("%s  %s  since %s", k.ID, k.Public, show.Moment(k.Since))
			case k.InUse:
				s.say("%s", k.Public)
			}
		}
		return nil
	})
}

func (t *tool) auditAcceptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "accept", Short: "Resume signing a log that does not continue the last signed head", Args: noArgs,
		Long: `Resume signing an audit log that does not continue the last signed head.
A server stops signing when entries or signed heads that it remembers are missing or
changed: after someone edited the database, but also after an older copy was restored.
Find out which it was first. Earlier signatures stay valid, and the reason is kept in
the audit log. Requires the server's data directory.`,
		Example: `assent audit accept --reason "restored the backup of Monday"`,
	}
	reason := cmd.Flags().String("reason", "", "the reason (kept in the audit log)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if strings.TrimSpace(*reason) == "" {
			return usage("set the reason with --reason; it is kept in the audit log")
		}
		return nil
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		if s.token == "" {
			return fail("run it where the server runs, with its --data",
				"the anchor of %s is in its data directory, which is not on this machine", s.Base())
		}
		var answer host.AdminAnswer
		ask := host.Admin{By: s.by, Reason: *reason}
		if err := s.admin(ctx, host.AdminAccept, ask, &answer); err != nil {
			return err
		}
		if s.json {
			return s.printJSON(answer.Head)
		}
		s.say("%s signing resumes after entry %d", s.screen().Good("✓"), answer.Head.N)
		return nil
	})
}

func (t *tool) auditRotateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rotate", Short: "Replace the key that signs the audit log", Args: noArgs,
		Long: `Replace the key that signs the audit log. The old and the new key sign each other,
and the rotation is recorded in the audit log: assent audit verify --key then accepts
either key. The old private key is deleted. Requires the server's data directory.
If the key comes from the setting audit_key, set audit_key to the new key and
audit_key_previous to the old one instead, and restart.`,
		Example: "assent audit rotate",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		if s.token == "" {
			return fail("run it where the server runs, with its --data",
				"the key of %s is in its data directory, which is not on this machine", s.Base())
		}
		var answer host.AdminAnswer
		if err := s.admin(ctx, host.AdminRotate, host.Admin{By: s.by}, &answer); err != nil {
			return err
		}
		if s.json {
			return s.printJSON(answer.Key)
		}
		s.say("%s the audit log is now signed with %s", s.screen().Good("✓"), answer.Key.Public)
		return nil
	})
}

func (t *tool) auditConsistencyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "consistency HEAD [HEAD]", Short: "Prove that one signed head of the log follows another",
		Args: nArgs(1, 2, "a head that you kept, N:HASH"),
		Long: `Write a proof that the log continues from a head you kept (N:HASH, from assent audit
head) to another one, or to its current end. Check it with assent audit verify --head,
without this server.`,
		Example: "assent audit consistency \"$(head -n 1 heads.txt)\" --out consistency.json",
	}
	out := cmd.Flags().String("out", "-", "output file; - for stdout")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		var ends [2]int64
		for i, text := range args {
			number, _, _ := strings.Cut(text, ":")
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 1 {
				return usage("%q is not a valid head; write it as N:HASH", text)
			}
			ends[i] = n
		}
		write := func(w io.Writer) error { return s.ProveAuditConsistency(ctx, ends[0], ends[1], w) }
		if *out == "-" {
			return write(s.Stdout)
		}
		if err := writeWhole(*out, write); err != nil {
			return err
		}
		s.say("%s %s", s.screen().Good("✓"), *out)
		return nil
	})
}

func (t *tool) auditProofCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "proof RUN", Short: "Export a self-contained proof of a run", Args: nArgs(1, 1, "the id of a run"),
		Long: `Write everything about a run into one file: its events, the audit entries about
it, and the inclusion proof of each to a signed head. The recipient can verify it with
assent audit verify, without this server. The export itself is recorded in the log.`,
		Example: "assent audit proof run_… --out run.proof.json",
	}
	out := cmd.Flags().String("out", "-", "output file; - for stdout")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if *out == "-" {
			return s.ProveRun(ctx, args[0], s.Stdout)
		}
		err := writeWhole(*out, func(w io.Writer) error { return s.ProveRun(ctx, args[0], w) })
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(map[string]any{"file": *out, "run": args[0]})
		}
		s.say("%s %s", s.screen().Good("✓"), *out)
		return nil
	})
}
