//go:build mutant

package decide_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/scenario"
)

// elsewhere lists bugs of hosts, stores and the policy, which no script about the state machine detects, and of
// searches whose results are harmless or incomplete, which scripts cannot express. The simulator's auditor
// catches them.
var elsewhere = map[mutant.Bug]bool{
	mutant.StaleAppend: true, mutant.SnapshotIncomplete: true, mutant.HoursIgnored: true,
	mutant.MissingIsFalse: true, mutant.RolloutIgnored: true, mutant.UsesIgnored: true, mutant.CallUnbound: true,
	mutant.ReplanUnasked: true, mutant.ReplanUnset: true,
}

// shownBy are scenarios that notice a bug, of those that the first few do not notice. They are played first; where one
// notices nothing, the others are.
var shownBy = map[mutant.Bug]string{
	mutant.DeniedCallRuns:    "07_tool_calls",
	mutant.ChangedArgsPass:   "07_tool_calls",
	mutant.HandOffAnywhere:   "07c_questions_and_handoff",
	mutant.ReplaceUngated:    "08d_gates_of_a_replaced_step",
	mutant.ReplacedReturns:   "08d_gates_of_a_replaced_step",
	mutant.ForkReissues:      "08f_a_replaced_step_stays_replaced",
	mutant.SecondGateSkipped: "10f_two_gates",
	mutant.ByPosition:        "10f_two_gates",
	mutant.TestModeCalls:     "10g_test_mode",
	mutant.StopIgnored:       "10h_policy",
	mutant.VotesMatchedAnew:  "10h_policy",
	mutant.RejectedIsUsed:    "13_rejections",
	mutant.ChangeUnnoticed:   "21_bound_to_what_would_run",
	mutant.OldVersionCounts:  "21_bound_to_what_would_run",
	mutant.OverrideIgnored:   "21_overrides_first",
	mutant.CriticalIgnored:   "21_overrides_first",
	mutant.NotAskedOnceMore:  "21e_a_new_revision_is_asked_about",
	mutant.OldRevisionCounts: "21e_a_new_revision_is_asked_about",
	mutant.ToolStepEarly:     "21e_a_new_revision_is_asked_about",
	mutant.ToolStepUnasked:   "21e_a_new_revision_is_asked_about",
	mutant.HandOffLoosens:    "22_handing_over_never_loosens",
	mutant.NoRole:            "23_who_is_asked",
	mutant.SilenceDuringStop: "24c_silence_during_a_stop",
	mutant.DefaultDuringStop: "24c_silence_during_a_stop",
	mutant.KeysTwice:         "26_one_reading",
	mutant.SumForgetsThis:    "26_sums",
	mutant.SumForgetsOthers:  "26_sums",
	mutant.SumForgetsRuns:    "26_sums",
	mutant.RuleSparesNothing: "27_irreversible",
	mutant.SilenceSparesNone: "27_irreversible",
	mutant.ReplanRejected:    "34_people_see_the_new_plan",
	mutant.ReplanOvertaken:   "34_people_see_the_new_plan",
	mutant.AheadAnyway:       "35_running_ahead",
	mutant.AheadKeyKept:      "35_running_ahead",
	mutant.AheadDelivers:     "35_running_ahead",
	mutant.AheadCosts:        "35_running_ahead",
	mutant.HarmAhead:         "35_running_ahead",
	mutant.AheadPastGate:     "35b_not_ahead_of_its_own_approval",
	mutant.ForkKeepsAnswers:  "09d_forks_ask_about_edits",
	mutant.ForkUnasked:       "09d_forks_ask_about_edits",
	mutant.ForkOwned:         "12_who_decides",
	mutant.AnswersForged:     "09c_fork_edits_and_answers",
	mutant.ProgramsAreSure:   "23c_confidence_and_programs",
}

// TestScenariosCatchMutants plants one bug at a time; at least one scenario has to fail.
func TestScenariosCatchMutants(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	for _, bug := range mutant.All {
		t.Run(string(bug), func(t *testing.T) {
			if elsewhere[bug] {
				t.Skip("not a bug of the state machine")
			}
			mutant.Active = bug
			defer func() { mutant.Active = "" }()
			caught := ""
			order := files
			if name, ok := shownBy[bug]; ok {
				order = append([]string{filepath.Join(scenarioDir, name+".txt")}, files...)
			}
			for _, file := range order {
				if why := notices(file); why != "" {
					caught = why
					break
				}
			}
			if caught == "" {
				t.Error("no scenario notices")
			}
			t.Log(caught)
		})
	}
}

// notices returns the line of a script at which a planted bug shows.
func notices(file string) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("%s: panic: %v", file, p)
		}
	}()
	raw, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	s, err := scenario.Read(string(raw))
	if err != nil {
		return ""
	}
	if why := s.Difference(); why != "" {
		return fmt.Sprintf("%s: %.200s", file, why)
	}
	return ""
}
