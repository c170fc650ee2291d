package api

import (
	"strings"
	"testing"
)

// Every operation that lists or exports waits for its turn, and all that do exist.
func TestWhatIsSlow(t *testing.T) {
	known := map[string]bool{}
	for _, op := range operations() {
		known[op.ID] = true
		list := strings.HasPrefix(op.ID, "list") || strings.HasPrefix(op.ID, "export")
		if list && !slow[op.ID] {
			t.Errorf("%s looks at many things and has no lane", op.ID)
		}
		if op.ID == "decide" && slow[op.ID] {
			t.Error("decisions wait for nobody")
		}
	}
	for id := range slow {
		if !known[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
}
