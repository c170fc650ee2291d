// Package hindsight holds the use cases that learn from the past: backtests and tests of policies, suggested rules,
// samples of automatic approvals for review, lessons of decisions, what runs taught about tools, and figures.
//
//	tried, err := past.Backtest(ctx, who, candidate, since, until)
//	drafted, err := past.Adopt(ctx, who, suggestion, since) // a suggested rule becomes a draft of the policy
//
// Each authorises the caller with package guard, and masks what it shows them. The learning itself is in package
// insight, which knows no callers.
package hindsight

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that hindsight depends on.
type Store interface {
	insight.CorrectionStore
	Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error)
	SaveVersion(ctx context.Context, v port.Version, audit ...port.AuditDraft) (port.Version, bool, error)
	SaveVersionOver(ctx context.Context, v port.Version, over int,
		audit ...port.AuditDraft) (port.Version, bool, error)
	AppendAudit(ctx context.Context, entries ...port.AuditDraft) (n int64, err error)
}

// Documents saves and shows documents, as far as a caller may.
type Documents interface {
	Save(ctx context.Context, who guard.Who, kind definition.Kind, name string, format definition.Format, body []byte,
		how documents.Saving) (v registry.Document, created bool, err error)
	Show(ctx context.Context, who guard.Who, kind definition.Kind, name string, number int) (registry.Document, error)
}

// Hindsight is what the past of a deployment teaches. Any number of goroutines may use it.
type Hindsight struct {
	guard     *guard.Guard
	sight     *sight.Sight
	registry  *registry.Registry
	documents Documents
	store     Store
	record    *insight.Record
	memory    *insight.Memory
	lessons   *insight.Teacher
	masking   *view.Sensitive
	newID     func(time.Time) string
	now       func() time.Time
}

// Config is what Hindsight needs.
type Config struct {
	Guard     *guard.Guard
	Sight     *sight.Sight
	Registry  *registry.Registry
	Documents Documents
	Store     Store
	Record    *insight.Record
	Memory    *insight.Memory
	Lessons   *insight.Teacher
	Masking   *view.Sensitive
	NewRunID  func(time.Time) string // ids of notes are made from those of runs
	Now       func() time.Time
}

// New creates the use cases.
func New(c Config) *Hindsight {
	return &Hindsight{guard: c.Guard, sight: c.Sight, registry: c.Registry, documents: c.Documents, store: c.Store,
		record: c.Record, memory: c.Memory, lessons: c.Lessons, masking: c.Masking, newID: c.NewRunID, now: c.Now}
}
