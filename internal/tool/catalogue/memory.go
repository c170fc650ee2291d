package catalogue

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/tool/toolgraph"
)

const (
	recallEvery  = time.Second     // how often a search looks whether runs of other processes taught something
	recallWithin = 5 * time.Second // for reading it
	restFor      = 9               // after an index with experience was built, that many times as long
	pastQuick    = 500             // earlier requests that hardly delay an index
	noMemory     = -1              // version of an index without experience
)

// memory is what past runs taught.
type memory struct {
	known   bool   // it was read once
	stored  string // the version that was read
	past    []toolgraph.Past
	used    []toolgraph.Used // the runs that they are of, and others
	version int              // of past, counted here
	built   int              // version in the current index
	looking chan struct{}
	looked  time.Time
	rest    time.Time // no index is built because of experience before then
}

// Taught reports that a run of this process may have taught something.
func (c *Catalogue) Taught() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memory.looked = (time.Time{}); c.used {
		c.recall()
	}
}

// recall reads in the background what past runs taught, if that has changed, unless an index was built a moment
// ago. The index that is searched in the meantime is the old one. It returns a channel that is closed when it is
// done; nil: there is nothing to do. The caller holds c.mu.
func (c *Catalogue) recall() chan struct{} {
	m, now := &c.memory, c.o.Now()
	switch {
	case c.o.Past == nil || c.ctx.Err() != nil:
		return nil
	case m.looking != nil:
		return m.looking
	case now.Before(m.rest) || now.Sub(m.looked) < recallEvery && !m.looked.IsZero():
		return nil
	}
	done, stored, known := make(chan struct{}), m.stored, m.known
	m.looking, m.looked = done, now
	c.work.Add(1)
	go func() {
		defer c.work.Done()
		ctx, cancel := context.WithTimeout(c.ctx, recallWithin)
		defer cancel()
		var past []toolgraph.Past
		var used []toolgraph.Used
		version, err := c.o.Learned(ctx)
		changed := err == nil && (!known || version != stored)
		if changed {
			past, used, err = c.o.Past(ctx)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		defer close(done)
		m.looking = nil
		switch {
		case err != nil && c.ctx.Err() == nil:
			c.o.Log.Warn("what past runs taught cannot be read; tools are found without it",
				"error", phrase.ClipValid(err.Error(), 300))
		case err == nil && changed:
			m.known, m.stored = true, version
			if len(past) > 0 || len(m.past) > 0 {
				m.past, m.used = past, used
				m.version++
				c.build()
			}
		}
	}()
	return done
}
