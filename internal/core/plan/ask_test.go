package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAsk: the default approvers must be able to decide.
func TestAsk(t *testing.T) {
	for ask, wrong := range map[string]string{
		`{"role":"finance"}`: "", `{"people":["ann","role:boss"]}`: "", `{"people":["ann","bob"],"quorum":2}`: "",
		`{"people":["ann","role:boss"],"quorum":3}`: "", `{"role":"finance","quorum":9}`: "", `{"quorum":2}`: "",
		`{"timeout":{"after":"1ms","then":"reject"}}`: "", `{"timeout":{"after":"1h","then":"pause"}}`: "",
		fmt.Sprintf(`{"quorum":%d}`, QuorumMax):   "",
		fmt.Sprintf(`{"quorum":%d}`, QuorumMax+1): "ask.quorum", `{"quorum":-1}`: "ask.quorum",
		`{"people":["ann","bob"],"quorum":3}`: "ask.quorum", `{"people":["ann"],"quorum":2}`: "ask.quorum",
		`{"role":"finance","people":["ann"]}`: "ask.people", `{"role":"a b"}`: "ask.role",
		`{"people":["ann",""]}`: "ask.people[1]",
		`{"people":["role:"]}`:  "ask.people[0]", `{"people":["a:b"]}`: "ask.people[0]",
		`{"timeout":{"after":"0s","then":"reject"}}`:  "ask.timeout.after",
		`{"timeout":{"after":"1h","then":"approve"}}`: "ask.timeout.then",
	} {
		def, err := read("steps: [{\"id\": \"a\", \"agent\": \"plain\"}]\nask: " + ask)
		if err != nil {
			t.Fatalf("%s: %v", ask, err)
		}
		p, problems := Compile(def)
		var paths []string
		for _, found := range problems {
			paths = append(paths, found.Path)
		}
		if (p != nil) != (wrong == "") || wrong != "" && strings.Join(paths, " ") != wrong {
			t.Errorf("%s: %v", ask, problems)
		}
	}
}

func TestSubjects(t *testing.T) {
	for _, c := range []struct{ template, input, want string }{
		{`"Refund {amount} to {customer.name}"`, `{"amount":5,"customer":{"name":"zoe"}}`, "Refund 5 to zoe"},
		{`"Refund {input.amount}"`, `{"amount":5}`, "Refund 5"},
		{`"Refund {input.amount}"`, `{"input":{"amount":6},"amount":5}`, "Refund 6"},
		{`"Refund {amount}"`, `[5]`, ""},
		{`"Refund {amount}"`, ``, ""},
	} {
		p := mustCompile(t, "steps: [{\"id\": \"a\", \"agent\": \"plain\"}]\nsubject: "+c.template)
		if got := p.Subject(json.RawMessage(c.input)); got != c.want {
			t.Errorf("%s of %s: %q", c.template, c.input, got)
		}
	}
	if p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}]`); p.Subject(json.RawMessage(`{"amount":5}`)) == "" {
		t.Error("nothing is guessed")
	}
}

func TestSubjectsOfSteps(t *testing.T) {
	for source, warned := range map[string]bool{
		`subject: "Invoice {a.number}"`: true,
		`subject: "Invoice {b.number}"`: false,
		"subject: \"Invoice {a.number}\"\ninput: {\"type\": \"object\", \"properties\": {\"a\": " +
			"{\"type\": \"object\"}}}": false,
	} {
		def, err := read("steps: [{\"id\": \"a\", \"agent\": \"plain\"}]\n" + source)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := Compile(def)
		if got := len(problems) == 1 && problems[0].Warning && problems[0].Path == "subject"; got != warned {
			t.Errorf("%s: %v", source, problems)
		}
	}
}
