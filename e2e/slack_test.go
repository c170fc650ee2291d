package e2e

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/slack/slacktest"
)

// TestDecidedInSlack: an approval appears in Slack, the user who presses a button there is linked to a person, the
// decision is theirs, and every message loses its buttons, wherever it was decided. Requests of others change nothing.
func TestDecidedInSlack(t *testing.T) {
	t.Parallel()
	maria := slacktest.User{ID: "UMARIA", Name: "Maria", Email: "maria@example.com"}
	slack := slacktest.New(t, maria)
	s := serve(t, "--load", loads(t, `
channel: team
kind: slack
token: ${env:TEST_SLACK_TOKEN}
signing_secret: ${env:TEST_SLACK_SECRET}
to: "#approvals"
base_url: `+slack.URL))
	s.kill()
	s.env = append(s.env, "TEST_SLACK_TOKEN="+slacktest.Token, "TEST_SLACK_SECRET="+slacktest.Secret,
		"ASSENT_PUBLIC_URL=http://localhost:8080", "ASSENT_REFERENCES=env:TEST_SLACK_TOKEN,env:TEST_SLACK_SECRET")
	s.start()
	s.define(`
agent: refunder
kind: scripted
answers: [{ output: { amount: 99.90, to: "john@example.com" } }]
---
workflow: refund
steps: [{ id: propose, agent: refunder }]
gates: [{ id: check, at: after propose }]
`)
	s.call("PUT", "/notifications", yaml("notifications: default\nevents: { approval.needed: [team] }")).want(201)
	buttons := func(n int) func([]slacktest.Message) bool {
		return func(all []slacktest.Message) bool {
			found := 0
			for _, m := range all {
				if m.User == "" && len(m.Buttons()) > 0 {
					found++
				}
			}
			return found == n
		}
	}
	ask := func() (string, answer, slacktest.Message) {
		id := s.run("refund", map[string]any{})
		a := s.pending(id)
		all := slack.Wait("a message with buttons", buttons(1))
		for _, m := range all {
			if len(m.Buttons()) > 0 && m.User == "" {
				return id, a, m
			}
		}
		return "", a, slacktest.Message{}
	}
	sends := func(body []byte, at time.Time, secret string) answer {
		return s.call("POST", "/integrations/slack/interactions", body, func(r *http.Request) {
			for k, v := range slacktest.Sign(secret, body, at) {
				r.Header[k] = v
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		})
	}
	id, a, m := ask()
	press := slack.Press(m, m.Buttons()["Approve"], maria.ID)
	sends(press, time.Now(), "another secret").problem(401, "unauthenticated")
	sends(press, time.Now().Add(-6*time.Minute), slacktest.Secret).problem(401, "unauthenticated")
	foreign := bytes.ReplaceAll(press, []byte(slacktest.Team), []byte("TEVIL"))
	sends(foreign, time.Now(), slacktest.Secret).problem(401, "unauthenticated")
	now := time.Now()
	sends(press, now, slacktest.Secret).want(200) // not linked yet
	sends(press, now, slacktest.Secret).problem(401, "unauthenticated")
	s.call("POST", "/integrations/slack/interactions", press, func(r *http.Request) {
		for k, v := range slacktest.Sign(slacktest.Secret, press, now) {
			r.Header[k] = v
		}
		r.Header.Set("X-Slack-Signature", "v0="+strings.ToUpper(r.Header.Get("X-Slack-Signature")[3:]))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}).problem(401, "unauthenticated") // the same signature, written otherwise
	log := string(s.call("GET", "/audit?action=integration.request", nil).want(200).body)
	for why, n := range map[string]int{`"refused"`: 5, "the signature": 2, "five minutes": 1, "another workspace": 1,
		"received before": 1} {
		if strings.Count(log, why) != n {
			t.Errorf("%q is on record %d times, not %d: %s", why, strings.Count(log, why), n, log)
		}
	}
	var link string
	slack.Wait("a link", func(all []slacktest.Message) bool {
		for _, m := range all {
			for _, b := range m.Blocks {
				elements, _ := b["elements"].([]any)
				for _, e := range elements {
					e, _ := e.(map[string]any)
					url, _ := e["url"].(string)
					if found := regexp.MustCompile(`link=([\w-]{43})`).FindStringSubmatch(url); found != nil {
						link = found[1]
					}
				}
			}
		}
		return link != ""
	})
	s.call("GET", "/me/links/offers/"+link, nil).want(200)
	s.call("POST", "/me/links", map[string]any{"token": link}).want(201)
	sends(slack.Press(m, m.Buttons()["Approve"], maria.ID), time.Now(), slacktest.Secret).want(200)
	s.settles(id, "completed")
	decided := string(s.call("GET", "/approvals/"+a.text("id"), nil).want(200).body)
	if !strings.Contains(decided, `"via":"slack"`) || !strings.Contains(decided, `"by":"admin"`) {
		t.Errorf("%s", decided)
	}
	slack.Wait("the buttons are gone", buttons(0))
	id, a, _ = ask()
	s.decide(a, "approve", "")
	s.settles(id, "completed")
	slack.Wait("the buttons are gone after a decision elsewhere", buttons(0))
	mine := s.call("GET", "/me/links", nil).want(200)
	if !strings.Contains(string(mine.body), "slack/"+slacktest.Team+"/UMARIA") {
		t.Errorf("%s", mine.body)
	}
	s.call("DELETE", "/me/links?id=slack/"+slacktest.Team+"/UMARIA", nil).want(200)
}
