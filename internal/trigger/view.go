package trigger

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Trigger is a trigger in force.
type Trigger struct {
	registry.Document
	// The workflow that it starts.
	Workflow string `json:"workflow"`
	// How deliveries are verified.
	Verify definition.VerifyKind `json:"verify"`
	// Whether it starts runs.
	Enabled bool `json:"enabled"`
	// Where deliveries are sent to, below the address of the server.
	Path string `json:"path"`
	// The last deliveries, newest first; in a list of triggers, the last one without its payload.
	Deliveries []Delivery `json:"deliveries"`
	// Deliveries that failed authentication; null if there were none.
	Refused *Refused `json:"refused"`
}

// Delivery is a message that another system sent to a trigger.
type Delivery struct {
	ID     string    `json:"id" holds:"id"`
	At     time.Time `json:"at"`      // When it arrived first.
	LastAt time.Time `json:"last_at"` // When it arrived last.
	Times  int64     `json:"times"`   // How often it arrived.
	// started: a run began; failed: none could begin; ignored: none was wanted.
	Outcome port.HookOutcome `json:"outcome" holds:"id"`
	// The run that it started.
	Run string `json:"run,omitempty" holds:"id"`
	// Why it started none.
	Cause string `json:"cause,omitempty" holds:"text"`
	// The sender's id of it.
	SenderID string `json:"sender_id,omitempty" holds:"text"`
	// The sender's word for what happened.
	Event string `json:"event,omitempty" holds:"text"`
	// What the sender sent; none if it was not JSON.
	Payload json.RawMessage `json:"payload,omitempty" holds:"payload"`
	// Whether its content was deleted.
	Removed bool `json:"removed,omitempty"`
	view.Masking
}

// Hide leaves out what the sender sent.
func (d *Delivery) Hide() {
	d.Payload, d.Cause, d.SenderID, d.Event, d.Masked = nil, "", "", "", true
}

// PathOf is where deliveries to a trigger are sent to.
func PathOf(name string) string { return "/api/v1/hooks/" + name }

// Views shows the triggers in force for which shown holds, by name, each with its last delivery.
func (h *Host) Views(ctx context.Context, shown func(*definition.Trigger) bool) ([]Trigger, error) {
	out := []Trigger{}
	for _, doc := range h.Registry.InForce(definition.KindTrigger) {
		t := h.InForce(doc.Name)
		if t == nil || !shown(t) {
			continue
		}
		last, err := h.Deliveries(ctx, t.Name, 1)
		if err != nil {
			return nil, err
		}
		for i := range last {
			last[i].Payload = nil
		}
		out = append(out, Trigger{Document: doc, Workflow: t.Workflow, Verify: t.Verify.Kind, Enabled: t.On(),
			Path: PathOf(t.Name), Deliveries: last, Refused: h.refusedOf(t.Name)})
	}
	return out, nil
}

// Deliveries shows the last deliveries to a trigger, newest first.
func (h *Host) Deliveries(ctx context.Context, name string, most int) ([]Delivery, error) {
	rows, err := h.Store.HookDeliveries(ctx, name, most)
	out := make([]Delivery, len(rows))
	for i := range rows {
		if err == nil {
			out[i], err = deliveryOf(&rows[i])
		}
	}
	return out, err
}

func (h *Host) refusedOf(name string) *Refused {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.refused[name]; r != nil {
		return new(*r)
	}
	return nil
}

func deliveryOf(row *port.HookDelivery) (Delivery, error) {
	v := Delivery{ID: row.ID, At: row.At, LastAt: row.LastAt, Times: row.Times, Outcome: row.Outcome, Run: row.Run,
		Removed: len(row.Body) == 0}
	if v.Removed {
		return v, nil
	}
	c, err := contentOf(row)
	v.Cause, v.SenderID, v.Event, v.Payload = c.Cause, c.Sender, c.Event, c.Payload
	return v, err
}

func contentOf(row *port.HookDelivery) (c content, err error) { return c, json.Unmarshal(row.Body, &c) }

// Replay starts a run with a delivery again, as the trigger in force maps it now, for a person. A delivery that
// started no run starts its own: if its sender repeats it, that changes nothing. Otherwise the run is a retry of the
// one that it started.
func (h *Host) Replay(ctx context.Context, name, id, fresh string, by run.Actor, answering port.Answering) error {
	t := h.InForce(name)
	row, err := h.Store.HookDelivery(ctx, id)
	if t == nil || err == nil && row.Trigger != name {
		err = fault.Newf(fault.NotFound, "delivery %q not found", id)
	}
	if err != nil {
		return err
	}
	if len(row.Body) == 0 {
		return fault.New(fault.Conflict, "the content of the delivery was deleted", "")
	}
	d := &delivery{doc: t, at: row.LastAt, replayed: true}
	if d.content, err = contentOf(&row); err != nil {
		return err
	}
	if d.Payload == nil {
		return fault.New(fault.Conflict, "the delivery was not JSON and cannot be replayed", "")
	}
	if row.Run != "" {
		return h.restart(ctx, d, row.Run, fresh, by, answering)
	}
	own := h.RunIDFor(t.Name, d.Key)
	again, err := h.start(ctx, d, own, by, run.Start{}, answering)
	if again {
		err = fault.New(fault.Conflict, "the delivery has started run "+own+" in the meantime", "")
	}
	if err == nil {
		d.Cause = ""
		_, err = h.keep(ctx, d, port.HookStarted, Receipt{Run: own})
	}
	return err
}

// restart starts a delivery again that has started a run.
func (h *Host) restart(ctx context.Context, d *delivery, old, id string, by run.Actor,
	answering port.Answering) error {
	do := run.Start{RetryOf: old}
	err := h.Engine.View(ctx, old, func(s *machine.State) error {
		if s.Removed != nil {
			return s.Removed.Refusal()
		}
		do.Family = s.Family()
		return nil
	})
	if err == nil {
		_, err = h.start(ctx, d, id, by, do, answering)
	}
	return err
}
