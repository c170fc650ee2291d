package e2e

import (
	"bytes"
	"debug/elf"
	bin "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// withClock starts a program on a machine whose clock is wrong, as the program sees it. Programs read the clock by a
// function that the kernel maps into them, the vDSO, and this one is replaced before the program begins.
func withClock(wrong time.Duration) func(*exec.Cmd) error {
	return func(cmd *exec.Cmd) error {
		runtime.LockOSThread() // the thread that starts it is its tracer
		defer runtime.UnlockOSThread()
		cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		pid := cmd.Process.Pid
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
			return fmt.Errorf("wait for the program to begin: %v, %v", err, status)
		}
		err := setClock(pid, wrong)
		return errors.Join(err, syscall.PtraceDetach(pid))
	}
}

// setClock replaces clock_gettime in the vDSO of a process that is stopped.
func setClock(pid int, wrong time.Duration) error {
	if s := wrong / time.Second; s > math.MaxInt32 || s < math.MinInt32 {
		return fmt.Errorf("%s is too much", wrong)
	}
	base, err := vdso(pid)
	if err != nil {
		return err
	}
	image := make([]byte, 4<<10)
	for len(image) < 64<<10 { // it ends at the end of a page
		if _, err := syscall.PtracePeekData(pid, base+uintptr(len(image)), make([]byte, 1)); err != nil {
			break
		}
		image = append(image, make([]byte, 4<<10)...)
	}
	if _, err := syscall.PtracePeekData(pid, base, image); err != nil {
		return fmt.Errorf("read the vDSO: %w", err)
	}
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return fmt.Errorf("the vDSO: %w", err)
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("the functions of the vDSO: %w", err)
	}
	// The function may be shorter than ours, so it jumps to the table of sections, which is for debuggers.
	sections := bin.LittleEndian.Uint64(image[40:])
	code := []byte{
		0xb8, 228, 0, 0, 0, // mov eax, clock_gettime
		0x0f, 0x05, // syscall
		0x85, 0xff, // test edi, edi: the wall clock is number 0
		0x75, 7, // jnz +7
		0x48, 0x81, 0x06, // add qword [rsi], …
	}
	code = bin.LittleEndian.AppendUint32(code, uint32(int32(wrong/time.Second)))
	code = append(code, 0xc3) // ret
	for _, s := range symbols {
		if s.Name != "__vdso_clock_gettime" {
			continue
		}
		jump := bin.LittleEndian.AppendUint32([]byte{0xe9}, uint32(int32(int64(sections)-int64(s.Value)-5)))
		if _, err := syscall.PtracePokeText(pid, base+uintptr(sections), code); err != nil {
			return fmt.Errorf("write to the vDSO: %w", err)
		}
		_, err := syscall.PtracePokeText(pid, base+uintptr(s.Value), jump)
		return err
	}
	return errors.New("the vDSO has no clock")
}

// vdso is where it begins.
func vdso(pid int) (uintptr, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/auxv")
	if err != nil {
		return 0, err
	}
	for ; len(raw) >= 16; raw = raw[16:] {
		if bin.LittleEndian.Uint64(raw) == 33 { // AT_SYSINFO_EHDR
			return uintptr(bin.LittleEndian.Uint64(raw[8:])), nil
		}
	}
	return 0, errors.New("the process has no vDSO")
}

// needWrongClocks skips a test where the clock of a process cannot be set.
func needWrongClocks(t *testing.T) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command("date", "+%s")
	cmd.Stdout = &said
	err := withClock(time.Hour)(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	seconds, wrong := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
	if err = errors.Join(err, wrong); err == nil && time.Until(time.Unix(seconds, 0)) > 50*time.Minute {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("the clock of a process cannot be set: %v; it says %s", err, &said)
	}
	t.Skipf("the clock of a process cannot be set: %v; it says %s", err, &said)
}

// clocked is an agent of the farm, and workflows with deadlines: one that the server keeps, and one that is far enough
// away for workers to keep it.
const clocked = `
agent: worker
kind: http
url: AGENTS
queue: farm
---
workflow: soon
steps:
  - { id: a, agent: worker, timeout: 2m }
  - { id: h, needs: [a], human: { title: No one answers, role: absent, timeout: { after: 3s, then: approve } } }
  - { id: b, needs: [h], agent: worker, timeout: 2m }
---
workflow: later
steps:
  - { id: h, human: { title: No one answers, role: absent, timeout: { after: 70s, then: approve } } }
  - { id: b, needs: [h], agent: worker }
---
`

// TestTemporalClocks: the clocks of the server, of the workers and of Temporal differ by hours. Deadlines are kept at
// the right moment, by the server and, while that is down, by workers. Then processes are killed under load and begin
// again with other clocks.
func TestTemporalClocks(t *testing.T) {
	t.Parallel()
	needWrongClocks(t)
	wrong := []time.Duration{2 * time.Hour, -time.Hour, time.Hour} // of the server, and of the workers
	n := 0
	_, patient, _ := strings.Cut(stormWorld(), "---\n")
	f := newFarm(t, clocked+patient, farmOptions{
		temporal: func(s *temporalServer) { onPostgres(s); s.begin = withClock(-30 * time.Minute) },
		process:  func(s *server) { s.begin = withClock(wrong[n]); n++ },
	})
	f.late = 2 * time.Second // clocks are corrected to a second
	date, err := time.Parse(time.RFC1123, f.s.call("GET", "/healthz", nil).want(200).header.Get("Date"))
	if err != nil || date.Sub(time.Now()) < 110*time.Minute {
		t.Fatalf("the server's clock is right: %s, %v", date, err)
	}
	for _, s := range append(f.workers, f.s) {
		s.says("the clock of this machine and that of the database differ")
	}

	soon := f.s.run("soon", map[string]any{})
	f.s.settles(soon, "completed")
	f.kept(soon, 3*time.Second)

	later := f.s.run("later", map[string]any{})
	f.s.pending(later)
	f.temporal.has(f.due(later))
	f.s.kill()
	c, err := pgx.Connect(t.Context(), f.pg.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // all was read
	waitFor(t, "a worker to keep the deadline", func() bool {
		var pending bool
		if err := c.QueryRow(t.Context(), `SELECT count(*) > 0 FROM approvals WHERE run = $1 AND status = 'pending'`,
			later).Scan(&pending); err != nil {
			t.Fatal(err)
		}
		return !pending
	})
	f.supervise(f.s)
	f.s.settles(later, "completed")
	f.kept(later, 70*time.Second)

	clocks := []time.Duration{-2 * time.Hour, 0, 90 * time.Minute}
	f.underLoad(max(3, faults()/20), func(f *farm, i int) string {
		to := clocks[i%len(clocks)]
		for _, s := range append(f.workers, f.s) {
			s.begin = withClock(to)
			to = -to + 10*time.Minute
		}
		f.killed(victims{server: i%2 == 0, worker: true}, func() {})
		return fmt.Sprintf("%s, %s", clocks[i%len(clocks)], to)
	})
}

// due is the deadline of a run.
func (f *farm) due(id string) time.Time {
	f.Helper()
	c, err := pgx.Connect(f.Context(), f.pg.URL())
	if err != nil {
		f.Fatal(err)
	}
	defer c.Close(f.Context()) //nolint:errcheck // all was read
	var at int64
	if err := c.QueryRow(f.Context(), `SELECT due_at FROM runs WHERE id = $1`, id).Scan(&at); err != nil {
		f.Fatal(err)
	}
	return time.Unix(0, at)
}

// has waits until Temporal has a timer for a deadline.
func (s *temporalServer) has(deadline time.Time) {
	s.t.Helper()
	c, err := pgx.Connect(s.t.Context(), s.pg.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close(s.t.Context()) //nolint:errcheck // all was read
	minute := deadline.UTC().Truncate(time.Minute).Format(time.RFC3339Nano)
	waitFor(s.t, "Temporal to have a timer", func() bool {
		var n int
		if err := c.QueryRow(s.t.Context(),
			`SELECT count(*) FROM executions WHERE workflow_id LIKE '%/deadlines@' || $1::text`, minute).Scan(&n); err != nil {
			s.t.Fatal(err)
		}
		return n > 0
	})
}

// kept checks that the deadline of a run was kept once, when it had come, and that its log has the right dates.
func (f *farm) kept(id string, after time.Duration) {
	f.Helper()
	var asked, settled []time.Time
	for _, line := range f.log(id) {
		var e struct {
			At   time.Time
			Type string
		}
		if err := json.Unmarshal(line, &e); err != nil {
			f.Fatal(err)
		}
		if time.Since(e.At).Abs() > patience {
			f.Errorf("%s of %s is dated %s", e.Type, id, e.At)
		}
		switch e.Type {
		case "approval.needed":
			asked = append(asked, e.At)
		case "approval.timed_out":
			settled = append(settled, e.At)
		}
	}
	if len(asked) != 1 || len(settled) != 1 {
		f.Fatalf("%s was asked at %v and timed out at %v", id, asked, settled)
	}
	if took := settled[0].Sub(asked[0]); took < after-time.Second || took > after+time.Minute {
		f.Errorf("%s timed out after %s, not %s", id, took, after)
	}
}
