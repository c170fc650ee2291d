package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/slack/slacktest"
	"github.com/assent-run/assent/internal/notify/teams/teamstest"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// TestReplayedElsewhere: a press of a button in Slack or Teams that is sent again to another server on the same
// database, at once or after a restart, is refused, is on record, and takes effect once.
func TestReplayedElsewhere(t *testing.T) {
	t.Parallel()
	maria := slacktest.User{ID: "UMARIA", Name: "Maria", Email: "maria@example.com"}
	slack, room := slacktest.New(t, maria), teamstest.New(t, map[string]teamstest.Member{
		"29:bob": {Name: "Bob", Principal: "bob@example.com", Tenant: teamstest.Tenant, Object: "object-bob"}})
	documents := loads(t, `
channel: team
kind: slack
token: ${env:TEST_SLACK_TOKEN}
signing_secret: ${env:TEST_SLACK_SECRET}
to: "#approvals"
base_url: `+slack.URL+`
---
channel: room
kind: teams
`+strings.ReplaceAll(teamsBot, "URL", room.URL)+`  conversation: "`+teamstest.Conversation+`"
---
notifications: default
events: { approval.needed: [team, room] }
---
agent: refunder
kind: scripted
answers: [{ output: { amount: 99.90, to: "john@example.com" } }]
---
workflow: refund
steps: [{ id: propose, agent: refunder }]
gates: [{ id: check, at: after propose }]
`)
	db := pgtest.Empty(t)
	start := func() *server {
		s := &server{t: t, args: []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--allow-private",
			"--db", db, "--load", documents}}
		s.env = []string{"TEST_SLACK_TOKEN=" + slacktest.Token, "TEST_SLACK_SECRET=" + slacktest.Secret,
			"TEST_TEAMS_PASSWORD=" + teamstest.Password, "ASSENT_PUBLIC_URL=http://localhost:8080",
			"ASSENT_REFERENCES=env:TEST_SLACK_TOKEN,env:TEST_SLACK_SECRET,env:TEST_TEAMS_PASSWORD"}
		s.start()
		t.Cleanup(s.stop)
		return s
	}
	servers := []*server{start(), start()}
	s := servers[0]
	viaSlack := func(to *server, body []byte, at time.Time) answer {
		return to.call("POST", "/integrations/slack/interactions", body, func(r *http.Request) {
			for k, v := range slacktest.Sign(slacktest.Secret, body, at) {
				r.Header[k] = v
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		})
	}
	signed := room.Sign(room.Claims(time.Now().Add(time.Minute)))
	viaTeams := func(to *server, body []byte, _ time.Time) answer {
		return to.call("POST", "/integrations/teams/messages", body, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			for k, v := range signed {
				r.Header[k] = v
			}
		})
	}
	refusals := func() int {
		log := s.call("GET", "/audit?action=integration.request&limit=100", nil).want(200)
		return strings.Count(string(log.body), "was received before")
	}
	link := regexp.MustCompile(`link=([\w-]{43})`)
	linked := func(in string) {
		t.Helper()
		found := link.FindStringSubmatch(in)
		if found == nil {
			t.Fatalf("no link in %s", in)
		}
		s.call("POST", "/me/links", map[string]any{"token": found[1]}).want(201)
	}
	pressed := func(all []slacktest.Message) []byte {
		for _, m := range all {
			if len(m.Buttons()) > 0 {
				return slack.Press(m, m.Buttons()["Approve"], maria.ID)
			}
		}
		return nil
	}
	inSlack := func() []byte {
		return pressed(slack.Wait("buttons", func(all []slacktest.Message) bool { return pressed(all) != nil }))
	}
	n := 0
	inTeams := func() []byte {
		var card []byte
		room.Wait(t, "a card to decide on", func(all []teamstest.Card) bool {
			card = nil
			for _, c := range all {
				if strings.Contains(string(c.Raw), `"refresh"`) {
					card = c.Raw
				}
			}
			return card != nil
		})
		var shared struct {
			Refresh struct{ Action struct{ Data map[string]any } }
		}
		if err := json.Unmarshal(card, &shared); err != nil {
			t.Fatal(err)
		}
		n++
		button := shared.Refresh.Action.Data
		button["act"] = "approve"
		return room.Execute(button, fmt.Sprint("press ", n), "29:bob", "object-bob")
	}
	first := s.pending(s.run("refund", map[string]any{}))
	viaSlack(s, inSlack(), time.Now()).want(200) // not linked yet
	slack.Wait("a link", func(all []slacktest.Message) bool {
		raw, err := json.Marshal(all)
		if err == nil && link.Match(raw) {
			linked(string(raw))
		}
		return link.Match(raw)
	})
	offered, _ := teamstest.Answered(viaTeams(s, inTeams(), time.Now()).want(200).body)
	linked(string(offered))
	s.decide(first, "approve", "")
	for name, c := range map[string]struct {
		press func() []byte
		sends func(to *server, body []byte, at time.Time) answer
	}{"slack": {inSlack, viaSlack}, "teams": {inTeams, viaTeams}} {
		slack.Wait("no other buttons", func(all []slacktest.Message) bool { return pressed(all) == nil })
		room.Wait(t, "no other card", func(all []teamstest.Card) bool {
			return !slices.ContainsFunc(all, func(c teamstest.Card) bool { return strings.Contains(string(c.Raw), `"refresh"`) })
		})
		id := s.run("refund", map[string]any{})
		a := s.pending(id)
		body, at, before := c.press(), time.Now(), refusals()
		var accepted atomic.Int64
		var all sync.WaitGroup
		for _, to := range servers { // both at once
			all.Go(func() {
				if c.sends(to, body, at).status == http.StatusOK {
					accepted.Add(1)
				}
			})
		}
		all.Wait()
		c.sends(start(), body, at).problem(401, "unauthenticated") // another process, as after a restart
		if n := accepted.Load(); n != 1 {
			t.Errorf("%s: %d of 2 servers accepted the same press", name, n)
		}
		if refusals() == before {
			t.Errorf("%s: no refusal is on record", name)
		}
		s.settles(id, "completed")
		decided := s.call("GET", "/approvals/"+a.text("id"), nil).want(200)
		if decided.count("decisions") != 1 || !strings.Contains(string(decided.body), `"via":"`+name+`"`) {
			t.Errorf("%s: %s", name, decided.body)
		}
	}
}
