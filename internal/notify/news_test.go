package notify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/newstest"
)

// TestNews: what messages about runs say, to people and to programs.
func TestNews(t *testing.T) {
	newstest.Golden(t, func(m notify.Message) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n%s\n", m.Title, m.Text)
		for _, f := range m.Facts {
			fmt.Fprintf(&b, "%s: %s\n", f.Label, f.Value)
		}
		for _, l := range m.Links {
			fmt.Fprintf(&b, "[%s] %s\n", l.Label, l.URL)
		}
		return b.String() + string(m.Data)
	})
	for _, s := range newstest.Stories() {
		if s.Run != "" && s.Approval == "" && (!s.Settled || len(s.Acts)+len(s.Details) > 0) {
			t.Errorf("%s offers a decision", s.Name)
		}
	}
}
