package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/toolgraph"
)

// Changed reports that documents were published or removed.
func (c *Catalogue) Changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.sync()
	if c.used {
		c.build()
	}
}

// ServerChanged reports that a server announced a change of its list.
func (c *Catalogue) ServerChanged(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.servers[name]
	if s == nil {
		return // it was never asked for
	}
	s.outdate, s.failed = true, time.Time{}
	if c.used {
		c.ask(name, s)
	}
}

// ServerListed hands over a list that a server has sent anyway.
func (c *Catalogue) ServerListed(name string, tools []port.Callable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sync()
	s := c.servers[name]
	if s == nil {
		return // its document is gone
	}
	c.heard(s, tools)
	if c.used {
		c.build()
	}
}

// fresh is the index to search: as current as it can be without waiting for long. Only
// the first is waited for until ctx ends.
func (c *Catalogue) fresh(ctx context.Context) (*index, []string) {
	c.mu.Lock()
	c.used = true
	c.sync()
	now := c.o.Now()
	var lists []chan struct{}
	wait := time.Duration(0)
	for _, name := range slices.Sorted(maps.Keys(c.servers)) {
		s := c.servers[name]
		if !s.known || s.outdate || now.Sub(s.at) >= listedFor {
			c.ask(name, s)
		}
		if !s.known && s.asking != nil {
			if left := c.o.Patience - now.Sub(s.since); left > 0 {
				lists, wait = append(lists, s.asking), max(wait, left)
			}
		}
	}
	if recalled := c.recall(); recalled != nil && !c.memory.known {
		lists, wait = append(lists, recalled), max(wait, buildWait)
	}
	c.mu.Unlock()
	await(ctx, wait, lists...)

	c.mu.Lock()
	var ready chan struct{}
	wait = buildWait
	if c.built == 0 {
		wait = math.MaxInt64 // in no index nothing is found, which would be taken for an answer
	}
	if c.built != c.version {
		c.build()
		ready = c.ready
	}
	c.mu.Unlock()
	if ready != nil {
		await(ctx, wait, ready)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.current.Load()
	return x, c.notes(x)
}

// await waits until all channels are closed, but no longer than that.
func await(ctx context.Context, long time.Duration, all ...chan struct{}) {
	if len(all) == 0 || long <= 0 {
		return
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	for _, one := range all {
		select {
		case <-one:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// sync compares the servers with those in force. Of one whose document changed nothing is known. The caller holds c.mu.
func (c *Catalogue) sync() {
	inForce := c.o.Servers()
	for name, s := range c.servers {
		if digest, ok := inForce[name]; !ok || digest != s.digest {
			delete(c.servers, name)
			c.version++
		}
	}
	for name, digest := range inForce {
		if c.servers[name] == nil {
			c.servers[name] = &server{digest: digest}
		}
	}
}

// ask fetches a server's list in the background, unless that is under way or has just failed. The caller
// holds c.mu.
func (c *Catalogue) ask(name string, s *server) {
	now := c.o.Now()
	if s.asking != nil || c.ctx.Err() != nil || !s.failed.IsZero() && now.Sub(s.failed) < failedFor {
		return
	}
	done := make(chan struct{})
	s.asking, s.since, s.outdate = done, now, false
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		ctx, cancel := context.WithTimeout(c.ctx, askWithin)
		defer cancel()
		tools, err := c.o.Ask(ctx, name)
		c.mu.Lock()
		defer c.mu.Unlock()
		defer close(done)
		s.asking = nil
		if err != nil {
			s.failed, s.why = c.o.Now(), phrase.ClipValid(err.Error(), 300)
			if s.down.IsZero() {
				s.down = s.failed
			}
			if c.ctx.Err() == nil {
				c.o.Log.Warn("an MCP server did not list its tools; its last list is used", "server", name, "known", s.known,
					"error", s.why)
			}
			return
		}
		c.heard(s, tools)
		c.build()
	}()
}

// heard takes a server's list. The caller holds c.mu.
func (c *Catalogue) heard(s *server, tools []port.Callable) {
	s.tools, s.known, s.at, s.failed, s.down, s.why = tools, true, c.o.Now(), time.Time{}, time.Time{}, ""
	c.version++
}

// notes say what an answer does not cover. The caller holds c.mu.
func (c *Catalogue) notes(x *index) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(c.servers)) {
		switch s := c.servers[name]; {
		case !s.known && s.why != "":
			out = append(out, fmt.Sprintf("the tools of %s are missing: %s", name, s.why))
		case !s.known:
			out = append(out, fmt.Sprintf("the tools of %s are missing: it has not answered yet", name))
		case s.why != "":
			out = append(out, fmt.Sprintf("the tools of %s are those of %s: %s", name,
				s.at.UTC().Format(time.RFC3339), s.why))
		}
	}
	if x.over > 0 {
		out = append(out, fmt.Sprintf("%d tools are left out: the limit is %d", x.over, EntriesMax))
	}
	if c.built != c.version {
		out = append(out, "the index is being rebuilt: the newest changes are not in it yet")
	}
	return out
}

// build makes a new index in the background, unless one is under way: that one starts over when it is done.
// The caller holds c.mu.
func (c *Catalogue) build() {
	if c.ready != nil || c.ctx.Err() != nil {
		return
	}
	c.ready = make(chan struct{})
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		c.mu.Lock()
		defer c.mu.Unlock()
		for (c.built != c.version || c.memory.built != c.memory.version) && c.ctx.Err() == nil {
			version, memory, past, used := c.version, c.memory.version, c.memory.past, c.memory.used
			if c.built != version && len(past) > pastQuick {
				past, used, memory = nil, nil, noMemory // words first: experience takes longer, and follows
			}
			all := c.gather()
			c.mu.Unlock()
			began := time.Now()
			next := indexOf(all, past, used)
			took := time.Since(began)
			c.mu.Lock()
			c.current.Store(next)
			c.built, c.memory.built = version, memory
			c.memory.rest = c.o.Now().Add(restFor * took)
		}
		close(c.ready)
		c.ready = nil
	}()
}

// gather lists all entries. The caller holds c.mu.
func (c *Catalogue) gather() []port.Callable {
	all := slices.Clone(c.o.Own())
	for _, s := range c.servers {
		all = append(all, s.tools...)
	}
	return all
}

// indexOf builds an index.
func indexOf(all []port.Callable, past []toolgraph.Past, used []toolgraph.Used) *index {
	slices.SortFunc(all, func(a, b port.Callable) int { return cmp.Compare(a.Name, b.Name) })
	all = slices.CompactFunc(all, func(a, b port.Callable) bool { return a.Name == b.Name })
	x := &index{all: all, byName: make(map[string]int, len(all))}
	if x.over = len(all) - EntriesMax; x.over > 0 {
		x.all = all[:EntriesMax]
	}
	tools := make([]toolgraph.Tool, len(x.all))
	for i := range x.all {
		e := &x.all[i]
		x.byName[e.Name] = i
		tools[i] = toolgraph.Tool{ID: e.Name, Name: shortName(e), Description: e.Description + " " + e.Words,
			Server: e.Server, Arguments: properties(e.Args), Results: properties(e.Output)}
	}
	x.graph = toolgraph.New(tools, past, used...)
	return x
}

// shortName is a name without its source.
func shortName(e *port.Callable) string {
	switch e.Source {
	case port.SourceMCP:
		return strings.TrimPrefix(e.Name, "mcp:"+e.Server+"/")
	case port.SourceAgent:
		return strings.TrimPrefix(e.Name, port.AgentPrefix)
	}
	return e.Name
}

// properties are the names and descriptions of the arguments or results that a schema declares.
func properties(schema []byte) string {
	props, _ := value.Get(schema, "properties")
	var b strings.Builder
	for name, one := range value.Members(props) {
		b.WriteString(name)
		b.WriteByte(' ')
		if raw, ok := value.Get(one, "description"); ok {
			text, _ := value.Text(raw)
			b.WriteString(text)
			b.WriteByte(' ')
		}
		if b.Len() > toolgraph.FieldMax {
			break
		}
	}
	return b.String()
}
