package definition

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestTexts: documents keep the text they were written as, unless they may contain a secret.
func TestTexts(t *testing.T) {
	const flow = "# why\nworkflow: a\nsteps: [{ id: x, agent: b }]\n"
	set, problems := Parse("a.yaml", []byte(flow+"---\n# sk-1\nagent: b\nkind: http\nurl: http://localhost\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	doc := set.Workflows["a"]
	if format, body := Sent(doc); format != YAML || string(body) != flow || doc.Where().Text() != flow {
		t.Errorf("%q", body)
	}
	if agent := set.Agents["b"]; agent.Where().Text() != "" {
		t.Errorf("an agent keeps %q", agent.Where().Text())
	} else if format, body := Sent(agent); format != JSON || strings.Contains(string(body), "sk-1") {
		t.Errorf("%q", body)
	}
	if printed := fmt.Sprintf("%+v %#v", *doc, doc.Place); strings.Contains(printed, "# why") {
		t.Errorf("printed: %s", printed)
	}
	for text, want := range map[string]bool{
		flow: true, "workflow: a\nsteps:\n  - agent: b\n    id: x\n": true, "": false, "workflow: [": false,
		"workflow: a\nsteps: [{ id: y, agent: b }]": false, flow + "---\n" + flow: false,
	} {
		if SameText(doc, []byte(text)) != want {
			t.Errorf("%q says the same: %v", text, !want)
		}
	}
	// A text that refers to a file does not say the same by itself.
	set, problems = Load(fstest.MapFS{
		"a.yaml":  {Data: []byte("workflow: a\ninput: { $ref: in.json }\nsteps: [{ id: x, agent: b }]\n")},
		"in.json": {Data: []byte(`{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}`)},
	}, ".")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if format, _ := Sent(set.Workflows["a"]); format != JSON {
		t.Error("a text with a reference is sent by itself")
	}
}
