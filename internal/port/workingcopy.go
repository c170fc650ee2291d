package port

import (
	"context"
	"time"
)

// WorkingCopiesMax is how many working copies a store keeps.
const WorkingCopiesMax = 5_000

// WorkingCopies stores the workflows that people are editing, one for each name. They need not be valid.
type WorkingCopies interface {
	// PutWorkingCopy stores a working copy in the place of the one with revision was; 0: there is none. It is a
	// fault.VersionMismatch if there is another one.
	PutWorkingCopy(ctx context.Context, c WorkingCopy, was int64) error
	// WorkingCopy finds one; fault.NotFound.
	WorkingCopy(ctx context.Context, name string) (WorkingCopy, error)
	// WorkingCopies lists all, by name.
	WorkingCopies(ctx context.Context) ([]WorkingCopy, error)
	// DeleteWorkingCopy deletes the one with that revision, and records it; fault.VersionMismatch if there is another
	// one or none.
	DeleteWorkingCopy(ctx context.Context, name string, was int64, audit ...AuditDraft) error
}

// WorkingCopy is a workflow that people are editing.
type WorkingCopy struct {
	Name     string // of the workflow
	Revision int64  // a different one for every change
	By       string // who changed it last
	At       time.Time
	Body     []byte // text, layout and samples
}
