package teams_test

import (
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
	"github.com/assent-run/assent/internal/notify/teams"
)

// TestNews: cards about runs.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		return string(teams.Card(m, true))
	})
}
