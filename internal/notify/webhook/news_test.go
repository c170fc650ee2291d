package webhook

import (
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
)

// TestNews: what programs are sent about runs.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		raw, err := payload(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	})
}
