package auth_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/go-jose/go-jose/v4"
)

// An e-mail address is reassigned, and people are renamed: the next holder of an
// address is another person, and a person with a new address stays the same.
func TestNamesStayWithTheirPeople(t *testing.T) {
	f := newForger(t)
	s := f.service()
	come := func(sub, mail string) (port.Identity, error) {
		return s.Bearer(t.Context(),
			sign(t, "RS256", f.rsa, "one", f.claims(map[string]any{"sub": sub, "email": mail, "email_verified": true})))
	}
	is := func(sub, mail, name string) port.Identity {
		t.Helper()
		who, err := come(sub, mail)
		label := who.Label
		if label == "" {
			label = who.Name
		}
		if err != nil || who.Name != name && name != "" || label != mail || who.Kind != run.Person || who.Issuer != f.URL ||
			who.Subject != sub {
			t.Fatalf("%s as %s: %+v, %v", sub, mail, who, err)
		}
		return who
	}
	is("sub-1", "ann@example.com", "ann@example.com")
	is("sub-1", "ann@example.com", "ann@example.com")
	if _, err := come("sub-2", "ann@example.com"); !fault.Is(err, fault.Forbidden) ||
		!strings.Contains(err.Error(), "belongs to another person") {
		t.Error(err)
	}
	is("sub-2", "bob@example.com", "bob@example.com")
	// Renamed, also to what another is called: the same person.
	is("sub-1", "ann.smith@example.com", "ann@example.com")
	is("sub-1", "bob@example.com", "ann@example.com")
	is("sub-1", "ann.smith@example.com", "ann@example.com")
	// What she was called is free, and what is hers is not.
	next := is("sub-3", "ann@example.com", "")
	if again := is("sub-3", "ann@example.com", ""); !strings.HasPrefix(next.Name, "ann@example.com#") ||
		again.Name != next.Name {
		t.Errorf("the next ann is %s, then %s", next.Name, again.Name)
	}
	if other := is("sub-4", "ann@example.com", ""); other.Name == next.Name {
		t.Errorf("two people are %s", other.Name)
	}
	all, err := s.Subjects(t.Context())
	if err != nil || len(all) != 4 || all[0].Name != "ann@example.com" || all[0].Subject != "sub-1" ||
		all[0].Label != "ann.smith@example.com" || len(all[0].Roles) == 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	// Someone who is in no group at their next sign-in has no roles that the provider reported.
	if _, err := f.signIn(s, map[string]any{"sub": "sub-1", "email": "ann.smith@example.com",
		"groups": []string{}}); !fault.Is(err, fault.Forbidden) {
		t.Error(err)
	}
	if all, err = s.Subjects(t.Context()); err != nil || len(all[0].Roles) > 0 {
		t.Fatalf("%+v, %v", all, err)
	}

	// An administrator releases a name: its sessions and tokens no longer work, and
	// no other person gets what is stored under it.
	_, secret, err := s.NewToken(t.Context(), port.NewToken{Name: "bob@example.com", Kind: run.Person, By: "root"})
	if err != nil {
		t.Fatal(err)
	}
	if who, err := s.Bearer(t.Context(), secret); err != nil || who.Name != "bob@example.com" || who.Issuer != f.URL ||
		who.Subject != "sub-2" {
		t.Fatalf("a person's token: %+v, %v", who, err)
	}
	release := func(handOver bool) {
		t.Helper()
		if _, err := s.ReleaseSubject(t.Context(), "bob@example.com", handOver); err != nil {
			t.Fatal(err)
		}
	}
	release(false)
	_, err = s.Bearer(t.Context(), secret)
	refused(t, "a token of a name that was released", err)
	if who := is("sub-5", "bob@example.com", ""); who.Name == "bob@example.com" {
		t.Error("somebody else has what bob had")
	}
	is("sub-2", "bob@example.com", "bob@example.com")
	// Handed over, the next one has it all.
	release(true)
	is("sub-6", "bob@example.com", "bob@example.com")
	if _, err := s.ReleaseSubject(t.Context(), "nobody", false); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// Accounts and people of a provider never share a name, whoever was first, and
// whichever way to sign in is open.
func TestAccountsKeepTheirNames(t *testing.T) {
	f := newForger(t)
	s := f.service() // accounts do not count here, and their names do
	come := func(sub, name string) (port.Identity, error) {
		return s.Bearer(t.Context(),
			sign(t, "RS256", f.rsa, "one", f.claims(map[string]any{"sub": sub, "email": name, "email_verified": true})))
	}
	password, roles := "violet tram seventy lake", []string{"approver"}
	put := func(name string) error {
		_, _, err := s.PutAccount(t.Context(), port.PutAccount{Name: name, Password: &password, Roles: &roles})
		return err
	}
	if err := put("ann"); err != nil {
		t.Fatal(err)
	}
	if who, err := come("ann", "ann"); !fault.Is(err, fault.Forbidden) {
		t.Errorf("who is called like an account is %+v, %v", who, err)
	}
	if _, err := s.RemoveAccount(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if who, err := come("ann", "ann"); err != nil || who.Name == "ann" || who.Label != "ann" {
		t.Errorf("who is called like an account that is gone is %+v, %v", who, err)
	}
	if who, err := come("sub-1", "bob"); err != nil || who.Name != "bob" {
		t.Fatalf("%+v, %v", who, err)
	}
	if err := put("bob"); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "--hand-over") {
		t.Errorf("an account called like somebody of the provider: %v", err)
	}
}

// A token that leaves out the name is still that of the person it belongs to.
func TestOnePersonIsOneVoter(t *testing.T) {
	f := newForger(t)
	s := f.service()
	come := func(more map[string]any) port.Identity {
		t.Helper()
		who, err := s.Bearer(t.Context(), sign(t, "RS256", f.rsa, "one", f.claims(more)))
		if err != nil {
			t.Fatal(err)
		}
		return who
	}
	named := come(map[string]any{"sub": "sub-1", "email": "ann@example.com", "email_verified": true})
	nameless := come(map[string]any{"sub": "sub-1", "email": nil})
	if nameless.Name != named.Name || nameless.Kind != run.Person {
		t.Errorf("with a name %s %s, without %s %s", named.Kind, named.Name, nameless.Kind, nameless.Name)
	}
	if other := come(map[string]any{"sub": "sub-2", "email": nil}); other.Kind != run.Service {
		t.Errorf("a program is %+v", other)
	}
	// What says that it is a client's is no person, whatever it is called.
	for name, claims := range map[string]map[string]any{
		"the grant":        {"gty": "client-credentials"},
		"the kind":         {"idtyp": "app"},
		"its own subject":  {"azp": "sub-3"},
		"its own id":       {"client_id": "sub-3"},
		"the account":      {"azp": "job", "preferred_username": "service-account-job"},
		"the same account": {"client_id": "job", "preferred_username": "service-account-job"},
	} {
		claims["sub"], claims["email"], claims["email_verified"] = "sub-3", "job@example.com", true
		if who := come(claims); who.Kind != run.Service || who.Subject != "sub-3" {
			t.Errorf("%s: %s %s", name, who.Kind, who.Name)
		}
	}
	if who := come(map[string]any{"sub": "sub-4", "email": "eve@example.com", "email_verified": true, "azp": "app",
		"client_id": "app"}); who.Kind != run.Person {
		t.Errorf("a person with a program is %+v", who)
	}
}

// Someone who asks with a token without their name, before they ever signed in, is on record as a program. What they
// asked for is still theirs.
func TestNamelessRequestersAreExcluded(t *testing.T) {
	f := newForger(t)
	s := f.service()
	come := func(more map[string]any) access.Subject {
		t.Helper()
		i, err := s.Bearer(t.Context(), sign(t, "RS256", f.rsa, "one", f.claims(more)))
		if err != nil {
			t.Fatal(err)
		}
		return access.Subject{Name: i.Name, Kind: i.Kind, Issuer: i.Issuer, Subject: i.Subject,
			Roles: []string{gate.RoleAdmin}, SignedIn: true}
	}
	before := come(map[string]any{"sub": "sub-1", "email": nil})
	key := run.Actor{Kind: before.Kind, Name: before.Name, Issuer: before.Issuer, Subject: before.Subject}.Key()
	asked := &gate.Approval{Status: gate.Pending, Request: gate.Request{ID: "apr_1", Kind: gate.KindApproval,
		Terms: gate.Terms{Acts: []gate.Act{gate.Approve}, Quorum: 1, Requester: key, ExcludeRequester: true}}}
	acts := func(sub, mail string) []gate.Act {
		who := come(map[string]any{"sub": sub, "email": mail, "email_verified": true})
		return access.New(nil).Acts(who, access.Object{Workflow: "pay", Approval: asked})
	}
	if got := acts("sub-1", "ann@example.com"); len(got) != 0 {
		t.Errorf("the requester may %v", got)
	}
	if got := acts("sub-2", "bob@example.com"); len(got) != 1 {
		t.Errorf("another person may %v", got)
	}
}

// Two people who come under one name at the same moment: one has it.
func TestNamesAreGivenOnce(t *testing.T) {
	f := newForger(t)
	s := f.service()
	subs := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	got := make([]error, len(subs))
	var all sync.WaitGroup
	for i, sub := range subs {
		all.Go(func() {
			_, got[i] = s.Bearer(t.Context(), sign(t, "RS256", f.rsa, "one", f.claims(map[string]any{"sub": sub})))
		})
	}
	all.Wait()
	in := 0
	for i, err := range got {
		if err == nil {
			in++
		} else if !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", subs[i], err)
		}
	}
	if in != 1 {
		t.Errorf("%d people have one name", in)
	}
}

// What the provider withdraws is withdrawn at the next sign-in: from personal tokens, from earlier sessions, and from
// decisions in chat. An access token that is older gives nothing back.
func TestWithdrawnRoles(t *testing.T) {
	f := newForger(t)
	store := newStore(t)
	config := auth.Config{Now: f.now, Cost: cheap, OIDC: &auth.OIDC{
		Issuer: f.URL, ClientID: "assent", RedirectURL: redirect, NameClaim: "email", GroupsClaim: "groups",
		Roles:     map[string][]string{"staff": {"approver"}, "heads": {"admin"}, "audit": {"auditor"}},
		Audiences: []string{"api"},
	}}
	with := func(c auth.Config) *auth.Service {
		t.Helper()
		s, err := auth.New(store, c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := with(config)
	in := func(groups ...string) (port.SignedIn, error) {
		return f.signIn(s, map[string]any{"groups": groups})
	}
	first, err := in("staff", "heads")
	if err != nil {
		t.Fatal(err)
	}
	const ann = "ann@example.com"
	_, token, err := s.NewToken(t.Context(), port.NewToken{Name: ann, Kind: run.Person,
		Roles: []string{"admin", "approver", "auditor"}, By: "root"})
	if err != nil {
		t.Fatal(err)
	}
	older := sign(t, jose.RS256, f.rsa, "one", f.claims(map[string]any{"groups": []string{"staff", "heads"}}))
	has := func(when string, want ...string) {
		t.Helper()
		for what, ask := range map[string]func() (port.Identity, error){
			"a token":        func() (port.Identity, error) { return s.Bearer(t.Context(), token) },
			"a session":      func() (port.Identity, error) { return s.Cookie(t.Context(), first.Secret) },
			"one who relays": func() (port.Identity, error) { return s.Standing(t.Context(), ann) },
		} {
			who, err := ask()
			if err != nil || who.Subject != "1" || !slices.Equal(slices.Sorted(slices.Values(who.Roles)), want) {
				t.Errorf("%s: %s has %v, not %v: %v", when, what, who.Roles, want, err)
			}
		}
	}
	has("at first", "admin", "approver")
	if _, err := in("staff"); err != nil {
		t.Fatal(err)
	}
	has("demoted", "approver")
	if _, err := s.Bearer(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	has("demoted, with an older access token", "approver")
	if _, err := in("strangers"); !fault.Is(err, fault.Forbidden) {
		t.Fatal(err)
	}
	has("in no group")
	if _, err := in("staff", "heads"); err != nil {
		t.Fatal(err)
	}
	has("promoted again", "admin", "approver")

	fewer := *config.OIDC
	fewer.Roles = map[string][]string{"staff": {"approver"}}
	config.OIDC = &fewer
	s = with(config)
	has("with a role that no group has", "approver")
	other := fewer
	other.Issuer = "https://id.example.com"
	config.OIDC = &other
	s = with(config)
	has("of another provider")
	config.OIDC = &fewer
	s = with(config)
	f.ahead.Store(int64(91 * 24 * time.Hour))
	if who, err := s.Bearer(t.Context(), token); err != nil || len(who.Roles) > 0 {
		t.Errorf("after three months a token has %v: %v", who.Roles, err)
	}
}

// An address in chat is the one person's who has it. If the provider gave it to another and we do not know who has it
// now, it is no one's.
func TestAddressesOfOnePerson(t *testing.T) {
	f := newForger(t)
	s := f.service()
	in := func(sub, mail string) string {
		t.Helper()
		who, err := f.signIn(s, map[string]any{"sub": sub, "email": mail})
		if err != nil {
			t.Fatal(err)
		}
		return who.Name
	}
	const ann = "ann@example.com"
	in("sub-1", ann)
	if name, err := s.WithAddress(t.Context(), "Ann@Example.com"); err != nil || name != ann {
		t.Errorf("%s, %v", name, err)
	}
	in("sub-1", "ann.smith@example.com")
	next := in("sub-2", ann)
	if name, err := s.WithAddress(t.Context(), ann); err != nil || name != next {
		t.Errorf("%s, %v", name, err)
	}
	in("sub-1", ann) // the next one has lost it, and has not been here since
	if name, err := s.WithAddress(t.Context(), ann); !fault.Is(err, fault.NotFound) {
		t.Errorf("%s, %v", name, err)
	}
}
