package storetest

import (
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// countBound: totals are exact up to 10,000, and marked when there are more.
func countBound(t *testing.T, s store.Store) {
	const most = 10_000
	drafts := make([]port.AuditDraft, most)
	for i := range drafts {
		drafts[i] = fixture.AuditDraft("approval.decided", "apr_1", "run_1")
		drafts[i].At = fixture.Began
	}
	for n := int64(most); n <= most+1; n++ {
		_, err := s.AppendAudit(t.Context(), drafts...)
		fixture.Must(t, err)
		page, err := s.AuditEntries(t.Context(), port.AuditQuery{Limit: 1})
		fixture.Must(t, err)
		if page.Total != most || page.AtLeast != (n > most) || len(page.Items) != 1 || page.Next == "" {
			t.Errorf("of %d entries %d are counted, at least: %v", n, page.Total, page.AtLeast)
		}
		drafts = drafts[:1]
	}
}
