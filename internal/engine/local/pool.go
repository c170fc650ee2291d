package local

import "sync"

// pools limit how much of each kind of work runs concurrently. The rest is queued, which costs a few words
// and no goroutine.
type pools struct {
	mu    sync.Mutex
	limit map[string]int
	kinds map[string]*pool
}

type pool struct {
	running int
	max     int
	line    []func(waited bool)
}

// running counts the work in progress, by kind.
func (ps *pools) running() map[string]int {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	out := make(map[string]int, len(ps.kinds))
	for kind, p := range ps.kinds {
		out[kind] = p.running
	}
	return out
}

// run runs f in a goroutine as soon as its kind has capacity. F is told whether it waited for that.
func (ps *pools) run(kind string, f func(waited bool)) {
	ps.mu.Lock()
	p := ps.kinds[kind]
	if p == nil {
		if ps.kinds == nil {
			ps.kinds = map[string]*pool{}
		}
		p = &pool{max: ps.limit[kind]}
		if p.max <= 0 {
			p.max = max(ps.limit[""], 0)
		}
		if p.max == 0 {
			p.max = workersDefault
		}
		ps.kinds[kind] = p
	}
	if p.running >= p.max {
		p.line = append(p.line, f)
		ps.mu.Unlock()
		return
	}
	p.running++
	ps.mu.Unlock()
	go ps.work(p, f)
}

func (ps *pools) work(p *pool, f func(waited bool)) {
	for waited := false; ; waited = true {
		f(waited)
		ps.mu.Lock()
		if len(p.line) == 0 {
			p.running--
			p.line = nil
			ps.mu.Unlock()
			return
		}
		f = p.line[0]
		p.line = p.line[1:]
		ps.mu.Unlock()
	}
}
