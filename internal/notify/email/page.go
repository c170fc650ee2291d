package email

import (
	"html"
	"strings"

	"github.com/assent-run/assent/internal/notify"
)

// htmlMax is how much HTML mail programs show; the rest they hide behind a link of their own.
const htmlMax = 96 << 10

// letter is the content of a mail: all its texts are visible, none is escaped.
type letter struct {
	title       string
	about       string // a line of context above the title
	paragraphs  []string
	facts       []notify.Fact
	details     []notify.Detail
	left        bool // details are left out
	open, label string
	links       []notify.Link
	note        string
	unsubscribe string
	tone        string // the class of the bar at the top
}

// page lays out a message.
func page(m notify.Message, unsubscribe string) letter {
	l := letter{title: oneLine(m.Title), unsubscribe: unsubscribe, open: webAddress(m.Open), label: "Open"}
	for part := range strings.SplitSeq(visible(m.Text)+"\n"+visible(m.Due), "\n") {
		if part = strings.TrimSpace(part); part != "" {
			l.paragraphs = append(l.paragraphs, part)
		}
	}
	for _, f := range m.Facts {
		l.facts = append(l.facts, notify.Fact{Label: oneLine(f.Label), Value: oneLine(f.Value)})
	}
	for _, d := range m.Details {
		l.details = append(l.details, notify.Detail{Label: oneLine(d.Label), Text: strings.TrimRight(visible(d.Text), "\n")})
	}
	for _, other := range m.Links {
		if u := webAddress(other.URL); u != "" {
			l.links = append(l.links, notify.Link{Label: oneLine(other.Label), URL: u})
		}
	}
	if l.about, l.tone = words(m); m.Settled && m.About != "" {
		l.about = "" // the title says it
	} else if about := oneLine(m.About); about != "" && m.Approval != "" {
		l.title = about
	}
	if kind, name, ok := strings.Cut(l.title, ": "); ok && m.Approval == "" && m.Run != "" && !m.Summary {
		l.about, l.title = kind, name // such as Failed
	}
	switch {
	case m.Approval != "" && !m.Settled:
		l.label = "Review"
		l.note = "Decisions are made on the page, after signing in. Opening the link decides nothing."
	case m.Approval != "":
		l.label = "Open approval"
	case m.Run != "":
		l.label = "Open run"
	}
	return l
}

// words is what kind of message it is, and its colour.
func words(m notify.Message) (about, tone string) {
	switch {
	case m.Summary && m.Settled:
		return "Updates", "ok"
	case m.Event == notify.RunFailed:
		return "Run failed", "bad"
	case m.Event == notify.RunPaused:
		return "Run paused", "warn"
	case m.Event == notify.RunCompleted:
		return "Run completed", "ok"
	case m.Event == notify.DeliverableCreated:
		return "New deliverable", "ok"
	case m.Event == notify.LimitWarning:
		return "Limit warning", "warn"
	case m.Event == notify.ApprovalAutoApproved:
		return "Approved by a rule", "ok"
	case m.Settled:
		return "Settled", "ok"
	case m.Event == notify.ApprovalReminder:
		return "Reminder: approval needed", "warn"
	case m.Event == notify.ApprovalEscalated:
		return "Escalated to you", "warn"
	case m.Event == notify.ApprovalTimedOut:
		return "Timed out", "warn"
	case m.Event == notify.ApprovalNeeded:
		return "Approval needed", "ask"
	}
	return "", "ask"
}

const tooLong = "The rest is too long for an e-mail. Open the page to see all of it."

// text is the mail as plain text.
func (l letter) text() string {
	var b strings.Builder
	if l.about != "" {
		b.WriteString(l.about + "\n\n")
	}
	b.WriteString(l.title + "\n")
	for _, p := range l.paragraphs {
		b.WriteString("\n" + p + "\n")
	}
	if len(l.facts) > 0 {
		b.WriteByte('\n')
	}
	for _, f := range l.facts {
		b.WriteString(f.Label + ": " + f.Value + "\n")
	}
	for _, d := range l.details {
		b.WriteByte('\n')
		if d.Label != "" {
			b.WriteString(d.Label + ":\n")
		}
		// Indented, so that no line of it can pass for one of ours.
		b.WriteString("    " + strings.ReplaceAll(d.Text, "\n", "\n    ") + "\n")
	}
	if l.left {
		b.WriteString("\n" + tooLong + "\n")
	}
	if l.open != "" {
		b.WriteString("\n" + l.label + ": " + l.open + "\n")
	}
	for _, other := range l.links {
		b.WriteString(other.Label + ": " + other.URL + "\n")
	}
	if l.note != "" {
		b.WriteString("\n" + l.note + "\n")
	}
	if l.unsubscribe != "" {
		b.WriteString("\nUnsubscribe from summaries: " + l.unsubscribe + "\n")
	}
	return b.String()
}

// style is what mail programs with style sheets use; the others show the mail as it would be without. Colours reach
// 4.5:1 in both themes.
const style = `:root{color-scheme:light dark;supported-color-schemes:light dark}` +
	`body{margin:0;padding:0;background:#f7f7f9;color:#1c1b22;-webkit-text-size-adjust:100%;` +
	`font:16px/1.5 -apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}` +
	`.card{max-width:560px;margin:24px auto;background:#fff;border:1px solid #e3e2e8;border-radius:12px;overflow:hidden}` +
	`.in{padding:24px}` +
	`.about{margin:0 0 6px;font-size:13px;font-weight:600;color:#4b3fc4}` +
	`.warn .about{color:#7a4a00}.bad .about{color:#a32024}.ok .about{color:#14613a}` +
	`h1{margin:0 0 12px;font-size:20px;line-height:1.3;font-weight:650;overflow-wrap:anywhere}` +
	`p{margin:0 0 12px;overflow-wrap:anywhere}` +
	`table.facts{border-collapse:collapse;margin:16px 0;width:100%;font-size:15px}` +
	`.facts th{text-align:left;font-weight:400;color:#62606d;padding:4px 16px 4px 0;vertical-align:top;width:1%;` +
	`white-space:nowrap}` +
	`.facts td{padding:4px 0;vertical-align:top;overflow-wrap:anywhere}` +
	`.detail{margin:12px 0;padding:12px 14px;background:#f3f3f6;border-radius:8px}` +
	`.detail b{display:block;font-size:13px;font-weight:600;color:#62606d;margin-bottom:4px;overflow-wrap:anywhere}` +
	`.detail div{white-space:pre-wrap;overflow-wrap:anywhere;font-size:15px}` +
	`a.open{display:inline-block;margin:12px 0 4px;padding:12px 22px;background:#5a4bdc;color:#fff;border-radius:8px;` +
	`font-weight:600;text-decoration:none}` +
	`a.other{display:inline-block;margin:12px 0 4px 16px;padding:12px 0;color:#4b3fc4;font-weight:600}` +
	`.note{margin:12px 0 0;font-size:13px;color:#62606d}.note a{color:#62606d}` +
	`@media (max-width:600px){.card{margin:0;border:0;border-radius:0}.in{padding:20px 16px}` +
	`.facts th{white-space:normal;width:34%}a.open{display:block;text-align:center}` +
	`a.other{display:block;text-align:center;margin:4px 0}}` +
	`@media (prefers-color-scheme:dark){body{background:#141317!important;color:#f0eff4!important}` +
	`.card{background:#1d1c22!important;border-color:#35333d!important}` +
	`.about,a.other{color:#b5aefc!important}.warn .about{color:#f0c274!important}.bad .about{color:#ff9d97!important}` +
	`.ok .about{color:#86d9a9!important}` +
	`.facts th,.detail b,.note,.note a{color:#a9a7b4!important}.detail{background:#27262e!important}` +
	`a.open{background:#6a5cf0!important;color:#fff!important}}`

// html is the mail as HTML.
func (l letter) html() string {
	out := l.render()
	if len(out) > htmlMax {
		l.details, l.left = nil, true
		out = l.render()
	}
	return out
}

func (l letter) render() string {
	var b strings.Builder
	put := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
		}
	}
	esc := html.EscapeString
	put("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">",
		"<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"supported-color-schemes\" content=\"light dark\">",
		"<title>", esc(l.title), "</title>\n<style>", style, "</style></head>\n<body>",
		"<div class=\"card ", l.tone, "\"><div class=\"in\">\n")
	if l.about != "" {
		put("<p class=\"about\">", esc(l.about), "</p>\n")
	}
	put("<h1 dir=\"auto\">", esc(l.title), "</h1>\n")
	for _, p := range l.paragraphs {
		put("<p dir=\"auto\">", esc(p), "</p>\n")
	}
	if len(l.facts) > 0 {
		put("<table class=\"facts\" role=\"presentation\">\n")
		for _, f := range l.facts {
			put("<tr><th>", esc(f.Label), "</th><td dir=\"auto\">", esc(f.Value), "</td></tr>\n")
		}
		put("</table>\n")
	}
	for _, d := range l.details {
		put("<div class=\"detail\">")
		if d.Label != "" {
			put("<b>", esc(d.Label), "</b>")
		}
		put("<div dir=\"auto\" style=\"white-space:pre-wrap\">", esc(d.Text), "</div></div>\n")
	}
	if l.left {
		put("<p>", tooLong, "</p>\n")
	}
	if l.open != "" {
		put("<a class=\"open\" href=\"", esc(l.open), "\">", esc(l.label), "</a>\n")
	}
	for _, other := range l.links {
		put("<a class=\"other\" href=\"", esc(other.URL), "\">", esc(other.Label), "</a>\n")
	}
	if l.note != "" {
		put("<p class=\"note\">", esc(l.note), "</p>\n")
	}
	if l.unsubscribe != "" {
		put("<p class=\"note\"><a href=\"", esc(l.unsubscribe), "\">Unsubscribe from summaries</a></p>\n")
	}
	put("</div></div>\n</body></html>\n")
	return b.String()
}
