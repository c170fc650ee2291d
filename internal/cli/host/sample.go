package host

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
)

// auditSample is how many entries at the end of the audit log are checked, with the events of runs that they
// bind.
const auditSample = 2_000

// SampleAudit checks the end of the audit log.
func SampleAudit(ctx context.Context, log port.AuditOperation) error {
	first, err := log.Check(ctx, 0, 1)
	if err == nil && first.OK {
		first, err = log.Check(ctx, max(first.Total-auditSample, 0), auditSample)
	}
	if err != nil {
		return fmt.Errorf("check the audit log: %w", err)
	}
	if !first.OK {
		return fmt.Errorf("the audit log does not verify from entry %d on: %s", *first.FirstBad, first.Why)
	}
	return nil
}
