package storetest

import (
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

func account(name string) port.Account {
	return port.Account{Name: name, Hash: "$argon2id$" + name, Roles: []string{"approver", "admin"},
		CreatedAt: fixture.Began, ChangedAt: fixture.Began}
}

func browser(id, person string, epoch int64) port.Session {
	return port.Session{
		ID: id, Person: person, Method: port.ByPassword, Roles: []string{"a b", "ü"}, Epoch: epoch,
		CreatedAt: fixture.Began, SeenAt: fixture.Began, ExpiresAt: fixture.Began.Add(time.Hour),
	}
}

// accounts: names are unique, changes affect only the fields they set, and a new password or a deleted
// account ends the sessions at the same time.
func accounts(t *testing.T, s store.Store) {
	ctx := t.Context()
	fixture.Must(t, s.CreateAccount(ctx, account("bob")))
	fixture.Must(t, s.CreateAccount(ctx, account("ann")))
	fixture.WantCode(t, s.CreateAccount(ctx, account("ann")), fault.Conflict)
	want := account("ann")
	want.Epoch = 1
	got, err := s.Account(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "account", got, want)
	all, err := s.Accounts(ctx)
	fixture.Must(t, err)
	if len(all) != 2 || all[0].Name != "ann" || all[1].Name != "bob" {
		t.Fatalf("accounts: %+v", all)
	}
	for i, id := range []string{"s1", "s2"} {
		fixture.Must(t, s.CreateSession(ctx, browser(id, "ann", int64(i))))
	}
	fixture.Must(t, s.CreateSession(ctx, browser("s3", "bob", 1)))

	// New roles, a sign-in and a rehash of the same password end nothing.
	roles, same, later := []string(nil), "$argon2id$stronger", fixture.Began.Add(time.Minute)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Roles: &roles, SignedInAt: later, At: later})
	fixture.Must(t, err)
	want.Roles, want.SignedInAt, want.ChangedAt = nil, later, later
	fixture.WantEqual(t, "changed account", got, want)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &same, IfHash: want.Hash, At: later})
	fixture.Must(t, err)
	want.Hash = same
	fixture.WantEqual(t, "rehashed account", got, want)
	_, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &same, IfHash: "another", At: later})
	fixture.WantCode(t, err, fault.Conflict)
	_, err = s.Session(ctx, "s1")
	fixture.Must(t, err)

	// A new password does.
	other := "$argon2id$other"
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &other, At: later})
	fixture.Must(t, err)
	if got.Epoch != 2 || got.Hash != other {
		t.Errorf("after a new password: %+v", got)
	}
	for _, id := range []string{"s1", "s2"} {
		_, err = s.Session(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
	}
	// So does disabling the account, and enabling it again restores none.
	fixture.Must(t, s.CreateSession(ctx, browser("s4", "ann", 2)))
	yes, no := true, false
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Disabled: &yes, At: later})
	fixture.Must(t, err)
	if !got.Disabled || got.Epoch != 3 {
		t.Errorf("after closing: %+v", got)
	}
	_, err = s.Session(ctx, "s4")
	fixture.WantCode(t, err, fault.NotFound)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Disabled: &no, At: later})
	fixture.Must(t, err)
	if got.Disabled || got.Epoch != 3 {
		t.Errorf("after opening: %+v", got)
	}
	_, err = s.ChangeAccount(ctx, "eve", port.AccountChange{Disabled: &yes, At: later})
	fixture.WantCode(t, err, fault.NotFound)

	// Deleting an account deletes its sessions and personal tokens, and no others.
	fixture.Must(t, s.CreateSession(ctx, browser("s5", "ann", 3)))
	for id, kind := range map[string]run.ActorKind{"tok_1": run.Person, "tok_2": run.Agent} {
		fixture.Must(t, s.CreateToken(ctx, port.Token{ID: id, Name: "ann", Kind: kind, Hash: "h", CreatedAt: fixture.Began}))
	}
	_, err = s.RemoveAccount(ctx, "ann")
	fixture.Must(t, err)
	for what, err := range map[string]error{
		"account": second(s.Account(ctx, "ann")), "session": second(s.Session(ctx, "s5")),
		"personal token":  second(s.Token(ctx, "tok_1")),
		"removed account": second(s.RemoveAccount(ctx, "ann")),
	} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = s.Session(ctx, "s3")
	fixture.Must(t, err)
	_, err = s.Token(ctx, "tok_2")
	fixture.Must(t, err)
}

func second[T any](_ T, err error) error { return err }

// accountRace: of many concurrent requests for a name, one gets it; of many concurrent changes of the same
// version, one succeeds.
func accountRace(t *testing.T, s store.Store) {
	ctx := t.Context()
	const tries = 20
	var mu sync.Mutex
	made, changed := 0, 0
	all := func(do func(int) error, count *int) {
		var group sync.WaitGroup
		for i := range tries {
			group.Go(func() {
				err := do(i)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					*count++
				case !fault.Is(err, fault.Conflict):
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	all(func(int) error { return s.CreateAccount(ctx, account("ann")) }, &made)
	all(func(i int) error {
		hash := "new" + fixture.RunID(i)
		_, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &hash, IfHash: account("ann").Hash, At: fixture.Began})
		return err
	}, &changed)
	if made != 1 || changed != 1 {
		t.Errorf("%d were made and %d changed", made, changed)
	}
}

// tokens are found by id, listed by age, and gone when they are deleted.
func tokens(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := port.Token{
		ID: "tok_b", Name: "ci", Kind: run.Service, Roles: []string{"starter"}, Hash: "sha256:1", CreatedBy: "ann",
		CreatedAt: fixture.Began, ExpiresAt: fixture.Began.Add(time.Hour),
	}
	later := port.Token{ID: "tok_a", Name: "ci", Kind: run.Agent, Hash: "sha256:2", CreatedBy: "ann",
		CreatedAt: fixture.Began.Add(time.Second)}
	fixture.Must(t, s.CreateToken(ctx, first))
	fixture.Must(t, s.CreateToken(ctx, later))
	fixture.WantCode(t, s.CreateToken(ctx, first), fault.Conflict)
	got, err := s.Token(ctx, first.ID)
	fixture.Must(t, err)
	fixture.WantEqual(t, "token", got, first)
	fixture.Must(t, s.TouchToken(ctx, first.ID, fixture.Began.Add(time.Minute)))
	fixture.Must(t, s.TouchToken(ctx, first.ID, fixture.Began)) // time never runs backwards
	fixture.Must(t, s.TouchToken(ctx, "tok_none", fixture.Began))
	first.UsedAt = fixture.Began.Add(time.Minute)
	all, err := s.Tokens(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "tokens", all, []port.Token{first, later})
	removed, err := s.RemoveToken(ctx, first.ID)
	fixture.Must(t, err)
	fixture.WantEqual(t, "removed token", removed, first)
	_, err = s.RemoveToken(ctx, first.ID)
	fixture.WantCode(t, err, fault.NotFound)
	_, err = s.Token(ctx, first.ID)
	fixture.WantCode(t, err, fault.NotFound)
}

// sessions are found by id, end one by one or all of a person, and expire.
func sessions(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, v := range []port.Session{browser("s1", "ann", 1), browser("s2", "ann", 1), browser("s3", "bob", 1),
		browser("s4", "cat", 1), browser("s5", "cat", 1)} {
		fixture.Must(t, s.CreateSession(ctx, v))
	}
	fixture.WantCode(t, s.CreateSession(ctx, browser("s1", "eve", 1)), fault.Conflict)
	got, err := s.Session(ctx, "s1")
	fixture.Must(t, err)
	fixture.WantEqual(t, "session", got, browser("s1", "ann", 1))
	fixture.Must(t, s.TouchSession(ctx, "s1", fixture.Began.Add(time.Minute)))
	fixture.Must(t, s.TouchSession(ctx, "s1", fixture.Began))
	fixture.Must(t, s.TouchSession(ctx, "none", fixture.Began))
	if got, err = s.Session(ctx, "s1"); err != nil || !got.SeenAt.Equal(fixture.Began.Add(time.Minute)) {
		t.Errorf("seen at %s, %v", got.SeenAt, err)
	}
	fixture.Must(t, s.EndSession(ctx, "s3"))
	fixture.Must(t, s.EndSession(ctx, "s3"))
	_, err = s.Session(ctx, "s3")
	fixture.WantCode(t, err, fault.NotFound)
	for person, want := range map[string]int{"ann": 2, "bob": 0, "": 0, "a\x00": 0} {
		if n, err := s.EndSessions(ctx, person); err != nil || n != want {
			t.Errorf("%d sessions of %q ended, %v", n, person, err)
		}
	}
	long := browser("s6", "cat", 1)
	long.ExpiresAt, long.SeenAt = fixture.Began.Add(24*time.Hour), fixture.Began.Add(2*time.Hour)
	fixture.Must(t, s.CreateSession(ctx, long))
	for _, c := range []struct {
		expired, idle time.Time
		want          int
	}{
		{fixture.Began.Add(time.Hour), fixture.Began, 0}, // the exact time still counts
		{fixture.Began.Add(time.Hour + 1), fixture.Began, 2},
		{fixture.Began, fixture.Began.Add(3 * time.Hour), 1},
	} {
		if n, err := s.ForgetSessions(ctx, c.expired, c.idle); err != nil || n != c.want {
			t.Errorf("%d were forgotten instead of %d, %v", n, c.want, err)
		}
	}
}

// hostileIdentities: no name that a client can send causes trouble.
func hostileIdentities(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, bad := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 300)} {
		a, tok, ses := account(bad), port.Token{ID: bad, Name: "x", Kind: run.Person, Hash: "h"}, browser(bad, "x", 1)
		for what, err := range map[string]error{"account": s.CreateAccount(ctx, a), "token": s.CreateToken(ctx, tok),
			"session": s.CreateSession(ctx, ses)} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %.10q: %v", what, bad, err)
			}
		}
		for what, err := range map[string]error{
			"account": second(s.Account(ctx, bad)), "token": second(s.Token(ctx, bad)), "session": second(s.Session(ctx, bad)),
			"removed account": second(s.RemoveAccount(ctx, bad)), "removed token": second(s.RemoveToken(ctx, bad)),
			"changed account": second(s.ChangeAccount(ctx, bad, port.AccountChange{})),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s %.10q: %v", what, bad, err)
			}
		}
		fixture.Must(t, s.EndSession(ctx, bad))
		fixture.Must(t, s.TouchSession(ctx, bad, fixture.Began))
		fixture.Must(t, s.TouchToken(ctx, bad, fixture.Began))
	}
	odd := account("o'hara; DROP TABLE accounts --")
	odd.Roles = []string{`"quoted"`, `a,b`, "ünï"}
	fixture.Must(t, s.CreateAccount(ctx, odd))
	got, err := s.Account(ctx, odd.Name)
	fixture.Must(t, err)
	odd.Epoch = 1
	fixture.WantEqual(t, "odd account", got, odd)
}
