package scenariotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/scenario"
)

// part is a part of a script that engines cannot play: from a command to the next definition.
type part struct{ from, why string }

const (
	ownRuns  = "a sub-run is a run of its own, whose steps the script does not know"
	notSeen  = "a model that has changed is noticed before it is called, and there is nothing that the script could answer"
	contents = "engines store the contents of deliverables apart, and the state machine keeps what it is given"
	schemas  = "engines check an answer against its schema before the state machine sees it"
	versions = "the script has elements of one map that are approved with different versions of their agent"
)

// apart are the parts that engines cannot play, and why. The list is in docs/testing.md.
var apart = map[string][]part{
	"08e_agent_in_the_loop":         {{"adviser says approve", schemas}},
	"09e_forks_and_calls":           {{"start ann {} as run_4", ownRuns}},
	"10d_subworkflow":               {{"start ann", ownRuns}},
	"17c_skipping_workflows":        {{"start ann {} as run_2", ownRuns}},
	"29_taken_up_where_it_stood":    {{`start ann {"list":[1,2,300,400,5]}`, ownRuns}},
	"31_advice_that_cannot_be_used": {{"adviser says approve_everything", schemas}, {"start ann {} as run_2", ownRuns}},
	"21_bound_to_what_would_run":    {{"model write changed", notSeen}},
	"21d_elements_at_work":          {{"crash", versions}},
	"19_deliverables":               {{`tool c4 answers {"ok":true} updating`, contents}},
}

// cut removes the parts of a script that engines cannot play.
func cut(s *scenario.Script, parts []part) error {
	for _, p := range parts {
		from := slices.IndexFunc(s.Blocks, func(b *scenario.Block) bool { return strings.HasPrefix(b.Command[0], p.from) })
		if from < 0 {
			return fmt.Errorf("no command begins with %q", p.from)
		}
		to := from
		for to < len(s.Blocks) && s.Blocks[to].Command[0] != "define" {
			to++
		}
		s.Blocks = slices.Delete(s.Blocks, from, to)
	}
	return nil
}
