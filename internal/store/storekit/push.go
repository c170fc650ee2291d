package storekit

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
)

const (
	endpointMax = 2048 // bytes
	browserMax  = 200
	keyBytes    = 65 // of an uncompressed point of P-256
	secretBytes = 16
	pushKeyMax  = 1024
)

func atPush(id string) seal.Place { return seal.Place{Table: "pushes.body", ID: id} }
func atPushKey() seal.Place       { return seal.Place{Table: "push_keys.body", ID: PushKeyID} }

// PushKeyID is the id of the only key.
const PushKeyID = "vapid"

// pushBody is the encrypted part of a subscription: with it, anyone could send messages to the browser.
type pushBody struct {
	Browser  string `json:"browser"`
	Endpoint string `json:"endpoint"`
	P256DH   []byte `json:"p256dh"`
	Auth     []byte `json:"auth"`
}

// CheckPush validates a subscription. Errors do not quote it.
func CheckPush(p *port.Push) error {
	var c checker
	c.id("id", p.ID)
	c.id("person", p.Person)
	c.word("session", p.Session)
	if p.Browser != "" && !word(p.Browser, browserMax) {
		c.add("browser", "must be at most %d bytes of text without NUL", browserMax)
	}
	if !word(p.Endpoint, endpointMax) {
		c.add("endpoint", "must be 1 to %d bytes of text without NUL", endpointMax)
	}
	if len(p.P256DH) != keyBytes {
		c.add("p256dh", "must have %d bytes", keyBytes)
	}
	if len(p.Auth) != secretBytes {
		c.add("auth", "must have %d bytes", secretBytes)
	}
	c.time("created_at", p.CreatedAt)
	c.time("renewed_at", p.RenewedAt)
	return c.result("the subscription to push messages")
}

// CheckPushKey validates a key.
func CheckPushKey(key []byte) error {
	var c checker
	if len(key) == 0 || len(key) > pushKeyMax {
		c.add("key", "must have 1 to %d bytes", pushKeyMax)
	}
	return c.result("the key of push messages")
}

// HidePush encrypts the body of a subscription.
func (v *Vault) HidePush(p *port.Push) ([]byte, error) {
	body, err := json.Marshal(pushBody{p.Browser, p.Endpoint, p.P256DH, p.Auth})
	if err != nil {
		return nil, err
	}
	return v.Bytes(body, atPush(p.ID)), nil
}

// ShowPush decrypts the body of a subscription.
func (v *Vault) ShowPush(p *port.Push, stored []byte) error {
	plain, err := v.Open(stored, atPush(p.ID))
	if err != nil {
		return err
	}
	var body pushBody
	if err := json.Unmarshal(plain, &body); err != nil {
		return fmt.Errorf("read a subscription to push messages: %w", err)
	}
	p.Browser, p.Endpoint, p.P256DH, p.Auth = body.Browser, body.Endpoint, body.P256DH, body.Auth
	return nil
}

// HidePushKey encrypts the key of push messages.
func (v *Vault) HidePushKey(key []byte) []byte { return v.Bytes(key, atPushKey()) }

// ShowPushKey decrypts it.
func (v *Vault) ShowPushKey(stored []byte) ([]byte, error) { return v.Open(stored, atPushKey()) }
