package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// When a key is replaced, the old and the new key sign each other. The link is recorded with the new key, so
// anyone who kept either key can verify what was signed with the other.

const (
	// PreviousKeyFile is the file of the key being replaced, until the link is recorded.
	PreviousKeyFile = "audit.key.previous"
	// linkDomain separates signatures of links from all others.
	linkDomain = "assent audit key link 1\n"
)

// Rotation replaces the signing key.
type Rotation interface {
	// Previous is the key being replaced; nil: none.
	Previous() (*Key, error)
	// Renew creates a new key; the current one becomes the previous one.
	Renew() error
	// Retire deletes the previous key after the link is recorded.
	Retire() error
}

// RotationIn rotates the key of a data directory.
type RotationIn string

// Previous implements Rotation.
func (dir RotationIn) Previous() (*Key, error) {
	k, err := readKey(filepath.Join(string(dir), PreviousKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return k, err
}

// Renew implements Rotation. The directory contains a key at all times, and the previous one is written
// before the new one.
func (dir RotationIn) Renew() error {
	key, previous := filepath.Join(string(dir), KeyFile), filepath.Join(string(dir), PreviousKeyFile)
	old, err := readSmall(key, keyMax)
	if err != nil {
		return err
	}
	if err := replaceFile(previous, old); err != nil {
		return err
	}
	fresh, err := newKeyPEM()
	if err != nil {
		return err
	}
	return replaceFile(key, fresh)
}

// Retire implements Rotation.
func (dir RotationIn) Retire() error {
	err := os.Remove(filepath.Join(string(dir), PreviousKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// PreviousKey is a key, in PEM, that was replaced in the settings; empty: none.
type PreviousKey string

// Previous implements Rotation.
func (text PreviousKey) Previous() (*Key, error) {
	if text == "" {
		return nil, nil
	}
	k, err := ParseKey(string(text))
	if err != nil {
		return nil, fault.New(fault.Unsupported, "the previous key of the audit log cannot be used", err.Error())
	}
	return k, nil
}

// Renew implements Rotation.
func (text PreviousKey) Renew() error {
	return fault.New(fault.Unsupported, "the key that signs the audit log is set by audit_key",
		"create a new key, set audit_key to it and audit_key_previous to the old one, and restart")
}

// Retire implements Rotation.
func (text PreviousKey) Retire() error { return nil }

// linkForm is the text that both keys sign.
func linkForm(l port.AuditLink) ([]byte, error) {
	raw, err := value.Marshal(map[string]any{"from": l.From, "to": l.To, "at": l.At})
	return append([]byte(linkDomain), value.Canonical(raw)...), err
}

// linkKeys makes two keys sign each other.
func linkKeys(from, to *Key, at time.Time) (port.AuditLink, error) {
	l := port.AuditLink{From: from.Public, To: to.Public, At: at.UTC()}
	form, err := linkForm(l)
	l.FromSig = base64.StdEncoding.EncodeToString(ed25519.Sign(from.private, form))
	l.ToSig = base64.StdEncoding.EncodeToString(ed25519.Sign(to.private, form))
	return l, err
}

// checkLink returns the ids of two keys that signed each other.
func checkLink(l port.AuditLink) (from, to string, err error) {
	form, err := linkForm(l)
	if err != nil {
		return "", "", err
	}
	for _, end := range []struct {
		id          *string
		public, sig string
	}{{&from, l.From, l.FromSig}, {&to, l.To, l.ToSig}} {
		public, id, err := ParsePublic(end.public)
		if err != nil {
			return "", "", err
		}
		sig, err := base64.StdEncoding.Strict().DecodeString(end.sig)
		if err != nil || !ed25519.Verify(public, form, sig) {
			return "", "", fmt.Errorf("the signature of the key %s for its successor or predecessor is not valid", id)
		}
		*end.id = id
	}
	return from, to, nil
}

// trusted are the ids of the keys reachable from a pinned key, forwards to later ones and back to earlier
// ones. Invalid links lead nowhere.
func trusted(pin string, links []port.AuditLink) (map[string]bool, error) {
	_, first, err := ParsePublic(pin)
	if err != nil {
		return nil, err
	}
	next := map[string][]string{}
	for _, l := range links {
		if from, to, err := checkLink(l); err == nil {
			next[from], next[to] = append(next[from], to), append(next[to], from)
		}
	}
	out := map[string]bool{first: true}
	for todo := []string{first}; len(todo) > 0; todo = todo[1:] {
		for _, id := range next[todo[0]] {
			if !out[id] {
				out[id] = true
				todo = append(todo, id)
			}
		}
	}
	return out, nil
}

// expectKey rejects a key that is not reachable from the expected one.
func expectKey(public ed25519.PublicKey, x Expected, links []port.AuditLink) error {
	if x.Public == "" {
		return nil
	}
	good, err := trusted(x.Public, append(links[:len(links):len(links)], x.Links...))
	if err != nil {
		return err
	}
	if !good[keyID(public)] {
		want, _, _ := ParsePublic(x.Public) // it was parsed before
		return fmt.Errorf("it was signed with the key %s, expected %s", keyID(public), keyID(want))
	}
	return nil
}

// linkTo is the link from the previous key to a new one; nil if there is none.
func (s *Service) linkTo(key *Key) (*port.AuditLink, error) {
	if s.Rotation == nil {
		return nil, nil
	}
	previous, err := s.Rotation.Previous()
	if err != nil || previous == nil || previous.ID == key.ID {
		return nil, err
	}
	link, err := linkKeys(previous, key, s.Now())
	return &link, err
}

// Rotate implements port.Audit. Everything so far is signed with the old key.
func (s *Service) Rotate(ctx context.Context, by run.Actor) (port.AuditKey, error) {
	if s.Rotation == nil {
		return port.AuditKey{}, fault.New(fault.Unsupported, "this server cannot replace the key that signs its audit log",
			"start it with a data directory")
	}
	if _, err := s.Cut(ctx); err != nil {
		return port.AuditKey{}, err
	}
	if err := s.renew(ctx, by); err != nil {
		return port.AuditKey{}, err
	}
	if _, err := s.Cut(ctx); err != nil {
		return port.AuditKey{}, err
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return port.AuditKey{}, err
	}
	return keys[len(keys)-1], nil
}

func (s *Service) renew(ctx context.Context, by run.Actor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.Rotation.Renew(); err != nil {
		return fmt.Errorf("replace the key that signs the audit log: %w", err)
	}
	s.key, s.known, s.rotatedBy = nil, false, by
	_, err := s.ready(ctx)
	return err
}
