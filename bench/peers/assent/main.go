// Command assent is Assent among its peers: the engine in a program, as docs/go.md
// shows it. Every run, decision and page passes what a server also does: access,
// the policy, the audit log and masking.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/assent-run/assent"
	"github.com/assent-run/assent/bench/peers/work"
)

const workflows = `
workflow: three
steps:
  - { id: a, agent: step }
  - { id: b, agent: step }
  - { id: c, agent: step }
---
workflow: gated
steps:
  - { id: a, agent: first }
  - { id: b, agent: next }
gates:
  - { id: g, at: before b, title: Continue?, role: approver }
`

var approver = assent.As("bob", "approver")

type peer struct {
	*assent.Engine
	store string
	seen  sync.Map // approvals by id
}

func open(ctx context.Context, s work.Spec) (work.Peer, error) {
	options := []assent.Option{agent("step", func() {}), agent("first", work.First), agent("next", work.Next),
		assent.Define(workflows)}
	if s.Store == "postgres" {
		options = append(options, assent.Database(s.Postgres))
	}
	e, err := assent.Open(ctx, s.Dir, options...)
	return &peer{Engine: e, store: s.Store}, err
}

func agent(name string, called func()) assent.Option {
	return assent.FuncOf(name, func(context.Context, assent.Work) (assent.Result, error) {
		called()
		return assent.Result{Output: map[string]bool{"ok": true}}, nil
	})
}

func (p *peer) About() work.Report {
	if p.store == "postgres" {
		return work.Report{Version: "this commit", Sync: "PostgreSQL, fsync=on, synchronous_commit=on"}
	}
	return work.Report{Version: "this commit", Sync: "SQLite, WAL, synchronous=FULL"}
}

func (p *peer) Three(ctx context.Context) error {
	r, err := p.Start(ctx, "three", map[string]int{"n": 1}, assent.As("ann"))
	if err != nil {
		return err
	}
	if r, err = p.WaitEnd(ctx, r.ID); err == nil && r.Status != assent.Completed {
		err = fmt.Errorf("the run is %s", r.Status)
	}
	return err
}

// Wait returns when the approval is there, and looks at it: people decide on what
// they have seen.
func (p *peer) Wait(ctx context.Context) (string, error) {
	r, err := p.Start(ctx, "gated", map[string]int{"n": 1}, assent.As("ann"))
	if err != nil {
		return "", err
	}
	if r, err = p.Engine.Wait(ctx, r.ID); err != nil {
		return "", err
	}
	if len(r.Pending) != 1 {
		return "", fmt.Errorf("the run waits for %d approvals", len(r.Pending))
	}
	a, err := p.Approval(ctx, r.Pending[0], approver)
	p.seen.Store(a.ID, a)
	return a.ID, err
}

func (p *peer) Decide(ctx context.Context, id string) error {
	a, ok := p.seen.Load(id)
	if !ok {
		return fmt.Errorf("approval %s was not seen", id)
	}
	_, err := p.Engine.Decide(ctx, id, assent.Approve("").On(a.(assent.Approval)), approver)
	return err
}

func (p *peer) List(ctx context.Context) (int, error) {
	page, _, err := p.InboxPage(ctx, work.Page, "", approver)
	return len(page), err
}

func main() { work.Main(open) }
