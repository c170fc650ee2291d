package seal

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
)

// An envelope is
//
//	mark (4 bytes), version (1), number of the data key (8), nonce (12), ciphertext, tag (16)
//
// A value that does not begin with the mark is plain and stored unchanged. A plain value that begins with it,
// by chance or on purpose, is escaped: mark, version 0, value. So the two are never confused. In text columns
// the envelope is base64 after a mark of its own.
const (
	mark     = "\x00asl"
	escaped  = 0
	version  = 1
	headSize = len(mark) + 1 + 8

	// Overhead is how much longer an envelope is than its value.
	Overhead = headSize + 12 + 16

	textSealed  = "\x01sealed:"
	textEscaped = "\x01plain:"
	textMark    = "\x01"

	// HeadText is how many characters of a text identify its data key.
	HeadText = len(textSealed) + (1+8)*4/3
	// Head is how many bytes of an envelope do.
	Head = headSize
)

// Place is the location of a value: the table and column, and the row by a text, a number or both.
type Place struct {
	Table string // with its column, such as approvals.title
	ID    string
	N     int64
}

// bytes appends a place to b in a form that is unique.
func (p Place) bytes(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.Table)))
	b = append(b, p.Table...)
	b = binary.AppendUvarint(b, uint64(len(p.ID)))
	b = append(b, p.ID...)
	return binary.BigEndian.AppendUint64(b, uint64(p.N))
}

// Kind is what a stored value is.
type Kind int

const (
	Plain   Kind = iota // stored unchanged
	Escaped             // plain, after an escape
	Sealed
	Damaged // begins like an envelope, but is not one
)

// Look returns the kind of a stored value, and the data key that encrypted it. The first Head bytes are enough.
func Look(stored []byte) (Kind, int64) {
	switch {
	case len(stored) < len(mark) || string(stored[:len(mark)]) != mark:
		return Plain, 0
	case len(stored) > len(mark) && stored[len(mark)] == escaped:
		return Escaped, 0
	case len(stored) < headSize || stored[len(mark)] != version:
		return Damaged, 0
	}
	return Sealed, int64(binary.BigEndian.Uint64(stored[len(mark)+1:]))
}

// Escape returns a plain value as it is stored: unchanged, unless it could be mistaken for an envelope.
func Escape(plain []byte) []byte {
	if len(plain) < len(mark) || string(plain[:len(mark)]) != mark {
		return plain
	}
	return append(append([]byte(mark), escaped), plain...)
}

// Unescape returns the value after an escape.
func Unescape(stored []byte) []byte { return stored[len(mark)+1:] }

// Seal encrypts a value into an envelope.
func (k *DataKey) Seal(plain []byte, p Place) []byte {
	var room [256]byte
	b := make([]byte, headSize, len(plain)+Overhead)
	copy(b, mark)
	b[len(mark)] = version
	binary.BigEndian.PutUint64(b[len(mark)+1:], uint64(k.ID))
	return k.aead.Seal(b, nil, plain, p.bytes(append(room[:0], b...)))
}

// Open decrypts an envelope; Look must have returned Sealed.
func (k *DataKey) Open(stored []byte, p Place) ([]byte, error) {
	if kind, id := Look(stored); kind != Sealed || id != k.ID || len(stored) < Overhead {
		return nil, damaged(p)
	}
	var room [256]byte
	plain, err := k.aead.Open(make([]byte, 0, len(stored)-Overhead), nil, stored[headSize:],
		p.bytes(append(room[:0], stored[:headSize]...)))
	if err != nil {
		return nil, damaged(p)
	}
	return plain, nil
}

// DamagedError reports that a value is not the one stored at its place. It is not a mistake of the caller, so it
// has no code of package fault.
type DamagedError struct{ Place Place }

func (e *DamagedError) Error() string {
	return "the encrypted value of " + e.Place.String() +
		" is damaged, or was moved there from elsewhere; restore it from a backup (everything else can be read)"
}

func damaged(p Place) error { return &DamagedError{p} }

// String names the place for people.
func (p Place) String() string {
	var b strings.Builder
	b.WriteString(p.Table)
	if p.ID != "" {
		id := p.ID
		if len(id) > 80 {
			id = id[:80] + "…"
		}
		b.WriteString(" " + strings.ToValidUTF8(id, "\uFFFD"))
	}
	if p.N != 0 {
		b.WriteString(" " + strconv.FormatInt(p.N, 10))
	}
	return b.String()
}

// LookText is Look for a text column; HeadText characters are enough.
func LookText(stored string) (Kind, int64) {
	if !strings.HasPrefix(stored, textMark) {
		return Plain, 0
	}
	if strings.HasPrefix(stored, textEscaped) {
		return Escaped, 0
	}
	body, ok := strings.CutPrefix(stored, textSealed)
	if !ok {
		return Plain, 0
	}
	const need = (1 + 8) * 4 / 3
	if len(body) < need {
		return Damaged, 0
	}
	head, err := base64.RawStdEncoding.DecodeString(body[:need])
	if err != nil {
		return Damaged, 0
	}
	return Look(append([]byte(mark), head...))
}

// EscapeText is Escape for a text column.
func EscapeText(plain string) string {
	if strings.HasPrefix(plain, textSealed) || strings.HasPrefix(plain, textEscaped) {
		return textEscaped + plain
	}
	return plain
}

// UnescapeText is Unescape for a text column.
func UnescapeText(stored string) string { return strings.TrimPrefix(stored, textEscaped) }

// SealText is Seal for a text column.
func (k *DataKey) SealText(plain string, p Place) string {
	return textSealed + base64.RawStdEncoding.EncodeToString(k.Seal([]byte(plain), p)[len(mark):])
}

// OpenText is Open for a text column.
func (k *DataKey) OpenText(stored string, p Place) (string, error) {
	body, ok := strings.CutPrefix(stored, textSealed)
	b, err := base64.RawStdEncoding.Strict().DecodeString(body)
	if !ok || err != nil {
		return "", damaged(p)
	}
	plain, err := k.Open(append([]byte(mark), b...), p)
	return string(plain), err
}
