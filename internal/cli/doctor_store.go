package cli

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// store checks the schema and reads the whole store. A server that has the store open does so itself.
func (d *doctor) store(ctx context.Context) []finding {
	path := filepath.Join(d.config.Data, "assent.db")
	if _, err := os.Stat(path); err != nil {
		return []finding{good("store", "not created yet")}
	}
	has, err := schemaVersion(ctx, path)
	if err != nil {
		return []finding{bad("schema", "restore a backup", "%v", err)}
	}
	wants, err := currentSchema(ctx)
	if err != nil {
		return []finding{bad("schema", "check the disk for temporary files", "%v", err)}
	}
	switch {
	case has > wants:
		return []finding{bad("schema", "use the newer release again",
			"the store has version %d, this release supports up to %d", has, wants)}
	case has < wants: // opening it would change it
		return []finding{doubtful("schema", "back it up first; the next start upgrades it",
			"the store has version %d, this release uses %d", has, wants)}
	}
	return []finding{good("schema", "version %d", has), d.integrity(ctx), d.channels(ctx)}
}

func schemaVersion(ctx context.Context, path string) (version int, err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+
		"?_pragma=busy_timeout(2000)&_pragma=query_only(1)")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
	return version, err
}

// currentSchema is the schema that this release creates in an empty directory.
func currentSchema(ctx context.Context) (version int, err error) {
	dir, err := os.MkdirTemp("", "assent-doctor-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	if err := s.Close(); err != nil {
		return 0, err
	}
	return schemaVersion(ctx, filepath.Join(dir, "assent.db"))
}

func (d *doctor) integrity(ctx context.Context) finding {
	began := d.Now()
	err := d.check(ctx)
	var away *client.Unreachable
	var missing *seal.MissingError
	switch {
	case errors.As(err, &missing):
		return bad("store", "name the file or variable with the key in encryption_keys", "%v", err)
	case errors.As(err, &away), errors.Is(err, port.ErrUnavailable):
		return doubtful("store", "run this again when that process has ended", "could not be read: %v", err)
	case err != nil:
		return bad("store", "stop the server, keep a copy of the directory, and restore a backup", "%v", err)
	}
	by := ""
	if d.alive {
		by = " by the server"
	}
	return good("store", "read%s in %s: no damage", by, show.Duration(d.Now().Sub(began)))
}

func (d *doctor) check(ctx context.Context) error {
	if d.alive {
		return d.asked(ctx, host.AdminCheck, &host.AdminAnswer{})
	}
	keys, _, err := d.config.Keys()
	if err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, d.config.Data, keys...)
	if err != nil {
		return err
	}
	return errors.Join(s.Check(ctx), host.SampleAudit(ctx,
		audit.New(audit.Config{Store: s, Anchor: audit.AnchorFor(d.config.Data, "")})), d.future(ctx, s), s.Close())
}

// future finds events with a time in the future.
func (d *doctor) future(ctx context.Context, s *sqlite.Store) error {
	head, err := s.Head(ctx)
	if err != nil || head == 0 {
		return err
	}
	last, _, err := s.Feed(ctx, head-1, 1, port.FeedFilter{})
	if err != nil || len(last) == 0 {
		return err
	}
	if ahead := last[0].At.Sub(d.Now()); ahead > time.Minute {
		return fmt.Errorf("the newest event is %s in the future: the clock was set back", show.Duration(ahead))
	}
	return nil
}

// channels finds those in which people decide and that a program put in force: earlier releases let it.
func (d *doctor) channels(ctx context.Context) finding {
	found, err := d.channelsOfPrograms(ctx)
	switch {
	case err != nil:
		return doubtful("channels", "run this again when the store can be read", "could not be checked: %v", err)
	case len(found) > 0:
		return doubtful("channels", registry.ChannelAdvice, "people decide in channels that a program saved: %s",
			show.Line(strings.Join(found, ", ")))
	}
	return good("channels", "those in which people decide were saved by people or from files")
}

func (d *doctor) channelsOfPrograms(ctx context.Context) (found []string, err error) {
	if d.alive {
		var out host.AdminAnswer
		err := d.asked(ctx, host.AdminDoubts, &out)
		return out.Channels, err
	}
	if !d.config.DB.IsZero() {
		return nil, errors.New("the server is not running")
	}
	keys, _, err := d.config.Keys()
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, d.config.Data, keys...)
	if err != nil {
		return nil, err
	}
	found, err = registry.ChannelsOfPrograms(ctx, s)
	return found, errors.Join(err, s.Close())
}

// unreachedMax is how many people are named.
const unreachedMax = 5

// people finds those who cannot be notified of approvals. Only a running server knows whom its channels reach.
func (d *doctor) people(ctx context.Context) []finding {
	if !d.alive {
		return nil
	}
	var out host.AdminAnswer
	if err := d.asked(ctx, host.AdminReach, &out); err != nil || out.Reach == nil {
		return []finding{doubtful("people", "see the server's log", "could not be checked: %v", err)}
	}
	r := out.Reach
	switch n := len(r.Unreached); {
	case r.Channels == 0:
		return []finding{good("people", "no channel announces approvals; they are shown on the pages only")}
	case n == 0:
		return []finding{good("people", "approvals are announced to everyone (%d)", r.People)}
	default:
		var why []string
		for _, u := range r.Unreached[:min(n, unreachedMax)] {
			why = append(why, show.Line(u.Why))
		}
		if n > unreachedMax {
			why = append(why, fmt.Sprintf("and %d more", n-unreachedMax))
		}
		return []finding{doubtful("people", "they can set this on the page Notifications; or add a channel that reaches "+
			"them to fallback", "%d of %d cannot be notified of approvals, and see them on the pages only: %s", n, r.People,
			strings.Join(why, "; "))}
	}
}

// asked has the server do a task.
func (d *doctor) asked(ctx context.Context, task string, out *host.AdminAnswer) error {
	c := client.New(d.mark.Address, client.As{}, nil)
	defer c.Close()
	s := &session{Client: c, tool: d.tool, token: d.mark.Token}
	return s.admin(ctx, task, host.Admin{}, out)
}
