// Package e2e tests the real binary from outside, as its users use it: over HTTP, with signals, and with
// nothing but the contract.
package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once.
var binary string

// foreign means that the binary was not built from this tree: ASSENT_E2E_BINARY=/path/to/assent go test ./e2e
// -run TestSeen shows whether a test detects a defect of another release. That release is not validated
// against this tree's OpenAPI document.
var foreign = os.Getenv("ASSENT_E2E_BINARY")

// afterAll runs after the tests.
var afterAll []func() error

func TestMain(m *testing.M) {
	_ = os.Unsetenv("GOGC") // make test sets it for tests; programs tune themselves (internal/heap)
	if foreign != "" {
		binary = foreign
		waitTogether()
		os.Exit(finish(m.Run()))
	}
	dir, err := os.MkdirTemp("", "assent-e2e")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "assent")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", fmt.Sprintf("-race=%t", raced), "-o", binary, "../cmd/assent")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the binary:", err)
		os.Exit(1)
	}
	if raced {
		_ = os.Setenv("GORACE", "halt_on_error=1") // a race ends the program, and its test fails
	}
	waitTogether()
	code := finish(complain(m.Run()))
	os.RemoveAll(dir)
	os.Exit(code)
}

func finish(code int) int {
	for _, do := range afterAll {
		if err := do(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	return code
}

// waitTogether lets more tests run concurrently than there are processors, unless the command line sets a
// number: most of the time they wait for a disk, for a process to start, or for a timer.
func waitTogether() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+3)) // it is a number
	}
}

// server is one data directory and the process that serves it.
type server struct {
	t       testing.TB
	program string // empty: the one under test
	args    []string
	env     []string
	begin   func(*exec.Cmd) error // nil: as usual
	cmd     *exec.Cmd
	url     string
	log     *tail
}

// serve starts the binary on a fresh data directory.
func serve(t testing.TB, args ...string) *server {
	t.Helper()
	s := &server{t: t, args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, args...)}
	s.start()
	t.Cleanup(func() {
		if s.cmd != nil {
			s.stop()
		}
	})
	return s
}

// patience is how long a test waits for something that should be immediate: long, because a busy machine is
// not a failure, and a wait ends as soon as the condition is met.
const patience = 5 * time.Minute

func (s *server) start() {
	s.t.Helper()
	if err := s.launch("assent: ready on "); err != nil {
		s.t.Fatal(err)
	}
}

// launch starts the program and waits for its first line, which begins with a greeting.
func (s *server) launch(greeting string) error {
	s.log = &tail{}
	cmd := exec.Command(cmp.Or(s.program, binary), s.args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stderr = s.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.begin == nil {
		s.begin = (*exec.Cmd).Start
	}
	if err := s.begin(cmd); err != nil {
		return err
	}
	s.cmd = cmd
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(out)
		line, _ := lines.ReadString('\n')
		first <- line
		io.Copy(io.Discard, lines)
	}()
	select {
	case line := <-first:
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), greeting)
		if !ok {
			return fmt.Errorf("the first line is %q\n%s", line, s.log)
		}
		s.url = rest
		return nil
	case <-time.After(patience):
		return fmt.Errorf("not ready after %s\n%s", patience, s.log)
	}
}

// stop stops the server gracefully; a server that drains exits with 0.
func (s *server) stop() {
	s.t.Helper()
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		s.t.Errorf("SIGTERM: %v\n%s", err, s.log)
	}
}

// kill kills the server.
func (s *server) kill() {
	s.t.Helper()
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Kill(); err != nil {
		s.t.Error(err)
	}
	cmd.Wait()
}

// tail keeps the end of a process's output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if over := len(w.text) - 64<<10; over > 0 {
		w.text = w.text[over:]
	}
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// says waits for words in the log, which may arrive after what they tell about.
func (s *server) says(words string) {
	s.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(s.log.String(), words); pause() {
		if time.Now().After(end) {
			s.t.Fatalf("the log does not say %q:\n%s", words, s.log)
		}
	}
}

// who sends a request in local mode: a name and roles, or anonymous.
type who struct{ name, roles string }

// answer is a response.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	value  any // the body, if it was read as JSON
}

// option changes a request before it is sent.
type option func(*http.Request)

func as(w who) option {
	return func(r *http.Request) {
		r.Header.Set("X-Assent-User", w.name)
		if w.roles != "" {
			r.Header.Set("X-Assent-Roles", w.roles)
		}
	}
}

func key(k string) option { return header("Idempotency-Key", k) }

func header(name, value string) option { return func(r *http.Request) { r.Header.Set(name, value) } }

// client does not share connections with a server that was killed.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: patience}

// try sends a request; a string is sent as is, anything else as JSON.
func (s *server) try(method, path string, body any, options ...option) (answer, error) {
	var in io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	case []byte:
		in = bytes.NewReader(b)
	case yaml:
		in, kind = strings.NewReader(string(b)), "application/yaml"
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		in = bytes.NewReader(raw)
	}
	if !strings.HasPrefix(path, "/healthz") && !strings.HasPrefix(path, "/readyz") &&
		!strings.HasPrefix(path, "/metrics") && path != "/" {
		path = "/api/v1" + path
	}
	drive(method, path)
	req, err := http.NewRequest(method, s.url+path, in)
	if err != nil {
		return answer{}, err
	}
	if in != nil {
		req.Header.Set("Content-Type", kind)
	}
	for _, o := range options {
		o(req)
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	a := answer{t: s.t, status: resp.StatusCode, header: resp.Header, body: raw}
	if err == nil && foreign == "" && s.program == "" {
		a.conforms(method, path)
	}
	return a, err
}

// yaml is a body in that format.
type yaml string

// call is try that must succeed.
func (s *server) call(method, path string, body any, options ...option) answer {
	s.t.Helper()
	a, err := s.try(method, path, body, options...)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// want checks the status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, not %d: %.2000s", a.status, status, a.body)
	}
	return a
}

// problem checks that it is a problem with a code, and returns it.
func (a answer) problem(status int, code string) answer {
	a.t.Helper()
	a.want(status)
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "application/problem+json") {
		a.t.Errorf("the problem is %s", got)
	}
	if a.text("code") != code || a.text("title") == "" || a.number("status") != int64(status) {
		a.t.Errorf("not a %s: %s", code, a.body)
	}
	return a
}

// get finds a value by a path such as items.0.id; nil is none.
func (a answer) get(path string) any {
	a.t.Helper()
	v := a.value
	if v == nil {
		d := json.NewDecoder(bytes.NewReader(a.body))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			a.t.Fatalf("%v: %.500s", err, a.body)
		}
	}
	for word := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[word]
		case []any:
			i, err := strconv.Atoi(word)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

func (a answer) text(path string) string {
	s, _ := a.get(path).(string)
	return s
}

func (a answer) number(path string) int64 {
	n, _ := a.get(path).(json.Number)
	i, _ := n.Int64()
	return i
}

func (a answer) count(path string) int {
	items, _ := a.get(path).([]any)
	return len(items)
}

// define publishes documents.
func (s *server) define(documents string) {
	s.t.Helper()
	for doc := range strings.SplitSeq(strings.TrimSpace(documents), "\n---\n") {
		kind, rest, _ := strings.Cut(strings.TrimSpace(doc), ":")
		name, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		path := map[string]string{"workflow": "/workflows/" + name + "?publish=true", "agent": "/agents/" + name,
			"policy": "/policy"}[kind]
		a := s.call("PUT", path, yaml(doc))
		if a.status != 200 && a.status != 201 {
			s.t.Fatalf("PUT %s: %d %s", path, a.status, a.body)
		}
	}
}

// run starts a run and returns its id.
func (s *server) run(workflow string, input any, options ...option) string {
	s.t.Helper()
	return s.call("POST", "/runs", map[string]any{"workflow": workflow, "input": input}, options...).want(201).text("id")
}

// settles polls until a run has one of the statuses.
func (s *server) settles(id string, statuses ...string) answer {
	s.t.Helper()
	var a answer
	for end := time.Now().Add(patience); time.Now().Before(end); pause() {
		a = s.call("GET", "/runs/"+id, nil).want(200)
		if !slices.Contains(statuses, a.text("status")) {
			continue
		}
		// The full run is fetched once only: some are large.
		if a = s.call("GET", "/runs/"+id+"?full=true", nil).want(200); slices.Contains(statuses, a.text("status")) {
			return a
		}
	}
	s.t.Fatalf("run %s is %s, not %v: %.3000s", id, a.text("status"), statuses, a.body)
	return a
}

// writeFile puts a file down.
func writeFile(name, text string) error { return os.WriteFile(name, []byte(text), 0o600) }

// pause is the interval of polling for something without a signal.
func pause() { time.Sleep(5 * time.Millisecond) }

// pending is the approval that a run waits for.
func (s *server) pending(id string) answer {
	s.t.Helper()
	a := s.settles(id, "waiting")
	return s.call("GET", "/approvals/"+a.text("pending_approvals.0")+"?full=true", nil).want(200)
}
