package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Refusals are recorded as well. Repeated attempts must not fill the disk: for each identity and reason, a few a
// minute have an entry of their own and the rest share one entry with a count.
const (
	refusalsEach = 5   // entries per minute for one identity, action and reason
	refusalsAll  = 300 // entries per minute in all
	refusalKeys  = 4000
	refusalFold  = time.Minute
	refusalShown = 5 // targets named by an entry with a count
)

// refusedCodes are the codes for missing or lost permission.
var refusedCodes = []fault.Code{
	fault.Forbidden, fault.Unauthenticated, fault.RateLimited, fault.AlreadyDecided, fault.VersionMismatch,
	fault.Conflict, fault.Closed,
}

type refusalKey struct {
	actor  run.Actor
	action string
	code   fault.Code
}

// runOf is the run that a refusal belongs to; a missing target has none.
func (k refusalKey) runOf(target string) string {
	if k.code == fault.NotFound {
		return ""
	}
	return runOf(target)
}

// commandAction is the audit action of commands to runs. Every refused one is recorded, including unknown and
// malformed ones.
const commandAction = "run.command"

// RefusedCommand records a command to a run that could not be parsed.
func (a *App) RefusedCommand(ctx context.Context, who Who, id string, err error) {
	a.Refused(ctx, who, commandAction, id, err)
}

// folded counts refusals that have no entry of their own.
type folded struct {
	since, last time.Time
	written     int
	count       int
	targets     []string
}

type refusals struct {
	mu      sync.Mutex
	known   map[refusalKey]*folded
	since   time.Time // of the minute that written counts in
	written int
}

// Refused records that the caller was refused. Errors of other kinds are ignored.
func (a *App) Refused(ctx context.Context, who Who, action, target string, err error) {
	var hidden *unseen
	if errors.As(err, &hidden) {
		err = hidden.meant
	}
	code := fault.CodeOf(err)
	on := action == commandAction && code != "" || slices.Contains(refusedCodes, code)
	if err == nil || !on || errors.Is(err, port.ErrUnavailable) {
		return
	}
	key := refusalKey{who.Actor(), action, code}
	if key.actor.Kind == "" {
		key.actor.Kind = port.Nobody
	}
	now := a.Now()
	drafts := a.refusals.take(key, clip(target), now, err)
	if len(drafts) == 0 {
		return
	}
	// Record the attempt even if the caller is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalWait)
	defer cancel()
	a.keepRefusals(ctx, drafts)
}

const refusalWait = 10 * time.Second

func (a *App) keepRefusals(ctx context.Context, drafts []port.AuditDraft) {
	if len(drafts) == 0 {
		return
	}
	if _, err := a.records.AppendAudit(ctx, drafts...); err != nil && !errors.Is(err, port.ErrUnavailable) {
		a.logger.Error("record refusals", "error", err)
	}
}

// refusing is Refused for a use case that is about to return.
func (a *App) refusing(ctx context.Context, who Who, action, target string, err *error) {
	if *err != nil {
		a.Refused(ctx, who, action, target, *err)
	}
}

// take counts a refusal and returns the entries to write for it.
func (r *refusals) take(key refusalKey, target string, now time.Time, err error) []port.AuditDraft {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []port.AuditDraft
	if now.Sub(r.since) >= refusalFold {
		r.since, r.written = now, 0
	}
	if r.known == nil {
		r.known = map[refusalKey]*folded{}
	}
	f := r.known[key]
	if f == nil && len(r.known) >= refusalKeys {
		key = refusalKey{actor: run.Actor{Kind: port.Nobody, Name: "others"}, action: "refused", code: fault.Forbidden}
		f = r.known[key]
	}
	if f != nil && now.Sub(f.since) >= refusalFold {
		out = append(out, f.entries(key)...)
		f = nil
	}
	if f == nil {
		f = &folded{since: now}
		r.known[key] = f
	}
	f.last = now
	if f.written < refusalsEach && r.written < refusalsAll {
		f.written++
		r.written++
		return append(out, port.AuditDraft{
			At: now, Actor: key.actor, Action: key.action, Target: target, Run: key.runOf(target), Outcome: port.AuditRefused,
			Detail: map[string]any{"code": key.code, "why": whyOf(err)},
		})
	}
	f.count++
	if len(f.targets) < refusalShown && !slices.Contains(f.targets, target) {
		f.targets = append(f.targets, target)
	}
	return out
}

// entries is one entry for all refusals that had none.
func (f *folded) entries(key refusalKey) []port.AuditDraft {
	if f.count == 0 {
		return nil
	}
	return []port.AuditDraft{{
		At: f.last, Actor: key.actor, Action: key.action, Target: f.targets[0], Run: key.runOf(f.targets[0]),
		Outcome: port.AuditRefused,
		Detail:  map[string]any{"code": key.code, "count": f.count, "since": f.since, "targets": f.targets},
	}}
}

// due removes and returns counts older than a minute, or all of them.
func (r *refusals) due(now time.Time, all bool) (out []port.AuditDraft) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, f := range r.known {
		if all || now.Sub(f.since) >= refusalFold {
			out = append(out, f.entries(key)...)
			delete(r.known, key)
		}
	}
	slices.SortFunc(out, func(x, y port.AuditDraft) int { return x.At.Compare(y.At) })
	return out
}

// followRefusals writes counts until ctx ends, and the last ones at that point.
func (a *App) followRefusals(ctx context.Context) {
	for {
		select {
		case <-time.After(refusalFold):
			a.keepRefusals(ctx, a.refusals.due(a.Now(), false))
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalWait)
			defer cancel()
			a.keepRefusals(last, a.refusals.due(a.Now(), true))
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
		if p.Path != "" && i < refusalShown {
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
