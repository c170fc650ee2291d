//go:build unix

// Package pgtest gives tests a real PostgreSQL: a private server of the test
// binary, on a socket in a temporary directory.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	func TestX(t *testing.T) { url := pgtest.Database(t) … }
//
// Many test binaries that are run one after the other can share a server: Share
// starts it and returns the variable that tells them where it is.
//
// A program that is not a test uses New and Stop. Programs and benchmarks get a
// server that flushes to disk. Tests get one that does not: they end processes,
// never the machine, so they could not tell the difference.
//
// Where the server is not installed and we are root on a Debian, it is
// installed once. Where it cannot be had, tests are skipped with the reason,
// except on CI, where they fail.
package pgtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
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

	"github.com/jackc/pgx/v5"
)

// server is the one of this test binary.
var server struct {
	once sync.Once
	err  error
	dir  string
	cmd  *exec.Cmd
	end  chan error
	n    atomic.Int64
}

// Main runs the tests and stops the server behind them.
func Main(m interface{ Run() int }) int {
	code := m.Run()
	if err := Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// sharedEnv names the directory with the socket of a server that runs already.
const sharedEnv = "ASSENT_PGTEST_SOCKET"

// Share starts a server for test binaries that this process runs with the
// variable it returns.
func Share() (env string, err error) {
	server.once.Do(func() { server.err = start(unflushed) })
	return sharedEnv + "=" + server.dir, server.err
}

// New makes an empty database and returns its address. The first call starts
// the server, unless one is shared.
func New() (url string, err error) {
	shared := os.Getenv(sharedEnv)
	server.once.Do(func() {
		if server.dir = shared; shared == "" {
			server.err = start(flushing())
		}
	})
	if server.err != nil {
		return "", server.err
	}
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), server.n.Add(1))
	if err := admin(context.Background(), `CREATE DATABASE `+name); err != nil {
		return "", fmt.Errorf("make database %s: %w", name, err)
	}
	return address(name), nil
}

// Database is New for tests.
func Database(t testing.TB) string {
	t.Helper()
	url, err := New()
	switch {
	case err == nil:
		if server.cmd == nil { // it outlives us
			t.Cleanup(func() { drop(t, url) })
		}
		return url
	case server.err == nil:
		t.Fatal(err)
	case os.Getenv("CI") != "":
		t.Fatalf("PostgreSQL is needed on CI: %v", err)
	}
	t.Skipf("no PostgreSQL: %v", err)
	return ""
}

// drop removes a database of a server that others use as well.
func drop(t testing.TB, url string) {
	c, err := pgx.ParseConfig(url)
	if err == nil {
		err = admin(context.Background(), `DROP DATABASE `+c.Database+` WITH (FORCE)`)
	}
	if err != nil {
		t.Errorf("drop the database: %v", err)
	}
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

// start makes a cluster and starts a server on it.
func start(settings []string) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	as, err := unprivileged()
	if err != nil {
		return err
	}
	if server.dir, err = os.MkdirTemp("", "pg"); err != nil {
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
			"-c", "max_connections=200", "-c", "shared_buffers=128MB", "-c", "log_min_messages=fatal", "-c",
			"max_wal_size=2GB"})...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, server.dir
	server.end = make(chan error, 1)
	started := make(chan error)
	go func() {
		// If we are killed, the server shall end as well. The kernel ties that
		// to the thread which started it, so this one stays.
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
	deadline := time.Now().Add(30 * time.Second)
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

// flushing says whether commits wait for the disk, which is most of what a
// benchmark measures and nothing that a test can see.
func flushing() []string {
	if bench := flag.Lookup("test.bench"); !testing.Testing() || bench != nil && bench.Value.String() != "" {
		return []string{"-c", "fsync=on"}
	}
	return unflushed
}

var unflushed = []string{"-c", "fsync=off", "-c", "full_page_writes=off"}

// Stop ends the server, if it was started here.
func Stop() error {
	if server.dir == "" || server.dir == os.Getenv(sharedEnv) {
		return nil
	}
	var errs []error
	if server.cmd != nil {
		// Immediate shutdown: an orderly one flushes every file of every
		// database first, and all of them are removed right behind it.
		errs = append(errs, server.cmd.Process.Signal(syscall.SIGQUIT))
		select {
		case <-server.end:
		case <-time.After(20 * time.Second):
			errs = append(errs, errors.New("the server did not stop"), server.cmd.Process.Kill())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(server.dir))...)
}

// unprivileged is whom the server runs as: it refuses root.
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
	return nil, errors.New("the server refuses to run as root, and there is no user postgres or nobody")
}
