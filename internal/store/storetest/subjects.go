package storetest

import (
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// subjects: a name and a person at a provider are bound permanently, until the name is released with
// everything that acts under it.
func subjects(t *testing.T, s store.Store) {
	ctx := t.Context()
	ann := port.Subject{Issuer: "https://id.example.com", Subject: "1", Name: "ann@example.com",
		Label: "ann@example.com", BoundAt: fixture.Began}
	fixture.Must(t, s.BindSubject(ctx, ann))
	fixture.WantCode(t, s.BindSubject(ctx, ann), fault.Conflict)
	other := ann
	other.Subject = "2"
	fixture.WantCode(t, s.BindSubject(ctx, other), fault.Conflict)
	renamed := ann
	renamed.Name = "anna@example.com"
	fixture.WantCode(t, s.BindSubject(ctx, renamed), fault.Conflict)
	elsewhere := port.Subject{Issuer: "https://other.example.com", Subject: "1", Name: "bob", Label: "bob",
		BoundAt: fixture.Began}
	fixture.Must(t, s.BindSubject(ctx, elsewhere))
	got, err := s.Subject(ctx, ann.Issuer, ann.Subject)
	fixture.Must(t, err)
	fixture.WantEqual(t, "subject", got, ann)
	fixture.WantCode(t, second(s.Subject(ctx, ann.Issuer, "3")), fault.NotFound)
	fixture.WantCode(t, second(s.Subject(ctx, "\x00", "1")), fault.NotFound)
	all, err := s.Subjects(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "subjects", all, []port.Subject{ann, elsewhere})

	fixture.Must(t, s.CreateSession(ctx, browser("s1", ann.Name, 0)))
	fixture.Must(t, s.CreateToken(ctx, port.Token{ID: "tok_1", Name: ann.Name, Kind: run.Person, Hash: "h",
		CreatedAt: fixture.Began}))
	fixture.Must(t, s.CreateToken(ctx, port.Token{ID: "tok_2", Name: ann.Name, Kind: run.Service, Hash: "h",
		CreatedAt: fixture.Began}))
	fixture.Must(t, s.ReportRoles(ctx, ann.Issuer, ann.Subject, []string{"approver", "a,b"}, fixture.Began))
	fixture.Must(t, s.ReportRoles(ctx, ann.Issuer, "3", []string{"approver"}, fixture.Began))
	reported := ann
	reported.Roles, reported.RolesAt = []string{"approver", "a,b"}, fixture.Began
	got, err = s.Subject(ctx, ann.Issuer, ann.Subject)
	fixture.Must(t, err)
	fixture.WantEqual(t, "reported", got, reported)
	released, err := s.ReleaseSubject(ctx, ann.Name, false)
	fixture.Must(t, err)
	fixture.WantEqual(t, "released", released, reported)
	fixture.Must(t, s.ReportRoles(ctx, ann.Issuer, ann.Subject, []string{"approver"}, fixture.Began))
	fixture.WantCode(t, second(s.ReleaseSubject(ctx, ann.Name, false)), fault.NotFound)
	fixture.WantCode(t, second(s.Session(ctx, "s1")), fault.NotFound)
	fixture.WantCode(t, second(s.Token(ctx, "tok_1")), fault.NotFound)
	fixture.Must(t, second(s.Token(ctx, "tok_2"))) // a program with the same name
	// The name is still theirs, and they may come back under another label.
	fixture.WantCode(t, s.BindSubject(ctx, other), fault.Conflict)
	fixture.WantCode(t, s.BindSubject(ctx, renamed), fault.Conflict)
	gone := ann
	gone.Released = true
	named, err := s.SubjectNamed(ctx, ann.Name)
	fixture.Must(t, err)
	fixture.WantEqual(t, "released", named, gone)
	all, err = s.Subjects(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "subjects", all, []port.Subject{elsewhere})
	fixture.Must(t, s.LabelSubject(ctx, ann.Issuer, ann.Subject, "anna@example.com"))
	fixture.WantCode(t, s.LabelSubject(ctx, ann.Issuer, "3", "anna@example.com"), fault.NotFound)
	fixture.WantCode(t, s.LabelSubject(ctx, elsewhere.Issuer, "3", "x"), fault.NotFound)
	back := ann
	back.Label = "anna@example.com"
	got, err = s.Subject(ctx, ann.Issuer, ann.Subject)
	fixture.Must(t, err)
	fixture.WantEqual(t, "labelled", got, back)
	// Once released, it is free for the next person.
	fixture.Must(t, second(s.ReleaseSubject(ctx, ann.Name, true)))
	fixture.WantCode(t, second(s.SubjectNamed(ctx, ann.Name)), fault.NotFound)
	fixture.Must(t, s.BindSubject(ctx, other))
	bad := ann
	bad.Name = ""
	fixture.WantCode(t, s.BindSubject(ctx, bad), fault.Invalid)
}

// namesOfAccounts: accounts and people of identity providers never share a name, not even after the account
// is deleted.
func namesOfAccounts(t *testing.T, s store.Store) {
	ctx := t.Context()
	const issuer = "https://id.example.com"
	fixture.Must(t, s.BindSubject(ctx, port.Subject{Issuer: issuer, Subject: "1", Name: "cat", Label: "cat",
		BoundAt: fixture.Began}))
	fixture.WantCode(t, s.CreateAccount(ctx, account("cat")), fault.Conflict)
	fixture.WantCode(t, second(s.Account(ctx, "cat")), fault.NotFound)
	fixture.Must(t, s.CreateAccount(ctx, account("dan")))
	dan := port.Subject{Issuer: issuer, Subject: "2", Name: "dan", Label: "dan", BoundAt: fixture.Began}
	fixture.WantCode(t, s.BindSubject(ctx, dan), fault.Conflict)
	fixture.WantCode(t, second(s.ReleaseSubject(ctx, "dan", false)), fault.NotFound)
	fixture.WantCode(t, second(s.ReleaseSubject(ctx, "dan", true)), fault.NotFound)
	fixture.Must(t, second(s.RemoveAccount(ctx, "dan")))
	fixture.WantCode(t, s.BindSubject(ctx, dan), fault.Conflict)
	named, err := s.SubjectNamed(ctx, "dan")
	fixture.Must(t, err)
	fixture.WantEqual(t, "an account that is gone", named,
		port.Subject{Subject: "dan", Name: "dan", Label: "dan", BoundAt: account("dan").CreatedAt})
	fixture.Must(t, s.CreateAccount(ctx, account("dan")))
	fixture.Must(t, second(s.RemoveAccount(ctx, "dan")))
	fixture.Must(t, second(s.ReleaseSubject(ctx, "dan", true)))
	fixture.Must(t, s.BindSubject(ctx, dan))
	fixture.WantCode(t, s.CreateAccount(ctx, account("dan")), fault.Conflict)
	// Releasing a name does not change what it is bound to.
	fixture.Must(t, second(s.ReleaseSubject(ctx, "cat", false)))
	fixture.WantCode(t, s.CreateAccount(ctx, account("cat")), fault.Conflict)
	// None of this shows among the people of identity providers.
	fixture.Must(t, s.CreateAccount(ctx, account("eve")))
	all, err := s.Subjects(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "subjects", all, []port.Subject{dan})
}

// auditedIdentities: every change to identities has its entry in the same transaction, and a rejected one has
// none.
func auditedIdentities(t *testing.T, s store.Store) {
	ctx := t.Context()
	entry := func(action string) port.AuditDraft { return fixture.AuditDraft(action, "account/ann", "") }
	has := func(what string, actions ...string) {
		t.Helper()
		var got []string
		for _, r := range fixture.ReadAudit(t, s) {
			got = append(got, r.Action)
		}
		fixture.WantEqual(t, what, got, actions)
	}
	fixture.Must(t, s.CreateAccount(ctx, account("ann"), entry("1")))
	fixture.WantCode(t, s.CreateAccount(ctx, account("ann"), entry("no")), fault.Conflict)
	hash := "$argon2id$another"
	_, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &hash, At: fixture.Began},
		func(a port.Account) port.AuditDraft {
			if a.Hash != hash || a.Epoch != 2 {
				t.Errorf("noted: %+v", a)
			}
			return entry("2")
		})
	fixture.Must(t, err)
	changed := port.AccountChange{Hash: &hash, IfHash: "other", At: fixture.Began}
	fixture.WantCode(t, second(s.ChangeAccount(ctx, "ann", changed,
		func(port.Account) port.AuditDraft { return entry("no") })), fault.Conflict)
	// If the entry cannot be written, the change is rolled back.
	wrong := "$argon2id$wrong"
	if _, err := s.ChangeAccount(ctx, "ann", port.AccountChange{Hash: &wrong, At: fixture.Began},
		func(port.Account) port.AuditDraft { return port.AuditDraft{} }); err == nil {
		t.Error("a change without its entry")
	}
	if a, err := s.Account(ctx, "ann"); err != nil || a.Hash != hash {
		t.Errorf("%+v, %v", a, err)
	}
	token := port.Token{ID: "tok_1", Name: "ann", Kind: run.Person, Hash: "h", CreatedAt: fixture.Began}
	fixture.Must(t, s.CreateToken(ctx, token, entry("3")))
	fixture.WantCode(t, s.CreateToken(ctx, token, entry("no")), fault.Conflict)
	fixture.Must(t, second(s.RemoveToken(ctx, "tok_1", func(port.Token) port.AuditDraft { return entry("4") })))
	fixture.WantCode(t, second(s.RemoveToken(ctx, "tok_1", func(port.Token) port.AuditDraft { return entry("no") })),
		fault.NotFound)
	for _, id := range []string{"s1", "s2", "s3"} {
		fixture.Must(t, s.CreateSession(ctx, browser(id, "ann", 2), entry("5")))
	}
	fixture.Must(t, s.EndSession(ctx, "s1", entry("6")))
	fixture.Must(t, s.EndSession(ctx, "s1", entry("no")))
	n, err := s.EndSessions(ctx, "ann", func(n int) port.AuditDraft {
		if n != 2 {
			t.Errorf("noted %d sessions", n)
		}
		return entry("7")
	})
	fixture.Must(t, err)
	fixture.WantEqual(t, "ended", n, 2)
	fixture.Must(t, second(s.EndSessions(ctx, "ann", func(int) port.AuditDraft { return entry("no") })))
	fixture.Must(t, s.BindSubject(ctx, port.Subject{Issuer: "i", Subject: "1", Name: "cat", BoundAt: fixture.Began},
		entry("8")))
	fixture.Must(t, second(s.ReleaseSubject(ctx, "cat", false, func(port.Subject) port.AuditDraft { return entry("9") })))
	fixture.Must(t, second(s.RemoveAccount(ctx, "ann", func(port.Account) port.AuditDraft { return entry("10") })))
	has("entries", "1", "2", "3", "4", "5", "5", "5", "6", "7", "8", "9", "10")
	list, err := s.SessionsOf(ctx, "ann")
	fixture.Must(t, err)
	if len(list) != 0 {
		t.Errorf("%+v", list)
	}
	late := browser("s9", "ann", 2)
	late.CreatedAt = fixture.Began.Add(1000)
	fixture.Must(t, s.CreateSession(ctx, browser("s8", "ann", 2)))
	fixture.Must(t, s.CreateSession(ctx, late))
	fixture.Must(t, s.CreateSession(ctx, browser("s7", "bob", 2)))
	list, err = s.SessionsOf(ctx, "ann")
	fixture.Must(t, err)
	fixture.WantEqual(t, "sessions", list, []port.Session{late, browser("s8", "ann", 2)})
}
