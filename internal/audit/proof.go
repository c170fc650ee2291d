package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// proof is everything about one run. The approvals and decisions are among the events; the entries are those
// of the audit log that belong to the run.
type proof struct {
	Version int              `json:"assent_proof"`
	Run     string           `json:"run"`
	Entries []proofEntry     `json:"entries"`
	Heads   []port.AuditHead `json:"heads"`
	Keys    []proofKey       `json:"keys"`
	Links   []port.AuditLink `json:"links,omitempty"` // between consecutive keys
	Events  []event          `json:"events"`
}

type proofKey struct {
	ID     string `json:"id"`
	Public string `json:"public"`
}

// proofEntry is an entry with its inclusion proof in a signed head: the siblings in the Merkle tree over the
// head's entries, from the leaf up.
type proofEntry struct {
	Entry json.RawMessage `json:"entry"`
	Open  json.RawMessage `json:"open,omitempty"`
	Head  int64           `json:"head"`
	Path  []string        `json:"path"`
}

// provedDetail is the detail of a proof's last entry.
type provedDetail struct {
	Entries int64  `json:"entries"` // about the run, up to Through
	Events  string `json:"events"`  // digest of the commitments of all events
	Seq     int64  `json:"seq"`     // how many there are
	// Through is the last entry of the log that was read. Newer entries about the run concern later events.
	// Proofs from before runs could advance while they were created have none.
	Through int64 `json:"through,omitempty"`
}

const proofVersion = 1

// Prove implements port.Audit. It adds an entry that binds the events to the chain, signs it, and writes
// everything.
func (s *Service) Prove(ctx context.Context, id string, by run.Actor, w io.Writer) error {
	row, err := s.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	p := &proof{Version: proofVersion, Run: id}
	if err := p.readEvents(ctx, s.Store, row.Seq); err != nil {
		return err
	}
	before, through, err := s.entriesUntil(ctx, id, int64(len(p.Events)))
	if err != nil {
		return err
	}
	digest, err := p.eventsDigest()
	if err != nil {
		return err
	}
	n, err := s.Store.AppendAudit(ctx, port.AuditDraft{
		At: s.Now(), Actor: by, Action: ActionProof, Target: id, Run: id,
		Detail: provedDetail{Entries: int64(len(before)), Events: digest, Seq: int64(len(p.Events)), Through: through},
	})
	if err != nil {
		return err
	}
	own, err := s.Store.AuditRows(ctx, n-1, 1)
	if err != nil || len(own) != 1 {
		return fmt.Errorf("read entry %d again: %w", n, err)
	}
	if _, err := s.Cut(ctx); err != nil {
		return err
	}
	if err := s.proveInclusion(ctx, p, append(before, own[0])); err != nil {
		return err
	}
	keys, err := s.keysOnRecord(ctx)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Link != nil {
			p.Links = append(p.Links, *k.Link)
		}
	}
	out, err := value.Marshal(p)
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// readEvents reads the events up to a number: the run may advance in the meantime.
func (p *proof) readEvents(ctx context.Context, store Store, through int64) error {
	after, count := int64(0), 0
	for after < through {
		records, err := store.Events(ctx, p.Run, after, int(min(pageRows, through-after)))
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return fmt.Errorf("run %s has %d events, and event %d is missing; look for damage with: assent doctor", p.Run,
				through, after+1)
		}
		for _, r := range records {
			data, err := run.EncodeFact(r.Fact)
			if err != nil {
				return err
			}
			e := event{Seq: r.Seq, At: r.At, Type: r.Fact.Type(), Actor: r.Actor, Cause: r.Cause, Data: value.Canonical(data),
				Salts: map[string]string{}}
			if err := salt("", e.Data, e.Salts, 0); err != nil {
				return fmt.Errorf("event %d: %w", r.Seq, err)
			}
			if count += len(e.Salts); count > leavesMax {
				return fault.Newf(fault.TooLarge, "run %s has more than %d values; export the audit log instead", p.Run, leavesMax)
			}
			p.Events = append(p.Events, e)
			after = r.Seq
		}
	}
	return nil
}

// eventsDigest is the digest of the events in the last entry.
func (p *proof) eventsDigest() (string, error) {
	parts := make([][]byte, len(p.Events))
	for i := range p.Events {
		c, err := p.Events[i].commitment()
		if err != nil {
			return "", err
		}
		parts[i] = []byte(c)
	}
	return value.Digest(parts...), nil
}

// entriesUntil reads the entries of a run up to one of its events: a run may advance after its events were
// read, and later entries would be about events that the proof does not contain. Entries are stored with
// their events and in the same order, so everything left out comes after everything included.
func (s *Service) entriesUntil(
	ctx context.Context, id string, seq int64,
) (rows []port.AuditRow, through int64, err error) {
	if through, _, err = s.Store.AuditEnd(ctx); err != nil {
		return nil, 0, err
	}
	if rows, err = s.entriesOf(ctx, id); err != nil {
		return nil, 0, err
	}
	for i, r := range rows {
		e, err := port.ReadAuditBody(r.Body)
		if err != nil {
			return nil, 0, bad(r.N, "%v", err)
		}
		about, err := eventOf(e)
		if err != nil {
			return nil, 0, err
		}
		if r.N > through || about > seq {
			return rows[:i], min(through, r.N-1), nil
		}
	}
	return rows, through, nil
}

// eventOf is the event of the run that an entry is about; 0: none.
func eventOf(e port.AuditEntry) (seq int64, err error) {
	var about struct {
		Seq int64 `json:"seq"`
	}
	if err := json.Unmarshal(e.Detail, &about); err != nil {
		return 0, bad(e.N, "its detail cannot be read")
	}
	if e.Outcome != port.AuditDone || e.Action == ActionProof {
		return 0, nil
	}
	return about.Seq, nil
}

// entriesOf reads the entries of a run, oldest first.
func (s *Service) entriesOf(ctx context.Context, id string) (rows []port.AuditRow, err error) {
	q := port.AuditQuery{Target: id, Limit: pageRows}
	for {
		page, err := s.Store.AuditEntries(ctx, q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Items...)
		if page.Next == "" {
			break
		}
		q.Cursor = page.Next
	}
	slices.Reverse(rows)
	return rows, nil
}

// proveInclusion computes the inclusion proof of each entry in a signed head.
func (s *Service) proveInclusion(ctx context.Context, p *proof, rows []port.AuditRow) error {
	keys := map[string]bool{}
	var leafs [][]byte
	for _, r := range rows {
		if n := len(p.Heads); n == 0 || p.Heads[n-1].N < r.N {
			heads, err := s.Store.AuditHeads(ctx, r.N, 1)
			if err != nil {
				return err
			}
			if len(heads) == 0 {
				return bad(r.N, "it is not signed")
			}
			h := heads[0]
			if leafs, err = s.leavesOf(ctx, h); err != nil {
				return err
			}
			p.Heads = append(p.Heads, h)
			if !keys[h.Key] {
				keys[h.Key] = true
				public, err := s.publicOf(ctx, h.Key)
				if err != nil {
					return err
				}
				p.Keys = append(p.Keys, proofKey{h.Key, public})
			}
		}
		h := p.Heads[len(p.Heads)-1]
		e := proofEntry{Entry: r.Body, Open: r.Open, Head: h.N, Path: []string{}}
		for _, neighbour := range path(leafs, int(r.N-h.From)) {
			e.Path = append(e.Path, hex.EncodeToString(neighbour))
		}
		p.Entries = append(p.Entries, e)
	}
	return nil
}

func (s *Service) leavesOf(ctx context.Context, h port.AuditHead) ([][]byte, error) {
	prev := ""
	if h.From > 1 {
		rows, err := s.Store.AuditRows(ctx, h.From-2, 1)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, bad(h.From-1, "it is missing")
		}
		prev = rows[0].Hash
	}
	hashes, err := s.segment(ctx, h.From-1, prev, h.N)
	if err != nil {
		return nil, err
	}
	return leaves(hashes)
}
