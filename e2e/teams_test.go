package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/teams/teamstest"
)

const teamsBot = `
bot:
  id: ` + teamstest.Bot + `
  password: ${env:TEST_TEAMS_PASSWORD}
  tenant: ` + teamstest.Tenant + `
  service_url: URL
  token_url: URL/token
  openid: URL/openid
`

// TestDecidedInTeams: a card appears in the room, those who may decide see buttons on it and others do not, a press
// decides as the person, and the card loses its buttons, wherever it was decided. People also get cards of their own.
// Requests of others change nothing, and are on record.
func TestDecidedInTeams(t *testing.T) {
	t.Parallel()
	chat := teamstest.New(t, map[string]teamstest.Member{
		"29:bob":   {Name: "Bob", Principal: "bob@example.com", Tenant: teamstest.Tenant, Object: "object-bob"},
		"29:eve":   {Name: "Eve", Principal: "eve@example.com", Tenant: teamstest.Tenant, Object: "object-eve"},
		"29:other": {Name: "Other", Principal: "bob@example.com", Tenant: "another", Object: "object-other"}})
	bot := strings.ReplaceAll(teamsBot, "URL", chat.URL)
	s := office(t, "--allow-private", "--load", loads(t, "channel: room\nkind: teams"+bot+"  conversation: "+
		fmt.Sprintf("%q", teamstest.Conversation)+"\n---\nchannel: direct\nkind: teams"+bot))
	s.kill()
	s.env = append(s.env, "TEST_TEAMS_PASSWORD="+teamstest.Password, "ASSENT_PUBLIC_URL=http://localhost:8080",
		"ASSENT_REFERENCES=env:TEST_TEAMS_PASSWORD")
	s.start()
	ann := cookie(s.signIn("ann", annPassword))
	s.call("PUT", "/accounts/bob@example.com", map[string]any{"password": bobPassword, "roles": []string{"approver"}},
		ann).want(201)
	s.call("PUT", "/accounts/eve@example.com", map[string]any{"password": bobPassword, "roles": []string{"auditor"}},
		ann).want(201)
	s.defineAs(`
agent: refunder
kind: scripted
answers: [{ output: { amount: 99.90, to: "john@example.com" } }]
---
workflow: refund
steps: [{ id: propose, agent: refunder }]
gates: [{ id: check, at: after propose, role: approver }]
`, ann)
	for kind, name := range map[string]string{"service": "ci", "person": "ann"} {
		token := map[string]any{"name": name, "kind": kind, "roles": []string{"admin"}}
		program := bearer(s.call("POST", "/tokens", token, ann).want(201).text("secret"))
		s.call("PUT", "/channels/mine", yaml("channel: mine\nkind: slack\ntoken: x\nsigning_secret: mine"), program).
			problem(403, "forbidden")
		s.call("DELETE", "/channels/room", nil, program).problem(403, "forbidden")
	}
	s.call("PUT", "/notifications", yaml("notifications: default\nevents: { approval.needed: [room] }"), ann).want(201)

	defer func() {
		if t.Failed() {
			t.Logf("%s", s.call("GET", "/deliveries?limit=20", nil, ann).body)
		}
	}()
	sends := func(h http.Header, body []byte) answer {
		return s.call("POST", "/integrations/teams/messages", body, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			for k, v := range h {
				r.Header[k] = v
			}
		})
	}
	signed := func(body []byte) answer { return sends(chat.Sign(chat.Claims(time.Now())), body) }
	id := 0
	next := func() string { id++; return fmt.Sprint("activity-of-people-", id) }
	live := func(in string, n int) func([]teamstest.Card) bool {
		return func(all []teamstest.Card) bool {
			found := 0
			for _, c := range all {
				if c.Conversation == in && (strings.Contains(string(c.Raw), `"refresh"`) || len(teamstest.Buttons(c.Raw)) > 0) {
					found++
				}
			}
			return found == n
		}
	}
	last := func(in string, all []teamstest.Card) (raw json.RawMessage) {
		for _, c := range all {
			if c.Conversation == in {
				raw = c.Raw
			}
		}
		return raw
	}
	room, his := teamstest.Conversation, teamstest.Chat("object-bob")
	ask := func() (string, answer, json.RawMessage) {
		run := s.run("refund", map[string]any{}, ann)
		var asked answer
		waitFor(t, "an approval", func() bool {
			asked = s.call("GET", "/approvals?status=pending&run="+run, nil, ann).want(200)
			return asked.count("items") == 1
		})
		a := s.call("GET", "/approvals/"+asked.text("items.0.id"), nil, ann).want(200)
		return run, a, last(room, chat.Wait(t, "a card to decide on", live(room, 1)))
	}

	run, a, card := ask()
	if len(teamstest.Buttons(card)) != 0 || !strings.Contains(teamstest.Shown(card), "99.90") {
		t.Fatalf("the card of the room: %s", card)
	}
	if chat.Refresh(card, next(), "29:eve", "object-eve") != nil {
		t.Error("Teams draws a card for eve, who may not decide")
	}
	mine, _ := teamstest.Answered(signed(chat.Refresh(card, next(), "29:bob", "object-bob")).want(200).body)
	buttons := teamstest.Buttons(mine)
	if len(buttons) != 2 || buttons["Approve"] == nil || !strings.Contains(teamstest.Shown(mine), "99.90") {
		t.Fatalf("the card of bob: %s", mine)
	}
	everyone := json.RawMessage(regexp.MustCompile(`"userIds":\[[^\]]*\]`).ReplaceAll(card, []byte(`"x":1`)))
	hers, text := teamstest.Answered(signed(chat.Refresh(everyone, next(), "29:eve", "object-eve")).want(200).body)
	if len(teamstest.Buttons(hers)) != 0 {
		t.Errorf("the card of eve: %s %s", hers, text)
	}

	// What does not come from Teams changes nothing.
	press := func(who, object string) []byte { return chat.Execute(buttons["Approve"], next(), who, object) }
	claims := func(change func(map[string]any)) map[string]any {
		v := chat.Claims(time.Now())
		change(v)
		return v
	}
	good := press("29:bob", "object-bob")
	expired := claims(func(v map[string]any) { v["exp"] = time.Now().Add(-6 * time.Minute).Unix() })
	sends(http.Header{}, good).problem(401, "unauthenticated")
	sends(chat.Forge(claims(func(map[string]any) {}), false), good).problem(401, "unauthenticated")
	sends(chat.Sign(expired), good).problem(401, "unauthenticated")
	signed([]byte(strings.ReplaceAll(string(good), teamstest.Tenant, "another"))).problem(401, "unauthenticated")
	// People who may not decide, or are not known, do not.
	_, text = teamstest.Answered(signed(press("29:eve", "object-eve")).want(200).body)
	if !strings.Contains(text, "can't") {
		t.Errorf("eve: %s", text)
	}
	stranger, _ := teamstest.Answered(signed(press("29:other", "object-other")).want(200).body)
	link := regexp.MustCompile(`link=([\w-]{43})`)
	if link.FindSubmatch(stranger) == nil {
		t.Errorf("a stranger: %s", stranger)
	}
	if now := s.call("GET", "/approvals/"+a.text("id"), nil, ann).want(200); now.text("status") != "pending" {
		t.Fatalf("%s", now.body)
	}
	// A press by someone who may decide counts once.
	after, _ := teamstest.Answered(signed(good).want(200).body)
	if !strings.Contains(string(after), "recorded") || len(teamstest.Buttons(after)) != 0 {
		t.Errorf("%s", after)
	}
	signed(good).problem(401, "unauthenticated")
	log := string(s.call("GET", "/audit?action=integration.request", nil, ann).want(200).body)
	if n := strings.Count(log, `"refused"`); n != 5 || strings.Count(log, "is not valid") != 3 ||
		!strings.Contains(log, "another tenant") ||
		!strings.Contains(log, "received before") {
		t.Errorf("%d refusals are on record: %s", n, log)
	}
	for _, h := range []http.Header{chat.Forge(claims(func(map[string]any) {}), true),
		chat.Sign(claims(func(v map[string]any) { v["aud"] = "another-bot" })),
		chat.Sign(claims(func(v map[string]any) { v["iss"] = "https://evil.example" }))} {
		sends(h, press("29:bob", "object-bob")).problem(401, "unauthenticated")
	}
	waitFor(t, "the run", func() bool {
		return s.call("GET", "/runs/"+run, nil, ann).want(200).text("status") == "completed"
	})
	decided := string(s.call("GET", "/approvals/"+a.text("id"), nil, ann).want(200).body)
	if !strings.Contains(decided, `"via":"teams"`) || !strings.Contains(decided, `"by":"bob@example.com"`) {
		t.Errorf("%s", decided)
	}
	settled := last(room, chat.Wait(t, "the card is settled", live(room, 0)))
	if !strings.Contains(teamstest.Shown(settled), "Approved by bob@example.com") {
		t.Errorf("%s", settled)
	}
	_, text = teamstest.Answered(signed(press("29:bob", "object-bob")).want(200).body)
	if !strings.Contains(text, "Nothing was changed") {
		t.Errorf("a late press: %s", text)
	}

	// Decided elsewhere, the card is settled as well.
	_, a, card = ask()
	reason, _ := teamstest.Answered(signed(chat.Refresh(card, next(), "29:bob", "object-bob")).want(200).body)
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", map[string]any{"act": "approve", "version": 1},
		cookie(s.signIn("bob@example.com", bobPassword))).want(200)
	chat.Wait(t, "the card is settled after a decision elsewhere", live(room, 0))
	data := teamstest.Buttons(reason)["Reject"]
	data["comment_reject"] = "too late"
	_, text = teamstest.Answered(signed(chat.Execute(data, next(), "29:bob", "object-bob")).want(200).body)
	if !strings.Contains(text, "Nothing was changed") {
		t.Errorf("a late press: %s", text)
	}

	// Bob writes to the bot, gets a link, confirms it while signed in, and from then on gets cards of his own.
	signed(chat.Write("hello", next(), "29:bob", "object-bob")).want(200)
	offer := link.FindSubmatch(last(his, chat.Wait(t, "a link", func(all []teamstest.Card) bool {
		return last(his, all) != nil
	})))
	if offer == nil {
		t.Fatal("the bot offers no link")
	}
	bob := cookie(s.signIn("bob@example.com", bobPassword))
	s.call("POST", "/me/links", map[string]any{"token": string(offer[1])}, bob).want(201)
	s.call("PUT", "/me/notifications", map[string]any{"events": map[string]any{"approval.needed": []string{"direct"}}},
		bob).want(200)
	run, _, _ = ask()
	direct := last(his, chat.Wait(t, "a card of his own", live(his, 1)))
	if len(teamstest.Buttons(direct)) != 0 {
		t.Errorf("if its answer is lost, these buttons stay: %s", direct)
	}
	direct, _ = teamstest.Answered(signed(chat.Refresh(direct, next(), "29:bob", "object-bob")).want(200).body)
	data = teamstest.Buttons(direct)["Reject"]
	data["comment_reject"] = "not this one"
	signed(chat.Execute(data, next(), "29:bob", "object-bob")).want(200)
	chat.Wait(t, "both cards are settled", func(all []teamstest.Card) bool {
		return live(his, 0)(all) && live(room, 0)(all)
	})
	if v := s.call("GET", "/runs/"+run+"/events?limit=200", nil, ann); !strings.Contains(string(v.body), "not this one") {
		t.Errorf("%.2000s", v.body)
	}
}
