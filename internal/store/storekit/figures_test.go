package storekit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

// TestFiguresReportTrouble: whichever query fails, there are no figures, and nothing is asked after it.
func TestFiguresReportTrouble(t *testing.T) {
	asked, fails := 0, -1
	ask := func(sql string, args []any, each func(Row) error) error {
		asked++
		if asked-1 == fails {
			return errBroken
		}
		if strings.Count(sql, "?") != len(args) {
			t.Errorf("%d arguments for %s", len(args), sql)
		}
		switch {
		case strings.Contains(sql, "FROM runs WHERE test_mode = 1 LIMIT 1"),
			strings.HasPrefix(sql, "SELECT count(*) FROM (SELECT 1 FROM inbox"),
			strings.HasPrefix(sql, "SELECT settled_at - requested_at"), strings.Contains(sql, "agent_work_from"):
			return each(scanned{1})
		case strings.Contains(sql, "count(CASE"):
			return each(scanned(slices.Repeat([]any{1}, len(waits)+1)))
		}
		return nil
	}
	scope := &port.Scope{Workflows: []string{"w*"}, Name: "ann"}
	for what, figures := range map[string]func() error{
		"figures": func() error {
			return second(Figures(ask, port.FigureQuery{Until: noon, Workflow: "v", People: []string{"approved"},
				Scope: scope}, "0"))
		},
		"work": func() error {
			return second(AgentWork(ask, port.WorkQuery{Until: noon, Workflow: "v", Agent: "a", ByDay: true, Scope: scope}))
		},
	} {
		asked, fails = 0, -1
		if err := figures(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for n := range asked {
			asked, fails = 0, n
			if err := figures(); !errors.Is(err, errBroken) || asked != n+1 {
				t.Errorf("%s: query %d failed, and %d were asked: %v", what, n, asked, err)
			}
		}
	}
	tooMany := &port.Scope{Roles: make([]string, AskedMax)}
	asked = 0
	if _, err := Figures(ask, port.FigureQuery{Scope: tooMany}, "0"); err == nil || asked > 0 {
		t.Errorf("a scope that is too large: %d queries, %v", asked, err)
	}
	if _, err := AgentWork(ask, port.WorkQuery{Scope: tooMany}); err == nil || asked > 0 {
		t.Errorf("work in a scope that is too large: %d queries, %v", asked, err)
	}
}
