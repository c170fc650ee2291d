package port

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// The form of an entry. Stores write it and internal/audit verifies it, so the form is part of the port: the canonical
// JSON of the entry (keys sorted, no spaces) without its hash and without opened values. Its hash is
//
//	hash = sha256(prev + form)
//
// where prev is the hash of the previous entry, in hexadecimal.

const (
	auditWordMax = 255      // bytes of a name, an action, a target
	auditOpenMax = 16 << 10 // bytes of a sealed value that the entry stores
	saltSize     = 16
)

// AuditStart takes the place of the previous hash in the first entry.
var AuditStart = strings.Repeat("0", 2*sha256.Size)

// AuditForm is an entry with gaps for its number and for the previous hash: all that can be prepared before its place
// in the chain is known.
type AuditForm struct {
	AuditRow          // without N, Body and Hash
	head, middle, end []byte
}

// OpenedValue is a sealed value that can be compared with its digest. Without a
// value it is in the run's log.
type OpenedValue struct {
	Salt  string          `json:"salt"`
	Value json.RawMessage `json:"value,omitempty"`
}

// SealDigest is the digest of a value in the chain.
func SealDigest(salt, name string, v json.RawMessage) string {
	return value.Digest([]byte(salt), []byte(name), value.Canonical(v))
}

// NewSalt creates a salt; no two values have the same.
func NewSalt() string {
	var b [saltSize]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Form prepares all of an entry that does not depend on its place.
func (d *AuditDraft) Form() (*AuditForm, error) {
	detail := json.RawMessage(`{}`)
	switch given := d.Detail.(type) {
	case nil:
	case json.RawMessage:
		detail = given
	default:
		raw, err := value.Marshal(given)
		if err != nil {
			return nil, fmt.Errorf("write an audit entry: %w", err)
		}
		detail = value.Canonical(raw)
	}
	var sealed map[string]string
	var open map[string]OpenedValue
	for _, s := range d.Sealed {
		if len(s.Value) == 0 {
			continue
		}
		if sealed == nil {
			sealed, open = map[string]string{}, map[string]OpenedValue{}
		}
		o := OpenedValue{Salt: NewSalt()}
		canonical := value.Canonical(s.Value)
		if !s.Beside && len(canonical) <= auditOpenMax {
			o.Value = canonical
		}
		sealed[s.Name], open[s.Name] = value.Digest([]byte(o.Salt), []byte(s.Name), canonical), o
	}
	e := AuditEntry{
		At: d.At.UTC(), Actor: auditActor(d.Actor),
		Action: auditWord(d.Action), Target: auditWord(d.Target), Run: auditWord(d.Run),
		Outcome: AuditOutcome(auditWord(string(d.Outcome))), Detail: detail, Sealed: sealed,
	}
	if e.Outcome == "" {
		e.Outcome = AuditDone
	}
	if e.Run == "" && strings.HasPrefix(e.Target, "run_") {
		e.Run = e.Target
	}
	f := e.form()
	f.Open = openForm(open)
	return f, nil
}

// auditActor is an actor whose text can be stored.
func auditActor(a run.Actor) run.Actor {
	return run.Actor{
		Kind: run.ActorKind(auditWord(string(a.Kind))), Name: auditWord(a.Name),
		Issuer: auditWord(a.Issuer), Subject: auditWord(a.Subject),
	}
}

// form writes an entry whose text is already clean.
func (e *AuditEntry) form() *AuditForm {
	f := &AuditForm{AuditRow: AuditRow{At: e.At, Actor: e.Actor.Name, Action: e.Action, Target: e.Target, Run: e.Run,
		Outcome: string(e.Outcome)}}
	b := make([]byte, 0, 160+len(e.Action)+len(e.Actor.Name)+len(e.Detail))
	b = appendText(append(b, `{"action":`...), e.Action)
	b = append(b, `,"actor":{`...)
	if e.Actor.Issuer != "" {
		b = append(appendText(append(b, `"issuer":`...), e.Actor.Issuer), ',')
	}
	b = appendText(append(b, `"kind":`...), string(e.Actor.Kind))
	if e.Actor.Name != "" {
		b = appendText(append(b, `,"name":`...), e.Actor.Name)
	}
	if e.Actor.Subject != "" {
		b = appendText(append(b, `,"subject":`...), e.Actor.Subject)
	}
	b = e.At.AppendFormat(append(b, `},"at":"`...), time.RFC3339Nano)
	b = append(append(append(b, `","detail":`...), e.Detail...), `,"n":`...)
	f.head = b
	f.middle = append(appendText([]byte(`,"outcome":`), string(e.Outcome)), `,"prev":"`...)
	end := append(make([]byte, 0, 64+len(e.Run)+len(e.Target)+112*len(e.Sealed)), '"')
	if e.Run != "" {
		end = appendText(append(end, `,"run":`...), e.Run)
	}
	if len(e.Sealed) > 0 {
		end = append(end, `,"sealed":{`...)
		for i, name := range slices.Sorted(maps.Keys(e.Sealed)) {
			if i > 0 {
				end = append(end, ',')
			}
			end = appendText(append(appendText(end, name), ':'), e.Sealed[name])
		}
		end = append(end, '}')
	}
	f.end = append(appendText(append(end, `,"target":`...), e.Target), '}')
	return f
}

// Link puts an entry in its place.
func (f *AuditForm) Link(n int64, prev string) (body []byte, hash string) {
	body = make([]byte, 0, len(f.head)+len(f.middle)+len(f.end)+len(prev)+20)
	body = append(strconv.AppendInt(append(body, f.head...), n, 10), f.middle...)
	body = append(append(body, prev...), f.end...)
	return body, AuditHash(prev, body)
}

// AuditHash is the hash of an entry that follows another.
func AuditHash(prev string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// ReadAuditBody reads the output of Link. Anything that Link would not have written in exactly this form is refused:
// there is one way to write an entry.
func ReadAuditBody(body []byte) (AuditEntry, error) {
	var e AuditEntry
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, fmt.Errorf("it is not an entry: %w", err)
	}
	if again, _ := e.form().Link(e.N, e.Prev); !bytes.Equal(again, body) || e.Hash != "" || e.Values != nil {
		return e, fmt.Errorf("it is not in canonical form")
	}
	return e, nil
}

// ReadOpen reads the opened values of an entry and compares them with their digests. Beside are those whose value is
// elsewhere, by name.
func ReadOpen(open []byte, sealed map[string]string) (map[string]OpenedValue, error) {
	if len(open) == 0 {
		return nil, nil
	}
	var all map[string]OpenedValue
	d := json.NewDecoder(bytes.NewReader(open))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("its values cannot be read: %w", err)
	}
	if !bytes.Equal(openForm(all), open) {
		return nil, fmt.Errorf("its values are not in canonical form")
	}
	for name, o := range all {
		if sealed[name] == "" {
			return nil, fmt.Errorf("it has an unknown value %q", name)
		}
		if len(o.Value) > 0 && SealDigest(o.Salt, name, o.Value) != sealed[name] {
			return nil, fmt.Errorf("its value %q is not the one that was recorded", name)
		}
	}
	return all, nil
}

// OpenWith keeps the opened values that are wanted.
func OpenWith(open []byte, wanted func(OpenedValue) bool) ([]byte, error) {
	if len(open) == 0 {
		return nil, nil
	}
	var all map[string]OpenedValue
	if err := json.Unmarshal(open, &all); err != nil {
		return nil, fmt.Errorf("its values cannot be read: %w", err)
	}
	maps.DeleteFunc(all, func(_ string, o OpenedValue) bool { return !wanted(o) })
	return openForm(all), nil
}

func openForm(all map[string]OpenedValue) []byte {
	if len(all) == 0 {
		return nil
	}
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(appendText(b, name), `:{"salt":`...), all[name].Salt)
		if v := all[name].Value; len(v) > 0 {
			b = append(append(b, `,"value":`...), v...)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// auditWord makes any text safe for the indexes of every store.
func auditWord(s string) string {
	clean := func() bool {
		for i := range len(s) {
			if c := s[i]; c == 0 || c >= 0x80 {
				return false
			}
		}
		return len(s) <= auditWordMax
	}
	if clean() {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) > auditWordMax {
		end := auditWordMax - len("…")
		for end > 0 && s[end]&0xC0 == 0x80 {
			end--
		}
		s = s[:end] + "…"
	}
	return s
}

// AppendText writes a text as JSON, directly if it needs no escaping.
func AppendText(b []byte, s string) []byte { return appendText(b, s) }

func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			quoted, _ := value.Marshal(s) // a string always marshals
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
