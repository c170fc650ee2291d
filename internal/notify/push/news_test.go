package push

import (
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
)

// TestNews: what browsers are sent about runs, and how urgent it is.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		raw, err := payloadOf(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n" + urgency(m)
	})
}
