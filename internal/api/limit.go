package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Limits bound what one identity may take; of those who have not said who they
// are, what one address may. Zero bounds nothing.
type Limits struct {
	Rate    int // requests a second; after a rest, twice as many at once
	AtOnce  int // requests that are being answered
	Streams int // that are open
}

// UsualLimits are generous: people and programs that work do not notice them.
func UsualLimits() Limits { return Limits{Rate: 200, AtOnce: 64, Streams: 32} }

const (
	usersMax   = 50_000 // identities and addresses that are told apart; the rest share
	sweepAfter = 10 * time.Second
	heldMax    = 1024 // refused requests that wait for their answer
	// holdUsually is how long somebody who is too fast waits to be told, on the
	// average: it makes a flood cost those who send it, not those who are next to
	// it. Half as long, or half as long again, is chosen by chance, because those
	// who wait equally long come back in one wave, and others wait behind it.
	holdUsually = 200 * time.Millisecond
)

// limiter counts what everybody takes.
type limiter struct {
	of   Limits
	now  func() time.Time
	hold time.Duration
	good recent

	mu    sync.Mutex
	users map[string]*usage
	swept time.Time
	held  int
}

// usage is what one identity takes. Paid is up to when its requests are paid
// for: it moves on by 1/Rate with each, and may be ahead by what Burst allows.
type usage struct {
	paid             time.Time
	refused          time.Time // when it last took more than its part
	working, streams int
}

func newLimiter(l Limits) *limiter {
	return &limiter{of: l, now: time.Now, hold: holdUsually, users: map[string]*usage{}}
}

// tooFast says that somebody takes more than their part.
type tooFast struct{ error }

func (e tooFast) Unwrap() error { return e.error }

func slowDown(what string, wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return tooFast{fault.New(fault.RateLimited, what, fmt.Sprintf("try again in %d s, and send fewer requests at once", seconds)).With("retry_after_s", seconds)}
}

// enter lets a request in that is then being worked on, until leave.
func (l *limiter) enter(key string) (leave func(), err error) {
	if l.of.Rate <= 0 && l.of.AtOnce <= 0 {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.user(key)
	if l.of.AtOnce > 0 && u.working >= l.of.AtOnce {
		u.refused = l.now()
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

// charge counts something that is not worked on as a request of its own, such
// as a message on an open connection.
func (l *limiter) charge(key string) error {
	if l.of.Rate <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pay(l.user(key))
}

// spent reports whether nothing is left to a key at the moment.
func (l *limiter) spent(key string) error {
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

// greedy reports whether somebody took more than their part a moment ago.
func (l *limiter) greedy(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, ok := l.users[key]
	return ok && l.now().Sub(u.refused) < atWork
}

// open counts a stream, until closed.
func (l *limiter) open(key string) (closed func(), err error) {
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
func (l *limiter) each() time.Duration { return time.Second / time.Duration(l.of.Rate) }

// wait is how long until a user can pay for a request.
func (l *limiter) wait(u *usage) time.Duration {
	const burst = 2 * time.Second // twice the rate
	return max(0, u.paid.Sub(l.now())) - (burst - l.each())
}

func (l *limiter) pay(u *usage) error {
	if l.of.Rate <= 0 {
		return nil
	}
	now := l.now()
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

func (l *limiter) tooMany(wait time.Duration) error {
	return slowDown(fmt.Sprintf("more than %d requests a second", l.of.Rate), wait)
}

// user finds what somebody takes. Those who take nothing are forgotten.
func (l *limiter) user(key string) *usage {
	if u, ok := l.users[key]; ok {
		return u
	}
	now := l.now()
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

// delay makes somebody who is too fast wait for the answer, as long as not too
// many wait already; false: then the connection had better be closed.
func (l *limiter) delay(ctx context.Context) bool {
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
	t := time.NewTimer(l.hold/2 + rand.N(l.hold+1))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return true
}

// recent remembers credentials that were good a short while ago, by digest. It
// tells whoever has one from those who guess behind the same address.
type recent struct {
	mu       sync.Mutex
	now, old map[[32]byte]bool
	since    time.Time
}

const (
	recentMax = 10_000
	recentFor = 10 * time.Minute // at least; at most twice as long
)

func (r *recent) add(key [32]byte, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || len(r.now) >= recentMax || at.Sub(r.since) > recentFor {
		r.old, r.now, r.since = r.now, map[[32]byte]bool{}, at
	}
	r.now[key] = true
}

func (r *recent) has(key [32]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now[key] || r.old[key]
}

// keyOf names whoever a request is counted for.
func (s *Server) keyOf(c *call) string {
	if c.who.Name == "" {
		return s.addressKey(c.r)
	}
	return "identity/" + string(c.who.Kind) + "/" + c.who.Key()
}

// addressKey names where a request comes from. Of an IPv6 address the first half
// counts: that is what one household or machine has.
func (s *Server) addressKey(r *http.Request) string {
	ip, err := netip.ParseAddr(s.address(r))
	if err != nil {
		return "address/?"
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return "address/" + p.String()
		}
	}
	return "address/" + ip.String()
}

// probes are asked by whoever watches over the server; it would be stopped if
// they were refused.
var probes = map[string]bool{"getHealth": true, "getReadiness": true}

// receive finds out who asks, and lets them in if they do not take too much.
// Whoever guesses is counted by address: then what is not known to be good is not
// even looked at, and whoever has something good is not held up by it.
func (s *Server) receive(c *call) (leave func(), err error) {
	if c.op.public {
		if probes[c.op.id] {
			return func() {}, nil
		}
		return s.limits.enter(s.addressKey(c.r))
	}
	var proof [32]byte
	if !s.local() {
		proof = sha256.Sum256([]byte(c.r.Header.Get("Authorization") + "\n" + c.r.Header.Get("Cookie")))
		if err := s.limits.spent(s.addressKey(c.r)); err != nil && !s.limits.good.has(proof) {
			return nil, err
		}
	}
	if err := s.identify(c.bare, c); err != nil {
		if fault.Is(err, fault.Unauthenticated) {
			_ = s.limits.charge(s.addressKey(c.r)) // it is refused either way
		}
		return nil, err
	}
	if c.how.Way == port.ByConsole {
		return func() {}, nil
	}
	if !s.local() {
		s.limits.good.add(proof, s.limits.now())
	}
	s.lane.saw(s.keyOf(c), time.Now())
	if !streams(c.op.path) {
		return s.limits.enter(s.keyOf(c))
	}
	if err := s.limits.charge(s.keyOf(c)); err != nil {
		return nil, err
	}
	return s.limits.open(s.keyOf(c))
}

// slow lets whoever is too fast wait before they are told.
func (s *Server) slow(c *call, w http.ResponseWriter, err error) {
	var fast tooFast
	if !errors.As(err, &fast) {
		return
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(s.draining, cancel)()
	if !s.limits.delay(ctx) {
		w.Header().Set("Connection", "close")
	}
}

// queue lets what takes long wait for its turn, and everything of those who take
// more than their part: many quick requests hold up others as one slow one does.
func (s *Server) queue(c *call, w http.ResponseWriter) error {
	key := s.keyOf(c)
	exempt := probes[c.op.id] || streams(c.op.path) || c.op.paced
	flood := s.limits.greedy(key)
	if !slow[c.op.id] && (exempt || !flood) {
		return nil
	}
	t := &turn{lane: s.lane, ctx: c, key: key, flood: flood}
	if err := t.take(); err != nil {
		return err
	}
	c.turn = t
	c.leaves = append(c.leaves, t.give)
	if rec, ok := w.(*recorder); ok && c.op.flow != nil {
		rec.turn = t
	}
	return nil
}
