package app

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const (
	searchMost  = 200  // bytes of a search text
	searchRows  = 2000 // rows that one request examines
	searchReads = 8    // pages that one request reads
	searchPage  = 50   // entries, by default
)

// found reads pages until enough entries match a search. The store finds rows by their words; the text that the reader
// sees is searched once more here, since values may be masked for this reader and a search must not reveal them. Open
// means that nothing is masked: then the store's total is the reader's. Without a word it is the page that read
// returns.
func found[V any](
	q, cursor string, limit int, open bool, read func(cursor string, limit int) (view.List[V], error),
	texts func(V) []string,
) (view.List[V], error) {
	if strings.TrimSpace(q) == "" {
		return read(cursor, limit)
	}
	words, err := searchWords(q)
	if err != nil || len(words) == 0 {
		return view.List[V]{Items: []V{}}, err
	}
	return kept(cursor, limit, open, read, func(v V) bool { return contains(texts(v), words) })
}

// searchWords splits a search text into words and refuses one that is too long.
func searchWords(q string) ([]string, error) {
	if len(q) > searchMost {
		return nil, fault.Of("the search is not valid",
			[]fault.Problem{{Path: "q", Message: fmt.Sprintf("it has %d bytes; at most %d are accepted", len(q), searchMost)}})
	}
	return port.SearchWords(q), nil
}

// kept reads pages until enough entries are kept, within a limited number of rows.
func kept[V any](
	cursor string, limit int, open bool, read func(cursor string, limit int) (view.List[V], error), keep func(V) bool,
) (view.List[V], error) {
	if limit <= 0 {
		limit = searchPage
	}
	out := view.List[V]{Items: []V{}, Next: cursor}
	counted := view.List[V]{AtLeast: true}
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
		if page.Next == "" || seen >= searchRows || reads == searchReads || 4*(limit-len(out.Items)) < limit {
			break
		}
	}
	out.Total, out.AtLeast = int64(len(out.Items)), out.Next != "" || cursor != ""
	if open && counted.Total > out.Total {
		out.Total, out.AtLeast = counted.Total, counted.AtLeast
	}
	return out, nil
}

// seesAll reports whether nothing is masked for the reader.
func (a *App) seesAll(who Who) bool {
	return !a.masking.Any() || a.rules().Decide(a.subject(who), access.Unmasked, access.Object{}).Allowed
}

// contains reports whether the texts have every word of a search.
func contains(texts, words []string) bool { return port.Matches(port.Words(texts...), words) }
