//go:build unix

package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

// wire is the network between the server and PostgreSQL. It can be cut after the
// next commit, before its answer arrives.
type wire struct {
	net.Listener
	*testing.T
	network, server string
	armed, cut      atomic.Bool
}

// newWire listens for connections to the database at url, and returns the address
// that leads through it.
func newWire(t *testing.T, url string) (*wire, string) {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{T: t, network: "tcp", server: net.JoinHostPort(c.Host, fmt.Sprint(c.Port))}
	if strings.HasPrefix(c.Host, "/") {
		w.network, w.server = "unix", filepath.Join(c.Host, fmt.Sprintf(".s.PGSQL.%d", c.Port))
	}
	if w.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() }) //nolint:errcheck // the test is over
	go w.accept()
	at := w.Addr().(*net.TCPAddr)
	return w, fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", c.User, at.Port, c.Database)
}

func (w *wire) accept() {
	for {
		client, err := w.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(w.network, w.server)
		if err != nil {
			w.Error(err)
			client.Close() //nolint:errcheck // nothing was sent
			return
		}
		var swallow atomic.Bool
		go w.carry(server, client, func(b []byte) bool {
			if bytes.Contains(bytes.ToLower(b), []byte("commit\x00")) && w.armed.CompareAndSwap(true, false) {
				swallow.Store(true)
			}
			return true
		})
		go w.carry(client, server, func([]byte) bool {
			if swallow.Load() {
				w.cut.Store(true) // the commit is answered, so it was stored
			}
			return !swallow.Load()
		})
	}
}

// carry copies what passes, and hangs up on both sides when something does not.
func (w *wire) carry(to, from net.Conn, passes func([]byte) bool) {
	defer to.Close()   //nolint:errcheck // hung up
	defer from.Close() //nolint:errcheck // hung up
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

// A publish whose answer was lost is in force as soon as it is said to be.
func TestPublishWhoseAnswerIsLost(t *testing.T) {
	w, url := newWire(t, pgtest.Database(t))
	h := openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true}, "workflow: other\nsteps: [{ id: ask, human: { kind: approval } }]\n")
	const flow = "workflow: pay\nsteps: [{ id: ask, human: { kind: approval } }]\n"
	saved, _ := h.save(definition.KindWorkflow, "pay", flow, false)
	w.armed.Store(true)
	_, err := h.Publish(t.Context(), admin, definition.KindWorkflow, "pay", saved.Version, app.Saving{})
	if !errors.Is(err, port.ErrUnavailable) || !w.cut.Load() {
		t.Fatalf("the connection was not cut: %v", err)
	}
	again, _ := h.save(definition.KindWorkflow, "pay", flow, true)
	if !again.Published {
		t.Fatalf("%+v: it was not stored, so nothing is tested", again)
	}
	_, known := h.Judge()
	if generation, err := h.Store.Generation(t.Context()); err != nil || known != generation {
		t.Errorf("the definitions of generation %d are in force, and %d are known: %v", generation, known, err)
	}
	h.begin(admin, "pay", `{}`)
}

// What one process published can be started on another at once.
func TestPublishedElsewhereAMomentAgo(t *testing.T) {
	url := pgtest.Database(t)
	const flow = "workflow: pay\nsteps: [{ id: ask, human: { kind: approval } }]\n"
	second := openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true}, "")
	openOn(t, assembly.Config{Data: t.TempDir(), DB: url, Local: true}, flow)
	second.begin(admin, "pay", `{}`)
}
