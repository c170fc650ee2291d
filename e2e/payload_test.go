package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// everything is JSON of every type, in notations that parsers like to change.
const everything = `"zero":0,"minus":-0,"big":123456789012345678901234567890,"exact":0.10,"exp":1E300,"small":-2.5e-7,"t":true,"f":false,"n":null,"":"empty key",` +
	`"text":"<b>&amp;</b> \u00e9 é \ud83d\ude00 😀 \/ / \" \\ \b\f\n\r\t","list":[[],{},[1,[2,[3]]],"",null],"nested":{"a":{"b":{"c":[{"d":1e2}]}}},"same":1`

// payload is an output of about ten megabytes.
func payload() []byte {
	var b bytes.Buffer
	b.WriteString("{" + everything + `,"rows":[`)
	for i := 0; b.Len() < 9<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"i":%d,"v":%d.%02d,"s":"row %d <é>","x":[null,true,false,-%d]}`, i, i*7, i%100, i, i)
	}
	b.WriteString(`],"long":"` + strings.Repeat("é<", 200_000) + `"}`)
	return b.Bytes()
}

// Ten megabytes pass through two steps and a crash, byte for byte.
func TestLargeOutputsKeepEveryByte(t *testing.T) {
	t.Parallel()
	want := payload()
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var work struct {
			Step  string
			Input struct{ Data json.RawMessage }
		}
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(raw, &work)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out := want
		if work.Step == "b" {
			out = work.Input.Data
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(append(append([]byte(`{"output":`), out...), '}'))
	}))
	defer agent.Close()
	s := serve(t)
	s.define("agent: big\nkind: http\nurl: " + agent.URL + "\n---\n" + `workflow: big
steps:
  - { id: a, agent: big }
  - { id: b, agent: big, with: { data: a } }
gates: [{ id: look, at: before b, title: Look }]
`)
	id := s.run("big", nil)
	a := s.pending(id)
	s.kill()
	s.start()
	if short := s.call("GET", "/runs/"+id, nil).want(200); len(short.body) > 1<<20 ||
		!bytes.Contains(short.body, []byte(`"$blob"`)) {
		t.Errorf("the short answer has %d bytes", len(short.body))
	}
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`).want(200)
	s.settles(id, "completed")
	s.kill()
	s.start()
	r := s.call("GET", "/runs/"+id+"?full=true", nil).want(200)
	for _, name := range []string{`"output":`} {
		if !bytes.Contains(r.body, append([]byte(name), want...)) {
			t.Errorf("%s differs", name)
		}
	}
	var run struct {
		Output json.RawMessage
		Steps  []struct{ Output json.RawMessage }
	}
	if err := json.Unmarshal(r.body, &run); err != nil {
		t.Fatal(err)
	}
	for i, got := range []json.RawMessage{run.Output, run.Steps[0].Output, run.Steps[1].Output} {
		if !bytes.Equal(got, want) {
			t.Errorf("output %d has %d bytes, not %d, or others", i, len(got), len(want))
		}
	}
}
