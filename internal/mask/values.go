package mask

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

const (
	valueMin  = 4        // minimum characters of a value that is searched elsewhere
	valuesMax = 20_000   // of one run
	bytesMax  = 8 << 20  // in total
	depthMax  = 200      // of a document; deeper values are masked
	pathsMax  = 200      // listed in a response
	textMax   = 64 << 20 // bytes of a text that is searched
)

// Values are the values at the sensitive places of a run. Not safe for concurrent use.
type Values struct {
	texts map[string]bool
	short map[string]bool // too short to be searched in every text
	bytes int
	found int
	// full reports that there are more than can be kept: then no text can be shown, because it may contain any of
	// them.
	full bool
}

// NewValues returns an empty collection.
func NewValues() *Values { return &Values{texts: map[string]bool{}, short: map[string]bool{}} }

// Found is the number of values, including short ones and repetitions.
func (v *Values) Found() int { return v.found }

// Size grows whenever a value is new.
func (v *Values) Size() int { return len(v.texts) + len(v.short) }

// Add adds the values of others.
func (v *Values) Add(o *Values) {
	for text := range o.texts {
		v.remember(text)
	}
	for text := range o.short {
		v.brief(text)
	}
	v.found += o.found
	v.full = v.full || o.full
}

// add adds a string or a number. True and false reveal nothing on their own.
func (v *Values) add(raw json.RawMessage) {
	v.found++
	switch value.KindOf(raw) {
	case value.String:
		text, _ := value.Text(raw)
		v.remember(text)
		v.remember(strings.TrimSpace(text))
		v.brief(strings.TrimSpace(text))
	case value.Number:
		v.remember(strings.TrimSpace(string(raw)))
		v.brief(strings.TrimSpace(string(raw)))
	}
}

// brief adds a value that is too short for remember.
func (v *Values) brief(text string) {
	if n := utf8.RuneCountInString(text); n == 0 || n >= valueMin || text == Marker || v.short[text] {
		return
	}
	if len(v.short) >= valuesMax {
		v.full = true
		return
	}
	v.short[text] = true
}

// Words adds texts to mask wherever they appear.
func (v *Values) Words(texts ...string) {
	for _, text := range texts {
		v.remember(strings.TrimSpace(text))
	}
}

func (v *Values) remember(text string) {
	if text == Marker || utf8.RuneCountInString(text) < valueMin || v.texts[text] {
		return
	}
	if len(v.texts) >= valuesMax || v.bytes+len(text) > bytesMax {
		v.full = true
		return
	}
	v.texts[text] = true
	v.bytes += len(text)
}

// forms are the ways a value may be written: as it is, as part of a JSON string, in an address, and in a title, where
// long values are truncated, numbers have grouped digits, and dates are spelled out.
func forms(text string) []string {
	quoted := string(value.Quote(text))
	out := []string{text, quoted[1 : len(quoted)-1], url.QueryEscape(text), url.PathEscape(text)}
	for _, line := range phrase.Forms(text) {
		if utf8.RuneCountInString(line) >= valueMin {
			out = append(out, line)
		}
	}
	return out
}

// replacer replaces every value with the marker; longer ones first.
func (v *Values) replacer() *strings.Replacer {
	all := map[string]bool{}
	for text := range v.texts {
		for _, form := range forms(text) {
			all[form] = true
		}
	}
	texts := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, Marker)
	}
	return strings.NewReplacer(pairs...)
}
