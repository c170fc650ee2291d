package tool

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/assent-run/assent/internal/core/template"
	"github.com/assent-run/assent/internal/core/value"
)

// A description states in plain words what a call would do. Its template comes from the author of the tool's
// document, its data from a model.

const (
	describedMax = 500 // characters of a description
	shownArgMax  = 80  // characters of one argument
	shownArgsMax = 8
)

// describe fills in a document's template. Without one, or if it does not match the arguments, the arguments
// themselves are shown.
func describe(text, name string, args json.RawMessage) string {
	if out := fill(text, args); out != "" {
		return out
	}
	return inWords(name, args)
}

// fill is a template filled with arguments; empty if it does not match them.
func fill(text string, args json.RawMessage) string {
	if text == "" {
		return ""
	}
	t, err := template.Parse(text)
	if err != nil {
		return ""
	}
	out, _ := t.Fill(args)
	return plain(out, describedMax)
}

// inWords is a description built from the arguments alone.
func inWords(name string, args json.RawMessage) string {
	var shown []string
	more := false
	for k, v := range value.Members(args) {
		if len(shown) == shownArgsMax {
			more = true
			break
		}
		text, ok := value.Text(v)
		if !ok {
			text = string(v[:min(len(v), 4*shownArgMax)])
		}
		shown = append(shown, plain(k, shownArgMax)+": "+plain(text, shownArgMax))
	}
	if more {
		shown = append(shown, "…")
	}
	if len(shown) == 0 {
		return plain("Use "+name, describedMax)
	}
	return plain("Use "+name+" with "+strings.Join(shown, ", "), describedMax)
}

// plain turns a text into one line of at most n characters, without control characters and those that change
// the direction of writing.
func plain(s string, n int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = b.Len() > 0
			continue
		case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Cf, r):
			continue
		}
		if n--; n < 0 {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
