package storekit

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Limits of who may come in.
const (
	RolesMax       = 64    // of one person or token
	IdentitiesMax  = 10000 // accounts, and tokens, that are listed
	ForgetSessions = 500   // that are dropped per call
	StandingMax    = 50    // people whom one person stands in for at a time
)

// CheckAccount says what is wrong with an account.
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

// CheckToken says what is wrong with a token.
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

// CheckSession says what is wrong with a session.
func CheckSession(s *port.Session) error {
	var c checker
	c.id("id", s.ID)
	c.id("person", s.Person)
	c.id("way", string(s.Way))
	c.roles(s.Roles)
	c.time("created_at", s.CreatedAt)
	c.time("seen_at", s.SeenAt)
	c.time("expires_at", s.ExpiresAt)
	return c.result("the session of " + shorten(s.Person))
}

// CheckStandIn says what is wrong with a stand-in.
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

// CheckSubject says what is wrong with whom a name is to belong to.
func CheckSubject(s *port.Subject) error {
	var c checker
	c.id("name", s.Name)
	c.id("issuer", s.Issuer)
	c.id("subject", s.Subject)
	c.word("label", s.Label)
	c.time("bound_at", s.BoundAt)
	return c.result("the name " + shorten(s.Name))
}

// Bound says that a name or a subject has been given before.
func Bound(name string) error {
	return fault.Newf(fault.Conflict, "%s, or whoever is to have it, is bound already", shorten(name))
}

// Named says that an account cannot have a name.
func Named(name string) error {
	return fault.Newf(fault.Conflict, "%s has an account, or is somebody of an identity provider", shorten(name))
}

// Noted makes the entries that say what became of something.
func Noted[T any](v T, notes []port.Note[T]) ([]*port.AuditForm, error) {
	drafts := make([]port.AuditDraft, len(notes))
	for i, note := range notes {
		drafts[i] = note(v)
	}
	return Forms(drafts)
}

// secret is for digests; errors never repeat them.
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

// Change makes a change to an account and says whether sessions end by it.
func Change(a port.Account, c port.AccountChange) (changed port.Account, ends bool, err error) {
	if c.IfHash != "" && c.IfHash != a.Hash {
		return a, false, fault.Newf(fault.Conflict, "the password of %s changed meanwhile", a.Name)
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

// Roles writes a list of roles.
func Roles(roles []string) string {
	if len(roles) == 0 {
		return "[]"
	}
	b, err := json.Marshal(roles)
	if err != nil {
		return "[]" // a list of texts always can be written
	}
	return string(b)
}

// ReadRoles reads what Roles wrote.
func ReadRoles(text string) (roles []string, err error) {
	if text == "[]" {
		return nil, nil
	}
	return roles, json.Unmarshal([]byte(text), &roles)
}
