//go:build unix

package postgres_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// large is a write with a result of so many bytes.
func large(id string, after int64, size int) port.Write {
	w := write(id, after)
	w.Events[0].Fact = &run.StepCompleted{Step: "a",
		Result: &run.Result{Output: json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)}}
	return w
}

func appended(t *testing.T, s *postgres.Store, w port.Write) {
	t.Helper()
	if _, err := s.Append(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

// TestLargeRowsAreCopiedOnce: into a batch of events, which is sent as it is.
func TestLargeRowsAreCopiedOnce(t *testing.T) {
	s := (&urls{}).open(t, pgtest.Database(t))
	const size = 10_000_000
	appended(t, s, large("run_1", 0, size)) // prepares statements
	least := uint64(1 << 60)
	for i := range int64(3) {
		w := large("run_1", i+1, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		appended(t, s, w)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 1.2*size {
		t.Errorf("%d bytes were allocated to store %d", least, size)
	}
}

// counter passes the connections of a store on, and counts round trips: the server ends each with ReadyForQuery.
type counter struct{ trips atomic.Int64 }

func (c *counter) pass(t *testing.T, url string) (through string) {
	t.Helper()
	_, through = pgtest.NewWire(t, url)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, rest, _ := strings.Cut(through, "@")
	to, database, _ := strings.Cut(rest, "/")
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { c.count(client, server); _ = client.Close() }()
		}
	}()
	user, _, _ := strings.Cut(strings.TrimPrefix(through, "postgres://"), "@")
	return "postgres://" + user + "@" + l.Addr().String() + "/" + database
}

// count copies messages: a kind, their length with itself, and a body.
func (c *counter) count(to io.Writer, from io.Reader) {
	in := bufio.NewReader(from)
	for {
		head, err := in.Peek(5)
		if err != nil {
			return
		}
		ready := head[0] == 'Z'
		if _, err := io.CopyN(to, in, 1+int64(binary.BigEndian.Uint32(head[1:]))); err != nil {
			return
		}
		if ready {
			c.trips.Add(1)
		}
	}
}

// TestLargeRowsTakeNoExtraRoundTrip: they are stored in two, as all others.
func TestLargeRowsTakeNoExtraRoundTrip(t *testing.T) {
	var c counter
	s := (&urls{}).open(t, c.pass(t, pgtest.Database(t)))
	after := int64(0)
	least := func(size int) int64 {
		least := int64(1 << 60)
		for range 4 { // statements are prepared first, and the store checks from time to time whether the server is there
			w := large("run_1", after, size)
			before := c.trips.Load()
			appended(t, s, w)
			least = min(least, c.trips.Load()-before)
			after++
		}
		return least
	}
	if small, big := least(1000), least(1<<20); small != 2 || big != 2 {
		t.Errorf("%d round trips, and %d if it is large", small, big)
	}
}

// TestLargeRowsThatFail: an error of the server is reported, nothing is stored, and the next write is.
func TestLargeRowsThatFail(t *testing.T) {
	url := pgtest.Database(t)
	s := (&urls{}).open(t, url)
	appended(t, s, write("run_1", 0))
	execute(t, url, `ALTER TABLE batches ADD CONSTRAINT small CHECK (octet_length(body) < 200000)`)
	if _, err := s.Append(t.Context(), large("run_1", 1, 1<<20)); err == nil || !strings.Contains(err.Error(), "small") {
		t.Errorf("the error is %v", err)
	}
	appended(t, s, large("run_1", 1, 100_000))
	execute(t, url, `ALTER TABLE batches DROP CONSTRAINT small`)
	appended(t, s, large("run_1", 2, 1<<20))
	if r, err := s.Run(t.Context(), "run_1"); err != nil || r.Seq != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLostAnswerOfALargeCommit: as TestLostAnswerOfACommit.
func TestLostAnswerOfALargeCommit(t *testing.T) {
	w, url := pgtest.NewWire(t, pgtest.Database(t))
	s := (&urls{}).open(t, url)
	w.CutAfterCommit()
	if _, err := s.Append(t.Context(), large("run_1", 0, 1<<20)); err != nil || !w.WasCut() {
		t.Errorf("%v, cut: %t", err, w.WasCut())
	}
}
