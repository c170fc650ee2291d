package view

import (
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Snapshot is a place in a run's log that was saved to return to.
type Snapshot struct {
	Seq int64     `json:"seq"` // The event to fork from: pass it as at_seq.
	At  time.Time `json:"at"`
	// Why it was saved: command, after_step or after_layer.
	Reason SnapshotReason `json:"reason" holds:"id"`
	Step   string         `json:"step,omitempty" holds:"id"` // The step that it follows.
	Layer  *int           `json:"layer,omitempty"`           // The layer that it follows, from 0.
	By     run.Actor      `json:"by"`                        // Who saved it: a person, or the system as the workflow says.
}

// SnapshotReason is why a snapshot was saved.
type SnapshotReason string

const (
	SnapshotByCommand  SnapshotReason = "command"
	SnapshotAfterStep  SnapshotReason = "after_step"
	SnapshotAfterLayer SnapshotReason = "after_layer"
)

// SnapshotOf shows an event that saved a snapshot; ok is false for all others.
func SnapshotOf(rec port.Record) (s Snapshot, ok bool) {
	f, ok := rec.Fact.(*run.SnapshotSaved)
	if !ok {
		return s, false
	}
	s = Snapshot{Seq: rec.Seq, At: rec.At, Reason: SnapshotByCommand, Step: f.Step, Layer: f.Layer, By: rec.Actor}
	switch {
	case f.Step != "":
		s.Reason = SnapshotAfterStep
	case f.Layer != nil:
		s.Reason = SnapshotAfterLayer
	}
	return s, true
}
