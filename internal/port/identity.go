package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Accounts, Tokens, Sessions, Subjects and StandIns keep who may sign in. No password,
// token or cookie is stored, only what it can be checked against.
//
// Methods that change something take audit entries, which are stored in the same
// transaction or not at all.

// Note makes an audit entry out of the result of a change, within its transaction.
type Note[T any] func(T) AuditDraft

// Accounts keeps the people who sign in with a password.
type Accounts interface {
	// Account is fault.NotFound if there is none of that name.
	Account(ctx context.Context, name string) (Account, error)
	// Accounts lists all, by name.
	Accounts(ctx context.Context) ([]Account, error)
	// CreateAccount refuses a name that is taken, or belongs to somebody of an
	// identity provider, with fault.Conflict. What a says of Epoch is ignored.
	CreateAccount(ctx context.Context, a Account, audit ...AuditDraft) error
	// ChangeAccount changes what c names and returns how the account stands
	// then; fault.NotFound, or fault.Conflict if c.IfHash does not hold. A new
	// password or closing the account raises Epoch and ends every session of
	// the person in the same transaction.
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
	Epoch      int64 // sessions of an earlier one do not count
	CreatedAt  time.Time
	ChangedAt  time.Time
	SignedInAt time.Time // zero: never
}

// AccountChange says what to change; nil leaves it as it is.
type AccountChange struct {
	Hash     *string
	Roles    *[]string
	Disabled *bool
	// IfHash, unless empty, is what Hash has to be. The password is the same
	// then and only kept in another form: sessions go on.
	IfHash     string
	SignedInAt time.Time // zero: as it was
	At         time.Time
}

// Tokens keeps what programs identify themselves with.
type Tokens interface {
	// CreateToken refuses an id that is taken with fault.Conflict.
	CreateToken(ctx context.Context, t Token, audit ...AuditDraft) error
	Token(ctx context.Context, id string) (Token, error) // fault.NotFound
	// Tokens lists all, oldest first.
	Tokens(ctx context.Context) ([]Token, error)
	// TouchToken notes that it was used; one that is gone is passed over.
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

// Sessions keeps who has signed in.
type Sessions interface {
	// CreateSession refuses an id that is taken with fault.Conflict.
	CreateSession(ctx context.Context, s Session, audit ...AuditDraft) error
	Session(ctx context.Context, id string) (Session, error) // fault.NotFound
	// SessionsOf lists those of a person, newest first.
	SessionsOf(ctx context.Context, person string) ([]Session, error)
	// TouchSession notes that it was used; one that is gone is passed over.
	TouchSession(ctx context.Context, id string, at time.Time) error
	// EndSession is fine with one that is gone; then nothing goes on record.
	EndSession(ctx context.Context, id string, audit ...AuditDraft) error
	// EndSessions ends all of a person and says how many; if there were none,
	// nothing goes on record.
	EndSessions(ctx context.Context, person string, audit ...Note[int]) (int, error)
	// ForgetSessions drops those that expired before a time or were last used
	// before another, a bounded number per call, and says how many.
	ForgetSessions(ctx context.Context, expired, idle time.Time) (int, error)
}

// HandleLength is how much of a session's id people see.
const HandleLength = 16

// Session is one browser that somebody signed in with.
type Session struct {
	ID        string // digest of the secret in the cookie
	Person    string
	Way       Way
	Roles     []string // as the identity provider said; of accounts, those of the account count
	Epoch     int64    // of the account
	CreatedAt time.Time
	SeenAt    time.Time // roughly
	ExpiresAt time.Time
}

// Subjects keeps whom names of people belong to. What people are called at an
// identity provider changes, and changes hands; issuer and subject do not, and
// nor does the name that somebody has here. Names of accounts have no issuer, and
// stay theirs when the account is gone.
type Subjects interface {
	Subject(ctx context.Context, issuer, subject string) (Subject, error) // fault.NotFound
	// SubjectNamed is whom a name belongs to, or did; fault.NotFound.
	SubjectNamed(ctx context.Context, name string) (Subject, error)
	// Subjects lists the people of identity providers whose names were not
	// released, by name.
	Subjects(ctx context.Context) ([]Subject, error)
	// BindSubject gives a name to somebody, for good. If either has been given
	// before it is fault.Conflict, also for what is bound like this already.
	BindSubject(ctx context.Context, s Subject, audit ...AuditDraft) error
	// LabelSubject notes what somebody is called now. Whoever had been released
	// is back.
	LabelSubject(ctx context.Context, issuer, subject, label string, audit ...AuditDraft) error
	// ReleaseSubject ends the sessions under a name and withdraws its personal
	// tokens. What was done under the name stays with whom it belonged to:
	// others may be called like that from then on, under names of their own. To
	// hand it over is to let whoever comes next have the name with all that is
	// kept under it; that goes for names of accounts that are gone, too.
	// fault.NotFound
	ReleaseSubject(ctx context.Context, name string, handOver bool, audit ...Note[Subject]) (Subject, error)
}

// Subject is a person as an identity provider knows them.
type Subject struct {
	Issuer   string // none: this server
	Subject  string
	Name     string // here, for good
	Label    string // what they are called there now
	Released bool
	BoundAt  time.Time
}

// Way is how somebody said who they are.
type Way string

const (
	ByPassword Way = "password"
	ByProvider Way = "oidc"
	ByToken    Way = "token"
	ByJWT      Way = "jwt"
	ByConsole  Way = "console" // whoever may read the data directory of the server
	ByNothing  Way = "none"    // local mode
)

// Identity is who somebody turned out to be.
type Identity struct {
	Name      string
	Kind      run.ActorKind
	Issuer    string // who vouches for them: the identity provider; none: this server
	Subject   string // who they are there
	Label     string // what they are called there, if it is not Name
	Roles     []string
	Way       Way
	Session   string    // its id, if there is one
	ExpiresAt time.Time // when they have to sign in again; zero: never
}

// As is i as whom a name belongs to.
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

// Ways are the ways to sign in that a server offers. None is local mode.
type Ways struct {
	Password bool
	Provider bool
	Label    string // of the provider, for people
}

// Local reports whether nobody has to sign in.
func (w Ways) Local() bool { return !w.Password && !w.Provider }

// Auth finds out who somebody is. What does not convince it is
// fault.Unauthenticated, too many tries are fault.RateLimited.
type Auth interface {
	Ways() Ways
	// Bearer looks at what stands behind "Authorization: Bearer".
	Bearer(ctx context.Context, credential string) (Identity, error)
	// Cookie looks at the secret of a session.
	Cookie(ctx context.Context, secret string) (Identity, error)
	// SignIn checks a name and a password. Address is where the request came
	// from; it counts against guessing.
	SignIn(ctx context.Context, name, password, address string) (SignedIn, error)
	// Begin sends somebody to the identity provider.
	Begin(ctx context.Context, returnTo string) (Departure, error)
	// Finish looks at what they came back with.
	Finish(ctx context.Context, a Arrival) (SignedIn, error)
	// SignOut ends a session, or all of its person, and says how many.
	SignOut(ctx context.Context, who Identity, everywhere bool) (int, error)
	OwnAccess
}

// OwnAccess is what people manage of their own access.
type OwnAccess interface {
	// ChangePassword replaces the password of a person who signed in with one. All
	// their sessions end; they get a new one.
	ChangePassword(ctx context.Context, who Identity, before, after, address string) (SignedIn, error)
	// Sessions are those of a person that are still valid.
	Sessions(ctx context.Context, person string) ([]Session, error)
	// EndSession ends one of a person's sessions by the beginning of its id, as
	// it is shown to them; fault.NotFound.
	EndSession(ctx context.Context, person, handle string) (Session, error)
}

// SignedIn is a new session.
type SignedIn struct {
	Identity
	Secret   string // for the cookie; it is nowhere else
	ReturnTo string // where somebody wanted to go: a path of this server
}

// Departure is the way to the identity provider.
type Departure struct {
	URL    string
	Secret string // for a cookie that has to come back with them
	Until  time.Time
}

// Arrival is what somebody brings back from the identity provider.
type Arrival struct {
	Code, State, Issuer, Error string // of the address
	Secret                     string // of the cookie
}

// Access looks after accounts and tokens. Whether somebody may is not asked here.
type Access interface {
	NewToken(ctx context.Context, t NewToken) (made Token, secret string, err error)
	Tokens(ctx context.Context) ([]Token, error)
	RemoveToken(ctx context.Context, id string) (Token, error)
	Accounts(ctx context.Context) ([]Account, error)
	// PutAccount makes an account, which needs a password, or changes one.
	PutAccount(ctx context.Context, p PutAccount) (a Account, created bool, err error)
	RemoveAccount(ctx context.Context, name string) (Account, error)
	// Subjects lists to whom at an identity provider names belong, and
	// ReleaseSubject lets one go.
	Subjects(ctx context.Context) ([]Subject, error)
	ReleaseSubject(ctx context.Context, name string, handOver bool) (Subject, error)
}

type recordKey struct{}

// WithRecord says who is behind what is done with ctx: draft makes the audit
// entry of an action.
func WithRecord(ctx context.Context, draft func(action, target string,
	detail map[string]any) AuditDraft) context.Context {
	return context.WithValue(ctx, recordKey{}, draft)
}

// Recorded is the audit entry of an action. What comes without WithRecord is
// on record, too: as done by the server itself.
func Recorded(ctx context.Context, action, target string, detail map[string]any) []AuditDraft {
	return []AuditDraft{recorder(ctx)(action, target, detail)}
}

// RecordedOf is Recorded for what a change leads to.
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

// NewToken is a token to be made.
type NewToken struct {
	Name      string
	Kind      run.ActorKind
	Roles     []string
	ExpiresAt time.Time // zero: never
	By        string
}

// PutAccount is how an account should be; nil leaves it as it is.
type PutAccount struct {
	Name     string
	Password *string
	Roles    *[]string
	Disabled *bool
	// Only says whether it has to be new or has to be there; empty: either.
	Only PutOnly
}

// PutOnly narrows what PutAccount does.
type PutOnly string

const (
	OnlyCreate PutOnly = "create"
	OnlyChange PutOnly = "change"
)
