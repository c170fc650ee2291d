package contract

import "github.com/assent-run/assent/internal/view"

// StateView is the state of a run after a step.
type StateView struct {
	Step  string   `json:"step" holds:"id"`
	Seq   int64    `json:"seq"`   // The event that ended the step.
	State view.Run `json:"state"` // As state?at_seq= shows it.
}
