package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// topic measures one subject on one kind of store.
type topic interface {
	name() string
	// measure reports figures through b. The home is fresh.
	measure(ctx context.Context, b *bench, h home) error
}

var topics = []topic{threeSteps{}, transitions{}, decisions{}, commands{}, saves{}, payload{}, active{}, waiting{},
	inbox{}, restart{}, overHTTP{}, notifications{}, flood{}, replans{}, pages{}}

func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name())
	}
	return names
}

// choose finds topics by name; none named means all.
func choose(only string) ([]topic, error) {
	if only == "" {
		return topics, nil
	}
	var chosen []topic
	for name := range strings.SplitSeq(only, ",") {
		i := slices.Index(topicNames(), strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("there is no topic %q; there are %s", name, strings.Join(topicNames(), ", "))
		}
		chosen = append(chosen, topics[i])
	}
	return chosen, nil
}

// sizes are the sizes of the measurements.
type sizes struct {
	floor     int   // flushes
	commits   int   // of one row
	runs      int   // of three steps, many concurrently
	alone     int   // runs one after the other
	saves     int   // approvals and snapshots
	tools     int   // among which a replanned step is found
	payloads  int   // large results, one after the other
	bytes     int   // of each
	active    int   // runs at work concurrently
	approvals []int // pending at the same time
	pages     int   // of the inbox, per query
	open      int   // open runs when the process starts
}

var (
	fullSizes = sizes{
		floor: 1000, commits: 10_000, runs: 30_000, alone: 2000, saves: 2000, tools: 10_000, payloads: 9, bytes: 10_000_000,
		active: 10_000, approvals: []int{100_000, 1_000_000}, pages: 300, open: 100_000,
	}
	quickSizes = sizes{
		floor: 50, commits: 50, runs: 300, alone: 50, saves: 50, tools: 100, payloads: 3, bytes: 1_000_000, active: 200,
		approvals: []int{500}, pages: 10, open: 500,
	}
)

// bench is one run of the program.
type bench struct {
	sizes
	dir      string // everything is in here; deleted at the end
	homes    []homes
	floor    floor
	measures []measure
	progress io.Writer
	cleanup  []func() error

	topic, store string // at work
}

// measure runs a topic on every kind of store.
func (b *bench) measure(ctx context.Context, t topic) error {
	for _, kind := range b.homes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.topic, b.store = t.name(), kind.store()
		b.say("%s on %s …", b.topic, b.store)
		h, err := kind.fresh(ctx, t.name())
		if err != nil {
			return err
		}
		began := time.Now()
		if err := errors.Join(t.measure(ctx, b, h), h.remove(ctx)); err != nil {
			return fmt.Errorf("on %s: %w", kind.store(), err)
		}
		b.say("  took %s", time.Since(began).Round(10*time.Millisecond))
	}
	return nil
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.progress, format+"\n", args...) }

// report keeps figures.
func (b *bench) report(all ...measure) {
	for _, m := range all {
		m.Topic, m.Store = b.topic, b.store
		b.measures = append(b.measures, m.judged())
	}
}

func (b *bench) close() error {
	var errs []error
	for _, f := range slices.Backward(b.cleanup) {
		errs = append(errs, f())
	}
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}
