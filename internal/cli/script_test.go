package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/cli/host"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"assent": func() { Main(Build{Version: "1.2.3", Commit: "0123456789abcdef"}) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, params("testdata/script"))
}

// params are those of every script: a few commands of our own, and no settings from the environment.
func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			e.Setenv("HOME", e.WorkDir)
			if err := copyTree("../importer/testdata/printed", filepath.Join(e.WorkDir, "printed")); err != nil {
				return err
			}
			return copyTree("testdata/flows", filepath.Join(e.WorkDir, "flows"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "ready": ready, "setid": setID, "until": until, "replace": replace, "held": held, "term": stopServer,
		},
	}
}

func copyTree(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }

// exits N COMMAND… runs a command and expects that exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	wanted, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var e *exec.ExitError
	if errors.As(err, &e) {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != wanted {
		ts.Fatalf("it exits with %d, not %d", got, wanted)
	}
}

const patience = time.Minute

// ready DIR waits until the server that has the directory open has written its mark, and sets $ADDRESS and
// $HOST.
func ready(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, func() bool {
		m, ok := host.ReadMark(ts.MkAbs(args[0]))
		ts.Setenv("ADDRESS", m.Address)
		ts.Setenv("HOST", strings.TrimPrefix(m.Address, "http://"))
		return ok
	})
}

// term DIR asks the server that has the directory open to stop.
func stopServer(ts *testscript.TestScript, _ bool, args []string) {
	m, ok := host.ReadMark(ts.MkAbs(args[0]))
	if !ok {
		ts.Fatalf("no server holds %s", args[0])
	}
	p, err := os.FindProcess(m.PID)
	ts.Check(err)
	ts.Check(p.Signal(syscall.SIGTERM))
}

// until PATTERN COMMAND… repeats a command until its output contains a text.
func until(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, func() bool {
		err := ts.Exec(args[1], args[2:]...)
		return err == nil && strings.Contains(ts.ReadFile("stdout"), args[0])
	})
}

func wait(ts *testscript.TestScript, done func() bool) {
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("nothing after %s", patience)
		}
	}
}

// setid NAME extracts the id from the JSON that was just printed: its own, or that of the first item of a
// list.
func setID(ts *testscript.TestScript, _ bool, args []string) {
	var v struct {
		ID      string   `json:"id"`
		Pending []string `json:"pending_approvals"`
		Items   []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	switch {
	case len(args) > 1 && args[1] == "pending":
		ts.Setenv(args[0], v.Pending[0])
	case v.ID != "":
		ts.Setenv(args[0], v.ID)
	case len(v.Items) > 0:
		ts.Setenv(args[0], v.Items[0].ID)
	default:
		ts.Fatalf("there is no id")
	}
}

// replace FILE OLD NEW edits a file.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	text := strings.ReplaceAll(ts.ReadFile(path), args[1], args[2])
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

// held DIR waits until a process has the store open.
func held(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, func() bool {
		info, err := os.Stat(filepath.Join(ts.MkAbs(args[0]), "assent.lock"))
		return err == nil && info.Size() > 0
	})
}
