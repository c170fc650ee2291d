package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/openapi"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// wrongTypes are values that are not of a type, by what the document calls it.
var wrongTypes = map[string][]string{
	"string": {`1.5`, `true`, `{}`, `[]`}, "integer": {`"1"`, `1.5`, `true`}, "boolean": {`"true"`, `1`, `0`},
	"array": {`"x"`, `{}`}, "object": {`"x"`, `[]`},
}

// TestRequestsThatMeanNothing sends to every operation that takes a body: nothing
// where something is needed, each required member missing and null, and each
// member of a wrong type. All are refused, and nothing changes.
func TestRequestsThatMeanNothing(t *testing.T) {
	d := open(t, Options{})
	asked := d.asked("ask")
	before := d.written()
	all := openapi.NewSchemas(types)
	tried := 0
	for _, op := range operations() {
		if op.Takes != contract.TakesJSON && op.Takes != contract.TakesMaybe || op.Body == nil || op.Hook {
			continue
		}
		all.Of(reflect.TypeOf(op.Body), true)
		schema := all.Components[all.Name(reflect.TypeOf(op.Body))].(object)
		path := strings.NewReplacer("{id}", asked.ID, "{name}", "ask", "{n}", "1").Replace(op.Path)
		base := map[string]json.RawMessage{}
		if op.Example != "" {
			if err := json.Unmarshal([]byte(op.Example), &base); err != nil {
				t.Fatalf("%s: %v", op.ID, err)
			}
		}
		tried += d.refusesMembers(op.ID, op.Method, path, all, schema, base)
		if op.Takes == contract.TakesJSON {
			tried++
			if got := d.send(op.Method, path, ""); got.status != 400 && got.status != 415 && got.status != 422 {
				t.Errorf("%s without a body: %d %s", op.ID, got.status, got.body)
			}
		}
	}
	if after := d.written(); after != before {
		t.Errorf("something changed: %s, then %s", before, after)
	}
	if tried < 150 {
		t.Errorf("only %d requests were sent", tried)
	}
	t.Logf("%d requests", tried)
}

// refusesMembers sends a body with each required member missing and null, and each
// member of a wrong type. It returns how many requests that were.
func (d *desk) refusesMembers(what, method, path string, all *openapi.Schemas, schema object,
	base map[string]json.RawMessage) (tried int) {
	d.Helper()
	refused := func(how, member, value string) {
		d.Helper()
		body := maps.Clone(base)
		delete(body, member)
		if value != "" {
			body[member] = json.RawMessage(value)
		}
		raw, err := json.Marshal(body)
		if err != nil {
			d.Fatal(err)
		}
		tried++
		got := d.send(method, path, string(raw))
		if got.status != 422 {
			d.Errorf("%s, %s: %s gives %d: %.300s", what, how, raw, got.status, got.body)
			return
		}
		named := func(f fault.Problem) bool { return strings.Trim(f.Path, "/") == member }
		if p := got.problem(); !slices.ContainsFunc(p.Errors, named) {
			d.Errorf("%s, %s: the answer does not name %s: %s", what, how, member, got.body)
		}
	}
	required, _ := schema["required"].([]string)
	for _, member := range required {
		refused("missing", member, "")
		refused("null", member, "null")
	}
	for member, of := range schema["properties"].(object) {
		kind, _ := resolve(all, of.(object))["type"].(string)
		for _, wrong := range wrongTypes[kind] {
			refused("of a wrong type", member, wrong)
		}
	}
	return tried
}

// TestCommandsThatMeanNothing does the same with every form that a command to a run
// may have: what is required is required, and nothing happens to the run.
func TestCommandsThatMeanNothing(t *testing.T) {
	d := open(t, Options{})
	asked := d.asked("ask")
	before := d.written()
	all := openapi.NewSchemas(types)
	commands(all)
	valid := map[string]map[string]string{
		"inject_steps": {"steps": `[{"id":"more","agent":"writer"}]`}, "replan": {"requirement": `"shorter"`},
		"modify_args": {"changes": `{"a":1}`}, "message": {"text": `"hello"`},
	}
	tried := 0
	for _, c := range commandForms {
		base := map[string]json.RawMessage{"type": json.RawMessage(`"` + c.kind + `"`)}
		for member, value := range valid[c.kind] {
			base[member] = json.RawMessage(value)
		}
		schema := all.Components["Command_"+c.kind].(object)
		tried += d.refusesMembers(c.kind, "POST", "/api/v1/runs/"+asked.Run+"/commands", all, schema, base)
	}
	if after := d.written(); after != before {
		t.Errorf("something changed: %s, then %s", before, after)
	}
	if tried < 80 {
		t.Errorf("only %d requests were sent", tried)
	}
	t.Logf("%d requests", tried)
}

// resolve follows a reference.
func resolve(s *openapi.Schemas, schema object) object {
	if ref, ok := schema["$ref"].(string); ok {
		return s.Components[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
	}
	return schema
}

// written is how far the log of events and what was done have come, but for what
// the audit log writes about itself.
func (d *desk) written() string {
	d.Helper()
	count := func(action string) int64 {
		q := port.AuditQuery{Outcome: string(port.AuditDone), Action: action, Limit: 1}
		entries, err := d.parts.App.Audit.Entries(d.Context(), app.LocalAdmin, q)
		if err != nil {
			d.Fatal(err)
		}
		return entries.Total
	}
	head, err := d.parts.Store.Head(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	own := func() int64 { return count(audit.ActionEvents) + count(audit.ActionKey) }
	for {
		before := own()
		if all := count(""); own() == before { // none came in between
			return fmt.Sprint(all-before, head)
		}
	}
}

// TestNothingChangesByAccident are the requests that did.
func TestNothingChangesByAccident(t *testing.T) {
	d := open(t, Options{})
	asked := d.asked("ask")
	d.post("/policy/emergency_stop", `{"on":true,"reason":"odd refunds"}`).want(200)
	for _, body := range []string{`{}`, `{"on":null}`, `{"reason":"x"}`, `{"on":"false"}`, `{"on":0}`} {
		d.post("/policy/emergency_stop", body).refused(422, "invalid")
	}
	if got := into[registry.Policy](d.get("/policy").want(200)); !got.Stop.On {
		t.Errorf("the stop is off: %+v", got.Stop)
	}
	for _, body := range []string{`{}`, `{"older_than":1.5}`, `{"older_than":0}`,
		`{"older_than":null}`, `{"older_than":""}`} {
		d.post("/approvals/expire", body).refused(422, "invalid")
	}
	for _, body := range []string{`{}`, `{"ids":[]}`, `{"ids":[],"workflow":"ask"}`, `{"reason":"x"}`} {
		d.post("/runs/cancel", body).refused(422, "invalid")
	}
	for _, version := range []string{"0", "-1", "null", "1.5", `"1"`} {
		d.post("/approvals/"+asked.ID+"/decisions", `{"act":"approve","version":`+version+`}`).refused(422, "invalid")
	}
	d.post("/approvals/batch", `{"ids":["`+asked.ID+`"],"act":"approve","versions":{"`+asked.ID+`":0}}`).refused(422,
		"invalid")
	if got := d.approval(asked.ID); got.Status != "pending" || len(got.Decisions) != 0 {
		t.Errorf("%+v", got)
	}
	for _, since := range []string{"2999-01-01T00:00:00Z", "367d", "9999d", "1999-01-01T00:00:00Z"} {
		d.get("/insights?since="+since).refused(422, "invalid")
	}
	d.get("/insights?since=365d").want(200)
	// What a body names and is not there answers as documented.
	d.post("/runs/cancel", `{"ids":["run_none"]}`).refused(404, "not_found")
	d.post("/policy/publish", `{"version":99}`).refused(404, "not_found")
}
