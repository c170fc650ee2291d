// Package seal encrypts values at rest. A master key, kept apart from the data, wraps data keys; a data key
// encrypts values:
//
//	ring, err := seal.NewRing(first, older)
//	wrapped := ring.New(time.Now())        // to be stored
//	key, err := ring.Unwrap(wrapped)
//	stored := key.Seal(plain, seal.Place{Table: "batches", ID: run, N: seq})
//
// Rotating the master key wraps the data keys again and rewrites no value. Every envelope is bound to its place:
// one that was moved elsewhere cannot be opened. The cipher is AES-256-GCM throughout, with random nonces.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// idSize is how many bytes of a digest identify a master key.
const idSize = 6

// Key is a master key. It prints as its id only.
type Key struct {
	id   string
	aead cipher.AEAD
}

// NewKey creates a master key in the form that ParseKey reads.
func NewKey() string {
	var b [KeySize]byte
	rand.Read(b[:]) // never fails
	return base64.StdEncoding.EncodeToString(b[:])
}

// ParseKey reads 32 bytes in base64 or hexadecimal. Errors never contain them.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	b, err := decode(text)
	switch {
	case text == "":
		return Key{}, badKey("it is empty")
	case err != nil:
		return Key{}, badKey("it is neither base64 nor hexadecimal")
	case len(b) != KeySize:
		return Key{}, badKey(fmt.Sprintf("it has %d bytes, not %d", len(b), KeySize))
	}
	same := true
	for _, c := range b {
		same = same && c == b[0]
	}
	if same {
		return Key{}, badKey("all its bytes are the same")
	}
	sum := sha256.Sum256(append([]byte("assent encryption key\x00"), b...))
	return Key{id: hex.EncodeToString(sum[:idSize]), aead: newAEAD(b)}, nil
}

func badKey(why string) error {
	return fault.New(fault.Invalid, "not a valid encryption key: "+why, "create one with: assent keys new")
}

// decode reads 64 hexadecimal digits as hexadecimal: in base64 they would be 48 bytes, which no key has.
func decode(text string) ([]byte, error) {
	if len(text) == 2*KeySize {
		if b, err := hex.DecodeString(text); err == nil {
			return b, nil
		}
	}
	text = strings.TrimRight(text, "=")
	if b, err := base64.RawStdEncoding.DecodeString(text); err == nil {
		return b, nil
	}
	return base64.RawURLEncoding.DecodeString(text)
}

// newAEAD returns the cipher for a key of KeySize bytes.
func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return aead
		}
	}
	panic("seal: a key of a checked size was refused: " + err.Error()) // cannot happen: callers checked the size
}

// ID identifies the key without revealing it.
func (k Key) ID() string { return k.id }

// Format prints the id, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "encryption key "+k.id) // fmt has no use for an error
}

// Ring is the master keys of a store. The first one wraps; any of them unwraps.
type Ring struct{ keys []Key }

// NewRing combines keys, the one for new data first.
func NewRing(keys ...Key) (*Ring, error) {
	for i, k := range keys {
		for _, other := range keys[:i] {
			if k.id == other.id {
				return nil, fault.Newf(fault.Invalid, "encryption key %s is listed twice", k.id)
			}
		}
	}
	return &Ring{keys: keys}, nil
}

// IDs lists the ids in order.
func (r *Ring) IDs() []string {
	if r == nil {
		return nil
	}
	ids := make([]string, len(r.keys))
	for i, k := range r.keys {
		ids[i] = k.id
	}
	return ids
}

// Empty reports whether nothing can be encrypted.
func (r *Ring) Empty() bool { return r == nil || len(r.keys) == 0 }

func (r *Ring) find(id string) (Key, bool) {
	if r != nil {
		for _, k := range r.keys {
			if k.id == id {
				return k, true
			}
		}
	}
	return Key{}, false
}

// Wrapped is a data key as it is stored.
type Wrapped struct {
	ID      int64  // random
	Master  string // id of the key that wraps it
	Body    []byte
	Created int64 // nanoseconds since 1970
}

// DataKey encrypts values. It is safe for concurrent use.
type DataKey struct {
	ID      int64
	Created int64
	aead    cipher.AEAD
}

// New creates a data key and wraps it with the first master key.
func (r *Ring) New(now time.Time) Wrapped {
	var b [8 + KeySize]byte
	rand.Read(b[:]) // never fails
	w := Wrapped{ID: int64(binary.BigEndian.Uint64(b[:8]) >> 1), Created: now.UnixNano()}
	r.wrap(&w, b[8:])
	return w
}

func (r *Ring) wrap(w *Wrapped, key []byte) {
	w.Master = r.keys[0].id
	w.Body = r.keys[0].aead.Seal(nil, nil, key, w.place())
}

// place binds a wrapped key to its id.
func (w *Wrapped) place() []byte { return Place{Table: "data_keys", ID: w.Master, N: w.ID}.bytes(nil) }

// Unwrap opens a data key.
func (r *Ring) Unwrap(w Wrapped) (*DataKey, error) {
	key, err := r.unwrap(w)
	if err != nil {
		return nil, err
	}
	return &DataKey{ID: w.ID, Created: w.Created, aead: newAEAD(key)}, nil
}

func (r *Ring) unwrap(w Wrapped) ([]byte, error) {
	master, ok := r.find(w.Master)
	if !ok {
		return nil, &MissingError{w.Master}
	}
	key, err := master.aead.Open(nil, nil, w.Body, w.place())
	if err != nil || len(key) != KeySize {
		return nil, &DamagedError{Place{Table: "data_keys", N: w.ID}}
	}
	return key, nil
}

// Rewrap wraps a data key with the first master key, unless it already is.
func (r *Ring) Rewrap(w Wrapped) (Wrapped, bool, error) {
	if w.Master == r.keys[0].id {
		return w, false, nil
	}
	key, err := r.unwrap(w)
	if err != nil {
		return w, false, err
	}
	r.wrap(&w, key)
	return w, true, nil
}

// MissingError reports that a required master key is not configured.
type MissingError struct{ Key string }

func (e *MissingError) Error() string {
	return "the store contains values that need encryption key " + e.Key +
		", which is not configured; name its file or variable in encryption_keys"
}

// Passing creates a data key that is never stored: values encrypted with it are lost with it.
func Passing() *DataKey {
	var b [KeySize]byte
	rand.Read(b[:]) // never fails
	return &DataKey{aead: newAEAD(b[:])}
}
