package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

const nextPassword = "copper kite morning pool"

func TestPuttingAccounts(t *testing.T) {
	kept := newStore(t)
	s, err := auth.New(kept, auth.Config{Password: true, Cost: cheap})
	if err != nil {
		t.Fatal(err)
	}
	yes, short, roles := true, "short", []string{"approver", "starter"}
	p := account(" Ann ")
	p.Roles, p.Disabled = &roles, &yes
	a, created, err := s.PutAccount(t.Context(), p)
	if err != nil || !created || a.Name != "ann" || !slices.Equal(a.Roles, roles) || !a.Disabled {
		t.Errorf("%+v, %v, %v", a, created, err)
	}
	if at, err := kept.Account(t.Context(), "ann"); err != nil || !slices.Equal(at.Roles, roles) || !at.Disabled {
		t.Errorf("%+v, %v", at, err)
	}
	changed, created, err := s.PutAccount(t.Context(), port.PutAccount{Name: "ann", Roles: &[]string{}})
	if err != nil || created || len(changed.Roles) != 0 || !changed.Disabled {
		t.Errorf("%+v, %v, %v", changed, created, err)
	}
	for what, c := range map[string]struct {
		put  port.PutAccount
		code fault.Code
	}{
		"a name":           {port.PutAccount{Name: "a b", Password: p.Password}, fault.Invalid},
		"a short password": {port.PutAccount{Name: "bob", Password: &short}, fault.Invalid},
		"roles": {port.PutAccount{Name: "bob", Password: p.Password, Roles: &[]string{"a,b"}},
			fault.Invalid},
		"no password": {port.PutAccount{Name: "bob"}, fault.Invalid},
		"one that is there": {port.PutAccount{Name: "ann", Password: p.Password, Only: port.OnlyCreate},
			fault.Conflict},
		"one that is not there": {port.PutAccount{Name: "bob", Password: p.Password, Only: port.OnlyChange},
			fault.NotFound},
		"a bad role of an old one": {port.PutAccount{Name: "ann", Roles: &[]string{""}}, fault.Invalid},
	} {
		if a, created, err := s.PutAccount(t.Context(), c.put); !fault.Is(err, c.code) || created || a.Name != "" {
			t.Errorf("%s: %+v, %v, %v", what, a, created, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, created, err := s.PutAccount(gone, account("cat")); err == nil || created {
		t.Errorf("%v, %v", created, err)
	}
	if all, err := s.Accounts(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestTokensToBeMade(t *testing.T) {
	var w watch
	kept := newStore(t)
	s, err := auth.New(kept, auth.Config{Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	for path, n := range map[string]port.NewToken{
		"name": {Name: "a,b", Kind: run.Service}, "kind": {Name: "x", Kind: run.System},
		"roles":      {Name: "x", Kind: run.Agent, Roles: []string{""}},
		"expires_at": {Name: "x", Kind: run.Service, ExpiresAt: w.now()},
	} {
		var f *fault.Error
		if _, _, err := s.NewToken(t.Context(), n); !errors.As(err, &f) || len(f.Problems) != 1 ||
			f.Problems[0].Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	until := w.now().Add(time.Second)
	for i, ends := range []time.Time{{}, until} {
		made, text, err := s.NewToken(t.Context(), port.NewToken{Name: "x", Kind: run.Service, ExpiresAt: ends, By: "root"})
		if err != nil || !made.ExpiresAt.Equal(ends) || made.ExpiresAt.IsZero() != ends.IsZero() {
			t.Errorf("%+v, %v", made, err)
		}
		if who, err := s.Bearer(t.Context(), text); err != nil || who.ExpiresAt.IsZero() != ends.IsZero() {
			t.Errorf("%+v, %v", who, err)
		}
		rows, err := kept.AuditRows(t.Context(), int64(i), 1)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		var said struct {
			Detail struct {
				Expires *time.Time `json:"expires_at"`
			} `json:"detail"`
		}
		if err := json.Unmarshal(rows[0].Body, &said); err != nil || (said.Detail.Expires == nil) != ends.IsZero() {
			t.Errorf("on record: %s, %v", rows[0].Body, err)
		}
	}
}

// signIn is one that has to work.
func signIn(t *testing.T, s *auth.Service, name, password string) port.SignedIn {
	t.Helper()
	in, err := s.SignIn(t.Context(), name, password, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestOwnSessions(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now, Idle: time.Hour, Max: 3 * time.Hour})
	put(t, s, account("ann"))
	put(t, s, account("bob"))
	ann, other, bob := signIn(t, s, "ann", password), signIn(t, s, "ann", password), signIn(t, s, "bob", password)
	for what, handle := range map[string]string{
		"somebody else's": bob.Session[:port.HandleLength], "too short": other.Session[:port.HandleLength-1],
		"none": strings.Repeat("0", port.HandleLength),
	} {
		if _, err := s.EndSession(t.Context(), "ann", handle); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if v, err := s.EndSession(t.Context(), "ann", other.Session[:port.HandleLength]); err != nil || v.ID != other.Session {
		t.Errorf("%+v, %v", v, err)
	}
	_, err := s.Cookie(t.Context(), other.Secret)
	refused(t, "the ended session", err)
	for _, in := range []port.SignedIn{ann, bob} {
		if _, err := s.Cookie(t.Context(), in.Secret); err != nil {
			t.Error(err)
		}
	}
	// Those that are over are not listed, even if they are still kept.
	if all, err := s.Sessions(t.Context(), "ann"); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	w.wait(time.Hour)
	if all, err := s.Sessions(t.Context(), "ann"); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := s.EndSession(t.Context(), "ann", ann.Session); !fault.Is(err, fault.NotFound) {
		t.Errorf("one that is over: %v", err)
	}
	// An account that is gone has no session.
	bob = signIn(t, s, "bob", password)
	if _, err := s.RemoveAccount(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Cookie(t.Context(), bob.Secret)
	refused(t, "an account that is gone", err)
}

func TestOwnPassword(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now})
	put(t, s, account("ann"))
	in := signIn(t, s, "ann", password)
	byToken := in.Identity
	byToken.Method = port.ByToken
	for what, c := range map[string]struct {
		who           port.Identity
		before, after string
		code          fault.Code
	}{
		"with a token":         {byToken, password, nextPassword, fault.Forbidden},
		"another old password": {in.Identity, nextPassword, nextPassword, fault.Forbidden},
		"a short new one":      {in.Identity, password, "short", fault.Invalid},
	} {
		out, err := s.ChangePassword(t.Context(), c.who, c.before, c.after, "192.0.2.1")
		if !fault.Is(err, c.code) || out.Secret != "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	signIn(t, s, "ann", password) // nothing was changed
	changed, err := s.ChangePassword(t.Context(), in.Identity, password, nextPassword, "192.0.2.1")
	if err != nil || changed.Name != "ann" || !slices.Equal(changed.Roles, []string{"approver"}) {
		t.Fatalf("%+v, %v", changed, err)
	}
	if who, err := s.Cookie(t.Context(), changed.Secret); err != nil || who.Name != "ann" {
		t.Errorf("the session that was given: %+v, %v", who, err)
	}
	_, err = s.Cookie(t.Context(), in.Secret)
	refused(t, "a session from before", err)
	_, err = s.SignIn(t.Context(), "ann", password, "192.0.2.1")
	refused(t, "the old password", err)
	signIn(t, s, "ann", nextPassword)
	// The right old password clears what was guessed before; wrong ones add up.
	for i := range 8 {
		_, err = s.ChangePassword(t.Context(), changed.Identity, fmt.Sprint("a wrong password ", i), password, "192.0.2.9")
	}
	if !fault.Is(err, fault.RateLimited) {
		t.Errorf("eight guesses at the old password: %v", err)
	}
	if _, err = s.ChangePassword(t.Context(), changed.Identity, nextPassword, password, "192.0.2.9"); !fault.Is(err,
		fault.RateLimited) {
		t.Errorf("the right one among guesses: %v", err)
	}
	put(t, s, account("bob"))
	for range 12 { // far more than guesses are free
		bob := signIn(t, s, "bob", password)
		if _, err := s.ChangePassword(t.Context(), bob.Identity, password, password, "192.0.2.10"); err != nil {
			t.Fatalf("one who knows the password: %v", err)
		}
	}
	gone := in.Identity
	gone.Name = "cat"
	if _, err := s.ChangePassword(t.Context(), gone, password, nextPassword, "192.0.2.11"); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("an account that is gone: %v", err)
	}
}

// meddling changes an account during a sign-in.
type meddling struct {
	store.Store
	before func()
}

func (m *meddling) ChangeAccount(
	ctx context.Context, name string, c port.AccountChange, note ...port.Note[port.Account],
) (port.Account, error) {
	if do := m.before; do != nil {
		m.before = nil
		do()
	}
	return m.Store.ChangeAccount(ctx, name, c, note...)
}

// TestChangedWhileSigningIn: a password that is replaced, or an account that is
// closed, during a sign-in refuses that sign-in.
func TestChangedWhileSigningIn(t *testing.T) {
	for _, outdated := range []bool{false, true} {
		m := &meddling{Store: newStore(t)}
		cost := cheap
		open := func() *auth.Service {
			t.Helper()
			s, err := auth.New(m, auth.Config{Password: true, Cost: cost})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := open()
		put(t, s, account("ann"))
		if outdated {
			cost.Rounds++
			s = open()
		}
		m.before = func() {
			other := nextPassword
			put(t, s, port.PutAccount{Name: "ann", Password: &other})
		}
		_, err := s.SignIn(t.Context(), "ann", password, "192.0.2.1")
		refused(t, fmt.Sprintf("a password replaced meanwhile, outdated %v", outdated), err)
		signIn(t, s, "ann", nextPassword)
	}
}

func TestWaysToSignIn(t *testing.T) {
	f := newForger(t)
	for want, c := range map[port.SignInMethods]auth.Config{
		{Password: true}: {Password: true},
		{Provider: true, Label: "single sign-on"}: {OIDC: &auth.OIDC{Issuer: f.URL, ClientID: "a", RedirectURL: redirect,
			NameClaim: "sub", GroupsClaim: "groups"}},
		{Provider: true, Label: "Work"}: {OIDC: &auth.OIDC{Issuer: f.URL, ClientID: "a", RedirectURL: redirect,
			NameClaim: "sub", GroupsClaim: "groups", Label: "Work"}},
	} {
		if got := service(t, c).SignInMethods(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
