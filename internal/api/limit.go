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

// keyOf is the key that a request counts under.
func (s *Server) keyOf(c *call) string {
	if c.who.Name == "" {
		return s.addressKey(c.r)
	}
	return "identity/" + string(c.who.Kind) + "/" + c.who.Key()
}

// addressKey is the address that a request counts under. Of an IPv6 address the first half counts: that is what one
// household or machine has.
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

// probes are called by the monitor of the server; refusing them would get the server stopped.
var probes = map[string]bool{"getHealth": true, "getReadiness": true}

// receive authenticates the caller, and admits them within their limits. Guesses are counted by address: beyond the
// limit, credentials not known to be valid are not even checked, while callers with valid ones are not held up.
func (s *Server) receive(c *call) (leave func(), err error) {
	if c.op.Public {
		if probes[c.op.ID] {
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
	if c.how.Method == port.ByConsole {
		return func() {}, nil
	}
	if !s.local() {
		s.limits.Good.Add(proof, s.limits.Now())
	}
	s.lane.Saw(s.keyOf(c), time.Now())
	if !c.op.Streams() {
		return s.limits.Enter(s.keyOf(c))
	}
	if err := s.limits.Charge(s.keyOf(c)); err != nil {
		return nil, err
	}
	return s.limits.Open(s.keyOf(c))
}

// slow delays the response to callers who are too fast.
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

// queue makes slow requests wait for their turn, and all requests of callers who exceed their share: many quick
// requests hold up others as one slow one does.
func (s *Server) queue(c *call, w http.ResponseWriter) error {
	key := s.keyOf(c)
	exempt := probes[c.op.ID] || c.op.Streams() || c.op.Paced
	flood := s.limits.Greedy(key)
	if !slow[c.op.ID] && (exempt || !flood) {
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
