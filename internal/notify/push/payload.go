package push

import (
	"crypto/sha256"
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/notify"
)

// Limits of what a notification shows, in characters. Platforms cut it much earlier.
const (
	titleMax = 120
	lineMax  = 200
	openMax  = 500 // bytes of the link
	keyMax   = 80
)

// payload is what the service worker shows: web/public/worker.js. It never contains decisions: a notification on a
// locked screen is no place for them.
type payload struct {
	Title   string `json:"title"`
	Line    string `json:"line,omitempty"` // what it is about and, below it, the deadline
	Open    string `json:"open"`           // a path of this server
	Tag     string `json:"tag"`            // a newer message replaces the one with the same tag
	Key     string `json:"key"`            // one that arrives again is shown without a sound
	At      int64  `json:"at"`             // milliseconds
	Settled bool   `json:"settled,omitempty"`
	Asks    bool   `json:"asks,omitempty"` // something waits for the person
}

// payloadOf reduces a message to what fits. The message is already masked for its recipient.
func payloadOf(m notify.Message) ([]byte, error) {
	p := payload{Title: line(m.Title, titleMax), Open: pathOf(m.Open), Tag: topicOf(m),
		Line: strings.Trim(line(m.Text, lineMax)+"\n"+line(m.Due, lineMax), "\n"),
		Key:  line(m.Key, keyMax), At: m.At.UnixMilli(), Settled: quiet(m), Asks: asks(m)}
	if p.Title == "" {
		p.Title = "Assent"
	}
	return json.Marshal(p)
}

// asks reports whether a message asks for a decision.
func asks(m notify.Message) bool {
	switch m.Event {
	case notify.ApprovalNeeded, notify.ApprovalReminder, notify.ApprovalEscalated, notify.ApprovalTimedOut:
		return !m.Settled
	}
	return false
}

// quiet reports whether a message is shown without a sound: there is nothing to see to.
func quiet(m notify.Message) bool {
	switch m.Event {
	case notify.RunFailed, notify.RunPaused, notify.LimitWarning:
		return m.Summary
	}
	return m.Settled
}

// line is the first line of a text without characters that are invisible or change the direction, cut at a limit.
func line(text string, most int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return phrase.ClipWords(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�")), most)
}

// pathOf is the path of an address, so that a notification leads nowhere else.
func pathOf(open string) string {
	u, err := url.Parse(open)
	if err != nil || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || len(open) > openMax {
		return "/inbox"
	}
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path
}

// topicOf names what a message is about, in the characters that RFC 8030 allows. Services replace an undelivered
// message with a newer one of the same topic, and browsers a shown notification.
func topicOf(m notify.Message) string {
	about := m.Thread
	if about == "" {
		about = m.Key
	}
	sum := sha256.Sum256([]byte(about))
	return b64.EncodeToString(sum[:24]) // 32 characters
}

// ttl is how long a service keeps a message for a browser that is offline.
func ttl(m notify.Message) time.Duration {
	if m.Approval != "" {
		return 72 * time.Hour // over a weekend
	}
	return 24 * time.Hour
}

func urgency(m notify.Message) string {
	switch {
	case quiet(m):
		return "low"
	case asks(m):
		return "high"
	}
	return "normal"
}
