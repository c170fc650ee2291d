package storetest

import (
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// subjects: a name and a person at a provider belong together once and for all,
// until the name is let go with all that acts under it.
func subjects(t *testing.T, s store.Store) {
	ctx := t.Context()
	ann := port.Subject{Issuer: "https://id.example.com", Subject: "1", Name: "ann@example.com",
		Label: "ann@example.com", BoundAt: began}
	must(t, s.BindSubject(ctx, ann))
	wantCode(t, s.BindSubject(ctx, ann), fault.Conflict)
	other := ann
	other.Subject = "2"
	wantCode(t, s.BindSubject(ctx, other), fault.Conflict)
	renamed := ann
	renamed.Name = "anna@example.com"
	wantCode(t, s.BindSubject(ctx, renamed), fault.Conflict)
	elsewhere := port.Subject{Issuer: "https://other.example.com", Subject: "1", Name: "bob", Label: "bob", BoundAt: began}
	must(t, s.BindSubject(ctx, elsewhere))
	got, err := s.Subject(ctx, ann.Issuer, ann.Subject)
	must(t, err)
	wantEqual(t, "subject", got, ann)
	wantCode(t, second(s.Subject(ctx, ann.Issuer, "3")), fault.NotFound)
	wantCode(t, second(s.Subject(ctx, "\x00", "1")), fault.NotFound)
	all, err := s.Subjects(ctx)
	must(t, err)
	wantEqual(t, "subjects", all, []port.Subject{ann, elsewhere})

	must(t, s.CreateSession(ctx, browser("s1", ann.Name, 0)))
	must(t, s.CreateToken(ctx, port.Token{ID: "tok_1", Name: ann.Name, Kind: run.Person, Hash: "h", CreatedAt: began}))
	must(t, s.CreateToken(ctx, port.Token{ID: "tok_2", Name: ann.Name, Kind: run.Service, Hash: "h", CreatedAt: began}))
	released, err := s.ReleaseSubject(ctx, ann.Name, false)
	must(t, err)
	wantEqual(t, "released", released, ann)
	wantCode(t, second(s.ReleaseSubject(ctx, ann.Name, false)), fault.NotFound)
	wantCode(t, second(s.Session(ctx, "s1")), fault.NotFound)
	wantCode(t, second(s.Token(ctx, "tok_1")), fault.NotFound)
	must(t, second(s.Token(ctx, "tok_2"))) // a program that is called alike
	// The name is still theirs, and they may come back under another label.
	wantCode(t, s.BindSubject(ctx, other), fault.Conflict)
	wantCode(t, s.BindSubject(ctx, renamed), fault.Conflict)
	gone := ann
	gone.Released = true
	named, err := s.SubjectNamed(ctx, ann.Name)
	must(t, err)
	wantEqual(t, "released", named, gone)
	all, err = s.Subjects(ctx)
	must(t, err)
	wantEqual(t, "subjects", all, []port.Subject{elsewhere})
	must(t, s.LabelSubject(ctx, ann.Issuer, ann.Subject, "anna@example.com"))
	wantCode(t, s.LabelSubject(ctx, ann.Issuer, "3", "anna@example.com"), fault.NotFound)
	wantCode(t, s.LabelSubject(ctx, elsewhere.Issuer, "3", "x"), fault.NotFound)
	back := ann
	back.Label = "anna@example.com"
	got, err = s.Subject(ctx, ann.Issuer, ann.Subject)
	must(t, err)
	wantEqual(t, "labelled", got, back)
	// Handed over, it is whoever's comes next.
	must(t, second(s.ReleaseSubject(ctx, ann.Name, true)))
	wantCode(t, second(s.SubjectNamed(ctx, ann.Name)), fault.NotFound)
	must(t, s.BindSubject(ctx, other))
	bad := ann
	bad.Name = ""
	wantCode(t, s.BindSubject(ctx, bad), fault.Invalid)
}

// namesOfAccounts: accounts and people of identity providers never share a name,
// not even when the account is gone.
func namesOfAccounts(t *testing.T, s store.Store) {
	ctx := t.Context()
	const issuer = "https://id.example.com"
	must(t, s.BindSubject(ctx, port.Subject{Issuer: issuer, Subject: "1", Name: "cat", Label: "cat", BoundAt: began}))
	wantCode(t, s.CreateAccount(ctx, account("cat")), fault.Conflict)
	wantCode(t, second(s.Account(ctx, "cat")), fault.NotFound)
	must(t, s.CreateAccount(ctx, account("dan")))
	dan := port.Subject{Issuer: issuer, Subject: "2", Name: "dan", Label: "dan", BoundAt: began}
	wantCode(t, s.BindSubject(ctx, dan), fault.Conflict)
	wantCode(t, second(s.ReleaseSubject(ctx, "dan", false)), fault.NotFound)
	wantCode(t, second(s.ReleaseSubject(ctx, "dan", true)), fault.NotFound)
	must(t, second(s.RemoveAccount(ctx, "dan")))
	wantCode(t, s.BindSubject(ctx, dan), fault.Conflict)
	named, err := s.SubjectNamed(ctx, "dan")
	must(t, err)
	wantEqual(t, "an account that is gone", named,
		port.Subject{Subject: "dan", Name: "dan", Label: "dan", BoundAt: account("dan").CreatedAt})
	must(t, s.CreateAccount(ctx, account("dan")))
	must(t, second(s.RemoveAccount(ctx, "dan")))
	must(t, second(s.ReleaseSubject(ctx, "dan", true)))
	must(t, s.BindSubject(ctx, dan))
	wantCode(t, s.CreateAccount(ctx, account("dan")), fault.Conflict)
	// What a name is bound to is not changed by its being released.
	must(t, second(s.ReleaseSubject(ctx, "cat", false)))
	wantCode(t, s.CreateAccount(ctx, account("cat")), fault.Conflict)
	// Nothing of it shows among the people of identity providers.
	must(t, s.CreateAccount(ctx, account("eve")))
	all, err := s.Subjects(ctx)
	must(t, err)
	wantEqual(t, "subjects", all, []port.Subject{dan})
}

// auditedIdentities: whatever changes who may come in has its entry in the same
// transaction, and what was refused has none.
func auditedIdentities(t *testing.T, s store.Store) {
	ctx := t.Context()
	entry := func(action string) port.AuditDraft { return auditDraft(action, "account/ann", "") }
	has := func(what string, actions ...string) {
		t.Helper()
		var got []string
		for _, r := range readAudit(t, s) {
			got = append(got, r.Action)
		}
		wantEqual(t, what, got, actions)
	}
	must(t, s.CreateAccount(ctx, account("ann"), entry("1")))
	wantCode(t, s.CreateAccount(ctx, account("ann"), entry("no")), fault.Conflict)
	hash := "$argon2id$another"
	_, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &hash, At: began},
		func(a port.Account) port.AuditDraft {
			if a.Hash != hash || a.Epoch != 2 {
				t.Errorf("noted: %+v", a)
			}
			return entry("2")
		})
	must(t, err)
	wantCode(t, second(s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &hash, IfHash: "other", At: began},
		func(port.Account) port.AuditDraft { return entry("no") })), fault.Conflict)
	// An entry that cannot be written takes the change along.
	wrong := "$argon2id$wrong"
	if _, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &wrong, At: began},
		func(port.Account) port.AuditDraft { return port.AuditDraft{} }); err == nil {
		t.Error("a change without its entry")
	}
	if a, err := s.Account(ctx, "ann"); err != nil || a.Hash != hash {
		t.Errorf("%+v, %v", a, err)
	}
	token := port.Token{ID: "tok_1", Name: "ann", Kind: run.Person, Hash: "h", CreatedAt: began}
	must(t, s.CreateToken(ctx, token, entry("3")))
	wantCode(t, s.CreateToken(ctx, token, entry("no")), fault.Conflict)
	must(t, second(s.RemoveToken(ctx, "tok_1", func(port.Token) port.AuditDraft { return entry("4") })))
	wantCode(t, second(s.RemoveToken(ctx, "tok_1", func(port.Token) port.AuditDraft { return entry("no") })),
		fault.NotFound)
	for _, id := range []string{"s1", "s2", "s3"} {
		must(t, s.CreateSession(ctx, browser(id, "ann", 2), entry("5")))
	}
	must(t, s.EndSession(ctx, "s1", entry("6")))
	must(t, s.EndSession(ctx, "s1", entry("no")))
	n, err := s.EndSessions(ctx, "ann", func(n int) port.AuditDraft {
		if n != 2 {
			t.Errorf("noted %d sessions", n)
		}
		return entry("7")
	})
	must(t, err)
	wantEqual(t, "ended", n, 2)
	must(t, second(s.EndSessions(ctx, "ann", func(int) port.AuditDraft { return entry("no") })))
	must(t, s.BindSubject(ctx, port.Subject{Issuer: "i", Subject: "1", Name: "cat", BoundAt: began}, entry("8")))
	must(t, second(s.ReleaseSubject(ctx, "cat", false, func(port.Subject) port.AuditDraft { return entry("9") })))
	must(t, second(s.RemoveAccount(ctx, "ann", func(port.Account) port.AuditDraft { return entry("10") })))
	has("entries", "1", "2", "3", "4", "5", "5", "5", "6", "7", "8", "9", "10")
	list, err := s.SessionsOf(ctx, "ann")
	must(t, err)
	if len(list) != 0 {
		t.Errorf("%+v", list)
	}
	late := browser("s9", "ann", 2)
	late.CreatedAt = began.Add(1000)
	must(t, s.CreateSession(ctx, browser("s8", "ann", 2)))
	must(t, s.CreateSession(ctx, late))
	must(t, s.CreateSession(ctx, browser("s7", "bob", 2)))
	list, err = s.SessionsOf(ctx, "ann")
	must(t, err)
	wantEqual(t, "sessions", list, []port.Session{late, browser("s8", "ann", 2)})
}
