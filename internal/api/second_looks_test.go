package api

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// secondLooks are the results suggested to a caller for review, read page by page.
func (d *desk) secondLooks(query string, headers ...string) (out []view.Approval) {
	d.Helper()
	for cursor := ""; ; {
		a := d.get("/approvals?review=suggested&limit=1&"+query+"&cursor="+cursor, headers...).want(200)
		page := into[view.List[view.Approval]](a)
		out = append(out, page.Items...)
		if cursor = page.Next; cursor == "" {
			if page.Total != int64(len(out)) && !strings.HasPrefix(query, "q=") { // a search counts its page
				d.Errorf("%d of %d are listed", len(out), page.Total)
			}
			return out
		}
	}
}

// TestSecondLooks: results that went on and deserve a second look are listed for
// those who see their runs, within the borders of the band, and the last result of
// a step counts.
func TestSecondLooks(t *testing.T) {
	d := office(t, Options{})
	password, roles := "amber willow ninety sand", []string{"elsewhere"}
	otto := port.PutAccount{Name: "otto", Password: &password, Roles: &roles}
	if _, _, err := d.parts.Auth.PutAccount(t.Context(), otto); err != nil {
		t.Fatal(err)
	}
	documents := "role: elsewhere\npermissions: [view]\nworkflows: [sure_0_89]\n"
	band := map[string]string{"0.6999": "waiting", "0.7": "completed", "0.89": "completed", "0.9": "completed"}
	for confidence := range band {
		name := "sure_" + strings.ReplaceAll(confidence, ".", "_")
		answers := "[{ output: { text: hidden-words }, confidence: " + confidence + " }]"
		documents += fmt.Sprintf("---\nagent: %s\nkind: scripted\nanswers: %s\n", name, answers) +
			fmt.Sprintf("---\nworkflow: %[1]s\nsteps: [{ id: guess, agent: %[1]s }]\n", name)
	}
	documents += `---
agent: learns
kind: scripted
answers: [{ output: { text: a }, confidence: 0.8 }, { output: { text: b }, confidence: 0.95 }]
---
workflow: learned
steps: [{ id: guess, agent: learns }]
gates: [{ id: check, at: after guess, role: approver, acts: [approve, reject, request_revision] }]
`
	file := filepath.Join(t.TempDir(), "documents.yaml")
	if err := os.WriteFile(file, []byte(documents), 0o600); err != nil {
		t.Fatal(err)
	}
	if loaded, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil || len(loaded.Problems) > 0 {
		t.Fatal(loaded.Problems, err)
	}
	ann, elsewhere := d.signIn("ann", annPassword), d.signIn("otto", password)
	runs := map[string]string{}
	for confidence, status := range band {
		workflow := "sure_" + strings.ReplaceAll(confidence, ".", "_")
		runs[confidence] = into[view.Run](d.post("/runs", `{"workflow":"`+workflow+`"}`, ann...).want(201)).ID
		d.until(runs[confidence], status, ann...)
	}
	test := into[view.Run](d.post("/runs", `{"workflow":"sure_0_7","test_mode":true}`, ann...).want(201)).ID
	d.until(test, "completed", ann...)
	end := fmt.Sprintf(`{"at_seq":%d}`, d.until(runs["0.7"], "completed", ann...).Seq-1)
	fork := into[view.Run](d.post("/runs/"+runs["0.7"]+"/fork", end, ann...).want(201)).ID
	d.until(fork, "completed", ann...)

	want := func(what string, got []view.Approval, confidences ...string) {
		t.Helper()
		var said []string
		for _, v := range got {
			confidence := fmt.Sprint(*v.Confidence)
			said = append(said, confidence)
			if v.Run != runs[confidence] || v.Step != "guess" || v.Agent != v.Workflow || v.Reason != gate.ReasonSuggested ||
				len(v.Acts) > 0 {
				t.Errorf("%s: %+v", what, v)
			}
		}
		if slices.Sort(said); !slices.Equal(said, confidences) {
			t.Errorf("%s: %v, want %v", what, said, confidences)
		}
	}
	want("the administrator", d.secondLooks("", ann...), "0.7", "0.89")
	want("who sees one workflow", d.secondLooks("", elsewhere...), "0.89")
	want("who sees another workflow", d.secondLooks("workflow=sure_0_7", elsewhere...))
	want("of an agent", d.secondLooks("agent=sure_0_7", ann...), "0.7")
	want("of a run", d.secondLooks("run="+runs["0.89"], ann...), "0.89")
	want("with a word", d.secondLooks("q=sure_0_89", ann...), "0.89")
	if body := string(d.get("/approvals?review=suggested", ann...).body); strings.Contains(body, "hidden-words") {
		t.Errorf("it tells the result: %s", body)
	}

	id := into[view.Run](d.post("/runs", `{"workflow":"learned"}`, ann...).want(201)).ID
	first := d.untilPending(id, "", ann)
	if got := d.secondLooks("run="+id, ann...); len(got) != 1 || *got[0].Confidence != 0.8 {
		t.Errorf("before the revision: %+v", got)
	}
	d.decide(first, `{"act":"request_revision","version":1,"comment":"once more"}`, ann)
	d.untilPending(id, first, ann)
	want("after the revision", d.secondLooks("run="+id, ann...))

	for _, query := range []string{"all", "", "suggested&status=pending", "suggested&mine=true", "suggested&sort=age",
		"suggested&cursor=x"} {
		d.get("/approvals?review="+query, ann...).refused(422, "invalid")
	}
}
