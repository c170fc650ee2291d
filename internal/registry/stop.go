package registry

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Stop is the emergency stop: while it is on, no rule approves anything.
type Stop struct {
	On     bool      `json:"on"` // Whether it is on.
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at,omitzero"`
}

// The stop is kept among the documents: it has versions, and a published one is in
// force in every process.
const (
	kindSwitch = "switch"
	switchStop = "emergency_stop"
)

const stopReasonMax = 1000 // bytes

// SetStop turns the emergency stop on or off. When it returns, it is in force in every
// process, and stays so after a restart.
func (r *Registry) SetStop(ctx context.Context, on bool, reason, by string) (Stop, error) {
	if len(reason) > stopReasonMax || on && reason == "" {
		return Stop{}, fault.Of("the request is not valid", []fault.Problem{{
			Path: "reason", Message: "a reason of at most 1000 characters is required",
		}})
	}
	stop := Stop{On: on, Reason: reason, By: by, At: r.Now()}
	body, err := value.Marshal(stop)
	if err != nil {
		return Stop{}, err
	}
	r.write.Lock()
	defer r.write.Unlock()
	saved, _, err := r.Store.SaveVersion(ctx, port.Version{
		ID: "doc" + r.NewRunID(stop.At)[len("run"):], Kind: kindSwitch, Name: switchStop,
		Digest: value.Digest(body), Body: body, By: by, At: stop.At,
	})
	if err == nil {
		_, err = r.publish(ctx, saved, by, Publishing{})
	}
	return stop, err
}

// readStop is the emergency stop in force; it is off until it is turned on once.
func (r *Registry) readStop(ctx context.Context) (Stop, error) {
	var stop Stop
	saved, err := r.Store.Version(ctx, kindSwitch, switchStop, 0)
	if fault.Is(err, fault.NotFound) {
		return stop, nil
	}
	if err == nil {
		err = json.Unmarshal(saved.Body, &stop)
	}
	return stop, err
}
