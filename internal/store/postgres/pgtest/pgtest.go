//go:build unix

// Package pgtest provides tests with a real PostgreSQL: a private server per test binary, on a socket in a
// temporary directory.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//	func TestX(t *testing.T) { url := pgtest.Database(t) … }
//
// Database copies a database with the tables of this release, which is much faster than creating them; Empty
// is for tests of migrations.
//
// Several test binaries can share a server: Share starts it and returns the environment variable with its
// location. The command in share does that for make test.
//
// A program that is not a test uses New and Stop. Programs and benchmarks get a server that flushes to disk.
// Tests get one that does not: they end processes, never the machine, so they could not tell the difference.
//
// If the server is not installed and the process is root on Debian, it is installed once. If it is
// unavailable, tests are skipped with the reason, except on CI, where they fail.
package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/jackc/pgx/v5"
)

// server is the server of this test binary.
var server struct {
	once sync.Once
	err  error
	dir  string
	cmd  *exec.Cmd
	end  chan error
	n    atomic.Int64
}

// template is the database that Database copies.
var template struct {
	once sync.Once
	name string
	err  error
}

// Main runs the tests and then stops the server.
func Main(m interface{ Run() int }) int {
	code := m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// sharedEnv is the variable with the socket directory of a running server.
const sharedEnv = "ASSENT_PGTEST_SOCKET"

// Share starts a server for test binaries that this process runs with the variable it returns. The variable
// is the same each time, if possible: go test uses cached results only if all variables are unchanged.
func Share() (env string, err error) {
	server.once.Do(func() {
		if server.dir, server.err = sharedDir(); server.err == nil {
			server.err = start(unflushed)
		}
	})
	return sharedEnv + "=" + server.dir, server.err
}

// sharedDir creates a directory whose name depends only on the working directory, unless another server uses
// it.
func sharedDir() (dir string, err error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(wd))
	dir = filepath.Join(place(), fmt.Sprintf("pg-%x", sum[:6]))
	if c, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.5432")); err == nil {
		_ = c.Close() // any answer will do
		return os.MkdirTemp(place(), "pg")
	}
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return os.MkdirTemp(place(), "pg") // it belongs to another user
	}
	return dir, nil
}

// place is where test data are stored: in memory if there is room, since each database consists of hundreds
// of files and none of them has to last.
func place() string {
	const memory, room = "/dev/shm", 2 << 30
	var disk syscall.Statfs_t
	if err := syscall.Statfs(memory, &disk); err == nil && uint64(disk.Bsize)*uint64(disk.Bavail) >= room {
		return memory
	}
	return os.TempDir()
}

// New creates an empty database and returns its address. The first call starts the server, unless one is
// shared.
func New() (url string, err error) {
	name, err := create("")
	return address(name), err
}

// create creates a database, empty or as a copy of another.
func create(from string) (name string, err error) {
	shared := os.Getenv(sharedEnv)
	server.once.Do(func() {
		if server.dir = shared; shared != "" {
			return
		}
		settings, where := flushed, os.TempDir()
		if !measured() {
			settings, where = unflushed, place()
		}
		if server.dir, server.err = os.MkdirTemp(where, "pg"); server.err == nil {
			server.err = start(settings)
		}
	})
	if server.err != nil {
		return "", server.err
	}
	name = fmt.Sprintf("test_%d_%d", os.Getpid(), server.n.Add(1))
	sql := `CREATE DATABASE ` + name
	if from != "" {
		sql += ` TEMPLATE ` + from
	}
	if err := admin(context.Background(), sql); err != nil {
		return "", fmt.Errorf("make database %s: %w", name, err)
	}
	return name, nil
}

// Database creates a database with the tables of this release.
func Database(t testing.TB) string {
	t.Helper()
	template.once.Do(func() { template.name, template.err = createTables() })
	if template.err != nil {
		return given(t, "", template.err)
	}
	name, err := create(template.name)
	return given(t, name, err)
}

// createTables creates a database as Open leaves it.
func createTables() (name string, err error) {
	if name, err = create(""); err != nil {
		return "", err
	}
	s, err := postgres.Open(context.Background(), address(name))
	if err != nil {
		return "", err
	}
	return name, s.Close()
}

// Empty is New for tests.
func Empty(t testing.TB) string {
	t.Helper()
	name, err := create("")
	return given(t, name, err)
}

// given returns the address of a database for a test, or ends the test.
func given(t testing.TB, name string, err error) string {
	t.Helper()
	switch {
	case err == nil:
		t.Cleanup(func() {
			if err := drop(name); err != nil {
				t.Error(err)
			}
		})
		return address(name)
	case server.err == nil:
		t.Fatal(err)
	case os.Getenv("CI") != "":
		t.Fatalf("PostgreSQL is needed on CI: %v", err)
	}
	t.Skipf("no PostgreSQL: %v", err)
	return ""
}

// drop deletes a database.
func drop(name string) error {
	if err := admin(context.Background(), `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// Disconnect ends all connections to a database, as a broken network would.
func Disconnect(t testing.TB, url string) {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	if err := admin(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
		c.Database); err != nil {
		t.Fatal(err)
	}
}

func address(database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=assent&sslmode=disable", database, server.dir)
}

func admin(ctx context.Context, sql string, args ...any) error {
	c, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, sql, args...)
	return errors.Join(err, c.Close(ctx))
}

// start creates a cluster in the server's directory and starts a server on it.
func start(settings []string) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	as, err := unprivileged()
	if err != nil {
		return err
	}
	if as != nil {
		if err := os.Chown(server.dir, int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	data := filepath.Join(server.dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "assent", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attributes(as, 0), server.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return serve(bin, data, settings, as)
}

// serve starts the server and waits until it answers.
func serve(bin, data string, settings []string, as *syscall.Credential) error {
	path := filepath.Join(server.dir, "log")
	log, err := os.Create(path)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the server has its own handle
	said := func() string {
		b, _ := os.ReadFile(path) // for a message only
		return string(b)
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"),
		slices.Concat(settings, []string{"-D", data, "-k", server.dir, "-h", "",
			"-c", "max_connections=200", "-c", "shared_buffers=128MB", "-c", "log_min_messages=fatal"})...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, server.dir
	server.end = make(chan error, 1)
	started := make(chan error)
	go func() {
		// If this process is killed, the server should end as well. The kernel ties that to the thread that
		// started it, so this thread stays.
		runtime.LockOSThread()
		cmd.SysProcAttr = attributes(as, syscall.SIGQUIT)
		err := cmd.Start()
		started <- err
		if err == nil {
			server.end <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	server.cmd = cmd
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := admin(context.Background(), `SELECT 1`)
		if err == nil {
			return nil
		}
		select {
		case end := <-server.end:
			server.cmd = nil
			return fmt.Errorf("the server ended: %w: %s", end, said())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server does not answer: %w: %s", err, said())
		}
	}
}

// measured reports whether this is a program or a benchmark: there, commits wait for the disk, which
// dominates a benchmark and is invisible to a test.
func measured() bool {
	bench := flag.Lookup("test.bench")
	return !testing.Testing() || bench != nil && bench.Value.String() != ""
}

var (
	flushed   = []string{"-c", "fsync=on", "-c", "max_wal_size=2GB"}
	unflushed = []string{"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_wal_size=512MB"}
)

// Stop stops the server if it was started here; otherwise it deletes its databases.
func Stop() error {
	if server.dir == "" {
		return nil
	}
	if server.dir == os.Getenv(sharedEnv) {
		if template.name == "" {
			return nil
		}
		return drop(template.name)
	}
	var errs []error
	if server.cmd != nil {
		// Immediate shutdown: a graceful one flushes every file of every database first, and they are deleted
		// right after.
		errs = append(errs, server.cmd.Process.Signal(syscall.SIGQUIT))
		select {
		case <-server.end:
		case <-time.After(2 * time.Minute):
			errs = append(errs, errors.New("the server did not stop"), server.cmd.Process.Kill())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(server.dir))...)
}

// unprivileged is the user the server runs as: it refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("the server refuses to run as root, and no user to start it as was found")
}
