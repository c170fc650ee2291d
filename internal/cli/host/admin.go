package host

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/seal"
)

// Keeper is a store that can be maintained while it is in use.
type Keeper interface {
	Check(context.Context) error
}

// The endpoint at which commands on this machine request tasks that need the server's disk. It is not part of
// the API: the token in the data directory is the permission.
const (
	AdminBackup = "/-/backup"
	AdminCheck  = "/-/check"
	AdminDoubts = "/-/doubts"
	AdminReach  = "/-/reach"
	AdminLoad   = "/-/load"
	AdminGone   = "/-/gone"
	AdminKeys   = "/-/keys"
	AdminAccept = "/-/audit/accept"
	AdminRotate = "/-/audit/rotate"
	AdminToken  = "X-Assent-Token"
)

// AdminAnswer is the result.
type AdminAnswer struct {
	OK        bool                 `json:"ok"`
	Error     string               `json:"error,omitempty"`
	Published []string             `json:"published,omitempty"`
	Withdrawn []string             `json:"withdrawn,omitempty"`
	Problems  []definition.Problem `json:"problems,omitempty"`
	Channels  []string             `json:"channels,omitempty"` // in which people decide, and that a program put in force

	Reach *outbox.Reach `json:"reach,omitempty"`

	Keys      []seal.KeyState `json:"keys,omitempty"`
	Rewrapped int             `json:"rewrapped,omitempty"` // data keys
	Rewriting *seal.Rewriting `json:"rewriting,omitempty"`

	Head *port.AuditHead `json:"head,omitempty"`
	Key  *port.AuditKey  `json:"key,omitempty"` // that signs the audit log from now on
}

// Admin is a requested task.
type Admin struct {
	Dir   string   `json:"dir,omitempty"`   // to back up to
	Paths []string `json:"paths,omitempty"` // to load
	Force bool     `json:"force,omitempty"` // load even if it breaks other documents in force
	By    string   `json:"by,omitempty"`
	Keys  string   `json:"keys,omitempty"` // the operation on them

	Reason string `json:"reason,omitempty"` // reason for accepting the audit log as it is
}

// records is the part of a store that records the operator's actions. A store that can be maintained while it
// is in use is also a Keeper.
type records interface {
	InForce(ctx context.Context, kind string) ([]port.Version, error)
	AppendAudit(ctx context.Context, entries ...port.AuditDraft) (n int64, err error)
}

// admin handles tasks that only callers on this machine may request.
type admin struct {
	next  http.Handler
	store records
	audit port.AuditOperation
	app   *app.App
	token string
	keys  func() ([]seal.Key, error)
	told  *outbox.Service
}

// withAdmin adds the tasks to the API. Without the token the endpoint does not exist.
func withAdmin(next http.Handler, h *Host, o *Options) http.Handler {
	if o.Token == "" {
		return next
	}
	a := &admin{next: next, store: h.parts.Store, audit: h.parts.Audit(), app: h.App, token: o.Token, keys: o.Reread,
		told: h.parts.Outbox}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+AdminCheck, a.task(a.check))
	mux.HandleFunc("POST "+AdminDoubts, a.task(a.doubts))
	mux.HandleFunc("POST "+AdminReach, a.task(a.reach))
	mux.HandleFunc("POST "+AdminBackup, a.task(a.backup))
	mux.HandleFunc("POST "+AdminLoad, a.task(a.load))
	mux.HandleFunc("POST "+AdminGone, a.task(a.gone))
	mux.HandleFunc("POST "+AdminKeys, a.task(a.manageKeys))
	mux.HandleFunc("POST "+AdminAccept, a.task(a.acceptAudit))
	mux.HandleFunc("POST "+AdminRotate, a.task(a.rotateAuditKey))
	mux.Handle("/", next)
	return mux
}

// task guards a task and returns its result.
func (a *admin) task(do func(context.Context, Admin) (AdminAnswer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get(AdminToken)), []byte(a.token)) != 1 {
			a.next.ServeHTTP(w, r)
			return
		}
		// A backup may take arbitrarily long.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		var ask Admin
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&ask)
		var answer AdminAnswer
		if err == nil {
			answer, err = do(r.Context(), ask)
		}
		if answer.OK = err == nil; err != nil {
			answer.Error = err.Error()
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // a disconnected client is not an error of ours
	}
}

func (a *admin) check(ctx context.Context, _ Admin) (AdminAnswer, error) {
	keeper, err := a.keeper()
	if err != nil {
		return AdminAnswer{}, err
	}
	return AdminAnswer{}, errors.Join(keeper.Check(ctx), SampleAudit(ctx, a.audit))
}

func (a *admin) doubts(ctx context.Context, _ Admin) (out AdminAnswer, err error) {
	out.Channels, err = registry.ChannelsOfPrograms(ctx, a.store)
	return out, err
}

func (a *admin) reach(ctx context.Context, _ Admin) (AdminAnswer, error) {
	found, err := a.told.Reach(ctx)
	return AdminAnswer{Reach: &found}, err
}

func (a *admin) backup(ctx context.Context, ask Admin) (AdminAnswer, error) {
	source, ok := a.store.(interface {
		Backup(ctx context.Context, dir string) error
	})
	if !ok {
		return AdminAnswer{}, errors.New("the store cannot be backed up")
	}
	return AdminAnswer{}, source.Backup(ctx, ask.Dir)
}

func (a *admin) load(ctx context.Context, ask Admin) (AdminAnswer, error) {
	load := a.app.Documents.Load
	if ask.Force {
		load = a.app.Documents.LoadForced
	}
	loaded, err := load(ctx, ask.By, ask.Paths...)
	return AdminAnswer{Published: loaded.Published, Withdrawn: loaded.Withdrawn, Problems: loaded.Problems}, err
}

// gone lists what loading would withdraw.
func (a *admin) gone(ctx context.Context, ask Admin) (AdminAnswer, error) {
	problems, err := a.app.Documents.Gone(ctx, ask.Paths...)
	return AdminAnswer{Problems: problems}, err
}

func (a *admin) acceptAudit(ctx context.Context, ask Admin) (AdminAnswer, error) {
	head, err := a.audit.Accept(ctx, run.Actor{Kind: run.Person, Name: ask.By}, ask.Reason)
	return AdminAnswer{Head: &head}, err
}

func (a *admin) rotateAuditKey(ctx context.Context, ask Admin) (AdminAnswer, error) {
	key, err := a.audit.Rotate(ctx, run.Actor{Kind: run.Person, Name: ask.By})
	return AdminAnswer{Key: &key}, err
}

func (a *admin) keeper() (Keeper, error) {
	k, ok := a.store.(Keeper)
	if !ok {
		return nil, errors.New("the store is a PostgreSQL database: check it with its own tools, such as pg_amcheck")
	}
	return k, nil
}
