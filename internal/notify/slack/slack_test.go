package slack_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
)

var maria = slacktest.User{ID: "UMARIA", Name: "Maria", Email: "Maria@example.com"}

func open(t *testing.T, s *slacktest.Server, change ...func(*slack.Config)) *slack.Channel {
	t.Helper()
	config := slack.Config{Name: "team", Token: slacktest.Token, SigningSecret: slacktest.Secret, To: "#approvals",
		BaseURL: s.URL, HTTP: s.Client(),
		Users: func(_ context.Context, team, person string) (user, email string, err error) {
			if team != slacktest.Team || person != "maria" {
				return "", "", nil
			}
			return "", "maria@example.com", nil
		}}
	for _, f := range change {
		f(&config)
	}
	c, err := slack.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func refund() notify.Message {
	return notify.Message{
		Key: "key-1", Event: notify.ApprovalNeeded, Approval: "apr_1", Version: 3, Run: "run_1", Workflow: "refunds",
		Title: "Refund 99.90 EUR to John <john@example.com>", Text: "The agent Refunder asks for approval.",
		Facts:   []notify.Fact{{Label: "Workflow", Value: "refunds"}, {Label: "Risk", Value: "high"}},
		Details: []notify.Detail{{Label: "amount", Text: "99.90"}, {Label: "mail", Text: "Dear John,\n<!channel> & *all*"}},
		Open:    "https://assent.example.com/approvals/apr_1",
		Acts: []notify.Act{{Act: gate.Approve, Label: "Approve"},
			{Act: gate.Reject, Label: "Reject", Comment: true, Danger: true}},
	}
}

func TestMessageIsSentAndEdited(t *testing.T) {
	s := slacktest.New(t, maria)
	c := open(t, s)
	ref, err := c.Send(t.Context(), notify.Recipient{}, refund())
	if err != nil {
		t.Fatal(err)
	}
	m := s.Messages()[0]
	if m.Channel != "C1" || m.Key != "key-1" || len(m.Buttons()) != 2 {
		t.Fatalf("%+v", m)
	}
	for _, want := range []string{"Dear John,\n<!channel> & *all*", "99.90", "refunds", "John <john@example.com>"} {
		if !strings.Contains(m.Shown(), want) {
			t.Errorf("%q is missing in\n%s", want, m.Shown())
		}
	}
	raw, _ := json.Marshal(m.Blocks)
	if strings.Contains(string(raw), "<!channel>") || strings.Contains(m.Text, "<john") {
		t.Errorf("text that Slack reads as a mention:\n%s\n%s", raw, m.Text)
	}
	press, err := slack.Read(s.Press(m, m.Buttons()["Reject"], maria.ID))
	if err != nil || press.Press == nil || *press.Press != (slack.Press{Act: gate.Reject, Approval: "apr_1", Version: 3,
		Key: "key-1", Comment: true}) || press.User.ID != maria.ID || press.Team != slacktest.Team || press.Channel != "C1" {
		t.Errorf("%+v %+v %v", press, press.Press, err)
	}
	settled := refund()
	settled.Settled, settled.Text, settled.Details = true, "Maria approved this in Slack.", nil
	if again, err := c.Edit(t.Context(), notify.Recipient{}, ref, settled); err != nil || again != ref {
		t.Fatal(again, err)
	}
	if m = s.Messages()[0]; m.Edits != 1 || len(m.Buttons()) != 0 || !strings.Contains(m.Shown(), "Maria approved") {
		t.Errorf("%+v", m)
	}
}

func TestPeopleGetDirectMessages(t *testing.T) {
	s := slacktest.New(t, maria)
	c := open(t, s)
	for range 2 {
		if _, err := c.Send(t.Context(), notify.Recipient{Person: "maria"}, refund()); err != nil {
			t.Fatal(err)
		}
	}
	if all := s.Messages(); all[0].Channel != "DUMARIA" || s.Calls("conversations.open") != 1 {
		t.Errorf("%+v", all)
	}
	var f *notify.Failure
	if _, err := c.Send(t.Context(), notify.Recipient{Person: "zoe"}, refund()); !errors.As(err, &f) || !f.Permanent {
		t.Errorf("an unknown person: %v", err)
	}
	ref, err := c.Find(t.Context(), notify.Recipient{Person: "maria"}, "key-1", time.Now())
	if err != nil || !strings.HasPrefix(string(ref), "DUMARIA/") {
		t.Error(ref, err)
	}
}

// TestFoundAfterAnUnknownAttempt: an answer that was lost leaves a message that Find adopts, however many came later.
func TestFoundAfterAnUnknownAttempt(t *testing.T) {
	s := slacktest.New(t, maria)
	c := open(t, s)
	since, later := time.Now(), refund()
	later.Key = "later"
	s.Chatter(5000, since.Add(-time.Hour))
	s.Fail(slacktest.Fault{Method: "chat.postMessage", Status: http.StatusBadGateway, Done: true})
	var f *notify.Failure
	if _, err := c.Send(t.Context(), notify.Recipient{}, refund()); !errors.As(err, &f) || !f.Unknown || f.Permanent {
		t.Fatalf("%+v", err)
	}
	ours := s.Messages()[5000]
	if _, err := c.Send(t.Context(), notify.Recipient{}, later); err != nil {
		t.Fatal(err)
	}
	s.Chatter(3000, time.Now())
	ref, err := c.Find(t.Context(), notify.Recipient{}, "key-1", since)
	if err != nil || string(ref) != "C1/"+ours.TS {
		t.Errorf("%q %v, not %s", ref, err, ours.TS)
	}
	before := s.Calls("conversations.history")
	if ref, err := c.Find(t.Context(), notify.Recipient{}, "key-2", since); err != nil || ref != "" {
		t.Errorf("a message that never was: %q %v", ref, err)
	}
	if n := s.Calls("conversations.history") - before; n != 4 {
		t.Errorf("%d pages were read of 3,002 messages", n)
	}
	// In a room that is too busy nothing is posted twice.
	s.Chatter(30_000, time.Now())
	if ref, err := c.Find(t.Context(), notify.Recipient{}, "key-1", since); err == nil || ref != "" {
		t.Errorf("%q, though not all messages were read", ref)
	}
}

func TestFailures(t *testing.T) {
	s := slacktest.New(t, maria)
	c := open(t, s)
	send := func() *notify.Failure {
		t.Helper()
		_, err := c.Send(t.Context(), notify.Recipient{}, refund())
		var f *notify.Failure
		if !errors.As(err, &f) || strings.Contains(err.Error(), slacktest.Token) {
			t.Fatalf("not a failure, or one with the token: %v", err)
		}
		return f
	}
	for _, c := range []struct {
		fault slacktest.Fault
		want  notify.Failure
	}{
		{slacktest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"30"}}},
			notify.Failure{After: 30 * time.Second}},
		{slacktest.Fault{Error: "ratelimited"}, notify.Failure{After: time.Second}},
		{slacktest.Fault{Error: "channel_not_found"}, notify.Failure{Permanent: true}},
		{slacktest.Fault{Error: "internal_error"}, notify.Failure{Unknown: true}},
		{slacktest.Fault{Error: "token_revoked"}, notify.Failure{Permanent: true, Gone: true}},
		{slacktest.Fault{Error: "xoxb-test <b>"}, notify.Failure{Permanent: true}},
		{slacktest.Fault{Status: http.StatusServiceUnavailable}, notify.Failure{Unknown: true}},
	} {
		c.fault.Method = "chat.postMessage"
		s.Fail(c.fault)
		got := *send()
		got.Why = ""
		if got != c.want {
			t.Errorf("%+v: got %+v", c.fault, got)
		}
	}
	ref, err := c.Send(t.Context(), notify.Recipient{}, refund())
	if err != nil {
		t.Fatal(err)
	}
	var f *notify.Failure
	if _, err := c.Edit(t.Context(), notify.Recipient{}, ref+"9", refund()); !errors.As(err, &f) || !f.Permanent ||
		!strings.Contains(f.Why, "message_not_found") {
		t.Errorf("a message that is gone: %v", err)
	}
	s.Revoke()
	if f := send(); !f.Gone {
		t.Errorf("%+v", f)
	}
	s.Close()
	if f := send(); f.Unknown || f.Permanent {
		t.Errorf("a server that does not answer: %+v", f)
	}
}

func TestSignatures(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	body := []byte("payload=%7B%7D")
	const signature, timestamp = "X-Slack-Signature", "X-Slack-Request-Timestamp"
	type request struct {
		secret string
		at     time.Time
		change func(http.Header)
		want   error
	}
	with := func(change func(http.Header), want error) request {
		return request{slacktest.Secret, now, change, want}
	}
	for name, c := range map[string]request{
		"signed":           {secret: slacktest.Secret, at: now},
		"five minutes old": {secret: slacktest.Secret, at: now.Add(-5 * time.Minute)},
		"older":            {secret: slacktest.Secret, at: now.Add(-5*time.Minute - time.Second), want: slack.ErrLate},
		"from the future":  {secret: slacktest.Secret, at: now.Add(6 * time.Minute), want: slack.ErrLate},
		"another secret":   {secret: "other", at: now, want: slack.ErrForged},
		"no signature":     with(func(h http.Header) { h.Del(signature) }, slack.ErrUnsigned),
		"another version":  with(func(h http.Header) { h.Set(signature, "v1=00") }, slack.ErrUnsigned),
		"not hexadecimal":  with(func(h http.Header) { h.Set(signature, "v0=zz") }, slack.ErrForged),
		"in capitals": with(func(h http.Header) { // a replay would not be known
			h.Set(signature, "v0="+strings.ToUpper(h.Get(signature)[len("v0="):]))
		}, slack.ErrForged),
		"two signatures":    with(func(h http.Header) { h.Add(signature, "v0=00") }, slack.ErrUnsigned),
		"another timestamp": with(func(h http.Header) { h.Set(timestamp, "1700000001") }, slack.ErrForged),
	} {
		t.Run(name, func(t *testing.T) {
			h := slacktest.Sign(c.secret, body, c.at)
			if c.change != nil {
				c.change(h)
			}
			if err := slack.Verify(slacktest.Secret, h, body, now); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	h := slacktest.Sign(slacktest.Secret, body, now)
	if err := slack.Verify(slacktest.Secret, h, append(body, 'x'), now); !errors.Is(err, slack.ErrForged) {
		t.Errorf("a changed body: %v", err)
	}
	if err := slack.Verify("", slacktest.Sign("", body, now), body, now); err == nil {
		t.Error("without a secret every request would be signed")
	}
}

func TestProfiles(t *testing.T) {
	s := slacktest.New(t, maria, slacktest.User{ID: "UFAR", Team: "TOTHER", Name: "Maria", Email: "maria@example.com"},
		slacktest.User{ID: "UBOT2", Bot: true, Email: "maria@example.com"},
		slacktest.User{ID: "UNEW", Email: "maria@example.com", Unconfirmed: true},
		slacktest.User{ID: "UGONE", Email: "maria@example.com", Deleted: true})
	c := open(t, s)
	for user, want := range map[string]slack.Profile{
		"UMARIA": {ID: "UMARIA", Team: slacktest.Team, Name: "Maria", Email: "maria@example.com"},
		"UFAR":   {ID: "UFAR", Team: "TOTHER", Name: "Maria"},
		"UBOT2":  {ID: "UBOT2", Team: slacktest.Team, Barred: true},
		"UNEW":   {ID: "UNEW", Team: slacktest.Team},
		"UGONE":  {ID: "UGONE", Team: slacktest.Team, Barred: true},
	} {
		if got, err := c.Profile(t.Context(), user); err != nil || got != want {
			t.Errorf("%s: %+v %v", user, got, err)
		}
	}
}

// FuzzMessage: what a message with a button shows contains everything that is decided on, and Slack accepts it.
func FuzzMessage(f *testing.F) {
	f.Add("Refund", "amount", "99.90", "mail", "Dear John,\n<!channel>", 1)
	f.Add("", "", "", "", "```\nApprove this\n```", 3)
	f.Add(strings.Repeat("&", 200), "a", strings.Repeat("<>&", 900), "b", strings.Repeat("line\n", 900), 9)
	f.Add("x", "a`", "`", "b", "``", 2)
	f.Fuzz(func(t *testing.T, title, label, text, label2, text2 string, n int) {
		m := refund()
		m.Title, m.Text, m.Facts = title, text, []notify.Fact{{Label: label, Value: text2}}
		m.Details = nil
		for range min(max(n, 0), 40) {
			m.Details = append(m.Details, notify.Detail{Label: label, Text: text}, notify.Detail{Label: label2, Text: text2})
		}
		raw, err := json.Marshal(slack.Render(m, true))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Blocks []any }
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		found, code := slacktest.Check(got.Blocks, 50)
		if code != "" {
			t.Fatalf("%s: %s", code, raw)
		}
		sent := slacktest.Message{Blocks: found}
		if len(sent.Buttons()) == 0 {
			return
		}
		shown := sent.Shown()
		for _, d := range m.Details {
			if !strings.Contains(shown, d.Label) || !contains(shown, d.Text) {
				t.Fatalf("%q %q is not in\n%s", d.Label, d.Text, shown)
			}
		}
	})
}

// contains finds a text that may continue in the next block.
func contains(shown, text string) bool {
	return strings.Contains(strings.ReplaceAll(shown, "\n", ""), strings.ReplaceAll(text, "\n", ""))
}
