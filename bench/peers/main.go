// Command peers measures Assent, and systems that people compare it with, on
// the same machine in the same run:
//
//	go run ./bench/peers                       everything that can be installed
//	go run ./bench/peers -only dbos,langgraph  some of them; Assent is always measured
//	go run ./bench/peers -quick                small sizes: shows that everything works
//
// Each peer is a program of its own with its own libraries, none of which are
// libraries of the product: each folder of bench/peers/go is a Go module, and each
// folder of bench/peers/js an npm package. What cannot be installed is skipped with the
// reason. Nothing is compiled while something is measured, and one peer runs at a
// time. docs/peers.md says what the figures mean and what they do not.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := execute(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
		os.Exit(1)
	}
}

// comparison is one run of this program.
type comparison struct {
	At     time.Time `json:"at"`
	Go     string    `json:"go"`
	Node   string    `json:"node"`
	System string    `json:"system"`
	Cores  int       `json:"cores"`
	Load   string    `json:"load"` // of the machine before anything was started
	Sizes  work.Spec `json:"sizes"`
	Floor  floor     `json:"floor"`
	Rows   []row     `json:"rows"`

	dir    string
	limits limits
}

// floor is the speed of the machine itself, as bench measures it.
type floor struct {
	Fsync   float64            `json:"fsync_p50_ms"`
	Commits map[string]float64 `json:"commits_per_s"` // of one row each, by store
}

// row is what one peer did on one store.
type row struct {
	Peer    string `json:"peer"`
	Store   string `json:"store"`
	Load    string `json:"load,omitempty"`
	Missing string `json:"missing,omitempty"` // why figures are missing
	work.Report
}

// limits are how long things may take.
type limits struct{ install, run time.Duration }

var (
	fullSizes  = work.Spec{Runs: 2000, AtOnce: 64, Decisions: 500, Pending: 10_000, Pages: 100}
	quickSizes = work.Spec{Runs: 50, AtOnce: 8, Decisions: 5, Pending: 60, Pages: 3}
)

func execute(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	only := flags.String("only", "", "peers to measure with Assent, comma-separated: "+strings.Join(names(), ", "))
	quick := flags.Bool("quick", false, "small sizes: shows that everything works, not how fast")
	out := flags.String("json", "", "write the figures to this file as JSON")
	install := flags.Duration("install-limit", 30*time.Minute, "skip a peer whose installation takes longer")
	limit := flags.Duration("limit", 6*time.Minute, "stop a peer that takes longer on one store")
	runs := flags.Int("runs", 0, "measure this many runs of three steps")
	decisions := flags.Int("decisions", 0, "measure this many decisions")
	pending := flags.Int("pending", 0, "list among this many waiting runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	c := &comparison{At: time.Now().UTC(), Go: runtime.Version(), Node: nodeVersion(), System: runtime.GOOS + "/" +
		runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Load: load(), Sizes: fullSizes, limits: limits{*install, *limit}}
	if *quick {
		c.Sizes = quickSizes
	}
	c.Sizes.Runs = cmp.Or(*runs, c.Sizes.Runs)
	c.Sizes.Decisions = cmp.Or(*decisions, c.Sizes.Decisions)
	c.Sizes.Pending = cmp.Or(*pending, c.Sizes.Pending)
	if c.dir, err = os.MkdirTemp("", "assent-peers-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopPostgres(), os.RemoveAll(c.dir)) }()
	// What was measured before an interruption is shown as well.
	return errors.Join(c.measure(ctx, chosen, *quick), c.show(*out))
}

// show prints the tables, and writes the figures to a file if it has a name.
func (c *comparison) show(file string) error {
	fmt.Print(c.tables())
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func choose(only string) (chosen []peer, err error) {
	if only == "" {
		return peers, nil
	}
	wanted := strings.Split(only, ",")
	for _, name := range wanted {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("%q is not a peer; there are %s", name, strings.Join(names(), ", "))
		}
	}
	for _, p := range peers {
		if p.name == baseline || slices.Contains(wanted, p.name) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// measure installs everything, and then lets one after the other work.
func (c *comparison) measure(ctx context.Context, chosen []peer, quick bool) error {
	commands, reasons := map[string]command{}, map[string]error{}
	for _, p := range chosen {
		say("installing %s …", p.name)
		within, cancel := context.WithTimeout(ctx, c.limits.install)
		commands[p.name], reasons[p.name] = p.install(within, c.dir)
		cancel()
	}
	if err := c.measureBench(ctx, quick); err != nil {
		return fmt.Errorf("measure the floor and the engine: %w", err)
	}
	for _, p := range chosen {
		for _, store := range p.stores {
			say("%s on %s …", p.title, store)
			r := row{Peer: p.title, Store: store, Load: load()}
			if err := reasons[p.name]; err != nil {
				r.Missing = "not installed: " + err.Error()
			} else if r.Report, err = c.run(ctx, commands[p.name], store); err != nil {
				r.Missing = err.Error()
			}
			if c.Rows = append(c.Rows, r); r.Missing != "" {
				say("%s on %s: %s", p.title, store, r.Missing)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// run lets a peer work on a fresh store. What it reported before it failed counts.
func (c *comparison) run(ctx context.Context, cmd command, store string) (r work.Report, err error) {
	s := c.Sizes
	s.Store = store
	if s.Dir, err = os.MkdirTemp(c.dir, "store-"); err != nil {
		return r, err
	}
	defer os.RemoveAll(s.Dir) //nolint:errcheck // the whole directory is removed at the end
	if store == "postgres" {
		if s.Postgres, err = newPostgres(); err != nil {
			return r, fmt.Errorf("start a PostgreSQL: %w", err)
		}
	}
	spec, err := json.Marshal(s)
	if err != nil {
		return r, err
	}
	within, cancel := context.WithTimeout(ctx, c.limits.run)
	defer cancel()
	cmd.env = append(cmd.env, work.Variable+"="+string(spec))
	out, err := cmd.output(within)
	for line := range strings.Lines(out) {
		if bad := json.Unmarshal([]byte(line), &r); bad != nil {
			err = errors.Join(err, fmt.Errorf("unexpected output %q", line))
		}
	}
	if within.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("stopped after %s", c.limits.run)
	}
	return r, err
}

// measureBench takes the floor, and what the engine does by itself, from bench.
func (c *comparison) measureBench(ctx context.Context, quick bool) error {
	say("the floor and the engine …")
	path := filepath.Join(c.dir, "bench.json")
	args := []string{"run", "./bench", "-postgres", "-only", "three-steps,decision", "-json", path}
	if quick {
		args = append(args, "-quick")
	}
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(string(out)))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var b struct {
		Floor    floor
		Measures []struct {
			Topic, Store string
			Figures      map[string]float64
		}
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	c.Floor = b.Floor
	for _, store := range []string{"sqlite", "postgres"} {
		r := row{Peer: "Assent's engine alone", Store: store, Load: load()}
		for _, m := range b.Measures {
			switch {
			case m.Store != store:
			case m.Topic == "three-steps":
				r.Runs = m.Figures["value"]
			case m.Topic == "decision":
				r.DecisionP50, r.DecisionP99 = m.Figures["p50"], m.Figures["p99"]
			}
		}
		c.Rows = append(c.Rows, r)
	}
	return nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
