package temporal

import (
	"errors"
	"maps"
)

// GiveUp does to each poller what the SDK does when Temporal has refused its requests for minutes.
func (w *Worker) GiveUp() {
	w.mu.Lock()
	pollers := maps.Clone(w.pollers)
	w.mu.Unlock()
	for t, p := range pollers {
		t.Stop()
		go w.pollAgain(p, errors.New("the namespace is not found"))
	}
}
