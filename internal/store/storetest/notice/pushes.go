// Package notice checks what stores keep for notifications. It is a part of storetest.
package notice

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Subscription is a person's browser, subscribed some minutes after the beginning.
func Subscription(id, person string, minutes int) port.Push {
	at := fixture.Began.Add(time.Duration(minutes) * time.Minute)
	return port.Push{ID: id, Person: person, Browser: "Firefox", Endpoint: "https://push.example/" + id,
		P256DH: bytes.Repeat([]byte{4}, 65), Auth: bytes.Repeat([]byte{7}, 16), CreatedAt: at, RenewedAt: at}
}

func wantPushes(t *testing.T, s store.Store, person string, want ...string) {
	t.Helper()
	got, err := s.PushesOf(t.Context(), person)
	fixture.Must(t, err)
	var ids []string
	for _, p := range got {
		ids = append(ids, p.ID)
	}
	fixture.WantEqual(t, "subscriptions of "+person, ids, want)
}

func wantEntries(t *testing.T, s store.Store, want int64) {
	t.Helper()
	n, _, err := s.AuditEnd(t.Context())
	fixture.Must(t, err)
	fixture.WantEqual(t, "entries in the audit log", n, want)
}

// Pushes: renewing keeps what was there first, a browser belongs to one person, and their number is limited.
func Pushes(t *testing.T, s store.Store) {
	ctx := t.Context()
	entry := port.AuditDraft{At: fixture.Began, Actor: run.Actor{Kind: run.Person, Name: "ann"}, Action: "push.subscribed",
		Target: "person/ann"}
	put := func(p port.Push, created bool) {
		t.Helper()
		got, err := s.PutPush(ctx, p, entry)
		fixture.Must(t, err)
		fixture.WantEqual(t, "created", got, created)
	}
	wantPushes(t, s, "ann")
	first := Subscription("a", "ann", 1)
	first.Session = "s1"
	put(first, true)
	put(Subscription("b", "ann", 2), true)
	wantPushes(t, s, "ann", "b", "a")
	again := Subscription("a", "ann", 3)
	again.Session, again.Endpoint, again.Browser = "s2", "https://push.example/moved", "Größe"
	put(again, false)
	again.CreatedAt = first.CreatedAt
	got, err := s.PushesOf(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "renewed", got, []port.Push{again, Subscription("b", "ann", 2)})
	put(Subscription("b", "bob", 4), true) // another person signed in there
	wantPushes(t, s, "ann", "a")
	wantPushes(t, s, "bob", "b")
	wantEntries(t, s, 3)

	for range 2 {
		removed, err := s.RemovePush(ctx, "ann", "b", entry) // it is bob's
		fixture.Must(t, err)
		fixture.WantEqual(t, "removed", removed, false)
	}
	removed, err := s.RemovePush(ctx, "bob", "b", entry)
	fixture.Must(t, err)
	fixture.WantEqual(t, "removed", removed, true)
	wantPushes(t, s, "bob")
	wantEntries(t, s, 4)

	for i := range port.PushesMax + 2 {
		put(Subscription(fmt.Sprintf("m%02d", i), "cid", i), true)
	}
	all, err := s.PushesOf(ctx, "cid")
	fixture.Must(t, err)
	fixture.WantEqual(t, "the most", len(all), port.PushesMax)
	fixture.WantEqual(t, "the oldest", all[len(all)-1].ID, "m02")
	wantPushes(t, s, "ann", "a")

	bad := func(change func(*port.Push)) port.Push {
		p := Subscription("x", "ann", 9)
		change(&p)
		return p
	}
	for name, p := range map[string]port.Push{
		"no id":         bad(func(p *port.Push) { p.ID = "" }),
		"no person":     bad(func(p *port.Push) { p.Person = "" }),
		"NUL":           bad(func(p *port.Push) { p.Endpoint = "https://\x00" }),
		"long endpoint": bad(func(p *port.Push) { p.Endpoint = "https://" + strings.Repeat("x", 2048) }),
		"long browser":  bad(func(p *port.Push) { p.Browser = strings.Repeat("x", 201) }),
		"short key":     bad(func(p *port.Push) { p.P256DH = p.P256DH[:64] }),
		"long secret":   bad(func(p *port.Push) { p.Auth = append(p.Auth, 0) }),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.PutPush(ctx, p)
			fixture.WantCode(t, err, fault.Invalid)
			if err != nil && strings.Contains(err.Error(), "https://") {
				t.Errorf("quotes the endpoint: %v", err)
			}
		})
	}
}

// PushesEnd: sign-out, a revoked session, a new password, and removal of the person end subscriptions; a session that
// merely expires does not.
func PushesEnd(t *testing.T, s store.Store) {
	ctx := t.Context()
	put := func(id, person, session string) {
		t.Helper()
		p := Subscription(id, person, 1)
		p.Session = session
		_, err := s.PutPush(ctx, p)
		fixture.Must(t, err)
	}
	three := func(person string) {
		t.Helper()
		put(person+"1", person, "s1"+person)
		put(person+"2", person, "s2"+person)
		put(person+"3", person, "")
	}
	three("ann")
	three("bob")
	fixture.Must(t, s.EndSession(ctx, "s1ann"))
	wantPushes(t, s, "ann", "ann2", "ann3")
	_, err := s.ForgetSessions(ctx, fixture.Began.Add(time.Hour), fixture.Began.Add(time.Hour))
	fixture.Must(t, err)
	wantPushes(t, s, "ann", "ann2", "ann3")
	_, err = s.EndSessions(ctx, "ann")
	fixture.Must(t, err)
	wantPushes(t, s, "ann")
	wantPushes(t, s, "bob", "bob1", "bob2", "bob3")

	fixture.Must(t, s.CreateAccount(ctx, port.Account{Name: "ann", Hash: "x", CreatedAt: fixture.Began,
		ChangedAt: fixture.Began}))
	hash, closed, roles := "y", true, []string{"viewer"}
	for name, c := range map[string]port.AccountChange{
		"password": {Hash: &hash, At: fixture.Began}, "closed": {Disabled: &closed, At: fixture.Began},
	} {
		three("ann")
		_, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Roles: &roles, At: fixture.Began})
		fixture.Must(t, err)
		wantPushes(t, s, "ann", "ann1", "ann2", "ann3")
		_, err = s.ChangeAccount(ctx, "ann", c)
		fixture.Must(t, err)
		t.Run(name, func(t *testing.T) { wantPushes(t, s, "ann") })
	}
	three("ann")
	_, err = s.RemoveAccount(ctx, "ann")
	fixture.Must(t, err)
	wantPushes(t, s, "ann")
	for _, handOver := range []bool{false, true} {
		fixture.Must(t, s.BindSubject(ctx, port.Subject{Issuer: "https://id", Subject: fmt.Sprint(handOver),
			Name: fmt.Sprint("eve", handOver), Label: "eve", BoundAt: fixture.Began}))
		name := fmt.Sprint("eve", handOver)
		three(name)
		_, err = s.ReleaseSubject(ctx, name, handOver)
		fixture.Must(t, err)
		wantPushes(t, s, name)
	}
	wantPushes(t, s, "bob", "bob1", "bob2", "bob3")
}

// PushKey: processes that start at the same time agree.
func PushKey(t *testing.T, s store.Store) {
	ctx := t.Context()
	keys := make([]string, 8)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			key, err := s.PushKey(ctx, fmt.Appendf(nil, "key %d", i))
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(key)
		})
	}
	wait.Wait()
	for _, key := range keys {
		if key != keys[0] || !strings.HasPrefix(key, "key ") {
			t.Errorf("different keys: %q", keys)
		}
	}
	for _, bad := range [][]byte{nil, make([]byte, 1025)} {
		_, err := s.PushKey(ctx, bad)
		fixture.WantCode(t, err, fault.Invalid)
	}
}
