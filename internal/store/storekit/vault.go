package storekit

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/seal"
)

// Vault encrypts and decrypts a store's values. Without keys they are stored in the clear, except for those
// that could be mistaken for an envelope. Looking up a key is cheap: data keys are unwrapped once and kept in
// memory.
type Vault struct {
	table   KeyTable
	mu      sync.Mutex // held while changing the key in use
	reading sync.Mutex // held while changing known; it waits for no writer, since a writer may need it
	ring    atomic.Pointer[seal.Ring]
	known   atomic.Pointer[map[int64]*seal.DataKey]
	current atomic.Pointer[turn] // nil: values are not encrypted
}

// KeyTable is where a store keeps wrapped data keys.
type KeyTable interface {
	// DataKeys lists all of them, oldest first.
	DataKeys(ctx context.Context) ([]seal.Wrapped, error)
	// ClaimKey adds one more user to the newest key that this master key wraps, was created at `since` or
	// later and has had fewer than ClaimsMax; if there is none it stores fresh, with one use.
	ClaimKey(ctx context.Context, master string, since int64, fresh seal.Wrapped) (seal.Wrapped, error)
	// RewrapKeys replaces keys with the result of change, in one transaction that keeps others from adding
	// keys.
	RewrapKeys(ctx context.Context, change func(seal.Wrapped) (seal.Wrapped, bool, error)) (changed int, err error)
}

// Nonces are random, so the use of a data key must be limited. It serves this many openings of a store, and
// each of them encrypts this many values with it, about a quarter of what the standard allows in total.
const (
	ClaimsMax = 256
	sealsMax  = 1 << 22
)

// turn is the use of a data key by this process.
type turn struct {
	key  *seal.DataKey
	used atomic.Int64
}

// Start reads the data keys. A missing master key that one of them needs is an error that names it.
func (v *Vault) Start(ctx context.Context, table KeyTable, keys []seal.Key) error {
	ring, err := seal.NewRing(keys...)
	if err != nil {
		return err
	}
	v.table = table
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.enter(ctx, ring, 0)
}

// enter installs a key ring.
func (v *Vault) enter(ctx context.Context, ring *seal.Ring, since int64) error {
	if err := v.learn(ctx, ring); err != nil {
		return err
	}
	v.ring.Store(ring)
	if ring.Empty() {
		return nil
	}
	return v.claim(ctx, since)
}

// learn unwraps the data keys of the table. All of them must be available: the ring is what the next start
// has.
func (v *Vault) learn(ctx context.Context, ring *seal.Ring) error {
	v.reading.Lock()
	defer v.reading.Unlock()
	return v.learnLocked(ctx, ring)
}

func (v *Vault) learnLocked(ctx context.Context, ring *seal.Ring) error {
	all, err := v.table.DataKeys(ctx)
	if err != nil {
		return fmt.Errorf("read the data keys: %w", err)
	}
	known := make(map[int64]*seal.DataKey, len(all))
	for _, w := range all {
		if known[w.ID], err = ring.Unwrap(w); err != nil {
			return err
		}
	}
	v.known.Store(&known)
	return nil
}

// claim claims a data key for encryption.
func (v *Vault) claim(ctx context.Context, since int64) error {
	ring := v.ring.Load()
	w, err := v.table.ClaimKey(ctx, ring.IDs()[0], since, ring.New(time.Now()))
	if err != nil {
		return fmt.Errorf("use a data key: %w", err)
	}
	key, err := ring.Unwrap(w)
	if err != nil {
		return err
	}
	v.remember(key)
	v.current.Store(&turn{key: key})
	return nil
}

func (v *Vault) remember(key *seal.DataKey) {
	v.reading.Lock()
	defer v.reading.Unlock()
	known := maps.Clone(*v.known.Load())
	known[key.ID] = key
	v.known.Store(&known)
}

// On reports whether values are encrypted.
func (v *Vault) On() bool { return v.current.Load() != nil }

// Refresh switches to another data key when the current one has been used enough. Writers call it, outside of
// any transaction.
func (v *Vault) Refresh(ctx context.Context) error {
	t := v.current.Load()
	if t == nil || t.used.Load() < sealsMax || !v.mu.TryLock() {
		return nil
	}
	defer v.mu.Unlock()
	return v.claim(ctx, 0)
}

// Renew switches to the newest data key, after a notification by another process.
func (v *Vault) Renew(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.On() {
		return nil
	}
	return v.claim(ctx, v.current.Load().key.Created)
}

// Bytes encrypts a value for storage. Nil and empty values stay as they are.
func (v *Vault) Bytes(plain []byte, p seal.Place) []byte {
	t := v.current.Load()
	if t == nil || len(plain) == 0 {
		return seal.Escape(plain)
	}
	t.used.Add(1)
	return t.key.Seal(plain, p)
}

// Open decrypts a stored value.
func (v *Vault) Open(stored []byte, p seal.Place) ([]byte, error) {
	kind, id := seal.Look(stored)
	switch kind {
	case seal.Plain:
		return stored, nil
	case seal.Escaped:
		return seal.Unescape(stored), nil
	case seal.Damaged:
		return nil, &seal.DamagedError{Place: p}
	}
	key, err := v.key(id, p)
	if err != nil {
		return nil, err
	}
	return key.Open(stored, p)
}

// Text prepares a text for storage: safe for the tables, and encrypted.
func (v *Vault) Text(plain string, p seal.Place) string {
	plain = Text(plain)
	t := v.current.Load()
	if t == nil || plain == "" {
		return seal.EscapeText(plain)
	}
	t.used.Add(1)
	return t.key.SealText(plain, p)
}

// OpenText decrypts a stored text.
func (v *Vault) OpenText(stored string, p seal.Place) (string, error) {
	kind, id := seal.LookText(stored)
	switch kind {
	case seal.Plain:
		return stored, nil
	case seal.Escaped:
		return seal.UnescapeText(stored), nil
	case seal.Damaged:
		return "", &seal.DamagedError{Place: p}
	}
	key, err := v.key(id, p)
	if err != nil {
		return "", err
	}
	return key.OpenText(stored, p)
}

// key finds a data key. An unknown one was created by another process since, or the value is damaged.
func (v *Vault) key(id int64, p seal.Place) (*seal.DataKey, error) {
	if known := v.known.Load(); known != nil {
		if key, ok := (*known)[id]; ok {
			return key, nil
		}
	}
	v.reading.Lock()
	defer v.reading.Unlock()
	if v.table == nil {
		return nil, &seal.DamagedError{Place: p}
	}
	ctx, cancel := context.WithTimeout(context.Background(), keyWait)
	defer cancel()
	if key, ok := (*v.known.Load())[id]; ok {
		return key, nil
	}
	if err := v.learnLocked(ctx, v.ring.Load()); err != nil {
		return nil, err
	}
	if key, ok := (*v.known.Load())[id]; ok {
		return key, nil
	}
	return nil, &seal.DamagedError{Place: p}
}

// keyWait limits how long a reader waits for another process's key.
const keyWait = 10 * time.Second

// Rotate installs keys and wraps all data keys with the first.
func (v *Vault) Rotate(ctx context.Context, keys []seal.Key) (rewrapped int, err error) {
	ring, err := seal.NewRing(keys...)
	if err != nil {
		return 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if ring.Empty() {
		return 0, v.learn(ctx, ring) // fine as long as nothing is encrypted
	}
	rewrapped, err = v.table.RewrapKeys(ctx, ring.Rewrap)
	if err != nil {
		return 0, err
	}
	if now := v.ring.Load().IDs(); len(now) > 0 && now[0] == ring.IDs()[0] {
		v.ring.Store(ring)
		return rewrapped, nil
	}
	return rewrapped, v.enter(ctx, ring, 0)
}

// Keys lists the available master keys and those that are needed.
func (v *Vault) Keys(ctx context.Context) (out []seal.KeyState, err error) {
	ids := v.ring.Load().IDs()
	place := map[string]int{}
	for i, id := range ids {
		place[id] = i
		out = append(out, seal.KeyState{ID: id, First: i == 0, Here: true})
	}
	all, err := v.table.DataKeys(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the data keys: %w", err)
	}
	for _, w := range all {
		i, ok := place[w.Master]
		if !ok {
			i = len(out)
			place[w.Master] = i
			out = append(out, seal.KeyState{ID: w.Master})
		}
		out[i].DataKeys++
	}
	return out, nil
}
