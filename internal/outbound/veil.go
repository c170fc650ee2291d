package outbound

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/value"
)

// veiledMin is the minimum length of a masked text. Shorter ones are not secrets, and masking every 1 or "no"
// would leave nothing to read.
const veiledMin = 4

// keyMin is the minimum length of a literal masked in data. A reference stands for a secret; a literal header
// may be "en-US", and data without that word would be wrong.
const keyMin = 8

const hidden = "***"

// Veil masks secrets in texts from outside: a service may repeat the header it received. The zero Veil masks
// nothing.
type Veil struct {
	replacer *strings.Replacer // for failures and logs
	data     *strings.Replacer // for data: perhaps fewer
	longest  int
}

// NewVeil masks these texts, as they are and as encoded in JSON and URLs.
func NewVeil(secrets ...string) Veil {
	r, longest := replacer(secrets)
	return Veil{r, r, longest}
}

// forms are the encodings of a text: as it is, in an address, and in JSON by encoders that escape the minimum,
// HTML characters, or everything outside ASCII.
func forms(s string) []string {
	out := []string{s, url.QueryEscape(s), url.PathEscape(s)}
	inside := func(q []byte) string { return string(q[1 : len(q)-1]) }
	if q, err := json.Marshal(s); err == nil {
		out = append(out, inside(q))
	}
	must := inside(value.Quote(s))
	var ascii strings.Builder
	for _, r := range must {
		switch {
		case r < utf8.RuneSelf:
			ascii.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		}
	}
	return append(out, must, ascii.String())
}

func replacer(secrets []string) (*strings.Replacer, int) {
	words := map[string]bool{}
	for _, s := range secrets {
		for _, f := range forms(s) {
			if len(f) >= veiledMin {
				words[f] = true
			}
		}
	}
	if len(words) == 0 {
		return nil, 0
	}
	// Longer secrets first: a shorter one would leave the tail of a longer one.
	sorted := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, w := range sorted {
		pairs = append(pairs, w, hidden)
	}
	return strings.NewReplacer(pairs...), len(sorted[0])
}

// Longest is the length of the longest secret in bytes.
func (v Veil) Longest() int { return v.longest }

// Hide replaces each secret with ***.
func (v Veil) Hide(s string) string {
	if v.replacer == nil {
		return s
	}
	return v.replacer.Replace(s)
}

// HideData does the same in data: short literals, which are unlikely to be secrets, are kept.
func (v Veil) HideData(s string) string {
	if v.data == nil {
		return s
	}
	return v.data.Replace(s)
}

// HideJSON is HideData for a document. If masking breaks it, as it does when a secret is a part of a number, the
// whole document becomes a string.
func (v Veil) HideJSON(raw json.RawMessage) json.RawMessage {
	if v.data == nil || len(raw) == 0 {
		return raw
	}
	out := v.data.Replace(string(raw))
	switch {
	case len(out) == len(raw) && out == string(raw):
		return raw
	case value.Valid([]byte(out)):
		return json.RawMessage(out)
	}
	return value.Quote(out)
}

// Said returns the part of a text from outside that is kept: its beginning, masked, valid UTF-8, at most SaidMax
// bytes. Cut reports that s was already truncated: its end could then be the beginning of a secret, and is removed.
func (v Veil) Said(s string, cut bool) string {
	if limit := 16*SaidMax + v.longest; len(s) > limit {
		s, cut = s[:limit], true
	}
	s = v.Hide(s)
	if cut {
		s = s[:max(0, len(s)-max(0, v.longest-1))]
	}
	return strings.ToValidUTF8(head(strings.ToValidUTF8(s, "\ufffd"), SaidMax), "")
}

// Last does the same for the end of a text: its last n bytes. Cut reports that s was truncated at its beginning.
func (v Veil) Last(s string, n int, cut bool) string {
	s = v.Hide(s)
	if cut {
		s = s[min(len(s), max(0, v.longest-1)):]
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	return strings.ToValidUTF8(s[max(0, len(s)-n):], "")
}

func head(s string, n int) string { return s[:min(len(s), n)] }

// Secret is a text composed of references R to the places where its parts are stored.
type Secret[R any] interface {
	Expand(lookup func(R) (string, error)) (string, error)
}

// Expand resolves secrets for headers or an environment, with a veil for them: for each as a whole, for the values
// of its references, and for its last word, which is the token in "Bearer TOKEN". Line ends after a secret, common
// in files, are not part of it. The veil also covers others. In data it leaves short literals alone.
func Expand[R any, S Secret[R]](in map[string]S, lookup func(R) (string, error),
	others ...string) (map[string]string, Veil, error) {
	out := make(map[string]string, len(in))
	secrets, data := slices.Clone(others), slices.Clone(others)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		s, err := in[name].Expand(func(r R) (string, error) {
			if lookup == nil {
				return "", errors.New("secrets are not available here")
			}
			found, err := lookup(r)
			found = strings.TrimRight(found, "\r\n")
			secrets, data = append(secrets, found), append(data, found)
			return found, err
		})
		if err != nil {
			return nil, Veil{}, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = s
		for _, whole := range []string{s, s[strings.LastIndexByte(s, ' ')+1:]} {
			secrets = append(secrets, whole)
			if len(whole) >= keyMin {
				data = append(data, whole)
			}
		}
	}
	v := NewVeil(secrets...)
	v.data, _ = replacer(data)
	return out, v, nil
}
