package aggregate

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// paging is a page of a table: newest first, by its keys.
type paging[T any] struct {
	table, columns string
	keys           string // columns of the order, the last one unique
	scan           scanner[T]
	cursor         func(*T) storekit.Cursor
}

// page counts the rows that match the conditions and reads a page of them. After is where the last page
// ended.
func page[T any](
	ctx context.Context, a *Aggregates, p *paging[T], w *storekit.Where, after []any, limit int,
) (out port.Page[T], err error) {
	count := w.Then(`SELECT count(*) FROM (SELECT 1 FROM `+p.table+` WHERE `, fmt.Sprintf(` LIMIT %d) n`,
		storekit.CountMax+1))
	if after != nil {
		w.Add("("+p.keys+") < ("+strings.TrimSuffix(strings.Repeat("?, ", len(after)), ", ")+")", after...)
	}
	order := strings.ReplaceAll(p.keys, ", ", " DESC, ") + " DESC"
	read := w.Then(`SELECT `+p.columns+` FROM `+p.table+` WHERE `, ` ORDER BY `+order+` LIMIT ?`, limit+1)
	total, err := a.db.Page(ctx, count, read, func(r storekit.Row) error {
		v, err := p.scan(r)
		out.Items = append(out.Items, v)
		return err
	})
	if err != nil {
		return port.Page[T]{}, err
	}
	out.Total, out.AtLeast = min(total, storekit.CountMax), total > storekit.CountMax
	if len(out.Items) > limit {
		out.Items = out.Items[:limit]
		out.Next = p.cursor(&out.Items[limit-1]).String()
	}
	return out, nil
}

// Measure determines how often a sight's reader is asked. The set of its queries is fixed: one for each
// number of names.
func (a *Aggregates) Measure(ctx context.Context, s *storekit.Sight) error {
	size, ask := s.Size()
	if !ask {
		return nil
	}
	var n int
	err := a.db.Row(ctx, size.SQL, size.Args...).Scan(&n)
	s.Often(n)
	return err
}

// seen adds the condition that the reader sees the run of a row.
func (a *Aggregates) seen(ctx context.Context, w *storekit.Where, scope *port.Scope, table string) error {
	sight, err := storekit.See(scope)
	if err == nil {
		err = a.Measure(ctx, sight)
	}
	if err != nil || sight == nil {
		return err
	}
	c := sight.OfRun(table)
	w.Add(c.SQL, c.Args...)
	return nil
}

// after are the keys of a cursor with one number.
func after(c *storekit.Cursor) []any {
	if c == nil {
		return nil
	}
	return []any{c.A, c.ID}
}
