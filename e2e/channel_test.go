package e2e

import (
	"encoding/json"
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
	"github.com/assent-run/assent/internal/steady"
)

const (
	hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hookKey    = "whsk_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
)

// channelDocuments are one workflow per event.
const channelDocuments = `
agent: writer
kind: scripted
answers: [{ output: { text: "Dear Zoë, <b>here</b> it is" }, deliverables: [{ name: letter.txt, type: document, content: Hello }] }]
---
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
agent: breaker
kind: scripted
answers: [{ fail: broken for good }]
---
agent: spender
kind: llm
provider: openai
base_url: MODEL/v1
model: m
api_key: none
system: You work.
tools: [create_deliverable]
autonomy: full
limits: { iterations: 5 }
---
workflow: letter
steps: [{ id: write, agent: writer }]
gates: [{ id: check, at: after write, title: "Send this letter?", role: approver }]
---
workflow: slow
steps: [{ id: write, agent: payer }]
gates: [{ id: check, at: after write, title: "Slow question", role: approver, remind: 1s, escalate: [{ after: 2s, to: "role:manager" }], timeout: { after: 3s, then: approve } }]
---
workflow: pay
steps: [{ id: pay, agent: payer, operation: refund, risk: low, with: { amount: input.amount } }]
---
workflow: fail
steps: [{ id: break, agent: breaker }]
---
workflow: spend
steps: [{ id: spend, agent: spender }]
---
policy: house
rules:
  - { name: Small refunds, priority: 1, trigger: { operation_type: [refund] }, action: { auto_approve: true, notify: true, notification_channels: [mail, ledger] } }
---
channel: mail
kind: email
smtp: smtp://127.0.0.1:SMTP
from: Assent <assent@example.com>
to: [team@example.com]
---
channel: ledger
kind: webhook
url: HOOK/assent
secret: ` + hookSecret + `
signing_key: ` + hookKey + `
---
notifications: default
digest: { off: true }
events:
EVENTS
`

// listener is a program that gets webhooks.
type listener struct {
	mu    sync.Mutex
	got   []told
	again map[string]bool // events whose first delivery is refused
}

type told struct {
	id, body string
	headers  map[string]string
}

func (h *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	headers := map[string]string{}
	for name := range r.Header {
		headers[strings.ToLower(name)] = r.Header.Get(name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for event := range h.again {
		if strings.Contains(string(body), `"type":"`+event+`"`) {
			delete(h.again, event)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
	}
	h.got = append(h.got, told{r.Header.Get("Webhook-Id"), string(body), headers})
}

func (h *listener) all() []told {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// notified starts a server with a mail server and a receiver of webhooks.
func notified(t *testing.T, script string) (*server, *notifytest.MailServer, *listener) {
	t.Helper()
	mails := notifytest.StartMail(t, notifytest.MailConfig{})
	receiver := &listener{again: map[string]bool{"run.failed": true}}
	web := httptest.NewServer(receiver)
	t.Cleanup(web.Close)
	events := ""
	for _, e := range notify.Events {
		events += fmt.Sprintf("  %s: [mail, ledger]\n", e)
	}
	documents := strings.NewReplacer("SMTP", fmt.Sprint(mails.Port), "HOOK", web.URL, "EVENTS\n", events,
		"MODEL", scriptedModel(t, script).url).Replace(channelDocuments)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(documents), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + steady.Port(t)
	s := serve(t, "--load", dir, "--addr", address, "--public-url", "http://"+address)
	return s, mails, receiver
}

const spends = `
turn 1:
  call create_deliverable {"name":"a.md","type":"document","content":"a"}
turn 2:
  call create_deliverable {"name":"b.md","type":"document","content":"b"}
turn 3:
  call create_deliverable {"name":"c.md","type":"document","content":"c"}
turn 4:
  call create_deliverable {"name":"d.md","type":"document","content":"d"}
turn 5: Done.
`

// slowly starts another run of slow when the last has ended: if the machine is so busy that a question is settled
// before its reminder is sent, there is no reminder.
func (s *server) slowly(last string) string {
	s.t.Helper()
	if s.call("GET", "/runs/"+last, nil).want(200).text("status") != "completed" {
		return last
	}
	return s.run("slow", map[string]any{})
}

// TestMailsAndWebhooks: an approval is asked, a mail with a working link arrives, it is decided elsewhere, and a reply
// in the same thread says so. Every event arrives at a program, signed, each once.
func TestMailsAndWebhooks(t *testing.T) {
	t.Parallel()
	s, mails, receiver := notified(t, spends)
	id := s.run("letter", map[string]any{}, as(ann))
	asked := s.pending(id)
	next := func(about string) *notifytest.Mail {
		for {
			m := mails.Next(t)
			if slices.Contains(m.Headers, "X-Assent-Approval: "+about) {
				return m
			}
		}
	}
	first := next(asked.text("id"))
	if first.Subject != "Approval required: Send this letter?" || !slices.Equal(first.Rcpt, []string{"team@example.com"}) {
		t.Errorf("%q to %v", first.Subject, first.Rcpt)
	}
	link := s.url + "/approvals/" + asked.text("id")
	if !strings.Contains(first.Text, link) || !strings.Contains(first.HTML, `href="`+link+`"`) ||
		!strings.Contains(first.Text, "Dear Zoë, <b>here</b> it is") {
		t.Errorf("%s\n%s", first.Text, first.HTML)
	}
	res, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != 200 || !strings.Contains(string(page), "<html") {
		t.Errorf("the link leads to %s: %.200s", res.Status, page)
	}
	if a := s.call("GET", "/approvals/"+asked.text("id"), nil).want(200); a.text("status") != "pending" {
		t.Errorf("opening the link decided: %s", a.body)
	}
	s.decide(asked, "approve", "looks right")
	s.settles(id, "completed")
	reply := next(asked.text("id"))
	if reply.Subject != "Re: "+first.Subject || reply.ReplyTo != first.ID ||
		!slices.Contains(reply.References, first.ID) ||
		!strings.Contains(reply.Text, "Approved by bob") || !strings.Contains(reply.Text, "looks right") {
		t.Errorf("%q in reply to %q, not %q: %s", reply.Subject, reply.ReplyTo, first.ID, reply.Text)
	}

	slow := s.run("slow", map[string]any{}, as(ann))
	s.run("pay", map[string]any{"amount": 5}, as(ann))
	failed := s.run("fail", map[string]any{}, as(ann))
	s.run("spend", map[string]any{}, as(ann))
	s.call("POST", "/runs/"+s.run("letter", map[string]any{}, as(ann))+"/commands", `{"type":"pause"}`).want(202)
	s.settles(slow, "completed")
	s.settles(failed, "failed")
	wanted := map[string]bool{}
	for _, e := range notify.Events {
		wanted[string(e)] = true
	}
	type payload struct {
		Type, Timestamp string
		Data            map[string]any
	}
	seen := map[string]bool{}
	defer func() {
		if t.Failed() {
			t.Logf("events: %v\n%s", seen, s.call("GET", "/deliveries?limit=100", nil).body)
		}
	}()
	waitFor(t, "every event", func() bool {
		for _, h := range receiver.all() {
			var p payload
			_ = json.Unmarshal([]byte(h.body), &p)
			seen[p.Type] = true
		}
		if !seen[string(notify.ApprovalReminder)] {
			slow = s.slowly(slow)
		}
		return len(seen) == len(wanted)
	})
	public := s.call("GET", "/channels/ledger", nil).want(200).text("public_key")
	verifier, ids := notifytest.StartVerifier(t), map[string]bool{}
	for _, h := range receiver.all() {
		for _, key := range []string{hookSecret, public} {
			if _, why := verifier.Verify(t, key, h.body, h.headers); why != "" {
				t.Errorf("%.5s…: %s: %s", key, why, h.body)
			}
		}
		var p payload
		err := json.Unmarshal([]byte(h.body), &p)
		if err != nil || !wanted[p.Type] || p.Data["run"] == nil || ids[h.id] {
			t.Errorf("%v, %s: %s", err, h.id, h.body)
		}
		ids[h.id] = true
	}
	// The refused delivery was made again, and the log has them all.
	waitFor(t, "the delivery log", func() bool {
		return s.call("GET", "/deliveries?status=queued", nil).want(200).count("items") == 0
	})
	if f := s.call("GET", "/deliveries?status=failed", nil).want(200); f.count("items") != 0 {
		t.Errorf("%s", f.body)
	}
}
