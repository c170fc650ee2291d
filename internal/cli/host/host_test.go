package host

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/steady"
)

func TestMain(m *testing.M) { steady.Main(m) }

func TestMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	mine := Mark{Address: "http://127.0.0.1:1", PID: os.Getpid(), Version: "1", StartedAt: time.Now(), Token: "secret"}
	if err := WriteMark(dir, mine); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, markName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if m, ok := ReadMark(dir); !ok || m.Address != mine.Address {
		t.Errorf("%+v %v", m, ok)
	}
	if err := RemoveMark(dir); err != nil {
		t.Error(err)
	}
	if _, ok := ReadMark(dir); ok {
		t.Error("it is still there")
	}
	// Of a process that is gone, and of another one.
	mine.PID = 1 << 30
	if err := WriteMark(dir, mine); err != nil {
		t.Fatal(err)
	}
	if _, ok := ReadMark(dir); ok {
		t.Error("a dead process counts")
	}
	mine.PID = os.Getppid()
	if err := WriteMark(dir, mine); err != nil {
		t.Fatal(err)
	}
	if err := RemoveMark(dir); err != nil {
		t.Error(err)
	}
	if _, ok := ReadMark(dir); !ok {
		t.Error("somebody else's mark was removed")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestPipe(t *testing.T) {
	p := NewPipe()
	go func() {
		c, err := p.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "hello")
		_ = c.Close()
	}()
	c, err := p.Dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(c); string(b) != "hello" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.Dial(ctx, "", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// Tasks that need the disk require the token.
func TestAdminNeedsTheToken(t *testing.T) {
	h, err := Open(t.Context(), Options{Config: assembly.Config{Data: t.TempDir()}, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	pipe := NewPipe()
	served := make(chan error, 1)
	go func() { served <- h.Serve(pipe) }()
	transport := &http.Transport{DialContext: pipe.Dial}
	ask := func(token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+AdminCheck,
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(AdminToken, token)
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // only read
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	for _, token := range []string{"", "guess"} {
		if status, body := ask(token); status != http.StatusNotFound {
			t.Errorf("with %q: %d %s", token, status, body)
		}
	}
	if status, body := ask("secret"); status != http.StatusOK || !strings.Contains(body, `"ok":true`) {
		t.Errorf("%d %s", status, body)
	}
	transport.CloseIdleConnections()
	if cut, err := h.Close(t.Context()); cut || err != nil {
		t.Error(cut, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
