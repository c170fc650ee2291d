package traffic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
)

// Limits of one identity, or of one address without credentials. Zero is no limit.
type Limits struct {
	Rate    int // requests per second; after a pause, twice as many at once
	AtOnce  int // requests in progress
	Streams int // open streams
}

// DefaultLimits are generous: people and programs at work do not notice them.
func DefaultLimits() Limits { return Limits{Rate: 200, AtOnce: 64, Streams: 32} }

const (
	usersMax   = 50_000 // identities and addresses that are counted separately; the rest share one count
	sweepAfter = 10 * time.Second
	heldMax    = 1024 // refused requests whose response is delayed
	// defaultHold is the average delay of a refusal: it makes a flood cost its sender, not
	// others. The delay varies at random between half and one and a half of it, because
	// clients that wait equally long come back in one wave.
	defaultHold = 200 * time.Millisecond
)

// Limiter counts the requests and streams of each identity.
type Limiter struct {
	of   Limits
	Now  func() time.Time
	Hold time.Duration
	Good recent

	mu    sync.Mutex
	users map[string]*usage
	swept time.Time
	held  int
}

// usage is the use of one identity. Paid is the time up to which its requests are paid for:
// each adds 1/Rate, and it may be ahead of the clock by the burst.
type usage struct {
	paid             time.Time
	refused          time.Time // when it last exceeded a limit
	working, streams int
}

func NewLimiter(l Limits) *Limiter {
	return &Limiter{of: l, Now: time.Now, Hold: defaultHold, users: map[string]*usage{}}
}

// TooFast is the error of a caller that exceeded a limit.
type TooFast struct{ error }

func (e TooFast) Unwrap() error { return e.error }

func slowDown(what string, wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	hint := fmt.Sprintf("try again in %d s, and send fewer requests at once", seconds)
	return TooFast{fault.New(fault.RateLimited, what, hint).With("retry_after_s", seconds)}
}

// Enter admits a request, which is in progress until leave.
func (l *Limiter) Enter(key string) (leave func(), err error) {
	if l.of.Rate <= 0 && l.of.AtOnce <= 0 {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.user(key)
	if l.of.AtOnce > 0 && u.working >= l.of.AtOnce {
		u.refused = l.Now()
		return nil, slowDown(fmt.Sprintf("%d of your requests are already in progress", u.working), time.Second)
	}
	if err := l.pay(u); err != nil {
		return nil, err
	}
	u.working++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.working--
	}, nil
}

// Charge counts something that is not a request in progress, such as a message on an open
// connection.
func (l *Limiter) Charge(key string) error {
	if l.of.Rate <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pay(l.user(key))
}

// Spent returns an error if a key has no request left at the moment.
func (l *Limiter) Spent(key string) error {
	if l.of.Rate <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.wait(l.user(key)); wait > 0 {
		return l.tooMany(wait)
	}
	return nil
}

// Greedy reports whether a key exceeded a limit a moment ago.
func (l *Limiter) Greedy(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, ok := l.users[key]
	return ok && l.Now().Sub(u.refused) < AtWork
}

// Open counts a stream, until closed.
func (l *Limiter) Open(key string) (closed func(), err error) {
	if l.of.Streams <= 0 {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.user(key)
	if u.streams >= l.of.Streams {
		return nil, slowDown(fmt.Sprintf("you already have %d open streams", u.streams), time.Second)
	}
	u.streams++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.streams--
	}, nil
}

// each is what one request costs, in time.
func (l *Limiter) each() time.Duration { return time.Second / time.Duration(l.of.Rate) }

// wait is how long until a user can pay for a request.
func (l *Limiter) wait(u *usage) time.Duration {
	const burst = 2 * time.Second // twice the rate
	return max(0, u.paid.Sub(l.Now())) - (burst - l.each())
}

func (l *Limiter) pay(u *usage) error {
	if l.of.Rate <= 0 {
		return nil
	}
	now := l.Now()
	if wait := l.wait(u); wait > 0 {
		u.refused = now
		return l.tooMany(wait)
	}
	if u.paid.Before(now) {
		u.paid = now
	}
	u.paid = u.paid.Add(l.each())
	return nil
}

func (l *Limiter) tooMany(wait time.Duration) error {
	return slowDown(fmt.Sprintf("more than %d requests per second", l.of.Rate), wait)
}

// user is the use of a key. Idle keys are forgotten.
func (l *Limiter) user(key string) *usage {
	if u, ok := l.users[key]; ok {
		return u
	}
	now := l.Now()
	if now.Sub(l.swept) >= sweepAfter {
		l.swept = now
		for k, u := range l.users {
			if u.working == 0 && u.streams == 0 && !u.paid.After(now) {
				delete(l.users, k)
			}
		}
	}
	if len(l.users) >= usersMax {
		if key = ""; l.users[key] != nil {
			return l.users[key]
		}
	}
	u := &usage{}
	l.users[key] = u
	return u
}

// Delay delays the response to a caller that exceeded a limit. It returns false if too many
// wait already: then close the connection.
func (l *Limiter) Delay(ctx context.Context) bool {
	l.mu.Lock()
	full := l.held >= heldMax
	if !full {
		l.held++
	}
	l.mu.Unlock()
	if full {
		return false
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held--
	}()
	t := time.NewTimer(l.Hold/2 + rand.N(l.Hold+1))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return true
}

// recent remembers credentials that were valid a short while ago, by digest. It distinguishes their holders from
// guessers at the same address.
type recent struct {
	mu       sync.Mutex
	now, old map[[32]byte]bool
	since    time.Time
}

const (
	recentMax = 10_000
	recentFor = 10 * time.Minute // at least; at most twice as long
)

func (r *recent) Add(key [32]byte, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || len(r.now) >= recentMax || at.Sub(r.since) > recentFor {
		r.old, r.now, r.since = r.now, map[[32]byte]bool{}, at
	}
	r.now[key] = true
}

func (r *recent) Has(key [32]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now[key] || r.old[key]
}
