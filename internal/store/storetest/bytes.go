package storetest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// eventBytes: values are returned byte for byte.
func eventBytes(t *testing.T, s store.Store) {
	values := []string{
		`9007199254740993`, `1E400`, `0.10`, `-0`, `1e-7`, `"\u0000"`, `"\ud800"`, `"\udc00x\ud83d"`, `"\u2028 <&>"`, `"\/"`,
		`{"b":1,"a":2,"b":3}`, `[]`, `null`, `""`, `"a\nb"`, "\"\u2028é\U0001F600\"", `{"":{"":[1,2.0,3e0]}}`,
		`123456789012345678901234567890.123456789012345678901234567890`,
	}
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	for _, v := range values {
		a.Did(t, s, fixture.Returned(v))
	}
	records, err := fixture.ReadRun(t.Context(), s, "run_1", 3)
	fixture.Must(t, err)
	feed, _ := fixture.ReadFeed(t, s, 0, 4, port.FeedFilter{})
	for i, v := range values {
		for _, r := range []port.Record{records[i+1], feed[i+1]} {
			if got := r.Fact.(*run.StepCompleted).Result.Output; string(got) != v {
				t.Errorf("stored %s, got %s", v, got)
			}
		}
	}
	odd := fixture.New("run_odd")
	w := odd.Write(fixture.Started(`{}`))
	w.Events[0].Actor.Name = "quote \" slash \\ newline \n nul \x00 é \U0001F600"
	w.Events[0].Cause = "a\nb"
	odd.Store(t, s, w)
	got, err := s.Events(t.Context(), "run_odd", 0, 1)
	fixture.Must(t, err)
	if got[0].Actor != w.Events[0].Actor || got[0].Cause != w.Events[0].Cause || !got[0].At.Equal(w.Events[0].At) {
		t.Errorf("got %q %q %v", got[0].Actor, got[0].Cause, got[0].At)
	}
	for _, key := range []string{`{"n":0.10}`, `{"a":"\ud800","b":1E400}`} {
		fixture.Must(t, s.PutBundle(t.Context(), "sha256:"+key, json.RawMessage(key)))
		b, err := s.Bundle(t.Context(), "sha256:"+key)
		fixture.Must(t, err)
		if string(b) != key {
			t.Errorf("bundle %s came back as %s", key, b)
		}
	}
}

// largeOutputs are as safe as small ones, in the log, in snapshots and in approvals.
func largeOutputs(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	sizes := []int{64<<10 - 400, 64 << 10, 1<<20 - 400, 1 << 20, 3 << 20, run.OutputMax}
	for i, size := range sizes {
		output := `"` + strings.Repeat(string(rune('a'+i)), size-2) + `"`
		w := a.Write(fixture.Said("before"), fixture.Returned(output), fixture.Said("after"))
		w.Snapshot = json.RawMessage(output)
		row, other := list.Approval("apr_1", "run_1"), list.Approval("apr_2", "run_1")
		row.Body = json.RawMessage(output)
		w.Approvals = []port.ApprovalRow{row, other}
		a.Store(t, s, w)
		for _, want := range w.Approvals {
			got, err := s.Approval(t.Context(), want.ID)
			fixture.Must(t, err)
			if !bytes.Equal(got.Body, want.Body) {
				t.Errorf("an approval of %d bytes came back with %d", len(want.Body), len(got.Body))
			}
		}
		seq, state, err := s.Snapshot(t.Context(), "run_1", 1000)
		fixture.Must(t, err)
		if seq != a.Seq || !bytes.Equal(state, []byte(output)) {
			t.Errorf("the snapshot of %d bytes came back at %d with %d bytes", size, seq, len(state))
		}
		// Repeating the write is rejected and removes nothing.
		if _, err := s.Append(t.Context(), w); err == nil {
			t.Error("a large write was taken twice")
		}
	}
	records, err := fixture.ReadRun(t.Context(), s, "run_1", 2)
	fixture.Must(t, err)
	for i, size := range sizes {
		got := records[2+3*i].Fact.(*run.StepCompleted).Result.Output
		if len(got) != size || got[1] != byte('a'+i) || got[size-2] != byte('a'+i) {
			t.Errorf("an output of %d bytes came back with %d", size, len(got))
		}
	}
	fixture.WantDense(t, s, "run_1", int64(1+3*len(sizes)))
}

// readBounds: a read ends early when events are large, and can be continued.
func readBounds(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	output := `"` + strings.Repeat("x", 9<<20) + `"`
	for range 6 {
		a.Did(t, s, fixture.Returned(output))
	}
	records, next, err := s.Feed(t.Context(), 0, 1000, port.FeedFilter{})
	fixture.Must(t, err)
	if len(records) == 7 || next == 7 || len(records) == 0 {
		t.Errorf("%d events of 9 MB came at once", len(records))
	}
	all, end := fixture.ReadFeed(t, s, 0, 1000, port.FeedFilter{})
	if len(all) != 7 || end != 7 {
		t.Errorf("got %d events up to %d", len(all), end)
	}
	fixture.WantDense(t, s, "run_1", 7)
}
