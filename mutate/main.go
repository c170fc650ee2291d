// Command mutate plants small bugs in packages, one at a time, and reports the
// ones that no test notices:
//
//	go run ./mutate                                every package of the list in targets.go
//	go run ./mutate internal/core/gate             one package
//	go run ./mutate -sample 200 internal/core/plan  200 of its mutants, chosen by -seed
//	go run ./mutate -only 'due|quorum' -v …        mutants whose description matches a pattern
//	go run ./mutate -list internal/seal            which mutants there are
//
// All mutants of a package are compiled into one test binary that an environment
// variable switches, so a mutant costs the tests that reach it and no build.
// Survivors with a reason are in survivors.txt; any other survivor is an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

type options struct {
	sample  int
	seed    uint64
	jobs    int
	timeout time.Duration
	slowest time.Duration
	only    *regexp.Regexp
	skip    string
	known   string
	list    bool
	verbose bool
	own     bool
	cpu     bool
	memory  int
	env     []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := execute(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "mutate:", err)
		}
		os.Exit(1)
	}
}

func execute(ctx context.Context, args []string, out, progress io.Writer) error {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(progress)
	flags.IntVar(&o.sample, "sample", 0, "at most this many mutants per package; 0 is all of them")
	flags.Uint64Var(&o.seed, "seed", 1, "which sample")
	flags.IntVar(&o.jobs, "jobs", max(1, runtime.NumCPU()/2), "mutants tested at once")
	flags.DurationVar(&o.timeout, "timeout", 30*time.Second,
		"shortest time limit of a test; a slow one gets ten times what it takes without a mutant")
	flags.DurationVar(&o.slowest, "slowest", 5*time.Second, "tests that take longer are left out")
	only := flags.String("only", "", "only mutants whose description matches this pattern")
	flags.StringVar(&o.skip, "skip", "", "tests whose name matches this pattern are left out")
	flags.StringVar(&o.known, "known", "mutate/survivors.txt", "the survivors with a reason")
	flags.BoolVar(&o.list, "list", false, "list the mutants and stop")
	flags.BoolVar(&o.verbose, "v", false, "report every mutant and the test that killed it")
	flags.BoolVar(&o.own, "own", false, "leave out the tests of other packages")
	flags.BoolVar(&o.cpu, "cpu", false,
		"measure tests by the processor time they take, on a machine that is busy with other work")
	flags.IntVar(&o.memory, "memory", 2048, "a process may take this many MB; one that wants more has noticed its mutant")
	postgres := flags.Bool("postgres", false, "one PostgreSQL for all test runs, instead of one each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	known, err := readKnown(o.known)
	if err != nil {
		return err
	}
	if *postgres {
		env, err := pgtest.Share()
		defer func() { _ = pgtest.Stop() }() // it ends with us anyway
		if err != nil {
			return fmt.Errorf("-postgres: %w", err)
		}
		o.env = append(o.env, env)
	}
	dirs := flags.Args()
	if len(dirs) == 0 {
		dirs = targets
	}
	var scores []score
	for _, dir := range dirs {
		s, err := mutatePackage(ctx, filepath.ToSlash(filepath.Clean(dir)), o, known, out, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		scores = append(scores, s)
	}
	if o.list {
		return nil
	}
	printTable(out, scores)
	return verdict(scores)
}

// verdict is an error when a survivor has no reason.
func verdict(scores []score) error {
	open := 0
	for _, s := range scores {
		open += s.survived + s.unreached
	}
	if open > 0 {
		return fmt.Errorf("%d mutants survived without a reason: kill them with a test or explain them in survivors.txt",
			open)
	}
	return nil
}

// mutatePackage plants the mutants of one package and counts their fates.
func mutatePackage(
	ctx context.Context, dir string, o options, known *knownList, out, progress io.Writer,
) (score, error) {
	s := score{dir: dir}
	pkg, err := load(ctx, dir)
	if err != nil {
		return s, err
	}
	mutants := pkg.find()
	s.all = len(mutants)
	chosen := choose(mutants, o)
	s.run = len(chosen)
	if o.list {
		for _, m := range chosen {
			fmt.Fprintln(out, m)
		}
		return s, nil
	}
	tmp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(tmp)
	overlay, err := pkg.weave(tmp, mutants)
	if err != nil {
		return s, err
	}
	began := time.Now()
	suites := []string{dir}
	if !o.own {
		suites = append(suites, alsoTestedBy(dir)...)
	}
	left := chosen
	reached := map[int]bool{}
	for i, suite := range suites {
		if len(left) == 0 {
			break
		}
		b, err := build(ctx, overlay, suite, filepath.Join(tmp, fmt.Sprintf("suite%d", i)))
		if errors.Is(err, errNoTests) {
			continue // those of other packages reach it
		}
		if err != nil {
			return s, fmt.Errorf("build the tests of %s: %w", suite, err)
		}
		if err := b.trace(ctx, o, progress); err != nil {
			return s, err
		}
		results, err := b.kill(ctx, left, o, progress)
		if err != nil {
			return s, err
		}
		left = left[:0:0]
		for _, r := range results {
			reached[r.mutant.id] = reached[r.mutant.id] || r.fate != unreached
			switch r.fate {
			case killed:
				s.killed++
			case timedOut, tooLarge:
				s.stopped++
			default:
				left = append(left, r.mutant)
				continue
			}
			if o.verbose {
				fmt.Fprintf(out, "%s %s by %s\n", r.fate, r.mutant, r.by)
			}
		}
	}
	for _, m := range left {
		switch reason := known.reason(m); {
		case reason != "":
			s.explained++
			if o.verbose {
				fmt.Fprintf(out, "explained %s: %s\n", m, reason)
			}
		case reached[m.id]:
			s.survived++
			fmt.Fprintln(out, "SURVIVED", m)
		default:
			s.unreached++
			fmt.Fprintln(out, "UNREACHED", m)
		}
	}
	s.took = time.Since(began)
	fmt.Fprintf(progress, "%s\n", strings.TrimSpace(s.row()))
	return s, nil
}
