package email

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
	gomail "github.com/wneessen/go-mail"

	"github.com/assent-run/assent/internal/notify"
)

// envelope is what a mail needs in addition to its message.
type envelope struct {
	to          []*mail.Address
	id          string // Message-ID, without brackets
	thread      string // an id that all mails of the thread refer to
	reply       string // id of the mail that this one replies to; empty: none
	unsubscribe string
	oneClick    bool // a POST to it is enough
}

func (e envelope) ascii() bool {
	for _, to := range e.to {
		if !isASCII(to.Address) {
			return false
		}
	}
	return true
}

// subjectMax is the most characters of a subject.
const subjectMax = 200

// id makes a Message-ID of texts: the same for the same ones.
func (c *Channel) id(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	_, domain, _ := cutLast(c.from.Address, "@")
	if !isASCII(domain) {
		domain = "assent.invalid"
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)[:20])) + "@" + domain
}

// compose writes a mail as it is sent.
func (c *Channel) compose(e envelope, m notify.Message) ([]byte, error) {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	mail.FromMailAddress(c.from)
	mail.ToMailAddress(e.to...)
	mail.Subject(subject(e, m))
	mail.SetDateWithValue(c.config.Now())
	mail.SetGenHeader(gomail.HeaderMessageID, "<"+e.id+">")
	references := "<" + e.thread + ">"
	if e.reply != "" {
		mail.SetGenHeader(gomail.HeaderInReplyTo, "<"+e.reply+">")
		references += " <" + e.reply + ">"
	} else {
		mail.SetGenHeader(gomail.HeaderInReplyTo, references)
	}
	mail.SetGenHeader(gomail.HeaderReferences, references)
	mail.SetGenHeader("Auto-Submitted", "auto-generated")
	mail.SetGenHeader("X-Auto-Response-Suppress", "All") // the same for Exchange
	for name, text := range map[gomail.Header]string{
		"X-Assent-Event": string(m.Event), "X-Assent-Workflow": m.Workflow, "X-Assent-Run": m.Run,
		"X-Assent-Approval": m.Approval,
	} {
		if text = headerText(text); text != "" {
			mail.SetGenHeader(name, text)
		}
	}
	if u := webAddress(e.unsubscribe); u != "" {
		mail.SetListUnsubscribe(u)
		if e.oneClick {
			mail.SetListUnsubscribePost()
		}
	}
	p := page(m, webAddress(e.unsubscribe))
	mail.SetBodyString(gomail.TypeTextPlain, p.text())
	mail.AddAlternativeString(gomail.TypeTextHTML, p.html())
	var out bytes.Buffer
	if _, err := mail.WriteTo(&out); err != nil {
		return nil, err
	}
	if c.key == nil {
		return out.Bytes(), nil
	}
	return sign(out.Bytes(), *c.config.DKIM, c.key, c.config.Now())
}

// subject is the same for all mails of a thread, apart from Re: some mail programs go by that.
func subject(e envelope, m notify.Message) string {
	title, reply := m.Title, e.reply != ""
	if m.Approval != "" && m.About != "" {
		switch m.Event {
		case notify.ApprovalNeeded:
			// An attempt without a result may have asked before.
			title, reply = "Approval required: "+m.About, reply || m.Settled
		case notify.ApprovalReminder:
			title, reply = "Approval required: "+m.About, true
		case notify.ApprovalTimedOut:
			if !m.Settled {
				title, reply = "Approval required: "+m.About, true
			}
		case notify.ApprovalEscalated:
			title, reply = "Escalated to you: "+m.About, reply || m.Settled
		}
	}
	if title = headerText(title); title == "" {
		title = string(m.Event)
	}
	if reply {
		return "Re: " + title
	}
	return title
}

// webAddress returns an address that may be linked, or nothing.
func webAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.ContainsFunc(text, unseen) || strings.ContainsAny(text, " <>\"") {
		return ""
	}
	return u.String()
}

// unseen are characters that are invisible or change the rest of the text. Joiners are kept: some scripts need them.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError ||
		r == '\u00ad' || r == '\u200b' || r >= '\u2028' && r <= '\u2029' || r >= '\u2060' && r <= '\u2064' ||
		r == '\ufeff' || r >= '\ufff9' && r <= '\ufffb' || r >= 0xe0000 && r <= 0xe007f
}

// visible writes such characters as their codes. Line ends and tabs are kept.
func visible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) && r != '\n' && r != '\t' {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// headerText is a text for a header. One that looks encoded already would be shown decoded.
func headerText(s string) string {
	return phrase.ClipWords(strings.ReplaceAll(oneLine(s), "=?", "= ?"), subjectMax)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
