// Package refusal records in the audit log what callers were refused.
//
//	var log refusal.Log = …
//	log.Add(ctx, actor, "run.started", "workflow/refund", err)
//	go log.Follow(ctx)
//
// Repeated attempts must not fill the disk: for each identity and reason, a few a minute have an entry of their own
// and the rest share one entry with a count.
package refusal

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const (
	each  = 5   // entries per minute for one identity, action and reason
	all   = 300 // entries per minute in all
	keys  = 4000
	fold  = time.Minute
	shown = 5 // targets named by an entry with a count
	wait  = 10 * time.Second
)

// codes are those for missing or lost permission.
var codes = []fault.Code{
	fault.Forbidden, fault.Unauthenticated, fault.RateLimited, fault.AlreadyDecided, fault.VersionMismatch,
	fault.Conflict, fault.Closed,
}

// Command is the audit action of commands to runs. Every refused one is recorded, including unknown and malformed ones.
const Command = "run.command"

// Store is the part of a store that keeps the audit log.
type Store interface {
	AppendAudit(ctx context.Context, entries ...port.AuditDraft) (n int64, err error)
}

// Log counts refusals and writes entries about them.
type Log struct {
	Store  Store
	Now    func() time.Time
	Logger *slog.Logger

	mu      sync.Mutex
	known   map[key]*folded
	since   time.Time // of the minute that written counts in
	written int
}

type key struct {
	actor  run.Actor
	action string
	code   fault.Code
}

// runOf is the run that a refusal belongs to; a missing target has none.
func (k key) runOf(target string) string {
	if k.code == fault.NotFound {
		return ""
	}
	return runOf(target)
}

// folded counts refusals that have no entry of their own.
type folded struct {
	since, last time.Time
	written     int
	count       int
	targets     []string
}

// Add records that an actor was refused. Errors of other kinds are ignored.
func (l *Log) Add(ctx context.Context, actor run.Actor, action, target string, err error) {
	code := fault.CodeOf(err)
	on := action == Command && code != "" || slices.Contains(codes, code)
	if err == nil || !on || errors.Is(err, port.ErrUnavailable) {
		return
	}
	k := key{actor, action, code}
	if k.actor.Kind == "" {
		k.actor.Kind = port.Unauthenticated
	}
	drafts := l.take(k, clip(target), l.Now(), err)
	if len(drafts) == 0 {
		return
	}
	// Record the attempt even if the caller is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	l.keep(ctx, drafts)
}

func (l *Log) keep(ctx context.Context, drafts []port.AuditDraft) {
	if len(drafts) == 0 {
		return
	}
	if _, err := l.Store.AppendAudit(ctx, drafts...); err != nil && !errors.Is(err, port.ErrUnavailable) {
		l.Logger.Error("record refusals", "error", err)
	}
}

// take counts a refusal and returns the entries to write for it.
func (l *Log) take(k key, target string, now time.Time, err error) []port.AuditDraft {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []port.AuditDraft
	if now.Sub(l.since) >= fold {
		l.since, l.written = now, 0
	}
	if l.known == nil {
		l.known = map[key]*folded{}
	}
	f := l.known[k]
	if f == nil && len(l.known) >= keys {
		k = key{actor: run.Actor{Kind: port.Unauthenticated, Name: "others"}, action: "refused", code: fault.Forbidden}
		f = l.known[k]
	}
	if f != nil && now.Sub(f.since) >= fold {
		out = append(out, f.entries(k)...)
		f = nil
	}
	if f == nil {
		f = &folded{since: now}
		l.known[k] = f
	}
	f.last = now
	if f.written < each && l.written < all {
		f.written++
		l.written++
		return append(out, port.AuditDraft{
			At: now, Actor: k.actor, Action: k.action, Target: target, Run: k.runOf(target), Outcome: port.AuditRefused,
			Detail: map[string]any{"code": k.code, "why": whyOf(err)},
		})
	}
	f.count++
	if len(f.targets) < shown && !slices.Contains(f.targets, target) {
		f.targets = append(f.targets, target)
	}
	return out
}

// entries is one entry for all refusals that had none.
func (f *folded) entries(k key) []port.AuditDraft {
	if f.count == 0 {
		return nil
	}
	return []port.AuditDraft{{
		At: f.last, Actor: k.actor, Action: k.action, Target: f.targets[0], Run: k.runOf(f.targets[0]),
		Outcome: port.AuditRefused,
		Detail:  map[string]any{"code": k.code, "count": f.count, "since": f.since, "targets": f.targets},
	}}
}

// due removes and returns counts older than a minute, or all of them.
func (l *Log) due(now time.Time, every bool) (out []port.AuditDraft) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, f := range l.known {
		if every || now.Sub(f.since) >= fold {
			out = append(out, f.entries(k)...)
			delete(l.known, k)
		}
	}
	slices.SortFunc(out, func(x, y port.AuditDraft) int { return x.At.Compare(y.At) })
	return out
}

// Follow writes counts until ctx ends, and the last ones at that point.
func (l *Log) Follow(ctx context.Context) {
	for {
		select {
		case <-time.After(fold):
			l.keep(ctx, l.due(l.Now(), false))
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
			defer cancel()
			l.keep(last, l.due(l.Now(), true))
			return
		}
	}
}

// whyOf is the message for people, cut to fit on a line.
func whyOf(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	const most = 300
	text := f.Message
	for i, p := range f.Problems { // where it is wrong; the value itself is not repeated
		if p.Path != "" && i < shown {
			text += map[bool]string{true: ": ", false: ", "}[i == 0] + clip(p.Path)
		}
	}
	words := []rune(text)
	if len(words) > most {
		words = append(words[:most:most], '…')
	}
	return string(words)
}

// runOf is the run that an id belongs to, if its form shows that.
func runOf(id string) string {
	kind, rest, _ := strings.Cut(id, "_")
	switch kind {
	case "run":
		return id
	case "apr", "dlv":
		if bare, _, ok := strings.Cut(rest, "_"); ok {
			return "run_" + bare
		}
	}
	return ""
}

func clip(s string) string { return phrase.ClipValid(s, 80) }
