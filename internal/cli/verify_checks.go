package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/core/value"
)

// probeDocuments are the documents of the test run. They have no effects: the agent is a script, and the
// address must not be reached.
const (
	probeAgent = "agent: assent-verify\nkind: scripted\ndescription: Does nothing; assent verify plays it.\nanswers: " +
		"[{ output: { done: true } }]\n"
	probeFlow = `workflow: assent-verify
description: Does nothing. assent verify tries to get past its gate.
steps: [{ id: act, agent: assent-verify, operation: verify, with: { amount: input.amount } }]
gates: [{ id: ask, at: before act, title: "assent verify: nothing happens whatever is decided", assignees: [%q], on_reject: cancel }]
`
	// The address at which cloud providers serve credentials.
	addressAgent = "agent: assent-verify-address\nkind: http\ndescription: Must not be reached; assent verify plays " +
		"it.\nurl: http://169.254.169.254/latest/meta-data/\n"
	addressFlow = "workflow: assent-verify-address\ndescription: Fails, because its agent's address must not be " +
		"reached.\nsteps: [{ id: reach, agent: assent-verify-address, retry: { max: 1 } }]\n"
)

const (
	probeName = "assent-verify"
	settlesIn = 20 * time.Second
	tokenLife = 10 * time.Minute
	foreign   = "evil.example"
)

// prober makes attempts as different principals.
type prober struct {
	*session
	self     *client.As // who requested the verification
	program  *client.As // a token of kind service
	name     string     // of the requester
	local    bool       // everyone on this machine has access
	run      string
	approval string
}

func newProber(s *session) *prober {
	self := s.Self()
	return &prober{session: s, self: &self}
}

// attempts makes all attempts. Those that could not be prepared are skipped.
func (p *prober) attempts(ctx context.Context) []attempt {
	out := []attempt{p.withoutCredentials(ctx)}
	whoIAm, err := p.learn(ctx)
	if err != nil {
		return append(out, attempt{"sign-in", []string{}, "look up the caller", outcomeFailed, err.Error()})
	}
	out = append(out, p.strictText(ctx)...)
	out = append(out, p.stopStays(ctx), p.foreignHost(ctx))
	forget, err := p.makeProgram(ctx)
	defer forget()
	out = append(out, p.programs(ctx, err)...)
	out = append(out, p.decisions(ctx, whoIAm)...)
	return append(out, p.reaches(ctx), p.audited(ctx))
}

// try sends a probe and compares the status.
func (p *prober) try(ctx context.Context, id string, aisvs []string, tried string,
	q client.Probe, want ...int) attempt {
	a := attempt{ID: id, AISVS: aisvs, Tried: tried, Outcome: outcomeFailed}
	status, said, err := p.Try(ctx, q)
	if err != nil {
		a.Observed = err.Error()
		return a
	}
	if a.Observed = fmt.Sprintf("%d%s", status, prefixedDetail(said)); slices.Contains(want, status) {
		a.Outcome = outcomePassed
	}
	return a
}

// prefixedDetail is the detail of a problem.
func prefixedDetail(said []byte) string {
	var problem struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(said, &problem) != nil || problem.Detail == "" {
		return ""
	}
	return ": " + problem.Detail
}

func skipped(id string, aisvs []string, tried, why string) attempt {
	return attempt{id, aisvs, tried, outcomeSkipped, why}
}

func (p *prober) withoutCredentials(ctx context.Context) attempt {
	a := p.try(ctx, "no-credentials", []string{"5.2.1", "10.2.1"}, "list runs without credentials",
		client.Probe{Method: http.MethodGet, Path: "/runs"}, http.StatusUnauthorized)
	if a.Outcome == outcomeFailed && strings.HasPrefix(a.Observed, "200") && p.onThisMachine() {
		p.local = true
		return skipped(a.ID, a.AISVS, a.Tried,
			"local mode: the server is reachable from this machine only, and accepts every user of it")
	}
	return a
}

// onThisMachine reports whether the server only listens on this machine.
func (p *prober) onThisMachine() bool {
	u, err := url.Parse(p.Base())
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
}

// learn determines who the requester is, and whether that is a person.
func (p *prober) learn(ctx context.Context) (kind string, err error) {
	status, said, err := p.Try(ctx, client.Probe{Method: http.MethodGet, Path: "/me", As: p.self})
	var me struct{ Name, Kind string }
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d%s", status, prefixedDetail(said))
	}
	if err == nil {
		err = json.Unmarshal(said, &me)
	}
	p.name = me.Name
	return me.Kind, err
}

// strictText sends requests that two parsers could read differently.
func (p *prober) strictText(ctx context.Context) []attempt {
	var out []attempt
	for _, c := range []struct{ id, tried, body string }{
		{"unknown-members", "send an unknown member", `{"subject":{"operation":"verify"},"bribe":true}`},
		{"keys-twice", "send an amount twice", `{"subject":{"operation":"verify","data":{"amount":5000,"amount":1}}}`},
		{"keys-by-case", "send amount and Amount", `{"subject":{"operation":"verify","data":{"amount":5000,"Amount":1}}}`},
	} {
		q := client.Probe{Method: http.MethodPost, Path: "/policy/test", Body: c.body, As: p.self}
		out = append(out, p.try(ctx, c.id, []string{"2.1.2", "9.2.2"}, c.tried, q, http.StatusUnprocessableEntity))
	}
	return out
}

func (p *prober) stopStays(ctx context.Context) attempt {
	q := client.Probe{Method: http.MethodPost, Path: "/policy/emergency_stop", Body: `{}`, As: p.self}
	return p.try(ctx, "half-a-stop", []string{"9.1.3", "9.6.1"}, "change the emergency stop without a new value", q,
		http.StatusUnprocessableEntity)
}

func (p *prober) foreignHost(ctx context.Context) attempt {
	tried, aisvs := "send a request under another host name, as a page of another site would", []string{"10.3.3"}
	if !p.local {
		return skipped("foreign-host", aisvs, tried, "sign-in is required: a page of another site has no credentials to send")
	}
	return p.try(ctx, "foreign-host", aisvs, tried,
		client.Probe{Method: http.MethodGet, Path: "/runs", As: p.self, Host: foreign}, http.StatusForbidden,
		http.StatusMisdirectedRequest)
}

// makeProgram creates a token of kind service, which forget revokes.
func (p *prober) makeProgram(ctx context.Context) (forget func(), err error) {
	body, err := value.Marshal(map[string]any{
		"name": probeName, "kind": "service", "roles": []string{"approver", "admin"},
		"expires_at": time.Now().Add(tokenLife).UTC(),
	})
	if err != nil {
		return func() {}, err
	}
	status, said, err := p.Try(ctx, client.Probe{Method: http.MethodPost, Path: "/tokens", Body: string(body), As: p.self})
	if err != nil {
		return func() {}, err
	}
	var made struct{ ID, Secret string }
	if status != http.StatusCreated || json.Unmarshal(said, &made) != nil {
		return func() {}, fmt.Errorf("no token could be created: %d%s", status, prefixedDetail(said))
	}
	p.program = &client.As{Token: made.Secret}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settlesIn)
		defer cancel()
		// it expires by itself
		_, _, _ = p.Try(ctx, client.Probe{Method: http.MethodDelete, Path: "/tokens/" + url.PathEscape(made.ID), As: p.self})
	}, nil
}

// programs are attempts by a program with every role that a token can have.
func (p *prober) programs(ctx context.Context, missing error) []attempt {
	tries := []struct {
		id, tried, method, path, body string
		aisvs                         []string
	}{
		{"program-makes-person", "create a person's token with a program's token", http.MethodPost, "/tokens",
			`{"name":"assent-verify-person","kind":"person","roles":["approver"]}`, []string{"9.2.9"}},
		{"program-expires", "expire pending approvals with a program's token", http.MethodPost, "/approvals/expire",
			`{"older_than":"87600h","workflow":"assent-verify"}`, []string{"9.2.1"}},
	}
	var out []attempt
	for _, c := range tries {
		if missing != nil {
			out = append(out, skipped(c.id, c.aisvs, c.tried, missing.Error()))
			continue
		}
		out = append(out, p.try(ctx, c.id, c.aisvs, c.tried,
			client.Probe{Method: c.method, Path: c.path, Body: c.body, As: p.program}, http.StatusForbidden))
	}
	return out
}

// decisions starts a run that requires approval, and tries to bypass it.
func (p *prober) decisions(ctx context.Context, kind string) []attempt {
	waits := attempt{"waits-for-people", []string{"9.2.1", "9.6.2"},
		"start a run whose action needs an approval", outcomeFailed, ""}
	if err := p.ask(ctx); err != nil {
		waits.Observed = err.Error()
		return []attempt{waits}
	}
	waits.Outcome, waits.Observed = outcomePassed, "the run is waiting, and the action has not started"
	out := []attempt{waits}
	decide := func(as *client.As, act string, version int) client.Probe {
		return client.Probe{Method: http.MethodPost, Path: "/approvals/" + p.approval + "/decisions",
			Body: fmt.Sprintf(`{"act":%q,"version":%d,"comment":"assent verify"}`, act, version), As: as}
	}
	if tried := "approve with a program's token that has the roles"; p.program == nil {
		out = append(out, skipped("program-decides", []string{"9.2.1", "9.2.9"}, tried, "no token could be created"))
	} else {
		out = append(out, p.try(ctx, "program-decides", []string{"9.2.1", "9.2.9"}, tried,
			decide(p.program, "approve", 1), http.StatusForbidden))
	}
	out = append(out,
		p.try(ctx, "changed-content", []string{"9.2.8"}, "approve a version other than the one shown",
			decide(p.self, "approve", 99), http.StatusConflict),
		p.try(ctx, "unknown-act", []string{"9.5.1"}, "send an act that is not offered", decide(p.self, "choose", 1),
			http.StatusUnprocessableEntity, http.StatusConflict),
	)
	replay := "send a decision a second time"
	if kind != "person" {
		return append(out, skipped("replayed-decision", []string{"9.2.8"}, replay,
			"only people decide, and this token is not a person's"))
	}
	if first := p.try(ctx, "", nil, "", decide(p.self, "reject", 1), http.StatusOK); first.Outcome != outcomePassed {
		return append(out, attempt{"replayed-decision", []string{"9.2.8"}, replay, outcomeFailed,
			"the first one was refused: " + first.Observed})
	}
	return append(out, p.try(ctx, "replayed-decision", []string{"9.2.8"}, replay,
		decide(p.self, "approve", 1), http.StatusConflict))
}

// ask publishes the workflow and starts a run that asks the requester.
func (p *prober) ask(ctx context.Context) error {
	flow := fmt.Sprintf(probeFlow, p.name)
	if err := p.publish(ctx, "/agents/"+probeName, probeAgent, "/workflows/"+probeName+"?publish=true", flow); err != nil {
		return err
	}
	run, err := p.start(ctx, probeName)
	if err != nil {
		return err
	}
	p.run = run
	v, err := p.settles(ctx, run)
	switch {
	case err != nil:
		return err
	case v.Status != "waiting" || len(v.PendingApprovals) != 1:
		return fmt.Errorf("the run is %s, and no approval is pending", v.Status)
	}
	p.approval = v.PendingApprovals[0]
	return nil
}

// publish publishes documents, given as alternating path and text.
func (p *prober) publish(ctx context.Context, documents ...string) error {
	for i := 0; i < len(documents); i += 2 {
		q := client.Probe{Method: http.MethodPut, Path: documents[i], Body: documents[i+1],
			Type: "application/yaml", As: p.self}
		if status, said, err := p.Try(ctx, q); err != nil || status/100 != 2 {
			return fmt.Errorf("publish %s: %d%s %v", documents[i], status, prefixedDetail(said), err)
		}
	}
	return nil
}

func (p *prober) start(ctx context.Context, workflow string) (string, error) {
	q := client.Probe{Method: http.MethodPost, Path: "/runs",
		Body: fmt.Sprintf(`{"workflow":%q,"input":{"amount":1}}`, workflow), As: p.self}
	status, said, err := p.Try(ctx, q)
	var v struct{ ID string }
	if err == nil && status == http.StatusCreated {
		err = json.Unmarshal(said, &v)
	} else if err == nil {
		err = fmt.Errorf("start %s: %d%s", workflow, status, prefixedDetail(said))
	}
	return v.ID, err
}

// played is the part of a run that probes look at.
type played struct {
	Status           string   `json:"status"`
	PendingApprovals []string `json:"pending_approvals"`
	Error            *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// settles waits until a run rests.
func (p *prober) settles(ctx context.Context, run string) (v played, err error) {
	for end := time.Now().Add(settlesIn); ; time.Sleep(100 * time.Millisecond) {
		status, said, err := p.Try(ctx, client.Probe{Method: http.MethodGet, Path: "/runs/" + run, As: p.self})
		if err != nil {
			return v, err
		}
		if status != http.StatusOK || json.Unmarshal(said, &v) != nil {
			return v, fmt.Errorf("look at run %s: %d%s", run, status, prefixedDetail(said))
		}
		if v.Status != "running" || time.Now().After(end) {
			return v, ctx.Err()
		}
	}
}

// reaches tries to make the server fetch a cloud-internal address.
func (p *prober) reaches(ctx context.Context) attempt {
	a := attempt{"inner-address", []string{"9.3.4", "9.3.7"},
		"have an agent call the metadata address of cloud providers", outcomeFailed, ""}
	err := p.publish(ctx, "/agents/assent-verify-address", addressAgent,
		"/workflows/assent-verify-address?publish=true", addressFlow)
	if err != nil { // rejected even earlier
		a.Outcome, a.Observed = outcomePassed, err.Error()
		return a
	}
	run, err := p.start(ctx, "assent-verify-address")
	if err == nil {
		var v played
		if v, err = p.settles(ctx, run); err == nil && v.Status == "failed" && v.Error != nil {
			if a.Observed = v.Error.Message; v.Error.Code == "forbidden_address" {
				a.Outcome = outcomePassed
			}
			return a
		}
		a.Observed = "the run is " + v.Status
	}
	if err != nil {
		a.Observed = err.Error()
	}
	return a
}

// audited checks that the log contains the rejected attempts, and is intact.
func (p *prober) audited(ctx context.Context) attempt {
	a := attempt{"on-record", []string{"9.4.2", "12.4.2"},
		"find the refused attempts in the audit log, and verify it", outcomeFailed, ""}
	// signs pending entries
	_, _, _ = p.Try(ctx, client.Probe{Method: http.MethodGet, Path: "/audit/head", As: p.self})
	status, said, err := p.Try(ctx, client.Probe{Method: http.MethodGet, Path: "/audit/verify", As: p.self})
	var log struct {
		OK     bool  `json:"ok"`
		Signed int64 `json:"signed"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(said, &log) != nil || !log.OK || log.Signed == 0 {
		a.Observed = fmt.Sprintf("the log does not verify, or is not signed: %d %.300s %v", status, said, err)
		return a
	}
	target := p.approval
	status, said, err = p.Try(ctx, client.Probe{Method: http.MethodGet,
		Path: "/audit?outcome=refused&limit=50&target=" + url.QueryEscape(target), As: p.self})
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(said, &list) != nil || len(list.Items) == 0 ||
		target == "" {
		a.Observed = fmt.Sprintf("the refused decisions are not in the log: %d%s %v", status, prefixedDetail(said), err)
		return a
	}
	a.Outcome, a.Observed = outcomePassed, fmt.Sprintf("%d refused attempts on the approval are in the log, which is "+
		"signed up to entry %d", len(list.Items), log.Signed)
	return a
}
