package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
)

var errBroken = errors.New("the store broke")

// breaking is a store that fails at one of its calls, or finds nothing then.
type breaking struct {
	Store
	calls int // calls that succeed before
	empty bool
	broke bool
}

// breaks counts a call, and reports whether it is the failing one.
func (b *breaking) breaks() bool {
	b.calls--
	return b.calls == -1
}

func (b *breaking) fails() error {
	if b.breaks() && !b.empty {
		b.broke = true
		return errBroken
	}
	return nil
}

func (b *breaking) AppendAudit(ctx context.Context, entries ...port.AuditDraft) (int64, error) {
	if err := b.fails(); err != nil {
		return 0, err
	}
	return b.Store.AppendAudit(ctx, entries...)
}

func (b *breaking) AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error) {
	if err := b.fails(); err != nil {
		return port.Page[port.AuditRow]{}, err
	}
	return b.Store.AuditEntries(ctx, q)
}

func (b *breaking) AuditRows(ctx context.Context, after int64, limit int) ([]port.AuditRow, error) {
	if b.breaks() {
		b.broke = true
		if b.empty {
			return nil, nil
		}
		return nil, errBroken
	}
	return b.Store.AuditRows(ctx, after, limit)
}

func (b *breaking) AuditEnd(ctx context.Context) (int64, string, error) {
	if err := b.fails(); err != nil {
		return 0, "", err
	}
	return b.Store.AuditEnd(ctx)
}

func (b *breaking) EventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	return b.Store.EventSalts(ctx, runs)
}

func (b *breaking) MakeEventSalts(ctx context.Context, runs []string) (map[string]string, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	return b.Store.MakeEventSalts(ctx, runs)
}

func (b *breaking) Strays(ctx context.Context) (string, error) {
	if err := b.fails(); err != nil {
		return "", err
	}
	return b.Store.Strays(ctx)
}

func (b *breaking) PutAuditHead(ctx context.Context, h port.AuditHead) error {
	if err := b.fails(); err != nil {
		return err
	}
	return b.Store.PutAuditHead(ctx, h)
}

func (b *breaking) AuditHeads(ctx context.Context, from int64, limit int) ([]port.AuditHead, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	return b.Store.AuditHeads(ctx, from, limit)
}

func (b *breaking) LastAuditHead(ctx context.Context) (port.AuditHead, error) {
	if err := b.fails(); err != nil {
		return port.AuditHead{}, err
	}
	return b.Store.LastAuditHead(ctx)
}

func (b *breaking) Run(ctx context.Context, id string) (port.RunRow, error) {
	if err := b.fails(); err != nil {
		return port.RunRow{}, err
	}
	return b.Store.Run(ctx, id)
}

func (b *breaking) Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error) {
	if b.breaks() {
		b.broke = true
		if b.empty {
			return nil, nil
		}
		return nil, errBroken
	}
	return b.Store.Events(ctx, run, after, limit)
}

func (b *breaking) Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error) {
	if err := b.fails(); err != nil {
		return nil, after, err
	}
	return b.Store.Feed(ctx, after, limit, f)
}

func (b *breaking) Head(ctx context.Context) (int64, error) {
	if err := b.fails(); err != nil {
		return 0, err
	}
	return b.Store.Head(ctx)
}

// If any read or write fails, the result is an error: nothing is vouched for that was not checked.
func TestEveryFailureOfTheStoreIsTold(t *testing.T) {
	ctx := port.WithoutPause(t.Context())
	h := newHouse(t)
	s := h.start()
	s.Rotation = RotationIn(h.dir)
	aRun(t, h.store, "run_1")
	h.grow(s, 3)
	_, err := s.Rotate(ctx, ann)
	must(t, err)
	aRun(t, h.store, "run_2")
	h.grow(s, 2)
	heads, err := h.store.AuditHeads(ctx, 0, 100)
	must(t, err)
	n, fresh := 100, ""
	for _, c := range []struct {
		name string
		do   func(s *Service) error
	}{
		{"check", func(s *Service) error { return found(s.Check(ctx, 0, 0)) }},
		{"check a part", func(s *Service) error { return found(s.Check(ctx, 2, 4)) }},
		{"check the end", func(s *Service) error { return found(s.Check(ctx, heads[0].N, 0)) }},
		{"keys", func(s *Service) error { _, err := s.Keys(ctx); return err }},
		{"tell", func(s *Service) error { _, err := s.tellWitness(ctx, deafWitness{}, 0); return err }},
		{"look", func(s *Service) error { return s.noteTip(ctx) }},
		{"follow", func(s *Service) error { return s.Follow(ctx, heads[0].N, heads[len(heads)-1].N, io.Discard) }},
		{"sign", func(s *Service) error { _, err := s.Cut(ctx); return err }},
		{"sign if due", func(s *Service) error { s.Every = 1; return s.cutIfDue(ctx) }},
		{"export", func(s *Service) error { return s.Export(ctx, io.Discard) }},
		{"accept", func(s *Service) error { _, err := s.Accept(ctx, ann, "why not"); return err }},
		{"bind if due", func(s *Service) error { return s.bindIfDue(ctx, &binding{since: time.Unix(1, 0)}) }},
		{"prove", func(s *Service) error { return s.Prove(ctx, fresh, ann, io.Discard) }},
	} {
		for _, empty := range []bool{false, true} {
			for calls := 0; calls < 100; calls++ {
				_, err := h.store.AppendAudit(ctx, draft(n))
				must(t, err)
				if n++; c.name == "bind if due" || c.name == "prove" {
					fresh = fmt.Sprint("run_", n)
					aRun(t, h.store, fresh)
				}
				b := &breaking{Store: h.store, calls: calls, empty: empty}
				with := s.Config
				with.Store = b
				err = c.do(New(with))
				if b.broke && err == nil {
					t.Errorf("%s: call %d failed (empty: %t), and no error was returned", c.name, calls+1, empty)
				}
				if b.broke && !empty && !errors.Is(err, errBroken) {
					if _, told := asBad(err); !told {
						t.Errorf("%s: call %d failed, and what was told is %v", c.name, calls+1, err)
					}
				}
				if b.calls >= 0 { // it needed no more calls
					if must(t, err); calls < 2 {
						t.Errorf("%s: only %d calls", c.name, calls)
					}
					break
				}
			}
		}
	}
}

// found is the result of a check, as an error.
func found(c port.AuditCheck, err error) error {
	if err == nil && !c.OK {
		return &Bad{N: *c.FirstBad, Why: c.Why}
	}
	return err
}

type deafWitness struct{}

func (deafWitness) String() string                                     { return "deaf" }
func (deafWitness) Keep(context.Context, port.AuditHead, string) error { return nil }
