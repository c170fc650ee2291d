package enginetest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// RunLogged runs the suite and passes on the logs that each test leaves, without times and ids, so that those of
// two engines can be compared.
func RunLogged(t *testing.T, open Open, logged func(name, log string)) { runSuite(t, open, logged) }

var (
	idPattern   = regexp.MustCompile(`\b(run|apr|dlv|blob)_[0-9A-Za-z]+`)
	timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	onePattern  = regexp.MustCompile(`\bp\d+`) // which of many people was the fastest
)

// longMost is how much of an event is compared literally.
const longMost = 2000

// logOf are the logs of all runs, the oldest run first.
func logOf(ctx context.Context, store Store, anyOrder bool) (string, error) {
	page, err := store.Runs(ctx, port.RunQuery{Limit: 100})
	if err != nil {
		return "", err
	}
	slices.SortFunc(page.Items, func(a, b port.RunRow) int { return cmp.Compare(a.ID, b.ID) })
	var out strings.Builder
	ids := map[string]string{}
	rename := func(id string) string {
		if _, ok := ids[id]; !ok {
			ids[id] = fmt.Sprintf("%s_%d", id[:3], len(ids)+1)
		}
		return ids[id]
	}
	for _, r := range page.Items {
		lines, err := linesOf(ctx, store, r.ID, rename)
		if err != nil {
			return "", err
		}
		if anyOrder {
			slices.Sort(lines)
		}
		fmt.Fprintf(&out, "%s %s\n%s\n", rename(r.ID), r.Status, strings.Join(lines, "\n"))
	}
	return out.String(), nil
}

func linesOf(ctx context.Context, store Store, id string, rename func(string) string) (lines []string, err error) {
	for after := int64(0); ; {
		records, err := store.Events(ctx, id, after, 1000)
		if err != nil || len(records) == 0 {
			return lines, err
		}
		for _, rec := range records {
			data, err := run.EncodeFact(rec.Fact)
			if err != nil {
				return nil, err
			}
			if len(data) > longMost {
				data = fmt.Appendf(nil, "%d bytes, %x", len(data), sha256.Sum256(data))
			}
			text := fmt.Sprintf("%T %s %s %s", rec.Fact, rec.Actor.Kind, rec.Actor.Name, data)
			text = timePattern.ReplaceAllString(idPattern.ReplaceAllStringFunc(text, rename), "T")
			lines = append(lines, onePattern.ReplaceAllString(text, "p"))
			after = rec.Seq
		}
	}
}
