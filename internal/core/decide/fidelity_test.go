package decide_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// odd are values that a round trip through map[string]any would change.
var odd = []string{
	`9007199254740993`, `1E300`, `0.10`, `-0`, `-0.0`, `1e-7`, `123456789012345678901234567890.123456789`,
	`100000000000000000000`,
	`"\u0000"`, `"\u2028"`, "\"\u2028\"", `"<script>&amp;"`, `"\u003c"`, `"\/"`, `"/"`, `"日本語"`, `"🎉"`,
	`"\ud83c\udf89"`, `""`,
	`{"z":1,"a":2,"m":{"y":1,"b":[]}}`, `[]`, `{}`, `[[],{},"",null,true,false]`, `{"":{"":[{"":0}]}}`, `null`, `true`,
	`{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{"j":{"k":[[[[[1]]]]]}}}}}}}}}}}`,
}

// player drives one run manually.
type player struct {
	t   *testing.T
	s   *machine.State
	log []run.Event
	env decide.Env
}

func play(t *testing.T, workflow string) *player {
	return &player{t: t, s: machine.New("run_p", compile(t, workflow, walkAgents()...)), env: decide.Env{Now: t0}}
}

func (p *player) try(c run.Command) error {
	events, err := decide.Handle(p.s, p.env, c)
	for _, e := range events {
		p.s.Apply(e)
	}
	p.log = append(p.log, events...)
	return err
}

func (p *player) do(d run.Operation) {
	p.t.Helper()
	if err := p.try(run.Command{By: run.Actor{Kind: run.Person, Name: "ann"}, Do: d}); err != nil {
		p.t.Fatalf("%T: %v", d, err)
	}
}

// key is the key of an effect for a step, call or decision point.
func (p *player) key(step string) run.Key {
	p.t.Helper()
	for _, e := range p.s.Effects() {
		if _, wake := e.Do.(run.Wake); !wake && e.Key.Step == step {
			return e.Key
		}
	}
	p.t.Fatalf("nothing is owed to %s: %v", step, p.s.Effects())
	return run.Key{}
}

func (p *player) answer(step, output string) {
	p.t.Helper()
	p.do(run.Complete{Key: p.key(step), Result: run.Result{Output: json.RawMessage(output)}})
}

func TestValuesKeepTheirBytes(t *testing.T) {
	for _, v := range odd {
		t.Run(v, func(t *testing.T) {
			doc := fmt.Sprintf(`{"v":%s,"keep":{"b":1.0,"a":"x"}}`, v)
			p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x","with":{"got":"a.v","kept":"a.keep","in":"input.v","ctx":"context.v"}},{"id":"c","agent":"x","needs":["a"]}],
				"gates":[{"id":"g","at":"after a"},{"id":"e","at":"end"}],"output":{"from_a":"a.v","from_b":"b"}}`)
			p.do(run.Start{Input: json.RawMessage(doc)})
			p.answer("a", doc)
			// A person changes something else; the rest keeps its bytes.
			a := p.s.Pending()[0]
			c := decideAs("bob", nil, a, gate.Modify)
			d := c.Do.(run.Decide)
			d.Answer.Changes = json.RawMessage(`{"new":1}`)
			c.Do = d
			if err := p.try(c); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf(`{"got":%s,"kept":{"b":1.0,"a":"x"},"in":%s,"ctx":%s}`, v, v, v)
			if got := p.s.InputFor("b", -1); string(got) != want {
				t.Errorf("input of b:\n got %s\nwant %s", got, want)
			}
			want = fmt.Sprintf(`{"v":%s,"keep":{"b":1.0,"a":"x"},"new":1,"g":{"act":"modify","by":"bob"}}`, v)
			if got := p.s.InputFor("c", -1); string(got) != want {
				t.Errorf("input of c:\n got %s\nwant %s", got, want)
			}
			p.answer("c", v)
			p.answer("b", v)
			if err := p.try(decideAs("bob", nil, p.s.Pending()[0], gate.Approve)); err != nil {
				t.Fatal(err)
			}
			want = fmt.Sprintf(`{"from_a":%s,"from_b":%s}`, v, v)
			if string(p.s.Output) != want {
				t.Errorf("output:\n got %s\nwant %s", p.s.Output, want)
			}
			p.throughTheLog(want)
		})
	}
}

// throughTheLog writes the log, reads it back and folds it.
func (p *player) throughTheLog(output string) {
	p.t.Helper()
	wire, err := value.Marshal(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	var log []run.Event
	if err := json.Unmarshal(wire, &log); err != nil {
		p.t.Fatal(err)
	}
	again, err := value.Marshal(log)
	if err != nil || !bytes.Equal(wire, again) {
		p.t.Errorf("the log does not survive: %v\n%s\n%s", err, wire, again)
	}
	s := machine.Fold("run_p", p.s.Plan(), log)
	if string(s.Output) != output {
		p.t.Errorf("output after folding: %s", s.Output)
	}
	snapshot, err := s.Snapshot()
	if err != nil {
		p.t.Fatal(err)
	}
	if s, err = machine.Restore(snapshot, p.s.Plan()); err != nil || string(s.Output) != output {
		p.t.Errorf("output after restoring: %s, %v", s.Output, err)
	}
}

func TestWhitespaceIsNotContent(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}]}`)
	p.do(run.Start{Input: json.RawMessage(" { \"a\" : [ 1 , 2 ] } ")})
	p.answer("a", "{\n  \"v\": \" kept  inside \"\n}")
	if got := string(p.s.Output); got != `{"v":" kept  inside "}` {
		t.Error(got)
	}
	if got := string(p.s.Input); got != `{"a":[1,2]}` {
		t.Error(got)
	}
}

func TestLargeOutputsPass(t *testing.T) {
	big := `{"text":"` + strings.Repeat("é<", 3_000_000) + `"}`
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"},{"id":"b","agent":"x"}]}`)
	p.do(run.Start{})
	p.answer("a", big)
	if got := p.s.InputFor("b", -1); string(got) != big {
		t.Errorf("%d bytes became %d", len(big), len(got))
	}
	if len(p.s.Warnings) != 1 || p.s.Warnings[0].Code != "large_output" {
		t.Errorf("warnings: %v", p.s.Warnings)
	}
}
