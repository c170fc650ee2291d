package view

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

const (
	searchMost  = 200  // bytes of a search text
	searchRows  = 2000 // rows that one request examines
	SearchReads = 8    // pages that one request reads
	searchPage  = 50   // entries, by default
)

// Found reads pages until enough entries match a search. The store finds rows by their words; the text that the reader
// sees is searched once more here, since values may be masked for this reader and a search must not reveal them. Open
// means that nothing is masked: then the store's total is the reader's. Without a word it is the page that read
// returns.
func Found[V any](
	q, cursor string, limit int, open bool, read func(cursor string, limit int) (List[V], error),
	texts func(V) []string,
) (List[V], error) {
	if strings.TrimSpace(q) == "" {
		return read(cursor, limit)
	}
	words, err := SearchWords(q)
	if err != nil || len(words) == 0 {
		return List[V]{Items: []V{}}, err
	}
	return Kept(cursor, limit, open, read, func(v V) bool { return Contains(texts(v), words) })
}

// SearchWords splits a search text into words and refuses one that is too long.
func SearchWords(q string) ([]string, error) {
	if len(q) > searchMost {
		return nil, fault.Of("the search is not valid",
			[]fault.Problem{{Path: "q", Message: fmt.Sprintf("it has %d bytes; at most %d are accepted", len(q), searchMost)}})
	}
	return port.SearchWords(q), nil
}

// Kept reads pages until enough entries are kept, within a limited number of rows.
func Kept[V any](
	cursor string, limit int, open bool, read func(cursor string, limit int) (List[V], error), keep func(V) bool,
) (List[V], error) {
	if limit <= 0 {
		limit = searchPage
	}
	out := List[V]{Items: []V{}, Next: cursor}
	counted := List[V]{AtLeast: true}
	for seen, reads := 0, 0; ; {
		page, err := read(out.Next, limit-len(out.Items))
		if err != nil {
			return out, err
		}
		for _, v := range page.Items {
			if keep(v) {
				out.Items = append(out.Items, v)
			}
		}
		if reads == 0 {
			counted = page
		}
		seen, reads = seen+len(page.Items), reads+1
		out.Next = page.Next
		// The last few are left to the next page: reading them one by one takes too long.
		if page.Next == "" || seen >= searchRows || reads == SearchReads || 4*(limit-len(out.Items)) < limit {
			break
		}
	}
	out.Total, out.AtLeast = int64(len(out.Items)), out.Next != "" || cursor != ""
	if open && counted.Total > out.Total {
		out.Total, out.AtLeast = counted.Total, counted.AtLeast
	}
	return out, nil
}

// Contains reports whether the texts have every word of a search.
func Contains(texts, words []string) bool { return port.Matches(port.Words(texts...), words) }
