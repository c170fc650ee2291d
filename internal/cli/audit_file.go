package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/port"
	"github.com/spf13/cobra"
)

// proofMax limits a proof, which is read into memory.
const proofMax = 1 << 30

func (t *tool) auditVerifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify [FILE]", Short: "Verify an exported log, a proof, or the log in the store", Args: nArgs(0, 1),
		Long: `Verify that a log is unchanged, and report the first entry that was changed. A file (from
assent audit export or assent audit proof) is checked without a server; without a file,
the log in the store is checked. --head detects a log that was truncated at an older
signature, --key a log that was signed with another key.
Keys replaced with assent audit rotate vouch for each other.`,
		Example: "assent audit verify\nassent audit verify audit.jsonl --key \"$(cat assent.pub)\" --head \"$(tail -n 1 " +
			"heads.txt)\"\nassent audit verify run.proof.json",
	}
	var x audit.Expected
	cmd.Flags().StringVar(&x.Public, "key", "", "the public key that must have signed it: ed25519:…")
	keys := cmd.Flags().String("keys", "", "a file with the current and earlier keys, from: assent audit key --json")
	cmd.Flags().StringVar(&x.Head, "head", "", "a head you kept earlier: N:HASH")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.verifyStore(ctx) })
	online := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			if x.Public != "" || x.Head != "" || *keys != "" {
				return usage("--key, --keys and --head are for files: export the log first with assent audit export")
			}
			return online(cmd, args)
		}
		if *keys != "" {
			links, err := readLinks(*keys)
			if err != nil {
				return err
			}
			x.Links = links
		}
		return t.verifyFile(args[0], x)
	}
	return cmd
}

// readLinks reads the links between keys.
func readLinks(path string) (links []port.AuditLink, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var keys []port.AuditKey
	if err := json.Unmarshal(b, &keys); err != nil {
		return nil, usage("%s is not a list of keys from assent audit key --json: %w", path, err)
	}
	for _, k := range keys {
		if k.Link != nil {
			links = append(links, *k.Link)
		}
	}
	return links, nil
}

func (t *tool) verifyFile(path string, x audit.Expected) error {
	f, err := os.Open(path)
	if err != nil {
		return unread(err)
	}
	defer f.Close() //nolint:errcheck // only read
	in := bufio.NewReaderSize(f, 1<<16)
	start, err := in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var r audit.Result
	if audit.IsProof(start) || audit.IsConsistency(start) {
		file, err := io.ReadAll(io.LimitReader(in, proofMax))
		if err != nil {
			return err
		}
		verify := audit.VerifyProof
		if audit.IsConsistency(start) {
			verify = audit.VerifyConsistency
		}
		r, err = verify(file, x)
		if err != nil {
			return usage("%w", err)
		}
	} else {
		x.Read = t.progress(f)
		r, err = audit.VerifyExport(in, x)
		t.progressDone()
		if err != nil {
			return usage("%w", err)
		}
	}
	if t.json {
		if err := t.printJSON(r); err != nil {
			return err
		}
	} else {
		t.tellResult(path, r)
	}
	if !r.OK {
		return quiet(exitFailed)
	}
	return nil
}

// progress shows how much of a file has been read, on a terminal.
func (t *tool) progress(f *os.File) func(int64) {
	info, err := f.Stat()
	if err != nil || !t.ErrTerminal || t.plain || t.json || info.Size() < 1<<20 {
		return nil
	}
	return func(read int64) { fmt.Fprintf(t.Stderr, "\r\x1b[Kchecking %d%%", 100*read/info.Size()) }
}

func (t *tool) progressDone() {
	if t.ErrTerminal && !t.plain && !t.json {
		fmt.Fprint(t.Stderr, "\r\x1b[K")
	}
}

func (t *tool) tellResult(path string, r audit.Result) {
	theme := t.screen()
	if !r.OK {
		where := ""
		if r.FirstBad != nil {
			where = fmt.Sprintf(" from entry %d on", *r.FirstBad)
		}
		t.say("%s %s does not verify%s: %s", theme.Bad("✗"), path, where, show.Clean(r.Why))
		return
	}
	what := entries(r.Entries)
	if r.Run != "" {
		what = "all entries about " + r.Run + " (" + what + ")"
	}
	if r.From != "" {
		what = r.From + " continues to " + what
	}
	t.say("%s %s: %s, unchanged", theme.Good("✓"), path, what)
	t.say("  signed %s with the key %s", show.Moment(r.SignedAt), r.Key)
	t.say("  ends at %s", r.Head)
	if r.Removed > 0 {
		t.say("  %s redacted; the digests remain", show.Count(int64(r.Removed), "value"))
	}
	if !r.Pinned {
		t.say("%s", theme.Dim("  the signer is not verified: compare the key with --key (assent audit key on "+
			"the server prints it)"))
	}
}

// verifyPart is the number of entries checked per request.
const verifyPart = 20_000

// verifyStore checks the log in the store, part by part.
func (s *session) verifyStore(ctx context.Context) error {
	var whole port.AuditCheck
	for {
		part, err := s.VerifyAudit(ctx, whole.Next, verifyPart)
		if err != nil {
			return err
		}
		part.Entries, part.Signed = part.Entries+whole.Entries, max(part.Signed, whole.Signed)
		part.Missing, part.Events = part.Missing+whole.Missing, part.Events+whole.Events
		ended := part.Entries == whole.Entries || part.Next >= part.Total
		whole = part
		if !part.OK || ended {
			break
		}
		if s.ErrTerminal && !s.plain && !s.json {
			fmt.Fprintf(s.Stderr, "\r\x1b[Kchecking %d%%", 100*part.Next/part.Total)
		}
	}
	s.progressDone()
	if s.json {
		if err := s.printJSON(whole); err != nil {
			return err
		}
	} else {
		s.tellCheck(whole)
	}
	switch {
	case !whole.OK:
		return quiet(exitFailed)
	case whole.HeadsMissing:
		return quiet(exitUnsigned)
	}
	return nil
}

// tellCheck prints the result of a check of the store.
func (s *session) tellCheck(c port.AuditCheck) {
	theme := s.screen()
	if !c.OK {
		s.say("%s the log does not verify from entry %d on: %s", theme.Bad("✗"), *c.FirstBad, show.Clean(c.Why))
		return
	}
	sign, signed := theme.Good("✓"), fmt.Sprintf("signed up to %d", c.Signed)
	if c.Signed == 0 && c.Total > 0 {
		sign, signed = theme.Warn("!"), "not signed"
	}
	s.say("%s %s, unchanged; %s", sign, entries(c.Entries), signed)
	text := show.Count(c.Events, "event") + " of runs compared with the log"
	if c.Unbound > 0 {
		text += fmt.Sprintf("; the newest %d are not in the log yet", c.Unbound)
	}
	s.say("  %s", text)
	for _, w := range c.Warnings {
		s.say("%s %s", theme.Warn("!"), show.Clean(w))
	}
}

func (t *tool) auditRedactCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "redact FILE", Short: "Redact values in a proof; the rest still verifies",
		Args: nArgs(1, 1, "the file of a proof"),
		Long: `Remove values from a proof before you share it. A digest replaces each value, so the
rest still verifies. Paths are JSON pointers into the data of the run's events; a
number and a colon before a path limit it to that event.`,
		Example: "assent audit redact run.proof.json --path /input --path 7:/decision/comment --out " +
			"run.redacted.json\nassent audit redact run.proof.json --containing carla@example.com --out run.redacted.json",
	}
	var r audit.Redaction
	cmd.Flags().StringArrayVar(&r.Paths, "path", nil,
		"redact this path and everything below it, such as /decision/comment or 7:/input (repeatable)")
	cmd.Flags().StringArrayVar(&r.Containing, "containing", nil, "redact every value that contains this text (repeatable)")
	out := cmd.Flags().String("out", "", "output file; the original is not changed")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case len(r.Paths)+len(r.Containing) == 0:
			return usage("choose what to redact with --path or --containing")
		case *out == "":
			return usage("set the output file with --out FILE")
		}
		return t.redact(args[0], *out, r)
	}
	return cmd
}

func (t *tool) redact(from, to string, r audit.Redaction) error {
	f, err := os.Open(filepath.Clean(from))
	if err != nil {
		return unread(err)
	}
	defer f.Close() //nolint:errcheck // only read
	file, err := io.ReadAll(io.LimitReader(f, proofMax))
	if err != nil {
		return err
	}
	red, n, err := audit.Redact(file, r)
	if err != nil {
		return err
	}
	if err := writeWhole(to, func(w io.Writer) error { _, err := w.Write(red); return err }); err != nil {
		return err
	}
	if t.json {
		return t.printJSON(map[string]any{"file": to, "removed": n})
	}
	t.say("%s %s redacted; the rest is in %s", t.screen().Good("✓"), show.Count(int64(n), "value"), to)
	return nil
}

func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
