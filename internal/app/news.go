package app

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Types of news: what happens beside all runs. It is in no log, so it has no
// number of its own; whoever comes back asks how things stand.
const (
	policyChanged     = "policy.changed"     // its rules, or the emergency stop
	definitionChanged = "definition.changed" // documents of a kind
)

// NewsTypes are the types of events that belong to no run.
func NewsTypes() []string { return []string{definitionChanged, policyChanged} }

// news is the newest notice about each subject, and when it was given. There
// are as many subjects as kinds of documents, so nobody is ever too slow.
type news struct {
	given   int64
	notices []notice // oldest first
}

type notice struct {
	number  int64
	subject string
	event   view.Event
}

// give takes the place of an older notice about the same.
func (n *news) give(subject string, event view.Event) {
	n.given++
	n.notices = slices.DeleteFunc(n.notices, func(old notice) bool { return old.subject == subject })
	n.notices = append(n.notices, notice{n.given, subject, event})
}

// behind is what was given after a number.
func (n *news) behind(number int64) (out []view.Event) {
	for _, one := range n.notices {
		if one.number > number {
			out = append(out, one.event)
		}
	}
	return out
}

// announce tells everybody who watches what another picture changes.
func (a *App) announce(before, after *picture) {
	f := &a.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.grown == nil || f.stopped {
		return // nobody watches yet, or any more
	}
	changed := changedKinds(before.versions, after.versions)
	policy := changed[definition.KindPolicy] || before.stop != after.stop
	for _, kind := range slices.Sorted(maps.Keys(changed)) {
		f.news.give(string(kind), a.notice(definitionChanged, map[string]any{"kind": kind}))
	}
	if policy {
		f.news.give(policyChanged, a.notice(policyChanged, map[string]any{"emergency_stop": after.stop.On}))
	}
	if policy || len(changed) > 0 {
		f.tell()
	}
}

func (a *App) notice(kind string, about map[string]any) view.Event {
	data, err := value.Marshal(about)
	if err != nil {
		data = json.RawMessage(`{}`) // plain words and flags always can be
	}
	return view.Event{At: a.now(), Type: kind, Actor: run.Actor{Kind: run.System}, Data: data}
}

// changedKinds are the kinds of which other versions are in force.
func changedKinds(before, after map[string]port.Version) map[definition.Kind]bool {
	out := map[definition.Kind]bool{}
	for id, v := range after {
		if old, known := before[id]; !known || old.Number != v.Number {
			out[definition.Kind(v.Kind)] = true
		}
	}
	for id, old := range before {
		if _, still := after[id]; !still {
			out[definition.Kind(old.Kind)] = true
		}
	}
	return out
}

// heardOf is the news that a watcher wants and has not heard yet. Each bears
// the number of the newest event before it, from which to resume.
func (s *Stream) heardOf() (out []view.Event) {
	if s.f.Run != "" {
		return nil
	}
	f := &s.app.feed
	f.mu.Lock()
	all, given := f.news.behind(s.heard), f.news.given
	f.mu.Unlock()
	s.heard = given
	for _, event := range all {
		if len(s.f.Types) == 0 || slices.Contains(s.f.Types, event.Type) {
			event.Feed = s.at
			out = append(out, event)
		}
	}
	return out
}
