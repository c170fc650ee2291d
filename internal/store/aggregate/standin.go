package aggregate

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	standInColumns = `name, stand_in, since, until, set_by, set_at`

	sqlPutStandIn = `INSERT INTO stand_ins (` + standInColumns + `) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET stand_in = excluded.stand_in, since = excluded.since, until = excluded.until,
		set_by = excluded.set_by, set_at = excluded.set_at`
	sqlStandIn    = `SELECT ` + standInColumns + ` FROM stand_ins WHERE name = ?`
	sqlStandIns   = `SELECT ` + standInColumns + ` FROM stand_ins ORDER BY name LIMIT ?`
	sqlStandingIn = `SELECT ` + standInColumns + ` FROM stand_ins
		WHERE stand_in = ? AND until > ? AND since <= ? ORDER BY name LIMIT ?`
	sqlRemoveStandIn    = `DELETE FROM stand_ins WHERE name = ?`
	sqlRemoveStandingIn = `DELETE FROM stand_ins WHERE stand_in = ?`
)

// PutStandIn implements port.StandIns.
func (a *Aggregates) PutStandIn(ctx context.Context, p port.StandIn, audit ...port.AuditDraft) error {
	if err := storekit.CheckStandIn(&p); err != nil {
		return err
	}
	err := a.put(ctx, audit, nil, sqlPutStandIn,
		p.Name, p.To, storekit.Nanos(p.From), storekit.Nanos(p.Until), p.SetBy, storekit.Nanos(p.SetAt))
	if err != nil {
		return fmt.Errorf("store the stand-in of %s: %w", p.Name, err)
	}
	return nil
}

// StandIn implements port.StandIns.
func (a *Aggregates) StandIn(ctx context.Context, name string) (port.StandIn, error) {
	return one(ctx, a, scanStandIn, nil, sqlStandIn, "stand-in of", name)
}

// StandIns implements port.StandIns.
func (a *Aggregates) StandIns(ctx context.Context) ([]port.StandIn, error) {
	return identities(ctx, a, scanStandIn, "stand-ins", sqlStandIns, storekit.IdentitiesMax)
}

// StandingIn implements port.StandIns.
func (a *Aggregates) StandingIn(ctx context.Context, to string, at time.Time) ([]port.StandIn, error) {
	if !storekit.Word(to) {
		return nil, nil
	}
	now := storekit.Nanos(at)
	found, err := list(ctx, a, scanStandIn, sqlStandingIn, to, now, now, storekit.StandingMax)
	if err != nil {
		return nil, fmt.Errorf("read for whom %s stands in: %w", to, err)
	}
	return found, nil
}

var standInRemoval = removal[port.StandIn]{"stand-in of", scanStandIn, sqlStandIn, []string{sqlRemoveStandIn}}

// RemoveStandIn implements port.StandIns.
func (a *Aggregates) RemoveStandIn(
	ctx context.Context, name string, audit ...port.AuditDraft,
) (port.StandIn, error) {
	if _, err := storekit.Forms(audit); err != nil {
		return port.StandIn{}, err
	}
	notes := make([]port.Note[port.StandIn], len(audit))
	for i, draft := range audit {
		notes[i] = func(port.StandIn) port.AuditDraft { return draft }
	}
	return remove(ctx, a, standInRemoval, name, notes)
}

func scanStandIn(row storekit.Row) (s port.StandIn, err error) {
	var from, until, set int64
	err = row.Scan(&s.Name, &s.To, &from, &until, &s.SetBy, &set)
	s.From, s.Until, s.SetAt = storekit.Time(from), storekit.Time(until), storekit.Time(set)
	return s, err
}
