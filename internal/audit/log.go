package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Store is the part of a store that the service uses.
type Store interface {
	port.AuditLog
	port.AuditHeads
	port.Salts
	Run(ctx context.Context, id string) (port.RunRow, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error)
	Head(ctx context.Context) (int64, error)
}

// Config configures the service.
type Config struct {
	Store Store
	// Key is called on first use, and again as long as it fails.
	Key func() (*Key, error)
	// Anchor stores the last signed head outside the database; nil: it is stored nowhere else, and a rebuilt
	// log is signed like any other.
	Anchor Anchors
	// Rotation replaces the key; nil: it cannot be rotated while the server runs.
	Rotation Rotation
	// Witnesses receive every signed head.
	Witnesses []Witness
	// Leads reports whether this process signs on its own; nil: it does.
	Leads func() bool
	Every int           // entries after which a head is signed
	After time.Duration // or time, if there are any
	Now   func() time.Time
	Log   *slog.Logger
}

const (
	segmentMax   = 4096 // entries under one head
	everyDefault = 1000
	afterDefault = 10 * time.Minute
	lookEvery    = 10 * time.Second
	pageRows     = 200 // entries per page
	triesMax     = 20
	tipMax       = 2000 // entries checked per second before they are signed

	// ActionKey is the entry that publishes a key.
	ActionKey = "audit.key_added"
	// ActionAccept is the entry that accepts a log as it is.
	ActionAccept = "audit.accepted"
	// ActionProof is the last entry of a proof.
	ActionProof = "run.proved"
)

// Service implements port.Audit.
type Service struct {
	Config
	mu    sync.Mutex
	key   *Key
	known bool // the key is in the log
	// tipped is the newest entry that the anchor knows, and untold the last reported problem with it; both
	// belong to keepBinding.
	tipped int64
	untold string
	// rotatedBy is who requested the key that is published next.
	rotatedBy run.Actor
	stop      context.CancelFunc
	ctx       context.Context
	finished  sync.WaitGroup
}

var _ port.Audit = (*Service)(nil)

// New creates a service; Start makes it sign on its own.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Every == 0 {
		c.Every = everyDefault
	}
	if c.After == 0 {
		c.After = afterDefault
	}
	s := &Service{Config: c}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Start signs heads and binds the events of runs to the log, until Stop.
func (s *Service) Start() {
	s.finished.Go(s.keepBinding)
	for _, w := range s.Witnesses {
		s.finished.Go(func() { s.keepTelling(w) })
	}
	s.finished.Go(func() {
		wait := sealEvery // the first signature comes soon: without one, a truncated end is not detected
		for {
			select {
			case <-time.After(wait):
			case <-s.ctx.Done():
				return
			}
			if err := s.cutIfDue(s.ctx); err != nil && s.ctx.Err() == nil && !errors.Is(err, port.ErrUnavailable) {
				s.Log.Error("sign the audit log", "error", err)
			}
			if s.Leads == nil || s.Leads() {
				wait = lookEvery
			}
		}
	})
}

// Stop stops it.
func (s *Service) Stop() {
	s.stop()
	s.finished.Wait()
}

func (s *Service) cutIfDue(ctx context.Context) error {
	if s.Leads != nil && !s.Leads() {
		return nil
	}
	n, _, err := s.Store.AuditEnd(ctx)
	if err != nil || n == 0 {
		return err
	}
	last, err := s.Store.LastAuditHead(ctx)
	if err != nil {
		return err
	}
	if n-last.N < int64(s.Every) && (n == last.N || s.Now().Sub(last.At) < s.After) {
		return nil
	}
	_, err = s.Cut(ctx)
	return err
}

// Cut implements port.Audit. It verifies what it signs first; the events of runs are included.
func (s *Service) Cut(ctx context.Context) (port.AuditHead, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx = port.WithoutPause(ctx)
	key, err := s.ready(ctx)
	if err != nil {
		return port.AuditHead{}, err
	}
	if err := s.Bind(ctx, sealTick); err != nil {
		return port.AuditHead{}, err
	}
	for try := 0; ; try++ {
		head, more, err := s.cut(ctx, key)
		if fault.Is(err, fault.Conflict) && try < triesMax { // another process signed in the meantime
			if err := s.follow(ctx, key); err != nil {
				return head, err
			}
			continue
		}
		if err != nil || !more {
			return head, err
		}
	}
}

// ready returns the key, published in a log that continues the last signed head.
func (s *Service) ready(ctx context.Context) (*Key, error) {
	if s.key == nil {
		k, err := s.Key()
		if err != nil {
			return nil, err
		}
		s.key = k
	}
	if err := s.follow(ctx, s.key); err != nil {
		return nil, err
	}
	if s.known {
		return s.key, nil
	}
	page, err := s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionKey, Target: "key/" + s.key.ID, Limit: 1})
	if err == nil && len(page.Items) == 0 {
		err = s.makeKnown(ctx, s.key)
	}
	if err == nil && s.Rotation != nil {
		err = s.Rotation.Retire()
	}
	s.known = err == nil
	return s.key, err
}

// makeKnown records a key, with the signatures of the one it replaces.
func (s *Service) makeKnown(ctx context.Context, key *Key) error {
	link, err := s.linkTo(key)
	if err != nil {
		return err
	}
	by := s.rotatedBy
	if by.Kind == "" {
		by = run.Actor{Kind: run.System, Name: "audit"}
	}
	_, err = s.Store.AppendAudit(ctx, port.AuditDraft{
		At: s.Now(), Actor: by, Action: ActionKey, Target: "key/" + key.ID,
		Detail: keyDetail{Key: key.ID, Public: key.Public, Link: link},
	})
	return err
}

// keyDetail is the detail of a key's entry.
type keyDetail struct {
	Key    string          `json:"key"`
	Public string          `json:"public"`
	Link   *port.AuditLink `json:"link,omitempty"`
}

// cut signs up to segmentMax entries after the newest head.
func (s *Service) cut(ctx context.Context, key *Key) (head port.AuditHead, more bool, err error) {
	last, err := s.Store.LastAuditHead(ctx)
	if err != nil {
		return last, false, err
	}
	end, _, err := s.Store.AuditEnd(ctx)
	if err != nil || end == last.N {
		return last, false, err
	}
	upTo := min(end, last.N+segmentMax)
	hashes, err := s.segment(ctx, last.N, last.Hash, upTo)
	if err != nil {
		return head, false, fmt.Errorf("signing of the audit log has stopped: %w", err)
	}
	head = port.AuditHead{N: upTo, From: last.N + 1, Hash: hashes[len(hashes)-1], At: s.Now().UTC()}
	if head.Root, err = rootOf(hashes); err == nil {
		err = key.sign(&head)
	}
	if err == nil {
		err = s.Store.PutAuditHead(ctx, head)
	}
	if err == nil && s.Anchor != nil {
		var a Anchor
		if a, _, err = s.anchored(); err == nil {
			err = s.keepAnchor(ctx, a, head, key)
		}
	}
	return head, upTo < end, err
}

// segment reads the hashes of entries and checks that they form a chain.
func (s *Service) segment(ctx context.Context, after int64, prev string, upTo int64) (hashes []string, err error) {
	if upTo <= after {
		return nil, bad(upTo+1, "it is missing") // a head was signed over entries that are missing
	}
	if after == 0 {
		prev = port.AuditStart
	}
	for after < upTo {
		rows, err := s.Store.AuditRows(ctx, after, int(min(pageRows, upTo-after)))
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, bad(after+1, "it is missing")
		}
		for _, r := range rows {
			if r.N != after+1 || port.AuditHash(prev, r.Body) != r.Hash {
				return nil, bad(after+1, "it does not continue the entry before it")
			}
			after, prev = r.N, r.Hash
			hashes = append(hashes, r.Hash)
		}
	}
	return hashes, nil
}

// Keys implements port.Audit.
func (s *Service) Keys(ctx context.Context) ([]port.AuditKey, error) {
	s.mu.Lock()
	key, err := s.ready(ctx)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	keys, err := s.keysOnRecord(ctx)
	for i := range keys {
		keys[i].InUse = keys[i].ID == key.ID
	}
	return keys, err
}

// keysOnRecord lists the published keys, oldest first.
func (s *Service) keysOnRecord(ctx context.Context) (out []port.AuditKey, err error) {
	q := port.AuditQuery{Action: ActionKey, Limit: pageRows}
	for {
		page, err := s.Store.AuditEntries(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			k, err := keyOf(row)
			if err != nil {
				return nil, err
			}
			out = append([]port.AuditKey{k}, out...)
		}
		if page.Next == "" {
			return out, nil
		}
		q.Cursor = page.Next
	}
}

// keyOf reads a key from its entry.
func keyOf(row port.AuditRow) (port.AuditKey, error) {
	e, err := port.ReadAuditBody(row.Body)
	if err != nil {
		return port.AuditKey{}, bad(row.N, "%v", err)
	}
	var d keyDetail
	if err := json.Unmarshal(e.Detail, &d); err != nil {
		return port.AuditKey{}, bad(row.N, "%v", err)
	}
	return port.AuditKey{ID: d.Key, Public: d.Public, Since: e.At, Link: d.Link}, nil
}

// Entry implements port.Audit.
func (s *Service) Entry(row port.AuditRow) (port.AuditEntry, error) {
	e, err := port.ReadAuditBody(row.Body)
	if err != nil {
		return e, bad(row.N, "%v", err)
	}
	e.Hash = row.Hash
	open, err := port.ReadOpen(row.Open, e.Sealed)
	if err != nil {
		return e, bad(row.N, "%v", err)
	}
	for name, o := range open {
		if len(o.Value) > 0 {
			if e.Values == nil {
				e.Values = map[string]json.RawMessage{}
			}
			e.Values[name] = o.Value
		}
	}
	return e, nil
}

// Export implements port.Audit.
func (s *Service) Export(ctx context.Context, w io.Writer) error {
	head, err := s.Cut(ctx)
	if err != nil {
		return err
	}
	public, err := s.publicOf(ctx, head.Key)
	if err != nil {
		return err
	}
	for after := int64(0); after < head.N; {
		rows, err := s.Store.AuditRows(ctx, after, int(min(pageRows, head.N-after)))
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return bad(after+1, "it is missing")
		}
		for _, r := range rows {
			text, err := line(r)
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				return err
			}
			after = r.N
		}
	}
	last, err := value.Marshal(end{endBody{Entries: head.N, Head: head, Public: public}})
	if err != nil {
		return err
	}
	_, err = w.Write(append(last, '\n'))
	return err
}

// publicOf is the public key for an id.
func (s *Service) publicOf(ctx context.Context, id string) (string, error) {
	page, err := s.Store.AuditEntries(ctx, port.AuditQuery{Action: ActionKey, Target: "key/" + id, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Items) == 0 {
		return "", fmt.Errorf("the key %s is not in the audit log", id)
	}
	k, err := keyOf(page.Items[0])
	return k.Public, err
}
