package api

import (
	"strings"
	"testing"
)

// Every operation that lists or exports waits for its turn, and all that do exist.
func TestWhatIsSlow(t *testing.T) {
	known := map[string]bool{}
	for _, op := range operations() {
		known[op.id] = true
		list := strings.HasPrefix(op.id, "list") || strings.HasPrefix(op.id, "export")
		if list && !slow[op.id] {
			t.Errorf("%s looks at many things and has no lane", op.id)
		}
		if op.id == "decide" && slow[op.id] {
			t.Error("decisions wait for nobody")
		}
	}
	for id := range slow {
		if !known[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
}
