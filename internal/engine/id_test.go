package engine

import (
	"strconv"
	"testing"
	"time"
)

// Ids that follow from something are the same each time, and never look like ones from the future: a sweep would
// leave out their runs.
func TestIDsThatFollow(t *testing.T) {
	now, seen := time.Now(), map[string]bool{}
	for i := range 1000 {
		id := RunIDFor("orders", "id:"+strconv.Itoa(i))
		if id != RunIDFor("orders", "id:"+strconv.Itoa(i)) || seen[id] || id >= NewRunID(now) ||
			len(id) != len(NewRunID(now)) {
			t.Fatal(id)
		}
		seen[id] = true
	}
	if RunIDFor("orders", "x") == RunIDFor("order", "sx") {
		t.Error("what is joined differently is the same")
	}
	at := now.Add(-time.Minute)
	id := RunIDOf("nightly", at)
	if id != RunIDOf("nightly", at) || id >= NewRunID(now) || id < NewRunID(at.Add(-time.Second)) {
		t.Error(id)
	}
}
