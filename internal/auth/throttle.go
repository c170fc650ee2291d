package auth

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// guesses slows down password guessing. Three things are counted:
//   - one address trying one name: a person with a bad memory, or a guesser;
//   - one name, from any address: a guesser with many addresses. It is lenient, so
//     that it is hard to lock another person out;
//   - one address, whatever the name: one password tried on all accounts.
//
// An attempt counts before it is made, so that a hundred at once are a hundred. One that has to wait is not examined
// and does not count: a flood of attempts at one name costs its address no more than the few that were examined.
type guesses struct {
	mu                  sync.Mutex
	pair, name, address *throttle
}

func newGuesses() *guesses {
	return &guesses{
		pair:    &throttle{free: 5, first: time.Second, most: 15 * time.Minute},
		name:    &throttle{free: 50, first: time.Second, most: time.Minute},
		address: &throttle{free: 50, first: time.Second, most: 15 * time.Minute},
	}
}

// begin counts an attempt, or returns how long to wait. Done reports how it ended.
func (g *guesses) begin(name, address string, now time.Time) (done func(ok bool), wait time.Duration) {
	name, address = digest(accountName(name)), network(address)
	g.mu.Lock()
	defer g.mu.Unlock()
	keys := []struct {
		of  *throttle
		key string
	}{{g.pair, name + address}, {g.name, name}, {g.address, address}}
	for _, k := range keys {
		wait = max(wait, k.of.wait(k.key, now))
	}
	if wait > 0 {
		return nil, wait
	}
	var undo []func()
	for _, k := range keys {
		undo = append(undo, k.of.count(k.key, now))
	}
	return func(ok bool) {
		if !ok {
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.pair.forget(keys[0].key)
		g.name.forget(keys[1].key)
		// Not the address as a whole: a guesser may also have an account.
		undo[2]()
	}, 0
}

// network is the part of an address that is shared by all addresses one person can have at once.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "?"
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}

const (
	throttleMax = 20_000         // keys that are remembered
	throttleFor = 24 * time.Hour // without another attempt
)

// throttle lets some attempts through and doubles the wait for each further one. When it is full, it drops the key
// with the oldest attempt.
type throttle struct {
	free        int
	first, most time.Duration
	entries     map[string]*list.Element
	recent      list.List // of *attempts, the newest first
}

type attempts struct {
	key   string
	count int
	until time.Time
	last  time.Time
}

// wait returns how long a key has to wait.
func (t *throttle) wait(key string, now time.Time) time.Duration {
	e, ok := t.entries[key]
	if !ok {
		return 0
	}
	a := e.Value.(*attempts)
	if now.Sub(a.last) > throttleFor {
		t.drop(e)
		return 0
	}
	return max(0, a.until.Sub(now))
}

// count counts an attempt. Undo reverts that.
func (t *throttle) count(key string, now time.Time) (undo func()) {
	if t.entries == nil {
		t.entries = map[string]*list.Element{}
	}
	e, ok := t.entries[key]
	if !ok {
		if t.recent.Len() >= throttleMax {
			t.drop(t.recent.Back())
		}
		e = t.recent.PushFront(&attempts{key: key})
		t.entries[key] = e
	}
	t.recent.MoveToFront(e)
	a := e.Value.(*attempts)
	before := a.until
	a.count++
	a.last = now
	if over := a.count - t.free; over >= 0 {
		a.until = now.Add(min(t.most, t.first<<min(over, 20)))
	}
	mine := a.until
	return func() {
		a.count--
		if a.until.Equal(mine) {
			a.until = before
		}
	}
}

func (t *throttle) forget(key string) {
	if e, ok := t.entries[key]; ok {
		t.drop(e)
	}
}

func (t *throttle) drop(e *list.Element) {
	delete(t.entries, e.Value.(*attempts).key)
	t.recent.Remove(e)
}
