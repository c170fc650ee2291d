package api

import (
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
)

// TestEachOperationHasOneHandler: an id without a handler would panic when it is
// requested, and a handler without an operation would never be called.
func TestEachOperationHasOneHandler(t *testing.T) {
	handled := map[string]int{}
	for _, part := range allHandlers() {
		for id, h := range part {
			handled[id]++
			if (h.do == nil) == (h.flow == nil) {
				t.Errorf("%s has to have do or flow", id)
			}
		}
	}
	for _, op := range contract.Operations() {
		if handled[op.ID] != 1 {
			t.Errorf("%s has %d handlers, not one", op.ID, handled[op.ID])
		}
		delete(handled, op.ID)
	}
	for id := range handled {
		t.Errorf("%s is handled and is no operation", id)
	}
}
