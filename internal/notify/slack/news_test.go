package slack

import (
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
)

// TestNews: messages in Slack about runs.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		raw, err := json.Marshal(render(m, true))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	})
}
