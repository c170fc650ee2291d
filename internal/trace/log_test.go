package trace

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestLog(t *testing.T) {
	var out bytes.Buffer
	runs := NewRuns(2)
	runs.Note("run_1", "t1")
	log := slog.New(Log(slog.NewTextHandler(&out, nil), runs))
	want := func(text string, has bool) {
		t.Helper()
		if strings.Contains(out.String(), text) != has {
			t.Errorf("%s", out.String())
		}
		out.Reset()
	}
	log.Info("a", "run", "run_1")
	want("trace_id=t1", true)
	log.Info("a", "key", "run_1/step/a#0~1", "n", 1)
	want("trace_id=t1", true)
	log.Info("a", "run", "run_2", "run_id", "run_1")
	want("trace_id", false)
	log.With("run", "run_1").WithGroup("g").Info("a", "run", "run_1")
	if strings.Count(out.String(), "trace_id=t1") != 1 {
		t.Errorf("%s", out.String())
	}
	out.Reset()
	c := OfRun("run_9", "")
	log.InfoContext(With(t.Context(), c), "a", "run", "run_1")
	want("trace_id="+c.TraceID()+" span_id="+c.SpanID(), true)

	for i := range 5 { // the oldest are forgotten
		runs.Note(fmt.Sprint("r", i), fmt.Sprint("t", i))
		runs.Note("r4", "again")
	}
	if runs.Of("run_1") != "" || runs.Of("r3") == "" && runs.Of("r4") == "" || len(runs.traces) != 2 {
		t.Errorf("%v", runs.traces)
	}
}
