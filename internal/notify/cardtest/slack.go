package cardtest

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
)

// Message draws the blocks of a message of Slack, as close to Block Kit as plain HTML comes. It knows the blocks that
// we use; others are an error.
func (b *Browser) Message(t testing.TB, blocks json.RawMessage, look Look) Shown {
	t.Helper()
	var all []kit
	if err := json.Unmarshal(blocks, &all); err != nil {
		t.Fatal(err)
	}
	p := &sheet{t: t}
	p.put("<!doctype html><meta charset=utf-8><style>", slackStyle, "</style><body class=", look.Theme,
		"><div class=who><i>A</i><div><b>Assent</b> <small>APP &nbsp;9:06</small>")
	for _, k := range all {
		p.block(k)
	}
	p.put("</div></div>")
	return b.ask(t, struct {
		Look
		HTML string `json:"html"`
	}{look, p.b.String()})
}

// kit is a block, an element or a text.
type kit struct {
	Type     string
	Text     json.RawMessage
	Fields   []kit
	Elements []kit
	Style    string
}

type sheet struct {
	t testing.TB
	b strings.Builder
}

func (p *sheet) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// text draws a text object: what it contains is escaped for Slack, and read back first. Of markup there are fences
// alone.
func (p *sheet) text(raw json.RawMessage) {
	var o struct{ Type, Text string }
	if err := json.Unmarshal(raw, &o); err != nil {
		p.t.Fatalf("%v: %s", err, raw)
	}
	s, fenced := strings.CutPrefix(o.Text, "```\n")
	if fenced && o.Type == "mrkdwn" {
		p.put("<pre>", html.EscapeString(html.UnescapeString(strings.TrimSuffix(s, "\n```"))), "</pre>")
		return
	}
	if o.Type != "plain_text" {
		p.t.Fatalf("not drawn: %s", raw)
	}
	p.put("<span>", html.EscapeString(html.UnescapeString(o.Text)), "</span>")
}

func (p *sheet) block(k kit) {
	switch k.Type {
	case "divider":
		p.put("<hr>")
		return
	case "header", "section", "context", "actions":
	default:
		p.t.Fatalf("not drawn: %s", k.Type)
	}
	p.put("<div class=", k.Type, ">")
	if k.Text != nil {
		p.text(k.Text)
	}
	if len(k.Fields) > 0 {
		p.put("<div class=fields>")
		for _, f := range k.Fields {
			raw, _ := json.Marshal(map[string]any{"type": f.Type, "text": f.Text}) // it was read from JSON
			p.text(raw)
		}
		p.put("</div>")
	}
	for _, e := range k.Elements {
		if e.Type != "button" {
			raw, _ := json.Marshal(map[string]any{"type": e.Type, "text": e.Text}) // it was read from JSON
			p.text(raw)
			continue
		}
		p.put("<button class=\"", html.EscapeString(e.Style), "\">")
		p.text(e.Text)
		p.put("</button>")
	}
	p.put("</div>")
}

const slackStyle = `body { margin: 0; padding: 16px; font: 15px/1.46 Lato, "Helvetica Neue", Arial, sans-serif; color: #1d1c1d;
	background: #fff } .dark { color: #d1d2d3; background: #1a1d21 }
.who { display: flex; gap: 8px; max-width: 620px } .who > i { width: 36px; height: 36px; border-radius: 4px; background: #3b5bdb;
	color: #fff; font: bold 20px/36px Arial; text-align: center; flex: none } .who > div { flex: 1; min-width: 0 }
small { color: #616061; font-size: 12px } .dark small, .dark .context { color: #ababad }
.header { font-size: 18px; font-weight: 900; margin: 4px 0 8px } .section, .actions { margin: 8px 0 }
.context { font-size: 13px; color: #616061; margin: 8px 0 0 } span { white-space: pre-wrap; overflow-wrap: anywhere }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 12px } hr { border: 0; border-top: 1px solid #ddd }
pre { margin: 4px 0; padding: 8px; border: 1px solid #ddd; border-radius: 4px; background: #f8f8f8; white-space: pre-wrap;
	font: 12px/1.5 Menlo, Consolas, "DejaVu Sans Mono", monospace } .dark pre, .dark hr { background: #222529; border-color: #565856 }
button { font: bold 13px/26px Arial; color: inherit; background: none; border: 1px solid #bbb; border-radius: 4px;
	padding: 0 12px; margin-right: 8px } button.primary { background: #007a5a; border-color: #007a5a; color: #fff }
button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff }`
