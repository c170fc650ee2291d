package auth_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// A mail address changes hands: whoever has it next is somebody else.
func TestNamesStayWithTheirPeople(t *testing.T) {
	f := newForger(t)
	s := f.service()
	come := func(sub, mail string) (port.Identity, error) {
		return s.Bearer(t.Context(), sign(t, "RS256", f.rsa, "one", f.claims(map[string]any{"sub": sub, "email": mail, "email_verified": true})))
	}
	want := func(sub, mail string, code fault.Code) error {
		t.Helper()
		who, err := come(sub, mail)
		if fault.CodeOf(err) != code || err == nil && who.Name != mail {
			t.Fatalf("%s as %s: %+v, %v", sub, mail, who, err)
		}
		return err
	}
	want("sub-1", "ann@example.com", "")
	want("sub-1", "ann@example.com", "")
	if err := want("sub-2", "ann@example.com", fault.Forbidden); !strings.Contains(err.Error(), "belongs to somebody else") {
		t.Error(err)
	}
	want("sub-2", "bob@example.com", "")
	if err := want("sub-1", "ann.smith@example.com", fault.Forbidden); !strings.Contains(err.Error(), "here you are ann@example.com") {
		t.Error(err)
	}
	want("sub-1", "bob@example.com", fault.Forbidden)

	all, err := s.Subjects(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "ann@example.com" || all[0].Subject != "sub-1" {
		t.Fatalf("%+v, %v", all, err)
	}
	// An administrator lets the old name go: what acted under it does not any more.
	_, secret, err := s.NewToken(t.Context(), port.NewToken{Name: "ann@example.com", Kind: run.Person, By: "root"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReleaseSubject(t.Context(), "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Bearer(t.Context(), secret)
	refused(t, "a token of a name that was let go", err)
	want("sub-1", "ann.smith@example.com", "")
	want("sub-3", "ann@example.com", "")
	if _, err := s.ReleaseSubject(t.Context(), "nobody"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
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
