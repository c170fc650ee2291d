package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	ordersSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	foreignSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	hooked        = `agent: echo
kind: scripted
answers: [{output: {done: true}}]
---
workflow: order
input: {type: object, required: [id], properties: {id: {type: string}}}
steps: [{id: a, agent: echo}]
`
)

// signer signs as other systems do: with the library of Standard Webhooks, and with Node's own HMAC for GitHub.
const signer = `const { Webhook } = require(process.argv[1]);
const { createHmac } = require("node:crypto");
const asked = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map((a) => a.github
	? "sha256=" + createHmac("sha256", a.secret).update(a.body).digest("hex")
	: new Webhook(a.secret).sign(a.id, new Date(a.at * 1000), a.body))));`

// hook is a delivery that is about to be signed.
type hook struct {
	ID     string `json:"id"`
	At     int64  `json:"at"` // in seconds
	Body   string `json:"body"`
	Secret string `json:"secret"`
	GitHub bool   `json:"github,omitempty"`
	signed string
}

// sign signs deliveries. Without the library the test is skipped, except on CI.
func sign(t testing.TB, all ...*hook) {
	t.Helper()
	library, err := filepath.Abs("../web/node_modules/standardwebhooks")
	if err == nil {
		_, err = os.Stat(library)
	}
	if _, missing := exec.LookPath("node"); err != nil || missing != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("Node.js or the library of Standard Webhooks is missing: npm ci in web")
		}
		t.Skip("Node.js or the library of Standard Webhooks is missing")
	}
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", signer, "--", library) //nolint:gosec // a test
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var signatures []string
	if err := json.Unmarshal(out, &signatures); err != nil || len(signatures) != len(all) {
		t.Fatalf("%s: %v", out, err)
	}
	for i, h := range all {
		h.signed = signatures[i]
	}
}

func order(id string) *hook {
	return &hook{ID: "msg_" + id, At: time.Now().Unix(), Secret: ordersSecret,
		Body: `{"type": "order.created", "data": {"order": {"id": "` + id + `", "note": "Grüße"}}}`}
}

// send delivers to a trigger.
func (h *hook) send(s *server, trigger string) (answer, error) {
	if h.GitHub {
		return s.try("POST", "/hooks/"+trigger, h.Body, header("X-Hub-Signature-256", h.signed),
			header("X-GitHub-Delivery", h.ID), header("X-GitHub-Event", "push"))
	}
	return s.try("POST", "/hooks/"+trigger, h.Body, header("webhook-id", h.ID),
		header("webhook-timestamp", fmt.Sprint(h.At)), header("webhook-signature", h.signed))
}

// must sends a delivery and wants a status.
func (h *hook) must(s *server, trigger string, statuses ...int) answer {
	s.t.Helper()
	a, err := h.send(s, trigger)
	if err != nil || !slices.Contains(statuses, a.status) {
		s.t.Fatalf("%s: %d %s %v", h.ID, a.status, a.body, err)
	}
	return a
}

// shop is a server with triggers.
func shop(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{t: t, args: append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir()}, args...),
		env: []string{"ASSENT_SECRET_ORDERS=" + ordersSecret, "ASSENT_SECRET_HUB=It's a Secret to Everybody"}}
	s.start()
	t.Cleanup(func() {
		if s.cmd != nil {
			s.stop()
		}
	})
	return s
}

func (s *server) hookUp() {
	s.t.Helper()
	s.define(hooked)
	s.call("PUT", "/triggers/orders", yaml("trigger: orders\nworkflow: order\nverify: standard\n"+
		"secret: ${env:ASSENT_SECRET_ORDERS}\nmap: {id: data.order.id}\n")).want(201)
	s.call("PUT", "/triggers/hub", yaml("trigger: hub\nworkflow: order\nverify: github\n"+
		"secret: ${env:ASSENT_SECRET_HUB}\nmap: {id: ref}\n")).want(201)
}

// startedBy lists the runs of a trigger.
func (s *server) startedBy(trigger string) (ids []string) {
	s.t.Helper()
	var page struct {
		Items []struct{ ID string } `json:"items"`
		Total int                   `json:"total"`
	}
	a := s.call("GET", "/runs?limit=500&owner=trigger:"+trigger, nil).want(200)
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Items) != page.Total {
		s.t.Fatalf("%s %v", a.body, err)
	}
	for _, v := range page.Items {
		ids = append(ids, v.ID)
	}
	return ids
}

// Deliveries that are signed by the libraries of senders start runs; forged, late and foreign ones are refused and
// on record.
func TestTriggers(t *testing.T) {
	t.Parallel()
	s := shop(t)
	s.hookUp()
	good, late, early, foreign := order("A-1"), order("A-2"), order("A-3"), order("A-4")
	late.At -= 6 * 60
	early.At += 6 * 60
	foreign.Secret = foreignSecret
	push := &hook{ID: "1", Secret: "It's a Secret to Everybody", GitHub: true, Body: `{"ref": "refs/heads/main"}`}
	other := &hook{ID: "1", Secret: "guess", GitHub: true, Body: push.Body}
	odd := order("A-5")
	odd.Body = `{"data": {"order": {"id": "A-5", "id": "A-6"}}}`
	wrong := order("A-7")
	wrong.Body = `{"data": {"order": {}}}`
	sign(t, good, late, early, foreign, push, other, odd, wrong)

	first := good.must(s, "orders", 202)
	run := s.settles(first.text("run"), "completed")
	if run.text("owner") != "trigger:orders" || run.text("input.id") != "A-1" {
		t.Errorf("%s", run.body)
	}
	again := good.must(s, "orders", 200)
	if again.text("run") != first.text("run") {
		t.Errorf("%s", again.body)
	}
	for _, h := range []*hook{late, early, foreign} {
		h.must(s, "orders", 401)
	}
	forged := *good
	forged.Body = strings.Replace(good.Body, "A-1", "A-9", 1)
	forged.must(s, "orders", 401)
	forged = *good
	forged.ID = "msg_other"
	forged.must(s, "orders", 401)
	good.must(s, "hub", 401) // a delivery to another trigger
	push.must(s, "hub", 202)
	push.ID = "2" // an id that is not signed
	push.must(s, "hub", 200)
	other.must(s, "hub", 401)
	odd.must(s, "orders", 422)
	wrong.must(s, "orders", 422)
	good.must(s, "nothing", 404)
	if n := len(s.startedBy("orders")); n != 1 {
		t.Errorf("%d runs", n)
	}
	refused := s.call("GET", "/audit?outcome=refused&action=trigger.delivered", nil).want(200)
	if refused.count("items") < 5 || refused.count("items") > 7 ||
		!strings.Contains(string(refused.body), `"target":"trigger/orders"`) {
		t.Errorf("%s", refused.body)
	}
	for why, least := range map[string]int{"too old": 1, "in the future": 1, "signature does not match": 3} {
		if n := strings.Count(string(refused.body), why); n < least {
			t.Errorf("%d of %d refusals are on record: %s", n, least, why)
		}
	}

	shown := s.call("GET", "/triggers/orders", nil).want(200)
	if shown.count("deliveries") != 3 || shown.number("deliveries.2.times") != 2 ||
		shown.text("deliveries.2.payload.data.order.note") != "Grüße" || shown.number("refused.count") != 5 ||
		strings.Contains(string(shown.body), ordersSecret) {
		t.Errorf("%s", shown.body)
	}
	if all := s.call("GET", "/triggers", nil).want(200); all.number("total") != 2 {
		t.Errorf("%s", all.body)
	}
	replayed := s.call("POST", "/triggers/orders/deliveries/"+shown.text("deliveries.2.id")+"/replay", nil).want(201)
	if replayed.text("retry_of") != first.text("run") || replayed.text("owner") == "trigger:orders" {
		t.Errorf("%s", replayed.body)
	}
	s.call("DELETE", "/triggers/hub", nil).want(200)
	push.must(s, "hub", 404)
	if strings.Contains(s.log.String(), ordersSecret) || strings.Contains(s.log.String(), "Everybody") {
		t.Error("a secret is in the log")
	}
}

// The same delivery fifty times at once, and deliveries whose answer is lost because the program is killed: each
// starts one run.
func TestTriggersSurviveAKill(t *testing.T) {
	t.Parallel()
	s := shop(t)
	s.hookUp()
	same := order("same")
	many := []*hook{}
	for i := range 40 {
		many = append(many, order(fmt.Sprintf("B-%d", i)))
	}
	sign(t, append(many, same)...)
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		runs = map[string]string{}
	)
	note := func(h *hook, a answer) {
		mu.Lock()
		defer mu.Unlock()
		if was := runs[h.ID]; was != "" && was != a.text("run") {
			t.Errorf("%s started %s and %s", h.ID, was, a.text("run"))
		}
		runs[h.ID] = a.text("run")
	}
	for range 50 {
		all.Go(func() {
			if a, err := same.send(s, "orders"); err != nil || a.status != 200 && a.status != 202 {
				t.Errorf("%d %s %v", a.status, a.body, err)
			} else {
				note(same, a)
			}
		})
	}
	all.Wait()
	if ids := s.startedBy("orders"); len(ids) != 1 || ids[0] != runs[same.ID] {
		t.Errorf("%v, answers %v", ids, runs)
	}

	answered := make(chan bool, len(many))
	for _, h := range many {
		all.Go(func() {
			if a, err := h.send(s, "orders"); err == nil && (a.status == 200 || a.status == 202) {
				note(h, a)
				answered <- true
			}
		})
	}
	<-answered // some are stored and not answered yet, others have not begun
	s.kill()
	all.Wait()
	before := len(runs)
	s.start()
	for _, h := range append(many, same) {
		note(h, h.must(s, "orders", 200, 202))
	}
	ids := s.startedBy("orders")
	slices.Sort(ids)
	if want := slices.Sorted(maps.Values(runs)); !slices.Equal(ids, want) || len(ids) != len(many)+1 {
		t.Errorf("%d runs, %d answers", len(ids), len(want))
	}
	t.Logf("%d of %d were answered before the kill", before-1, len(many))
	for _, id := range ids {
		s.settles(id, "completed")
	}
}
