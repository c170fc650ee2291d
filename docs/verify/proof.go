package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// sealedAt says where in an event the values are of which an entry holds digests.
var sealedAt = map[string]map[string]string{
	"run.started": {"input": "/input"},
	"run.forked":  {"edits": "/edits"},
	"approval.decided": {"comment": "/decision/comment", "changes": "/decision/changes", "data": "/decision/data",
		"modified": "/decision/proposed"},
	"approval.resolved": {"comment": "/outcome/comment", "data": "/outcome/data", "modified": "/outcome/proposed",
		"content": "/content"},
	"approval.auto_approved": {"proposed": "/request/proposed", "content": "/content"},
	"step.args_changed":      {"changes": "/changes"},
	"call.args_changed":      {"args": "/args"},
	"message.added":          {"text": "/text"},
	"run.cancelling":         {"reason": "/reason"},
	"run.cancelled":          {"reason": "/reason"},
}

type proofFile struct {
	Version int    `json:"assent_proof"`
	Run     string `json:"run"`
	Entries []struct {
		Entry json.RawMessage `json:"entry"`
		Open  json.RawMessage `json:"open"`
		Head  int64           `json:"head"`
		Path  []string        `json:"path"`
	} `json:"entries"`
	Heads []json.RawMessage `json:"heads"`
	Keys  []struct {
		ID     string `json:"id"`
		Public string `json:"public"`
	} `json:"keys"`
	Links  []json.RawMessage            `json:"links"`
	Events []map[string]json.RawMessage `json:"events"`
}

// proof checks everything about one run.
func (v *verifier) proof(file []byte) error {
	var p proofFile
	if err := strictly(file, &p); err != nil || p.Version != 1 {
		return fmt.Errorf("this is not a proof of version 1: %w", err)
	}
	for _, l := range p.Links {
		if err := v.link(l); err != nil {
			return err
		}
	}
	keys := map[string]ed25519.PublicKey{}
	for _, k := range p.Keys {
		public, id, err := publicKey(k.Public)
		if err != nil || id != k.ID {
			return fmt.Errorf("the id of the key %s does not match the key", k.ID)
		}
		keys[id] = public
	}
	heads := map[int64]head{}
	for _, raw := range p.Heads {
		h, err := v.head(raw, keys)
		if err != nil {
			return err
		}
		if err := v.compareKept(h.n, h.hash); err != nil {
			return err
		}
		heads[h.n] = h
	}
	var entries []map[string]json.RawMessage
	last := int64(0)
	for _, x := range p.Entries {
		e, err := fields(x.Entry)
		if err != nil {
			return err
		}
		n := number(e["n"])
		h, ok := heads[x.Head]
		switch {
		case ordered(x.Entry) != nil || n <= last || text(e["run"]) != p.Run:
			return fmt.Errorf("entry %d does not belong here", n)
		case !ok || n < h.from || n > h.n:
			return fmt.Errorf("entry %d is not covered by a signed head", n)
		}
		hash := entryHash(text(e["prev"]), x.Entry)
		if hex.EncodeToString(climb(leaf(hash), int(n-h.from), int(h.n-h.from+1), x.Path)) != h.root {
			return fmt.Errorf("entry %d is not among the signed entries", n)
		}
		if err := values(x.Open, e["sealed"]); err != nil {
			return fmt.Errorf("entry %d: %w", n, err)
		}
		if err := v.compareKept(n, hash); err != nil {
			return err
		}
		last, entries = n, append(entries, e)
	}
	removed, err := events(&p, entries)
	if err != nil {
		return err
	}
	for i, e := range entries[:len(entries)-1] {
		if err := compare(&p, e, p.Entries[i].Open); err != nil {
			return err
		}
	}
	fmt.Printf("✓ all entries about %s: %d entries, %d events, unchanged; %d values redacted\n", p.Run, len(entries),
		len(p.Events), removed)
	return nil
}

// events compares the events with what the last entry says about them.
func events(p *proofFile, entries []map[string]json.RawMessage) (removed int, err error) {
	if len(entries) == 0 || text(entries[len(entries)-1]["action"]) != "run.proved" {
		return 0, errors.New("the last entry does not describe the content of the proof")
	}
	said, err := fields(entries[len(entries)-1]["detail"])
	if err != nil {
		return 0, err
	}
	if number(said["entries"]) != int64(len(entries))-1 || number(said["seq"]) != int64(len(p.Events)) {
		return 0, fmt.Errorf("the proof is about %s entries and %s events, but contains %d and %d",
			said["entries"], said["seq"], len(entries)-1, len(p.Events))
	}
	var commitments []string
	for i, e := range p.Events {
		if number(e["seq"]) != int64(i)+1 {
			return 0, fmt.Errorf("event %s is in the place of event %d", e["seq"], i+1)
		}
		w := walker{salts: map[string]string{}}
		if err := json.Unmarshal(e["salts"], &w.salts); err != nil {
			return 0, err
		}
		if err := w.visit("", e["data"]); err != nil {
			return 0, fmt.Errorf("event %d: %w", i+1, err)
		}
		if w.used != len(w.salts) {
			return 0, fmt.Errorf("event %d has salts for missing values", i+1)
		}
		cause := e["cause"]
		if len(cause) == 0 {
			cause = json.RawMessage(`""`)
		}
		top := fmt.Sprintf("[%s,%s,%s,%s,%s]", e["seq"], e["at"], e["type"], e["actor"], cause)
		commitments = append(commitments, digest(top, w.out.String()))
		removed += w.removed
	}
	if digest(commitments...) != text(said["events"]) {
		return 0, errors.New("the events are not those that were proved")
	}
	return removed, nil
}

// walker writes down a document: a line for each place in it, with the digest of its
// value, so that the text stays the same when a value is taken out.
type walker struct {
	salts         map[string]string
	out           bytes.Buffer
	used, removed int
}

func (w *walker) visit(place string, raw json.RawMessage) error {
	line := func(what string) { fmt.Fprintf(&w.out, "%d %s %s\n", len(place), place, what) }
	if salt, ok := w.salts[place]; ok {
		w.used++
		line(digest(salt, place, string(raw)))
		return nil
	}
	switch {
	case bytes.HasPrefix(raw, []byte("{")):
		m, err := fields(raw)
		if err != nil {
			return err
		}
		gone := text(m["$removed"])
		if _, inside := w.salts[place+"/$removed"]; len(m) == 1 && !inside && len(gone) == 71 &&
			strings.HasPrefix(gone, "sha256:") {
			w.removed++
			line(gone)
			return nil
		}
		line("object")
		var names []string
		for name := range m {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if err := w.visit(place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), m[name]); err != nil {
				return err
			}
		}
		return nil
	case bytes.HasPrefix(raw, []byte("[")):
		line("array")
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		for i, x := range list {
			if err := w.visit(place+"/"+strconv.Itoa(i), x); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the value at %s has no salt", place)
}

// compare holds an entry against the event that it is about.
func compare(p *proofFile, e map[string]json.RawMessage, open json.RawMessage) error {
	detail, err := fields(e["detail"])
	if err != nil {
		return err
	}
	action, seq := text(e["action"]), number(detail["seq"])
	if len(detail["seq"]) == 0 || text(e["outcome"]) != "done" || action == "run.proved" {
		return nil
	}
	if seq < 1 || seq > int64(len(p.Events)) {
		return fmt.Errorf("entry %s is about event %d, which is missing", e["n"], seq)
	}
	x := p.Events[seq-1]
	if text(x["type"]) != action || !bytes.Equal(x["actor"], e["actor"]) || !bytes.Equal(x["at"], e["at"]) {
		return fmt.Errorf("event %d is not what entry %s recorded", seq, e["n"])
	}
	sealed := map[string]string{}
	kept := map[string]struct{ Salt string }{}
	if len(e["sealed"]) > 0 {
		if err := json.Unmarshal(e["sealed"], &sealed); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		if err := json.Unmarshal(open, &kept); err != nil {
			return err
		}
	}
	for name, o := range kept {
		found := []json.RawMessage{at(x["data"], sealedAt[action][name])}
		if name == "original" {
			found = proposed(p.Events[:seq-1], text(e["target"]))
		}
		good := false
		for _, raw := range found {
			good = good || digest(o.Salt, name, string(raw)) == sealed[name]
		}
		if !good {
			return fmt.Errorf("the value %q of event %d is not the one that entry %s recorded", name, seq, e["n"])
		}
	}
	return nil
}

// at finds a value in a document; nil if it is not there.
func at(raw json.RawMessage, where string) json.RawMessage {
	for _, key := range strings.Split(where, "/")[1:] {
		m, err := fields(raw)
		if err != nil {
			return nil
		}
		raw = m[key]
	}
	return raw
}

// proposed are the values that an approval has been about: what was asked for, and
// what decisions made of it.
func proposed(events []map[string]json.RawMessage, approval string) (out []json.RawMessage) {
	for _, e := range events {
		if text(at(e["data"], "/request/id")) == approval {
			out = append(out, at(e["data"], "/request/proposed"))
		}
		if text(at(e["data"], "/id")) == approval {
			out = append(out, at(e["data"], "/decision/proposed"))
		}
	}
	return out
}
