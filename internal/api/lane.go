package api

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// lane lets few requests through at a time, and those who wait by turns: one of
// each identity, however many another has sent. While others are at work, an
// identity rests after its turn for some times as long as that took: what one
// floods us with is a small part of what the processors do.
type lane struct {
	mu      sync.Mutex
	free    int
	each    int            // of one identity at a time
	taken   map[string]int // by identity, resting included
	waiting map[string][]chan struct{}
	turns   []string // who waits, whoever is next first
	last    [2]sight // who was seen last, the newest first: two of them differ
}

// sight is when an identity was last seen.
type sight struct {
	key string
	at  time.Time
}

const (
	restTimes = 3
	restFlood = 8                    // of those who take more than their part
	restFrom  = 2 * time.Millisecond // of work: shorter turns are put together
	restMost  = 250 * time.Millisecond
	atWork    = time.Second // somebody is, who sent something since
)

// newLane makes a lane for a number of requests at a time.
func newLane(width int) *lane {
	return &lane{free: width, each: max(1, width-1), taken: map[string]int{}, waiting: map[string][]chan struct{}{}}
}

// saw notes that somebody is at work.
func (l *lane) saw(key string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last[0].key != key {
		l.last[1] = l.last[0]
	}
	l.last[0] = sight{key, at}
}

// others reports whether anybody else is at work.
func (l *lane) others(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.last {
		if s.key != key && now.Sub(s.at) < atWork {
			return true
		}
	}
	return false
}

// enter waits for its turn, as long as ctx lasts.
func (l *lane) enter(ctx context.Context, key string, begun bool) error {
	l.mu.Lock()
	if l.free > 0 && l.taken[key] < l.each {
		l.free--
		l.taken[key]++
		l.mu.Unlock()
		return nil
	}
	turn := l.line(key, begun)
	l.mu.Unlock()
	return l.wait(ctx, key, turn)
}

// again ends a turn and waits for the next one.
func (l *lane) again(ctx context.Context, key string, rest time.Duration) error {
	l.mu.Lock()
	turn := l.line(key, true)
	i := slices.Index(l.turns, key)
	l.turns = append(append(l.turns[:i], l.turns[i+1:]...), key) // everybody else is before us
	l.release(key, rest)
	l.mu.Unlock()
	return l.wait(ctx, key, turn)
}

// line lets somebody wait. What was begun goes on before an identity begins
// something else.
func (l *lane) line(key string, begun bool) (turn chan struct{}) {
	turn = make(chan struct{})
	if len(l.waiting[key]) == 0 {
		l.turns = append(l.turns, key)
	}
	if begun {
		l.waiting[key] = slices.Insert(l.waiting[key], 0, turn)
	} else {
		l.waiting[key] = append(l.waiting[key], turn)
	}
	return turn
}

func (l *lane) wait(ctx context.Context, key string, turn chan struct{}) error {
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !l.withdraw(key, turn) {
		l.leave(key, 0) // it was our turn just now
	}
	return ctx.Err()
}

// leave ends a turn. The place is free at once; its identity may take one again
// after a rest.
func (l *lane) leave(key string, rest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(key, rest)
}

func (l *lane) release(key string, rest time.Duration) {
	l.free++
	if rest <= 0 {
		l.rested(key)
	} else {
		time.AfterFunc(rest, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.rested(key)
			l.call()
		})
	}
	l.call()
}

func (l *lane) rested(key string) {
	if l.taken[key]--; l.taken[key] == 0 {
		delete(l.taken, key)
	}
}

// call lets those in for whom there is a place. Whoever waits although one is
// free has all that one may have.
func (l *lane) call() {
	for i := 0; l.free > 0 && i < len(l.turns); {
		next := l.turns[i]
		if l.taken[next] >= l.each {
			i++
			continue
		}
		first := l.waiting[next][0]
		l.turns = append(l.turns[:i], l.turns[i+1:]...)
		if l.waiting[next] = l.waiting[next][1:]; len(l.waiting[next]) > 0 {
			l.turns = append(l.turns, next)
		} else {
			delete(l.waiting, next)
		}
		l.free--
		l.taken[next]++
		close(first)
	}
}

// withdraw takes somebody out who does not wait any more; false: it is too late.
func (l *lane) withdraw(key string, turn chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.waiting[key]
	for i, w := range all {
		if w != turn {
			continue
		}
		if l.waiting[key] = append(all[:i:i], all[i+1:]...); len(l.waiting[key]) == 0 {
			delete(l.waiting, key)
			for j, k := range l.turns {
				if k == key {
					l.turns = append(l.turns[:j], l.turns[j+1:]...)
					break
				}
			}
		}
		return true
	}
	return false
}

// laneWidth leaves one processor, and with it a connection to the store, to
// what is quick: decisions above all.
func laneWidth() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// slow are the operations that look at many things.
var slow = map[string]bool{
	"listAccounts": true, "listAgents": true, "listAgentVersions": true, "listApprovals": true, "listAudit": true, "listDeliverables": true,
	"listDeliverableVersions": true, "listLessons": true, "listPolicyVersions": true, "listRecipients": true, "listRuns": true, "listRunEvents": true, "listSamples": true, "listStandIns": true,
	"listSubjects": true, "listMySessions": true, "listMyTokens": true,
	"listSuggestions": true, "listTokens": true, "listTools": true, "listWorkflows": true, "listWorkflowVersions": true,
	"getInsights": true, "getRunState": true, "search": true, "diffPolicyVersions": true,
	"backtestPolicy": true, "exportAudit": true, "exportLessons": true, "proveAuditConsistency": true, "proveRun": true, "tabulateAudit": true, "verifyAudit": true,
	"zipDeliverables": true, "downloadDeliverable": true, "previewDeliverable": true,
}

// turn is the right to work in a lane. Work that takes long gives others a turn
// between two parts of it.
type turn struct {
	lane *lane
	ctx  context.Context
	key  string
	in   bool
	at   time.Time     // since when
	used time.Duration // since the last rest

	begun bool // it had a turn before
	flood bool // it is of somebody who takes more than their part
}

// take waits for a turn.
func (t *turn) take() error {
	err := t.lane.enter(t.ctx, t.key, t.begun)
	t.in, t.begun, t.at = err == nil, true, time.Now()
	return err
}

// give ends a turn, if there is one.
func (t *turn) give() {
	if t.in {
		t.in = false
		t.lane.leave(t.key, t.rest())
	}
}

// rest is how long to rest after what was done in this turn.
func (t *turn) rest() (d time.Duration) {
	now := time.Now()
	if t.used += now.Sub(t.at); t.used < restFrom {
		return 0
	}
	if t.lane.others(t.key, now) {
		times := time.Duration(restTimes)
		if t.flood {
			times = restFlood
		}
		d = min(times*t.used, restMost)
	}
	t.used = 0
	return d
}

// pause lets others go first, if this has taken long enough to matter.
func (t *turn) pause() error {
	if !t.in || t.used+time.Since(t.at) < restFrom {
		return nil
	}
	err := t.lane.again(t.ctx, t.key, t.rest())
	t.in, t.at = err == nil, time.Now()
	return err
}
