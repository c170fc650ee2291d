package teams_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/teams"
	"github.com/assent-run/assent/internal/notify/teams/teamstest"
)

func refund() notify.Message {
	return notify.Message{
		Key: "key-1", Event: notify.ApprovalNeeded, Approval: "apr_1", Version: 3, Title: "Refund [99](https://evil.example)",
		Text:  "The agent Refunder asks for approval.",
		Facts: []notify.Fact{{Label: "Workflow", Value: "refunds"}, {Label: "Risk", Value: "high"}},
		Details: []notify.Detail{{Label: "amount", Text: "99.90"},
			{Label: "mail", Text: "Dear John,\n\n**bold** <at>x</at>"}},
		Open: "https://assent.example.com/approvals/apr_1",
		Acts: []notify.Act{{Act: gate.Approve, Label: "Approve"},
			{Act: gate.Reject, Label: "Reject", Comment: true, Danger: true}},
	}
}

func bot(t *testing.T, s *teamstest.Server) *teams.Channel {
	t.Helper()
	c, err := teams.New(teams.Config{Name: "team", HTTP: s.Client(), Bot: &teams.Bot{ID: teamstest.Bot,
		Password: teamstest.Password, Tenant: teamstest.Tenant, Conversation: teamstest.Conversation, ServiceURL: s.URL,
		TokenURL: s.URL + "/token", OpenID: s.URL + "/openid"}})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*teams.Channel)
}

// check is what Teams and the schema of cards require of what we use; text runs alone contain text of others.
func check(t *testing.T, card json.RawMessage) {
	t.Helper()
	if len(card) > 28<<10 {
		t.Fatalf("%d bytes", len(card))
	}
	var v map[string]any
	if err := json.Unmarshal(card, &v); err != nil || v["type"] != "AdaptiveCard" || v["version"] != "1.5" {
		t.Fatalf("%v %s", err, card)
	}
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, y := range x {
				walk(y)
			}
		case map[string]any:
			switch kind := x["type"]; kind {
			case "TextBlock", "FactSet":
				t.Errorf("%s reads Markdown", kind)
			case "TextRun":
				if x["text"] == "" {
					t.Error("an empty text run")
				}
			case "Action.Submit":
				t.Error("Teams' webhooks cannot do Action.Submit")
			}
			for key, y := range x {
				if key != "data" {
					walk(y)
				}
			}
		}
	}
	walk(v)
}

func TestWebhook(t *testing.T) {
	s := teamstest.New(t, nil)
	c, err := teams.New(teams.Config{URL: s.URL + "/workflow", HTTP: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if _, edits := c.(notify.Editor); edits || c.Room().Acts {
		t.Error("a webhook cannot change cards")
	}
	if _, err := c.Send(t.Context(), notify.Recipient{}, refund()); err != nil {
		t.Fatal(err)
	}
	card := s.Cards()[0].Raw
	check(t, card)
	if len(teamstest.Buttons(card)) != 0 || !strings.Contains(string(card), "Action.OpenUrl") {
		t.Errorf("%s", card)
	}
	for status, want := range map[int]notify.Failure{
		429: {After: 7 * time.Second}, 410: {Permanent: true, Gone: true}, 400: {Permanent: true}, 502: {Unknown: true},
		401: {Permanent: true, Gone: true},
	} {
		s.Answer(http.Header{"Retry-After": {"7"}}, status)
		_, err := c.Send(t.Context(), notify.Recipient{}, refund())
		var f *notify.Failure
		if !errors.As(err, &f) || strings.Contains(f.Why, s.URL) {
			t.Fatalf("%d: %v", status, err)
		}
		if f.Why = ""; *f != want {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func TestBot(t *testing.T) {
	s := teamstest.New(t, map[string]teamstest.Member{
		"29:maria": {Name: "Maria", Principal: "Maria@example.com", Tenant: teamstest.Tenant},
		"29:guest": {Name: "Guest", Principal: "maria_example.com#EXT#@x", Tenant: teamstest.Tenant},
		"29:other": {Name: "Other", Principal: "maria@example.com", Tenant: "another"}})
	c := bot(t, s)
	ref, err := c.Send(t.Context(), notify.Recipient{}, refund())
	if err != nil {
		t.Fatal(err)
	}
	card := s.Cards()[0].Raw
	check(t, card)
	shown := teamstest.Shown(card)
	for _, want := range []string{"Dear John,", "**bold** <at>x</at>", "99.90", "refunds", "[99](https://evil.example)"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
	if len(teamstest.Buttons(card)) != 0 || s.Refresh(card, "1", "29:maria", "object") == nil {
		t.Errorf("the card of a room: %s", card)
	}
	own := teams.Card(refund(), true)
	if b := teamstest.Buttons(own); len(b) != 2 || b["Reject"]["act"] != "reject" || b["Approve"]["approval"] != "apr_1" {
		t.Errorf("%v", b)
	}
	settled := refund()
	settled.Settled, settled.Text = true, "Maria approved this."
	s.Answer(nil, http.StatusUnauthorized) // its token has expired: it gets another one
	if again, err := c.Edit(t.Context(), notify.Recipient{}, ref, settled); err != nil || again != ref {
		t.Fatal(again, err)
	}
	if now := s.Cards()[0]; now.Edits != 1 || len(teamstest.Buttons(now.Raw)) != 0 ||
		s.Refresh(now.Raw, "2", "29:maria", "object") != nil {
		t.Errorf("%+v", now)
	}
	var f *notify.Failure
	if _, err := c.Edit(t.Context(), notify.Recipient{}, ref+"x", settled); !errors.As(err, &f) || !f.Permanent {
		t.Errorf("a card that is gone: %v", err)
	}
	for user, want := range map[string]string{"29:maria": "maria@example.com", "29:guest": "", "29:other": ""} {
		if m, err := c.Member(t.Context(), teamstest.Conversation, user); err != nil || m.Principal != want {
			t.Errorf("%s: %+v %v", user, m, err)
		}
	}
}

// TestPeople: people who linked their user get cards of their own, for which Teams asks for buttons; others are not
// reached.
func TestPeople(t *testing.T) {
	s := teamstest.New(t, map[string]teamstest.Member{"29:maria": {Name: "Maria", Object: "object-maria"}})
	made, err := teams.New(teams.Config{Name: "team", HTTP: s.Client(), Bot: &teams.Bot{ID: teamstest.Bot,
		Password: teamstest.Password, Tenant: teamstest.Tenant, ServiceURL: s.URL, TokenURL: s.URL + "/token",
		OpenID: s.URL + "/openid"}, User: func(_ context.Context, tenant, person string) (string, error) {
		return map[string]string{"maria": "object-maria", "zoe": "object-zoe"}[person], nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*teams.Channel)
	maria := notify.Recipient{Person: "maria"}
	ref, err := c.Send(t.Context(), maria, refund())
	if err != nil {
		t.Fatal(err)
	}
	card := s.Cards()[0]
	if card.Conversation != teamstest.Chat("object-maria") || len(teamstest.Buttons(card.Raw)) != 0 ||
		s.Refresh(card.Raw, "1", "29:maria", "object-maria") == nil {
		t.Errorf("%+v", card)
	}
	settled := refund()
	settled.Settled = true
	if _, err := c.Edit(t.Context(), maria, ref, settled); err != nil ||
		s.Refresh(s.Cards()[0].Raw, "2", "29:maria", "object-maria") != nil {
		t.Error(err, s.Cards())
	}
	for person, why := range map[string]string{"ben": "no linked user", "zoe": "403"} {
		var f *notify.Failure
		_, err := c.Send(t.Context(), notify.Recipient{Person: person}, refund())
		if !errors.As(err, &f) || !f.Permanent || f.Unknown || !strings.Contains(f.Why, why) {
			t.Errorf("%s: %+v", person, err)
		}
	}
	if _, err := c.Send(t.Context(), notify.Recipient{}, refund()); err == nil {
		t.Error("there is no room")
	}
}

func TestRequestsAreVerified(t *testing.T) {
	s := teamstest.New(t, nil)
	c := bot(t, s)
	now := time.Now()
	body := s.Execute(map[string]any{"act": "reject", "approval": "apr_1", "version": 3, "key": "k",
		"comment_reject": "no", "comment_approve": "yes"}, "1", "29:maria", "object")
	claims := func(change func(map[string]any)) map[string]any {
		v := s.Claims(now)
		change(v)
		return v
	}
	valid := func(map[string]any) {}
	if a, err := c.Read(t.Context(), s.Sign(claims(valid)), body, now); err != nil || a.Press == nil ||
		*a.Press != (teams.Press{Act: "reject", Approval: "apr_1", Version: 3, Key: "k", Comment: "no"}) ||
		a.Object != "object" || a.Tenant != teamstest.Tenant {
		t.Fatalf("%+v %v", a, err)
	}
	for name, c2 := range map[string]struct {
		h    http.Header
		body []byte
	}{
		"no token":        {http.Header{}, body},
		"another key":     {s.Forge(claims(valid), false), body},
		"symmetric":       {s.Forge(claims(valid), true), body},
		"unsigned":        {http.Header{"Authorization": {"Bearer eyJhbGciOiJub25lIiwia2lkIjoiazEifQ.e30."}}, body},
		"expired":         {s.Sign(claims(func(v map[string]any) { v["exp"] = now.Add(-6 * time.Minute).Unix() })), body},
		"without an end":  {s.Sign(claims(func(v map[string]any) { delete(v, "exp") })), body},
		"not yet valid":   {s.Sign(claims(func(v map[string]any) { v["nbf"] = now.Add(6 * time.Minute).Unix() })), body},
		"another issuer":  {s.Sign(claims(func(v map[string]any) { v["iss"] = "https://evil.example" })), body},
		"another bot":     {s.Sign(claims(func(v map[string]any) { v["aud"] = "other" })), body},
		"another service": {s.Sign(claims(func(v map[string]any) { v["serviceurl"] = "https://evil.example" })), body},
		"another tenant":  {s.Sign(claims(valid)), []byte(strings.ReplaceAll(string(body), teamstest.Tenant, "other"))},
		"another channel": {s.Sign(claims(valid)), []byte(strings.ReplaceAll(string(body), "msteams", "emulator"))},
		"two tenants":     {s.Sign(claims(valid)), []byte(strings.Replace(string(body), teamstest.Tenant, "other", 1))},
		"no JSON":         {s.Sign(claims(valid)), []byte("x")},
	} {
		if a, err := c.Read(t.Context(), c2.h, c2.body, now); err == nil {
			t.Errorf("%s: accepted: %+v", name, a)
		}
	}
}

// TestEndorsedKeys: a key that names the channels it is endorsed for signs for those alone.
func TestEndorsedKeys(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		channels []string
		ok       bool
	}{
		"Teams among others": {[]string{"webchat", "msteams"}, true},
		"others":             {[]string{"webchat", "msteams2"}, false},
		"it names none":      {nil, true},
	} {
		s := teamstest.New(t, nil)
		s.Endorse(c.channels...)
		body := s.Execute(map[string]any{"act": "approve", "approval": "apr_1", "version": 3, "key": "k"}, "1",
			"29:maria", "object")
		if a, err := bot(t, s).Read(t.Context(), s.Sign(s.Claims(now)), body, now); (err == nil) != c.ok {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// FuzzCard: a card with a button contains everything that is decided on, and Teams accepts it.
func FuzzCard(f *testing.F) {
	f.Add("Refund", "amount", "99.90", "mail", "Dear John,\n\nbye", 1)
	f.Add("", "", "", "", "\r\n\t", 3)
	f.Add("Refund", "reason", "It arrived "+strings.Repeat("very, ", 90)+"late", "mail", strings.Repeat("a line\n", 30), 2)
	f.Add(strings.Repeat("ä", 400), "a", strings.Repeat("\"<>&", 900), "b", strings.Repeat("line\n", 900), 9)
	f.Add(strings.Repeat("ä", 400), "a", strings.Repeat("\"<>&", 900), "b", strings.Repeat("line\n", 900), 44) // slow
	f.Fuzz(func(t *testing.T, title, label, text, label2, text2 string, n int) {
		m := refund()
		m.Title, m.Text, m.Facts = title, text, []notify.Fact{{Label: label, Value: text2}}
		m.Details = nil
		for i := range min(max(n, 0), 40) {
			m.Details = append(m.Details, notify.Detail{Label: label, Text: text},
				notify.Detail{Label: fmt.Sprint(label2, i), Text: text2})
		}
		shared := teams.Shared(m, []string{"29:maria"})
		check(t, shared)
		card := teams.Card(m, true)
		check(t, card)
		if again := strings.Contains(string(shared), `"refresh"`); len(teamstest.Buttons(shared)) > 0 ||
			again && len(teamstest.Buttons(card)) == 0 {
			t.Fatalf("the card of the room: %s", shared)
		}
		if len(teamstest.Buttons(card)) == 0 {
			return
		}
		same := strings.NewReplacer("\n", "", "\u00a0", " ", "\t", "    ", "\u200b", "").Replace
		m.Title, m.Text, m.Facts = "", "", nil // which are not decided on
		if card = teams.Card(m, true); len(teamstest.Buttons(card)) == 0 {
			t.Fatalf("less does not fit: %s", card)
		}
		shown := same(teamstest.Shown(card))
		for _, d := range m.Details {
			text, want := d.Text, ""
			if strings.TrimSpace(text) == "" {
				text = `"` + text + `"`
			}
			for line := range strings.Lines(text) {
				want += same(cmp.Or(strings.TrimSuffix(line, "\n"), " ")) // an empty line is one
			}
			if !strings.Contains(shown, same(d.Label)) || !strings.Contains(shown, want) {
				t.Fatalf("%q %q is not in\n%s", d.Label, d.Text, shown)
			}
		}
	})
}
