package slack

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
)

// Limits of Block Kit, in bytes of escaped text where Slack counts characters.
const (
	blocksMax  = 50
	headerMax  = 150
	sectionMax = 3000
	fieldMax   = 2000
	fieldsMax  = 10
	buttonMax  = 75
	valueMax   = 2000
	buttonsMax = 10
	textMax    = 11_000 // of all blocks; Slack refuses more than about 13,000
	noticeMax  = 600    // of the text in notifications of the device
)

type (
	block  map[string]any
	blocks []block
)

// plain is a text object that shows exactly s.
func plain(s string) block { return block{"type": "plain_text", "text": escape(s), "emoji": false} }

// escape keeps Slack from reading anything in s as a mention or a link.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// fits reports whether s fits whole into a text object of most characters. Empty ones are refused by Slack.
func fits(s string, most int) bool { return strings.TrimSpace(s) != "" && len(escape(s)) <= most }

// cut shortens s to fit.
func cut(s string, most int) string {
	if len(escape(s)) <= most {
		return s
	}
	const more = "…"
	used := len(more)
	for i, r := range s {
		if used += len(escape(string(r))); used > most {
			return strings.TrimSpace(s[:i]) + more
		}
	}
	return s
}

// message is the body of a message: its blocks, and the text of notifications.
type message struct {
	Text   string `json:"text"`
	Blocks blocks `json:"blocks"`
}

// render draws a message. Acts are left out unless the details are in it whole.
func render(m notify.Message, acts bool) message {
	out := message{Text: escape(cut(strings.TrimSpace(strings.TrimSpace(m.Title+"\n"+m.Text)+"\n"+m.Due), noticeMax))}
	if strings.TrimSpace(out.Text) == "" {
		out.Text = escape(string(m.Event))
	}
	if b, ok := whole(m, acts); ok {
		out.Blocks = b
		return out
	}
	m.Details, m.Acts = nil, nil
	b, _ := whole(m, false)
	out.Blocks = b
	return out
}

// whole draws a message with all of its details; ok is false if they do not fit.
func whole(m notify.Message, acts bool) (out blocks, ok bool) {
	// A block of its own for the deadline: within a block, the first letter sets the direction of all of it.
	out = slices.Concat(heading(m.Title), paragraph(m.Text), paragraph(m.Due), facts(m.Facts))
	shown, ok := details(m.Details)
	if !ok {
		return nil, false
	}
	out = append(out, shown...)
	buttons, ok := buttons(m, acts && !m.Settled)
	if !ok {
		return nil, false
	}
	if len(buttons) > 0 {
		out = append(out, block{"type": "actions", "block_id": "acts", "elements": buttons})
	}
	return out, len(out) <= blocksMax && size(out) <= textMax
}

func heading(title string) blocks {
	if strings.TrimSpace(title) == "" {
		return nil
	}
	if fits(title, headerMax) {
		return blocks{{"type": "header", "text": plain(title)}}
	}
	return paragraph(title)
}

func paragraph(text string) blocks {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return blocks{{"type": "section", "text": plain(cut(text, sectionMax))}}
}

const factsMax = 20

// facts are tables of two columns.
func facts(all []notify.Fact) (out blocks) {
	var fields []any
	for i, f := range all {
		if i == factsMax || strings.TrimSpace(f.Label) == "" || strings.TrimSpace(f.Value) == "" {
			continue
		}
		fields = append(fields, plain(cut(f.Label, 200)), plain(cut(f.Value, 300)))
	}
	return table(fields)
}

func table(fields []any) (out blocks) {
	for len(fields) > 0 {
		n := min(len(fields), fieldsMax)
		out = append(out, block{"type": "section", "fields": fields[:n]})
		fields = fields[n:]
	}
	return out
}

// details shows what is decided on, short values as a table and long ones as blocks of their own. Nothing is cut.
func details(all []notify.Detail) (out blocks, ok bool) {
	var row []any
	flush := func() {
		out = append(out, table(row)...)
		row = nil
	}
	if len(all) > 0 {
		out = append(out, block{"type": "divider"})
	}
	for _, d := range all {
		if !utf8.ValidString(d.Label) || !utf8.ValidString(d.Text) { // it would be shown as something else
			return nil, false
		}
		if d.Label != "" && short(d) {
			row = append(row, plain(d.Label), plain(orEmpty(d.Text)))
			continue
		}
		flush()
		if d.Label != "" {
			if !fits(d.Label, sectionMax) {
				return nil, false
			}
			out = append(out, block{"type": "context", "elements": []any{plain(d.Label)}})
		}
		parts, ok := literal(orEmpty(d.Text))
		if !ok {
			return nil, false
		}
		out = append(out, parts...)
	}
	flush()
	return out, true
}

// orEmpty makes an empty value visible.
func orEmpty(s string) string {
	if strings.TrimSpace(s) == "" {
		return `"` + s + `"`
	}
	return s
}

func short(d notify.Detail) bool {
	return len(d.Text) <= 80 && fits(d.Label, 100) && !strings.ContainsAny(d.Label+d.Text, "\n\r\t") &&
		strings.TrimSpace(d.Text) == d.Text && !strings.Contains(d.Text, "  ")
}

const fence = "```"

// literal shows a text in code blocks, where every character stands for itself. A text with the mark that ends a code
// block cannot be shown that way.
func literal(s string) (out blocks, ok bool) {
	if strings.Contains(s, fence) || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return nil, false
	}
	const room = sectionMax - 2*len(fence) - 2
	for s != "" {
		n := split(s, room)
		if strings.HasSuffix(s[:n], "`") || strings.HasPrefix(s[n:], "`") {
			return nil, false
		}
		out = append(out, block{"type": "section",
			"text": block{"type": "mrkdwn", "text": fence + "\n" + escape(s[:n]) + "\n" + fence, "verbatim": true}})
		s = s[n:]
	}
	return out, true
}

// split is how much of s fits, at the end of a line if there is one.
func split(s string, room int) int {
	used, line := 0, 0
	for i, r := range s {
		if used += len(escape(string(r))); used > room {
			if line > 0 {
				return line
			}
			return i
		}
		if r == '\n' {
			line = i + 1
		}
	}
	return len(s)
}

// Press is what a button stands for. Slack returns it with each press.
type Press struct {
	Act      gate.Act `json:"act"`
	Option   string   `json:"option,omitempty"`
	Approval string   `json:"approval"`
	Version  int      `json:"version"`
	Key      string   `json:"key"` // of the message
	Comment  bool     `json:"comment,omitempty"`
	// Where it was pressed, in the dialog that asks for the rest.
	Channel string `json:"channel,omitempty"`
}

// Ids of our actions and dialogs.
const (
	actionPrefix = "assent_act_"
	actionOpen   = "assent_open"
	actionLink   = "assent_link_"
	dialogID     = "assent_decide"
	eventType    = "assent_message"
)

// buttons are the acts and a link to the page; ok is false if a label does not fit.
func buttons(m notify.Message, acts bool) (out []any, ok bool) {
	if acts {
		if len(m.Acts) >= buttonsMax {
			return nil, false
		}
		for i, a := range m.Acts {
			value, err := json.Marshal(Press{Act: a.Act, Option: a.Option, Approval: m.Approval, Version: m.Version,
				Key: m.Key, Comment: a.Comment})
			if err != nil || len(value) > valueMax || !fits(a.Label, buttonMax) {
				return nil, false
			}
			b := block{"type": "button", "action_id": actionPrefix + string(rune('a'+i)), "text": plain(a.Label),
				"value": string(value)}
			switch {
			case a.Danger:
				b["style"] = "danger"
			case i == 0:
				b["style"] = "primary"
			}
			out = append(out, b)
		}
	}
	if m.Open != "" && len(m.Open) <= sectionMax {
		out = append(out, block{"type": "button", "action_id": actionOpen, "text": plain("Open in Assent"), "url": m.Open})
	}
	for i, l := range m.Links {
		if len(out) < buttonsMax && len(l.URL) <= sectionMax && fits(l.Label, buttonMax) {
			out = append(out, block{"type": "button", "action_id": actionLink + string(rune('a'+i)), "text": plain(l.Label),
				"url": l.URL})
		}
	}
	return out, true
}

// size is how much text there is in some blocks.
func size(v any) (n int) {
	switch v := v.(type) {
	case blocks:
		for _, b := range v {
			n += size(b)
		}
	case block:
		for key, part := range v {
			if text, ok := part.(string); ok && (key == "text" || key == "url") {
				n += len(text)
			} else {
				n += size(part)
			}
		}
	case []any:
		for _, part := range v {
			n += size(part)
		}
	}
	return n
}
