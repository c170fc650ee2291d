package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/view"
	"github.com/assent-run/assent/internal/workbench"
)

func TestWorkingCopies(t *testing.T) {
	d := open(t, Options{})
	const at = "/workflows/hello/working_copy"
	put := func(revision, text string) answer {
		return d.send("PUT", base+at, `{"yaml":`+text+`,"base":0,"layout":{"greet":{"x":12.5,"y":-3}},`+
			`"samples":[{"name":"short","input":{"name":"Iben"}}],"revision":`+revision+`}`)
	}
	d.get(at).want(404)
	first := into[workbench.Saved](put("0", `"workflow: hello # not yet: [valid"`).want(200))
	put("0", `"mine"`).want(409)
	put("1", `"mine"`).want(409)
	v := into[workbench.WorkingCopy](d.get(at).want(200))
	if v.YAML != "workflow: hello # not yet: [valid" || v.Revision != first.Revision || v.Layout["greet"].X != 12.5 ||
		len(v.Samples) != 1 || string(v.Samples[0].Input) != `{"name":"Iben"}` || v.By == "" {
		t.Errorf("%+v", v)
	}
	text := strconv.FormatInt(first.Revision, 10)
	second := into[workbench.Saved](put(text, `"workflow: hello"`).want(200))
	if second.Revision <= first.Revision {
		t.Errorf("%d after %d", second.Revision, first.Revision)
	}
	if all := into[view.List[workbench.WorkingCopy]](d.get("/working_copies").want(200)); all.Total != 1 ||
		all.Items[0].Name != "hello" {
		t.Errorf("%+v", all)
	}
	for name, want := range map[string]int64{"hello": 1, "other": 0} {
		some := into[view.List[workbench.WorkingCopy]](d.get("/working_copies?name=" + name).want(200))
		if some.Total != want {
			t.Errorf("%s: %+v", name, some)
		}
	}
	// A working copy is neither a version nor in force.
	d.get("/workflows/hello").want(404)
	d.send("DELETE", base+at+"?revision="+text, "").want(409)
	d.send("DELETE", base+at, "").want(409)
	// The revision may also come from the ETag.
	tag := d.get(at).want(200).header.Get("ETag")
	d.send("DELETE", base+at, "", "If-Match", `"`+text+`"`).want(409)
	d.send("DELETE", base+at, "", "If-Match", "*").want(422)
	d.send("DELETE", base+at+"?revision="+text, "", "If-Match", tag).want(422)
	d.send("DELETE", base+at, "", "If-Match", tag).want(200)
	d.get(at).want(404)
	// Who discarded which state of it, and who had changed it last, is in the audit log.
	log := into[view.List[port.AuditEntry]](d.get("/audit?action=working_copy.deleted&outcome=done").want(200))
	if log.Total != 1 || log.Items[0].Actor.Name != v.By || log.Items[0].Target != "workflow/hello" ||
		string(log.Items[0].Detail) != fmt.Sprintf(`{"changed_by":%q,"revision":%d}`, v.By, second.Revision) {
		t.Errorf("%+v", log)
	}

	for path, bad := range map[string]string{
		"name":       `{"yaml":"","base":0,"layout":{},"samples":[],"revision":0}`,
		"yaml":       `{"yaml":"a\u0000b","base":0,"layout":{},"samples":[],"revision":0}`,
		"layout":     `{"yaml":"","base":0,"layout":{"a":{"x":1e9,"y":0}},"samples":[],"revision":0}`,
		"samples[0]": `{"yaml":"","base":0,"layout":{},"samples":[{"name":"","input":1}],"revision":0}`,
		"base":       `{"yaml":"","base":-1,"layout":{},"samples":[],"revision":0}`,
	} {
		to := at
		if path == "name" {
			to = "/workflows/Hello%20World/working_copy"
		}
		if got := d.send("PUT", base+to, bad).want(422); !strings.Contains(string(got.body), `"`+path+`"`) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}

func TestPreviewOfAText(t *testing.T) {
	d := open(t, Options{})
	v := into[preview.Preview](d.post("/workflows/fresh/preview",
		`{"yaml":"workflow: fresh\nsteps: [{ id: a, agent: writer, with: { name: input.who } }]\n","input":{"who":"Iben"}}`).
		want(200))
	if len(v.Steps) != 1 || string(v.Steps[0].Input) != `{"name":"Iben"}` || v.Error != nil {
		t.Errorf("%+v", v)
	}
	d.post("/workflows/fresh/preview", `{"yaml":"workflow: fresh\nsteps: [{ id: a, agent: nobody }]\n"}`).want(422)
	d.get("/workflows/fresh").want(404) // nothing was saved
}

// A preview shows whom each approval asks, also those of the workflows that its steps run.
func TestPreviewOfApprovals(t *testing.T) {
	d := open(t, Options{})
	d.send("PUT", base+"/workflows/hello?publish=true", `workflow: hello
steps: [{ id: greet, agent: writer }]
gates:
  - id: review
    at: after greet
    title: Send it
    assignees: [ann, "role:legal"]
    quorum: 2
    timeout: { after: 4h, then: reject }
output: { said: greet }
`, "Content-Type", "application/yaml").want(201)
	text, _ := json.Marshal(`workflow: fresh
steps:
  - { id: each, workflow: hello, each: input.names }
  - { id: twice, workflow: hello, with: { name: input.names }, sample: { said: Hi } }
gates: [{ id: sums, at: before each, roles: { controller: 2, cfo: 1 } }]
`)
	v := into[preview.Preview](d.post("/workflows/fresh/preview",
		`{"yaml":`+string(text)+`,"input":{"names":["Iben","Bo"]}}`).want(200))
	asked := preview.Gate{Gate: "review", Step: "each", Kind: gate.KindApproval, Title: "Send it",
		Assignees: []string{"ann", "role:legal"}, Roles: map[string]int{}, Quorum: 2, DeadlineS: 4 * 3600}
	if len(v.Gates) != 3 || !maps.Equal(v.Gates[0].Roles, map[string]int{"controller": 2, "cfo": 1}) ||
		!reflect.DeepEqual(v.Gates[1:], []preview.Gate{asked, asked}) || v.Error != nil {
		t.Errorf("%+v", v)
	}
	if len(v.Steps) != 2 || !strings.Contains(string(v.Steps[0].Output), `"said"`) ||
		string(v.Steps[1].Output) != `{"said":"Hi"}` {
		t.Errorf("%+v", v.Steps)
	}
}

func TestTemplates(t *testing.T) {
	d := open(t, Options{})
	all := into[view.List[workbench.Template]](d.get("/templates?limit=100").want(200))
	if all.Total < 10 {
		t.Fatalf("%d templates", all.Total)
	}
	publishing := map[definition.Kind]string{definition.KindWorkflow: "?publish=true"}
	for _, one := range all.Items {
		if one.Title == "" || one.Summary == "" || !strings.Contains(one.YAML, "workflow: "+one.Name+"\n") ||
			len(one.Uses) == 0 || len(one.Input) == 0 {
			t.Errorf("%s: %+v", one.Name, one)
		}
		for _, use := range one.Uses {
			saved := d.send("PUT", base+"/"+string(use.Kind)+"s/"+use.Name+publishing[use.Kind], use.YAML,
				"Content-Type", "application/yaml")
			if saved.status != 200 && saved.status != 201 {
				t.Errorf("%s: %s", use.Name, saved.body)
			}
		}
		check := d.send("POST", base+"/workflows/validate", one.YAML, "Content-Type", "application/yaml").want(200)
		if !strings.Contains(string(check.body), `"valid":true`) {
			t.Errorf("%s: %s", one.Name, check.body)
		}
	}
}
