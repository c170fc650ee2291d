package storetest

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

func away(name, to string, from, hours int) port.StandIn {
	start := fixture.Began.Add(time.Duration(from) * time.Hour)
	return port.StandIn{Name: name, To: to, From: start, Until: start.Add(time.Duration(hours) * time.Hour),
		SetBy: "admin", SetAt: fixture.Began}
}

// standIns: a person has one, the time range is half open, and the audit log records what happened.
func standIns(t *testing.T, s store.Store) {
	ctx := t.Context()
	entry := func(action string) port.AuditDraft {
		return port.AuditDraft{At: fixture.Began, Actor: run.Actor{Kind: run.Person, Name: "ann"},
			Action: action, Target: "person/ann"}
	}
	_, err := s.StandIn(ctx, "ann")
	fixture.WantCode(t, err, fault.NotFound)
	_, err = s.RemoveStandIn(ctx, "ann", entry("stand_in.cleared"))
	fixture.WantCode(t, err, fault.NotFound)
	fixture.Must(t, s.PutStandIn(ctx, away("ann", "cid", 0, 5), entry("stand_in.set")))
	fixture.Must(t, s.PutStandIn(ctx, away("ann", "bob", 1, 2), entry("stand_in.set")))
	fixture.Must(t, s.PutStandIn(ctx, away("größe", "bob", 2, 9)))
	fixture.Must(t, s.PutStandIn(ctx, away("bob", "dan", 0, 9)))
	fixture.WantCode(t, s.PutStandIn(ctx, away("ann", "bob", 1, 0), entry("stand_in.set")), fault.Invalid)
	fixture.WantCode(t, s.PutStandIn(ctx, away("ann", "", 1, 2), entry("stand_in.set")), fault.Invalid)

	got, err := s.StandIn(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "stand-in of ann", got, away("ann", "bob", 1, 2))
	all, err := s.StandIns(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "all", all, []port.StandIn{away("ann", "bob", 1, 2), away("bob", "dan", 0, 9),
		away("größe", "bob", 2, 9)})

	for _, c := range []struct {
		to   string
		at   time.Duration
		want []string
	}{
		{"bob", time.Hour - 1, nil},
		{"bob", time.Hour, []string{"ann"}},
		{"bob", 2 * time.Hour, []string{"ann", "größe"}},
		{"bob", 3*time.Hour - 1, []string{"ann", "größe"}},
		{"bob", 3 * time.Hour, []string{"größe"}},
		{"cid", 2 * time.Hour, nil}, // who was replaced
		{"dan", 2 * time.Hour, []string{"bob"}},
		{"b_b", 2 * time.Hour, nil},
		{"bad\x00", 2 * time.Hour, nil},
	} {
		found, err := s.StandingIn(ctx, c.to, fixture.Began.Add(c.at))
		fixture.Must(t, err)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
			if !f.Counts(fixture.Began.Add(c.at)) {
				t.Errorf("%+v does not count at %s", f, c.at)
			}
		}
		fixture.WantEqual(t, "for whom "+c.to+" stands in after "+c.at.String(), names, c.want)
	}

	removed, err := s.RemoveStandIn(ctx, "ann", entry("stand_in.cleared"))
	fixture.Must(t, err)
	fixture.WantEqual(t, "removed", removed, away("ann", "bob", 1, 2))
	page, err := s.AuditEntries(ctx, port.AuditQuery{Target: "person/ann"})
	fixture.Must(t, err)
	var actions []string
	for _, row := range page.Items {
		actions = append(actions, row.Action)
	}
	fixture.WantEqual(t, "on record", actions, []string{"stand_in.cleared", "stand_in.set", "stand_in.set"})

	// A person without an account stands in for no one, and has no stand-in.
	fixture.Must(t, s.CreateAccount(ctx, account("bob")))
	fixture.Must(t, s.PutStandIn(ctx, away("cid", "ann", 0, 9)))
	_, err = s.RemoveAccount(ctx, "bob")
	fixture.Must(t, err)
	all, err = s.StandIns(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "left", all, []port.StandIn{away("cid", "ann", 0, 9)})
}
