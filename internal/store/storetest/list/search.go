package list

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// searchRuns lists the ids that a search finds, page by page.
func searchRuns(t *testing.T, s store.Store, q port.RunQuery) []string {
	t.Helper()
	got, total := Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
		q.Cursor = cursor
		return s.Runs(t.Context(), q)
	})
	out := []string{}
	for _, r := range got {
		out = append(out, r.ID)
	}
	if total > int64(len(out)) {
		t.Errorf("%q: a total of %d for %v", q.Text, total, out)
	}
	return out
}

func searchApprovals(t *testing.T, s store.Store, q port.ApprovalQuery) []string {
	t.Helper()
	got, total := Pages(t, func(cursor string) (port.Page[port.ApprovalRow], error) {
		q.Cursor = cursor
		return s.Approvals(t.Context(), q)
	})
	if total > int64(len(got)) {
		t.Errorf("%q: a total of %d for %v", q.Text, total, ids(got))
	}
	return append([]string{}, ids(got)...)
}

// searching stores three runs with words in common, each with an approval.
func searching(t *testing.T, s store.Store) {
	t.Helper()
	for i, x := range []struct{ workflow, owner, subject, fault, title, asked, by string }{
		{"refunds", "ann", "Refund €2,400.00 to Åse Lund", "", "Pay this refund?", "role:finance", "maria"},
		{"refunds", "bob", `O"Neil AND NOT 'x' OR *`, "", "Pay 100%", "zoe", ""},
		{"émigré_v2", "service:ci", "東京都の注文 STRASSE 5", "timeout: Łódź unreachable", "Ship to Straße 5",
			"role:approver", "bob"},
	} {
		a := fixture.New(fixture.RunID(i))
		a.Row.Workflow, a.Row.Owner, a.Row.Subject, a.Row.Error = x.workflow, x.owner, x.subject, x.fault
		a.Row.StartedAt, a.Row.Labels = fixture.Began.Add(time.Duration(i)*time.Minute),
			map[string]string{"team": []string{"north", "south"}[i%2]}
		row := Approval(fmt.Sprintf("apr_%06d_1", i), a.ID)
		row.Workflow, row.Title, row.Asked, row.Requester = x.workflow, x.title, []string{x.asked}, x.owner
		row.Priority, row.RequestedAt = int64(10-i), a.Row.StartedAt
		body := gate.Approval{Request: gate.Request{ID: row.ID, Title: x.title, About: x.subject,
			Gate: fmt.Sprintf("gate%d", i)}}
		if x.by != "" {
			body.Decisions = []gate.Decision{{By: x.by, Act: gate.Approve}}
		}
		raw, err := value.Marshal(&body)
		fixture.Must(t, err)
		row.Body = raw
		w := a.Write(fixture.Started(`{}`))
		w.Approvals = []port.ApprovalRow{row}
		a.Store(t, s, w)
	}
}

// searchWords: which words find what, in both lists.
func SearchWords(t *testing.T, s store.Store) {
	searching(t, s)
	for _, c := range []struct{ text, runs, approvals string }{
		{"refund", "0 1", "0 1"}, // also the workflow's name
		{"REFUND lund", "0", "0"},
		{"lund refund", "0", "0"},
		{"ref ase", "0", "0"},
		{"åse", "0", "0"},
		{"fund", "", ""},
		{"lund neil", "", ""},
		{"2400", "0", "0"},
		{"€2,400.00", "0", "0"},
		{"2,400.01", "", ""},
		{"emigre", "2", "2"},
		{"strasse", "2", "2"},
		{"Straße 5", "2", "2"},
		{"京都", "2", "2"},
		{"LODZ", "2", ""},
		{"north", "0 2", ""},
		{"team:south", "1", ""},
		{"run_000001", "1", "1"},
		{"000002", "2", "2"},
		{"apr_000002_1", "", "2"},
		{"ann", "0", "0"},
		{"ci", "2", "2"},
		{"zoe", "", "1"},
		{"finance", "", "0"},
		{"role:finance", "", ""},
		{"maria", "", "0"},
		{"bob", "1", "1 2"}, // the approver as well
		{"gate1", "", "1"},
		{"mailer email_send", "", "0 1 2"},
		{"pay this", "", "0"},
		{"100%", "", "1"},
		{"  ", "0 1 2", "0 1 2"},
		{"", "0 1 2", "0 1 2"},
		{"%", "", ""},
		{"*", "", ""},
		{`"`, "", ""},
		{`o"neil and not`, "1", "1"},
		{"OR", "1", "1"},
		{"lund OR neil", "", ""},
		{"NEAR(lund, 3)", "", ""},
		{"words:lund", "", ""},
		{"-lund", "0", "0"},
		{"!lund & | : * ( )", "0", "0"},
		{"lund' --", "0", "0"},
		{`lund\`, "0", "0"},
		{"lu_d", "", ""},
		{"lund\x00", "0", "0"},
		{"\x00", "", ""},
		{"\xff\xfe", "", ""},
		{strings.Repeat("a", 10_000), "", ""},
		{strings.Repeat("lund ", 2_000), "0", "0"},
		{strings.Repeat("( \" ' * ", 2_000), "", ""},
	} {
		for _, limit := range []int{1, 50} {
			short := func(prefix string, ids []string) string {
				slices.Sort(ids)
				for i, id := range ids {
					ids[i] = strings.TrimSuffix(strings.TrimPrefix(id, prefix+"00000"), "_1")
				}
				return strings.Join(ids, " ")
			}
			fixture.WantEqual(t, fmt.Sprintf("runs with %.50q", c.text),
				short("run_", searchRuns(t, s, port.RunQuery{Text: c.text, Limit: limit})), c.runs)
			fixture.WantEqual(t, fmt.Sprintf("approvals with %.50q", c.text),
				short("apr_", searchApprovals(t, s, port.ApprovalQuery{Text: c.text, Limit: limit})), c.approvals)
		}
	}
}

// searchChanges: a row is found by its current words.
func SearchChanges(t *testing.T, s store.Store) {
	searching(t, s)
	a := fixture.New(fixture.RunID(0))
	a.Seq, a.Row.Subject, a.Row.Error = 1, "Payout for Noor", "declined"
	w := a.Write(fixture.Said("changed"))
	row := Approval("apr_000000_1", a.ID)
	row.Title, row.Status, row.SettledAt = "Pay Noor", "approved", fixture.Began.Add(time.Hour)
	row.Body = json.RawMessage(`{"about":"Payout for Noor","decisions":[{"by":"kim"}]}`)
	w.Approvals = []port.ApprovalRow{row}
	a.Store(t, s, w)
	for text, want := range map[string][2]int{
		"lund": {0, 0}, "noor": {1, 1}, "declined": {1, 0}, "kim": {0, 1}, "maria": {0, 0},
		"payout noor": {1, 1}, "pay neil": {0, 1},
	} {
		got := [2]int{len(searchRuns(t, s, port.RunQuery{Text: text})),
			len(searchApprovals(t, s, port.ApprovalQuery{Text: text}))}
		fixture.WantEqual(t, text, got, want)
	}
	fixture.WantEqual(t, "settled", searchApprovals(t, s, port.ApprovalQuery{Text: "noor", Status: []string{"approved"}}),
		[]string{"apr_000000_1"})
	fixture.WantEqual(t, "pending", searchApprovals(t, s, port.ApprovalQuery{Text: "noor", Status: []string{"pending"}}),
		[]string{})
}

// searchRemoved: deleted content finds nothing.
func SearchRemoved(t *testing.T, s store.Store) {
	a, other := fixture.Holding(t, s, "run_gone"), fixture.Holding(t, s, "run_stays")
	find := func() []string {
		return append(searchRuns(t, s, port.RunQuery{Text: fixture.Sent}),
			searchApprovals(t, s, port.ApprovalQuery{Text: fixture.Sent})...)
	}
	fixture.WantEqual(t, "before", find(), []string{other.ID, a.ID, "apr_gone_1", "apr_stays_1"})
	_, err := s.OrderRemoval(t.Context(), port.Removal{Run: a.ID, By: run.Actor{Kind: run.Person, Name: "ann"},
		At: fixture.Began})
	fixture.Must(t, err)
	fixture.Must(t, s.RemovePayloads(t.Context(), a.ID))
	fixture.WantEqual(t, "after", find(), []string{other.ID, "apr_stays_1"})
	fixture.WantEqual(t, "by its id", searchRuns(t, s, port.RunQuery{Text: "run_gone"}), []string{a.ID})
}

// searchScope: a search finds what its reader can see, in the order and with the filters of the list.
func SearchScope(t *testing.T, s store.Store) {
	w := newWorld(t, s, 70)
	all := slices.Clone(w.runs)
	slices.SortFunc(all, func(a, b port.RunRow) int {
		if c := b.StartedAt.Compare(a.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	has := func(text string, texts ...string) bool {
		return port.Matches(port.Words(texts...), port.SearchWords(text))
	}
	for _, scope := range scopes {
		for _, text := range []string{"refund", "run 00001", "日本"} {
			want := []string{}
			for _, r := range all {
				if r.Status == "waiting" && w.seesRun(scope, r.ID, r.Workflow) && has(text, r.ID, r.Workflow, r.Owner) {
					want = append(want, r.ID)
				}
			}
			got := searchRuns(t, s, port.RunQuery{Text: text, Status: []run.Status{"waiting"}, Scope: scope, Limit: 7})
			fixture.WantEqual(t, fmt.Sprintf("%q in runs of %+v", text, scope), got, want)
		}
		for _, text := range []string{"payer", "refund ann"} {
			var seen []port.ApprovalRow
			for _, a := range w.approvals {
				texts := append([]string{a.ID, a.Run, a.Workflow, a.Step, a.Agent, a.Tool, a.Title, a.Requester}, a.Asked...)
				for i := range texts[8:] {
					texts[8+i] = strings.TrimPrefix(texts[8+i], "role:")
				}
				if w.seesApproval(scope, &a) && has(text, texts...) {
					seen = append(seen, a)
				}
			}
			for _, q := range []port.ApprovalQuery{
				{Status: []string{"pending"}},
				{Sort: port.BySettled, Status: []string{"approved", "rejected"}},
				{Asked: []string{"bob", "role:finance"}, Sort: port.ByDeadline},
				{Run: fixture.RunID(8), Sort: port.ByAge},
			} {
				want := append([]string{}, ids(expected(seen, q))...)
				q.Text, q.Scope, q.Limit = text, scope, 20
				fixture.WantEqual(t, fmt.Sprintf("%q in %+v of %+v", text, q, scope), searchApprovals(t, s, q), want)
			}
		}
	}
}

// manyHits are more than a store takes from its index one by one.
const manyHits = 1_600

// searchMany: a word that is nearly everywhere, and one that is rare among them.
func SearchMany(t *testing.T, s store.Store) {
	var wg sync.WaitGroup
	for part := range 64 {
		wg.Go(func() {
			for i := part; i < manyHits; i += 64 {
				a := fixture.New(fixture.RunID(i))
				a.Row.StartedAt, a.Row.Subject = fixture.Began.Add(time.Duration(i)*time.Millisecond),
					fmt.Sprintf("Order %d for everyone", i)
				if i%300 == 7 {
					a.Row.Subject = "Order for no particular person"
				}
				w := a.Write(fixture.Started(`{}`))
				row := Approval(fmt.Sprintf("apr_%06d_1", i), a.ID)
				row.Title, row.RequestedAt, row.Priority = a.Row.Subject, a.Row.StartedAt, int64(-i)
				if i >= manyHits-50 {
					row.Asked = []string{"role:last"}
				}
				w.Approvals = []port.ApprovalRow{row}
				if _, err := s.Append(t.Context(), w); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for cursor, n := "", 0; n < 3; n++ {
		page, err := s.Runs(t.Context(), port.RunQuery{Text: "order everyone", Limit: 500, Cursor: cursor})
		fixture.Must(t, err)
		if !page.AtLeast || len(page.Items) != 500 || page.Next == "" {
			t.Fatalf("%d of %d, %v", len(page.Items), page.Total, page.AtLeast)
		}
		for _, r := range page.Items {
			if !strings.Contains(r.Subject, "everyone") || seen[r.ID] {
				t.Fatalf("%s is %q", r.ID, r.Subject)
			}
			seen[r.ID] = true
		}
		cursor = page.Next
	}
	fixture.WantEqual(t, "the rare ones", searchRuns(t, s, port.RunQuery{Text: "order particular", Limit: 2}),
		fixture.RunIDs(1507, 1207, 907, 607, 307, 7))
	page, err := s.Approvals(t.Context(), port.ApprovalQuery{Text: "order", Status: []string{"pending"}, Limit: 10})
	fixture.Must(t, err)
	fixture.WantEqual(t, "the first of many", ids(page.Items[:2]), []string{"apr_000000_1", "apr_000001_1"})
	last := port.ApprovalQuery{Text: "order", Status: []string{"pending"}, Limit: 10,
		Scope: &port.Scope{Roles: []string{"last"}}}
	if got := searchApprovals(t, s, last); len(got) != 50 || got[0] != fmt.Sprintf("apr_%06d_1", manyHits-50) {
		t.Errorf("whom the last 50 ask sees %v", got)
	}
	few := searchRuns(t, s, port.RunQuery{Text: "order", Limit: 10, Scope: &port.Scope{Roles: []string{"last"}}})
	if len(few) != 50 || few[0] != fixture.RunID(manyHits-1) {
		t.Errorf("runs whose approvals ask them: %v", few)
	}
}
