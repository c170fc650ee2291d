package app

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Types of news: changes that belong to no run. They are in no log and have no number;
// a client that reconnects reads the current state.
const (
	policyChanged     = "policy.changed"     // its rules, or the emergency stop
	definitionChanged = "definition.changed" // documents of a kind
	triggerDelivered  = "trigger.delivered"  // a delivery that was stored

	workingCopy = "working_copy" // the kind of a draft that was discarded
)

// NewsTypes are the types of events that belong to no run.
func NewsTypes() []string { return []string{definitionChanged, policyChanged, triggerDelivered} }

// announce notifies all watchers of changed documents.
func (a *App) announce(before, after *registry.Snapshot) {
	if a.changed != nil {
		a.changed()
	}
	changed := after.ChangedKinds(before)
	var news []feed.News
	for _, kind := range slices.Sorted(maps.Keys(changed)) {
		about := map[string]any{"kind": kind}
		news = append(news, feed.News{Subject: string(kind), Event: a.notice(definitionChanged, about)})
	}
	if changed[definition.KindPolicy] || before.Stop() != after.Stop() {
		about := map[string]any{"emergency_stop": after.Stop().On}
		news = append(news, feed.News{Subject: policyChanged, Event: a.notice(policyChanged, about)})
	}
	a.feed.Announce(news...)
}

// draftDiscarded notifies all editors of workflows. It names no workflow: not all watchers may see it.
func (a *App) draftDiscarded() {
	about := map[string]any{"kind": workingCopy}
	a.feed.Announce(feed.News{Subject: workingCopy, Event: a.notice(definitionChanged, about)})
}

func (a *App) notice(kind string, about map[string]any) view.Event {
	data, err := value.Marshal(about)
	if err != nil {
		data = json.RawMessage(`{}`) // plain strings and flags always marshal
	}
	return view.Event{At: a.Now(), Type: kind, Actor: run.Actor{Kind: run.System}, Data: data}
}
