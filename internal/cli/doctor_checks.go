package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/jackc/pgx/v5"
)

// doctor examines one configuration.
type doctor struct {
	*tool
	config *config.Config
	mark   host.Mark
	served bool
	alive  bool // the server answers
}

func (d *doctor) settings() finding {
	if err := serveable(d.config); err != nil {
		return bad("settings", "see: assent config", "%v", err)
	}
	from := "no file; flags, environment and defaults"
	if d.config.File != "" {
		from = "with " + d.config.File
	}
	return good("settings", "%s", from)
}

// links checks that messages can contain links to the server.
func (d *doctor) links() finding {
	public, err := d.config.SignIn.Public()
	switch {
	case err != nil:
		return bad("links", "see: assent config", "%v", err)
	case public == nil:
		return doubtful("links", "set public_url to the address that people open, such as https://assent.example.com",
			"messages by e-mail, Slack, Teams and push contain no link")
	}
	return good("links", "links in messages point to %s", public)
}

// released is a time that has certainly passed.
var released = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (d *doctor) clock() finding {
	now := d.Now()
	if now.Before(released) {
		return bad("clock", "set the clock: deadlines depend on it", "the clock shows %s", show.Moment(now))
	}
	_, offset := now.Zone()
	return good("clock", "%s (%+.1f h)", show.Moment(now), float64(offset)/3600)
}

// skewMax is the clock skew from which deadlines look odd.
const skewMax = 5 * time.Second

func (d *doctor) server(ctx context.Context) finding {
	if !d.served {
		return good("server", "not running on %s", d.config.Data)
	}
	c := client.New(d.mark.Address, client.As{}, nil)
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, helloMax)
	defer cancel()
	skew, err := c.Health(ctx)
	if err != nil {
		return bad("server", fmt.Sprintf("check process %d; if it is another program, remove server.json in %s", d.mark.PID,
			d.config.Data), "no response: %v", err)
	}
	d.alive = true
	if skew.Abs() > skewMax {
		return doubtful("server", "synchronise the clocks", "%s responds, but its clock differs by %s", d.mark.Address,
			show.Duration(skew.Abs()))
	}
	return good("server", "%s responds (%s, process %d)", d.mark.Address, d.mark.Version, d.mark.PID)
}

func (d *doctor) ready(ctx context.Context) finding {
	mark, served := host.ReadMark(d.config.Data)
	if !served {
		return bad("server", "start it with: assent serve", "not running on %s", d.config.Data)
	}
	c := client.New(mark.Address, client.As{}, nil)
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, helloMax)
	defer cancel()
	if err := c.Ready(ctx); err != nil {
		return bad("server", "see its log", "%s is not ready: %v", mark.Address, err)
	}
	return good("server", "%s is ready", mark.Address)
}

func (d *doctor) port() finding {
	l, err := net.Listen("tcp", d.config.Addr)
	switch {
	case err == nil:
		_ = l.Close() // it was only tried
		return good("port", "%s is free", d.config.Addr)
	case d.alive && d.mark.Address == "http://"+d.config.Addr:
		return good("port", "%s is in use by this server", d.config.Addr)
	case errors.Is(err, syscall.EADDRINUSE) && d.config.From("addr") == config.Default:
		return doubtful("port", "the server will use another one", "%s is in use by another program", d.config.Addr)
	}
	return bad("port", "choose another with --addr", "%v", err)
}

func (d *doctor) directory() finding {
	info, err := os.Stat(d.config.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return good("data", "%s does not exist yet; the first start creates it", d.config.Data)
	}
	if err != nil || !info.IsDir() {
		return bad("data", "choose another directory with --data", "%s cannot be used: %v", d.config.Data, err)
	}
	f, err := os.CreateTemp(filepath.Join(d.config.Data), "doctor-")
	if err != nil {
		return bad("data", "give this user write permission there", "%v", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return bad("data", "check the disk", "%v", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return doubtful("data", "chmod 700 "+d.config.Data, "%s is readable by other users (%s)", d.config.Data, mode)
	}
	return good("data", "%s is writable", d.config.Data)
}

// Free space below which the store will soon be in trouble.
const (
	spaceMin  = 100 << 20
	spaceGood = 1 << 30
)

// existing is the data directory, or its nearest existing parent.
func (d *doctor) existing() string {
	dir, _ := filepath.Abs(d.config.Data) // an absolute path stays, and any other has a working directory
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func (d *doctor) space() finding {
	free, err := freeSpace(d.existing())
	switch {
	case err != nil:
		return doubtful("disk", "", "free space unknown: %v", err)
	case free < spaceMin:
		return bad("disk", "free some space: nothing can be stored", "only %s free", show.Size(free))
	case free < spaceGood:
		return doubtful("disk", "free some space soon", "%s free", show.Size(free))
	}
	return good("disk", "%s free", show.Size(free))
}

// Flushes slower than this make every decision feel slow.
const (
	flushes   = 15
	flushSlow = 20 * time.Millisecond
)

// flush measures the time every commit waits for.
func (d *doctor) flush() finding {
	f, err := os.CreateTemp(d.existing(), "doctor-")
	if err != nil {
		return bad("fsync", "check the disk", "%v", err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // ours, and without content
	defer f.Close()           //nolint:errcheck // the same
	took := make([]time.Duration, flushes)
	block := make([]byte, 4096)
	for i := range took {
		began := time.Now()
		if _, err := f.Write(block); err != nil {
			return bad("fsync", "check the disk", "%v", err)
		}
		if err := f.Sync(); err != nil {
			return bad("fsync", "check the disk", "%v", err)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	middle, worst := took[len(took)/2], took[len(took)-1]
	note := fmt.Sprintf("median %.2f ms, worst %.2f ms", ms(middle), ms(worst))
	if middle > flushSlow {
		return doubtful("fsync", "use a faster disk: every commit waits for it", "%s", note)
	}
	return good("fsync", "%s", note)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (d *doctor) database(ctx context.Context) finding {
	address, err := d.config.DatabaseURL()
	if err != nil {
		return bad("database", "see: assent config", "%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*helloMax)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return bad("database", "check --db, the network and the database", "%v", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // only asked
	var version string
	var at time.Time
	if err := conn.QueryRow(ctx, `SELECT current_setting('server_version'), now()`).Scan(&version, &at); err != nil {
		return bad("database", "check the database", "%v", err)
	}
	if skew := d.Now().Sub(at).Abs(); skew > skewMax {
		return doubtful("database", "synchronise the clocks", "PostgreSQL %s responds, but its clock differs by %s",
			version, show.Duration(skew))
	}
	return good("database", "PostgreSQL %s responds", version)
}
