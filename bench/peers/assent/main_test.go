package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/bench/peers/work"
)

var small = work.Spec{Store: "sqlite", Runs: 20, AtOnce: 4, Decisions: 3, Pending: 60, Pages: 2}

func TestEverythingIsMeasured(t *testing.T) {
	s := small
	s.Dir = t.TempDir()
	var out bytes.Buffer
	if err := work.Measure(t.Context(), s, open, &out); err != nil {
		t.Fatal(err)
	}
	var r work.Report
	for line := range strings.Lines(out.String()) {
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
	}
	if r.Version == "" || r.Sync == "" || r.Runs <= 0 || r.DecisionP50 <= 0 || r.DecisionP99 < r.DecisionP50 ||
		r.ListP50 <= 0 || r.ListP99 < r.ListP50 || r.Pending != s.Pending {
		t.Errorf("got %+v", r)
	}
}

// short lists too few.
type short struct{ work.Peer }

func (s short) List(ctx context.Context) (int, error) {
	n, err := s.Peer.List(ctx)
	return n - 1, err
}

func TestAShortListIsAnError(t *testing.T) {
	s := small
	s.Dir = t.TempDir()
	err := work.Measure(t.Context(), s, func(ctx context.Context, s work.Spec) (work.Peer, error) {
		p, err := open(ctx, s)
		return short{p}, err
	}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "49 runs are listed, want 50") {
		t.Errorf("got %v", err)
	}
}
