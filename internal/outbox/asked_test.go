package outbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

const documents = `
workflow: by_role
steps: [{ id: ask, human: { title: "By role?", role: approver } }]
---
workflow: by_name
steps: [{ id: ask, human: { title: "By name?", assignees: [max@example.com] } }]
---
workflow: by_both
steps: [{ id: ask, human: { title: "By both?", assignees: [max@example.com, "role:boss"] } }]
---
workflow: told_too
steps: [{ id: ask, human: { title: "Told too?", role: boss, notify: { recipients: [max@example.com, "role:approver", "guest@example.org", out@example.com, Out@Example.com] } } }]
---
workflow: escalated
steps: [{ id: ask, human: { title: "Escalated?", role: boss, escalate: [{ after: 1ms, to: "role:approver" }] } }]
---
agent: clerk
kind: scripted
answers: [{ output: { amount: 7, iban: DE02120300000000202051 } }]
---
workflow: masked
sensitive: [iban]
steps: [{ id: propose, agent: clerk }]
gates: [{ id: check, at: after propose, role: boss }]
---
agent: checker
kind: scripted
answers: [{ fail: "no account DE02120300000000202051: Authorization: Bearer 3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c" }]
---
workflow: failing
sensitive: [iban]
steps: [{ id: propose, agent: clerk }, { id: check_account, agent: checker, needs: [propose] }]
---
channel: mail
kind: email
smtp: smtp://127.0.0.1:1
from: assent@example.com
---
channel: hooks
kind: webhook
secret: ${env:TEST_HOOK_SECRET}
url: `

// house is the server with people who sign in.
type house struct {
	*testing.T
	*assembly.Server
	posted chan string
	gone   atomic.Bool // the program wants no events
}

func open(t *testing.T) *house {
	t.Helper()
	t.Setenv("TEST_HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	h := &house{T: t, posted: make(chan string, 100)}
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.gone.Load() {
			w.WriteHeader(http.StatusGone)
			return
		}
		body, _ := io.ReadAll(r.Body)
		h.posted <- string(body)
	}))
	t.Cleanup(program.Close)
	s, err := assembly.Open(t.Context(), assembly.Config{Data: sqlitetest.Dir(t), AllowPrivate: true,
		SignIn: assembly.SignIn{Password: true}})
	if err != nil {
		t.Fatal(err)
	}
	h.Server = s
	s.Start()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for name, roles := range map[string][]string{"ann@example.com": {"approver"}, "bob@example.com": {"approver"},
		"max@example.com": {}, "zoe@example.com": {"boss"}, "sub@example.com": {}, "out@example.com": {"approver"}} {
		password, disabled := "correct horse battery", strings.HasPrefix(name, "out")
		_, _, err := s.Auth.PutAccount(t.Context(), port.PutAccount{Name: name, Password: &password, Roles: &roles,
			Disabled: &disabled})
		if err != nil {
			t.Fatal(err)
		}
	}
	set, problems := definition.Parse("all.yaml", []byte(documents+program.URL))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	loaded, err := s.App.Documents.LoadSet(t.Context(), "test", set)
	if err != nil || len(loaded.Problems) > 0 {
		t.Fatal(err, loaded.Problems)
	}
	return h
}

// waits starts a run and waits for its approval.
func (h *house) waits(workflow string, as app.Who) string {
	h.Helper()
	changed := h.Store.Watch(h.Context())
	begun, err := h.App.Begin(h.Context(), as, app.NewRun{Workflow: workflow}, nil)
	if err != nil {
		h.Fatal(err)
	}
	for {
		list, err := h.App.Lists(app.LocalAdmin).Approvals(h.Context(), port.ApprovalQuery{Run: begun.ID, Limit: 1})
		if err != nil {
			h.Fatal(err)
		}
		if len(list.Items) == 1 {
			return list.Items[0].ID
		}
		<-changed
	}
}

// told are the people and addresses that the messages about an event of an approval are for.
func (h *house) told(event, approval string, want ...string) {
	h.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		list, err := h.Outbox.Deliveries(h.Context(), app.LocalAdmin, port.DeliveryQuery{Approval: approval,
			Channel: "mail", Limit: 100})
		if err != nil {
			h.Fatal(err)
		}
		var got []string
		for _, d := range list.Items {
			if d.Event == event && d.Status != port.DeliverySuppressed {
				got = append(got, d.Person+d.Address)
			}
		}
		if slices.Sort(got); slices.Equal(got, want) {
			return
		}
		if time.Now().After(end) {
			h.Errorf("%s is for %q, not %q", event, got, want)
			return
		}
	}
}

// TestAsked: people are told by role, by name, as stand-ins, when it is escalated to them, and where a document adds
// them; the owner of a run hears what came of it.
func TestAsked(t *testing.T) {
	h := open(t)
	// A person of an identity provider, who is not signed in now.
	ida := port.Subject{Issuer: "https://id.example.com", Subject: "1", Name: "ida@example.com",
		Label: "ida@example.com", BoundAt: time.Now()}
	err := errors.Join(h.Store.BindSubject(t.Context(), ida),
		h.Store.ReportRoles(t.Context(), ida.Issuer, ida.Subject, []string{"approver"}, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	const ann, bob, max, sub, zoe = "ann@example.com", "bob@example.com", "max@example.com", "sub@example.com",
		"zoe@example.com"
	_, err = h.App.Rights.SetStandIn(t.Context(), app.LocalAdmin, zoe, directory.Change{To: sub,
		Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	owner := app.Who{Name: max, Kind: run.Person, Roles: []string{"admin"}, SignedIn: true}
	id := h.waits("by_role", owner)
	h.told("approval.needed", id, ann, bob, ida.Name)
	h.told("approval.needed", h.waits("by_name", app.LocalAdmin), max)
	h.told("approval.needed", h.waits("by_both", app.LocalAdmin), max, sub, zoe)
	// Max is added as well, and may not see it. Out is disabled, and no mailbox.
	h.told("approval.needed", h.waits("told_too", app.LocalAdmin), ann, bob, "guest@example.org", ida.Name, sub, zoe)
	h.told("approval.escalated", h.waits("escalated", app.LocalAdmin), ann, bob, ida.Name)
	v, err := h.App.Approval(t.Context(), app.LocalAdmin, id, false)
	if err != nil {
		t.Fatal(err)
	}
	decider := app.Who{Name: ann, Kind: run.Person, Roles: []string{"approver"}, SignedIn: true}
	if _, err := h.App.Decide(t.Context(), decider, id, app.Decision{Act: gate.Approve, Version: v.Version}, "1",
		nil); err != nil {
		t.Fatal(err)
	}
	h.told("approval.resolved", id, max)
	if _, err := h.Outbox.SetPreferences(t.Context(), decider, []byte(`{"timezone":"UTC"}`)); err != nil {
		t.Fatal(err)
	}
	entries, err := h.Store.AuditEntries(t.Context(), port.AuditQuery{Action: "notifications.changed", Limit: 10})
	if err != nil || len(entries.Items) != 1 || entries.Items[0].Actor != ann {
		t.Errorf("%+v, %v", entries.Items, err)
	}
}

// TestMaskedOutside: what is masked for anyone leaves the server masked. A channel whose recipient is gone is disabled
// and says so; when a test message arrives, it announces what still waits, once.
func TestMaskedOutside(t *testing.T) {
	h := open(t)
	h.waits("masked", app.LocalAdmin)
	if body := <-h.posted; strings.Contains(body, "DE0212") || !strings.Contains(body, "approval.needed") {
		t.Errorf("%s", body)
	}
	h.gone.Store(true)
	failed := func(approval string) {
		for {
			list, err := h.Outbox.Deliveries(t.Context(), app.LocalAdmin, port.DeliveryQuery{Approval: approval,
				Channel: "hooks", Status: []port.DeliveryStatus{port.DeliveryFailed}})
			if err != nil {
				t.Fatal(err)
			}
			if len(list.Items) == 1 {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	first := h.waits("by_role", app.LocalAdmin)
	failed(first)
	second := h.waits("by_role", app.LocalAdmin)
	failed(second)
	disabled := func() string {
		c, err := h.Outbox.Channel(t.Context(), app.LocalAdmin, "hooks")
		if err != nil {
			t.Fatal(err)
		}
		return c.Disabled
	}
	if why := disabled(); !strings.Contains(why, "410") {
		t.Errorf("disabled: %q", why)
	}
	h.gone.Store(false)
	if got, err := h.Outbox.TestChannel(t.Context(), app.LocalAdmin, "hooks"); err != nil || !got.OK {
		t.Fatal(got, err)
	}
	for _, want := range []string{`"test":true`, "approval.needed", "approval.needed"} {
		if body := <-h.posted; !strings.Contains(body, want) {
			t.Errorf("%s instead of %s", body, want)
		}
	}
	if why := disabled(); why != "" {
		t.Errorf("still disabled: %q", why)
	}
	// Messages about pending approvals stay in the log, however old they are: they will be replaced.
	if _, err := h.Store.ForgetDeliveries(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	list, err := h.Outbox.Deliveries(t.Context(), app.LocalAdmin, port.DeliveryQuery{Approval: first, Channel: "hooks"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("%+v, %v", list.Items, err)
	}
}

// A program with the name of a person cannot send that person messages.
func TestTestMessagesOfPrograms(t *testing.T) {
	h := open(t)
	for kind, want := range map[run.ActorKind]string{run.Service: "only a person", run.Person: "no e-mail address"} {
		who := app.Who{Name: "admin", Kind: kind, Roles: []string{gate.RoleAdmin}, SignedIn: true}
		got, err := h.Outbox.TestChannel(t.Context(), who, "mail")
		if err != nil || got.OK || !strings.Contains(got.Why, want) {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
}

// TestFailureOutside: the message about a run that failed says which agent failed, in which step and why, with what is
// sensitive masked.
func TestFailureOutside(t *testing.T) {
	h := open(t)
	if _, err := h.App.Begin(t.Context(), app.LocalAdmin, app.NewRun{Workflow: "failing"}, nil); err != nil {
		t.Fatal(err)
	}
	body := <-h.posted
	for _, want := range []string{`"type":"run.failed"`, `"step":"check_account"`, `"agent":"checker"`, `"step_index":2`,
		`"message":"no account `} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
	for _, secret := range []string{"DE0212", "3f9a8b7c"} {
		if strings.Contains(body, secret) {
			t.Errorf("%s is in %s", secret, body)
		}
	}
}
