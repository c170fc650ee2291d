package app

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/feed"
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

// announce tells everybody who watches what another picture changes.
func (a *App) announce(before, after *picture) {
	changed := changedKinds(before.versions, after.versions)
	var news []feed.News
	for _, kind := range slices.Sorted(maps.Keys(changed)) {
		news = append(news, feed.News{Subject: string(kind), Event: a.notice(definitionChanged, map[string]any{"kind": kind})})
	}
	if changed[definition.KindPolicy] || before.stop != after.stop {
		about := map[string]any{"emergency_stop": after.stop.On}
		news = append(news, feed.News{Subject: policyChanged, Event: a.notice(policyChanged, about)})
	}
	a.feed.Announce(news...)
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
