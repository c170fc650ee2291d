package view

import (
	"github.com/assent-run/assent/internal/port"
)

// List is a part of a list as the API shows it.
type List[T any] struct {
	Items   []T    `json:"items"`       // The items of this page.
	Next    string `json:"next_cursor"` // The cursor of the next page; empty at the end.
	Total   int64  `json:"total"`
	AtLeast bool   `json:"total_is_lower_bound,omitempty"` // True if there are at least total items, but possibly more.
}

// PageOf shows every item of a page.
func PageOf[T, V any](p port.Page[T], view func(T) (V, error)) (List[V], error) {
	out := List[V]{Items: make([]V, 0, len(p.Items)), Next: p.Next, Total: p.Total, AtLeast: p.AtLeast}
	for _, item := range p.Items {
		v, err := view(item)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, v)
	}
	return out, nil
}

// Whole is a list that fits into one response.
func Whole[T any](items []T) List[T] {
	return List[T]{Items: NotNil(items), Total: int64(len(items))}
}

// NotNil is never null in JSON.
func NotNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
