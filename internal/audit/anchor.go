package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// AnchorFile is the name of the anchor in the data directory, next to the key.
const AnchorFile = "audit.anchor"

const anchorMax = 1 << 20 // bytes of an anchor

// Anchor is the last signed head, kept outside the database: write access to the database is enough to
// rebuild the whole log, but not to change the anchor.
type Anchor struct {
	Head port.AuditHead `json:"head"` // the zero head: nothing is signed yet
	Keys []string       `json:"keys"` // public keys that have signed so far, oldest first
	// Tip is an entry after the head that was seen here. It is updated about once a second, so that entries
	// that are not signed yet cannot be rewritten either.
	Tip *Tip `json:"tip,omitempty"`
}

// Tip is an entry of the log.
type Tip struct {
	N    int64  `json:"n"`
	Hash string `json:"hash"`
}

// end is the newest entry that the anchor knows.
func (a Anchor) end() Tip {
	if a.Tip != nil && a.Tip.N > a.Head.N {
		return *a.Tip
	}
	return Tip{a.Head.N, a.Head.Hash}
}

// trusts reports whether a public key has signed before.
func (a Anchor) trusts(public string) bool { return slices.Contains(a.Keys, public) }

// Anchors stores an anchor. Load returns fs.ErrNotExist if there is none.
type Anchors interface {
	Load() (Anchor, error)
	Keep(Anchor) error
}

// AnchorIn stores the anchor in a file.
type AnchorIn string

// AnchorFor is the anchor of a database in a data directory; the embedded one has no name.
func AnchorFor(dir, database string) AnchorIn {
	if database == "" {
		return AnchorIn(filepath.Join(dir, AnchorFile))
	}
	h := sha256.Sum256([]byte(database))
	return AnchorIn(filepath.Join(dir, AnchorFile+"."+hex.EncodeToString(h[:8])))
}

// Load implements Anchors.
func (file AnchorIn) Load() (a Anchor, err error) {
	b, err := readSmall(string(file), anchorMax)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return a, fmt.Errorf("%s cannot be read: %w", string(file), err)
	}
	return a, nil
}

// Keep implements Anchors. The file is replaced atomically.
func (file AnchorIn) Keep(a Anchor) error {
	b, err := value.Marshal(a)
	if err != nil {
		return err
	}
	return replaceFile(string(file), append(b, '\n'))
}

// anchored is the anchor, if one is configured and exists.
func (s *Service) anchored() (a Anchor, there bool, err error) {
	if s.Anchor == nil {
		return a, false, nil
	}
	a, err = s.Anchor.Load()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Anchor{}, false, nil
	case err != nil:
		return a, false, fmt.Errorf("read the anchor of the audit log: %w", err)
	}
	return a, true, nil
}

// follow checks that the log still continues the last signed head: that later heads were signed by a trusted
// key, and that nothing before it was replaced. Without an anchor the log is read from its start, and trusted
// as it is, once.
func (s *Service) follow(ctx context.Context, key *Key) error {
	if s.Anchor == nil {
		return nil
	}
	a, there, err := s.anchored()
	if err != nil {
		return err
	}
	last, err := s.Store.LastAuditHead(ctx)
	if err != nil {
		return err
	}
	if !there {
		err = s.firstAnchor(ctx, last, key)
	} else if err = s.holdsTo(ctx, a, last); err == nil {
		err = s.signedSince(ctx, a, key)
	}
	if b, ok := asBad(err); ok {
		return &unsigned{fault.New(fault.Conflict, "signing of the audit log has stopped: "+b.Error(),
			"find out who changed the database; after an older copy was restored: assent audit accept"), b}
	}
	return err
}

// unsigned explains why nothing is signed, to people and to programs.
type unsigned struct {
	told    *fault.Error
	because *Bad
}

func (e *unsigned) Error() string { return e.told.Error() }

// Unwrap makes both available to errors.As.
func (e *unsigned) Unwrap() []error { return []error{e.told, e.because} }

// holdsTo compares the log with the anchor.
func (s *Service) holdsTo(ctx context.Context, a Anchor, last port.AuditHead) error {
	if err := s.stillThere(ctx, Tip{a.Head.N, a.Head.Hash}, "signed"); err != nil {
		return err
	}
	switch {
	case last.N < a.Head.N:
		return bad(a.Head.N, "its signed head is missing")
	case last.N == a.Head.N && last.N > 0 && last != a.Head:
		return bad(a.Head.N, "its head is not the one that this server signed")
	}
	return s.stillThere(ctx, a.end(), "saw")
}

// stillThere finds an entry that was signed or seen here.
func (s *Service) stillThere(ctx context.Context, was Tip, done string) error {
	if was.N == 0 {
		return nil
	}
	rows, err := s.Store.AuditRows(ctx, was.N-1, 1)
	switch {
	case err != nil:
		return err
	case len(rows) == 0 || rows[0].N != was.N:
		return bad(was.N, "this server %s it, and the log ends earlier", done)
	case rows[0].Hash != was.Hash || port.AuditHash(prevOf(rows[0]), rows[0].Body) != rows[0].Hash:
		return bad(was.N, "it is not the entry that this server %s", done)
	}
	return nil
}

// noteTip advances the anchor's tip after checking the new entries. It is called every second, so under load
// it may lag behind.
func (s *Service) noteTip(ctx context.Context) error {
	if s.Anchor == nil {
		return nil
	}
	n, _, err := s.Store.AuditEnd(ctx)
	if err != nil || n == s.tipped {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, there, err := s.anchored()
	if err != nil || !there {
		return err // the first head creates one
	}
	was := a.end()
	if err := s.stillThere(ctx, was, "seen"); err != nil || n <= was.N {
		return err
	}
	hashes, err := s.segment(ctx, was.N, was.Hash, min(n, was.N+tipMax))
	if err != nil {
		return err
	}
	a.Tip = &Tip{was.N + int64(len(hashes)), hashes[len(hashes)-1]}
	if err := s.Anchor.Keep(a); err != nil {
		return fmt.Errorf("keep the anchor of the audit log: %w", err)
	}
	s.tipped = a.Tip.N
	return nil
}

// prevOf is the hash that an entry names as its predecessor.
func prevOf(row port.AuditRow) string {
	e, err := port.ReadAuditBody(row.Body)
	if err != nil {
		return ""
	}
	return e.Prev
}

// signedSince checks the heads after the anchor, signed by another process, or by this one before it could
// update the anchor.
func (s *Service) signedSince(ctx context.Context, a Anchor, key *Key) error {
	keys := map[string]ed25519.PublicKey{}
	for _, text := range append(slices.Clone(a.Keys), key.Public) {
		public, id, err := ParsePublic(text)
		if err != nil {
			return fmt.Errorf("a key in the anchor of the audit log: %w", err)
		}
		keys[id] = public
	}
	for at := a.Head; ; {
		heads, err := s.Store.AuditHeads(ctx, at.N+1, pageRows)
		if err != nil || len(heads) == 0 {
			return err
		}
		for _, h := range heads {
			public, known := keys[h.Key]
			if !known {
				return bad(h.N, "its head was signed with the key %s, which this server has never used. "+
					"If another process signs, set the same audit_key for all", h.Key)
			}
			if err := checkSignature(h, public); err != nil {
				return bad(h.N, "%v", err)
			}
			hashes, err := s.segment(ctx, at.N, at.Hash, h.N)
			if err != nil {
				return err
			}
			if root, err := rootOf(hashes); err != nil || h.From != at.N+1 || root != h.Root || hashes[len(hashes)-1] != h.Hash {
				return bad(h.N, "its head does not match the entries before it")
			}
			at = h
		}
	}
}

// firstAnchor creates a missing anchor: for a new log, or for one from before anchors existed.
func (s *Service) firstAnchor(ctx context.Context, last port.AuditHead, key *Key) error {
	if last.N == 0 {
		keys, err := s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionKey, Limit: 1})
		if err != nil {
			return err
		}
		if len(keys.Items) > 0 {
			return bad(keys.Items[0].N, "the log was signed with a key from there on, and no signed head is left")
		}
		if err := s.unsignedSoFar(ctx); err != nil {
			return err
		}
		return s.Anchor.Keep(Anchor{Keys: []string{key.Public}})
	}
	if last.Key != key.ID {
		return bad(last.N, "its head was signed with the key %s, and this server uses %s. "+
			"If several processes share the database, set the same audit_key for all", last.Key, key.ID)
	}
	if err := s.wholeLog(ctx); err != nil {
		return err
	}
	s.Log.Warn("the audit log had no anchor outside the database; it is accepted as it is",
		"entries", last.N, "hash", last.Hash)
	return s.keepAnchor(ctx, Anchor{}, last, key)
}

// unsignedAtMost is how old the entries of a log may be that no server has signed: one signs within seconds.
const unsignedAtMost = 10 * time.Minute

// unsignedSoFar checks a log without a signature before the first one, and reports it unless it is new.
func (s *Service) unsignedSoFar(ctx context.Context) error {
	rows, err := s.Store.AuditRows(ctx, 0, 1)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := s.wholeLog(ctx); err != nil {
		return err
	}
	if s.Now().Sub(rows[0].At) > unsignedAtMost {
		s.Log.Warn("the audit log was never signed, and has no anchor outside the database; it is accepted as it is",
			"since", rows[0].At)
	}
	return nil
}

// wholeLog checks the log from its first entry on.
func (s *Service) wholeLog(ctx context.Context) error {
	check, err := s.Check(ctx, 0, 0)
	if err == nil && !check.OK {
		return bad(*check.FirstBad, "%s", check.Why)
	}
	return err
}

// Accept implements port.Audit.
func (s *Service) Accept(ctx context.Context, by run.Actor, reason string) (port.AuditHead, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Anchor == nil {
		return port.AuditHead{}, fault.New(fault.Unsupported, "this server has no anchor for its audit log",
			"start it with a data directory")
	}
	a, _, err := s.anchored()
	if err != nil {
		return port.AuditHead{}, err
	}
	key, err := s.Key()
	if err != nil {
		return port.AuditHead{}, err
	}
	last, err := s.Store.LastAuditHead(ctx)
	if err != nil {
		return last, err
	}
	_, err = s.Store.AppendAudit(ctx, port.AuditDraft{
		At: s.Now(), Actor: by, Action: ActionAccept, Target: "audit",
		Detail: map[string]any{"reason": reason, "was": standsAt(a.Head), "is": standsAt(last)},
	})
	if err != nil {
		return last, err
	}
	a.Tip = nil
	return last, s.keepAnchor(ctx, a, last, key)
}

// standsAt formats a head for people to keep.
func standsAt(h port.AuditHead) string { return fmt.Sprintf("%d:%s", h.N, h.Hash) }

// keepAnchor stores a head as the last signed one.
func (s *Service) keepAnchor(ctx context.Context, a Anchor, head port.AuditHead, key *Key) error {
	a.Head = head
	if a.Tip != nil && a.Tip.N <= head.N {
		a.Tip = nil
	}
	public := key.Public
	if head.N > 0 && head.Key != key.ID {
		var err error
		if public, err = s.publicOf(ctx, head.Key); err != nil {
			return err
		}
	}
	for _, k := range []string{public, key.Public} {
		if !a.trusts(k) {
			a.Keys = append(a.Keys, k)
		}
	}
	if err := s.Anchor.Keep(a); err != nil {
		return fmt.Errorf("keep the anchor of the audit log: %w", err)
	}
	return nil
}
