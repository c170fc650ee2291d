package storekit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Cond is a part of a WHERE clause with its arguments. Its placeholders are question marks, and the text is
// the same in every dialect.
type Cond struct {
	SQL  string
	Args []any
}

// oneOf compares a column with a list.
func oneOf(column string, list []string) Cond {
	if len(list) == 0 {
		return Cond{SQL: "1 = 0"}
	}
	c := Cond{SQL: column + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(list)), ", ") + ")"}
	for _, s := range list {
		c.Args = append(c.Args, s)
	}
	return c
}

// join combines conditions; if there are none, the result is empty.
func join(word, empty string, conds ...Cond) Cond {
	switch len(conds) {
	case 0:
		return Cond{SQL: empty}
	case 1:
		return conds[0]
	}
	var all Cond
	parts := make([]string, 0, len(conds))
	for _, c := range conds {
		parts, all.Args = append(parts, c.SQL), append(all.Args, c.Args...)
	}
	all.SQL = "(" + strings.Join(parts, " "+word+" ") + ")"
	return all
}

func anyOf(conds ...Cond) Cond { return join("OR", "1 = 0", conds...) }
func allOf(conds ...Cond) Cond { return join("AND", "1 = 1", conds...) }
func not(c Cond) Cond          { return Cond{"NOT " + "(" + c.SQL + ")", c.Args} }

// Sight is a port.Scope in the form that a store queries.
type Sight struct {
	exact, prefixes []string // of workflows
	Owner           string
	asks            []string
	often           bool // readers with so many approvals that these are looked up instead of listed
}

// See validates a scope; nil is a reader who sees everything.
func See(s *port.Scope) (*Sight, error) {
	if s.Everything() {
		return nil, nil
	}
	if n := len(s.Workflows); n > PatternsMax {
		return nil, fault.Newf(fault.Invalid, "%d visible workflows are more than %d", n, PatternsMax)
	}
	if n := len(s.Roles) + len(s.For) + 1; n > AskedMax {
		return nil, fault.Newf(fault.Invalid, "%d names and roles of one person are more than %d", n, AskedMax)
	}
	sight := &Sight{}
	for _, w := range s.Workflows {
		prefix, open := strings.CutSuffix(w, "*")
		switch {
		case open && prefix == "":
			return nil, nil
		case open && Word(prefix):
			sight.prefixes = append(sight.prefixes, prefix)
		case !open && Word(w):
			sight.exact = append(sight.exact, w)
		}
	}
	sight.exact, sight.prefixes = Distinct(sight.exact), Distinct(sight.prefixes)
	for _, who := range s.Asks() {
		if Word(who) && !reserved(who) {
			sight.asks = append(sight.asks, who)
		}
	}
	sight.asks = Distinct(sight.asks)
	if Word(s.Name) {
		sight.Owner = s.Name
	}
	return sight, nil
}

// covers reports whether all runs of a workflow are visible.
func (s *Sight) covers(workflow string) bool {
	return slices.Contains(s.exact, workflow) || slices.ContainsFunc(s.prefixes,
		func(p string) bool { return strings.HasPrefix(workflow, p) })
}

// Within is the sight of a reader who asks for one workflow only: nil if they see all of it.
func (s *Sight) Within(workflow string) *Sight {
	switch {
	case s == nil || workflow == "":
		return s
	case s.covers(workflow):
		return nil
	}
	return &Sight{Owner: s.Owner, asks: s.asks, often: s.often}
}

// workflows matches the visible workflows. A prefix is compared as such: in LIKE, % and _ have a meaning.
func (s *Sight) workflows(column string) Cond {
	var conds []Cond
	if len(s.exact) > 0 {
		conds = append(conds, oneOf(column, s.exact))
	}
	for _, p := range s.prefixes {
		conds = append(conds, Cond{fmt.Sprintf("substr(%s, 1, %d) = ?", column, utf8.RuneCountInString(p)), []any{p}})
	}
	return anyOf(conds...)
}

func (s *Sight) anyWorkflow() bool { return len(s.exact)+len(s.prefixes) > 0 }

// among matches a row i of the inbox whose approval is also filed under one of these readers.
func among(who []string) Cond {
	c := oneOf("o.who", who)
	return Cond{`EXISTS (SELECT 1 FROM inbox o WHERE ` + c.SQL + ` AND o.status = i.status AND o.rank = i.rank
		AND o.requested_at = i.requested_at AND o.approval = i.approval)`, c.Args}
}

// askedRun matches a run, given by the column of its id, with an approval assigned to this reader.
func (s *Sight) askedRun(column string) Cond {
	c := oneOf("o.who", s.asks)
	if s.often { // then a match is found soon for most runs, and listing all would take long
		return Cond{`EXISTS (SELECT 1 FROM approvals oa JOIN inbox o ON o.status = oa.status AND o.rank = -oa.priority
			AND o.requested_at = oa.requested_at AND o.approval = oa.id WHERE oa.run = ` + column + `
			AND ` + c.SQL + `)`, c.Args}
	}
	return Cond{column + ` IN (SELECT oa.run FROM inbox o JOIN approvals oa ON oa.id = o.approval 
		WHERE ` + c.SQL + `)`, c.Args}
}

// Size is a query for the number of approvals assigned to the reader, up to FewMax and one; see Often.
func (s *Sight) Size() (Cond, bool) {
	if s == nil || len(s.asks) == 0 {
		return Cond{}, false
	}
	c := oneOf("who", s.asks)
	return Cond{fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM inbox WHERE %s LIMIT %d) n`, c.SQL, FewMax+1),
		c.Args}, true
}

// Often sets the result of Size.
func (s *Sight) Often(n int) { s.often = n > FewMax }

// ownRun matches runs, given by the column of their id, that the reader owns.
func (s *Sight) ownRun(column string) Cond {
	return Cond{`EXISTS (SELECT 1 FROM runs orun WHERE orun.id = ` + column + ` AND orun.owner = ?)`, []any{s.Owner}}
}

// parts are the conditions of which one has to hold.
func (s *Sight) parts(workflow string, own, asked func() Cond) Cond {
	var conds []Cond
	if s.anyWorkflow() {
		conds = append(conds, s.workflows(workflow))
	}
	if s.Owner != "" {
		conds = append(conds, own())
	}
	if len(s.asks) > 0 {
		conds = append(conds, asked())
	}
	return anyOf(conds...)
}

// OfRun matches rows that belong to a visible run; the table has columns workflow and run.
func (s *Sight) OfRun(table string) Cond {
	run := table + ".run"
	return s.parts(table+".workflow", func() Cond { return s.ownRun(run) }, func() Cond { return s.askedRun(run) })
}

// runs matches rows of the table of runs.
func (s *Sight) runs() Cond {
	return s.parts("runs.workflow", func() Cond { return Cond{"runs.owner = ?", []any{s.Owner}} },
		func() Cond { return s.askedRun("runs.id") })
}

// approvals matches rows of the table of approvals.
func (s *Sight) approvals() Cond {
	return s.parts("approvals.workflow", func() Cond { return s.ownRun("approvals.run") }, func() Cond {
		c := oneOf("o.who", s.asks)
		return Cond{`EXISTS (SELECT 1 FROM inbox o WHERE ` + c.SQL + ` AND o.status = approvals.status
			AND o.rank = -approvals.priority
			AND o.requested_at = approvals.requested_at AND o.approval = approvals.id)`, c.Args}
	})
}
