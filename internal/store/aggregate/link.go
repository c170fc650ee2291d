package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	linkColumns = `id, person, label, offer, expires_at, created_at`

	sqlOfferLink = `INSERT INTO links (` + linkColumns + `) VALUES (?, '', ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET label = excluded.label, offer = excluded.offer, expires_at = excluded.expires_at,
		created_at = excluded.created_at WHERE links.person = ''`
	sqlLink        = `SELECT ` + linkColumns + ` FROM links WHERE id = ?`
	sqlOfferedLink = `SELECT ` + linkColumns + ` FROM links WHERE offer = ? AND expires_at > ?`
	sqlTakeLink    = `UPDATE links SET person = ?, offer = '', created_at = ? WHERE id = ?`
	sqlLinksOf     = `SELECT ` + linkColumns + ` FROM links WHERE person = ? ORDER BY id LIMIT ?`
	sqlRemoveLink  = `DELETE FROM links WHERE id = ?`
	sqlRemoveLinks = `DELETE FROM links WHERE person = ?`
)

// OfferLink implements port.Links.
func (a *Aggregates) OfferLink(ctx context.Context, l port.Link) error {
	if !storekit.Word(l.ID) || !storekit.Word(l.Offer) || l.Label != "" && !storekit.Word(l.Label) ||
		l.ExpiresAt.IsZero() || l.CreatedAt.IsZero() {
		return fault.New(fault.Invalid, "the link is not valid", "")
	}
	err := a.put(ctx, nil, fault.New(fault.Conflict, "the user is linked already", ""), sqlOfferLink, l.ID, l.Label,
		l.Offer, storekit.Nanos(l.ExpiresAt), storekit.Nanos(l.CreatedAt))
	if err != nil {
		return fmt.Errorf("offer a link: %w", err)
	}
	return nil
}

var errNoOffer = fault.New(fault.NotFound, "the link was used already, or has expired", "ask for another one")

// OfferedLink implements port.Links.
func (a *Aggregates) OfferedLink(ctx context.Context, offer string, at time.Time) (port.Link, error) {
	if !storekit.Word(offer) {
		return port.Link{}, errNoOffer
	}
	l, err := scanLink(a.db.Row(ctx, sqlOfferedLink, offer, storekit.Nanos(at)))
	if errors.Is(err, sql.ErrNoRows) {
		return port.Link{}, errNoOffer
	}
	if err != nil {
		return port.Link{}, fmt.Errorf("read the offer of a link: %w", err)
	}
	return l, nil
}

// TakeLink implements port.Links.
func (a *Aggregates) TakeLink(
	ctx context.Context, offer, person string, at time.Time, audit ...port.Note[port.Link],
) (out port.Link, err error) {
	if !storekit.Word(offer) {
		return out, errNoOffer
	}
	if !storekit.Word(person) {
		return out, fault.New(fault.Invalid, "the link is not valid", "")
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		l, err := scanLink(tx.RowForUpdate(sqlOfferedLink, offer, storekit.Nanos(at)))
		if errors.Is(err, sql.ErrNoRows) {
			return errNoOffer
		}
		if err == nil {
			err = tx.Exec(sqlTakeLink, person, storekit.Nanos(at), l.ID)
		}
		if err != nil {
			return err
		}
		l.Person, l.Offer, l.CreatedAt = person, "", at.UTC()
		out = l
		return record(tx, l, audit)
	})
	if err != nil {
		return port.Link{}, fmt.Errorf("accept a link: %w", err)
	}
	return out, nil
}

// Link implements port.Links.
func (a *Aggregates) Link(ctx context.Context, id string) (port.Link, error) {
	return one(ctx, a, scanLink, nil, sqlLink, "link", id)
}

// LinksOf implements port.Links.
func (a *Aggregates) LinksOf(ctx context.Context, person string) ([]port.Link, error) {
	if !storekit.Word(person) {
		return nil, nil
	}
	all, err := list(ctx, a, scanLink, sqlLinksOf, person, port.LinksMax)
	if err != nil {
		return nil, fmt.Errorf("read the links of %s: %w", person, err)
	}
	return all, nil
}

var linkRemoval = removal[port.Link]{"link", scanLink, sqlLink, []string{sqlRemoveLink}}

// RemoveLink implements port.Links.
func (a *Aggregates) RemoveLink(
	ctx context.Context, id string, audit ...port.Note[port.Link],
) (port.Link, error) {
	return remove(ctx, a, linkRemoval, id, audit)
}

func scanLink(row storekit.Row) (l port.Link, err error) {
	var expires, created int64
	err = row.Scan(&l.ID, &l.Person, &l.Label, &l.Offer, &expires, &created)
	l.ExpiresAt, l.CreatedAt = storekit.Time(expires), storekit.Time(created)
	return l, err
}
