package traffic

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Lane admits few requests at a time, in turns: one of each identity, however many another
// has sent. While others are at work, an identity rests after its turn for a multiple of
// the time that it took, so that a flood takes a small share of the processors.
type Lane struct {
	mu      sync.Mutex
	free    int
	each    int            // of one identity at a time
	taken   map[string]int // by identity, resting included
	waiting map[string][]chan struct{}
	turns   []string // identities that wait, the next one first
	last    [2]sight // the last two identities that were seen, the newest first
}

// sight is when an identity was last seen.
type sight struct {
	key string
	at  time.Time
}

const (
	restTimes = 3
	restFlood = 8                    // of identities that exceeded a limit
	restFrom  = 2 * time.Millisecond // of work: shorter turns are added up
	restMost  = 250 * time.Millisecond
	// AtWork is how long an identity counts as being at work after a request.
	AtWork = time.Second
)

// NewLane creates a lane for a number of requests at a time.
func NewLane(width int) *Lane {
	return &Lane{
		free: width, each: max(1, width-1), taken: map[string]int{}, waiting: map[string][]chan struct{}{},
	}
}

// Saw records that an identity is at work.
func (l *Lane) Saw(key string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last[0].key != key {
		l.last[1] = l.last[0]
	}
	l.last[0] = sight{key, at}
}

// others reports whether another identity is at work.
func (l *Lane) others(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.last {
		if s.key != key && now.Sub(s.at) < AtWork {
			return true
		}
	}
	return false
}

// Enter waits for its turn, as long as ctx lasts.
func (l *Lane) Enter(ctx context.Context, key string, begun bool) error {
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
func (l *Lane) again(ctx context.Context, key string, rest time.Duration) error {
	l.mu.Lock()
	turn := l.line(key, true)
	i := slices.Index(l.turns, key)
	l.turns = append(append(l.turns[:i], l.turns[i+1:]...), key) // all others come first
	l.release(key, rest)
	l.mu.Unlock()
	return l.wait(ctx, key, turn)
}

// line adds a request to those that wait. Requests that were begun come before the other
// requests of their identity.
func (l *Lane) line(key string, begun bool) (turn chan struct{}) {
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

func (l *Lane) wait(ctx context.Context, key string, turn chan struct{}) error {
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !l.withdraw(key, turn) {
		l.leave(key, 0) // it was admitted just now
	}
	return ctx.Err()
}

// leave ends a turn. The place is free at once; its identity may take one again
// after a rest.
func (l *Lane) leave(key string, rest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(key, rest)
}

func (l *Lane) release(key string, rest time.Duration) {
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

func (l *Lane) rested(key string) {
	if l.taken[key]--; l.taken[key] == 0 {
		delete(l.taken, key)
	}
}

// call admits requests while there is room. One that waits although there is room belongs
// to an identity that has as many as it may have.
func (l *Lane) call() {
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

// withdraw removes a request that no longer waits; false: it has just been admitted.
func (l *Lane) withdraw(key string, turn chan struct{}) bool {
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

// LaneWidth leaves one processor, and with it a connection to the store, to quick requests:
// decisions above all.
func LaneWidth() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// Turn is the right to work in a lane. Long work gives others a turn between two parts.
type Turn struct {
	lane *Lane
	ctx  context.Context
	key  string
	in   bool
	at   time.Time     // since when
	used time.Duration // since the last rest

	begun bool // it had a turn before
	flood bool // its identity exceeded a limit
}

// NewTurn creates a turn in a lane, which begins with Take. Flood marks a caller that exceeded a limit.
func NewTurn(ctx context.Context, l *Lane, key string, flood bool) *Turn {
	return &Turn{lane: l, ctx: ctx, key: key, flood: flood}
}

// Take waits for a turn.
func (t *Turn) Take() error {
	err := t.lane.Enter(t.ctx, t.key, t.begun)
	t.in, t.begun, t.at = err == nil, true, time.Now()
	return err
}

// Give ends a turn, if there is one.
func (t *Turn) Give() {
	if t.in {
		t.in = false
		t.lane.leave(t.key, t.rest())
	}
}

// rest is how long to rest after the work of this turn.
func (t *Turn) rest() (d time.Duration) {
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

// Pause lets others go first, if this turn has taken long enough to matter.
func (t *Turn) Pause() error {
	if !t.in || t.used+time.Since(t.at) < restFrom {
		return nil
	}
	err := t.lane.again(t.ctx, t.key, t.rest())
	t.in, t.at = err == nil, time.Now()
	return err
}
