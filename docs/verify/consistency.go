package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// consistency checks that one signed end of the log follows another: every head
// between them begins with an entry that holds the hash at which the one before it
// ended.
func (v *verifier) consistency(file []byte) error {
	var c struct {
		Version int             `json:"assent_consistency"`
		From    json.RawMessage `json:"from"`
		Then    []struct {
			Head  json.RawMessage `json:"head"`
			First json.RawMessage `json:"first"`
			Path  []string        `json:"path"`
			Last  []string        `json:"last"`
		} `json:"then"`
		Keys  []string          `json:"keys"`
		Links []json.RawMessage `json:"links"`
	}
	if err := strictly(file, &c); err != nil || c.Version != 1 {
		return fmt.Errorf("this is not a proof of version 1: %w", err)
	}
	for _, l := range c.Links {
		if err := v.link(l); err != nil {
			return err
		}
	}
	keys := map[string]ed25519.PublicKey{}
	for _, text := range c.Keys {
		public, id, err := publicKey(text)
		if err != nil {
			return err
		}
		keys[id] = public
	}
	at, err := v.head(c.From, keys)
	if err != nil {
		return err
	}
	first, met := at, false
	look := func(h head) error {
		met = met || strings.HasPrefix(v.kept, fmt.Sprintf("%d:", h.n))
		return v.compareKept(h.n, h.hash)
	}
	if err := look(at); err != nil {
		return err
	}
	for _, x := range c.Then {
		h, err := v.head(x.Head, keys)
		if err != nil {
			return err
		}
		e, err := fields(x.First)
		if err != nil {
			return err
		}
		size := int(h.n - h.from + 1)
		switch {
		case h.from != at.n+1 || size < 1 || ordered(x.First) != nil || number(e["n"]) != h.from ||
			text(e["prev"]) != at.hash:
			return fmt.Errorf("the head at %d does not continue the one at %d", h.n, at.n)
		case hex.EncodeToString(climb(leaf(entryHash(at.hash, x.First)), 0, size, x.Path)) != h.root,
			hex.EncodeToString(climb(leaf(h.hash), size-1, size, x.Last)) != h.root:
			return fmt.Errorf("the head at %d is over other entries", h.n)
		}
		if err := look(h); err != nil {
			return err
		}
		at = h
	}
	if v.kept != "" && !met {
		return errors.New("the head that you kept is not covered by this proof")
	}
	fmt.Printf("✓ %d:%s is followed by %d:%s\n", first.n, first.hash, at.n, at.hash)
	return nil
}
