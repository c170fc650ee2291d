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
)

func account(name string) port.Account {
	return port.Account{Name: name, Hash: "$argon2id$" + name, Roles: []string{"approver", "admin"},
		CreatedAt: began, ChangedAt: began}
}

func browser(id, person string, epoch int64) port.Session {
	return port.Session{
		ID: id, Person: person, Way: port.ByPassword, Roles: []string{"a b", "ü"}, Epoch: epoch,
		CreatedAt: began, SeenAt: began, ExpiresAt: began.Add(time.Hour),
	}
}

// accounts: names are taken once, changes touch what they name, and whoever loses
// the password or the account loses the sessions in the same moment.
func accounts(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateAccount(ctx, account("bob")))
	must(t, s.CreateAccount(ctx, account("ann")))
	wantCode(t, s.CreateAccount(ctx, account("ann")), fault.Conflict)
	want := account("ann")
	want.Epoch = 1
	got, err := s.Account(ctx, "ann")
	must(t, err)
	wantEqual(t, "account", got, want)
	all, err := s.Accounts(ctx)
	must(t, err)
	if len(all) != 2 || all[0].Name != "ann" || all[1].Name != "bob" {
		t.Fatalf("accounts: %+v", all)
	}
	for i, id := range []string{"s1", "s2"} {
		must(t, s.CreateSession(ctx, browser(id, "ann", int64(i))))
	}
	must(t, s.CreateSession(ctx, browser("s3", "bob", 1)))

	// Other roles, a sign-in and another form of the same password end nothing.
	roles, same, later := []string(nil), "$argon2id$stronger", began.Add(time.Minute)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Roles: &roles, SignedInAt: later, At: later})
	must(t, err)
	want.Roles, want.SignedInAt, want.ChangedAt = nil, later, later
	wantEqual(t, "changed account", got, want)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &same, IfHash: want.Hash, At: later})
	must(t, err)
	want.Hash = same
	wantEqual(t, "rehashed account", got, want)
	_, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &same, IfHash: "another", At: later})
	wantCode(t, err, fault.Conflict)
	_, err = s.Session(ctx, "s1")
	must(t, err)

	// Another password does.
	other := "$argon2id$other"
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &other, At: later})
	must(t, err)
	if got.Epoch != 2 || got.Hash != other {
		t.Errorf("after a new password: %+v", got)
	}
	for _, id := range []string{"s1", "s2"} {
		_, err = s.Session(ctx, id)
		wantCode(t, err, fault.NotFound)
	}
	// So does closing the account, and opening it again brings none back.
	must(t, s.CreateSession(ctx, browser("s4", "ann", 2)))
	yes, no := true, false
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Disabled: &yes, At: later})
	must(t, err)
	if !got.Disabled || got.Epoch != 3 {
		t.Errorf("after closing: %+v", got)
	}
	_, err = s.Session(ctx, "s4")
	wantCode(t, err, fault.NotFound)
	got, err = s.ChangeAccount(ctx, "ann", port.AccountChange{Disabled: &no, At: later})
	must(t, err)
	if got.Disabled || got.Epoch != 3 {
		t.Errorf("after opening: %+v", got)
	}
	_, err = s.ChangeAccount(ctx, "eve", port.AccountChange{Disabled: &yes, At: later})
	wantCode(t, err, fault.NotFound)

	// Removing takes sessions and personal tokens along, and nobody else's.
	must(t, s.CreateSession(ctx, browser("s5", "ann", 3)))
	for id, kind := range map[string]run.ActorKind{"tok_1": run.Person, "tok_2": run.Agent} {
		must(t, s.CreateToken(ctx, port.Token{ID: id, Name: "ann", Kind: kind, Hash: "h", CreatedAt: began}))
	}
	_, err = s.RemoveAccount(ctx, "ann")
	must(t, err)
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
	must(t, err)
	_, err = s.Token(ctx, "tok_2")
	must(t, err)
}

func second[T any](_ T, err error) error { return err }

// accountRace: of many who take a name, one gets it; of many who change what they
// saw, one does.
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
		hash := "new" + runID(i)
		_, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &hash, IfHash: account("ann").Hash, At: began})
		return err
	}, &changed)
	if made != 1 || changed != 1 {
		t.Errorf("%d were made and %d changed", made, changed)
	}
}

// tokens are found by id, listed by age, and gone when they are removed.
func tokens(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := port.Token{
		ID: "tok_b", Name: "ci", Kind: run.Service, Roles: []string{"starter"}, Hash: "sha256:1", CreatedBy: "ann",
		CreatedAt: began, ExpiresAt: began.Add(time.Hour),
	}
	later := port.Token{ID: "tok_a", Name: "ci", Kind: run.Agent, Hash: "sha256:2", CreatedBy: "ann",
		CreatedAt: began.Add(time.Second)}
	must(t, s.CreateToken(ctx, first))
	must(t, s.CreateToken(ctx, later))
	wantCode(t, s.CreateToken(ctx, first), fault.Conflict)
	got, err := s.Token(ctx, first.ID)
	must(t, err)
	wantEqual(t, "token", got, first)
	must(t, s.TouchToken(ctx, first.ID, began.Add(time.Minute)))
	must(t, s.TouchToken(ctx, first.ID, began)) // time never runs back
	must(t, s.TouchToken(ctx, "tok_none", began))
	first.UsedAt = began.Add(time.Minute)
	all, err := s.Tokens(ctx)
	must(t, err)
	wantEqual(t, "tokens", all, []port.Token{first, later})
	removed, err := s.RemoveToken(ctx, first.ID)
	must(t, err)
	wantEqual(t, "removed token", removed, first)
	_, err = s.RemoveToken(ctx, first.ID)
	wantCode(t, err, fault.NotFound)
	_, err = s.Token(ctx, first.ID)
	wantCode(t, err, fault.NotFound)
}

// sessions are found by id, end one by one or all of a person, and are forgotten.
func sessions(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, v := range []port.Session{browser("s1", "ann", 1), browser("s2", "ann", 1), browser("s3", "bob", 1),
		browser("s4", "cat", 1), browser("s5", "cat", 1)} {
		must(t, s.CreateSession(ctx, v))
	}
	wantCode(t, s.CreateSession(ctx, browser("s1", "eve", 1)), fault.Conflict)
	got, err := s.Session(ctx, "s1")
	must(t, err)
	wantEqual(t, "session", got, browser("s1", "ann", 1))
	must(t, s.TouchSession(ctx, "s1", began.Add(time.Minute)))
	must(t, s.TouchSession(ctx, "s1", began))
	must(t, s.TouchSession(ctx, "none", began))
	if got, err = s.Session(ctx, "s1"); err != nil || !got.SeenAt.Equal(began.Add(time.Minute)) {
		t.Errorf("seen at %s, %v", got.SeenAt, err)
	}
	must(t, s.EndSession(ctx, "s3"))
	must(t, s.EndSession(ctx, "s3"))
	_, err = s.Session(ctx, "s3")
	wantCode(t, err, fault.NotFound)
	for person, want := range map[string]int{"ann": 2, "bob": 0, "": 0, "a\x00": 0} {
		if n, err := s.EndSessions(ctx, person); err != nil || n != want {
			t.Errorf("%d sessions of %q ended, %v", n, person, err)
		}
	}
	long := browser("s6", "cat", 1)
	long.ExpiresAt, long.SeenAt = began.Add(24*time.Hour), began.Add(2*time.Hour)
	must(t, s.CreateSession(ctx, long))
	for _, c := range []struct {
		expired, idle time.Time
		want          int
	}{
		{began.Add(time.Hour), began, 0}, // the moment itself still counts
		{began.Add(time.Hour + 1), began, 2},
		{began, began.Add(3 * time.Hour), 1},
	} {
		if n, err := s.ForgetSessions(ctx, c.expired, c.idle); err != nil || n != c.want {
			t.Errorf("%d were forgotten instead of %d, %v", n, c.want, err)
		}
	}
}

// hostileIdentities: nothing that anybody can send as a name makes trouble.
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
		must(t, s.EndSession(ctx, bad))
		must(t, s.TouchSession(ctx, bad, began))
		must(t, s.TouchToken(ctx, bad, began))
	}
	odd := account("o'hara; DROP TABLE accounts --")
	odd.Roles = []string{`"quoted"`, `a,b`, "ünï"}
	must(t, s.CreateAccount(ctx, odd))
	got, err := s.Account(ctx, odd.Name)
	must(t, err)
	odd.Epoch = 1
	wantEqual(t, "odd account", got, odd)
}
