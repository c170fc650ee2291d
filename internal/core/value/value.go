// Package value carries JSON through the system byte for byte. A payload stays a json.RawMessage from the
// caller to the tool and back, and is never decoded into map[string]any: that would round 9007199254740993,
// reject 1E400, turn 0.10 into 0.1 and reorder the keys a person is asked to approve.
//
// External input goes through Strict once; everything else here relies on that and returns slices of the same
// bytes:
//
//	doc, err := value.Strict(body)                    // valid, unambiguous, compact
//	name, ok := value.Get(doc, "order", "lines", "0") // a slice of doc
//	next := value.MergePatch(doc, edit)               // unchanged values keep their bytes
//	for _, c := range value.Diff(doc, next) { … }     // a reviewer's changes
//	id := value.Digest(value.Canonical(next))         // equal content has an equal id
//
// Documents stored before Strict existed may contain duplicate keys, as encoding/json allows; the last one
// counts. Keys are equal if they are equal after unescaping, including case. Results may share memory with
// arguments, so treat every RawMessage as read-only.
//
// Functions without an error result expect valid JSON. On anything else the result is unspecified, but they
// never panic and always terminate.
package value

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strconv"
)

// Kind is the kind of a JSON value.
type Kind uint8

const (
	Missing Kind = iota // no value at all, which is not null
	Null
	Bool
	Number
	String
	KindArray
	KindObject
)

func (k Kind) String() string {
	return [...]string{"missing", "null", "bool", "number", "string", "array", "object"}[min(k, KindObject)]
}

// KindOf checks the first byte that is not whitespace.
func KindOf(raw []byte) Kind {
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return Missing
	}
	switch c := raw[i]; c {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return Number
		}
	}
	return Missing
}

// Get resolves path in raw: an object member by name, an array element by decimal index. An empty path is raw
// itself.
func Get(raw json.RawMessage, path ...string) (json.RawMessage, bool) {
	cur := trim(raw)
	for _, seg := range path {
		var next json.RawMessage
		switch KindOf(cur) {
		case KindObject:
			eachMember(cur, func(lit, val []byte) bool {
				if keyIs(lit, seg) {
					next = val
				}
				return true
			})
		case KindArray:
			next = element(cur, seg)
		}
		if next == nil {
			return nil, false
		}
		cur = next
	}
	return cur, len(cur) > 0
}

func element(raw []byte, index string) (found json.RawMessage) {
	n, err := strconv.ParseUint(index, 10, 31)
	if err != nil || len(index) > 1 && index[0] == '0' {
		return nil
	}
	eachElement(raw, func(val []byte) bool {
		if n == 0 {
			found = val
			return false
		}
		n--
		return true
	})
	return found
}

// Member is one key and its value in an object.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members yields an object's members in order, including duplicates, and nothing for any other value. A key
// with an escaped half surrogate pair (which no UTF-8 string can represent) keeps it in a form that Object
// writes back.
func Members(raw json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		eachMember(raw, func(lit, val []byte) bool { return yield(string(keyOf(lit)), val) })
	}
}

// Elements returns an array's elements, and nil for any other value.
func Elements(raw json.RawMessage) []json.RawMessage {
	if KindOf(raw) != KindArray {
		return nil
	}
	out := []json.RawMessage{}
	eachElement(raw, func(val []byte) bool { out = append(out, val); return true })
	return out
}

// Object encodes members in the given order; an empty value becomes null.
func Object(members ...Member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.Key) + len(m.Value) + 8
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendKey(out, []byte(m.Key)), ':')
		out = appendValue(out, m.Value)
	}
	return append(out, '}')
}

// Array encodes elements in the given order; an empty element becomes null.
func Array(elems ...json.RawMessage) json.RawMessage {
	size := 2
	for _, e := range elems {
		size += len(e) + 5
	}
	out := append(make([]byte, 0, size), '[')
	for i, e := range elems {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendValue(out, e)
	}
	return append(out, ']')
}

func appendValue(dst, raw []byte) []byte {
	if len(raw) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, raw...)
}

// Digest identifies content: "sha256:" and the hash of all parts. Each part is preceded by its length, so
// ("ab", "c") and ("a", "bc") differ.
func Digest(parts ...[]byte) string {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Marshal is json.Marshal without HTML escaping: RawMessage fields keep every literal and lose only
// insignificant whitespace.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return out[:len(out):len(out)], nil
}
