package chat_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/slack"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

const documents = `
workflow: refund
steps:
  - { id: propose, agent: refunder }
gates:
  - { id: check, at: after propose, role: approver, acts: [approve, modify, reject, delegate] }
---
agent: refunder
kind: scripted
answers: [{ output: { amount: 99.90, to: "john@example.com", urgent: false } }]
---
channel: team
kind: slack
token: ${env:TEST_SLACK_TOKEN}
signing_secret: ${env:TEST_SLACK_SECRET}
to: "#approvals"
base_url: `

var (
	maria = slacktest.User{ID: "UMARIA", Name: "Maria", Email: "Maria@Example.com"}
	ben   = slacktest.User{ID: "UBEN", Name: "Ben", Email: "ben@example.com"}
	// mallory calls herself Maria, in a workspace of her own and in ours.
	mallory = slacktest.User{ID: "UMAL", Team: "TEVIL", Name: "Maria", Email: "maria@example.com"}
)

type office struct {
	*testing.T
	*assembly.Server
	slack *slacktest.Server
	ours  *slack.Channel
}

func open(t *testing.T) *office {
	t.Helper()
	t.Setenv("TEST_SLACK_TOKEN", slacktest.Token)
	t.Setenv("TEST_SLACK_SECRET", slacktest.Secret)
	o := &office{T: t, slack: slacktest.New(t, maria, ben, mallory)}
	s, err := assembly.Open(t.Context(), assembly.Config{Data: sqlitetest.Dir(t), AllowPrivate: true,
		SignIn: assembly.SignIn{Password: true}, PublicURL: "https://assent.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	o.Server = s
	s.Chat.Soon = time.Minute // the machine may be slow
	s.Start()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	set, problems := definition.Parse("refund.yaml", []byte(documents+o.slack.URL))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	loaded, err := s.App.Documents.LoadSet(t.Context(), "test", set)
	if err != nil || len(loaded.Problems) > 0 {
		t.Fatal(err, loaded.Problems)
	}
	o.account("maria@example.com", false, "approver")
	o.ours, err = slack.New(slack.Config{Name: "team", Token: slacktest.Token, SigningSecret: slacktest.Secret,
		To: "#approvals", BaseURL: o.slack.URL, HTTP: http.DefaultClient})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) account(name string, disabled bool, roles ...string) {
	o.Helper()
	password := "correct horse battery"
	_, _, err := o.Auth.PutAccount(o.Context(), port.PutAccount{Name: name, Password: &password, Roles: &roles,
		Disabled: &disabled})
	if err != nil {
		o.Fatal(err)
	}
}

// ask starts a run and posts its approval, as a sender does.
func (o *office) ask() (view.Approval, slacktest.Message) {
	o.Helper()
	begun, err := o.App.Begin(o.Context(), app.LocalAdmin, app.NewRun{Workflow: "refund"}, nil)
	if err != nil {
		o.Fatal(err)
	}
	changed := o.Store.Watch(o.Context())
	for {
		v, err := o.App.Run(o.Context(), app.LocalAdmin, begun.ID, true)
		if err != nil {
			o.Fatal(err)
		}
		if v.Status == run.Waiting {
			break
		}
		<-changed
	}
	list, err := o.App.Lists(app.LocalAdmin).Approvals(o.Context(), port.ApprovalQuery{Run: begun.ID, Limit: 1})
	if err != nil || len(list.Items) != 1 {
		o.Fatal(err, list)
	}
	a := list.Items[0]
	ref, err := o.ours.Send(o.Context(), notify.Recipient{}, notify.Message{Key: "key-" + a.ID, Approval: a.ID,
		Version: a.Version, Title: a.Title, Details: []notify.Detail{{Label: "amount", Text: "99.90"}},
		Acts: []notify.Act{{Act: gate.Approve, Label: "Approve"}, {Act: gate.Modify, Label: "Edit"},
			{Act: gate.Reject, Label: "Reject", Comment: true, Danger: true}}})
	if err != nil {
		o.Fatal(err)
	}
	// The server itself posts to the same room.
	for _, m := range o.slack.Messages() {
		if notify.Ref(m.Channel+"/"+m.TS) == ref {
			return a, m
		}
	}
	o.Fatal("the message was not posted")
	return a, slacktest.Message{}
}

// sends sends a request as Slack does.
func (o *office) sends(body []byte, change ...func(http.Header)) (int, string) {
	o.Helper()
	h := slacktest.Sign(slacktest.Secret, body, time.Now())
	for _, f := range change {
		f(h)
	}
	a, err := o.Chat.Serve(o.Context(), "slack/interactions", h, body)
	if fault.Is(err, fault.Unauthenticated) {
		return http.StatusUnauthorized, err.Error()
	}
	if err != nil {
		o.Fatal(err)
	}
	return a.Status, string(a.Body)
}

func (o *office) now(a view.Approval) view.Approval {
	o.Helper()
	v, err := o.App.Approval(o.Context(), app.LocalAdmin, a.ID, true)
	if err != nil {
		o.Fatal(err)
	}
	return v
}

// whispered is the last message that only a user sees.
func (o *office) whispered(to string) slacktest.Message {
	o.Helper()
	all := o.slack.Messages()
	for _, m := range slices.Backward(all) {
		if m.User == to {
			return m
		}
	}
	o.Fatalf("nothing was said to %s: %+v", to, all)
	return slacktest.Message{}
}

func (o *office) refusals(why string) int {
	o.Helper()
	page, err := o.Store.AuditEntries(o.Context(), port.AuditQuery{Limit: 100})
	if err != nil {
		o.Fatal(err)
	}
	n := 0
	for _, row := range page.Items {
		if row.Action == "integration.request" && strings.Contains(string(row.Body), why) {
			n++
		}
	}
	return n
}

func TestApprovedInSlack(t *testing.T) {
	o := open(t)
	a, m := o.ask()
	press := o.slack.Press(m, m.Buttons()["Approve"], maria.ID)
	if status, body := o.sends(press); status != http.StatusOK || body != "" {
		t.Fatal(status, body)
	}
	v := o.now(a)
	if v.Status != gate.Approved || len(v.Decisions) != 1 || v.Decisions[0].By != "maria@example.com" ||
		v.Decisions[0].Via != gate.ViaSlack {
		t.Fatalf("%s %+v", v.Status, v.Decisions)
	}
	// Late: another press says who was faster.
	if status, _ := o.sends(o.slack.Press(m, m.Buttons()["Approve"], maria.ID)); status != http.StatusOK {
		t.Fatal(status)
	}
	if said := o.whispered(maria.ID).Shown(); !strings.Contains(said, "approved by maria@example.com") {
		t.Error(said)
	}
}

func TestReasonAndEditsInDialogs(t *testing.T) {
	o := open(t)
	a, m := o.ask()
	o.sends(o.slack.Press(m, m.Buttons()["Reject"], maria.ID))
	if o.now(a).Status != gate.Pending {
		t.Fatal("it was decided before the reason was given")
	}
	dialog := o.slack.Dialog()
	status, body := o.sends(o.slack.Submit(dialog, maria.ID, map[string]string{"comment": " "}))
	if status != http.StatusOK || !strings.Contains(body, "field_comment") || o.now(a).Status != gate.Pending {
		t.Fatalf("a rejection without a reason: %d %s", status, body)
	}
	if status, body := o.sends(o.slack.Submit(dialog, maria.ID, map[string]string{"comment": "Too much"})); body != "" {
		t.Fatal(status, body)
	}
	if v := o.now(a); v.Status != gate.Rejected || v.Decisions[0].Comment != "Too much" || v.Decisions[0].Via != "slack" {
		t.Errorf("%+v", v.Decisions)
	}
	b, m := o.ask()
	o.sends(o.slack.Press(m, m.Buttons()["Edit"], maria.ID))
	_, body = o.sends(o.slack.Submit(o.slack.Dialog(), maria.ID,
		map[string]string{"edit_0": "50.00", "edit_1": "john@example.com", "edit_2": "true"}))
	const want = `{"amount":50.00,"to":"john@example.com","urgent":true}`
	if v := o.now(b); v.Status != gate.Modified || string(v.Proposed) != want {
		t.Errorf("%s %s %s", v.Status, v.Proposed, body)
	}
}

func TestWhoDecides(t *testing.T) {
	o := open(t)
	a, m := o.ask()
	approve := func(user string) slacktest.Message {
		t.Helper()
		if status, _ := o.sends(o.slack.Press(m, m.Buttons()["Approve"], user)); status != http.StatusOK {
			t.Fatal(status)
		}
		if v := o.now(a); v.Status != gate.Pending {
			t.Fatalf("%s decided it: %+v", user, v.Decisions)
		}
		return o.whispered(user)
	}
	// The same address in another workspace is not verified.
	if said := approve(mallory.ID).Shown(); !strings.Contains(said, "isn't linked to Assent") {
		t.Error(said)
	}
	first := linkIn(t, approve(ben.ID))
	o.account("ben@example.com", true, "approver")
	link := linkIn(t, approve(ben.ID)) // disabled
	o.account("ben@example.com", false, "viewer")
	if said := approve(ben.ID).Shown(); !strings.Contains(said, "You can't decide this") {
		t.Error(said)
	}
	// Ben linked his Slack user to another account of his, which counts more than the address.
	o.account("boss", false, "approver")
	who := port.Identity{Name: "boss", Kind: run.Person, Method: port.ByPassword}
	ctx := t.Context()
	if l, err := o.Chat.Offered(ctx, link); err != nil || l.Label != "Ben" || l.ID != "slack/"+slacktest.Team+"/UBEN" {
		t.Fatal(l, err)
	}
	if _, err := o.Chat.Offered(ctx, first); !fault.Is(err, fault.NotFound) {
		t.Errorf("an offer that was replaced: %v", err)
	}
	token := who
	token.Method = port.ByToken
	if _, err := o.Chat.Take(ctx, token, link); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a token linked a user: %v", err)
	}
	if _, err := o.Chat.Take(ctx, who, link); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Chat.Take(ctx, who, link); !fault.Is(err, fault.NotFound) {
		t.Errorf("a link counts twice: %v", err)
	}
	o.account("boss", true, "approver")
	if said := approve(ben.ID).Shown(); !strings.Contains(said, "disabled") {
		t.Error(said)
	}
	o.account("boss", false, "approver")
	o.sends(o.slack.Press(m, m.Buttons()["Approve"], ben.ID))
	if v := o.now(a); v.Status != gate.Approved || v.Decisions[0].By != "boss" {
		t.Errorf("%s %+v", v.Status, v.Decisions)
	}
	if _, err := o.Chat.Remove(ctx, port.Identity{Name: "maria@example.com", Kind: run.Person},
		"slack/"+slacktest.Team+"/UBEN"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Maria removed the link of Ben: %v", err)
	}
	if _, err := o.Chat.Remove(ctx, who, "slack/"+slacktest.Team+"/UBEN"); err != nil {
		t.Error(err)
	}
}

// linkIn is the secret of the link in a message.
func linkIn(t *testing.T, m slacktest.Message) string {
	t.Helper()
	raw, _ := json.Marshal(m.Blocks)
	found := regexp.MustCompile(`https://assent\.example\.com/settings/notifications\?link=([\w-]{43})`).FindSubmatch(raw)
	if found == nil {
		t.Fatalf("no link in %s", raw)
	}
	return string(found[1])
}

func TestForgedLateReplayedForeign(t *testing.T) {
	o := open(t)
	a, m := o.ask()
	press := o.slack.Press(m, m.Buttons()["Approve"], maria.ID)
	foreign := []byte(strings.ReplaceAll(string(press), slacktest.Team, "TEVIL"))
	for why, c := range map[string]struct {
		body   []byte
		change func(http.Header)
	}{
		"no signature":                          {press, func(h http.Header) { h.Del("X-Slack-Signature") }},
		"signature of the request is not valid": {press, forge},
		"five minutes":                          {press, func(h http.Header) { late(h, press) }},
		"another workspace":                     {foreign, func(http.Header) {}},
		"content":                               {[]byte("payload=%7B"), func(http.Header) {}},
	} {
		if status, said := o.sends(c.body, c.change); status != http.StatusUnauthorized || !strings.Contains(said, why) {
			t.Errorf("%s: %d %s", why, status, said)
		}
		if o.refusals(why) != 1 {
			t.Errorf("%s: %d audit entries", why, o.refusals(why))
		}
	}
	if v := o.now(a); v.Status != gate.Pending {
		t.Fatalf("%+v", v.Decisions)
	}
	h := slacktest.Sign(slacktest.Secret, press, time.Now())
	same := func(into http.Header) {
		for k := range into {
			into[k] = h[k]
		}
	}
	if status, said := o.sends(press, same); status != http.StatusOK {
		t.Fatal(said)
	}
	// Its entry is shared with others: there were five within a minute.
	if status, _ := o.sends(press, same); status != http.StatusUnauthorized {
		t.Errorf("replayed: %d", status)
	}
	// The same press, signed again as after a restart, counts once.
	if status, _ := o.sends(press, func(h http.Header) { resign(h, press, time.Now().Add(-time.Minute)) }); status != 200 {
		t.Error(status)
	}
	if v := o.now(a); v.Status != gate.Approved || len(v.Decisions) != 1 {
		t.Errorf("%s %+v", v.Status, v.Decisions)
	}
}

func resign(h http.Header, body []byte, at time.Time) {
	for k, v := range slacktest.Sign(slacktest.Secret, body, at) {
		h[k] = v
	}
}

func forge(h http.Header) { h.Set("X-Slack-Signature", "v0="+strings.Repeat("00", 32)) }

func late(h http.Header, body []byte) { resign(h, body, time.Now().Add(-6*time.Minute)) }

func TestHomeAndAddress(t *testing.T) {
	o := open(t)
	_, m := o.ask()
	event := func(body string) (string, error) {
		a, err := o.Chat.Serve(t.Context(), "slack/events", slacktest.Sign(slacktest.Secret, []byte(body), time.Now()),
			[]byte(body))
		return string(a.Body), err
	}
	if said, err := event(`{"type":"url_verification","challenge":"abc"}`); err != nil || said != "abc" {
		t.Error(said, err)
	}
	opened := `{"type":"event_callback","team_id":"` + slacktest.Team + `","event":{"type":"app_home_opened",` +
		`"user":"UMARIA","tab":"home"},"event_id":"E1"}`
	if _, err := event(opened); err != nil {
		t.Fatal(err)
	}
	if home := o.slack.Home(maria.ID); !strings.Contains(home, "/approvals/apr_") {
		t.Error(home)
	}
	o.sends(o.slack.Press(m, m.Buttons()["Approve"], maria.ID))
	o.slack.Wait("the home tab is empty", func([]slacktest.Message) bool { return o.slack.Calls("views.publish") > 1 })
	if home := o.slack.Home(maria.ID); !strings.Contains(home, "Nothing is waiting for you") {
		t.Error(home)
	}
	if _, err := event(strings.ReplaceAll(opened, "UMARIA", "UBEN")); err != nil {
		t.Fatal(err)
	}
	if home, _ := url.QueryUnescape(o.slack.Home(ben.ID)); !strings.Contains(home, "?link=") {
		t.Error(home)
	}
	if _, err := event(strings.ReplaceAll(opened, slacktest.Team, "TEVIL")); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an event of another workspace: %v", err)
	}
	if _, err := o.Chat.Serve(t.Context(), "slack/commands", nil, nil); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
