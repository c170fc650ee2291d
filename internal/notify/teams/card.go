package teams

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/notify"
)

// Limits of cards.
const (
	cardMax    = 27_000 // bytes; Teams refuses 28 KB with what surrounds it
	titleMax   = 300
	textMax    = 2000
	factMax    = 300
	factsMax   = 20
	actsMax    = 6 // Teams shows six buttons
	labelMax   = 75
	commentMax = 2000
	readersMax = 60
)

type object = map[string]any

// Verbs of our actions.
const (
	Verb     = "assent.decide"
	ViewVerb = "assent.view" // shows the card as one reader sees it
)

// commentID begins the id of the input for the comment on an act: ids are unique in a card.
const commentID = "comment_"

// Press is what a button stands for. Teams returns it with each press.
type Press struct {
	Act      gate.Act `json:"act,omitempty"` // empty: the card is asked for
	Option   string   `json:"option,omitempty"`
	Approval string   `json:"approval"`
	Version  int      `json:"version"`
	Key      string   `json:"key"` // of the message
	Comment  string   `json:"-"`   // that was entered
}

// Card draws a message. Acts are left out unless the details are in it whole.
func Card(m notify.Message, acts bool) json.RawMessage {
	return draw(m, acts && !m.Settled, nil)
}

// Shared draws the card that is sent. It has no buttons that decide: Teams asks for the card of each reader, who sees
// those that they may press. Readers are ids of users for whom it does so at once, at most 60; nil: everyone, in rooms
// of at most 60 people.
func Shared(m notify.Message, readers []string) json.RawMessage {
	if _, fits := whole(m, true, nil); !fits || m.Settled || len(m.Acts) == 0 {
		return Card(m, false)
	}
	again := object{"action": object{"type": "Action.Execute", "title": "Refresh", "verb": ViewVerb,
		"data": Press{Approval: m.Approval, Version: m.Version, Key: m.Key}}}
	if readers != nil {
		again["userIds"] = readers[:min(len(readers), readersMax)]
	}
	return draw(m, false, again)
}

func draw(m notify.Message, acts bool, again object) json.RawMessage {
	if raw, ok := whole(m, acts, again); ok {
		return raw
	}
	m.Details, m.Acts = nil, nil
	if raw, ok := whole(m, false, nil); ok {
		return raw
	}
	m.Facts = nil
	raw, _ := whole(m, false, nil)
	return raw
}

func whole(m notify.Message, acts bool, again object) (json.RawMessage, bool) {
	body := []any{}
	if title := strings.TrimSpace(m.Title); title != "" {
		body = append(body, text(phrase.ClipValid(title, titleMax), object{"weight": "Bolder", "size": "Medium"}, nil))
	}
	for line := range strings.Lines(phrase.ClipValid(m.Text, textMax)) {
		body = append(body, text(strings.TrimRight(line, "\r\n"), nil, nil))
	}
	if m.Due != "" {
		body = append(body, text(m.Due, nil, nil))
	}
	for i, f := range m.Facts {
		if i < factsMax && strings.TrimSpace(f.Label) != "" && strings.TrimSpace(f.Value) != "" {
			body = append(body, row(phrase.ClipValid(f.Label, factMax), phrase.ClipValid(f.Value, factMax))...)
		}
	}
	shown, ok := details(m.Details)
	if !ok {
		return nil, false
	}
	if len(shown) > 0 {
		body = append(body, object{"type": "Container", "separator": true, "spacing": "Medium", "items": shown})
	}
	if len(m.Details) == 0 && m.Approval != "" && !m.Settled && m.Open != "" {
		body = append(body, text("The proposal is not shown here. Open it in Assent to decide.",
			object{"isSubtle": true}, nil))
	}
	buttons, ok := actions(m, acts)
	if !ok {
		return nil, false
	}
	if len(body) == 0 {
		body = append(body, text(string(m.Event), nil, nil))
	}
	if first, ok := body[0].(object); ok && m.Key != "" {
		first["id"] = m.Key // which message it is, if it arrived twice
	}
	card := object{"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
		"version": "1.5", "body": body, "msteams": object{"width": "full"}}
	if len(buttons) > 0 {
		card["actions"] = buttons
	}
	if again != nil {
		card["refresh"] = again
	}
	raw, err := json.Marshal(card)
	return raw, err == nil && len(raw) <= cardMax
}

// text is a block that shows exactly s.
func text(s string, style, block object) object {
	if s == "" {
		s = "\u00a0" // an empty line
	}
	run := object{"type": "TextRun", "text": breakable(spaced(s))}
	for k, v := range style {
		run[k] = v
	}
	out := object{"type": "RichTextBlock", "inlines": []any{run}, "spacing": "Small"}
	for k, v := range block {
		out[k] = v
	}
	return out
}

// Characters of a word after which it may be broken, and of the longest word of a label beside its value. Teams does
// not break words in such texts: on a phone they would run over what is next to them, and out of the card.
const (
	wordMax  = 24
	labelFit = 14
)

// breakable adds places to break long words at, which take no room.
func breakable(s string) string {
	if longestWord(s) <= wordMax {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if r == ' ' {
			n = 0
		} else if n++; n > wordMax && !unicode.Is(unicode.M, r) {
			b.WriteRune('\u200b')
			n = 1
		}
		b.WriteRune(r)
	}
	return b.String()
}

// longestWord is the number of characters of the longest word.
func longestWord(s string) (most int) {
	for word := range strings.SplitSeq(s, " ") {
		most = max(most, utf8.RuneCountInString(word))
	}
	return most
}

// spaced keeps spaces that are lost otherwise, as indentation is: those at the start of a text or after another become
// no-break spaces.
func spaced(s string) string {
	if !strings.HasPrefix(s, " ") && !strings.Contains(s, "  ") && !strings.Contains(s, "\t") {
		return s
	}
	s = strings.ReplaceAll(s, "\t", "    ")
	var b strings.Builder
	last := ' '
	for _, r := range s {
		if r == ' ' && last == ' ' {
			b.WriteRune('\u00a0')
		} else {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// row shows a label beside its value, or above it if that would be too narrow.
func row(label, value string) []any {
	if longestWord(label) > labelFit {
		return []any{text(label, object{"isSubtle": true}, nil), text(value, nil, object{"spacing": "None"})}
	}
	column := func(width any, item object) object {
		return object{"type": "Column", "width": width, "items": []any{item}}
	}
	return []any{object{"type": "ColumnSet", "spacing": "Small", "columns": []any{
		column("1", text(label, object{"isSubtle": true}, nil)), column("3", text(value, nil, nil))}}}
}

// details shows what is decided on. Nothing is cut.
func details(all []notify.Detail) (out []any, ok bool) {
	size := 0
	for _, d := range all {
		if size += len(d.Label) + len(d.Text); size > cardMax {
			return nil, false
		}
		if !utf8.ValidString(d.Label) || !utf8.ValidString(d.Text) || strings.ContainsRune(d.Label, '\n') {
			return nil, false
		}
		value := d.Text
		if strings.TrimSpace(value) == "" {
			value = `"` + value + `"`
		}
		if d.Label != "" && len(value) <= 80 && !strings.ContainsAny(value, "\n\r\t") {
			out = append(out, row(d.Label, value)...)
			continue
		}
		if d.Label != "" {
			out = append(out, text(d.Label, object{"isSubtle": true}, nil))
		}
		// A block for each line: text runs have none.
		for line := range strings.Lines(value) {
			out = append(out, text(strings.TrimSuffix(line, "\n"), object{"fontType": "Monospace"}, object{"spacing": "None"}))
		}
	}
	return out, true
}

func actions(m notify.Message, acts bool) (out []any, ok bool) {
	if acts {
		if len(m.Acts) >= actsMax {
			return nil, false
		}
		for i, a := range m.Acts {
			if strings.TrimSpace(a.Label) == "" || len(a.Label) > labelMax {
				return nil, false
			}
			style := "default"
			switch {
			case a.Danger:
				style = "destructive"
			case i == 0:
				style = "positive"
			}
			execute := object{"type": "Action.Execute", "title": a.Label, "verb": Verb, "style": style, "data": Press{
				Act: a.Act, Option: a.Option, Approval: m.Approval, Version: m.Version, Key: m.Key}}
			if a.Comment {
				execute = object{"type": "Action.ShowCard", "title": a.Label, "style": style, "card": object{
					"type": "AdaptiveCard", "version": "1.5", "actions": []any{execute}, "body": []any{object{
						"type": "Input.Text", "id": commentID + string(a.Act), "label": "Reason", "isMultiline": true, "isRequired": true,
						"errorMessage": "Enter a reason.", "maxLength": commentMax}}}}
			}
			out = append(out, execute)
		}
	}
	if m.Open != "" {
		out = append(out, object{"type": "Action.OpenUrl", "title": "Open in Assent", "url": m.Open})
	}
	for _, l := range m.Links {
		if len(out) < actsMax && strings.TrimSpace(l.Label) != "" && len(l.Label) <= labelMax {
			out = append(out, object{"type": "Action.OpenUrl", "title": l.Label, "url": l.URL})
		}
	}
	return out, true
}
