package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// event is an event of the run in a proof. Every value in its data that is not an object or list has a salt;
// a redacted value is {"$removed": digest}, without a salt.
type event struct {
	Seq   int64             `json:"seq"`
	At    time.Time         `json:"at"`
	Type  string            `json:"type"`
	Actor run.Actor         `json:"actor"`
	Cause string            `json:"cause,omitempty"`
	Data  json.RawMessage   `json:"data"`
	Salts map[string]string `json:"salts"` // by JSON pointer
}

const (
	removedKey = "$removed"
	leavesMax  = 200_000 // values of one run that can be proved individually
	depthMax   = 200
)

// commitment is the digest of an event: of the paths of its values and their digests, so that it does not
// change when a value is redacted.
func (e *event) commitment() (string, error) {
	w := walker{salts: e.Salts}
	if err := w.visit("", e.Data, 0); err != nil {
		return "", fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if w.used != len(e.Salts) {
		return "", fmt.Errorf("event %d has salts for missing values", e.Seq)
	}
	head, err := value.Marshal([]any{e.Seq, e.At, e.Type, e.Actor, e.Cause})
	if err != nil {
		return "", err
	}
	return value.Digest(head, w.out.Bytes()), nil
}

// walker serialises a document: one line per path.
type walker struct {
	salts map[string]string
	out   bytes.Buffer
	used  int
	gone  int
}

func (w *walker) visit(at string, v json.RawMessage, depth int) error {
	if depth > depthMax {
		return fmt.Errorf("it is nested more than %d deep", depthMax)
	}
	kind := value.KindOf(v)
	if _, salted := w.salts[at]; salted {
		w.used++
		w.line(at, sealed(w.salts[at], at, v))
		return nil
	}
	if digest, ok := w.removed(at, v); ok {
		w.gone++
		w.line(at, digest)
		return nil
	}
	switch kind {
	case value.KindObject:
		w.line(at, kind.String())
		members, err := sortedMembers(v)
		if err != nil {
			return err
		}
		for _, m := range members {
			if err := w.visit(at+"/"+escape(m.Key), m.Value, depth+1); err != nil {
				return err
			}
		}
		return nil
	case value.KindArray:
		w.line(at, kind.String())
		for i, x := range value.Elements(v) {
			if err := w.visit(at+"/"+strconv.Itoa(i), x, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the value at %s has no salt", at)
}

// line adds a path, prefixed with its length, so that different documents never serialise to the same text.
func (w *walker) line(at, what string) {
	fmt.Fprintf(&w.out, "%d %s %s\n", len(at), at, what)
}

// sealed is the digest of a value at a path.
func sealed(salt, at string, v json.RawMessage) string { return port.SealDigest(salt, at, v) }

// removed is the digest in place of a redacted value. A document that happens to look like that has a salt
// inside.
func (w *walker) removed(at string, v json.RawMessage) (string, bool) {
	if value.KindOf(v) != value.KindObject {
		return "", false
	}
	if _, inside := w.salts[at+"/"+removedKey]; inside {
		return "", false
	}
	n := 0
	var digest string
	for key, x := range value.Members(v) {
		n++
		// Anything but a digest could represent more than one path.
		if text, ok := value.Text(x); ok && key == removedKey && isDigest(text) {
			digest = text
		}
	}
	return digest, n == 1 && digest != ""
}

func isDigest(s string) bool {
	h, ok := strings.CutPrefix(s, "sha256:")
	_, err := leafHash(h)
	return ok && err == nil && h == strings.ToLower(h)
}

// salt assigns every value of a document a salt.
func salt(at string, v json.RawMessage, salts map[string]string, depth int) error {
	if depth > depthMax {
		return fmt.Errorf("it is nested more than %d deep", depthMax)
	}
	switch value.KindOf(v) {
	case value.KindObject:
		members, err := sortedMembers(v)
		if err != nil {
			return err
		}
		for _, m := range members {
			if err := salt(at+"/"+escape(m.Key), m.Value, salts, depth+1); err != nil {
				return err
			}
		}
	case value.KindArray:
		for i, x := range value.Elements(v) {
			if err := salt(at+"/"+strconv.Itoa(i), x, salts, depth+1); err != nil {
				return err
			}
		}
	default:
		salts[at] = port.NewSalt()
	}
	return nil
}

// sortedMembers are the members of an object by name.
func sortedMembers(v json.RawMessage) ([]value.Member, error) {
	var out []value.Member
	seen := map[string]bool{}
	for key, x := range value.Members(v) {
		if seen[key] {
			return nil, fmt.Errorf("duplicate key %q", key)
		}
		seen[key] = true
		out = append(out, value.Member{Key: key, Value: x})
	}
	slices.SortFunc(out, func(a, b value.Member) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func escape(key string) string { return escaper.Replace(key) }

// without redacts the values of a document that out selects, and drops their salts.
func without(
	at string, v json.RawMessage, salts map[string]string, out func(at string, v json.RawMessage) bool,
) json.RawMessage {
	if s, leaf := salts[at]; leaf {
		if !out(at, v) {
			return v
		}
		delete(salts, at)
		text, _ := value.Marshal(sealed(s, at, v)) // a text can always be encoded
		return value.Object(value.Member{Key: removedKey, Value: text})
	}
	switch value.KindOf(v) {
	case value.KindObject:
		var members []value.Member
		for key, x := range value.Members(v) {
			members = append(members, value.Member{Key: key, Value: without(at+"/"+escape(key), x, salts, out)})
		}
		return value.Object(members...)
	case value.KindArray:
		list := value.Elements(v)
		for i, x := range list {
			list[i] = without(at+"/"+strconv.Itoa(i), x, salts, out)
		}
		return value.Array(list...)
	}
	return v
}
