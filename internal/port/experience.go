package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/learn"
)

// Bounds of what is remembered of past runs. The newest count.
const (
	ExperiencesMax      = 20_000 // runs
	ExperiencesWorkflow = 500    // runs of one workflow, so that a busy one does not displace the others
)

// Experiences stores what runs taught about tools, one row per run. The row of a run follows from its log: it is
// written in the transaction of the event that ends the run (Write.Taught), replaced when the run ends again, and
// deleted with the run's payloads.
type Experiences interface {
	// Experiences reads the rows that count, oldest first: the newest of all, and of each workflow, without
	// anything that was forgotten.
	Experiences(ctx context.Context) ([]Experience, error)
	// ExperienceVersion changes whenever a run teaches something or something is forgotten.
	ExperienceVersion(ctx context.Context) (string, error)
	// Relearn replaces the row of a run by what its log teaches up to seq; without content it deletes it. It does
	// nothing, and returns false, if the log has grown since.
	Relearn(ctx context.Context, e Experience, seq int64) (bool, error)
	// Unlearn forgets. It holds for everything up to u.At, also when the log is folded again. It returns how many
	// runs taught something that is forgotten now.
	Unlearn(ctx context.Context, u Unlearning, audit ...AuditDraft) (int, error)
	// Unlearnings lists what was forgotten by request, oldest first.
	Unlearnings(ctx context.Context) ([]Unlearning, error)
	// EndedRuns lists runs that have ended and are no tests, the last one first, after a position.
	EndedRuns(ctx context.Context, after EndedRun, limit int) ([]EndedRun, error)
	// PruneExperiences deletes rows that no longer count, and returns how many.
	PruneExperiences(ctx context.Context) (int, error)
	// ForgetUndeclared deletes words of people and agents that earlier releases stored although no workflow had
	// declared them not to be sensitive. Reading leaves them out in any case. It returns how many runs they are of.
	ForgetUndeclared(ctx context.Context) (int, error)
}

// Experience is what one run taught.
type Experience = learn.Lesson

// Unlearning is something to forget: one of the fields, or everything if all are empty.
type Unlearning struct {
	Run      string
	Workflow string
	Tool     string
	At       time.Time
}

// Covers reports whether a run, as far as it ended by then, taught nothing new.
func (u Unlearning) Covers(e *Experience) bool {
	return !e.At.After(u.At) && u.Tool == "" && (u.Run == "" || u.Run == e.Run) &&
		(u.Workflow == "" || u.Workflow == e.Workflow)
}

// EndedRun is the position of a run in the order in which they ended.
type EndedRun struct {
	Run, Workflow string
	At            time.Time
}
