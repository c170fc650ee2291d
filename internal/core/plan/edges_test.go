package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
)

// Whether a gate asks when a field is missing is set by the gate, or by the deployment.
func TestWhoAsksIfAFieldIsMissing(t *testing.T) {
	for _, c := range []struct {
		all, gate string
		want      bool
	}{
		{"", "", false}, {MissingAsks, "", true}, {MissingIgnored, "", false},
		{"", MissingAsks, true}, {MissingIgnored, MissingAsks, true}, {MissingAsks, MissingIgnored, false},
	} {
		if got := (&Definition{GatesIfMissing: c.all}).AsksIfMissing(&Gate{IfMissing: c.gate}); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// The number of sensitive fields is limited.
func TestSensitiveFieldsAtTheLimit(t *testing.T) {
	for n, refused := range map[int]bool{SensitiveMax: false, SensitiveMax + 1: true} {
		def, err := read("")
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			def.Workflow.Sensitive = append(def.Workflow.Sensitive, fmt.Sprint("f", i))
		}
		p, problems := Compile(def)
		if refused != (p == nil) || refused &&
			!strings.Contains(problems[0].Message, "1001 sensitive fields are too many: at most 1000") {
			t.Errorf("%d: %v", n, problems)
		}
	}
}

// A step's timeout is its own, or the maximum.
func TestPatience(t *testing.T) {
	def, err := read("")
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Compile(def)
	if p == nil {
		t.Fatal(problems)
	}
	if got := p.Nodes[0].Patience(); got != PatienceDefault {
		t.Error(got)
	}
	if p.Digest() != Digest(def) || p.Digest() == "" {
		t.Error(p.Digest())
	}
	one := quantity.Duration(time.Minute)
	def.Workflow.Steps[0].Timeout = &one
	again, problems := Compile(def)
	if again == nil || again.Nodes[0].Patience() != time.Minute || again.Digest() == p.Digest() {
		t.Error(problems)
	}
}
