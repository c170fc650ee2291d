package email

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
)

// TestNews: mails about runs, as text and as HTML.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		l := page(m, "")
		_, body, _ := strings.Cut(l.html(), "<body>")
		return "Subject: " + subject(envelope{}, m) + "\n" + l.text() + body
	})
}
