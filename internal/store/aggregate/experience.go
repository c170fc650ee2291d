package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	taughtColumns = `run, workflow, at, body`
	// The newest rows of each workflow.
	sqlRanked = `SELECT ` + taughtColumns + `,
		row_number() OVER (PARTITION BY workflow ORDER BY at DESC, run DESC) AS place FROM experience`

	sqlTaught = `SELECT ` + taughtColumns + ` FROM (` + sqlRanked + `) AS ranked WHERE place <= ?
		ORDER BY at DESC, run DESC LIMIT ?`
	sqlTaughtBefore = `SELECT ` + taughtColumns + ` FROM experience WHERE at <= ? ORDER BY run`
	sqlLearned      = `SELECT version FROM learned`
	sqlTeach        = `INSERT INTO experience (` + taughtColumns + `) VALUES (?, ?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET workflow = excluded.workflow, at = excluded.at, body = excluded.body`
	sqlSeqOf = `SELECT seq FROM runs WHERE id = ?`

	sqlUnlearn = `INSERT INTO unlearned (what, name, at) VALUES (?, ?, ?)
		ON CONFLICT (what, name) DO UPDATE SET at = excluded.at WHERE excluded.at > unlearned.at`
	sqlUnlearned     = `SELECT what, name, at FROM unlearned ORDER BY at, what, name`
	sqlUnlearnedRuns = `DELETE FROM experience WHERE at <= ? AND (? = '' OR run = ?) AND (? = '' OR workflow = ?)`

	sqlEndedRuns = `SELECT id, workflow, ended_at FROM runs WHERE ended_at > 0 AND test_mode = 0
		AND (ended_at < ? OR ended_at = ? AND id < ?) ORDER BY ended_at DESC, id DESC LIMIT ?`

	sqlPruneWorkflows = `DELETE FROM experience WHERE run IN (SELECT run FROM (` + sqlRanked + `) AS ranked
		WHERE place > ?)`
	sqlPruneOldest = `DELETE FROM experience WHERE run IN (SELECT run FROM (SELECT run,
		row_number() OVER (ORDER BY at DESC, run DESC) AS place FROM experience) AS ranked WHERE place > ?)`

	sqlAllTaught = `SELECT ` + taughtColumns + ` FROM experience WHERE run > ? ORDER BY run LIMIT ?`
	sqlReword    = `UPDATE experience SET body = ? WHERE run = ? AND body = ?`
	sqlUnword    = `DELETE FROM experience WHERE run = ? AND body = ?`
)

const rewordBatch = 500 // rows read at a time

// Experiences implements port.Experiences.
func (a *Aggregates) Experiences(ctx context.Context) (out []port.Experience, err error) {
	forgotten, err := a.Unlearnings(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := list(ctx, a, scanTaught, sqlTaught, port.ExperiencesWorkflow, port.ExperiencesMax)
	if err != nil {
		return nil, fmt.Errorf("read the experience of runs: %w", err)
	}
	for _, r := range slices.Backward(rows) {
		e, err := a.vault.DecodeTaught(&r)
		if err != nil {
			return nil, err
		}
		if e, left := storekit.Remembered(e, forgotten); left {
			out = append(out, e)
		}
	}
	return out, nil
}

// ExperienceVersion implements port.Experiences.
func (a *Aggregates) ExperienceVersion(ctx context.Context) (string, error) {
	var n int64
	if err := a.db.Row(ctx, sqlLearned).Scan(&n); err != nil {
		return "", fmt.Errorf("read the version of experience: %w", err)
	}
	return strconv.FormatInt(n, 10), nil
}

// Relearn implements port.Experiences.
func (a *Aggregates) Relearn(ctx context.Context, e port.Experience, seq int64) (done bool, err error) {
	forgotten, err := a.Unlearnings(ctx)
	if err != nil {
		return false, err
	}
	e, left := storekit.Remembered(e, forgotten)
	body, err := a.vault.EncodeTaught(e.Run, &e.Experience)
	if err != nil {
		return false, err
	}
	err = a.db.Write(ctx, len(body), func(tx Tx) error {
		var ends int64
		err := tx.RowForUpdate(sqlSeqOf, e.Run).Scan(&ends)
		if done = err == nil && ends == seq; !done {
			if errors.Is(err, sql.ErrNoRows) {
				err = nil
			}
			return err
		}
		if left {
			err = tx.Exec(sqlTeach, e.Run, storekit.Text(e.Workflow), storekit.Nanos(e.At), body)
		} else {
			err = tx.Exec(storekit.SQLUntaught, e.Run)
		}
		if err == nil {
			err = tx.Exec(storekit.SQLLearned)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("store the experience of run %s: %w", e.Run, err)
	}
	return done, nil
}

// Unlearn implements port.Experiences.
func (a *Aggregates) Unlearn(ctx context.Context, u port.Unlearning, audit ...port.AuditDraft) (n int, err error) {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return 0, err
	}
	if err := storekit.CheckUnlearning(&u); err != nil {
		return 0, err
	}
	what, name := storekit.UnlearnWords(u)
	err = a.db.WriteAlone(ctx, func(tx Tx) error {
		if n, err = a.unlearn(tx, u); err != nil {
			return err
		}
		if err := tx.Exec(sqlUnlearn, what, name, storekit.Nanos(u.At)); err != nil {
			return err
		}
		if err := tx.Exec(storekit.SQLLearned); err != nil {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return 0, fmt.Errorf("forget the experience of runs: %w", err)
	}
	return n, nil
}

// unlearn deletes rows, or what they say about a tool.
func (a *Aggregates) unlearn(tx Tx, u port.Unlearning) (int, error) {
	at := storekit.Nanos(u.At)
	if u.Tool == "" {
		n, err := tx.Changed(sqlUnlearnedRuns, at, u.Run, u.Run, u.Workflow, u.Workflow)
		return int(n), err
	}
	var rows []storekit.TaughtRow
	err := tx.Query(sqlTaughtBefore, []any{at}, func(row storekit.Row) error {
		r, err := scanTaught(row)
		rows = append(rows, r)
		return err
	})
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range rows {
		e, err := a.vault.DecodeTaught(&rows[i])
		if err != nil {
			return 0, err
		}
		if !mentions(&e, u.Tool) {
			continue
		}
		n++
		next, left := storekit.Remembered(e, []port.Unlearning{u})
		if !left {
			err = tx.Exec(storekit.SQLUntaught, e.Run)
		} else if rows[i].Body, err = a.vault.EncodeTaught(e.Run, &next.Experience); err == nil {
			err = tx.Exec(sqlTeach, e.Run, rows[i].Workflow, rows[i].At, rows[i].Body)
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

func mentions(e *port.Experience, tool string) bool {
	if slices.Contains(e.Tools, tool) {
		return true
	}
	for _, s := range e.Served {
		if slices.Contains(s.Tools, tool) || slices.Contains(s.Not, tool) {
			return true
		}
	}
	return false
}

// Unlearnings implements port.Experiences.
func (a *Aggregates) Unlearnings(ctx context.Context) ([]port.Unlearning, error) {
	out, err := list(ctx, a, func(row storekit.Row) (port.Unlearning, error) {
		var what, name string
		var at int64
		err := row.Scan(&what, &name, &at)
		return storekit.UnlearningOf(what, name, at), err
	}, sqlUnlearned)
	if err != nil {
		return nil, fmt.Errorf("read the requests to forget: %w", err)
	}
	return out, nil
}

// EndedRuns implements port.Experiences.
func (a *Aggregates) EndedRuns(ctx context.Context, after port.EndedRun, limit int) ([]port.EndedRun, error) {
	at := int64(1<<63 - 1)
	if !after.At.IsZero() {
		at = storekit.Nanos(after.At)
	}
	out, err := list(ctx, a, func(row storekit.Row) (r port.EndedRun, err error) {
		var at int64
		err = row.Scan(&r.Run, &r.Workflow, &at)
		r.At = storekit.Time(at)
		return r, err
	}, sqlEndedRuns, at, at, after.Run, min(max(limit, 1), port.ExperiencesMax))
	if err != nil {
		return nil, fmt.Errorf("list runs that have ended: %w", err)
	}
	return out, nil
}

// PruneExperiences implements port.Experiences.
func (a *Aggregates) PruneExperiences(ctx context.Context) (int, error) {
	total := int64(0)
	err := a.db.Write(ctx, 0, func(tx Tx) error {
		total = 0
		for _, one := range []struct {
			query string
			most  int
		}{{sqlPruneWorkflows, port.ExperiencesWorkflow}, {sqlPruneOldest, port.ExperiencesMax}} {
			n, err := tx.Changed(one.query, one.most)
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("delete outdated experience: %w", err)
	}
	return int(total), nil
}

// ForgetUndeclared implements port.Experiences.
func (a *Aggregates) ForgetUndeclared(ctx context.Context) (n int, err error) {
	for after := ""; ; {
		rows, err := list(ctx, a, scanTaught, sqlAllTaught, after, rewordBatch)
		if err != nil {
			return n, fmt.Errorf("read the experience of runs: %w", err)
		}
		for i := range rows {
			e, undeclared, err := a.vault.DecodeTaughtAs(&rows[i])
			if err == nil && undeclared {
				n++
				err = a.reword(ctx, &rows[i], &e)
			}
			if err != nil {
				return n, err
			}
		}
		if len(rows) < rewordBatch {
			return n, nil
		}
		after = rows[len(rows)-1].Run
	}
}

// reword replaces what a run taught by what is left of it, unless the run has taught something else since.
func (a *Aggregates) reword(ctx context.Context, row *storekit.TaughtRow, left *port.Experience) error {
	body, err := a.vault.EncodeTaught(row.Run, &left.Experience)
	if err != nil {
		return err
	}
	err = a.db.Write(ctx, len(body), func(tx Tx) error {
		if left.Empty() {
			err = tx.Exec(sqlUnword, row.Run, row.Body)
		} else {
			err = tx.Exec(sqlReword, body, row.Run, row.Body)
		}
		if err == nil {
			err = tx.Exec(storekit.SQLLearned)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget the requests in run %s: %w", row.Run, err)
	}
	return nil
}

func scanTaught(row storekit.Row) (r storekit.TaughtRow, err error) {
	return r, row.Scan(r.Fields()...)
}
