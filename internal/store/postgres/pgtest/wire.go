//go:build unix

package pgtest

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Wire is the network between a program and PostgreSQL. It can be cut after the
// next commit, before its answer arrives, and then lead to another server.
type Wire struct {
	listener   net.Listener
	t          testing.TB
	server     endpoint
	next       atomic.Pointer[endpoint] // nil: the same
	armed, cut atomic.Bool
}

type endpoint struct{ network, address string }

// addressOf is where the server of a database listens.
func addressOf(t testing.TB, url string) (to endpoint, c *pgx.ConnConfig) {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(c.Host, "/") {
		return endpoint{"unix", filepath.Join(c.Host, fmt.Sprintf(".s.PGSQL.%d", c.Port))}, c
	}
	return endpoint{"tcp", net.JoinHostPort(c.Host, fmt.Sprint(c.Port))}, c
}

// NewWire listens for connections to the database at url, and returns the address of the proxy.
func NewWire(t testing.TB, url string) (w *Wire, through string) {
	t.Helper()
	to, c := addressOf(t, url)
	w = &Wire{t: t, server: to}
	var err error
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.listener.Close() }) //nolint:errcheck // the test is over
	go w.accept()
	at := w.listener.Addr().(*net.TCPAddr)
	return w, fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", c.User, at.Port, c.Database)
}

// ThenLeadTo makes connections after the cut lead to another server with such a database.
func (w *Wire) ThenLeadTo(url string) {
	w.t.Helper()
	to, _ := addressOf(w.t, url)
	w.next.Store(&to)
}

// CutAfterCommit makes the answer to the next commit get lost.
func (w *Wire) CutAfterCommit() {
	w.cut.Store(false)
	w.armed.Store(true)
}

// WasCut reports whether the answer to a commit got lost.
func (w *Wire) WasCut() bool { return w.cut.Load() }

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		to := w.server
		if next := w.next.Load(); next != nil && w.cut.Load() {
			to = *next
		}
		server, err := net.Dial(to.network, to.address)
		if err != nil {
			w.t.Error(err)
			client.Close() //nolint:errcheck // nothing was sent
			return
		}
		go carry(server, client, func([]byte) bool { return true })
		go carry(client, server, func(b []byte) bool {
			if !bytes.Contains(b, []byte("COMMIT\x00")) || !w.armed.CompareAndSwap(true, false) {
				return true
			}
			w.cut.Store(true) // it is stored
			return false
		})
	}
}

// carry copies data, and closes both sides on an error.
func carry(to, from net.Conn, passes func([]byte) bool) {
	defer to.Close()   //nolint:errcheck // closed
	defer from.Close() //nolint:errcheck // closed
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !passes(buf[:n]) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
