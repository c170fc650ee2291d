package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

var errClosed = fmt.Errorf("%w: it is closed", port.ErrUnavailable)

// explain adds an actionable message to SQLite's errors.
func explain(err error) error {
	if err == nil || fault.CodeOf(err) != "" || errors.Is(err, port.ErrUnavailable) || errors.Is(err,
		context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	why := ""
	var e *sqlite.Error
	switch {
	case errors.As(err, &e):
		why = reason(e.Code() & 0xff)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		why = "the disk is full"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		why = "the directory cannot be written to"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EEXIST):
		why = "a directory is needed, but another kind of file is in its place"
	case errors.Is(err, syscall.EISDIR):
		why = "a file is needed, but a directory is in its place"
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, errDBClosed):
		return errClosed
	}
	if why == "" {
		return err
	}
	return port.Unavailable(why, err)
}

// errDBClosed is matched by its text: database/sql does not export it.
var errDBClosed = func() error {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	_ = db.Close() // it was never connected
	return db.Ping()
}()

func reason(code int) string {
	switch code {
	case lib.SQLITE_FULL:
		return "the disk is full"
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return "the directory cannot be written to"
	case lib.SQLITE_CANTOPEN:
		return "a file cannot be opened or created"
	case lib.SQLITE_IOERR:
		return "the disk reports an error"
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return "the database is damaged or not a database; restore a backup"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return "another program has locked the database"
	case lib.SQLITE_NOMEM:
		return "out of memory"
	}
	return ""
}
