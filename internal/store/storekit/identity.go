package storekit

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Limits of identities.
const (
	RolesMax       = 64    // per person or token
	IdentitiesMax  = 10000 // accounts, and tokens, that are listed
	ForgetSessions = 500   // deleted per call
	StandingMax    = 50    // principals per stand-in at a time
)

// CheckAccount validates an account.
func CheckAccount(a *port.Account) error {
	var c checker
	c.id("name", a.Name)
	c.secret("hash", a.Hash)
	c.roles(a.Roles)
	c.time("created_at", a.CreatedAt)
	c.time("changed_at", a.ChangedAt)
	c.time("signed_in_at", a.SignedInAt)
	return c.result("the account " + shorten(a.Name))
}

// CheckToken validates a token.
func CheckToken(t *port.Token) error {
	var c checker
	c.id("id", t.ID)
	c.id("name", t.Name)
	c.id("kind", string(t.Kind))
	c.secret("hash", t.Hash)
	c.roles(t.Roles)
	c.word("created_by", t.CreatedBy)
	c.time("created_at", t.CreatedAt)
	c.time("expires_at", t.ExpiresAt)
	c.time("used_at", t.UsedAt)
	return c.result("the token " + shorten(t.Name))
}

// CheckSession validates a session.
func CheckSession(s *port.Session) error {
	var c checker
	c.id("id", s.ID)
	c.id("person", s.Person)
	c.id("way", string(s.Method))
	c.roles(s.Roles)
	c.time("created_at", s.CreatedAt)
	c.time("seen_at", s.SeenAt)
	c.time("expires_at", s.ExpiresAt)
	return c.result("the session of " + shorten(s.Person))
}

// CheckStandIn validates a stand-in.
func CheckStandIn(s *port.StandIn) error {
	var c checker
	c.id("name", s.Name)
	c.id("to", s.To)
	c.word("set_by", s.SetBy)
	c.time("from", s.From)
	c.time("until", s.Until)
	c.time("set_at", s.SetAt)
	if !s.From.Before(s.Until) {
		c.add("until", "must be after from")
	}
	return c.result("the stand-in of " + shorten(s.Name))
}

// CheckSubject validates the subject that a name is to belong to.
func CheckSubject(s *port.Subject) error {
	var c checker
	c.id("name", s.Name)
	c.id("issuer", s.Issuer)
	c.id("subject", s.Subject)
	c.word("label", s.Label)
	c.time("bound_at", s.BoundAt)
	return c.result("the name " + shorten(s.Name))
}

// CheckRoles validates the roles that an identity provider reported.
func CheckRoles(roles []string) error {
	var c checker
	c.roles(roles)
	return c.result("the roles of a person")
}

// Bound reports that a name or a subject is already taken.
func Bound(name string) error {
	return fault.Newf(fault.Conflict, "%s or that person is already bound", shorten(name))
}

// Named reports that a name is not available for an account.
func Named(name string) error {
	return fault.Newf(fault.Conflict, "%s has an account or belongs to an identity provider", shorten(name))
}

// Noted builds the audit entries for an outcome.
func Noted[T any](v T, notes []port.Note[T]) ([]*port.AuditForm, error) {
	drafts := make([]port.AuditDraft, len(notes))
	for i, note := range notes {
		drafts[i] = note(v)
	}
	return Forms(drafts)
}

// secret is for digests; errors never quote them.
func (c *checker) secret(path, s string) {
	if !Key(s) {
		c.add(path, "must be 1 to %d bytes of text without NUL", ValueMax)
	}
}

func (c *checker) roles(roles []string) {
	if len(roles) > RolesMax {
		c.add("roles", "%d are more than %d", len(roles), RolesMax)
		return
	}
	for i, r := range roles {
		c.id(fmt.Sprintf("roles[%d]", i), r)
	}
}

// Change applies a change to an account and reports whether it ends sessions.
func Change(a port.Account, c port.AccountChange) (changed port.Account, ends bool, err error) {
	if c.IfHash != "" && c.IfHash != a.Hash {
		return a, false, fault.Newf(fault.Conflict, "the password of %s has changed in the meantime", a.Name)
	}
	if c.Hash != nil {
		a.Hash = *c.Hash
		ends = c.IfHash == ""
	}
	if c.Roles != nil {
		a.Roles = *c.Roles
	}
	if c.Disabled != nil {
		ends = ends || *c.Disabled
		a.Disabled = *c.Disabled
	}
	if ends {
		a.Epoch++
	}
	if c.Hash != nil || c.Roles != nil || c.Disabled != nil {
		a.ChangedAt = c.At
	}
	if !c.SignedInAt.IsZero() {
		a.SignedInAt = c.SignedInAt
	}
	return a, ends, CheckAccount(&a)
}

// Roles encodes a list of roles.
func Roles(roles []string) string {
	if len(roles) == 0 {
		return "[]"
	}
	b, err := json.Marshal(roles)
	if err != nil {
		return "[]" // a list of strings can always be encoded
	}
	return string(b)
}

// ReadRoles decodes it.
func ReadRoles(text string) (roles []string, err error) {
	if text == "[]" {
		return nil, nil
	}
	return roles, json.Unmarshal([]byte(text), &roles)
}
