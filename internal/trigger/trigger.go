// Package trigger starts runs for the deliveries of webhooks.
//
//	host := &trigger.Host{Store: store, Registry: documents, Engine: engine, RunIDFor: engine.RunIDFor, …}
//	receipt, err := host.Receive(ctx, "new-order", trigger.Request{Header: r.Header, Body: body})
//
// The same delivery starts one run, however often, wherever and when it arrives: the id of the run follows from the
// trigger and from what identifies the delivery. A process that stops at any point leaves nothing behind that the
// next arrival would have to know of.
package trigger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/trace"
)

// BodyMax bounds a delivery.
const BodyMax = 1 << 20

// Store is the part of a store that triggers use.
type Store interface {
	PutHookDelivery(ctx context.Context, d port.HookDelivery) error
	HookDelivery(ctx context.Context, id string) (port.HookDelivery, error)
	HookDeliveries(ctx context.Context, hook string, limit int) ([]port.HookDelivery, error)
	Run(ctx context.Context, id string) (port.RunRow, error)
}

// Host receives deliveries to the triggers in force, and shows them.
type Host struct {
	Store    Store
	Registry *registry.Registry
	Engine   port.Engine
	// RunIDFor is the id of the run that a delivery starts.
	RunIDFor func(trigger, delivery string) string
	// Lookup finds secrets that documents refer to.
	Lookup func(definition.Reference) (string, error)
	Now    func() time.Time
	Log    *slog.Logger
	// Stored is called after a verified delivery was stored, which is after its run has started. It may be nil.
	Stored func()

	mu      sync.Mutex
	refused map[string]*Refused
}

// Request is a delivery as it arrived.
type Request struct {
	Header Headers
	Body   []byte
}

// Receipt is the response to a delivery.
type Receipt struct {
	// The run; none for a ping.
	Run string `json:"run,omitempty" holds:"id"`
	// The id of the delivery here.
	Delivery string `json:"delivery" holds:"id"`
	// started, or ignored for a ping.
	Outcome port.HookOutcome `json:"outcome" holds:"id"`
	// Whether this is a duplicate delivery.
	Repeated bool `json:"repeated,omitempty"`
}

var errSecret = fmt.Errorf("the secret of the trigger is not available: %w", port.ErrUnavailable)

// InForce returns a trigger in force, or nil.
func (h *Host) InForce(name string) *definition.Trigger {
	return h.Registry.Current().Documents().Triggers[name]
}

// delivery is one on its way.
type delivery struct {
	doc      *definition.Trigger
	at       time.Time
	replayed bool
	content
}

// content is what is stored of a delivery.
type content struct {
	Payload json.RawMessage `json:"payload,omitempty"` // none: it was not JSON
	Sender  string          `json:"sender,omitempty"`  // the sender's id of it
	Event   string          `json:"event,omitempty"`
	Cause   string          `json:"cause,omitempty"`
	Key     string          `json:"key"` // what identifies it
}

// id identifies a delivery.
func (d *delivery) id() string {
	hash := sha256.Sum256([]byte("delivery\x00" + d.doc.Name + "\x00" + d.Key))
	return "hook_" + hex.EncodeToString(hash[:12])
}

// Receive verifies a delivery and starts its run. Nothing of a delivery that is not verified is stored or looked at.
func (h *Host) Receive(ctx context.Context, name string, r Request) (Receipt, error) {
	t := h.InForce(name)
	if t == nil {
		return Receipt{}, registry.Unknown(definition.KindTrigger, name, nil)
	}
	if err := h.verify(t, r); err != nil {
		return Receipt{}, err
	}
	d := &delivery{doc: t, at: h.Now()}
	d.Sender, d.Event = first(r.Header, headerID, headerDelivery), first(r.Header, headerEvent)
	if err := d.read(r); err != nil {
		return h.fail(ctx, d, err)
	}
	if t.Verify.Kind == definition.VerifyGitHub && d.Event == "ping" {
		d.Cause = "GitHub tested the address"
		return h.keep(ctx, d, port.HookIgnored, Receipt{})
	}
	id := h.RunIDFor(t.Name, d.Key)
	began, err := h.begun(ctx, d, id)
	switch {
	case err != nil:
		return Receipt{}, err
	case began:
		return h.keep(ctx, d, port.HookStarted, Receipt{Run: id, Repeated: true})
	case !t.On():
		d.Cause = "the trigger is disabled"
		if _, err := h.keep(ctx, d, port.HookIgnored, Receipt{}); err != nil {
			return Receipt{}, err
		}
		return Receipt{}, fault.New(fault.Conflict, "the trigger is disabled", "enable it, and send the delivery again")
	}
	by := run.Actor{Kind: run.Trigger, Name: t.Name}
	again, err := h.start(ctx, d, id, by, run.Start{}, nil)
	if err != nil {
		return h.fail(ctx, d, err)
	}
	return h.keep(ctx, d, port.HookStarted, Receipt{Run: id, Repeated: again})
}

// verify checks who sent a delivery, and counts those that are refused.
func (h *Host) verify(t *definition.Trigger, r Request) error {
	secret, err := h.secret(t)
	if err == nil {
		err = verify(t.Verify, secret, r.Header, r.Body, h.Now())
	}
	if errors.Is(err, port.ErrUnavailable) {
		h.Log.Error("a trigger cannot verify deliveries: check its secret", "trigger", t.Name)
	}
	if err != nil {
		h.countRefused(t.Name, err)
	}
	return err
}

// secret is what deliveries are verified with. One that is empty would let everyone in.
func (h *Host) secret(t *definition.Trigger) (string, error) {
	if t.Verify.Kind == definition.VerifyNone {
		return "", nil
	}
	text, err := t.Key().Expand(h.Lookup)
	text = strings.TrimRight(text, "\r\n")
	if err != nil || text == "" {
		return "", errSecret // the error may name what operators alone should see
	}
	return text, nil
}

// first is the value of the first of some headers that is there, made short.
func first(h Headers, names ...string) string {
	for _, name := range names {
		if all := h.Values(name); len(all) > 0 {
			return phrase.ClipValid(all[0], 100)
		}
	}
	return ""
}

// read parses a delivery and finds what identifies it.
func (d *delivery) read(r Request) (err error) {
	whole := sha256.Sum256(r.Body)
	d.Key = "body:" + hex.EncodeToString(whole[:])
	if d.doc.Verify.Kind == definition.VerifyStandard {
		d.Key = "id:" + d.webhookID(r.Header) // it is signed; ids that other senders set are not
	}
	payload, err := value.Strict(r.Body)
	if err != nil {
		return err
	}
	d.Payload = payload
	if d.doc.Dedupe == "" {
		return nil
	}
	path, err := value.ParsePath(d.doc.Dedupe)
	if err != nil {
		return err
	}
	found, ok := value.Get(payload, path...)
	if !ok || value.KindOf(found) == value.Null {
		return fault.Of("the delivery cannot be identified", []fault.Problem{{Path: d.doc.Dedupe,
			Message: "is missing, and the trigger uses it to identify deliveries"}})
	}
	d.Key = "path:" + value.Digest(value.Canonical(found))
	return nil
}

// webhookID is the whole id of a verified delivery.
func (d *delivery) webhookID(h Headers) string {
	id, _ := one(h, headerID)
	return id
}

// begun reports whether the run of a delivery exists. Of one whose payloads were deleted nothing is stored again.
func (h *Host) begun(ctx context.Context, d *delivery, id string) (bool, error) {
	if _, err := h.Store.Run(ctx, id); fault.Is(err, fault.NotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, h.Engine.View(ctx, id, func(s *machine.State) error {
		if s.Removed != nil {
			d.Payload = nil
			d.Sender, d.Event = "", ""
		}
		return nil
	})
}

// input is the input of the run of a delivery.
func (d *delivery) input() (json.RawMessage, error) {
	if len(d.doc.Map) == 0 {
		if value.KindOf(d.Payload) != value.KindObject {
			return nil, fault.Of("the payload is not valid", []fault.Problem{{Message: "must be an object: it is the input of " +
				"the run, since the trigger has no map"}})
		}
		return d.Payload, nil
	}
	return definition.Nest(d.doc.Map, func(text string) (json.RawMessage, bool) {
		path, err := value.ParsePath(text)
		if err != nil {
			return nil, false
		}
		return value.Get(d.Payload, path...)
	})
}

// start starts the run of a delivery; again: another process, or another arrival, was faster.
func (h *Host) start(ctx context.Context, d *delivery, id string, by run.Actor, do run.Start,
	answering port.Answering) (again bool, err error) {
	input, err := d.input()
	if err != nil {
		return false, err
	}
	if at, held := mask.Holds(input); held {
		return false, fault.Of("the input is not valid", []fault.Problem{{Path: "input" + at,
			Message: "this is the marker for a masked value (" + mask.Marker + ")"}})
	}
	def, err := h.Registry.DefinitionAt(ctx, d.doc.Workflow, 0)
	if err != nil {
		return false, err
	}
	do.Input, do.Owner, do.Trace = input, by.Key(), trace.From(ctx).String()
	_, err = h.Engine.Begin(ctx, id, def, run.Command{ID: id, By: by, Do: do}, answering)
	if fault.Is(err, fault.Conflict) {
		_, err = h.Store.Run(ctx, id)
		return err == nil, err
	}
	return false, err
}

// fail stores that a delivery could not start a run, if trying again would not help, and returns the reason.
func (h *Host) fail(ctx context.Context, d *delivery, cause error) (Receipt, error) {
	switch fault.CodeOf(cause) {
	case fault.Invalid, fault.NotFound, fault.Forbidden, fault.TooLarge, fault.Unsupported:
	default:
		return Receipt{}, cause
	}
	d.Cause = causeOf(cause)
	if _, err := h.keep(ctx, d, port.HookFailed, Receipt{}); err != nil {
		return Receipt{}, errors.Join(cause, err)
	}
	if fault.Is(cause, fault.NotFound) { // of the workflow; the trigger was found
		cause = fault.New(fault.Conflict, "the workflow of the trigger is not published", "publish it, and send it again")
	}
	return Receipt{}, cause
}

// causeOf is why no run was started, for people.
func causeOf(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return phrase.ClipValid(err.Error(), 300)
	}
	text := f.Message
	for i, p := range f.Problems {
		if i == 5 {
			break
		}
		text += "; " + strings.TrimPrefix(p.Path+": "+p.Message, ": ")
	}
	return phrase.ClipValid(text, 1000)
}

// keep stores a delivery, and completes the receipt.
func (h *Host) keep(ctx context.Context, d *delivery, outcome port.HookOutcome, r Receipt) (Receipt, error) {
	body, err := value.Marshal(d.content)
	if err != nil {
		return r, err
	}
	if d.Payload == nil && r.Run != "" {
		body = nil // its payloads were deleted
	}
	r.Delivery, r.Outcome = d.id(), outcome
	row := port.HookDelivery{ID: r.Delivery, Trigger: d.doc.Name, At: d.at, LastAt: d.at, Times: 1, Outcome: outcome,
		Run: r.Run, Body: body}
	if d.replayed {
		row.Times = 0
	}
	if err := h.Store.PutHookDelivery(ctx, row); err != nil {
		return r, err
	}
	if h.Stored != nil {
		h.Stored()
	}
	return r, nil
}

// Refused counts deliveries that did not prove who sent them.
type Refused struct {
	// How many this process refused since it started.
	Count int64     `json:"count"`
	At    time.Time `json:"at"` // The last one.
	// Why it was refused.
	Cause string `json:"cause" holds:"text"`
}

// countRefused remembers the last refusal of a trigger in force.
func (h *Host) countRefused(name string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused == nil {
		h.refused = map[string]*Refused{}
	}
	r := h.refused[name]
	if r == nil {
		r = &Refused{}
		h.refused[name] = r
	}
	r.Count++
	r.At, r.Cause = h.Now(), causeOf(err)
}
