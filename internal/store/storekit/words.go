package storekit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
)

// Runs and approvals have a column of their search words, each after a space, with an index. Words of
// encrypted values are never stored there: a store with keys searches by decrypting rows, a limited number at
// a time.

const (
	hitsMax   = 1_000 // rows that the index returns one by one; more are searched in the order of the list
	siftRows  = 2_000 // rows that are decrypted for one page
	siftChunk = 500
)

// Found are the search words of the rows of a write.
type Found struct {
	Run       string
	Approvals []string
}

func foundBy(w *port.Write, sealed bool) Found {
	f := Found{Run: column(runWords(&w.Row, sealed))}
	for i := range w.Approvals {
		f.Approvals = append(f.Approvals, column(approvalWords(&w.Approvals[i], sealed)))
	}
	return f
}

// column formats words so that LIKE can match their prefixes.
func column(words []string) string {
	size := 0
	for _, w := range words {
		size += 1 + len(w)
	}
	var b strings.Builder
	b.Grow(size)
	for _, w := range words {
		b.WriteByte(' ')
		b.WriteString(w)
	}
	return b.String()
}

func runWords(r *port.RunRow, sealed bool) []string {
	texts := append(make([]string, 0, 5+2*len(r.Labels)), r.ID, r.Workflow, r.Owner)
	for name, value := range r.Labels {
		texts = append(texts, name, value)
	}
	slices.Sort(texts[3:])
	if !sealed {
		texts = append(texts, r.Subject, r.Error)
	}
	return port.Words(texts...)
}

// inBody is the searchable part of an approval's body.
type inBody struct {
	Gate      string `json:"gate"`
	About     string `json:"about"`
	Decisions []struct {
		By         string `json:"by"`
		OnBehalfOf string `json:"on_behalf_of"`
	} `json:"decisions"`
}

func approvalWords(a *port.ApprovalRow, sealed bool) []string {
	texts := append(make([]string, 0, 12+len(a.Asked)), a.ID, a.Run, a.Workflow, a.Step, a.Agent, a.Tool, a.Requester)
	for _, who := range a.Asked {
		texts = append(texts, strings.TrimPrefix(who, "role:"))
	}
	if sealed {
		return port.Words(texts...)
	}
	var body inBody
	_ = json.Unmarshal(a.Body, &body) // anything else is found by its columns
	texts = append(texts, a.Title, body.Gate, body.About)
	for _, d := range body.Decisions {
		texts = append(texts, d.By, d.OnBehalfOf)
	}
	return port.Words(texts...)
}

// Search is the text of a query.
type Search struct {
	Words   []string
	Nothing bool // there is a text without a word in it, which matches nothing
}

// SearchFor parses the text of a query.
func SearchFor(text string) Search {
	words := port.SearchWords(text)
	return Search{Words: words, Nothing: len(words) == 0 && strings.TrimSpace(text) != ""}
}

// On reports whether there is something to search for.
func (s Search) On() bool { return len(s.Words) > 0 }

// like matches a column of words.
func (s Search) like(column string) Cond {
	conds := make([]Cond, len(s.Words))
	for i, w := range s.Words {
		conds[i] = Cond{column + " LIKE ?", []any{"% " + w + "%"}}
	}
	return allOf(conds...)
}

// Index is a store's index of words.
type Index struct {
	// Hits lists the ids of rows of a table, up to a number.
	Hits func(table string, words []string, most int) ([]string, error)
	// Among matches rows whose column is in a list.
	Among func(column string, ids []string) Cond
}

// hits lists the matches in the index; many reports that there are too many.
func (s Search) hits(x Index, table string) (ids []string, many bool, err error) {
	ids, err = x.Hits(table, s.Words, hitsMax+1)
	return ids, len(ids) > hitsMax, err
}

// RunPlan defines how a page of runs is read.
type RunPlan struct {
	*port.RunQuery
	Search
	Sight *Sight
	From  *Cursor
	Limit int
	text  []Cond
}

// PlanRuns validates a query and plans it.
func PlanRuns(q *port.RunQuery) (p *RunPlan, err error) {
	p = &RunPlan{RunQuery: q, Search: SearchFor(q.Text), Limit: PageSize(q.Limit)}
	if err := CheckRuns(q); err != nil {
		return nil, err
	}
	if p.From, err = ParseCursor(q.Cursor, RunList); err != nil {
		return nil, err
	}
	if p.Sight, err = See(q.Scope); err != nil {
		return nil, err
	}
	p.Sight = p.Sight.Within(q.Workflow)
	return p, nil
}

// Spot is a row's position in the order of runs.
type Spot struct {
	At int64
	ID string
}

// Find uses the index. Few are all matches, in order, if they are few enough: keys runs a query for the start
// times and ids of runs. Otherwise the list is read in its order.
func (p *RunPlan) Find(x Index, keys func(Cond) ([]Spot, error)) (few []Spot, ok bool, err error) {
	if !p.On() {
		return nil, false, nil
	}
	ids, many, err := p.hits(x, "runs")
	if err != nil || many {
		p.text = []Cond{p.like("runs.words")}
		return nil, false, err
	}
	conds := append([]Cond{x.Among("runs.id", ids)}, p.filter()...)
	if len(p.Status) > 0 {
		conds = append(conds, oneOf("status", slices.DeleteFunc(Statuses(p.Status),
			func(s string) bool { return !Word(s) })))
	}
	if p.Sight != nil {
		conds = append(conds, p.Sight.runs())
	}
	c := allOf(conds...)
	few, err = keys(Cond{`SELECT started_at, id FROM runs WHERE ` + c.SQL, c.Args})
	slices.SortFunc(few, func(a, b Spot) int { return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.ID, a.ID)) })
	return few, true, err
}

// Cut is the page of the matches, and where the next one begins.
func (p *RunPlan) Cut(few []Spot) (ids []string, next string) {
	for i, s := range few {
		if p.From != nil && cmp.Or(cmp.Compare(s.At, p.From.A), strings.Compare(s.ID, p.From.ID)) >= 0 {
			continue
		}
		if ids = append(ids, s.ID); len(ids) == p.Limit {
			if i+1 < len(few) {
				next = Cursor{List: RunList, A: s.At, ID: s.ID}.String()
			}
			break
		}
	}
	return ids, next
}

// Found reads the page of runs in the index, unless they are too many. Keys is that of Find; rows reads runs
// by their ids.
func (p *RunPlan) Found(
	x Index, keys func(Cond) ([]Spot, error), rows func(ids []string) ([]port.RunRow, error),
) (page port.Page[port.RunRow], found bool, err error) {
	few, found, err := p.Find(x, keys)
	if err != nil || !found {
		return page, false, err
	}
	ids, next := p.Cut(few)
	page.Total, page.Next = int64(len(few)), next
	if len(ids) > 0 {
		page.Items, err = rows(ids)
		InOrder(page.Items)
	}
	return page, true, err
}

// InOrder sorts the rows of a page, which were read by their ids.
func InOrder(rows []port.RunRow) {
	slices.SortFunc(rows, func(a, b port.RunRow) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
	})
}

// Uncounted reports that a page has no total of its own: there are too many matches, and counting would read
// the whole list.
func (p *RunPlan) Uncounted() bool { return len(p.text) > 0 }

// AtLeast is the total of a page that was not counted.
func AtLeast[T any](page *port.Page[T], first bool) {
	page.Total, page.AtLeast = int64(len(page.Items)), page.Next != "" || !first
}

// Find uses the index: if there are few matches they are checked, otherwise the inbox is read in its order.
func (p *InboxPlan) Find(x Index) error {
	if !p.On() {
		return nil
	}
	has := p.like("wa.words")
	has.SQL = `EXISTS (SELECT 1 FROM approvals wa WHERE wa.id = i.approval AND ` + has.SQL + `)`
	if p.Run != "" {
		p.text = []Cond{has}
		return nil
	}
	ids, many, err := p.hits(x, "approvals")
	if err != nil {
		return err
	}
	if p.text = []Cond{has}; !many {
		p.Few, p.text = true, []Cond{x.Among("a.id", ids)}
	}
	p.Uncounted = many
	return nil
}

// Sift reads rows in the order of a list, decrypts them and keeps the matches, up to a page of them or a
// limit of rows read; the next page continues after those.
func Sift[T any](limit int, first bool, read func(cursor string, limit int) (port.Page[T], error), cursor string,
	keep func(*T) bool, place func(*T) string,
) (out port.Page[T], err error) {
	out.Next = cursor
	for looked := 0; looked < siftRows; {
		page, err := read(out.Next, siftChunk)
		if err != nil {
			return port.Page[T]{}, err
		}
		for i := range page.Items {
			if !keep(&page.Items[i]) {
				continue
			}
			if out.Items = append(out.Items, page.Items[i]); len(out.Items) == limit && (i+1 < len(page.Items) ||
				page.Next != "") {
				out.Next = place(&page.Items[i])
				AtLeast(&out, first)
				return out, nil
			}
		}
		looked += len(page.Items)
		if out.Next = page.Next; out.Next == "" {
			break
		}
	}
	AtLeast(&out, first)
	return out, nil
}

// SiftRuns is Sift for an encrypted store.
func SiftRuns(
	q port.RunQuery, read func(port.RunQuery) (port.Page[port.RunRow], error),
) (port.Page[port.RunRow], error) {
	search := SearchFor(q.Text)
	q.Text = ""
	return Sift(PageSize(q.Limit), q.Cursor == "", func(cursor string, limit int) (port.Page[port.RunRow], error) {
		q.Cursor, q.Limit = cursor, limit
		return read(q)
	}, q.Cursor, func(r *port.RunRow) bool {
		return port.Matches(runWords(r, false), search.Words)
	}, func(r *port.RunRow) string {
		return Cursor{List: RunList, A: Nanos(r.StartedAt), ID: r.ID}.String()
	})
}

// SiftApprovals is Sift for an encrypted store.
func SiftApprovals(
	q port.ApprovalQuery, p *InboxPlan, read func(port.ApprovalQuery) (port.Page[port.ApprovalRow], error),
) (port.Page[port.ApprovalRow], error) {
	q.Text, q.NoTotal = "", true
	return Sift(p.Limit, q.Cursor == "", func(cursor string, limit int) (port.Page[port.ApprovalRow], error) {
		q.Cursor, q.Limit = cursor, limit
		return read(q)
	}, q.Cursor, func(a *port.ApprovalRow) bool {
		return port.Matches(approvalWords(a, false), p.Words)
	}, func(a *port.ApprovalRow) string {
		return p.Place(a).String()
	})
}

// WordsStep is the migration that adds the columns; FillWords fills earlier rows, in the same transaction.
const WordsStep = 19

const fillRows = 1_000

// FillWords fills in the words of earlier rows, as far as their values are not encrypted. Set stores the
// words of rows of a table.
func FillWords(tx RewriteTx, set func(table string, ids, words []string) error) error {
	for _, t := range []struct {
		table, columns string
		scan           func(Row) (id, words string, err error)
	}{{"runs", runTexts, scanRunWords}, {"approvals", approvalTexts, scanApprovalWords}} {
		for after := ""; ; {
			var ids, all []string
			err := tx.Query(fmt.Sprintf(`SELECT %s FROM %s WHERE id > ? ORDER BY id LIMIT %d`, t.columns, t.table,
				fillRows), []any{after}, func(row Row) error {
				id, words, err := t.scan(row)
				ids, all = append(ids, id), append(all, words)
				return err
			})
			if err != nil {
				return fmt.Errorf("read %s: %w", t.table, err)
			}
			if len(ids) == 0 {
				break
			}
			if err := set(t.table, ids, all); err != nil {
				return fmt.Errorf("index %s: %w", t.table, err)
			}
			after = ids[len(ids)-1]
		}
	}
	return nil
}

const (
	runTexts      = `id, workflow, owner, labels, subject, error`
	approvalTexts = `id, run, workflow, step, agent, tool, requester, asked, title, body`
)

// open is a stored text, or empty if it is encrypted.
func open(stored string) string {
	switch kind, _ := seal.LookText(stored); kind {
	case seal.Plain:
		return stored
	case seal.Escaped:
		return seal.UnescapeText(stored)
	}
	return ""
}

func scanRunWords(row Row) (id, words string, err error) {
	var r port.RunRow
	var labels string
	if err := row.Scan(&r.ID, &r.Workflow, &r.Owner, &labels, &r.Subject, &r.Error); err != nil {
		return "", "", err
	}
	r.Subject, r.Error = open(r.Subject), open(r.Error)
	r.Labels, err = ParseLabels(labels)
	return r.ID, column(runWords(&r, false)), err
}

func scanApprovalWords(row Row) (id, words string, err error) {
	var a port.ApprovalRow
	var asked string
	var body []byte
	if err := row.Scan(&a.ID, &a.Run, &a.Workflow, &a.Step, &a.Agent, &a.Tool, &a.Requester, &asked, &a.Title,
		&body); err != nil {
		return "", "", err
	}
	a.Title = open(a.Title)
	switch kind, _ := seal.Look(body); kind {
	case seal.Plain:
		a.Body = body
	case seal.Escaped:
		a.Body = seal.Unescape(body)
	}
	a.Asked, err = ParseNames(asked)
	return a.ID, column(approvalWords(&a, false)), err
}

// reword updates the words of a row from its stored values.
func reword(tx RewriteTx, table, id string) error {
	columns, scan := runTexts, scanRunWords
	if table == "approvals" {
		columns, scan = approvalTexts, scanApprovalWords
	}
	var words string
	err := tx.Query(`SELECT `+columns+` FROM `+table+` WHERE id = ?`, []any{id}, func(row Row) (err error) {
		_, words, err = scan(row)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Exec(`UPDATE `+table+` SET words = ? WHERE id = ? AND words <> ?`, words, id, words)
}
