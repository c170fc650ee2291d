package aggregate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/storekit"
)

// deliveryList names the list of deliveries.
const deliveryList = "deliveries"

const (
	deliveriesMax  = 100_000 // in one expansion
	deliveryBody   = 16 << 10
	preferencesMax = 32 << 10
)

func atDelivery(id string) seal.Place { return seal.Place{Table: "deliveries.body", ID: id} }
func atPreferences(person string) seal.Place {
	return seal.Place{Table: "preferences.body", ID: person}
}

// deliverySealed is the encrypted part of a delivery.
type deliverySealed struct {
	Address string `json:"address,omitempty"`
	Ref     string `json:"ref,omitempty"`
	Why     string `json:"why,omitempty"`
	Since   int64  `json:"since,omitempty"` // of its failures
}

// problems collects what is wrong with rows. Errors do not quote them.
type problems []fault.Problem

func (p *problems) unless(ok bool, path, message string) {
	if !ok {
		*p = append(*p, fault.Problem{Path: path, Message: message})
	}
}

func (p *problems) word(path, text string, optional bool) {
	p.unless(storekit.Word(text) || optional && text == "", path, "must be a word of text without NUL")
}

func (p *problems) result(what string) error {
	if len(*p) == 0 {
		return nil
	}
	return fault.Of(what+" cannot be stored", *p)
}

func checkDelivery(d *port.Delivery) error {
	var p problems
	for path, text := range map[string]string{"id": d.ID, "channel": d.Channel, "event": d.Event,
		"recipient": d.Recipient} {
		p.word(path, text, false)
	}
	for path, text := range map[string]string{"run": d.Run, "workflow": d.Workflow, "approval": d.Approval,
		"person": d.Person, "in": d.In, "fallback": d.Fallback} {
		p.word(path, text, true)
	}
	p.unless(slices.Contains(port.DeliveryStatuses, d.Status), "status", "is not a status of deliveries")
	p.unless(len(d.Address)+len(d.Ref)+len(d.Why) <= deliveryBody, "address", "is too long")
	for path, at := range map[string]time.Time{"at": d.At, "due_at": d.DueAt, "created_at": d.CreatedAt,
		"updated_at": d.UpdatedAt, "sent_at": d.SentAt,
		"fails_since": d.FailsSince} {
		p.unless(at.IsZero() || at.Year() >= 1970 && at.Year() < 2262, path, "must be a time between 1970 and 2262")
	}
	return p.result("the delivery")
}

func checkExpansion(e *port.Expansion) error {
	if len(e.New)+len(e.Raised) > deliveriesMax {
		return fault.Newf(fault.TooLarge, "an expansion has at most %d messages", deliveriesMax)
	}
	if e.To < e.From || e.From < 0 || e.At.IsZero() {
		return fault.New(fault.Invalid, "the expansion cannot be stored: its mark or time is not valid", "")
	}
	for i := range e.New {
		if err := checkDelivery(&e.New[i]); err != nil {
			return err
		}
	}
	return nil
}

func checkPreferences(person string, raw json.RawMessage) error {
	var p problems
	p.word("person", person, false)
	p.unless(len(raw) > 0 && len(raw) <= preferencesMax && json.Valid(raw), "preferences",
		"must be JSON of at most 32 KiB")
	return p.result("the preferences")
}

func checkDisabledChannel(d *port.DisabledChannel) error {
	var p problems
	p.word("name", d.Name, false)
	p.word("digest", d.Digest, true)
	p.unless(len(d.Why) <= deliveryBody, "why", "is too long")
	return p.result("the disabled channel")
}

// hideDelivery encrypts what a delivery says about people.
func hideDelivery(v *storekit.Vault, d *port.Delivery) ([]byte, error) {
	body, err := json.Marshal(deliverySealed{clean(d.Address), clean(d.Ref), clean(d.Why),
		storekit.Nanos(d.FailsSince)})
	if err != nil {
		return nil, err
	}
	return v.Bytes(body, atDelivery(d.ID)), nil
}

func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "") }

// showDelivery decrypts it.
func showDelivery(v *storekit.Vault, d *port.Delivery, stored []byte) error {
	plain, err := v.Open(stored, atDelivery(d.ID))
	if err != nil {
		return err
	}
	var body deliverySealed
	if err := json.Unmarshal(plain, &body); err != nil {
		return fmt.Errorf("read a delivery: %w", err)
	}
	d.Address, d.Ref, d.Why, d.FailsSince = body.Address, body.Ref, body.Why, storekit.Time(body.Since)
	return nil
}

// hidePreferences encrypts the preferences of a person.
func hidePreferences(v *storekit.Vault, person string, raw []byte) []byte {
	return v.Bytes(raw, atPreferences(person))
}

// showPreferences decrypts them.
func showPreferences(v *storekit.Vault, person string, stored []byte) ([]byte, error) {
	return v.Open(stored, atPreferences(person))
}
