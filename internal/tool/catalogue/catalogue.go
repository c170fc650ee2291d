// Package catalogue knows everything that can be called: built-in tools, services, programs, the tools of MCP
// servers, and agents.
//
//	all := catalogue.New(catalogue.Options{Own: own, Servers: names, Ask: ask})
//	defer all.Close()
//	found, notes := all.Search(ctx, "parse the XML files", 5)
//
// Nothing is asked before the first search: only then are MCP servers started for their lists. From there on
// the catalogue stays current: a changed document and a server's notification lead to a new index, which is
// built in the background and replaces the old one at once. The first search waits for the first index,
// as it would find nothing without one. A search waits for a list that was never read, but only briefly; a
// server that is slow, fails or is gone is described by its last list, and the notes say so.
package catalogue

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/toolgraph"
)

// Limits, each tested at or over.
const (
	EntriesMax = 250_000 // of the whole catalogue; the rest is left out, and the notes say so

	patience   = 2 * time.Second        // for lists that were never read, counted from when they were asked for
	buildWait  = 500 * time.Millisecond // for an index that is out of date
	askWithin  = time.Minute
	listedFor  = 5 * time.Minute  // how long a list is used without asking again
	failedFor  = 15 * time.Second // how long a server that failed is left alone
	leastShare = 0.15             // of the best score; less is noise
)

// Options are the sources of a catalogue.
type Options struct {
	// Own lists everything but the tools of MCP servers. It does no I/O.
	Own func() []port.Callable
	// Servers lists the MCP servers in force, each with a digest of its document; nil: there are none.
	Servers func() map[string]string
	// Ask fetches the tools of a server.
	Ask func(ctx context.Context, server string) ([]port.Callable, error)
	// Learned is the version of what past runs taught, and Past reads it, oldest first; nil: nothing is learned.
	Learned func(ctx context.Context) (string, error)
	Past    func(ctx context.Context) ([]toolgraph.Past, []toolgraph.Used, error)
	// Patience is how long a search waits for a list that was never read; 0: 2 s.
	Patience time.Duration
	Now      func() time.Time
	Log      *slog.Logger
}

// Catalogue is safe for concurrent use.
type Catalogue struct {
	o       Options
	current atomic.Pointer[index]

	mu      sync.Mutex
	used    bool // something was searched for: the catalogue is kept current
	servers map[string]*server
	version int           // of the sources
	built   int           // version of the current index
	ready   chan struct{} // closed when the build under way is done; nil: none is
	memory  memory

	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
}

var _ port.Catalogue = (*Catalogue)(nil)

// server is what is known about an MCP server.
type server struct {
	digest  string // of its document
	tools   []port.Callable
	known   bool // it has answered once
	at      time.Time
	outdate bool          // it reported a change since
	asking  chan struct{} // closed when the question under way is answered; nil: none is
	since   time.Time     // when that question was asked
	failed  time.Time
	down    time.Time // when the first question failed since the last list
	why     string    // it failed
}

// index is a catalogue at one moment. It never changes.
type index struct {
	all    []port.Callable // by name
	byName map[string]int
	graph  *toolgraph.Graph
	over   int // entries that were left out
}

// New creates a catalogue. It starts nothing.
func New(o Options) *Catalogue {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Servers == nil {
		o.Servers = func() map[string]string { return nil }
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	c := &Catalogue{o: o, servers: map[string]*server{}, version: 1}
	c.current.Store(&index{graph: toolgraph.New(nil, nil)})
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Close stops what is under way.
func (c *Catalogue) Close() {
	c.cancel()
	c.work.Wait()
}

// All lists everything, by name.
func (c *Catalogue) All(ctx context.Context) ([]port.Callable, []string) {
	x, notes := c.fresh(ctx)
	return x.all, notes
}

// Search finds what fits a request, the best first. Nothing is an answer.
func (c *Catalogue) Search(ctx context.Context, request string, most int) ([]port.Match, []string) {
	x, notes := c.fresh(ctx)
	var out []port.Match
	for _, f := range x.graph.Search(request, most) {
		if len(out) > 0 && f.Score < leastShare*out[0].Score {
			break
		}
		out = append(out, port.Match{Callable: x.all[f.Tool], Score: rounded(f.Score), Confidence: rounded(f.Confidence),
			Why: why(f)})
	}
	return out, notes
}

// Find looks a name up.
func (c *Catalogue) Find(ctx context.Context, name string) (port.Callable, bool) {
	x, _ := c.fresh(ctx)
	i, ok := x.byName[name]
	if !ok {
		return port.Callable{}, false
	}
	return x.all[i], true
}

// Listed finds a tool in the list that a server sent last. It asks nothing.
func (c *Catalogue) Listed(name, tool string) (t plan.Tool, found, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[name]
	if s == nil || !s.known {
		return t, false, false
	}
	full := "mcp:" + name + "/" + tool
	at := slices.IndexFunc(s.tools, func(e port.Callable) bool { return e.Name == full })
	if at < 0 {
		return t, false, true
	}
	t = plan.Tool{Args: s.tools[at].Args, Output: s.tools[at].Output, Risk: s.tools[at].Risk}
	return t, true, true
}

func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// wordsNamed is how many of the words that led to a tool are named.
const wordsNamed = 5

// why explains a match to people.
func why(f toolgraph.Found) []string {
	var out []string
	if len(f.Words) > 0 {
		out = append(out, "matches "+phrase.Quoted(f.Words, wordsNamed))
	}
	switch {
	case f.Runs == 1:
		out = append(out, "served 1 similar request")
	case f.Runs > 1:
		out = append(out, fmt.Sprintf("served %d similar requests", f.Runs))
	}
	return out
}
