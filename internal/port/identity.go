package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Accounts, Tokens, Sessions, Subjects and StandIns store identities. No password, token or cookie is stored, only
// what it can be verified against.
//
// Methods that change something take audit entries, which are stored in the same transaction or not at all.

// Note creates an audit entry from the result of a change, within its transaction.
type Note[T any] func(T) AuditDraft

// Accounts stores the people who sign in with a password.
type Accounts interface {
	// Account returns fault.NotFound if there is none of that name.
	Account(ctx context.Context, name string) (Account, error)
	// Accounts lists all, by name.
	Accounts(ctx context.Context) ([]Account, error)
	// CreateAccount refuses a name that is taken, or belongs to a person of an identity provider, with fault.Conflict.
	// The Epoch of a is ignored.
	CreateAccount(ctx context.Context, a Account, audit ...AuditDraft) error
	// ChangeAccount applies c and returns the resulting account; fault.NotFound, or fault.Conflict if c.IfHash does
	// not match. A new password or closing the account raises Epoch and ends every session of the person in the same
	// transaction.
	ChangeAccount(ctx context.Context, name string, c AccountChange, audit ...Note[Account]) (Account, error)
	// RemoveAccount removes it with the sessions, the personal tokens and the
	// stand-ins of that name.
	RemoveAccount(ctx context.Context, name string, audit ...Note[Account]) (Account, error)
}

// Account is a person who signs in with a password.
type Account struct {
	Name       string
	Hash       string // of the password, in PHC form
	Roles      []string
	Disabled   bool
	Epoch      int64 // sessions of an earlier one are invalid
	CreatedAt  time.Time
	ChangedAt  time.Time
	SignedInAt time.Time // zero: never
}

// AccountChange lists the changes to an account; nil leaves a field unchanged.
type AccountChange struct {
	Hash     *string
	Roles    *[]string
	Disabled *bool
	// IfHash, unless empty, is what Hash has to be. In that case the password is unchanged and only stored in another
	// form: sessions continue.
	IfHash     string
	SignedInAt time.Time // zero: unchanged
	At         time.Time
}

// Tokens stores the credentials of programs.
type Tokens interface {
	// CreateToken refuses an id that is taken with fault.Conflict.
	CreateToken(ctx context.Context, t Token, audit ...AuditDraft) error
	Token(ctx context.Context, id string) (Token, error) // fault.NotFound
	// Tokens lists all, oldest first.
	Tokens(ctx context.Context) ([]Token, error)
	// TouchToken records a use; a missing token is ignored.
	TouchToken(ctx context.Context, id string, at time.Time) error
	RemoveToken(ctx context.Context, id string, audit ...Note[Token]) (Token, error)
}

// Token lets a program act under a name.
type Token struct {
	ID        string
	Name      string
	Kind      run.ActorKind // person, service or agent
	Roles     []string
	Hash      string // of the secret
	CreatedBy string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	UsedAt    time.Time // roughly; zero: never
}

// Sessions stores the signed-in browsers.
type Sessions interface {
	// CreateSession refuses an id that is taken with fault.Conflict.
	CreateSession(ctx context.Context, s Session, audit ...AuditDraft) error
	Session(ctx context.Context, id string) (Session, error) // fault.NotFound
	// SessionsOf lists those of a person, newest first.
	SessionsOf(ctx context.Context, person string) ([]Session, error)
	// TouchSession records a use; a missing session is ignored.
	TouchSession(ctx context.Context, id string, at time.Time) error
	// EndSession accepts a missing session; then nothing is recorded.
	EndSession(ctx context.Context, id string, audit ...AuditDraft) error
	// EndSessions ends all sessions of a person and returns how many; if there were none, nothing is recorded.
	EndSessions(ctx context.Context, person string, audit ...Note[int]) (int, error)
	// ForgetSessions drops those that expired before a time or were last used before another, a bounded number per
	// call, and returns how many.
	ForgetSessions(ctx context.Context, expired, idle time.Time) (int, error)
}

// HandleLength is how much of a session's id people see.
const HandleLength = 16

// Session is one signed-in browser.
type Session struct {
	ID        string // digest of the secret in the cookie
	Person    string
	Method    SignInMethod
	Roles     []string // as reported by the identity provider; for accounts, those of the account count
	Epoch     int64    // of the account
	CreatedAt time.Time
	SeenAt    time.Time // roughly
	ExpiresAt time.Time
}

// Subjects stores the owners of people's names. Labels at an identity provider change, and may pass to other people;
// issuer and subject do not, and nor does a person's name here. Names of accounts have no issuer, and stay reserved
// when the account is deleted.
type Subjects interface {
	Subject(ctx context.Context, issuer, subject string) (Subject, error) // fault.NotFound
	// SubjectNamed is the current or former owner of a name; fault.NotFound.
	SubjectNamed(ctx context.Context, name string) (Subject, error)
	// Subjects lists the people of identity providers whose names were not
	// released, by name.
	Subjects(ctx context.Context) ([]Subject, error)
	// BindSubject assigns a name to a person permanently. If either is bound already it is fault.Conflict, even if to
	// each other.
	BindSubject(ctx context.Context, s Subject, audit ...AuditDraft) error
	// LabelSubject records a person's current label. A released person is back.
	LabelSubject(ctx context.Context, issuer, subject, label string, audit ...AuditDraft) error
	// ReportRoles records the roles that the provider reported; a missing person is ignored. Releasing them removes it.
	ReportRoles(ctx context.Context, issuer, subject string, roles []string, at time.Time) error
	// ReleaseSubject ends the sessions under a name and revokes its personal tokens. Past actions under the name stay
	// with the person it belonged to: others may have that label from then on, under names of their own. Handing it
	// over lets the next person with the label have the name with everything stored under it; this also applies to
	// names of deleted accounts. fault.NotFound
	ReleaseSubject(ctx context.Context, name string, handOver bool, audit ...Note[Subject]) (Subject, error)
}

// Subject is a person as an identity provider knows them.
type Subject struct {
	Issuer   string // empty: this server
	Subject  string
	Name     string // here, permanently
	Label    string // their current label there
	Released bool
	BoundAt  time.Time
	// Roles are those that the provider reported last, at RolesAt (zero: never). They say who is told of what, and bound
	// the roles of sessions and personal tokens; by themselves they grant nothing.
	Roles   []string
	RolesAt time.Time
}

// SignInMethod is a sign-in method.
type SignInMethod string

const (
	ByPassword SignInMethod = "password"
	ByProvider SignInMethod = "oidc"
	ByToken    SignInMethod = "token"
	ByJWT      SignInMethod = "jwt"
	ByConsole  SignInMethod = "console" // callers who can read the data directory of the server
	ByNothing  SignInMethod = "none"    // local mode
)

// Identity is an authenticated caller.
type Identity struct {
	Name      string
	Kind      run.ActorKind
	Issuer    string // the identity provider that vouches for them; empty: this server
	Subject   string // their id there
	Label     string // their label there, if it is not Name
	Roles     []string
	Method    SignInMethod
	Session   string    // its id, if there is one
	ExpiresAt time.Time // when they have to sign in again; zero: never
}

// As is i under the name of its owner s.
func (i Identity) As(s Subject) Identity {
	if s.Issuer == "" {
		return i
	}
	i.Name, i.Issuer, i.Subject, i.Label = s.Name, s.Issuer, s.Subject, ""
	if s.Label != s.Name {
		i.Label = s.Label
	}
	return i
}

// SignInMethods are the sign-in methods that a server offers. None is local mode.
type SignInMethods struct {
	Password bool
	Provider bool
	Label    string // of the provider, for people
}

// Local reports whether sign-in is not required.
func (w SignInMethods) Local() bool { return !w.Password && !w.Provider }

// Auth authenticates callers. Invalid credentials are fault.Unauthenticated, too many attempts are fault.RateLimited.
type Auth interface {
	SignInMethods() SignInMethods
	// Bearer verifies the credential after "Authorization: Bearer".
	Bearer(ctx context.Context, credential string) (Identity, error)
	// Cookie verifies the secret of a session.
	Cookie(ctx context.Context, secret string) (Identity, error)
	// SignIn verifies a name and a password. Address is where the request came from; it counts against guessing.
	SignIn(ctx context.Context, name, password, address string) (SignedIn, error)
	// Begin starts a sign-in at the identity provider.
	Begin(ctx context.Context, returnTo string) (AuthRequest, error)
	// Finish verifies the identity provider's callback.
	Finish(ctx context.Context, a AuthCallback) (SignedIn, error)
	// SignOut ends a session, or all of its person, and returns how many.
	SignOut(ctx context.Context, who Identity, everywhere bool) (int, error)
	OwnAccess
}

// OwnAccess is how people manage their own access.
type OwnAccess interface {
	// ChangePassword replaces the password of a person who signed in with one. All
	// their sessions end; they get a new one.
	ChangePassword(ctx context.Context, who Identity, before, after, address string) (SignedIn, error)
	// Sessions are those of a person that are still valid.
	Sessions(ctx context.Context, person string) ([]Session, error)
	// EndSession ends one of a person's sessions by the beginning of its id, as shown to them; fault.NotFound.
	EndSession(ctx context.Context, person, handle string) (Session, error)
}

// SignedIn is a new session.
type SignedIn struct {
	Identity
	Secret   string // for the cookie; it is stored nowhere
	ReturnTo string // the page requested before sign-in: a path of this server
}

// AuthRequest is a redirect to the identity provider.
type AuthRequest struct {
	URL    string
	Secret string // for a cookie that has to come back with the callback
	Until  time.Time
}

// AuthCallback is a callback from the identity provider.
type AuthCallback struct {
	Code, State, Issuer, Error string // from the address
	Secret                     string // from the cookie
}

// Access manages accounts and tokens. Permissions are not checked here.
type Access interface {
	NewToken(ctx context.Context, t NewToken) (made Token, secret string, err error)
	Tokens(ctx context.Context) ([]Token, error)
	RemoveToken(ctx context.Context, id string) (Token, error)
	Accounts(ctx context.Context) ([]Account, error)
	// PutAccount creates an account, which needs a password, or changes one.
	PutAccount(ctx context.Context, p PutAccount) (a Account, created bool, err error)
	RemoveAccount(ctx context.Context, name string) (Account, error)
	// Subjects lists the owners of names at identity providers, and ReleaseSubject releases one.
	Subjects(ctx context.Context) ([]Subject, error)
	ReleaseSubject(ctx context.Context, name string, handOver bool) (Subject, error)
}

type recordKey struct{}

// WithRecord sets the actor of changes made with ctx: draft creates the audit entry of an action.
func WithRecord(ctx context.Context, draft func(action, target string,
	detail map[string]any) AuditDraft) context.Context {
	return context.WithValue(ctx, recordKey{}, draft)
}

// Recorded is the audit entry of an action. Without WithRecord, actions are also recorded: as done by the server
// itself.
func Recorded(ctx context.Context, action, target string, detail map[string]any) []AuditDraft {
	return []AuditDraft{recorder(ctx)(action, target, detail)}
}

// RecordedOf is Recorded for the result of a change.
func RecordedOf[T any](ctx context.Context, of func(T) (action, target string, detail map[string]any)) []Note[T] {
	draft := recorder(ctx)
	return []Note[T]{func(v T) AuditDraft { return draft(of(v)) }}
}

func recorder(ctx context.Context) func(action, target string, detail map[string]any) AuditDraft {
	if draft, ok := ctx.Value(recordKey{}).(func(string, string, map[string]any) AuditDraft); ok {
		return draft
	}
	return func(action, target string, detail map[string]any) AuditDraft {
		return AuditDraft{At: time.Now().UTC(), Actor: run.Actor{Kind: run.System}, Action: action,
			Target: target, Detail: detail}
	}
}

// NewToken is a token to be created.
type NewToken struct {
	Name      string
	Kind      run.ActorKind
	Roles     []string
	ExpiresAt time.Time // zero: never
	By        string
}

// PutAccount is the desired state of an account; nil leaves a field unchanged.
type PutAccount struct {
	Name     string
	Password *string
	Roles    *[]string
	Disabled *bool
	// Only requires the account to be new or to exist; empty: either.
	Only PutOnly
}

// PutOnly narrows what PutAccount does.
type PutOnly string

const (
	OnlyCreate PutOnly = "create"
	OnlyChange PutOnly = "change"
)
