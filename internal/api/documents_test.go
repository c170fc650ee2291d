package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/view"
)

const yamlFlow = `workflow: hello
description: Says hello   # and nothing else
steps:
  - { id: greet, agent: writer }
`

func TestWorkflows(t *testing.T) {
	d := open(t, Options{})
	yaml := []string{"Content-Type", "application/yaml"}
	put := func(query, body string, status int, headers ...string) registry.Document {
		t.Helper()
		return into[registry.Document](d.send("PUT", base+"/workflows/hello"+query, body, headers...).want(status))
	}
	if v := put("", yamlFlow, 201, yaml...); v.Version != 1 || v.Published || !strings.HasPrefix(v.ID, "wfv_") {
		t.Errorf("%+v", v)
	}
	d.get("/workflows/hello").refused(404, "not_found") // a draft is not in force
	d.get("/workflows/hello/versions/1").want(200)
	if v := put("", yamlFlow, 200, "Content-Type", "text/yaml; charset=utf-8"); v.Version != 1 {
		t.Errorf("%+v", v)
	}
	if v := put("?publish=true", yamlFlow, 200, "Content-Type", "application/x-yaml"); v.Version != 1 || !v.Published {
		t.Errorf("%+v", v)
	}
	if v := put("?publish=true", `{"workflow":"hello","steps":[{"id":"greet","agent":"writer"},{"id":"again","agent":"writer"}]}`, 201); v.Version != 2 || !v.Published {
		t.Errorf("%+v", v)
	}
	back := into[registry.Document](d.post("/workflows/hello/publish", `{"version":1}`).want(200))
	if back.Version != 1 || !back.Published {
		t.Errorf("%+v", back)
	}
	d.post("/workflows/hello/publish", `{"version":9}`).refused(404, "not_found")
	d.post("/workflows/hello/publish", `{}`).refused(422, "invalid")
	versions := into[view.List[registry.Revision]](d.get("/workflows/hello/versions").want(200))
	if versions.Total != 2 || versions.Items[0].Version != 2 || versions.Items[0].Published ||
		!versions.Items[1].Published {
		t.Errorf("%+v", versions)
	}

	shown := d.get("/workflows/hello").want(200)
	tag := shown.header.Get("ETag")
	d.get("/workflows/hello", "If-None-Match", tag).want(304)
	file := d.get("/workflows/hello", "Accept", "application/yaml", "If-None-Match", tag).want(200)
	if file.header.Get("Content-Type") != "application/yaml" ||
		!strings.HasPrefix(string(file.body), "workflow: hello\n") {
		t.Errorf("%s: %s", file.header, file.body)
	}
	if v := put("", string(file.body), 201, yaml...); v.Version != 3 { // the newest is another one
		t.Errorf("%+v", v)
	}
	d.get("/workflows/hello", "Accept", "application/json, application/yaml;q=0.5").want(200)
}

func TestDocumentsListAllThatIsWrong(t *testing.T) {
	d := open(t, Options{})
	bad := "workflow: hello\nstepz: []\nsteps:\n  - { id: greet, agent: nobody }\n  - { id: greet, agent: writer }\n"
	p := d.send("PUT", base+"/workflows/hello", bad, "Content-Type", "application/yaml").refused(422, "invalid")
	if len(p.Errors) < 2 || p.Errors[0].Line != 2 || p.Errors[0].Column == 0 ||
		!strings.Contains(p.Errors[0].Message, "steps") {
		t.Errorf("%+v", p.Errors)
	}
	v := into[registry.Validation](d.post("/workflows/validate", bad, "Content-Type", "application/yaml").want(200))
	if v.Valid || len(v.Problems) < 2 || v.Problems[0].Line != 2 {
		t.Errorf("%+v", v)
	}
	if v := into[registry.Validation](d.post("/workflows/validate", `{"workflow":`).want(200)); v.Valid ||
		len(v.Problems) == 0 {
		t.Errorf("%+v", v)
	}
	if v := into[registry.Validation](d.post("/workflows/validate", yamlFlow, "Content-Type",
		"application/yaml").want(200)); !v.Valid || v.Problems == nil {
		t.Errorf("%+v", v)
	}
	d.send("PUT", base+"/workflows/hello", `{"workflow":`).refused(400, "invalid")
	d.send("PUT", base+"/workflows/other", yamlFlow, "Content-Type", "application/yaml").refused(422, "invalid")
	d.send("PUT", base+"/workflows/hello", "agent: x\nkind: scripted\n", "Content-Type",
		"application/yaml").refused(422, "invalid")
	d.send("PUT", base+"/workflows/hello", `{"workflow":"hello","workflow":"x","steps":[{"id":"a","agent":"writer"}]}`).refused(422, "invalid")
}

func TestWorkflowPreview(t *testing.T) {
	d := open(t, Options{})
	v := into[preview.Preview](d.post("/workflows/ask/preview", `{"input":{"a":1}}`).want(200))
	if len(v.Steps) != 1 || len(v.Gates) != 1 || v.Gates[0].Gate != "review" {
		t.Errorf("%+v", v)
	}
	into[preview.Preview](d.post("/workflows/ask/preview", "").want(200))
	if runs := into[view.List[view.RunSummary]](d.get("/runs").want(200)); runs.Total != 0 {
		t.Errorf("%+v", runs)
	}
	d.post("/workflows/nope/preview", `{}`).refused(404, "not_found")
	d.post("/workflows/plain/preview", `{"input":{"n":"x"}}`).refused(422, "invalid")
}

func TestAgentsAndTools(t *testing.T) {
	d := open(t, Options{})
	if v := into[view.List[registry.Document]](d.get("/agents").want(200)); v.Total != 4 || v.Items[0].Name != "flaky" {
		t.Errorf("%+v", v)
	}
	// Pages of a list that is there as a whole.
	var seen []string
	for cursor, more := "", true; more; more = cursor != "" {
		v := into[view.List[registry.Document]](d.get("/agents?limit=3&cursor=" + cursor).want(200))
		for _, item := range v.Items {
			seen = append(seen, item.Name)
		}
		cursor = v.Next
	}
	if strings.Join(seen, " ") != "flaky printer secretive writer" {
		t.Errorf("%v", seen)
	}
	shown := d.get("/agents/secretive").want(200)
	if strings.Contains(string(shown.body), "written-out-secret") || !strings.Contains(string(shown.body), "***") {
		t.Errorf("%s", shown.body)
	}
	v := into[registry.Document](d.send("PUT", base+"/agents/greeter",
		`{"agent":"greeter","kind":"scripted","answers":[{"output":1}]}`).want(201))
	if !v.Published {
		t.Errorf("%+v", v)
	}
	d.get("/agents/greeter").want(200)
	d.get("/agents/greeter/versions").want(200)
	d.get("/agents/greeter/versions/1").want(200)
	found := into[suggest.ToolList](d.get("/tools?q=customer+look&limit=1").want(200))
	if len(found.Items) != 1 || found.Items[0].Name != "crm_lookup" || found.Items[0].Source != port.SourceHTTP ||
		found.Items[0].Score == nil || len(found.Items[0].Why) == 0 || found.Items[0].Version != 1 ||
		found.Items[0].Definition == nil || found.Items[0].YAML == "" {
		t.Errorf("%+v", found)
	}
	if v := into[suggest.ToolList](d.get("/tools?q=zymurgy").want(200)); v.Total != 0 || v.Items == nil {
		t.Errorf("%+v", v)
	}
	// Without a request, everything is listed by name, page by page.
	seen = nil
	for cursor, more := "", true; more; more = cursor != "" {
		v := into[suggest.ToolList](d.get("/tools?limit=5&cursor=" + cursor).want(200))
		for _, item := range v.Items {
			seen = append(seen, item.Name)
			if item.Score != nil || item.Why != nil {
				t.Errorf("%+v", item)
			}
		}
		cursor = v.Next
	}
	if !slices.IsSorted(seen) || !slices.Contains(seen, "agent:greeter") || !slices.Contains(seen, "web_fetch") ||
		!slices.Contains(seen, "crm_lookup") {
		t.Errorf("%v", seen)
	}
}

// A policy that another person has published is never overwritten silently.
func TestPolicyIfMatch(t *testing.T) {
	d := open(t, Options{})
	body := func(name string) string {
		return `{"policy":"default","rules":[{"name":"` + name + `","priority":1,"trigger":{},"action":{"role":"finance"}}]}`
	}
	put := func(query, name, tag string) answer {
		t.Helper()
		return d.send("PUT", base+"/policy"+query, body(name), "If-Match", tag)
	}
	tag := func(headers ...string) string {
		t.Helper()
		return d.get("/policy", headers...).want(200).header.Get("ETag")
	}
	seen := tag()
	put("", "ann's", seen).want(201)
	p := put("", "bob's", seen).refused(412, "version_mismatch")
	if !strings.Contains(p.Detail, "took effect in the meantime") || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	put("?draft=true", "bob's", seen).refused(412, "version_mismatch")
	put("", "ann's", seen).want(200) // what a retry after a lost response sends
	before := into[view.List[registry.Revision]](d.get("/policy/versions").want(200))
	if rules := into[registry.Policy](d.get("/policy").want(200)).Rules; len(rules) != 1 || rules[0].Name != "ann's" {
		t.Errorf("%+v", rules)
	}
	// The emergency stop changes the response, not the rules.
	seen = tag("Accept", "application/yaml")
	json := tag()
	d.post("/policy/emergency_stop", `{"on":true,"reason":"odd"}`).want(200)
	if json == tag() {
		t.Error("the tag does not depend on the emergency stop")
	}
	put("", "bob's", json).want(201)
	put("", "cid's", seen).refused(412, "version_mismatch")
	first := before.Items[len(before.Items)-1].Version
	publish := `{"version":` + strconv.Itoa(first) + `}`
	d.post("/policy/publish", publish, "If-Match", seen).refused(412, "version_mismatch")
	d.post("/policy/publish", publish, "If-Match", tag()).want(200)
	d.send("PUT", base+"/policy", body("dee's")).want(201) // without the header, as before
	for _, wrong := range []string{"*", `"x"`, `W/"-1.x"`, `""`} {
		put("", "eve's", wrong).refused(422, "invalid")
		d.post("/policy/publish", publish, "If-Match", wrong).refused(422, "invalid")
	}
}

// Nor is any other document that a page edits.
func TestDocumentsIfMatch(t *testing.T) {
	d := open(t, Options{})
	for path, body := range map[string]string{
		"/workflows/%s?publish=true": `{"workflow":"%s","description":"%s","steps":[{"id":"greet","agent":"writer"}]}`,
		"/agents/%s":                 `{"agent":"%s","description":"%s","kind":"scripted","answers":[{"output":1}]}`,
		"/schedules/%s":              `{"schedule":"%s","description":"%s","cron":"0 9 * * *","workflow":"ask"}`,
		"/triggers/%s":               `{"trigger":"%s","description":"%s","workflow":"ask","verify":"none"}`,
		"/roles/%s":                  `{"role":"%s","description":"%s","permissions":["view"]}`,
	} {
		t.Run(path, func(t *testing.T) {
			at := base + strings.Replace(path, "%s", "matched", 1)
			put := func(description, tag string) answer {
				t.Helper()
				return d.send("PUT", at, fmt.Sprintf(body, "matched", description), "If-Match", tag)
			}
			put("ann's", `"1"`).refused(412, "version_mismatch") // there is none
			put("ann's", `"0"`).want(201)
			put("bob's", `"0"`).refused(412, "version_mismatch")
			seen := `"1"`
			if show := strings.TrimSuffix(strings.Replace(path, "%s", "matched", 1), "?publish=true"); path != "/roles/%s" {
				for _, form := range []string{"application/json", "application/yaml"} {
					seen = d.get(show, "Accept", form).want(200).header.Get("ETag")
					if !strings.HasPrefix(seen, `W/"1.`) {
						t.Errorf("%s has the tag %s", form, seen)
					}
				}
			}
			put("ann's second", seen).want(201)
			p := put("bob's", seen).refused(412, "version_mismatch")
			if !strings.Contains(p.Detail, "version 2 by ") || p.Hint == "" {
				t.Errorf("%+v", p)
			}
			put("ann's second", seen).want(200) // what a retry after a lost response sends
			put("bob's", `W/"2.x"`).want(201)
			d.send("PUT", at, fmt.Sprintf(body, "matched", "cid's")).want(201) // without the header, as before
			for _, wrong := range []string{"*", `"x"`, `W/"-1.x"`, `""`} {
				put("dee's", wrong).refused(422, "invalid")
			}
		})
	}
	for _, r := range into[view.List[contract.RoleView]](d.get("/roles").want(200)).Items {
		if r.Name == "matched" && (r.Version != 4 || r.By == "") || r.BuiltIn && (r.Version != 0 || r.By != "") {
			t.Errorf("%+v", r)
		}
	}
	seen := d.get("/workflows/matched").want(200).header.Get("ETag")
	d.post("/workflows/matched/publish", `{"version":1}`, "If-Match", `"3"`).refused(412, "version_mismatch")
	d.post("/workflows/matched/publish", `{"version":1}`, "If-Match", "*").refused(422, "invalid")
	d.post("/workflows/matched/publish", `{"version":1}`, "If-Match", seen).want(200)
}

func TestPolicy(t *testing.T) {
	d := open(t, Options{})
	shown := into[registry.Policy](d.get("/policy").want(200))
	if len(shown.Rules) != 1 || shown.Rules[0].Name != "Refunds" || !strings.HasPrefix(shown.Hash, "pol_") {
		t.Errorf("%+v", shown)
	}
	d.send("PUT", base+"/policy", `{"policy":"default","rules":[]}`).want(201)
	d.send("PUT", base+"/policy", `{"policy":"default","rules":[]}`).want(200)
	if v := into[view.List[registry.Revision]](d.get("/policy/versions").want(200)); v.Total != 2 {
		t.Errorf("%+v", v)
	}
	file := d.get("/policy/versions/1", "Accept", "text/yaml").want(200)
	if !strings.HasPrefix(string(file.body), "policy: default\n") {
		t.Errorf("%s", file.body)
	}
	if v := into[registry.Validation](d.post("/policy/validate",
		`{"policy":"default","rules":[{"name":"x","trigger":{"risk_level":["huge"]}}]}`).want(200)); v.Valid {
		t.Errorf("%+v", v)
	}
	d.send("PUT", base+"/policy", `{"policy":"default","rulez":[]}`).refused(422, "invalid")
}
