package request

import (
	"encoding/base64"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/view"
)

// Page is a page of a complete list, in the order of its names.
func Page[T any](all view.List[T], q Query, name func(T) string) (view.List[T], error) {
	items, cursor := all.Items, q.Text("cursor")
	if cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return all, badCursor()
		}
		at := slices.IndexFunc(items, func(t T) bool { return name(t) == string(after) })
		if at < 0 {
			return all, badCursor()
		}
		items = items[at+1:]
	}
	all.Items = items
	if limit := q.Limit(); len(items) > limit {
		all.Items = items[:limit]
		all.Next = base64.RawURLEncoding.EncodeToString([]byte(name(items[limit-1])))
	}
	return all, nil
}

func badCursor() error {
	return fault.New(fault.Invalid, "the cursor is not valid for this list", "remove it to start at the beginning")
}
