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
	valueMin  = 4        // characters from which on a value is looked for elsewhere
	valuesMax = 20_000   // of one run
	bytesMax  = 8 << 20  // of them together
	depthMax  = 200      // of a document; what is deeper is hidden
	pathsMax  = 200      // that an answer lists
	textMax   = 64 << 20 // bytes of one text that is looked through
)

// Values are what the sensitive places of a run hold. One goroutine at a time
// uses them.
type Values struct {
	texts map[string]bool
	short map[string]bool // too short to be looked for in every text
	bytes int
	found int
	// full says that there are more than can be remembered: then no text can
	// be shown, because nobody knows what is in it.
	full bool
}

// NewValues holds nothing yet.
func NewValues() *Values { return &Values{texts: map[string]bool{}, short: map[string]bool{}} }

// Found is how many values there were, short ones and repetitions included.
func (v *Values) Found() int { return v.found }

// Size grows whenever something is new.
func (v *Values) Size() int { return len(v.texts) + len(v.short) }

// Add takes over what others hold.
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

// add notes a text or a number. True and false give nothing away by themselves.
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

// brief notes a value that is too short for remember.
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

// Words notes texts that are to be hidden wherever they stand.
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

// forms are the ways in which a value may be written: as it is, as part of a
// JSON text, in an address, and in a title, where long ones are cut, numbers have
// their digits in threes, and dates are spelled out.
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

// replacer puts the marker in place of every value; longer ones win.
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
