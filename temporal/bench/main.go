// Command bench measures the Temporal engine beside Temporal's own way to do the same, on one Temporal server and one
// PostgreSQL, in one run:
//
//	go run ./bench -server PATH      # PATH is the program of temporal/devserver; make bench-temporal
//
// Runs have three steps. Decisions are between two steps: a person's approval here, a signal to a workflow there. All
// workers are in this process, each with connections of its own.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

var (
	server    = flag.String("server", os.Getenv("ASSENT_TEMPORAL_SERVER"), "program of temporal/devserver")
	runs      = flag.Int("runs", 1000, "runs of three steps, for each number of workers")
	atOnce    = flag.Int("at-once", 32, "runs under way at the same time")
	decisions = flag.Int("decisions", 300, "decisions, for each number of workers")
	workers   = flag.String("workers", "1,2,4", "numbers of workers")
	parked    = flag.Int("parked", 100_000, "runs that wait for a person")
	theirs    = flag.Int("parked-workflows", 10_000, "workflows that wait for a signal")
	rest      = flag.Duration("rest", 20*time.Second, "how long processor time is measured while all wait")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	if err := bench(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// contender is a way to do the same work.
type contender interface {
	// Name is for the table.
	Name() string
	// Work starts workers and returns how to stop them.
	Work(ctx context.Context, n int) (stop func(), err error)
	// Three does a run of three steps.
	Three(ctx context.Context) error
	// Wait begins a run and returns when it waits for a decision.
	Wait(ctx context.Context) (id string, err error)
	// Decide makes the decision. The next step sends the id to began.
	Decide(ctx context.Context, id string) error
	// Park begins a run that waits for a decision without doing anything before.
	Park(ctx context.Context) error
	Close()
}

func bench(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "assent-bench-temporal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := startTemporal(filepath.Join(dir, "temporal.db"))
	if err != nil {
		return err
	}
	defer t.stop()
	url, err := pgtest.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pgtest.Stop()) }()
	began := make(chan string, 1)
	ours, err := newOurs(ctx, url, t.address, began)
	if err != nil {
		return err
	}
	defer ours.Close()
	own, err := newOwn(ctx, t.address, began)
	if err != nil {
		return err
	}
	defer own.Close()
	contenders := []contender{ours, own}
	load, _ := os.ReadFile("/proc/loadavg") // empty elsewhere
	fmt.Printf("load when it began: %s\n\n", strings.TrimSpace(string(load)))
	fmt.Println("| workers | | runs of three steps | processor time of Temporal for a run | " +
		"decision → next step, p50 / p99 |")
	fmt.Println("|--:|---|--:|--:|--:|")
	for word := range strings.SplitSeq(*workers, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		for _, c := range contenders {
			if err := measure(ctx, t, c, n, began); err != nil {
				return fmt.Errorf("%s, %d workers: %w", c.Name(), n, err)
			}
		}
	}
	return park(ctx, t, url, ours, own)
}

// measure prints a line of the table.
func measure(ctx context.Context, t *temporalServer, c contender, workers int, began <-chan string) error {
	stop, err := c.Work(ctx, workers)
	if err != nil {
		return err
	}
	defer stop()
	if err := many(*atOnce, *atOnce, func() error { return c.Three(ctx) }); err != nil { // connections, caches
		return err
	}
	cpu, start := t.processor(), time.Now()
	if err := many(*runs, *atOnce, func() error { return c.Three(ctx) }); err != nil {
		return err
	}
	took := time.Since(start)
	cpu = t.processor() - cpu
	var waits []time.Duration
	for range *decisions {
		id, err := c.Wait(ctx)
		if err != nil {
			return err
		}
		decided := time.Now()
		if err := c.Decide(ctx, id); err != nil {
			return err
		}
		for got := ""; got != id; got = <-began {
		}
		waits = append(waits, time.Since(decided))
	}
	slices.Sort(waits)
	fmt.Printf("| %d | %s | %.0f/s | %.0f ms | %.1f / %.1f ms |\n", workers, c.Name(),
		float64(*runs)/took.Seconds(), float64(cpu.Milliseconds())/float64(*runs), ms(waits[len(waits)/2]),
		ms(waits[len(waits)*99/100]))
	return nil
}

// park measures what waiting costs.
func park(ctx context.Context, t *temporalServer, url string, ours *assentRuns, own *workflows) error {
	fmt.Println("\n| | database | memory of Temporal | processor while all wait: Temporal, this process |")
	fmt.Println("|---|--:|--:|--:|")
	for _, c := range []struct {
		contender
		n    int
		size func() (int64, error)
	}{
		{ours, *parked, func() (int64, error) { return databaseSize(ctx, url) }},
		{own, *theirs, t.size},
	} {
		if c.n == 0 {
			continue
		}
		stop, err := c.Work(ctx, 1)
		if err != nil {
			return err
		}
		before, err := c.size()
		if err != nil {
			return err
		}
		temporalBefore := t.memory()
		if err := many(c.n, *atOnce, func() error { return c.Park(ctx) }); err != nil {
			return err
		}
		after, err := c.size()
		if err != nil {
			return err
		}
		cpu, own := t.processor(), ownProcessor()
		time.Sleep(*rest)
		fmt.Printf("| %d of %s | %.1f kB each | %d MB, %d MB before | %.2f %%, %.2f %% of a processor |\n", c.n, c.Name(),
			float64(after-before)/float64(c.n)/1000, t.memory()>>20, temporalBefore>>20,
			share(t.processor()-cpu), share(ownProcessor()-own))
		stop()
	}
	return nil
}

func share(cpu time.Duration) float64 { return 100 * cpu.Seconds() / rest.Seconds() }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// many does something n times, so many at once, until an error.
func many(n, atOnce int, do func() error) error {
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	left := n
	next := func() bool {
		mu.Lock()
		defer mu.Unlock()
		left--
		return left >= 0 && failed == nil
	}
	for range atOnce {
		all.Go(func() {
			for next() {
				if err := do(); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return failed
}

// temporalServer is the server that all share.
type temporalServer struct {
	cmd     *exec.Cmd
	alive   io.Closer // the server stops when it is closed, also if this process is killed
	db      string
	address string
}

func startTemporal(db string) (*temporalServer, error) {
	if *server == "" {
		return nil, errors.New("name Temporal's server with -server; make bench-temporal builds one")
	}
	cmd := exec.Command(*server, "-db", db)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		return nil, errors.Join(fmt.Errorf("Temporal said %q", line), err, in.Close(), cmd.Wait())
	}
	return &temporalServer{cmd: cmd, alive: in, db: db, address: address}, nil
}

func (t *temporalServer) stop() {
	_ = t.alive.Close()
	_ = t.cmd.Wait()
}

// size is that of Temporal's database.
func (t *temporalServer) size() (sum int64, err error) {
	for _, end := range []string{"", "-wal"} {
		info, err := os.Stat(t.db + end)
		if errors.Is(err, os.ErrNotExist) {
			continue // everything is in the other file
		}
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum, nil
}

// processor is the processor time that Temporal has used.
func (t *temporalServer) processor() time.Duration {
	return processorOf(strconv.Itoa(t.cmd.Process.Pid))
}

func ownProcessor() time.Duration { return processorOf("self") }

// processorOf reads the times of a process; 0 where the system does not tell them.
func processorOf(process string) time.Duration {
	raw, _ := os.ReadFile("/proc/" + process + "/stat")
	_, after, _ := strings.Cut(string(raw), ") ")
	words := strings.Fields(after)
	if len(words) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(words[11])
	system, _ := strconv.Atoi(words[12])
	return time.Duration(user+system) * time.Second / 100
}

// memory is how much of Temporal is in memory.
func (t *temporalServer) memory() int64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", t.cmd.Process.Pid))
	words := strings.Fields(string(raw))
	if len(words) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(words[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
