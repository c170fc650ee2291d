// Command bench measures the budgets of Assent on the machine it runs on:
//
//	go run ./bench                          everything, on SQLite in a fresh directory
//	go run ./bench -only three-steps,inbox  some topics
//	go run ./bench -postgres                also on a private PostgreSQL
//	go run ./bench -quick -json out.json    small sizes, figures for machines
//	go run ./bench -fill DIR                no measurement; a data directory with 100,000 pending approvals to browse
//
// Every run first measures the floor, that is, the speed of the disk and the databases themselves in the same
// minute, and reports figures as multiples of it: a ratio is meaningful on another machine, a millisecond is
// not.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"

	"github.com/assent-run/assent/internal/heap"
)

func main() {
	if spec := os.Getenv(probeVariable); spec != "" {
		os.Exit(probeMain(spec))
	}
	if spec := os.Getenv(floodVariable); spec != "" {
		os.Exit(floodMain(spec))
	}
	heap.Tune() // as the server does
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := execute(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	only     string
	quick    bool
	postgres bool
	db       string
	json     string
	profile  string
	fill     string
	sizes    sizes
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.only, "only", "", "topics to measure, separated by commas: "+strings.Join(topicNames(), ", "))
	flags.BoolVar(&o.quick, "quick", false, "small sizes: shows that everything works, not how fast")
	flags.BoolVar(&o.postgres, "postgres", false, "measure a private PostgreSQL server as well")
	flags.StringVar(&o.db, "db", "", "measure this PostgreSQL as well (postgres://…; uses schemas of "+
		"its own and drops them)")
	flags.StringVar(&o.json, "json", "", "write the figures to this file as JSON")
	flags.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile of the topics to this file")
	flags.StringVar(&o.fill, "fill", "", "measure nothing; put pending approvals into this data directory, for a "+
		"server to be looked at")
	approvals := flags.Int("approvals", 0, "measure the inbox at this many pending approvals only")
	runs := flags.Int("runs", 0, "measure this many runs of three steps")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected %q", flags.Arg(0))
	}
	o.sizes = fullSizes
	if o.quick {
		o.sizes = quickSizes
	}
	if *approvals > 0 {
		o.sizes.approvals = []int{*approvals}
	}
	if *runs > 0 {
		o.sizes.runs = *runs
	}
	return o, nil
}

// profile writes a CPU profile until stop is called.
func profile(path string) (stop func() error, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { pprof.StopCPUProfile(); return f.Close() }, nil
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.fill != "" {
		return fill(ctx, o.fill, o.sizes.approvals[0])
	}
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "assent-bench-")
	if err != nil {
		return err
	}
	b := &bench{sizes: o.sizes, dir: dir, progress: stderr}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.findHomes(ctx, o); err != nil {
		return err
	}
	if err := b.measureFloor(ctx); err != nil {
		return fmt.Errorf("measure the floor: %w", err)
	}
	if o.profile != "" {
		stop, err := profile(o.profile)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	for _, t := range chosen {
		if err := b.measure(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
	}
	if err := writeTable(stdout, b.measures); err != nil {
		return err
	}
	if o.json != "" {
		return writeJSON(o.json, b)
	}
	return nil
}
