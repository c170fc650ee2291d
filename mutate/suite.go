package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fate is the outcome for a mutant.
type fate string

const (
	killed    fate = "killed"
	timedOut  fate = "timed out"
	tooLarge  fate = "out of memory"
	survived  fate = "survived"
	unreached fate = "unreached"
)

type result struct {
	mutant mutant
	fate   fate
	by     string
}

// unit is a test that can be run by itself: a top-level test, or a subtest of one
// that takes long.
type unit struct {
	test, sub string
	took      time.Duration
	reaches   map[int]bool
}

func (u unit) name() string {
	if u.sub == "" {
		return u.test
	}
	return u.test + "/" + u.sub
}

// suite is the test binary of one package, with all mutants in it.
type suite struct {
	dir, binary, tmp string
	units            []unit
	flags            []string      // for every run
	env              []string      // for every run
	cpu              bool          // time is the processor's
	memory           int           // limit of a process, in MB
	idle             time.Duration // how long a process may have nothing to do
}

var errNoTests = errors.New("the package has no tests")

func build(ctx context.Context, overlay, dir, tmp string) (*suite, error) {
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, err
	}
	s := &suite{dir: dir, tmp: tmp, binary: filepath.Join(tmp, "tests")}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary, "./"+dir)
	out, err := compile.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if _, err := os.Stat(s.binary); errors.Is(err, fs.ErrNotExist) {
		return nil, errNoTests
	}
	// A failure that rapid keeps in a file would be tried again for the next mutant.
	if usage, _ := exec.CommandContext(ctx, s.binary, "-help").CombinedOutput(); bytes.Contains(usage,
		[]byte("rapid.nofailfile")) {
		s.flags = append(s.flags, "-rapid.nofailfile")
	}
	return s, nil
}

// patience is how much longer a test may take than its processor time, where
// that is what counts.
const patience = 40

// run runs tests with one mutant on, or none, and ends whatever they started.
// It returns what they wrote and how long they took.
func (s *suite) run(
	ctx context.Context, limit time.Duration, env []string, args ...string,
) (string, time.Duration, error) {
	wait := limit
	if s.cpu {
		wait *= patience
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cmd := s.command(ctx, append(args, s.flags...))
	cmd.Dir = filepath.FromSlash(s.dir)
	cmd.Env = slices.Concat(os.Environ(), s.env, env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		if s.cpu {
			go watch(ctx, cancel, cmd.Process.Pid, limit, s.idle)
		}
		err = cmd.Wait()
	}
	if ctx.Err() != nil && err != nil {
		err = context.DeadlineExceeded
	}
	took := time.Since(began)
	if p := cmd.ProcessState; s.cpu && p != nil {
		took = p.UserTime() + p.SystemTime()
	}
	return out.String(), took, err
}

// command runs the tests with a limit on their memory: a mutant that appends
// without end would take that of the whole machine before its time is up. The
// shell sets it, so that it holds from the first instruction on and for whatever
// the tests start. It is the data segment that is limited, because much of the
// address space that Go reserves is never used.
func (s *suite) command(ctx context.Context, args []string) *exec.Cmd {
	const limited = `ulimit -d "$0" && exec "$@"`
	kilobytes := strconv.Itoa(s.memory * 1024)
	return exec.CommandContext(ctx, "sh", append([]string{"-c", limited, kilobytes, s.binary}, args...)...)
}

// outOfMemory matches what the runtime prints when memory is exhausted. Where it cannot even say so, it crashes: a
// signal on a line of its own comes from the runtime, because one in Go code is part of a panic's message.
var outOfMemory = regexp.MustCompile(
	`(?m)^((fatal error|runtime): .*(out of memory|cannot allocate memory)|SIGSEGV: segmentation violation$)`)

// watch ends a run that has used more processor time than it may, or that has
// been waiting for too long with nothing to do: its goroutines wait for each other.
func watch(ctx context.Context, end func(), pid int, limit, idle time.Duration) {
	var used time.Duration
	since := time.Now() // it last did something
	for every := time.Tick(time.Second); ; {
		select {
		case <-ctx.Done():
			return
		case <-every:
		}
		now, ready := activity(pid)
		if ready || now > used {
			used, since = now, time.Now()
		}
		if used > limit || time.Since(since) > idle {
			end()
		}
	}
}

// activity is the processor time a process has used, and whether one of its
// threads runs or waits for a processor or the disk.
func activity(pid int) (used time.Duration, ready bool) {
	const tick = 10 * time.Millisecond // of the kernel, in /proc
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		used += time.Duration(user+system) * tick
		ready = ready || fields[0] != "S"
	}
	return used, ready
}

// slow is how long a test takes before its subtests are looked at one by one.
const slow = time.Second

// trace runs every test by itself, without a mutant, and notes how long it takes
// and which mutants it reaches.
func (s *suite) trace(ctx context.Context, o options, progress io.Writer) error {
	skip, err := regexp.Compile(o.skip)
	if err != nil {
		return fmt.Errorf("-skip: %w", err)
	}
	s.cpu, s.memory, s.env, s.idle = o.cpu, o.memory, o.env, o.timeout
	names, _, err := s.run(ctx, time.Minute, nil, "-test.list", "^(Test|Fuzz|Example)")
	if err != nil {
		return fmt.Errorf("list the tests of %s: %w\n%s", s.dir, err, names)
	}
	for _, test := range strings.Fields(names) {
		if o.skip != "" && skip.MatchString(test) {
			continue
		}
		u, subs, err := s.traceUnit(ctx, unit{test: test}, o)
		if err != nil {
			fmt.Fprintf(progress, "%s %s left out, it fails without a mutant: %v\n", s.dir, test, err)
			continue
		}
		if parts := s.traceParts(ctx, u, subs, o); parts != nil {
			s.units = append(s.units, parts...)
		} else {
			s.units = append(s.units, u)
		}
	}
	s.units = slices.DeleteFunc(s.units, func(u unit) bool {
		if u.took > o.slowest {
			fmt.Fprintf(progress, "%s %s left out, it takes %s\n", s.dir, u.name(), u.took.Round(time.Second))
		}
		return u.took > o.slowest
	})
	slices.SortFunc(s.units, func(a, b unit) int { return cmp.Compare(a.took, b.took) })
	return ctx.Err()
}

// traceParts splits a slow test into its subtests, or returns nil if they do not
// pass by themselves or do not reach all that the whole does. Of a test that would
// be left out, those that pass are better than nothing.
func (s *suite) traceParts(ctx context.Context, whole unit, subs []string, o options) []unit {
	if whole.took < slow || len(subs) < 2 {
		return nil
	}
	tooSlow := whole.took > o.slowest
	var parts []unit
	together := map[int]bool{}
	for _, sub := range subs {
		part, _, err := s.traceUnit(ctx, unit{test: whole.test, sub: sub}, o)
		if err != nil && tooSlow {
			continue
		}
		if err != nil {
			return nil
		}
		parts = append(parts, part)
		for id := range part.reaches {
			together[id] = true
		}
	}
	if len(together) < len(whole.reaches) && !tooSlow {
		return nil
	}
	return parts
}

var subtest = regexp.MustCompile(`(?m)^    --- PASS: \S+?/(\S+) \(`)

func (s *suite) traceUnit(ctx context.Context, u unit, o options) (unit, []string, error) {
	path := filepath.Join(s.tmp, "trace")
	defer os.Remove(path)
	out, took, err := s.run(ctx, 20*o.timeout, []string{"MUTANT_TRACE=" + path}, append(s.pick([]unit{u}), "-test.v")...)
	if err != nil {
		return u, nil, fmt.Errorf("%w\n%s", err, lastLines(out))
	}
	u.took = took
	u.reaches = map[int]bool{}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return u, nil, err
	}
	for _, id := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(id)
		if err != nil {
			return u, nil, err
		}
		u.reaches[n] = true
	}
	var subs []string
	for _, m := range subtest.FindAllStringSubmatch(out, -1) {
		subs = append(subs, m[1])
	}
	return u, subs, nil
}

func lastLines(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// pick are the arguments that run these units: whole tests, or parts of one.
func (s *suite) pick(units []unit) []string {
	var tests, subs []string
	for _, u := range units {
		if t := regexp.QuoteMeta(u.test); !slices.Contains(tests, t) {
			tests = append(tests, t)
		}
		if u.sub != "" {
			subs = append(subs, regexp.QuoteMeta(u.sub))
		}
	}
	pattern := "^(" + strings.Join(tests, "|") + ")$"
	if len(subs) > 0 {
		pattern += "/^(" + strings.Join(subs, "|") + ")$"
	}
	return []string{"-test.run", pattern, "-test.failfast", "-test.count=1"}
}

// kill runs, for each mutant, the tests that reach it.
func (s *suite) kill(ctx context.Context, mutants []mutant, o options, progress io.Writer) ([]result, error) {
	results := make([]result, len(mutants))
	next := make(chan int)
	var wg sync.WaitGroup
	for range o.jobs {
		wg.Go(func() {
			for i := range next {
				results[i] = s.try(ctx, mutants[i], o)
				if f := results[i].fate; f == survived || f == unreached {
					fmt.Fprintf(progress, "%s: %s so far: %s\n", s.dir, f, mutants[i])
				}
			}
		})
	}
	for i := range mutants {
		if i%100 == 99 {
			fmt.Fprintf(progress, "%s: %d of %d\n", s.dir, i+1, len(mutants))
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return results, ctx.Err()
}

// try runs the tests that reach a mutant, the fastest first, until one fails.
func (s *suite) try(ctx context.Context, m mutant, o options) result {
	r := result{mutant: m, fate: unreached}
	for _, batch := range s.batches(m) {
		var expected time.Duration
		for _, u := range batch {
			expected += u.took
		}
		out, _, err := s.run(ctx, max(o.timeout, 10*expected), []string{"MUTANT=" + strconv.Itoa(m.id)}, s.pick(batch)...)
		switch {
		case err == nil:
			r.fate = survived
		case errors.Is(err, context.DeadlineExceeded):
			return result{mutant: m, fate: timedOut, by: batch[0].name()}
		case outOfMemory.MatchString(out):
			return result{mutant: m, fate: tooLarge, by: batch[0].name()}
		default:
			return result{mutant: m, fate: killed, by: killer(out)}
		}
	}
	return r
}

// batches are the tests that reach a mutant, the fast ones in one process and the
// others one process each; the parts of one test are together.
func (s *suite) batches(m mutant) [][]unit {
	var fast []unit
	var rest [][]unit
	parts := map[string]int{}
	for _, u := range s.units {
		if !u.reaches[m.id] {
			continue
		}
		switch at, ok := parts[u.test]; {
		case u.sub != "" && ok:
			rest[at] = append(rest[at], u)
		case u.sub != "":
			parts[u.test] = len(rest)
			rest = append(rest, []unit{u})
		case u.took < slow:
			fast = append(fast, u)
		default:
			rest = append(rest, []unit{u})
		}
	}
	if len(fast) > 0 {
		return append([][]unit{fast}, rest...)
	}
	return rest
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

func killer(out string) string {
	if all := failed.FindAllStringSubmatch(out, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	first, _, _ := strings.Cut(out, "\n")
	return first
}
