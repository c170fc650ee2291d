package notify_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
)

// TestDefaults: what applies to people who chose nothing, by name and by kind, without rooms and programs.
func TestDefaults(t *testing.T) {
	set, problems := definition.Parse("all.yaml", []byte(`
channel: mail
kind: email
from: assent@example.com
smtp: smtp://127.0.0.1:25
---
channel: phone
kind: push
---
channel: room
kind: teams
url: https://example.com/workflow
---
channel: hooks
kind: webhook
url: https://example.com/hooks
secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := notify.DefaultsOf(set)
	for _, e := range notify.Events {
		want := []string{"mail", "phone"}
		if e == notify.ApprovalAutoApproved {
			want = nil
		}
		if !slices.Equal(d.Events[e], want) {
			t.Errorf("%s: %q, not %q", e, d.Events[e], want)
		}
	}
	set.Notifications = &definition.Notifications{Digest: &definition.Digest{After: 3},
		QuietHours: &definition.QuietHours{From: "22:00", To: "07:00"},
		Events:     map[string][]string{"approval.needed": {"push", "room", "hooks"}, "run.failed": {"hooks"}}}
	d = notify.DefaultsOf(set)
	want := map[notify.Event][]string{notify.ApprovalNeeded: {"phone"}}
	if !maps.EqualFunc(d.Events, want, slices.Equal) || d.Digest.After != 3 || d.QuietHours.From != "22:00" {
		t.Errorf("%+v", d)
	}
}
