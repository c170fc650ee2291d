package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

var errClosed = fmt.Errorf("%w: it is closed", port.ErrUnavailable)

// explain distinguishes the server's errors from ours.
func explain(err error) error {
	if err == nil || fault.CodeOf(err) != "" || errors.Is(err, port.ErrUnavailable) {
		return err
	}
	if errors.Is(err, puddle.ErrClosedPool) {
		return errClosed
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		if why := reason(pg.Code); why != "" {
			return port.Unavailable(why, err)
		}
		return err
	}
	if lost(err) {
		return port.Unavailable("the database does not respond", err)
	}
	return err
}

// reason explains error classes of the server that are unrelated to the query.
func reason(code string) string {
	switch {
	case code == "53100":
		return "the database's disk is full"
	case code == "53300":
		return "the database has no connections left"
	case code == "25006":
		return "the database is read-only"
	case code == "3D000":
		return "database not found"
	case strings.HasPrefix(code, "28"):
		return "the database refused the login"
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"),
		strings.HasPrefix(code, "58"), strings.HasPrefix(code, "53"):
		return "the database is not available"
	}
	return ""
}

// lost reports whether the connection broke, so that the outcome of the statement is unknown.
func lost(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08")
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}

// again reports whether the server rolled back a transaction because of a conflict: nothing is stored, and a
// retry may succeed.
func again(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// readOnly reports whether the server is a replica that has not taken over yet.
func readOnly(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "25006"
}
