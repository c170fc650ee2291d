package audit

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// IsProof reports whether a file begins like a proof.
func IsProof(start []byte) bool { return bytes.HasPrefix(start, []byte(`{"assent_proof":`)) }

// readProof parses the output of Prove or Redact, and nothing else.
func readProof(file []byte) (*proof, error) {
	var p proof
	err := readCanonical(file, &p, "proof", func() error {
		if p.Version != proofVersion {
			return fmt.Errorf("the proof has version %d, this release supports %d", p.Version, proofVersion)
		}
		return nil
	})
	return &p, err
}

// readCanonical parses a file with one document, and accepts only the bytes that this package writes for it. Check
// comes first: another version has another form.
func readCanonical(file []byte, doc any, what string, check func() error) error {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(doc); err != nil {
		return fmt.Errorf("not a valid %s: %w", what, err)
	}
	if err := check(); err != nil {
		return err
	}
	if again, err := value.Marshal(doc); err != nil || !bytes.Equal(append(again, '\n'), file) {
		return errors.New("it is not in canonical form: it was changed")
	}
	return nil
}

// VerifyProof verifies the output of Prove, also after redaction.
func VerifyProof(file []byte, x Expected) (Result, error) {
	want, err := x.parse()
	if err != nil {
		return Result{}, err
	}
	r := Result{Pinned: x.Public != ""}
	p, err := readProof(file)
	if err != nil {
		return r.failed(err), nil
	}
	v := proofReader{proof: p, x: x, want: want}
	if err := v.verify(); err != nil {
		return r.failed(err), nil
	}
	last := p.Heads[len(p.Heads)-1]
	r.OK, r.Run, r.Entries, r.Removed = true, p.Run, int64(len(p.Entries)), v.removed
	r.Head, r.Key, r.Public, r.SignedAt = FormatHead(last.N, last.Hash), last.Key, p.Keys[len(p.Keys)-1].Public, last.At
	return r, nil
}

type proofReader struct {
	*proof
	x       Expected
	want    known
	heads   map[int64]port.AuditHead
	entries []port.AuditEntry
	removed int
}

func (v *proofReader) verify() error {
	if err := v.readHeads(); err != nil {
		return err
	}
	for i := range v.Entries {
		if err := v.readEntry(&v.Entries[i]); err != nil {
			return err
		}
	}
	if len(v.entries) == 0 {
		return errors.New("it contains no entries")
	}
	if err := v.compareEvents(); err != nil {
		return err
	}
	for i, e := range v.entries[:len(v.entries)-1] {
		if err := v.compareEntry(e, v.Entries[i].Open); err != nil {
			return err
		}
	}
	return nil
}

// readHeads checks that every head is signed with an accepted key.
func (v *proofReader) readHeads() error {
	keys := map[string]ed25519.PublicKey{}
	for _, k := range v.Keys {
		public, id, err := ParsePublic(k.Public)
		if err != nil || id != k.ID {
			return fmt.Errorf("the id of the key %s does not match the key", shorten(k.ID))
		}
		if err := expectKey(public, v.x, v.Links); err != nil {
			return err
		}
		keys[id] = public
	}
	v.heads = map[int64]port.AuditHead{}
	for _, h := range v.proof.Heads {
		public, ok := keys[h.Key]
		if !ok {
			return fmt.Errorf("the key %s of a head is missing", shorten(h.Key))
		}
		if err := checkSignature(h, public); err != nil {
			return err
		}
		if err := v.want.compare(h.N, h.Hash); err != nil {
			return err
		}
		v.heads[h.N] = h
	}
	return nil
}

// readEntry checks that an entry belongs to a signed head.
func (v *proofReader) readEntry(p *proofEntry) error {
	e, err := port.ReadAuditBody(p.Entry)
	if err != nil {
		return err
	}
	if n := len(v.entries); n > 0 && v.entries[n-1].N >= e.N {
		return bad(e.N, "it is out of order")
	}
	if e.Run != v.Run {
		return bad(e.N, "it belongs to another run")
	}
	e.Hash = port.AuditHash(e.Prev, p.Entry)
	h, ok := v.heads[p.Head]
	if !ok || e.N < h.From || e.N > h.N || h.N-h.From >= segmentMax {
		return bad(e.N, "it has no head")
	}
	if err := leadsTo(h.Root, e.Hash, int(e.N-h.From), int(h.N-h.From+1), p.Path); err != nil {
		return bad(e.N, "%v", err)
	}
	if _, err := port.ReadOpen(p.Open, e.Sealed); err != nil {
		return bad(e.N, "%v", err)
	}
	v.entries = append(v.entries, e)
	return v.want.compare(e.N, e.Hash)
}

// compareEvents checks that the events and entries are those that the last entry counted.
func (v *proofReader) compareEvents() error {
	last := v.entries[len(v.entries)-1]
	var said provedDetail
	if err := json.Unmarshal(last.Detail, &said); err != nil || last.Action != ActionProof {
		return bad(last.N, "it does not describe the content of the proof")
	}
	if n := len(v.entries) - 1; n > 0 && said.Through > 0 && (v.entries[n-1].N > said.Through || last.N <= said.Through) {
		return bad(last.N, "it was created when the log ended at %d", said.Through)
	}
	if int64(len(v.entries))-1 != said.Entries {
		return bad(last.N, "the run had %d entries, and the proof contains %d", said.Entries, len(v.entries)-1)
	}
	if int64(len(v.Events)) != said.Seq {
		return bad(last.N, "the run had %d events, and the proof contains %d", said.Seq, len(v.Events))
	}
	for i := range v.Events {
		e := &v.Events[i]
		if e.Seq != int64(i)+1 {
			return fmt.Errorf("event %d is in the place of event %d", e.Seq, i+1)
		}
		w := walker{salts: e.Salts}
		if err := w.visit("", e.Data, 0); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
		v.removed += w.gone
	}
	digest, err := v.eventsDigest()
	if err != nil {
		return err
	}
	if digest != said.Events {
		return bad(last.N, "the events are not those that it was created for")
	}
	return nil
}

// candidates are the values in the events that a sealed value may be: the one at its path, or, for the
// subject of a decision, earlier proposals.
func (v *proofReader) candidates(e port.AuditEntry, x *event, name string) (out []json.RawMessage) {
	if where := port.SealedPaths[e.Action][name]; where != nil {
		if got, ok := value.Get(x.Data, where...); ok {
			out = append(out, got)
		}
		return out
	}
	for _, earlier := range v.Events[:x.Seq-1] {
		out = append(out, proposals(earlier.Data, e.Target)...)
	}
	return out
}

// compareEntry checks that an entry agrees with the events.
func (v *proofReader) compareEntry(e port.AuditEntry, openForm []byte) error {
	seq, err := eventOf(e)
	if err != nil || seq == 0 {
		return err // it is about no event
	}
	if seq < 0 || seq > int64(len(v.Events)) { // they are numbered from 1, without gaps
		return bad(e.N, "event %d is missing", seq)
	}
	x := &v.Events[seq-1]
	if x.Type != e.Action || x.Actor != e.Actor || !x.At.Equal(e.At) {
		return bad(e.N, "event %d is not what it recorded", seq)
	}
	open, err := port.ReadOpen(openForm, e.Sealed)
	if err != nil {
		return bad(e.N, "%v", err)
	}
	for name, o := range open {
		if !slices.ContainsFunc(v.candidates(e, x, name),
			func(got json.RawMessage) bool { return port.SealDigest(o.Salt, name, got) == e.Sealed[name] }) {
			return bad(e.N, "the value %q of event %d is not the one that was recorded", name, seq)
		}
	}
	return nil
}
