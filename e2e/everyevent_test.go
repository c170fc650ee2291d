package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/notifytest"
	"github.com/assent-run/assent/internal/notify/slack/slacktest"
	"github.com/assent-run/assent/internal/notify/teams/teamstest"
	"github.com/assent-run/assent/internal/steady"
)

// overheard keeps what is sent to a counterpart, also what is replaced later.
type overheard struct {
	mu   sync.Mutex
	said []*http.Request
	raw  [][]byte
}

func (o *overheard) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		o.mu.Lock()
		o.said, o.raw = append(o.said, r), append(o.raw, body)
		o.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// header is one of a request that was heard.
func (o *overheard) header(i int, name string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said[i].Header.Get(name)
}

func (o *overheard) bodies() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.raw {
		out = append(out, string(b))
	}
	return out
}

// listens starts a server that hands on what it overhears.
func (o *overheard) listens(t *testing.T, to http.Handler) string {
	web := httptest.NewServer(o.before(to))
	t.Cleanup(web.Close)
	return web.URL
}

// events are those of requirement N2, with a text by which each is recognised where people read it.
var events = []struct {
	event notify.Event
	says  []string // any of them
}{
	{notify.ApprovalNeeded, []string{"Approval required: Send this letter?"}},
	{notify.ApprovalReminder, []string{"Reminder: Slow question", "Reminder: approval needed\n\nSlow question"}},
	{notify.ApprovalTimedOut, []string{"Timed out: Slow question", "Timed out. The default"}},
	{notify.ApprovalResolved, []string{"Approved: Send this letter?", "Approved by bob"}},
	{notify.ApprovalAutoApproved, []string{"Approved automatically: "}},
	{notify.RunFailed, []string{"Failed: "}},
	{notify.RunCompleted, []string{"Completed: "}},
	{notify.DeliverableCreated, []string{"New deliverable: "}},
	{notify.LimitWarning, []string{"Close to a limit: "}},
}

// TestEveryEventOnEveryChannel: every event of N2 arrives on every channel, at the counterparts of all of them.
func TestEveryEventOnEveryChannel(t *testing.T) {
	t.Parallel()
	mails := notifytest.StartMail(t, notifytest.MailConfig{})
	programs := &listener{}
	var slackHeard, roomHeard, workflowHeard, pushHeard, hookHeard overheard
	slack := slackHeard.listens(t, slacktest.New(t).Config.Handler)
	bot := teamstest.New(t, nil)
	room := roomHeard.listens(t, bot.Config.Handler)
	workflow := workflowHeard.listens(t, teamstest.New(t, nil).Config.Handler)
	pushes := httptest.NewTLSServer(pushHeard.before(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
	})))
	t.Cleanup(pushes.Close)

	names := []string{"mail", "ledger", "slack", "room", "workflow", "phone"}
	list := ""
	for _, e := range notify.Events {
		list += fmt.Sprintf("  %s: [%s]\n", e, strings.Join(names, ", "))
	}
	documents := strings.NewReplacer("SMTP", fmt.Sprint(mails.Port), "HOOK", hookHeard.listens(t, programs),
		"EVENTS\n", list, "MODEL", scriptedModel(t, spends).url, "notification_channels: [mail, ledger]",
		"notification_channels: ["+strings.Join(names, ", ")+"]").Replace(channelDocuments) + `---
channel: slack
kind: slack
token: ` + slacktest.Token + `
signing_secret: ` + slacktest.Secret + `
to: "#approvals"
base_url: ` + slack + `
---
channel: workflow
kind: teams
url: ` + workflow + `/workflow
---
channel: room
kind: teams
bot:
  id: ` + teamstest.Bot + `
  password: ` + teamstest.Password + `
  tenant: ` + teamstest.Tenant + `
  conversation: "` + teamstest.Conversation + `"
  service_url: ` + room + `
  token_url: ` + room + `/token
  openid: ` + room + `/openid
---
channel: phone
kind: push
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(documents), 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pushes.Certificate().Raw})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + steady.Port(t)
	s := serve(t, "--load", dir, "--addr", address, "--public-url", "http://"+address)
	s.kill()
	s.env = append(s.env, "SSL_CERT_FILE="+trusted)
	s.start()
	var browser browserKeys
	node(t, &browser)
	s.call("PUT", "/me/push", map[string]any{"endpoint": pushes.URL + "/push/1", "browser": "Test",
		"keys": map[string]any{"p256dh": browser.P256DH, "auth": browser.Auth}}).want(200)

	// Each happens once. The one person who is there owns the runs, so that they are told.
	letter := s.run("letter", map[string]any{})
	asked := s.pending(letter)
	waitFor(t, "the question on all channels", func() bool {
		sent := s.call("GET", "/deliveries?status=sent&limit=200&approval="+asked.text("id"), nil).want(200)
		told := map[string]bool{}
		for i := range sent.count("items") {
			told[sent.text(fmt.Sprintf("items.%d.channel", i))] = true
		}
		return len(told) == len(names)
	})
	s.decide(asked, "approve", "looks right")
	slow := s.run("slow", map[string]any{})
	s.run("pay", map[string]any{"amount": 5})
	failed := s.run("fail", map[string]any{})
	s.run("spend", map[string]any{})
	s.settles(letter, "completed")
	s.settles(slow, "completed")
	s.settles(failed, "failed")

	var read []string // of mails
	var opened int    // of push messages
	var titles []string
	heard := func(channel string) []string {
		switch channel {
		case "mail":
			for mails.Waiting() > 0 {
				m := mails.Next(t)
				read = append(read, m.Subject+"\n"+m.Text)
			}
			return read
		case "phone":
			all := pushHeard.bodies()
			for ; opened < len(all); opened++ {
				told, err := json.Marshal(map[string]any{"browser": browser,
					"authorization": pushHeard.header(opened, "Authorization"),
					"body":          base64.RawURLEncoding.EncodeToString([]byte(all[opened]))})
				if err != nil {
					t.Fatal(err)
				}
				var got struct {
					Signed  bool
					Payload struct{ Title, Body string }
				}
				if node(t, &got, string(told)); !got.Signed {
					t.Error("a push message without a valid signature")
				}
				titles = append(titles, got.Payload.Title+"\n"+got.Payload.Body)
			}
			return titles
		case "slack":
			return slackHeard.bodies()
		case "room":
			return roomHeard.bodies()
		case "workflow":
			return workflowHeard.bodies()
		}
		return hookHeard.bodies()
	}
	arrived := map[string]bool{}
	missing := func() (out []string) {
		for _, channel := range names {
			all := heard(channel)
			for _, e := range events {
				says := e.says
				if channel == "ledger" {
					says = []string{`"type":"` + string(e.event) + `"`}
				}
				key := channel + " " + string(e.event)
				arrived[key] = arrived[key] || slices.ContainsFunc(all, func(text string) bool {
					return slices.ContainsFunc(says, func(say string) bool { return strings.Contains(text, say) })
				})
				if !arrived[key] {
					out = append(out, key)
				}
			}
		}
		return out
	}
	defer func() {
		if t.Failed() {
			t.Logf("missing: %q\n%.6000s", missing(), s.call("GET", "/deliveries?limit=200", nil).body)
		}
	}()
	waitFor(t, "every event on every channel", func() bool {
		all := missing()
		if strings.Contains(strings.Join(all, "\n"), string(notify.ApprovalReminder)) {
			slow = s.slowly(slow)
		}
		return len(all) == 0
	})
	if len(arrived) != len(names)*len(events) {
		t.Errorf("%d of %d", len(arrived), len(names)*len(events))
	}
}
