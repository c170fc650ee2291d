package temporal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/temporal"
)

// workerVariable turns the test binary into a worker: its database, address of Temporal, queue, behaviour, and how far
// the clock of the database is ahead of its own.
const workerVariable = "ASSENT_TEST_WORKER"

// beWorker works until standard input is closed. A worker that hangs says so and never ends its work.
func beWorker() int {
	words := strings.Fields(os.Getenv(workerVariable))
	url, address, queue, hangs := words[0], words[1], words[2], words[3] == "hangs"
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ahead, err := time.ParseDuration(words[4])
	if err != nil {
		log.Error(err.Error())
		return 1
	}
	store, err := postgres.Open(context.Background(), url)
	if err != nil {
		log.Error(err.Error())
		return 1
	}
	client, err := temporal.Dial(context.Background(), temporal.Config{Address: address, Heartbeat: shortHeartbeat,
		Database: queue})
	if err != nil {
		log.Error(err.Error())
		return 1
	}
	e := local.New(local.Config{Store: store, Shared: true, Log: log, Now: clockAhead(ahead),
		Agent: func(string) (port.Agent, bool) {
			return enginetest.AgentFunc(func(ctx context.Context, w port.Work) (run.Result, error) {
				fmt.Printf("working %s %d\n", w.Step, w.Try)
				if hangs {
					select {}
				}
				return enginetest.Echo(ctx, w)
			}), true
		}})
	w, err := client.Work(e, []string{queue}, 4)
	if err != nil {
		log.Error(err.Error())
		return 1
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	w.StopPolling()
	_ = e.Stop(context.Background())
	w.Wait(context.Background())
	client.Close()
	return 0
}

// clockAhead is the clock of a database, by which runs are dated, if it is ahead of this machine's.
func clockAhead(d time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(d) }
}

// workerProcess starts this program as a worker.
func workerProcess(t *testing.T, url, queue, how string, ahead time.Duration) (cmd *exec.Cmd, said *bufio.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerVariable+"="+
		strings.Join([]string{url, temporalServer(t), queue, how, ahead.String()}, " "))
	cmd.Stderr = t.Output()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	said = bufio.NewReader(out)
	expect(t, said, "ready")
	return cmd, said
}

func expect(t *testing.T, said *bufio.Reader, want string) {
	t.Helper()
	if line, err := said.ReadString('\n'); strings.TrimSpace(line) != want {
		t.Fatalf("%q, %v, not %q", line, err, want)
	}
}

// A worker that is killed in the middle of its work is a failed try of the step.
func TestKilledWorker(t *testing.T) {
	url, queue := pgtest.Database(t), newQueue()
	client := dial(t, queue, shortHeartbeat)
	defer client.Close()
	store := openStore(t, url)
	defer store.Close()
	e := engineOn(t, store, enginetest.Surroundings{}, func(c *local.Config) { c.Dispatch = client })
	e.Start()
	defer e.Stop(context.Background())
	first, said := workerProcess(t, url, queue, "hangs", 0)
	id := begin(t, e, `{"workflow":"w","steps":[{"id":"a","agent":"x","retry":{"max":3,"backoff":"10ms"}}]}`)
	expect(t, said, "working a 1")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_, said = workerProcess(t, url, queue, "works", 0)
	expect(t, said, "working a 2")
	t.Logf("taken up %s after the kill", time.Since(killed).Round(100*time.Millisecond))
	await(t, e, store, id, run.Completed)
	records, err := store.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var lost []run.Failure
	for _, r := range records {
		if f, ok := r.Fact.(*run.StepRetrying); ok {
			lost = append(lost, f.Error)
		}
	}
	if len(lost) == 0 {
		t.Error("the killed worker is not on record")
	}
	for _, f := range lost { // a busy machine may stop the second one for longer than workers may be silent
		if f.Code != local.CodeWorkerLost || !f.Transient {
			t.Errorf("%+v", lost)
		}
	}
}

// A deadline is kept by workers while no server runs, also if the clocks of the machines differ from the database's,
// which dates the runs.
func TestDeadlineWithoutServer(t *testing.T) {
	temporalServer(t)
	for name, ahead := range map[string][2]time.Duration{ // of the server and of the worker
		"clocks agree":             {0, 0},
		"clocks are an hour wrong": {time.Hour, time.Hour},
		"a worker is a bit behind": {0, -500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deadlineWithoutServer(t, ahead[0], ahead[1])
		})
	}
}

func deadlineWithoutServer(t *testing.T, server, worker time.Duration) {
	url, queue := pgtest.Database(t), newQueue()
	client := dial(t, queue, shortHeartbeat)
	defer client.Close()
	store := openStore(t, url)
	defer store.Close()
	var e *local.Engine
	id := ""
	for after := 5 * time.Second; id == ""; after *= 2 { // on a busy machine it takes longer to stop the server
		e = engineOn(t, store, enginetest.Surroundings{}, func(c *local.Config) {
			c.Dispatch, c.Now = client, clockAhead(server)
		})
		e.Start()
		for !e.Leads() {
			time.Sleep(time.Millisecond)
		}
		begun := begin(t, e, fmt.Sprintf(
			`{"workflow":"w","steps":[{"id":"h","human":{"kind":"approval","timeout":{"after":%q,"then":"approve"}}}]}`, after))
		status := func() run.Status {
			row, err := store.Run(t.Context(), begun)
			if err != nil {
				t.Fatal(err)
			}
			return row.Status
		}
		for status() == run.Running {
			time.Sleep(time.Millisecond)
		}
		if err := e.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if status() == run.Waiting {
			id = begun
		}
	}
	workerProcess(t, url, queue, "works", worker)
	await(t, e, store, id, run.Completed)
}

// watched is an engine that reports when it begins to wait for deadlines, and how that ends.
type watched struct {
	temporal.Engine
	begins chan struct{}
	ends   chan error
}

func (w watched) TickDue(ctx context.Context, from, until time.Time) error {
	w.begins <- struct{}{}
	err := w.Engine.TickDue(ctx, from, until)
	w.ends <- err
	return err
}

// A worker that stops leaves the deadlines it waits for to another, at once.
func TestDeadlineOfAStoppedWorker(t *testing.T) {
	temporalServer(t)
	t.Parallel()
	const span = 5 * time.Second
	url, queue := pgtest.Database(t), newQueue()
	client, err := temporal.Dial(t.Context(), temporal.Config{Address: temporalServer(t), Heartbeat: heartbeat,
		Log: logger(t), TimersFrom: span, Database: queue, Queue: func(plan.Agent) string { return queue }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	store := openStore(t, url)
	defer store.Close()
	server := engineOn(t, store, enginetest.Surroundings{}, func(c *local.Config) { c.Dispatch = client })
	server.Start()
	// Late in a span, so that its timer rings well before.
	late := time.Now().Add(2 * span).Truncate(span).Add(span - time.Second)
	id := begin(t, server, fmt.Sprintf(
		`{"workflow":"w","steps":[{"id":"h","human":{"kind":"approval","timeout":{"after":%q,"then":"approve"}}}]}`,
		time.Until(late).Round(time.Millisecond)))
	await(t, server, store, id, run.Waiting)
	if err := server.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	works := engineOn(t, store, enginetest.Surroundings{}, nil)
	defer works.Stop(context.Background()) //nolint:errcheck // it has no work
	seen := watched{works, make(chan struct{}, 10), make(chan error, 10)}
	first, err := client.Work(seen, []string{queue}, 4)
	if err != nil {
		t.Fatal(err)
	}
	<-seen.begins
	first.StopPolling()
	first.Wait(t.Context())
	if err := <-seen.ends; !errors.Is(err, context.Canceled) && time.Now().Before(late) {
		t.Errorf("it waited for deadlines: %v", err)
	}
	second, err := client.Work(works, []string{queue}, 4)
	if err != nil {
		t.Fatal(err)
	}
	await(t, works, store, id, run.Completed)
	second.StopPolling()
	second.Wait(t.Context())
}
