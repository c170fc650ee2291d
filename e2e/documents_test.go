package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const connected = `
agent: scorer
kind: scripted
output: { type: object, required: [score], properties: { score: { type: number }, note: { type: string } } }
answers: [{ output: { score: 1 } }]
---
agent: payer
kind: scripted
input: { type: object, required: [score], properties: { score: { type: number } } }
answers: [{ output: { paid: true } }]
---
workflow: pays
steps: [{ id: score, agent: scorer }, { id: pay, agent: payer, with: { score: score.score } }]
gates: [{ id: look, at: after score, role: reviewer, when: score > 3 }]
`

// A change to an agent or a role that breaks a published workflow is rejected, and names it.
func TestChangesThatBreakAreRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(connected)
	renamed := `{"agent":"scorer","kind":"scripted","output":{"type":"object","additionalProperties":false,"required":["points"],"properties":{"points":{"type":"number"}}},"answers":[{"output":{"points":1}}]}`
	refused := s.call("PUT", "/agents/scorer", renamed).problem(409, "conflict")
	if !strings.Contains(refused.text("detail"), `"pays"`) || !strings.Contains(refused.text("hint"), "force") {
		t.Errorf("%s", refused.body)
	}
	if v := s.call("GET", "/agents/scorer", nil).want(200); v.number("version") != 1 {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", "/agents/scorer?force=true", renamed).want(201)
	if v := s.call("GET", "/audit?action=definition.published&target=agent/scorer",
		nil).want(200); v.number("total") != 2 ||
		v.get("items.0.detail.forced") != true || v.text("items.0.detail.breaks.0") != "workflow/pays" ||
		v.get("items.1.detail.forced") != nil {
		t.Errorf("%s", v.body)
	}

	quiet := s.call("POST", "/workflows/validate",
		yaml("workflow: quiet\nsteps: [{ id: pay, agent: payer, risk: critical }]\ngates: [{ id: ok, at: before pay, "+
			"timeout: { after: 1h, then: approve } }]\n")).want(200)
	if quiet.get("valid") != true || quiet.count("problems") != 0 ||
		!strings.Contains(quiet.text("warnings.0.message"), "no person has approved it") {
		t.Errorf("%s", quiet.body)
	}
}

// A withdrawn role grants nothing, not even what its mere name would, also after a restart; saved again, it does.
func TestWithdrawnRole(t *testing.T) {
	t.Parallel()
	s := serve(t)
	legal := `{"role":"legal","permissions":["view","approve"]}`
	s.call("PUT", "/roles/legal", legal).want(201)
	s.define("agent: signer\nkind: scripted\nanswers: [{ output: {} }]\n---\nworkflow: signs\nsteps: [{ id: sign, " +
		"agent: signer }]\ngates: [{ id: ok, at: before sign, role: legal }]\n")
	id := s.run("signs", map[string]any{})
	decision := "/approvals/" + s.pending(id).text("id") + "/decisions"
	approve := `{"act":"approve","version":1}`
	lea := as(who{"lea", "legal"})

	refused := s.call("DELETE", "/roles/legal", nil).problem(409, "conflict")
	if !strings.Contains(refused.text("detail"), "workflow signs") || !strings.Contains(refused.text("hint"), "force") ||
		refused.count("needed_by") != 1 {
		t.Errorf("%s", refused.body)
	}
	s.call("DELETE", "/roles/legal?force=true", nil, lea).problem(403, "forbidden")
	if was := s.call("DELETE", "/roles/legal?force=true", nil).want(200); was.text("definition.role") != "legal" {
		t.Errorf("%s", was.body)
	}
	s.call("POST", decision, approve, lea).problem(404, "not_found") // she may not even see it
	s.kill()
	s.start()
	s.call("POST", decision, approve, lea).problem(404, "not_found")
	s.call("DELETE", "/roles/legal", nil).problem(404, "not_found")
	warnsOfWithdrawn(t, s)
	if v := s.call("GET", "/audit?action=definition.withdrawn&target=role/legal&outcome=done", nil).want(200); v.number(
		"total") != 1 || v.count("items.0.detail.needed_by") != 1 {
		t.Errorf("%s", v.body)
	}

	s.call("PUT", "/roles/legal", legal).want(200) // the same version is in force again
	s.call("POST", decision, approve, lea).want(200)
	s.settles(id, "completed")
}

// Documents removed from a loaded directory are withdrawn, unless something needs them, and unless the whole
// directory is gone.
func TestRemovedFilesGoOutOfForce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("flow.yaml", connected)
	write("policy.yaml", "policy: default\nrules:\n  - { name: Ask, priority: 1, trigger: { operation_type: [pay] }, "+
		"action: { role: finance } }\n")
	write("spare.yaml", "agent: spare\nkind: scripted\nanswers: [{ output: {} }]\n")
	write("reviewer.yaml", "role: reviewer\npermissions: [view, decide]\n")
	s := serve(t, "--load", dir)
	rules := func() int { return s.call("GET", "/policy", nil).want(200).count("rules") }
	if rules() != 1 {
		t.Fatal("the policy is not in force")
	}
	if err := os.Remove(filepath.Join(dir, "policy.yaml")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the policy to be withdrawn", func() bool { return rules() == 0 })
	if v := s.call("GET", "/audit?action=definition.withdrawn", nil).want(200); v.number("total") != 1 ||
		v.text("items.0.target") != "policy/policy" {
		t.Errorf("%s", v.body)
	}
	s.says("no longer in force")

	// A role that could no longer decide a gate is not published.
	write("reviewer.yaml", "role: reviewer\nkinds: [input]\npermissions: [view, decide]\n")
	s.says("it would break")
	if _, errs, err := s.command("", "load", dir); code(err) != 1 || !strings.Contains(errs, "would break") {
		t.Errorf("%d: %s", code(err), errs)
	}
	if out := s.must("", "load", dir, "--force"); !strings.Contains(out, "although it breaks") ||
		!strings.Contains(out, "published: role/reviewer") {
		t.Errorf("%s", out)
	}
	forced := s.call("GET", "/audit?action=definition.published&target=role/reviewer", nil).want(200)
	if forced.get("items.0.detail.forced") != true || forced.text("items.0.detail.breaks.0") != "workflow/pays" ||
		forced.text("items.0.actor.name") != "admin" {
		t.Errorf("%s", forced.body)
	}
	write("reviewer.yaml", "role: reviewer\npermissions: [view, decide]\n")
	if out := s.must("", "load", dir); strings.Contains(out, "warning") {
		t.Errorf("%s", out)
	}

	// While the server is down, a file is removed and another loses a required document.
	s.stop()
	if err := os.Remove(filepath.Join(dir, "spare.yaml")); err != nil {
		t.Fatal(err)
	}
	told := s.must("", "validate", dir, "--json")
	for _, want := range []string{`"agent/spare"`, "withdraws it", `"valid": true`, `"problems": []`} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
	if alone, err := exec.Command(binary, "validate", dir).CombinedOutput(); err != nil ||
		strings.Contains(string(alone), "spare") {
		t.Errorf("no store was named: %v %s", err, alone)
	}
	_, rest, _ := strings.Cut(connected, "---\n")
	write("flow.yaml", rest)
	told, _, err := s.command("", "validate", dir, "--json")
	if code(err) != 1 || !strings.Contains(told, `"agent/scorer"`) ||
		!strings.Contains(told, "would break the published workflow") {
		t.Errorf("%d: %s", code(err), told)
	}
	s.start()
	s.call("GET", "/agents/spare", nil).problem(404, "not_found")
	s.call("GET", "/agents/scorer", nil).want(200)
	s.says("would break")

	// An empty directory withdraws nothing.
	for _, name := range []string{"flow.yaml", "reviewer.yaml"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.says("until everything in the folder can be read")
	s.call("GET", "/workflows/pays", nil).want(200)
}

// warnsOfWithdrawn: a workflow that asks the withdrawn role legal is saved and published with a warning at its place.
func warnsOfWithdrawn(t *testing.T, s *server) {
	t.Helper()
	const text = "workflow: signs\nsteps: [{ id: sign, agent: signer }]\ngates:\n" +
		"  - { id: ok, at: before sign, role: legal, escalate: [{ after: 1h, to: role:legal }] }\n"
	const says = `the role "legal" was withdrawn`
	wants := func(v answer) {
		t.Helper()
		if v.count("warnings") != 2 || v.text("warnings.0.path") != "gates[0].role" || v.number("warnings.0.line") != 4 ||
			!strings.Contains(v.text("warnings.0.message"), says) || v.text("warnings.1.path") != "gates[0].escalate[0].to" {
			t.Errorf("%s", v.body)
		}
	}
	valid := s.call("POST", "/workflows/validate", yaml(text)).want(200)
	if wants(valid); valid.get("valid") != true || valid.count("problems") != 0 {
		t.Errorf("%s", valid.body)
	}
	saved := s.call("PUT", "/workflows/signs", yaml(text)).want(201)
	wants(saved)
	wants(s.call("POST", "/workflows/signs/publish", map[string]any{"version": saved.number("version")}).want(200))
	out := s.must("", "workflows", "restore", "signs", "1")
	if !strings.Contains(out, says) {
		t.Errorf("%s", out)
	}
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "signs.yaml"), text); err != nil {
		t.Fatal(err)
	}
	agent := "agent: signer\nkind: scripted\nanswers: [{ output: {} }]\n"
	if err := writeFile(filepath.Join(dir, "signer.yaml"), agent); err != nil {
		t.Fatal(err)
	}
	if out := s.must("", "validate", dir); !strings.Contains(out, "signs.yaml:4:") ||
		!strings.Contains(out, says) {
		t.Errorf("%s", out)
	}
	// A role that may act as it answers for it; so does a document of that name.
	s.call("PUT", "/roles/counsel", `{"role":"counsel","permissions":["view","decide"],"can_act_as":["legal"]}`).want(201)
	if v := s.call("POST", "/workflows/validate", yaml(text)).want(200); v.count("warnings") != 0 {
		t.Errorf("%s", v.body)
	}
	s.call("DELETE", "/roles/counsel", nil).want(200)
	rule := "policy: default\nrules: [{ name: A, priority: 1, trigger: { operation_type: [x] }, " +
		"action: { role: legal } }]\n"
	if v := s.call("POST", "/policy/validate", yaml(rule)).want(200); v.text("warnings.0.path") != "rules[0].action.role" {
		t.Errorf("%s", v.body)
	}
}
