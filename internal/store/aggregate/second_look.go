package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

var lookPaging = paging[port.SecondLook]{
	table: "second_looks", columns: storekit.LookColumns, keys: "at, id",
	scan: func(row storekit.Row) (port.SecondLook, error) {
		var r storekit.LookRow
		err := row.Scan(r.Fields()...)
		return r.Look(), err
	},
	cursor: func(l *port.SecondLook) storekit.Cursor {
		return storekit.Cursor{List: storekit.SecondLookList, A: storekit.Nanos(l.At), ID: l.ID}
	},
}

// SecondLooks implements port.Lists.
func (a *Aggregates) SecondLooks(
	ctx context.Context, q port.SecondLookQuery,
) (out port.Page[port.SecondLook], err error) {
	from, err := storekit.ParseCursor(q.Cursor, storekit.SecondLookList)
	if err != nil {
		return out, err
	}
	w := &storekit.Where{}
	w.Eq("run", q.Run)
	w.Eq("workflow", q.Workflow)
	w.Eq("agent", q.Agent)
	if err = a.seen(ctx, w, q.Scope, "second_looks"); err == nil {
		out, err = page(ctx, a, &lookPaging, w, after(from), storekit.PageSize(q.Limit))
	}
	if err != nil {
		return port.Page[port.SecondLook]{}, fmt.Errorf("list results for a second look: %w", err)
	}
	return out, nil
}
