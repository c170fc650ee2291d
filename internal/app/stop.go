package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// StopView is the emergency stop: while it is on, no rule approves anything.
type StopView struct {
	On     bool      `json:"on"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	At     time.Time `json:"at,omitzero"`
}

// Where the switch is kept, among the documents: it has versions, and whatever
// is published is in force everywhere.
const (
	kindSwitch    = "switch"
	switchStop    = "emergency_stop"
	stopReasonMax = 1000
)

// EmergencyStop switches all automatic approvals off, or back on. When it
// returns, none is given any more by any process, also after a restart.
func (a *App) EmergencyStop(ctx context.Context, who Who, on bool, reason string) (out StopView, err error) {
	defer a.refusing(ctx, who, "policy.emergency_stop", string(definition.KindPolicy), &err)
	if err := a.may(who, access.Stop); err != nil {
		return StopView{}, err
	}
	if len(reason) > stopReasonMax || on && reason == "" {
		return StopView{}, fault.Of("the request is not valid", []fault.Problem{{Path: "reason", Message: "say why, in at most 1000 characters"}})
	}
	v := StopView{On: on, Reason: reason, By: who.Key(), At: a.now()}
	body, err := value.Marshal(v)
	if err != nil {
		return StopView{}, err
	}
	r := &a.registry
	r.write.Lock()
	defer r.write.Unlock()
	saved, _, err := a.Store.SaveVersion(ctx, port.Version{
		ID: "doc" + a.NewRunID(v.At)[len("run"):], Kind: kindSwitch, Name: switchStop, Digest: value.Digest(body), Body: body, By: who.Key(), At: v.At,
	})
	if err == nil {
		_, err = r.putInForce(ctx, saved, who.Key(), nil)
	}
	return v, err
}

// readStop is the switch as it stands; it is off until somebody pulls it.
func (r *registry) readStop(ctx context.Context) (StopView, error) {
	var v StopView
	saved, err := r.app.Store.Version(ctx, kindSwitch, switchStop, 0)
	if fault.Is(err, fault.NotFound) {
		return v, nil
	}
	if err == nil {
		err = json.Unmarshal(saved.Body, &v)
	}
	return v, err
}
