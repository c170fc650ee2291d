package storekit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestSiftPages: page after page, every match is read once, in order; no page is longer than asked or reads without
// end, and the total is exact where the first page has everything.
func TestSiftPages(t *testing.T) {
	for _, c := range []struct{ rows, every, limit int }{{0, 1, 10}, {30, 1, 10}, {30, 1, 30}, {30, 1, 31},
		{500, 500, 1}, {501, 500, 1}, {700, 1, 600}, {5000, 7, 50}, {5000, 4999, 5}, {siftRows + siftChunk, 9999, 5},
		{1200, 3, 400}} {
		visited := 0
		read := func(cursor string, limit int) (page port.Page[int], err error) {
			from, _ := strconv.Atoi(cursor)
			for i := from; i < min(from+limit, c.rows); i++ {
				page.Items = append(page.Items, i)
			}
			visited += len(page.Items)
			if from+limit < c.rows {
				page.Next = strconv.Itoa(from + limit)
			}
			return page, nil
		}
		var got []int
		for cursor, first := "", true; first || cursor != ""; first = false {
			visited = 0
			page, err := Sift(c.limit, first, read, cursor, func(i *int) bool { return *i%c.every == 0 },
				func(i *int) string { return strconv.Itoa(*i + 1) })
			if err != nil || len(page.Items) > c.limit || visited > siftRows || page.Total != int64(len(page.Items)) ||
				page.AtLeast != (!first || page.Next != "") {
				t.Fatalf("%+v: %d items, %d rows read, %d in all, at least %t, %v", c, len(page.Items), visited, page.Total,
					page.AtLeast, err)
			}
			if page.Next != "" && visited < siftRows && len(page.Items) < c.limit {
				t.Errorf("%+v: %d items of a page of %d after %d rows", c, len(page.Items), c.limit, visited)
			}
			got, cursor = append(got, page.Items...), page.Next
		}
		var want []int
		for i := 0; i < c.rows; i += c.every {
			want = append(want, i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d matches of %d", c, len(got), len(want))
		}
	}
	broken := func(string, int) (port.Page[int], error) { return port.Page[int]{}, errBroken }
	if _, err := Sift(1, true, broken, "", nil, nil); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// TestCutPages: the matches of a search are read in pages, each once, and the last page has no next one.
func TestCutPages(t *testing.T) {
	var all []Spot
	for i := range 20 {
		all = append(all, Spot{At: int64(i / 3), ID: fmt.Sprintf("run_%02d", i)})
	}
	slices.SortFunc(all, func(a, b Spot) int { return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.ID, a.ID)) })
	for _, limit := range []int{1, 3, 10, 20, 21} {
		p := &RunPlan{RunQuery: &port.RunQuery{}, Limit: limit}
		var got []string
		pages := 0
		for next := ""; pages == 0 || next != ""; pages++ {
			var ids []string
			if ids, next = p.Cut(all); len(ids) > limit {
				t.Fatalf("%d of %d", len(ids), limit)
			}
			got = append(got, ids...)
			var err error
			if p.From, err = ParseCursor(next, RunList); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != len(all) || pages != (len(all)+limit-1)/limit ||
			!slices.EqualFunc(got, all, func(id string, s Spot) bool { return id == s.ID }) {
			t.Errorf("by %d: %d pages, %q", limit, pages, got)
		}
	}
}

func TestRowsInOrder(t *testing.T) {
	rows := []port.RunRow{{ID: "a", StartedAt: noon}, {ID: "c", StartedAt: noon}, {ID: "b", StartedAt: noon.Add(1)}}
	InOrder(rows)
	if rows[0].ID != "b" || rows[1].ID != "c" || rows[2].ID != "a" {
		t.Errorf("%+v", rows)
	}
}

// TestMergedPages: pages of two parts are merged in every order, up to a page, and continue after its last approval.
func TestMergedPages(t *testing.T) {
	row := func(i int) port.ApprovalRow {
		return port.ApprovalRow{ID: fmt.Sprintf("apr_%02d", i), Priority: int64(i % 2),
			RequestedAt: noon.Add(time.Duration(i*7%10) * time.Hour), DeadlineAt: noon.Add(time.Duration(i*3%10) * time.Hour)}
	}
	for _, sort := range []port.ApprovalSort{port.ByPriority, port.ByAge, port.ByDeadline, port.ByNewest,
		port.BySettled} {
		before := func(a, b port.ApprovalRow) int {
			switch sort {
			case port.ByAge:
				return a.RequestedAt.Compare(b.RequestedAt)
			case port.ByDeadline:
				return a.DeadlineAt.Compare(b.DeadlineAt)
			case port.ByNewest:
				return b.RequestedAt.Compare(a.RequestedAt)
			case port.BySettled:
				return b.DeadlineAt.Compare(a.DeadlineAt)
			}
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.RequestedAt.Compare(b.RequestedAt))
		}
		p, err := PlanInbox(&port.ApprovalQuery{Sort: sort, Limit: 6})
		if err != nil {
			t.Fatal(err)
		}
		var all []port.ApprovalRow
		var parts [2]port.Page[port.ApprovalRow]
		for i := range 10 {
			all = append(all, row(i))
			parts[i/5].Items = append(parts[i/5].Items, row(i))
		}
		slices.SortFunc(all, before)
		for i := range parts {
			slices.SortFunc(parts[i].Items, before)
			parts[i].Total = 5
		}
		got := p.Merge(parts[:])
		if !slices.EqualFunc(got.Items, all[:6], func(a, b port.ApprovalRow) bool { return a.ID == b.ID }) ||
			got.Next != p.Place(&all[5]).String() || got.Total != 10 || got.AtLeast {
			t.Errorf("%s: %+v", sort, got)
		}
		parts[1].Items = parts[1].Items[:1]
		if got := p.Merge(parts[:]); len(got.Items) != 6 || got.Next != "" {
			t.Errorf("%s: exactly a page: %d, then %q", sort, len(got.Items), got.Next)
		}
		parts[1].Items, parts[1].Next, parts[1].AtLeast = nil, "more", true
		if got := p.Merge(parts[:]); len(got.Items) != 5 || got.Next == "" || !got.AtLeast {
			t.Errorf("%s: one part has more: %d, then %q", sort, len(got.Items), got.Next)
		}
		if got := p.Merge(parts[1:]); got.Next != "more" {
			t.Errorf("%s: one part: then %q", sort, got.Next)
		}
	}
	same := []port.ApprovalRow{{ID: "b", RequestedAt: noon}, {ID: "a", RequestedAt: noon}}
	for sort, want := range map[port.ApprovalSort]string{port.ByAge: "a", port.ByNewest: "b"} {
		p, err := PlanInbox(&port.ApprovalQuery{Sort: sort})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Merge([]port.Page[port.ApprovalRow]{{Items: same[:1]}, {Items: same[1:]}}); got.Items[0].ID != want {
			t.Errorf("%s: of one time, %s is first", sort, got.Items[0].ID)
		}
	}
}

// TestDue: a settled approval has the time when it was settled, and one without a deadline is last.
func TestDue(t *testing.T) {
	for want, a := range map[int64]port.ApprovalRow{
		Never: {}, Nanos(noon): {DeadlineAt: noon}, Nanos(noon) + 1: {DeadlineAt: noon, SettledAt: noon.Add(1)},
	} {
		if got := Due(&a); got != want {
			t.Errorf("%+v is due at %d, not %d", a, got, want)
		}
	}
}

func TestPlansAreLimited(t *testing.T) {
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("n%03d", i))
		}
		return list
	}
	all := len(approvalStatuses)
	inbox := func(q port.ApprovalQuery) error { return second(PlanInbox(&q)) }
	asked := func(n int, statuses ...string) error {
		return inbox(port.ApprovalQuery{Asked: names(n), Status: statuses})
	}
	runs := func(q port.RunQuery) error { return second(PlanRuns(&q)) }
	scoped := func(s port.Scope) error { return second(See(&s)) }
	cursor := func(list, id string) string { return Cursor{List: list, ID: id}.String() }
	for what, c := range map[string]struct {
		err error
		ok  bool
	}{
		"readers times statuses":  {asked(BranchesMax/all - 1), true}, // and everyone
		"one reader more":         {asked(BranchesMax / all), false},
		"readers of few statuses": {asked(AskedMax, "pending"), true},
		"too many names":          {asked(AskedMax+1, "pending"), false},
		"too many statuses":       {inbox(port.ApprovalQuery{Status: names(AskedMax + 1)}), false},
		"readers of the scope":    {inbox(port.ApprovalQuery{Scope: &port.Scope{Roles: names(BranchesMax/all - 1)}}), true},
		"one role more":           {inbox(port.ApprovalQuery{Scope: &port.Scope{Roles: names(BranchesMax / all)}}), false},
		"an unknown order":        {inbox(port.ApprovalQuery{Sort: "odd"}), false},
		"the cursor of another order": {inbox(port.ApprovalQuery{
			Cursor: cursor(approvalList+string(port.ByAge), "a")}), false},
		"a cursor": {inbox(port.ApprovalQuery{
			Cursor: cursor(approvalList+string(port.ByPriority), "a")}), true},
		"a cursor of runs":          {runs(port.RunQuery{Cursor: cursor(RunList, "a")}), true},
		"a cursor without an id":    {runs(port.RunQuery{Cursor: cursor(RunList, "")}), false},
		"no cursor":                 {runs(port.RunQuery{Cursor: "*"}), false},
		"runs by too many statuses": {runs(port.RunQuery{Status: make([]run.Status, AskedMax+1)}), false},
		"runs of a scope":           {runs(port.RunQuery{Scope: &port.Scope{Workflows: names(PatternsMax + 1)}}), false},
		"patterns":                  {scoped(port.Scope{Workflows: names(PatternsMax)}), true},
		"too many patterns":         {scoped(port.Scope{Workflows: names(PatternsMax + 1)}), false},
		"roles, and people":         {scoped(port.Scope{Roles: names(100), For: names(AskedMax - 101)}), true},
		"too many together":         {scoped(port.Scope{Roles: names(100), For: names(AskedMax - 100)}), false},
		"one who sees everything":   {scoped(port.Scope{All: true, Roles: names(AskedMax + 1)}), true},
	} {
		if (c.err == nil) != c.ok || c.err != nil && !fault.Is(c.err, fault.Invalid) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	for limit, want := range map[int]int{-1: PageDefault, 0: PageDefault, 1: 1, PageMax: PageMax, PageMax + 1: PageMax} {
		if got := PageSize(limit); got != want {
			t.Errorf("a page of %d has %d", limit, got)
		}
	}
	for limit, want := range map[int]int{-1: ReadDefault, 0: ReadDefault, 1: 1, ReadMax: ReadMax, ReadMax + 1: ReadMax} {
		if got := ReadSize(limit); got != want {
			t.Errorf("a read of %d has %d", limit, got)
		}
	}
}

// TestPlannedReaders: names that nothing can be filed under are not looked for.
func TestPlannedReaders(t *testing.T) {
	for _, c := range []struct {
		asked, want []string
		overlap     bool
	}{
		{nil, []string{Everything}, false},
		{[]string{"bob", "ann", "bob"}, []string{Anyone, "ann", "bob"}, true},
		{[]string{"a\x00", Everything, Facet{}.Reader(), ""}, []string{Anyone}, false},
	} {
		p, err := PlanInbox(&port.ApprovalQuery{Asked: c.asked})
		if err != nil || !slices.Equal(p.Who, c.want) || p.Overlap != c.overlap {
			t.Errorf("%q: %q, overlapping %t, %v", c.asked, p.Who, p.Overlap, err)
		}
	}
	scope := &port.Scope{Workflows: []string{"w"}}
	for workflow, scoped := range map[string]bool{"w": false, "v": true, "": true} {
		p, err := PlanInbox(&port.ApprovalQuery{Workflow: workflow, Scope: scope})
		r, err2 := PlanRuns(&port.RunQuery{Workflow: workflow, Scope: scope})
		if err != nil || err2 != nil || p.Scoped() != scoped || (r.Sight != nil) != scoped {
			t.Errorf("%q: %t, %v, %v %v", workflow, p.Scoped(), r.Sight, err, err2)
		}
	}
}

// TestSightOfOddScopes: names that no table can have are left out, as PostgreSQL refuses queries with NUL.
func TestSightOfOddScopes(t *testing.T) {
	s, err := See(&port.Scope{Workflows: []string{"b", "a\x00", "", "a", "b", "p*", "p*", "\xff*", "o*"}, Name: "ann",
		For: []string{"bob", "b\x00", Everything, "ann"}, Roles: []string{"fin", "\x00", "fin"}})
	if err != nil || !slices.Equal(s.exact, []string{"a", "b"}) || !slices.Equal(s.prefixes, []string{"o", "p"}) ||
		!slices.Equal(s.asks, []string{"ann", "bob", "role:fin"}) || s.Owner != "ann" || !s.anyWorkflow() {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := See(&port.Scope{Name: "a\x00"}); err != nil || s.Owner != "" || len(s.asks) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := See(&port.Scope{Workflows: []string{"a", "*"}}); err != nil || s != nil {
		t.Errorf("every workflow: %+v, %v", s, err)
	}
}

// TestEveryPlaceholderHasItsArgument: however a reader's scope, the filters of a list and a search are combined.
func TestEveryPlaceholderHasItsArgument(t *testing.T) {
	check := func(what string, conds ...Cond) {
		t.Helper()
		for _, c := range conds {
			if c.SQL == "" || strings.Count(c.SQL, "?") != len(c.Args) {
				t.Errorf("%s: %d arguments for %q", what, len(c.Args), c.SQL)
			}
		}
	}
	index := Index{Hits: func(_ string, _ []string, most int) ([]string, error) { return make([]string, most), nil }}
	texts := func(Cond) ([]string, error) { return []string{"f1", "f2"}, nil }
	for _, scope := range []port.Scope{{}, {Name: "ann"}, {Workflows: []string{"a", "b*"}}, {Roles: []string{"r", "s"}},
		{Workflows: []string{"b*", "c*"}, Name: "ann", For: []string{"bob"}, Roles: []string{"r"}}} {
		s, err := See(&scope)
		if err != nil {
			t.Fatal(err)
		}
		for _, s.often = range []bool{false, true} {
			check("scope", s.workflows("w"), s.OfRun("failures"), s.runs(), s.approvals())
		}
		for _, q := range []port.RunQuery{{}, {Workflow: "w", Owner: "o", Parent: "p", Text: "one two",
			Label: map[string]string{"a": "1", "b": "2"}, Status: []run.Status{run.Running, run.Waiting}}} {
			q.Scope = &scope
			p, err := PlanRuns(&q)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := p.Find(index, nil); err != nil {
				t.Fatal(err)
			}
			check("filter of runs", p.Filter().Cond())
			if got := strings.Count(p.Filter().Cond().SQL, "LIKE"); got != len(p.Words) {
				t.Errorf("%d of %d words are searched", got, len(p.Words))
			}
			if p.Sight == nil {
				continue
			}
			r, err := ReadRuns(p, texts)
			if err != nil {
				t.Fatal(err)
			}
			if c, some := r.Count(); some {
				check("runs", c, r.Rows("id", nil, 9), r.Rows("id", &Cursor{List: RunList, ID: "a"}, 9))
			}
		}
		for _, q := range []port.ApprovalQuery{{}, {Asked: []string{"bob"}, Tool: "t", Text: "one two", Since: noon,
			OlderThan: noon}, {Run: "run_1", Workflow: "w", Text: "one"}} {
			q.Scope = &scope
			p, err := PlanInbox(&q)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{1, FewMax + 1} {
				_, err := p.Read(index, func(c Cond) (int, error) { check("count", c); return n, nil },
					func(part *InboxPlan) (page port.Page[port.ApprovalRow], err error) {
						err = part.Choose(texts, func(c Cond) (int, error) { check("size", c); return n, nil })
						check("inbox", append(part.Filter().conds, part.Filter().Cond())...)
						return page, err
					})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for what, q := range map[string]port.RunQuery{"w": {Workflow: "w"}, "o": {Owner: "o"}, "p": {Parent: "p"},
		"l": {Label: map[string]string{"l": "v"}}} {
		if c := (&RunPlan{RunQuery: &q}).Filter().Cond(); len(c.Args) == 0 || c.Args[0] != what {
			t.Errorf("by %s: %+v", what, c)
		}
	}
	labels := map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
	for range 10 { // a statement is prepared once, and rows that are equal have equal words
		c := (&RunPlan{RunQuery: &port.RunQuery{Label: labels}}).Filter().Cond()
		if fmt.Sprint(c.Args) != "[a 1 b 2 c 3 d 4 e 5]" {
			t.Errorf("%v", c.Args)
		}
		words := runWords(&port.RunRow{ID: "id", Labels: labels}, true)
		if !slices.Equal(words, strings.Fields("id 1 2 3 4 5 a b c d e")) {
			t.Errorf("%q", words)
		}
	}
}

// TestSightOfOneWorkflow: a reader who asks for one workflow sees all of it, or what is theirs in it.
func TestSightOfOneWorkflow(t *testing.T) {
	s, err := See(&port.Scope{Workflows: []string{"refund", "claims*"}, Name: "ann", Roles: []string{"finance"}})
	if err != nil {
		t.Fatal(err)
	}
	for workflow, all := range map[string]bool{"refund": true, "refunds": false, "claims": true, "claims_eu": true,
		"claim": false} {
		got := s.Within(workflow)
		if all != (got == nil) {
			t.Errorf("%s: all of it is seen: %t", workflow, got == nil)
		}
		if got != nil && (got.Owner != "ann" || got.anyWorkflow() || !slices.Equal(got.asks, s.asks)) {
			t.Errorf("%s: %+v", workflow, got)
		}
	}
	if s.Within("") != s || (*Sight)(nil).Within("w") != nil {
		t.Error("without a workflow something else is seen")
	}
	if _, ask := (*Sight)(nil).Size(); ask {
		t.Error("the approvals of a reader who sees everything are counted")
	}
	if _, ask := (&Sight{}).Size(); ask {
		t.Error("the approvals of nobody are counted")
	}
	if c, ask := s.Size(); !ask || !slices.Equal(c.Args, []any{"ann", "role:finance"}) {
		t.Errorf("the approvals of a reader with a name and a role are counted by %+v, %t", c, ask)
	}
	for n, often := range map[int]bool{FewMax: false, FewMax + 1: true} {
		if s.Often(n); s.often != often || s.Within("other").often != often {
			t.Errorf("%d approvals are looked up: %t", n, s.often)
		}
	}
}

// TestOwnRuns: approvals in a reader's own runs are searched from the runs if these are few, else from the inbox.
func TestOwnRuns(t *testing.T) {
	plan := func() *InboxPlan {
		t.Helper()
		p, err := PlanInbox(&port.ApprovalQuery{Scope: &port.Scope{Workflows: []string{"w"}, Name: "ann"}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for n, want := range map[int]struct {
		parts, look int
		few         bool
	}{0: {1, LookMax, false}, 1: {2, LookMax, true}, FewMax: {2, LookMax, true}, FewMax + 1: {2, FewMax, false}} {
		parts, err := plan().Parts(func(Cond) (int, error) { return n, nil })
		if err != nil || len(parts) != want.parts {
			t.Fatalf("%d runs: %d parts, %v", n, len(parts), err)
		}
		last := parts[len(parts)-1]
		if last.Few != want.few || last.Look() != want.look || last.ByRun() != want.few {
			t.Errorf("%d runs: few %t, %d rows are read", n, last.Few, last.Look())
		}
	}
	if _, err := plan().Parts(func(Cond) (int, error) { return 0, errBroken }); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	p := plan()
	p.sight = nil
	if parts, err := p.Parts(nil); err != nil || len(parts) != 1 {
		t.Errorf("of a reader who sees everything: %d parts, %v", len(parts), err)
	}
}

// TestWorkflowsOneByOne: the runs of a few visible workflows are read workflow by workflow, each once.
func TestWorkflowsOneByOne(t *testing.T) {
	names := func(n int, end string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("w%02d%s", i, end))
		}
		return list
	}
	found := func(list ...string) func(Cond) ([]string, error) {
		return func(Cond) ([]string, error) { return slices.Clone(list), nil }
	}
	for what, c := range map[string]struct {
		workflows []string
		ask       func(Cond) ([]string, error)
		want      int // 0: all together
	}{
		"names":             {names(namesMax, ""), nil, namesMax},
		"too many names":    {names(namesMax+1, ""), nil, 0},
		"a pattern":         {[]string{"w*"}, found("w1", "w2"), 2},
		"a name twice":      {[]string{"w*", "w1"}, found("w1", "w2"), 2},
		"patterns":          {names(prefixesMax, "*"), found("a"), 1},
		"too many patterns": {names(prefixesMax+1, "*"), nil, 0},
		"found as many":     {[]string{"w*"}, found(names(namesMax, "")...), namesMax},
		"found too many":    {[]string{"w*"}, found(names(namesMax+1, "")...), 0},
	} {
		p, err := PlanRuns(&port.RunQuery{Scope: &port.Scope{Workflows: c.workflows}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadRuns(p, c.ask)
		if err != nil || len(r.each) != c.want {
			t.Errorf("%s: %d are read one by one, not %d, %v", what, len(r.each), c.want, err)
		}
	}
	p, err := PlanRuns(&port.RunQuery{Scope: &port.Scope{Workflows: []string{"w*"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRuns(p, func(Cond) ([]string, error) { return nil, errBroken }); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// TestFewMatches: a search that the index answers with few rows reads these, and another one reads the list in its
// order and does not count it.
func TestFewMatches(t *testing.T) {
	index := func(n int, err error) Index {
		return Index{
			Hits: func(_ string, _ []string, most int) ([]string, error) { return make([]string, min(n, most)), err },
			Among: func(column string, ids []string) Cond {
				return Cond{SQL: fmt.Sprintf("%s among %d", column, len(ids))}
			},
		}
	}
	for n, few := range map[int]bool{0: true, 1: true, hitsMax: true, hitsMax + 1: false} {
		p, err := PlanInbox(&port.ApprovalQuery{Text: "a b"})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Find(index(n, nil)); err != nil || p.Few != few || p.Uncounted == few || len(p.Scope()) != 1 {
			t.Errorf("%d approvals: few %t, uncounted %t, %v", n, p.Few, p.Uncounted, err)
		}
		asked := ""
		spots := []Spot{{1, "a"}, {2, "b"}, {2, "c"}}
		keys := func(c Cond) ([]Spot, error) { asked = c.SQL; return slices.Clone(spots), nil }
		r, err := PlanRuns(&port.RunQuery{Text: "a b", Workflow: "w", Status: []run.Status{run.Running}})
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := r.Find(index(n, nil), keys)
		if err != nil || ok != few || r.Uncounted() == few || few != strings.Contains(asked, fmt.Sprintf("among %d", n)) {
			t.Errorf("%d runs: few %t, uncounted %t, asked %q, %v", n, ok, r.Uncounted(), asked, err)
		}
		if want := []Spot{{2, "c"}, {2, "b"}, {1, "a"}}; few && !slices.Equal(got, want) {
			t.Errorf("%d runs in the order %v", n, got)
		}
		if few && (!strings.Contains(asked, "workflow = ?") || !strings.Contains(asked, "status IN (?)")) {
			t.Errorf("the rest of the filter is lost: %s", asked)
		}
	}
	r, err := PlanRuns(&port.RunQuery{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Find(index(1, nil), func(c Cond) ([]Spot, error) {
		if strings.Contains(c.SQL, "status") || strings.Contains(c.SQL, "1 = 0") {
			t.Errorf("of any status: %s", c.SQL)
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
	for what, q := range map[string]port.ApprovalQuery{"no text": {}, "of a run": {Run: "run_1", Text: "a"}} {
		p, err := PlanInbox(&q)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Find(index(0, errBroken)); err != nil || p.Few || p.Uncounted || len(p.Scope()) != len(p.Words) {
			t.Errorf("%s: %+v, %v", what, p, err)
		}
	}
	p, _ := PlanInbox(&port.ApprovalQuery{Text: "a"})
	r, _ = PlanRuns(&port.RunQuery{Text: "a"})
	_, _, err = r.Find(index(0, errBroken), nil)
	if !errors.Is(p.Find(index(0, errBroken)), errBroken) || !errors.Is(err, errBroken) {
		t.Errorf("trouble was passed over: %v", err)
	}
	for text, nothing := range map[string]bool{"": false, "  ": false, "a": false, "—": true, " ! ": true} {
		if s := SearchFor(text); s.Nothing != nothing || s.On() != (text == "a") {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// TestReadersOfAScope: the ranges of the inbox that are read for a reader with a limited scope, and whether their rows
// are checked one by one.
func TestReadersOfAScope(t *testing.T) {
	many := slices.Repeat([]string{"f"}, FacetsMax+1)
	ann := port.Scope{Name: "ann", Roles: []string{"fin"}}
	flows := port.Scope{Workflows: []string{"w"}}
	both := port.Scope{Name: "ann", Workflows: []string{"w"}}
	f1 := []string{"f1"}
	for what, c := range map[string]struct {
		scope  port.Scope
		asked  string
		facets []string
		size   int

		want                     string
		checked, overlap, filter bool // filter: what is left of it
	}{
		"nothing":                      {port.Scope{}, "", nil, 0, "", false, false, true},
		"their own":                    {ann, "", nil, 0, "ann role:fin", false, true, true},
		"their own, asked for":         {ann, "ann role:fin", nil, 0, "ann role:fin", false, true, true},
		"their own, and another's":     {ann, "bob", nil, 0, "ann role:fin", true, true, true},
		"a workflow":                   {flows, "", []string{"f1", "f2"}, 0, "f1 f2", false, false, false},
		"a large workflow":             {flows, "", many, 0, Everything, true, false, true},
		"a workflow without any":       {flows, "", nil, 0, "", false, false, true},
		"another's in a workflow":      {flows, "bob", f1, FewMax, "f1", true, false, false},
		"a name that nobody can have":  {flows, "\x00", f1, FewMax, "f1", true, false, false},
		"too many of another's":        {flows, "bob", f1, FewMax + 1, "* bob", true, true, true},
		"their own, and a workflow":    {both, "", f1, 0, "ann f1", false, true, true},
		"all of both":                  {both, "", many, 0, Everything, true, false, true},
		"another's, or their own":      {both, "bob", f1, FewMax, "ann f1", true, true, true},
		"too many, or their own":       {both, "bob", f1, FewMax + 1, "* ann bob", true, true, true},
		"their own name in a workflow": {both, "ann", f1, FewMax, "ann f1", true, true, true},
	} {
		p, err := PlanInbox(&port.ApprovalQuery{Scope: &c.scope, Asked: strings.Fields(c.asked),
			Status: []string{"pending"}, Tool: "t"})
		if err != nil {
			t.Fatal(err)
		}
		if !p.Scoped() {
			t.Errorf("%s: there is nothing to choose", what)
		}
		err = p.Choose(func(Cond) ([]string, error) { return c.facets, nil }, func(Cond) (int, error) { return c.size, nil })
		if err != nil || strings.Join(p.Who, " ") != c.want || (len(p.Scope()) > 0) != c.checked || p.Overlap != c.overlap ||
			p.Empty != (c.want == "") || p.Scoped() || (p.Facet != Facet{}) != c.filter {
			t.Errorf("%s: %q are read, checked %t, overlapping %t, empty %t, filter %+v, %v", what, p.Who,
				len(p.Scope()) > 0, p.Overlap, p.Empty, p.Facet, err)
		}
	}
	p, err := PlanInbox(&port.ApprovalQuery{Scope: &both, Status: []string{"pending"}})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Choose(func(Cond) ([]string, error) { return many, nil }, nil)
	if err != nil || len(p.Scope()) != 1 || !slices.Equal(p.Scope()[0].Args, []any{"w", "ann"}) {
		t.Errorf("of all, a workflow and their own are kept by %+v, %v", p.Scope(), err)
	}
	for what, broken := range map[string]func(*InboxPlan) error{
		"facets": func(p *InboxPlan) error {
			return p.Choose(func(Cond) ([]string, error) { return nil, errBroken }, func(Cond) (int, error) { return 0, nil })
		},
		"size": func(p *InboxPlan) error {
			return p.Choose(func(Cond) ([]string, error) { return []string{"f"}, nil },
				func(Cond) (int, error) { return 0, errBroken })
		},
	} {
		p, err := PlanInbox(&port.ApprovalQuery{Scope: &flows, Asked: []string{"bob"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := broken(p); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
