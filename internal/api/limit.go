package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/assent-run/assent/internal/api/record"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

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
		return s.limits.Enter(s.addressKey(c.r))
	}
	var proof [32]byte
	if !s.local() {
		proof = sha256.Sum256([]byte(c.r.Header.Get("Authorization") + "\n" + c.r.Header.Get("Cookie")))
		if err := s.limits.Spent(s.addressKey(c.r)); err != nil && !s.limits.Good.Has(proof) {
			return nil, err
		}
	}
	if err := s.identify(c.bare, c); err != nil {
		if fault.Is(err, fault.Unauthenticated) {
			_ = s.limits.Charge(s.addressKey(c.r)) // it is refused either way
		}
		return nil, err
	}
	if c.how.Way == port.ByConsole {
		return func() {}, nil
	}
	if !s.local() {
		s.limits.Good.Add(proof, s.limits.Now())
	}
	s.lane.Saw(s.keyOf(c), time.Now())
	if !streams(c.op.path) {
		return s.limits.Enter(s.keyOf(c))
	}
	if err := s.limits.Charge(s.keyOf(c)); err != nil {
		return nil, err
	}
	return s.limits.Open(s.keyOf(c))
}

// slow lets whoever is too fast wait before they are told.
func (s *Server) slow(c *call, w http.ResponseWriter, err error) {
	var fast traffic.TooFast
	if !errors.As(err, &fast) {
		return
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(s.draining, cancel)()
	if !s.limits.Delay(ctx) {
		w.Header().Set("Connection", "close")
	}
}

// queue lets what takes long wait for its turn, and everything of those who take
// more than their part: many quick requests hold up others as one slow one does.
func (s *Server) queue(c *call, w http.ResponseWriter) error {
	key := s.keyOf(c)
	exempt := probes[c.op.id] || streams(c.op.path) || c.op.paced
	flood := s.limits.Greedy(key)
	if !slow[c.op.id] && (exempt || !flood) {
		return nil
	}
	t := traffic.NewTurn(c, s.lane, key, flood)
	if err := t.Take(); err != nil {
		return err
	}
	c.turn = t
	c.leaves = append(c.leaves, t.Give)
	if rec, ok := w.(*record.Recorder); ok && c.op.flow != nil {
		rec.Turn = t
	}
	return nil
}
