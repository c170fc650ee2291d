package notice

import (
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Offer is an offer of a link that is valid for an hour.
func Offer(id, offer string) port.Link {
	return port.Link{ID: id, Label: "Maria Größe", Offer: offer, ExpiresAt: fixture.Began.Add(time.Hour),
		CreatedAt: fixture.Began}
}

func noted(action string) port.Note[port.Link] {
	return func(l port.Link) port.AuditDraft {
		return port.AuditDraft{At: fixture.Began, Actor: run.Actor{Kind: run.Person, Name: l.Person}, Action: action,
			Target: "person/" + l.Person}
	}
}

func wantLinks(t *testing.T, s store.Store, person string, want ...string) {
	t.Helper()
	got, err := s.LinksOf(t.Context(), person)
	fixture.Must(t, err)
	var ids []string
	for _, l := range got {
		ids = append(ids, l.ID)
	}
	fixture.WantEqual(t, "links of "+person, ids, want)
}

// Links: an offer is taken once and in time, by one person; then the user is theirs until it is removed.
func Links(t *testing.T, s store.Store) {
	ctx, at := t.Context(), fixture.Began.Add(time.Minute)
	const id = "slack/T1/U1"
	_, err := s.Link(ctx, id)
	fixture.WantCode(t, err, fault.NotFound)
	fixture.Must(t, s.OfferLink(ctx, Offer(id, "first")))
	fixture.Must(t, s.OfferLink(ctx, Offer(id, "second")))
	_, err = s.OfferedLink(ctx, "first", at)
	fixture.WantCode(t, err, fault.NotFound)
	got, err := s.OfferedLink(ctx, "second", at)
	fixture.Must(t, err)
	fixture.WantEqual(t, "offered", got, Offer(id, "second"))
	for _, late := range []time.Time{fixture.Began.Add(time.Hour), fixture.Began.Add(2 * time.Hour)} {
		_, err = s.TakeLink(ctx, "second", "ann", late)
		fixture.WantCode(t, err, fault.NotFound)
		_, err = s.OfferedLink(ctx, "second", late)
		fixture.WantCode(t, err, fault.NotFound)
	}
	wantLinks(t, s, "ann")
	taken, err := s.TakeLink(ctx, "second", "ann", at, noted("link.added"))
	fixture.Must(t, err)
	want := Offer(id, "")
	want.Person, want.CreatedAt = "ann", at
	fixture.WantEqual(t, "taken", taken, want)
	got, err = s.Link(ctx, id)
	fixture.Must(t, err)
	fixture.WantEqual(t, "linked", got, want)
	wantLinks(t, s, "ann", id)
	for _, offer := range []string{"second", "", "third"} {
		_, err = s.TakeLink(ctx, offer, "bob", at, noted("link.added"))
		fixture.WantCode(t, err, fault.NotFound)
	}
	fixture.WantCode(t, s.OfferLink(ctx, Offer(id, "fourth")), fault.Conflict)

	removed, err := s.RemoveLink(ctx, id, noted("link.removed"))
	fixture.Must(t, err)
	fixture.WantEqual(t, "removed", removed, want)
	_, err = s.RemoveLink(ctx, id, noted("link.removed"))
	fixture.WantCode(t, err, fault.NotFound)
	wantLinks(t, s, "ann")
	entries, err := s.AuditEntries(ctx, port.AuditQuery{Limit: 10})
	fixture.Must(t, err)
	fixture.WantEqual(t, "entries", len(entries.Items), 2)

	bad := Offer(id, "x")
	bad.Label = "a\x00b"
	for _, l := range []port.Link{{}, Offer("", "x"), Offer(id, ""), bad, {ID: id, Offer: "x"}} {
		fixture.WantCode(t, s.OfferLink(ctx, l), fault.Invalid)
	}
}

// LinksEnd: links end with the account, or when the name is released.
func LinksEnd(t *testing.T, s store.Store) {
	ctx, at := t.Context(), fixture.Began.Add(time.Minute)
	fixture.Must(t, s.CreateAccount(ctx, port.Account{Name: "ann", Hash: "x", CreatedAt: at, ChangedAt: at}))
	fixture.Must(t, s.BindSubject(ctx, port.Subject{Issuer: "i", Subject: "s", Name: "bob", Label: "bob", BoundAt: at}))
	for id, person := range map[string]string{"slack/T/A": "ann", "slack/T/B": "bob", "slack/T/C": "cid"} {
		fixture.Must(t, s.OfferLink(ctx, Offer(id, "offer "+id)))
		_, err := s.TakeLink(ctx, "offer "+id, person, at)
		fixture.Must(t, err)
	}
	_, err := s.RemoveAccount(ctx, "ann")
	fixture.Must(t, err)
	_, err = s.ReleaseSubject(ctx, "bob", false)
	fixture.Must(t, err)
	wantLinks(t, s, "ann")
	wantLinks(t, s, "bob")
	wantLinks(t, s, "cid", "slack/T/C")
}

// LinkRace: of several people who take one offer, one gets it.
func LinkRace(t *testing.T, s store.Store) {
	fixture.Must(t, s.OfferLink(t.Context(), Offer("teams/T/U", "one")))
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = s.TakeLink(t.Context(), "one", string(rune('a'+i)), fixture.Began.Add(time.Minute))
		})
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			fixture.WantCode(t, err, fault.NotFound)
		}
	}
	fixture.WantEqual(t, "winners", won, 1)
}
