package slack_test

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/cardtest"
	"github.com/assent-run/assent/internal/notify/newstest"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
	"github.com/assent-run/assent/internal/view"
)

var update = flag.Bool("update-pictures", false, "write the pictures of messages in docs/images")

// TestDrawn: messages obey the limits of Block Kit, and show everything that is decided on next to the buttons.
func TestDrawn(t *testing.T) {
	b := cardtest.Start(t)
	due := time.Date(2026, 11, 5, 17, 0, 0, 0, time.UTC)
	pending := view.Approval{ID: "apr_1", Run: "run_1", Workflow: "refund-email", Version: 1, Agent: "refunder",
		Title: "Refund 129.90 EUR to Zoë Keller", Description: "The parcel arrived damaged.", Subject: "Order 4711",
		Status: gate.Pending, Kind: gate.KindApproval, Requester: "ann", DeadlineAt: &due,
		Risk: gate.Risk{Level: risk.High}, Acts: []gate.Act{gate.Approve, gate.Reject, gate.RequestRevision},
		Proposed: json.RawMessage(`{"amount":129.90,"currency":"EUR","mail":"Dear Zoë,\n\nwe are sorry. <!channel> & *you*"}`)}
	settled := pending
	settled.Status = gate.Approved
	settled.Outcome = &view.Outcome{Outcome: gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "maria",
		Comment: "Photo checked."}}
	large := pending
	large.Proposed = json.RawMessage(`{"mail":"` + strings.Repeat("Dear Zoë, ", 1000) + `"}`)
	opens := []string{"Open in Assent"}
	for _, c := range []struct {
		name, theme string
		v           view.Approval
		buttons     []string
	}{
		{"pending", "light", pending, append([]string{"Approve", "Reject", "Request changes"}, opens...)},
		{"settled", "dark", settled, opens},
		{"large", "light", large, opens},
	} {
		m := notify.Compose(c.v, notify.Sheet{Event: notify.ApprovalNeeded, Key: "dlv_1", Edits: true, Whole: true,
			Room: notify.Room{Acts: true, Details: 8000, Part: 2800, Parts: 18},
			Link: "https://assent.example.com/approvals/apr_1"})
		raw, err := json.Marshal(slack.Render(m, true).Blocks)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []any
		if err := json.Unmarshal(raw, &blocks); err != nil {
			t.Fatal(err)
		}
		if _, code := slacktest.Check(blocks, 50); code != "" {
			t.Errorf("%s: %s", c.name, code)
		}
		look := cardtest.Look{Theme: c.theme}
		if *update {
			look.Picture, _ = filepath.Abs("../../../docs/images/slack-" + c.name + ".png")
		}
		shown := b.Message(t, raw, look)
		if look.Picture != "" {
			cardtest.Shrink(t, look.Picture)
		}
		if len(shown.Problems)+len(shown.Warnings) > 0 || !slices.Equal(shown.Buttons, c.buttons) {
			t.Errorf("%s: %+v", c.name, shown)
		}
		for _, d := range m.Details {
			for line := range strings.Lines(d.Text) {
				if !strings.Contains(shown.Text, strings.TrimRight(line, "\n")) || !strings.Contains(shown.Text, d.Label) {
					t.Errorf("%s: %q %q is not shown in\n%s", c.name, d.Label, line, shown.Text)
				}
			}
		}
	}
	for _, story := range newstest.Stories() {
		raw, err := json.Marshal(slack.Render(story.Message, true).Blocks)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []any
		if err := json.Unmarshal(raw, &blocks); err != nil {
			t.Fatal(err)
		}
		_, code := slacktest.Check(blocks, 50)
		shown := b.Message(t, raw, cardtest.Look{})
		if code != "" || len(shown.Problems)+len(shown.Warnings) > 0 || !strings.Contains(shown.Text, story.Title) ||
			!slices.Contains(shown.Buttons, "Open in Assent") {
			t.Errorf("%s: %s %+v", story.Name, code, shown)
		}
	}
}
