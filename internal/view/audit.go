package view

import (
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// AuditColumns are the columns of the audit log as a table.
var AuditColumns = []string{"n", "at", "actor_kind", "actor", "action", "target", "run", "outcome", "detail", "values",
	"hash"}

// AuditCells is an entry as a row of the table.
func AuditCells(e port.AuditEntry) ([]string, error) {
	values := ""
	if len(e.Values) > 0 {
		raw, err := value.Marshal(e.Values)
		if err != nil {
			return nil, err
		}
		values = string(raw)
	}
	cells := []string{
		strconv.FormatInt(e.N, 10), e.At.Format(time.RFC3339Nano), string(e.Actor.Kind), e.Actor.Name,
		e.Action, e.Target, e.Run,
		string(e.Outcome), string(e.Detail), values, e.Hash,
	}
	for i := range cells {
		cells[i] = harmlessCell(cells[i])
	}
	return cells, nil
}

// harmlessCell keeps spreadsheets from reading text as a formula.
func harmlessCell(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + s
	}
	return s
}
