// Package documents holds the use cases of published documents: reading them as far as a caller may, saving and
// publishing versions, taking them out of force, the emergency stop, and loading files.
//
//	v, created, err := docs.Save(ctx, who, definition.KindWorkflow, "refund", definition.YAML, body,
//		documents.Saving{Publish: true})
//
// Each authorises the caller with package guard, and leaves the work to package registry, which knows no callers.
// Publishing asks more of them: a policy that would have approved something that people rejected needs a reason, a
// channel in which people decide needs someone who manages accounts, and a schedule needs the permission to start its
// workflow.
package documents

import (
	"context"
	"log/slog"
	"time"

	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// Store keeps the reasons why a policy was published despite a risk.
type Store interface {
	SaveVersion(ctx context.Context, v port.Version, audit ...port.AuditDraft) (port.Version, bool, error)
}

// People knows who has a role.
type People interface {
	Holders(ctx context.Context, role string) ([]string, error)
}

// Documents are the documents of a deployment. Any number of goroutines may use it.
type Documents struct {
	guard    *guard.Guard
	registry *registry.Registry
	people   People
	store    Store
	newID    func(time.Time) string
	now      func() time.Time
	logger   *slog.Logger
}

// Config is what Documents need.
type Config struct {
	Guard    *guard.Guard
	Registry *registry.Registry
	People   People
	Store    Store
	NewRunID func(time.Time) string // ids of versions are made from those of runs
	Now      func() time.Time
	Log      *slog.Logger
}

// New creates the use cases of documents.
func New(c Config) *Documents {
	return &Documents{guard: c.Guard, registry: c.Registry, people: c.People, store: c.Store, newID: c.NewRunID,
		now: c.Now, logger: c.Log}
}
