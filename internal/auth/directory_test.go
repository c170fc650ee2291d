package auth_test

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestTokensAreTheirPeoples: a personal token is that of the person who is meant,
// however they are called when it is made.
func TestTokensAreTheirPeoples(t *testing.T) {
	f := newForger(t)
	s := f.service()
	come := func(sub, mail string) {
		t.Helper()
		token := sign(t, "RS256", f.rsa, "one", f.claims(map[string]any{"sub": sub, "email": mail, "email_verified": true}))
		if _, err := s.Bearer(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	come("sub-1", "ann@example.com")
	come("sub-1", "ann.smith@example.com") // renamed
	come("sub-2", "bob@example.com")
	come("sub-3", "cid@example.com")
	come("sub-2", "same@example.com")
	come("sub-3", "same@example.com")
	password := "violet tram seventy lake"
	if _, _, err := s.PutAccount(t.Context(), port.PutAccount{Name: "dan", Password: &password}); err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"ann@example.com": "ann@example.com", "ann.smith@example.com": "ann@example.com",
		"bob@example.com": "bob@example.com",
		"Dan":             "dan", "dan": "dan", "nobody yet": "nobody yet",
	} {
		made, secret, err := s.NewToken(t.Context(), port.NewToken{Name: asked, Kind: run.Person, By: "root"})
		if err != nil || made.Name != want {
			t.Errorf("a token for %s is of %s, %v", asked, made.Name, err)
			continue
		}
		if who, err := s.Bearer(t.Context(), secret); err != nil || who.Name != want {
			t.Errorf("a token for %s is %+v, %v", asked, who, err)
		}
	}
	if _, _, err := s.NewToken(t.Context(),
		port.NewToken{Name: "same@example.com", Kind: run.Person, By: "root"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a token for one of two: %v", err)
	}
	if made, _, err := s.NewToken(t.Context(),
		port.NewToken{Name: "ann.smith@example.com", Kind: run.Service, By: "root"}); err != nil ||
		made.Name != "ann.smith@example.com" {
		t.Errorf("a program has the name it is given: %+v, %v", made, err)
	}
}

// TestOldTokensAreTheirPeoples: a token from before, whose name is written
// otherwise than the account, is no second person.
func TestOldTokensAreTheirPeoples(t *testing.T) {
	kept := newStore(t)
	s, err := auth.New(kept, auth.Config{Password: true, Cost: cheap})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := s.NewToken(t.Context(), port.NewToken{Name: "Ann", Kind: run.Person, By: "root"})
	if err != nil {
		t.Fatal(err)
	}
	a := port.Account{Name: "ann", Hash: "$argon2id$x", CreatedAt: time.Now(), ChangedAt: time.Now()}
	if err := kept.CreateAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if who, err := s.Bearer(t.Context(), secret); err != nil || who.Name != "ann" {
		t.Errorf("%+v, %v", who, err)
	}
}

// TestGuessesAtOneAccount: spaces and capitals do not make it another one.
func TestGuessesAtOneAccount(t *testing.T) {
	s := service(t, auth.Config{Password: true})
	put(t, s, account("ann"))
	last := error(nil)
	for _, name := range []string{"ann", " ann", "ANN", "ann ", "  Ann", "ann  ", "aNN", "	ann"} {
		_, last = s.SignIn(t.Context(), name, "a wrong password", "192.0.2.7")
	}
	if !fault.Is(last, fault.RateLimited) {
		t.Errorf("eight guesses at one account: %v", last)
	}
}
