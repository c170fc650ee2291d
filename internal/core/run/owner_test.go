package run

import (
	"testing"

	"github.com/assent-run/assent/internal/core/plan"
)

// TestOwnersOfOldLogs: a log from before keys says that "nightly" owns the run
// that the service of that name started. No person does.
func TestOwnersOfOldLogs(t *testing.T) {
	nightly := Actor{Kind: Service, Name: "nightly"}
	for _, c := range []struct {
		owner string
		by    Actor
		want  string
	}{
		{"nightly", nightly, "service:nightly"},
		{"service:nightly", nightly, "service:nightly"},
		{"ann", nightly, "ann"},
		{"ann", Actor{Kind: Person, Name: "ann"}, "ann"},
		{"ann", Actor{Kind: System}, "ann"},
		{"", Actor{Kind: System}, ""},
	} {
		s := New("run_1", &plan.Plan{})
		s.Apply(Event{Run: "run_1", Seq: 1, Actor: c.by, Fact: &RunStarted{Owner: c.owner}})
		if s.Started.Owner != c.want {
			t.Errorf("%q by %+v: %q", c.owner, c.by, s.Started.Owner)
		}
	}
}
