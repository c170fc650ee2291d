package feed

import (
	"slices"

	"github.com/assent-run/assent/internal/view"
)

// News is what happens beside all runs. It is in no log, so it has no number of
// its own; whoever comes back asks how things stand.
type News struct {
	Subject string // a newer one takes the place of an older one about the same
	Event   view.Event
}

// news is the newest notice about each subject, and when it was given. There
// are few subjects, so nobody is ever too slow.
type news struct {
	given   int64
	notices []notice // oldest first
}

type notice struct {
	number int64
	News
}

// give takes the place of an older notice about the same.
func (n *news) give(one News) {
	n.given++
	n.notices = slices.DeleteFunc(n.notices, func(old notice) bool { return old.Subject == one.Subject })
	n.notices = append(n.notices, notice{n.given, one})
}

// behind is what was given after a number.
func (n *news) behind(number int64) (out []view.Event) {
	for _, one := range n.notices {
		if one.number > number {
			out = append(out, one.Event)
		}
	}
	return out
}

// Announce tells everybody who reads.
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

// heardOf is the news that a watcher wants and has not heard yet. Each bears
// the number of the newest event before it, from which to resume.
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
