package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal runs the program in a terminal of a given width, and returns the user's side.
func (s *server) terminal(columns uint16, args ...string) (*os.File, *exec.Cmd) {
	s.t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		if os.Getenv("CI") != "" {
			s.t.Fatal(err)
		}
		s.t.Skipf("no terminals here: %v", err)
	}
	s.t.Cleanup(func() { _ = person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer program.Close()
	cmd := exec.Command(binary, append(args, "--addr", s.url)...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return person, cmd
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// lines is a command's output in a terminal.
func (s *server) lines(columns uint16, args ...string) []string {
	s.t.Helper()
	person, cmd := s.terminal(columns, args...)
	var all []byte
	for buffer := make([]byte, 64<<10); ; {
		n, err := person.Read(buffer)
		all = append(all, buffer[:n]...)
		if err != nil {
			break // the other side is closed
		}
	}
	if err := cmd.Wait(); err != nil {
		s.t.Fatalf("assent %s: %v\n%s", strings.Join(args, " "), err, all)
	}
	text := strings.TrimRight(escapes.ReplaceAllString(string(all), ""), "\r\n")
	return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
}

const terminalDocuments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: refunds-of-the-northern-region
steps: [{ id: pay, agent: payer, operation: refund, risk: high, each: input.amounts, width: 20, with: { amount: item, customer: input.customer } }]
---
workflow: form
steps: [{ id: pay, agent: payer }]
gates:
  - id: details
    at: before pay
    kind: input
    role: approver
    input_schema: { type: object, required: [why, amount], properties: { why: { type: string }, amount: { type: number, maximum: 100 } } }
---
policy: limited
rules:
  - { name: Some, priority: 1, trigger: { operation_type: [read] }, action: { auto_approve: true, rollout_percentage: 25, sample_percentage: 10, max_uses: 7, expires_at: "2099-01-01" } }
  - { name: Rest, priority: 9, trigger: { operation_type: [refund] }, action: { role: approver } }
`

// TestTerminal checks lists in terminals of three widths, and types into one.
func TestTerminal(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(terminalDocuments)
	run := s.run("refunds-of-the-northern-region",
		map[string]any{"amounts": []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, "customer": "zoe"})
	if r := s.settles(run, "waiting"); r.count("pending_approvals") != 12 {
		t.Fatalf("%s", r.body)
	}
	ids := s.call("GET", "/approvals?limit=1", nil).want(200).text("items.0.id")
	ids = ids[:strings.LastIndex(ids, "_")+1]
	for _, columns := range []uint16{80, 120, 200} {
		t.Run(fmt.Sprintf("the inbox in %d columns", columns), func(t *testing.T) {
			own := *s
			own.t = t
			lines := own.lines(columns, "inbox", "--sort", "age")
			all := strings.Join(lines, "\n")
			for _, line := range lines {
				if n := len([]rune(line)); n > int(columns) {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			last := -1
			for n := 1; n <= 12; n++ {
				at := regexp.MustCompile(regexp.QuoteMeta(ids) + fmt.Sprint(n) + `\b`).FindStringIndex(all)
				if at == nil || at[0] < last {
					t.Fatalf("%s%d is not there, whole and after the one before:\n%s", ids, n, all)
				}
				last = at[0]
			}
			if strings.Count(all, "zoe") < 12 || !strings.Contains(all, "12") {
				t.Errorf("titles are cut:\n%s", all)
			}
		})
	}
	t.Run("the policy's limits", func(t *testing.T) {
		own := *s
		own.t = t
		all := strings.Join(own.lines(120, "policy"), " ")
		for _, want := range []string{"25 %", "10 % sampled", "7 uses", "2099-01-01"} {
			if !strings.Contains(all, want) {
				t.Errorf("%q is not shown: %s", want, all)
			}
		}
	})
	t.Run("what was typed survives a refusal", func(t *testing.T) {
		own := *s
		own.t = t
		refusedEditIsKept(t, &own)
	})
}

func refusedEditIsKept(t *testing.T, s *server) {
	person, cmd := s.terminal(100, "run", "form", "--watch", "--user", "bob", "--role", "approver")
	screen := &tail{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buffer := make([]byte, 4096); ; {
			n, err := person.Read(buffer)
			_, _ = screen.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); <-done }()
	types := func(keys string) {
		t.Helper()
		if _, err := person.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	// shows waits until a text is drawn after the previous one.
	seen := 0
	shows := func(what string, or func()) {
		t.Helper()
		waitFor(t, what+" on the screen", func() bool {
			at := strings.Index(screen.String()[seen:], what)
			if at < 0 {
				or()
				return false
			}
			seen += at + len(what)
			return true
		})
	}
	idle := func() {}
	shows("s submit", idle)
	shows("enter next", func() { types("s") }) // an approval is shown for a moment before it can be decided
	const clear = "\x15"
	types(clear + "moved away\r")
	shows("enter submit", idle)
	types(clear + "700\r")
	shows("expected at most 100", idle)
	types("\r")
	shows("enter submit", idle)
	types(clear + "70\r")
	waitFor(t, "the corrected form to be accepted", func() bool {
		list := s.call("GET", "/approvals?status=submitted&workflow=form", nil).want(200)
		return list.count("items") == 1 && list.text("items.0.outcome.data.why") == "moved away" &&
			list.number("items.0.outcome.data.amount") == 70
	})
}
