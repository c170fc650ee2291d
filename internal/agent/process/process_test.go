package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/process"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/steady"
)

func TestAgent(t *testing.T) {
	agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
		raw, err := value.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "behaviour.json")
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		// otherwise each program under the race detector ends a second later
		quick, err := definition.ParseSecret("atexit_sleep_ms=0")
		if err != nil {
			t.Fatal(err)
		}
		return program(t, process.Options{}, map[string]definition.Secret{"GORACE": quick}, self(t), asBehaviour, file)
	})
}

func TestShell(t *testing.T) {
	a := script(t, process.Options{}, nil,
		`read -r question`, `echo "looking at it" >&2`,
		`printf '{"output":%s,"logs":"done","confidence":0.5}' "$question"`)
	r, f := invoke(t, a)
	if input, _ := value.Get(r.Output, "input"); string(input) != string(agenttest.Work().Input) {
		t.Errorf("the input was seen as %s: %+v", input, f)
	}
	if r.Logs != "done\nlooking at it\n" {
		t.Errorf("the logs are %q", r.Logs)
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		line, code, message string
		transient           bool
	}{
		{`echo first >&2; echo "no such claim" >&2; exit 3`, "exit", "status 3: no such claim", false},
		{`exit 1`, "exit", "status 1", false},
		{`echo "try later" >&2; exit 75`, "exit", "status 75: try later", true},
		{`kill -KILL $$`, "signal", "signal: killed", true},
		{`kill -TERM $$`, "signal", "signal: terminated", true},
		{`echo '{"output":1}'; exit 2`, "exit", "status 2", false},
		{`echo oops >&2`, "invalid_answer", "empty", false},
		{`echo hello; echo oops >&2`, "invalid_answer", `"hello\n"; its standard error ends "oops"`, false},
	} {
		_, f := invoke(t, script(t, process.Options{}, nil, c.line))
		if f.Code != c.code || f.Transient != c.transient || !strings.Contains(f.Message, c.message) {
			t.Errorf("%s: %+v", c.line, f)
		}
	}
}

func TestPrograms(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"no-such-program-anywhere"}, {"/no/such/program"}, {"./no-such-program"},
		{text}, {t.TempDir()}} {
		_, f := invoke(t, program(t, process.Options{}, nil, argv...))
		if f.Code != "start" || f.Transient {
			t.Errorf("%s: %+v", argv, f)
		}
	}
	if _, f := invoke(t, program(t, process.Options{Dir: "/no/such/directory"}, nil, self(t))); f.Code != "start" ||
		f.Transient {
		t.Errorf("no directory: %+v", f)
	}
	for _, d := range []definition.Process{
		{}, {Argv: []string{""}}, {Argv: []string{"a", "b\x00"}},
		{Argv: []string{"a"}, Env: map[string]definition.Secret{"A=B": {}}},
		{Argv: []string{"a"}, Env: map[string]definition.Secret{"": {}}},
	} {
		if _, err := process.New(d, process.Options{}); err == nil {
			t.Errorf("%q was taken", d.Argv)
		}
	}
}

func TestOffUnlessEnabled(t *testing.T) {
	a, err := process.New(definition.Process{Argv: []string{self(t)}}, process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, f := invoke(t, a); f.Code != "disabled" || f.Transient || !strings.Contains(f.Message, process.Setting) {
		t.Errorf("%+v", f)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("ASSENT_TOKEN", "ours alone")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	token, err := definition.ParseSecret("${env:TOKEN}")
	if err != nil {
		t.Fatal(err)
	}
	o := process.Options{Dir: dir, Lookup: func(r definition.Reference) (string, error) {
		if r.Name != "TOKEN" {
			return "", errors.New("not set")
		}
		return "sesame-open\n", nil
	}}
	env := map[string]definition.Secret{"TOKEN": token}
	a := script(t, o, env, `printf '{"output":["%s","%s","%s","%s","%s"]}' "$([ "$TOKEN" = sesame-open ] && echo mine)" "$ASSENT_TOKEN" "$LANG" "$(pwd)" "${PATH:+path}"`)
	r, f := invoke(t, a)
	if want := fmt.Sprintf(`["mine","","C.UTF-8",%s,"path"]`, value.Quote(dir)); string(r.Output) != want {
		t.Errorf("%s, %+v", r.Output, f)
	}
	// It reveals its secret wherever it can.
	for _, line := range []string{
		`echo "$TOKEN" >&2; exit 1`, `echo "$TOKEN"`, `echo "$TOKEN" >&2; echo '{"output":1}'`,
		`echo '{"output":1,"logs":"'$TOKEN'"}'`,
		`echo '{"output":{"'$TOKEN'":"'$TOKEN'"},"reasoning":"'$TOKEN'"}'`,
		`echo '{"output":1,"deliverables":[{"name":"'$TOKEN'","content":"'$TOKEN'","description":"'$TOKEN'"}]}'`,
		`i=0; while [ $i -lt 9000 ]; do echo "$TOKEN" >&2; i=$((i+1)); done; echo '{"output":1}'`,
	} {
		r, f := invoke(t, script(t, o, env, line))
		if text := fmt.Sprintf("%+v %+v", r, f); strings.Contains(text, "sesame") || strings.Contains(text, "-open") {
			t.Errorf("%s gives the secret away: %.300s", line, text)
		}
	}
	missing, err := definition.ParseSecret("${env:MISSING}")
	if err != nil {
		t.Fatal(err)
	}
	_, f = invoke(t, script(t, o, map[string]definition.Secret{"KEY": missing}, `echo '{"output":1}'`))
	if f.Code != "secret" || f.Transient || !strings.Contains(f.Message, "KEY") {
		t.Errorf("%+v", f)
	}
}

func TestLogsAreTheLastOnes(t *testing.T) {
	a := script(t, process.Options{}, nil, `i=10000; while [ $i -lt 40000 ]; do echo "line $i"; i=$((i+1)); done >&2`,
		`echo '{"output":1}'`)
	r, f := invoke(t, a)
	if len(r.Logs) != 64<<10 || !strings.HasSuffix(r.Logs, "line 39999\n") || strings.Contains(r.Logs, "line 10000\n") {
		t.Errorf("the logs have %d bytes and end %q: %+v", len(r.Logs), r.Logs[max(0, len(r.Logs)-20):], f)
	}
}

func TestLargeInputNobodyReads(t *testing.T) {
	a := script(t, process.Options{}, nil, `exec 0<&-`, `echo '{"output":1}'`)
	w := agenttest.Work()
	w.Input = json.RawMessage(`"` + strings.Repeat("x", 4<<20) + `"`)
	r, err := a.Invoke(t.Context(), w, func(port.Progress) {})
	if err != nil || string(r.Output) != `1` {
		t.Errorf("%s, %v", r.Output, err)
	}
}

// TestNothingIsLeft stops a program whose child ignores SIGTERM and holds its pipes open, and one that leaves
// such a child behind. The child holds a connection to us as long as it lives.
func TestNothingIsLeft(t *testing.T) {
	for _, kind := range []string{asParent, asLeaver} {
		t.Run(kind, func(t *testing.T) {
			defer steady.NoLeaks(t, goleak.IgnoreCurrent())
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			type ending struct {
				out string
				err error
			}
			done := make(chan ending, 1)
			a := program(t, process.Options{}, nil, self(t), kind, listener.Addr().String())
			go func() {
				r, err := a.Invoke(ctx, agenttest.Work(), func(port.Progress) {})
				done <- ending{string(r.Output), err}
			}()
			conn, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if kind == asParent {
				cancel()
			}
			end := <-done
			if kind == asParent && !errors.Is(end.err, context.Canceled) ||
				kind == asLeaver && (end.err != nil || end.out != `"gone"`) {
				t.Errorf("it ended with %s, %v", end.out, end.err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
				t.Fatal(err)
			}
			var late net.Error
			if _, err := conn.Read(make([]byte, 1)); err == nil || errors.As(err, &late) && late.Timeout() {
				t.Errorf("the child lives on: %v", err)
			}
		})
	}
}
