package feed

import (
	"slices"

	"github.com/assent-run/assent/internal/view"
)

// News is an event outside of all runs. It is in no log, so it has no number of its own; a client that reconnects
// reads the current state.
type News struct {
	Subject string // a newer notice replaces an older one with the same subject
	Event   view.Event
}

// news is the newest notice on each subject, and its number. There are few subjects, so no reader is ever too slow.
type news struct {
	given   int64
	notices []notice // oldest first
}

type notice struct {
	number int64
	News
}

// give replaces an older notice on the same subject.
func (n *news) give(one News) {
	n.given++
	n.notices = slices.DeleteFunc(n.notices, func(old notice) bool { return old.Subject == one.Subject })
	n.notices = append(n.notices, notice{n.given, one})
}

// behind returns the notices after a number.
func (n *news) behind(number int64) (out []view.Event) {
	for _, one := range n.notices {
		if one.number > number {
			out = append(out, one.Event)
		}
	}
	return out
}

// Announce sends news to all readers.
func (f *Feed) Announce(all ...News) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped || len(all) == 0 {
		return
	}
	for _, one := range all {
		f.news.give(one)
	}
	f.tell()
}

// heardOf returns the news that a reader wants and has not had yet. Each carries the number of the newest event before
// it, from which to resume.
func (r *Reader) heardOf() (out []view.Event) {
	if r.f.Run != "" {
		return nil
	}
	f := r.feed
	f.mu.Lock()
	all, given := f.news.behind(r.heard), f.news.given
	f.mu.Unlock()
	r.heard = given
	for _, event := range all {
		if len(r.f.Types) == 0 || slices.Contains(r.f.Types, event.Type) {
			event.Feed = r.at
			out = append(out, event)
		}
	}
	return out
}
