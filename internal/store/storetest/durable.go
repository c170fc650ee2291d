package storetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// reopen: everything is there again, and the feed continues where it was.
func reopen(t *testing.T, s store.Store, hooks Hooks) {
	rows := list.SomeRuns(t, s, 20)
	large := fixture.New("run_large")
	output := `"` + strings.Repeat("x", 2<<20) + `"`
	w := large.Write(fixture.Started(`{}`), fixture.Returned(output))
	w.Snapshot = json.RawMessage(output)
	w.Approvals = []port.ApprovalRow{list.Approval("apr_1", large.ID)}
	w.Answer = &port.Answer{Key: "k", Status: 201, Answer: []byte("yes"), At: fixture.Began}
	large.Row.StartedAt = fixture.Began.Add(1 << 40)
	w.Row.StartedAt = large.Row.StartedAt
	large.Store(t, s, w)
	_, _, err := s.SaveVersion(t.Context(), fixture.Version("workflow", "refund", 1))
	fixture.Must(t, err)
	id, _, err := s.PutBlob(t.Context(), strings.NewReader(output), 10<<20)
	fixture.Must(t, err)
	before, end := fixture.ReadFeed(t, s, 0, 100, port.FeedFilter{})
	fixture.Must(t, s.Close())

	s = hooks.Again(t, s)
	after, again := fixture.ReadFeed(t, s, 0, 7, port.FeedFilter{})
	fixture.WantEqual(t, "feed", after, before)
	if again != end {
		t.Errorf("the feed ends at %d, not %d", again, end)
	}
	got, _ := list.Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
		return s.Runs(t.Context(), port.RunQuery{Cursor: cursor, Limit: 6})
	})
	fixture.WantEqual(t, "runs", got[1:], rows)
	if _, err := s.Approval(t.Context(), "apr_1"); err != nil {
		t.Error(err)
	}
	if a, ok, err := s.Answer(t.Context(), "k"); !ok || string(a.Answer) != "yes" {
		t.Errorf("the answer is %q, %v", a.Answer, err)
	}
	if seq, state, err := s.Snapshot(t.Context(), large.ID, 10); seq != 2 || string(state) != output {
		t.Errorf("the snapshot is at %d with %d bytes, %v", seq, len(state), err)
	}
	if v, err := s.Version(t.Context(), "workflow", "refund", -1); err != nil || v.Number != 1 {
		t.Errorf("the version is %d, %v", v.Number, err)
	}
	r, size, err := s.OpenBlob(t.Context(), id)
	fixture.Must(t, err)
	b, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(b) != output || size != int64(len(output)) {
		t.Errorf("the blob has %d bytes, %v", len(b), err)
	}
	if feed := large.Did(t, s, fixture.Said("on")); feed != end+1 {
		t.Errorf("the feed continued with %d, want %d", feed, end+1)
	}
	_, err = s.Append(t.Context(), fixture.New(rows[0].ID).Write(fixture.Started(`{}`)))
	fixture.WantCode(t, err, fault.Conflict)
}

// Child is the process that kill starts: it writes without end and reports acknowledged writes on out. It
// never returns.
func Child(s store.Store, out io.Writer) error {
	head, err := s.Head(context.Background()) // makes this process's names unique
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, format, args...) //nolint:errcheck // the reader is gone when we are about to be killed
	}
	errs := make(chan error, 1)
	report := func(err error) {
		select {
		case errs <- err:
		default:
		}
	}
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("run_%d_%d_%d", head, i, n)
				if err := childRun(s, id, n, say); err != nil {
					report(err)
					return
				}
			}
		}()
	}
	go func() {
		for n := 0; ; n++ {
			id, _, err := s.PutBlob(context.Background(),
				strings.NewReader(fmt.Sprint(head, n, strings.Repeat("b", 2<<20))), 10<<20)
			if err != nil {
				report(err)
				return
			}
			say("blob %s\n", id)
		}
	}()
	return <-errs
}

// childRun writes one run, every tenth with a body too large for a row.
func childRun(s store.Store, id string, n int, say func(string, ...any)) error {
	a := fixture.New(id)
	for seq := range 4 {
		w := a.Write(fixture.Said(fmt.Sprint(n)), fixture.Said("and"))
		if seq == 0 {
			w = a.Write(fixture.Started(`{}`), fixture.Said("and"))
		}
		if n%10 == 0 && seq == 2 {
			w = a.Write(fixture.Returned(`"`+strings.Repeat("y", 2<<20)+`"`), fixture.Said("and"))
		}
		w.Approvals = []port.ApprovalRow{list.Approval("apr_"+id, id)}
		w.Audit = []port.AuditDraft{fixture.AuditDraft("approval.decided", "apr_"+id, id)}
		feed, err := s.Append(context.Background(), w)
		if err != nil {
			return err
		}
		a.Seq = w.Row.Seq
		say("run %s %d %d\n", id, a.Seq, feed)
	}
	return nil
}

// kill kills a writing process, several times. Acknowledged writes are stored; others are stored completely
// or not at all.
func kill(t *testing.T, s store.Store, hooks Hooks) {
	if !hooks.Shared {
		fixture.Must(t, s.Close())
	}
	rounds := 3
	if hooks.brief() {
		rounds = 1
	}
	for round := range rounds {
		acked, blobs := killed(t, s, hooks, 300+400*round)
		checked := s
		if !hooks.Shared {
			checked = hooks.Again(t, s)
		}
		verify(t, checked, acked, blobs)
		if !hooks.Shared {
			fixture.Must(t, checked.Close())
		}
	}
}

// killed starts a child and kills it after that many acknowledgements.
func killed(t *testing.T, s store.Store, hooks Hooks, after int) (acked map[string]int64, blobs []string) {
	t.Helper()
	cmd := hooks.Child(t, s)
	stdout, err := cmd.StdoutPipe()
	fixture.Must(t, err)
	fixture.Must(t, cmd.Start())
	acked = map[string]int64{}
	lines := bufio.NewScanner(stdout)
	n := 0
	for lines.Scan() {
		var id string
		var seq, feed int64
		switch _, err := fmt.Sscanf(lines.Text(), "run %s %d %d", &id, &seq, &feed); {
		case err == nil:
			acked[id] = seq
		case strings.HasPrefix(lines.Text(), "blob "):
			blobs = append(blobs, strings.TrimPrefix(lines.Text(), "blob "))
		default:
			t.Fatalf("the child says %q", lines.Text())
		}
		if n++; n == after {
			fixture.Must(t, cmd.Process.Kill()) // its earlier output is still read
		}
	}
	_ = cmd.Wait() // it was killed
	if n < after {
		t.Fatalf("the child ended by itself after %d lines", n)
	}
	return acked, blobs
}

func verify(t *testing.T, s store.Store, acked map[string]int64, blobs []string) {
	t.Helper()
	seqs := map[string]int64{}
	all, end := fixture.ReadFeed(t, s, 0, 1000, port.FeedFilter{})
	for i, r := range all {
		if r.Feed != int64(i)+1 {
			t.Fatalf("number %d of the feed is %d", i+1, r.Feed)
		}
		if seqs[r.Run]++; r.Seq != seqs[r.Run] {
			t.Fatalf("event %d of %s comes where %d belongs", r.Seq, r.Run, seqs[r.Run])
		}
	}
	if end != int64(len(all)) {
		t.Fatalf("the feed of %d ends at %d", len(all), end)
	}
	for id, seq := range acked {
		if seqs[id] < seq {
			t.Errorf("%s was acknowledged up to %d and ends at %d", id, seq, seqs[id])
		}
	}
	for id, seq := range seqs {
		row, err := s.Run(t.Context(), id)
		fixture.Must(t, err)
		if row.Seq != seq || seq%2 != 0 {
			t.Errorf("the log of %s ends at %d, its row at %d", id, seq, row.Seq)
		}
		if _, err := s.Approval(t.Context(), "apr_"+id); err != nil {
			t.Errorf("%s has no approval: %v", id, err)
		}
	}
	verifyAudited(t, s, seqs)
	for _, id := range blobs {
		r, size, err := s.OpenBlob(t.Context(), id)
		fixture.Must(t, err)
		n, err := io.Copy(io.Discard, r)
		if err := errors.Join(err, r.Close()); err != nil || n != size {
			t.Errorf("blob %s has %d bytes of %d: %v", id, n, size, err)
		}
	}
}
