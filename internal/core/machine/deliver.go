package machine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
)

// Newest finds the newest version of a name.
func (s *State) Newest(name string) (n int, ok bool) {
	for n := len(s.Deliverables) - 1; n >= 0; n-- {
		if s.Deliverables[n].Name == name {
			return n, true
		}
	}
	return 0, false
}

// Versions lists the versions of a name, oldest first, by their position among the deliverables.
func (s *State) Versions(name string) (places []int) {
	for n := range s.Deliverables {
		if s.Deliverables[n].Name == name {
			places = append(places, n)
		}
	}
	return places
}

// DeliverableAt returns the position for an id. A fork's history keeps the ids of the original run, so the
// number counts and not the run's name.
func DeliverableAt(id string) (n int, ok bool) {
	number := id[strings.LastIndexByte(id, '_')+1:]
	n, err := strconv.Atoi(number)
	return n - 1, err == nil && n > 0
}

func (s *State) applyMarked(f *run.DeliverableMarked) {
	n, ok := DeliverableAt(f.ID)
	if !ok || n >= len(s.Deliverables) {
		return
	}
	s.Deliverables = slices.Clone(s.Deliverables) // a draft shares it
	s.Deliverables[n].Status = f.Status
}
