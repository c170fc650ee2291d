package app

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
)

const (
	searchMost = 200  // bytes of a search
	searchRows = 2000 // rows that one request looks at
	searchPage = 50   // entries, where the reader names no number
)

// found reads pages until as many entries as wanted contain every word of a
// search. Words are looked for in what the reader sees: values may be encrypted
// in the store and masked for this reader, and a search must tell neither. It
// looks at a limited number of rows; the cursor continues behind them. Without a
// word it is the page that read returns.
func found[V any](
	q, cursor string, limit int, read func(cursor string, limit int) (ListView[V], error), texts func(V) []string,
) (ListView[V], error) {
	if strings.TrimSpace(q) == "" {
		return read(cursor, limit)
	}
	if len(q) > searchMost {
		return ListView[V]{}, fault.Of("the search is not valid", []fault.Problem{{Path: "q", Message: fmt.Sprintf("it has %d bytes; at most %d are accepted", len(q), searchMost)}})
	}
	words := strings.Fields(strings.ToLower(q))
	return kept(cursor, limit, read, func(v V) bool { return contains(texts(v), words) })
}

// kept reads pages until as many entries as wanted are to be kept, within a limited
// number of rows.
func kept[V any](
	cursor string, limit int, read func(cursor string, limit int) (ListView[V], error), keep func(V) bool,
) (ListView[V], error) {
	if limit <= 0 {
		limit = searchPage
	}
	out := ListView[V]{Items: []V{}, Next: cursor}
	for seen := 0; ; {
		page, err := read(out.Next, limit-len(out.Items))
		if err != nil {
			return out, err
		}
		for _, v := range page.Items {
			if keep(v) {
				out.Items = append(out.Items, v)
			}
		}
		seen += len(page.Items)
		out.Next = page.Next
		// The last few are left to the next page: reading them one by one takes too long.
		if page.Next == "" || seen >= searchRows || 4*(limit-len(out.Items)) < limit {
			break
		}
	}
	out.Total, out.AtLeast = int64(len(out.Items)), out.Next != "" || cursor != ""
	return out, nil
}

// contains reports whether every word is in one of the texts.
func contains(texts, words []string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

func (v RunSummary) texts() []string {
	out := []string{v.ID, v.Workflow, v.Subject, v.Owner}
	for name, value := range v.Labels {
		out = append(out, name+":"+value)
	}
	if v.Error != nil {
		out = append(out, *v.Error)
	}
	return out
}

func (v ApprovalView) texts() []string {
	return []string{v.ID, v.Run, v.Workflow, v.Title, v.Subject, v.Step, v.Gate, v.Agent, v.Action.Tool, v.Requester}
}
