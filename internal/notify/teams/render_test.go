package teams_test

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
	"github.com/assent-run/assent/internal/notify/teams"
	"github.com/assent-run/assent/internal/view"
)

var update = flag.Bool("update-pictures", false, "write the pictures of cards in docs/images")

// pictures are those in docs/channels-teams.md.
var pictures = []string{"pending-light", "pending-dark", "settled-light", "digest-light", "large-dark"}

// approval is one as people see it.
func approval() view.Approval {
	due := time.Date(2026, 11, 5, 17, 0, 0, 0, time.UTC)
	return view.Approval{ID: "apr_06gyk1sybevht5kgav527q96zm", Run: "run_1", Workflow: "refund-email", Version: 1,
		Agent: "refunder", Title: "Refund 129.90 EUR to Zoë Keller", Description: "The parcel arrived damaged.",
		Subject: "Order 4711", Status: gate.Pending, Kind: gate.KindApproval, Requester: "ann", DeadlineAt: &due,
		Risk: gate.Risk{Level: risk.High},
		Acts: []gate.Act{gate.Approve, gate.Reject, gate.RequestRevision},
		Proposed: json.RawMessage(`{"amount":129.90,"currency":"EUR","lines":[{"item":"Lamp","price":99.90},` +
			`{"item":"Shipping","price":30}],"mail":"Dear Zoë,\n\nwe are sorry. You will get 129.90 EUR back within 3 days."}`)}
}

func sheet() notify.Sheet {
	return notify.Sheet{Event: notify.ApprovalNeeded, Key: "dlv_1", Edits: true, Whole: true,
		Room: notify.Room{Acts: true, Details: 10_000, Parts: 40},
		Link: "https://assent.example.com/approvals/apr_06gyk1sybevht5kgav527q96zm"}
}

// TestRendered: every card is valid by Microsoft's types for Teams, parsed and rendered by the renderer of Adaptive
// Cards without a warning, and shows everything that is decided on.
func TestRendered(t *testing.T) {
	b := cardtest.Start(t)
	pending := approval()
	settled := approval()
	settled.Status = gate.Approved
	settled.Outcome = &view.Outcome{Outcome: gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "maria",
		Comment: "Photo checked."}}
	large := approval()
	large.Proposed = json.RawMessage(`{"mail":"` + strings.Repeat("Dear Zoë, ", 2000) + `"}`)
	odd := approval()
	odd.Title = "**Refund** <at>all</at> [99](https://evil.example)"
	odd.Proposed = json.RawMessage(`{"a":{"b":1},"c":"  two  spaces\n\tand a tab\n\n- {{DATE(2026-01-01, SHORT)}} \\_x_ &amp; <b>","":""}`)
	digest := notify.Message{Key: "dlv_2", Event: notify.ApprovalNeeded, Title: "3 approvals required",
		Text: "These approvals are waiting for a decision.", Open: "https://assent.example.com/inbox",
		Facts: []notify.Fact{{Label: "refund-email", Value: "Refund 129.90 EUR to Zoë Keller"},
			{Label: "refund-email", Value: "Refund 12.00 EUR to Jo Park"},
			{Label: "contracts", Value: "Send the offer to Acme"}}}
	opens := []string{"Open in Assent"}
	decides := append([]string{"Approve", "Reject", "Request changes"}, opens...)
	for _, c := range []struct {
		name    string
		m       notify.Message
		bot     bool
		buttons []string
	}{
		{"pending", notify.Compose(pending, sheet()), true, decides},
		{"webhook", notify.Compose(pending, sheet()), false, opens},
		{"settled", notify.Compose(settled, sheet()), true, opens},
		{"digest", digest, true, opens},
		{"large", notify.Compose(large, sheet()), true, opens},
		{"odd", notify.Compose(odd, sheet()), true, decides},
		{"without a link", notify.Message{Event: notify.RunFailed, Title: "Failed: x"}, true, nil},
		{"empty", notify.Message{Event: notify.RunFailed}, true, nil},
	} {
		card := teams.Card(c.m, c.bot)
		check(t, card)
		for _, theme := range []string{"light", "dark"} {
			look := cardtest.Look{Theme: theme, Drawn: theme == "dark"}
			if *update && slices.Contains(pictures, c.name+"-"+theme) {
				look.Picture, _ = filepath.Abs(filepath.Join("../../../docs/images", "teams-"+c.name+"-"+theme+".png"))
			}
			shown := b.Card(t, card, look)
			if look.Picture != "" {
				cardtest.Shrink(t, look.Picture)
			}
			if len(shown.Problems)+len(shown.Warnings) > 0 || !slices.Equal(shown.Buttons, c.buttons) {
				t.Errorf("%s, %s: problems %q, warnings %q, buttons %q\n%.300s", c.name, theme, shown.Problems,
					shown.Warnings, shown.Buttons, card)
			}
			// Spaces are shown as they are: those that a browser would drop are no-break spaces.
			text := strings.ReplaceAll(shown.Text, "\u00a0", " ")
			for _, d := range c.m.Details {
				for line := range strings.Lines(d.Text) {
					line = strings.ReplaceAll(strings.TrimRight(line, "\n "), "\t", "    ")
					if !strings.Contains(text, line) || !strings.Contains(text, d.Label) {
						t.Errorf("%s, %s: %q %q is not shown in\n%s", c.name, theme, d.Label, line, text)
					}
				}
			}
		}
	}
	// On a phone, long words stay in the card and beside what they belong to.
	long := approval()
	long.Title = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
	long.Subject = "Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung"
	long.Proposed = json.RawMessage(`{"kraftfahrzeughaftpflichtversicherungsnummer":"` + strings.Repeat("DE89370400", 7) +
		`","mail":"` + strings.Repeat("ü", 300) + `"}`)
	right := approval()
	right.Title, right.Description = "إرسال استرداد بقيمة 129.90 يورو إلى سارة", "وصلت الشحنة تالفة."
	right.Proposed = json.RawMessage(`{"رسالة":"عزيزتي سارة،\n\nنعتذر.","לקוח":"שרה כהן"}`)
	for name, v := range map[string]view.Approval{"long words": long, "right to left": right} {
		m := notify.Compose(v, sheet())
		shown := b.Card(t, teams.Card(m, true), cardtest.Look{Width: 320})
		if len(shown.Problems)+len(shown.Warnings) > 0 || len(shown.Buttons) != len(decides) {
			t.Errorf("%s: %q %q %q", name, shown.Problems, shown.Warnings, shown.Buttons)
		}
		for _, d := range m.Details {
			for line := range strings.Lines(d.Text) {
				if !strings.Contains(shown.Text, strings.TrimSpace(line)) || !strings.Contains(shown.Text, d.Label) {
					t.Errorf("%s: %q %q is not shown in\n%s", name, d.Label, line, shown.Text)
				}
			}
		}
	}
	shared := teams.Shared(notify.Compose(pending, sheet()), []string{"29:maria"})
	if shown := b.Card(t, shared, cardtest.Look{}); len(shown.Problems)+len(shown.Warnings) > 0 ||
		!slices.Equal(shown.Buttons, opens) {
		t.Errorf("the card of a room: %+v", shown)
	}
	shown := b.Card(t, teams.Card(notify.Compose(pending, sheet()), true), cardtest.Look{Press: "Reject"})
	if !strings.Contains(shown.Text, "Reason") || len(shown.Problems)+len(shown.Warnings) > 0 {
		t.Errorf("the reason: %+v", shown)
	}
	for _, story := range newstest.Stories() {
		shown := b.Card(t, teams.Card(story.Message, true), cardtest.Look{Width: 320})
		if len(shown.Problems)+len(shown.Warnings) > 0 || !strings.Contains(shown.Text, story.Facts[0].Value) ||
			!slices.Contains(shown.Buttons, "Open in Assent") {
			t.Errorf("%s: %+v", story.Name, shown)
		}
	}
	// The checks see what is wrong.
	for _, bad := range []string{
		`{"type":"AdaptiveCard","version":"1.5","body":[{"type":"RichTextBlock","inlines":[{"type":"TextRun","txt":"x"}]}]}`,
		`{"type":"AdaptiveCard","version":"1.5","body":[{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"x","weight":"Fat"}]}]}`,
	} {
		if shown := b.Card(t, json.RawMessage(bad), cardtest.Look{}); len(shown.Problems) == 0 {
			t.Errorf("not refused: %s", bad)
		}
	}
}
