package machine

import (
	"testing"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// TestOwnersOfOldLogs: in a log from before keys existed, "nightly" owns the run that the service of that
// name started. It is not a person.
func TestOwnersOfOldLogs(t *testing.T) {
	nightly := run.Actor{Kind: run.Service, Name: "nightly"}
	for _, c := range []struct {
		owner string
		by    run.Actor
		want  string
	}{
		{"nightly", nightly, "service:nightly"},
		{"service:nightly", nightly, "service:nightly"},
		{"ann", nightly, "ann"},
		{"ann", run.Actor{Kind: run.Person, Name: "ann"}, "ann"},
		{"ann", run.Actor{Kind: run.System}, "ann"},
		{"", run.Actor{Kind: run.System}, ""},
	} {
		s := New("run_1", &plan.Plan{})
		s.Apply(run.Event{Run: "run_1", Seq: 1, Actor: c.by, Fact: &run.RunStarted{Owner: c.owner}})
		if s.Started.Owner != c.want {
			t.Errorf("%q by %+v: %q", c.owner, c.by, s.Started.Owner)
		}
	}
}
