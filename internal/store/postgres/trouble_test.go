//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

// write returns a write of one event after after.
func write(id string, after int64) port.Write {
	at := time.Unix(1_800_000_000, 0).UTC()
	return port.Write{
		Run: id, After: after,
		Row:    port.RunRow{ID: id, Seq: after + 1, Workflow: "refund", Status: run.Running, StartedAt: at},
		Events: []run.Event{{Run: id, Seq: after + 1, At: at, Actor: run.Actor{Kind: run.System}, Fact: &run.RunWaiting{}}},
	}
}

func execute(t *testing.T, url, sql string, args ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(t.Context(), sql, args...)
	if err := errors.Join(err, c.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestLostLeader: a leader whose connection breaks is notified within 5 s, and is fenced off once another
// leads.
func TestLostLeader(t *testing.T) {
	url := pgtest.Database(t)
	u := &urls{}
	first, second := u.open(t, url), u.open(t, url)
	epoch, lost, err := first.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Disconnect(t, url)
	at := time.Now()
	select {
	case <-lost:
	case <-time.After(time.Minute):
		t.Fatal("the lead was lost a minute ago")
	}
	t.Logf("noticed after %v", time.Since(at))
	next, _, err := second.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := write("run_1", 0)
	w.Epoch = epoch
	for _, s := range []*postgres.Store{first, second} {
		_, err := s.Append(t.Context(), w)
		for errors.Is(err, port.ErrUnavailable) { // the first attempts may use a broken connection
			_, err = s.Append(t.Context(), w)
		}
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("the old leader wrote: %v", err)
		}
	}
	w.Epoch = next
	if _, err := first.Append(t.Context(), w); err != nil {
		t.Error(err)
	}
}

// TestReconnect: after the server dropped all connections, everything recovers by itself, and watchers have
// missed nothing.
func TestReconnect(t *testing.T) {
	url := pgtest.Database(t)
	u := &urls{}
	s, other := u.open(t, url), u.open(t, url)
	changed := s.Watch(t.Context())
	for i := range int64(3) {
		pgtest.Disconnect(t, url)
		for { // the first attempts may use the broken connection
			if _, err := other.Append(t.Context(), write("run_1", i)); err == nil || fault.Is(err, fault.Conflict) {
				break
			} else if !errors.Is(err, port.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		for head := int64(0); head <= i; {
			<-changed
			for head = 0; head == 0; {
				head, _ = s.Head(t.Context()) // the pool drops broken connections as it finds them
			}
		}
	}
}

// TestLostAnswers: connections break repeatedly under load. Acknowledged writes are stored; writes with an
// unknown outcome may be; nothing is stored twice.
func TestLostAnswers(t *testing.T) {
	url := pgtest.Database(t)
	u := &urls{}
	s := u.open(t, url)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	acked := make([]atomic.Int64, 16)
	for i := range acked {
		wg.Go(func() {
			id := fmt.Sprintf("run_%d", i)
			for after := int64(0); ; {
				select {
				case <-stop:
					return
				default:
				}
				_, err := s.Append(context.Background(), write(id, after))
				switch {
				case err == nil:
					after++
					acked[i].Store(after)
				case fault.Is(err, fault.Conflict): // one with an unknown outcome was stored
					var row port.RunRow
					if row, err = s.Run(context.Background(), id); err == nil && row.Seq != after+1 {
						t.Errorf("%s is at %d, we thought %d", id, row.Seq, after)
						return
					}
					after = max(after, row.Seq)
				case !errors.Is(err, port.ErrUnavailable):
					t.Errorf("%s: %v", id, err)
					return
				}
			}
		})
	}
	for range 10 { // while each writes
		for i := range acked {
			for before := acked[i].Load(); acked[i].Load() == before && !t.Failed(); {
				time.Sleep(time.Millisecond)
			}
		}
		pgtest.Disconnect(t, url)
	}
	close(stop)
	wg.Wait()
	fresh := u.open(t, url)
	total := int64(0)
	for i := range acked {
		n := acked[i].Load()
		row, err := fresh.Run(t.Context(), fmt.Sprintf("run_%d", i))
		if err != nil || row.Seq < n {
			t.Errorf("run_%d was acknowledged up to %d and is at %d: %v", i, n, row.Seq, err)
		}
		total += row.Seq
	}
	if head, err := fresh.Head(t.Context()); err != nil || head != total {
		t.Errorf("the feed is at %d, the runs at %d: %v", head, total, err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	url := pgtest.Database(t)
	(&urls{}).open(t, url)
	execute(t, url, `UPDATE assent_schema SET version = 99`)
	_, err := postgres.Open(t.Context(), url)
	if !errors.Is(err, port.ErrUnavailable) || !strings.Contains(err.Error(), "written by a newer release (schema 99") {
		t.Fatalf("got %v", err)
	}
}

// TestOpenAtOnce: many processes start on an empty database at the same time.
func TestOpenAtOnce(t *testing.T) {
	url := pgtest.Empty(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := postgres.Open(context.Background(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestNoServer(t *testing.T) {
	for _, url := range []string{"postgres:///x?host=/nowhere&user=x", "postgres://127.0.0.1:1/x"} {
		if _, err := postgres.Open(t.Context(), url); !errors.Is(err, port.ErrUnavailable) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := postgres.Open(t.Context(), "postgres://%zz"); err == nil {
		t.Error("a malformed address was taken")
	}
}

// TestDirtyGroup: a write that breaks the commit of its group fails alone.
func TestDirtyGroup(t *testing.T) {
	url := pgtest.Database(t)
	s := (&urls{}).open(t, url)
	execute(t, url, `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'spoiled'; END $$`)
	execute(t, url, `CREATE TRIGGER spoil BEFORE INSERT ON runs FOR EACH ROW WHEN (NEW.workflow = 'bad') EXECUTE FUNCTION spoil()`)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			w := write(fmt.Sprintf("run_%d", i), 0)
			if i%10 == 0 {
				w.Row.Workflow = "bad"
			}
			if _, err := s.Append(context.Background(), w); (err != nil) != (i%10 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if head, err := s.Head(t.Context()); err != nil || head != 36 {
		t.Errorf("the feed is at %d: %v", head, err)
	}
}

// TestSnapshotsThatTheTableRefuses: a write whose snapshot cannot be stored says so, in a group with others, which
// are stored. The engine repeats it without the snapshot.
func TestSnapshotsThatTheTableRefuses(t *testing.T) {
	url := pgtest.Database(t)
	u := &urls{}
	s := u.open(t, url)
	execute(t, url, `ALTER TABLE snapshots ADD CONSTRAINT refuse CHECK (seq > 9)`)
	var group sync.WaitGroup
	for n := range 20 {
		group.Go(func() {
			w := write(fmt.Sprintf("run_%d", n), 0)
			if n%2 == 0 {
				w.Snapshot = []byte(`{}`)
			}
			_, err := s.Append(t.Context(), w)
			if refused := errors.Is(err, port.ErrSnapshot); refused != (n%2 == 0) || !refused && err != nil {
				t.Errorf("write %d: %v", n, err)
			}
			if w.Snapshot = nil; n%2 == 0 {
				if _, err = s.Append(t.Context(), w); err != nil {
					t.Errorf("write %d without its snapshot: %v", n, err)
				}
			}
		})
	}
	group.Wait()
}
