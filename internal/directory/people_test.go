package directory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// Messages show what their recipient may see. A personal token does not give back the roles that its person has lost.
func TestRolesOfKnownPeople(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	must(store.CreateAccount(t.Context(), port.Account{Name: "ann", Hash: "h", Roles: []string{"viewer"}, CreatedAt: now}))
	for _, name := range []string{"bob", "old"} {
		must(store.BindSubject(t.Context(), port.Subject{Name: name, Label: name, Issuer: "https://id.example.com",
			Subject: name, BoundAt: now}))
	}
	must(store.ReportRoles(t.Context(), "https://id.example.com", "bob", []string{"approver"}, now))
	must(store.ReportRoles(t.Context(), "https://id.example.com", "old", []string{"admin"}, now.Add(-91*24*time.Hour)))
	for id, name := range map[string]string{"tok_1": "ann", "tok_2": "Ann", "tok_3": "bob", "tok_4": "old",
		"tok_5": "cat"} {
		must(store.CreateToken(t.Context(), port.Token{ID: id, Name: name, Kind: run.Person, Hash: id,
			Roles: []string{"admin", "approver"}, CreatedBy: "root", CreatedAt: now}))
	}
	all, err := directory.New(store, time.Now).Everyone(t.Context())
	must(err)
	want := map[string][]string{"ann": {"viewer"}, "bob": {"approver"}, "old": nil, "cat": {"admin", "approver"}}
	for name, p := range all.People {
		if roles, ok := want[name]; !ok || !slices.Equal(p.Roles, roles) {
			t.Errorf("%s has %v, want %v", name, p.Roles, roles)
		}
	}
	if len(all.People) != len(want) {
		t.Errorf("%d people", len(all.People))
	}
}

// What only looks like the name of a person is no one to delegate to.
func TestNamesThatLookLikeOthers(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	for _, name := range []string{"bob", "dorothea"} {
		if err := store.CreateAccount(t.Context(), port.Account{Name: name, Hash: "h", CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	people := directory.New(store, time.Now)
	for _, to := range []string{"bob\u200b", "\u202ebob", "bob\u00ad", "b\u043eb", "\uff42ob", "bo\u0432",
		"d\u043er\u043ethea", "bob\n", "bob\x00", "bob,dorothea"} {
		if name, err := people.Recipient(t.Context(), &gate.Approval{}, to, nil); err == nil {
			t.Errorf("delegated to %q as %q", to, name)
		}
	}
	for _, to := range []string{"bob", "BOB", "zoe@example.com"} {
		if _, err := people.Recipient(t.Context(), &gate.Approval{}, to, nil); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
}
