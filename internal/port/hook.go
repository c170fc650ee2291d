package port

import (
	"context"
	"time"
)

// HookDeliveriesMax is how many deliveries of a trigger are stored: the newest.
const HookDeliveriesMax = 50

// HookDeliveries stores the last deliveries to triggers. A delivery that arrives again is the same one.
type HookDeliveries interface {
	// PutHookDelivery stores a delivery, and deletes the oldest ones of its trigger. If it is there already, its
	// arrivals are added up, and its outcome and content are replaced unless it has started a run.
	PutHookDelivery(ctx context.Context, d HookDelivery) error
	// HookDelivery finds a delivery; fault.NotFound.
	HookDelivery(ctx context.Context, id string) (HookDelivery, error)
	// HookDeliveries lists those of a trigger, newest first.
	HookDeliveries(ctx context.Context, trigger string, limit int) ([]HookDelivery, error)
	// ExpireHookDeliveries deletes deliveries that started no run and last arrived before a time, at most limit. The
	// content of others is deleted with the payloads of their run.
	ExpireHookDeliveries(ctx context.Context, before time.Time, limit int) (int, error)
}

// HookDelivery is a message that another system sent to a trigger.
type HookDelivery struct {
	ID      string
	Trigger string
	At      time.Time // when it arrived first
	LastAt  time.Time // when it arrived last
	Times   int64     // how often it arrived
	Outcome HookOutcome
	Run     string // empty: none was started
	Body    []byte // what it contained; empty: that was deleted
}

// HookOutcome is the outcome of a delivery.
type HookOutcome string

const (
	HookStarted HookOutcome = "started" // a run began
	HookFailed  HookOutcome = "failed"  // no run could begin
	HookIgnored HookOutcome = "ignored" // no run was wanted: the trigger is disabled, or it was a ping
)

// HookOutcomes lists them all.
var HookOutcomes = []HookOutcome{HookStarted, HookFailed, HookIgnored}
