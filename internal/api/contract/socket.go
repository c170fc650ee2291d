package contract

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/api/problem"
)

// Order is a command received by WebSocket.
type Order struct {
	ID      json.RawMessage `json:"id"` // returned with the answer
	Run     string          `json:"run"`
	Command json.RawMessage `json:"command"`
}

// Taken answers an order.
type Taken struct {
	ID    json.RawMessage  `json:"id"`              // The id of the command.
	OK    bool             `json:"ok"`              // Whether it was accepted.
	Seq   int64            `json:"seq,omitempty"`   // The number in the run's log.
	Error *problem.Problem `json:"error,omitempty"` // The reason for a refusal.
}
