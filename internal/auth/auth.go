package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
)

// Config sets how people may sign in. The zero value is local mode.
type Config struct {
	Password bool  // with accounts of our own
	OIDC     *OIDC // at an identity provider
	// Idle is how long a session lasts without being used, Max how long in
	// all; zero: 8 and 24 hours.
	Idle, Max time.Duration
	// Cost of a password's hash; the zero value is the default.
	Cost Cost
	Now  func() time.Time // nil: the clock
}

// Store is the part of a store that holds identities.
type Store interface {
	port.Accounts
	port.Tokens
	port.Sessions
	port.Subjects
}

// Service implements port.Auth and port.Access.
type Service struct {
	store    Store
	config   Config
	now      func() time.Time
	guesses  *guesses
	hasher   *hasher
	provider *provider // nil: none
}

var (
	_ port.Auth   = (*Service)(nil)
	_ port.Access = (*Service)(nil)
)

const (
	defaultIdle = 8 * time.Hour
	defaultMax  = 24 * time.Hour
	// touchAfter is the precision of last-used times.
	touchAfter = time.Minute
)

// New creates a service on a store. It contacts no provider yet: one that is down is no reason not to start.
func New(store Store, c Config) (*Service, error) {
	c.Idle, c.Max = cmp.Or(c.Idle, defaultIdle), cmp.Or(c.Max, defaultMax)
	s := &Service{store: store, config: c, now: c.Now, guesses: newGuesses()}
	if s.now == nil {
		s.now = time.Now
	}
	s.hasher = newHasher(cmp.Or(c.Cost, defaultCost))
	if c.OIDC != nil {
		var err error
		if s.provider, err = newProvider(*c.OIDC, s.now); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// SignInMethods implements port.Auth.
func (s *Service) SignInMethods() port.SignInMethods {
	w := port.SignInMethods{Password: s.config.Password, Provider: s.provider != nil}
	if s.provider != nil {
		w.Label = cmp.Or(s.provider.config.Label, "single sign-on")
	}
	return w
}

// Bearer implements port.Auth.
func (s *Service) Bearer(ctx context.Context, credential string) (port.Identity, error) {
	switch {
	case strings.HasPrefix(credential, tokenPrefix):
		return s.byToken(ctx, credential)
	case s.provider != nil && strings.Count(credential, ".") == 2:
		return s.byJWT(ctx, credential)
	}
	return port.Identity{}, unknown("token not found")
}

// unknown is the error for failed authentication. It never reveals what exactly was wrong with a secret.
func unknown(message string) error {
	return fault.New(fault.Unauthenticated, message, "sign in, or send a token as Authorization: Bearer …")
}

// secret creates an unguessable secret: 256 random bits.
func secret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

const secretLength = 43

// wellFormed reports whether a text can be one of our secrets.
func wellFormed(s string) bool {
	if len(s) != secretLength {
		return false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil
}

// digest is the stored form of a secret. It needs no salt and need not be slow: 256 bits cannot be tried exhaustively.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID creates an id that sorts by time: 48 bits of milliseconds, 80 random ones.
func newID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	rand.Read(b[6:]) // never fails
	return crockford.EncodeToString(b[:])
}

const (
	nameMax  = 128
	rolesMax = 32
)

// checkRoles lists the problems of a list of roles.
func checkRoles(roles []string) []fault.Problem {
	if len(roles) > rolesMax {
		return []fault.Problem{{Path: "roles", Message: "too many roles"}}
	}
	for _, r := range roles {
		if !directory.GoodName(r) {
			return []fault.Problem{{Path: "roles", Message: "expected role names of 1 to 128 printable characters without " +
				"commas"}}
		}
	}
	return nil
}
