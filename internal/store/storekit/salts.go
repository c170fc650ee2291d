package storekit

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/port"
)

// saltsAtOnce is how many runs one statement covers. It is always that many, with the last one repeated, so
// that there is one statement to prepare.
const saltsAtOnce = 100

var (
	sqlSalts = `SELECT run, salt FROM event_salts WHERE run IN (?` + strings.Repeat(", ?", saltsAtOnce-1) + `)`
	// A run whose payloads are deleted gets none: a reader from before the deletion could leave a digest of
	// them, with its salt, behind.
	sqlMakeSalts = `INSERT INTO event_salts (run, salt) SELECT c.column1, c.column2
		FROM (VALUES (?, ?)` + strings.Repeat(", (?, ?)", saltsAtOnce-1) + `) AS c
		WHERE EXISTS (SELECT 1 FROM runs r WHERE r.id = c.column1)
		AND NOT EXISTS (SELECT 1 FROM removals m WHERE m.run = c.column1 AND (m.done = 1 OR m.files <> ''))
		ON CONFLICT (run) DO NOTHING`
)

// EventSalts reads the salts of runs; see port.AuditLog.
func (v *Vault) EventSalts(tx RewriteTx, runs []string) (map[string]string, error) {
	out := make(map[string]string, len(runs))
	for some := range slices.Chunk(runs, saltsAtOnce) {
		args := make([]any, saltsAtOnce)
		for i := range args {
			args[i] = some[min(i, len(some)-1)]
		}
		err := tx.Query(sqlSalts, args, func(row Row) error {
			var id, salt string
			err := row.Scan(&id, &salt)
			if err == nil {
				out[id], err = v.OpenText(salt, atSalt(id))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// MakeEventSalts adds a salt to runs that have none, without concurrent writes.
func (v *Vault) MakeEventSalts(tx RewriteTx, runs []string) error {
	for some := range slices.Chunk(runs, saltsAtOnce) {
		args := make([]any, 0, 2*saltsAtOnce)
		for i := range saltsAtOnce {
			id := some[min(i, len(some)-1)]
			args = append(args, id, v.Text(port.NewSalt(), atSalt(id)))
		}
		if err := tx.Exec(sqlMakeSalts, args...); err != nil {
			return err
		}
	}
	return nil
}

// Saltless are those of the runs that have no salt.
func Saltless(runs []string, salts map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(runs), func(id string) bool { return salts[id] != "" })
}
