package storetest

import (
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// eventSalts: a run has one salt, which is deleted with its payloads and never recreated.
func eventSalts(t *testing.T, s store.Store) {
	ctx := t.Context()
	var ids []string
	for i := range 230 { // more than one statement covers
		a := fixture.Ended(fixture.New(fmt.Sprintf("run_salted_%d", i)), 0)
		a.Store(t, s, a.Write(fixture.Started(`{}`)))
		ids = append(ids, a.ID)
	}
	none, err := s.EventSalts(ctx, ids)
	fixture.Must(t, err)
	fixture.WantEqual(t, "before", len(none), 0)
	some, err := s.MakeEventSalts(ctx, ids[:3])
	fixture.Must(t, err)
	all, err := s.MakeEventSalts(ctx, append([]string{"run_none"}, ids...))
	fixture.Must(t, err)
	fixture.WantEqual(t, "made", len(all), len(ids))
	different := map[string]bool{}
	for id, salt := range all {
		if len(salt) < 32 || some[id] != "" && some[id] != salt {
			t.Errorf("%s has %q", id, salt)
		}
		different[salt] = true
	}
	fixture.WantEqual(t, "different", len(different), len(ids))
	again, err := s.MakeEventSalts(ctx, ids)
	fixture.Must(t, err)
	fixture.WantEqual(t, "again", again, all)

	gone := ids[1]
	_, err = s.OrderRemoval(ctx, port.Removal{Run: gone, By: run.Actor{Kind: run.Person, Name: "ann"},
		Reason: "x", At: fixture.Began})
	fixture.Must(t, err)
	kept, err := s.MakeEventSalts(ctx, ids[:3])
	fixture.Must(t, err)
	fixture.WantEqual(t, "while it is only ordered", kept, some)
	fixture.Must(t, s.RemovePayloads(ctx, gone))
	delete(some, gone)
	for name, read := range map[string]func() (map[string]string, error){
		"read": func() (map[string]string, error) { return s.EventSalts(ctx, ids[:3]) },
		"make": func() (map[string]string, error) { return s.MakeEventSalts(ctx, ids[:3]) },
	} {
		left, err := read()
		fixture.Must(t, err)
		fixture.WantEqual(t, name, left, some)
	}
}
