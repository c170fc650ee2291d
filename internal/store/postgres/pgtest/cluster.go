//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server of one test, which may kill it and start it again on the same data.
type Cluster struct {
	t   testing.TB
	bin string
	dir string
	as  *syscall.Credential
	cmd *exec.Cmd
	end chan error
}

// NewCluster creates a server with an empty database. It commits to disk, because it is killed.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	return NewClusterIn(t, place())
}

// NewClusterIn creates a server whose data is in a directory, which any user has to be able to enter.
func NewClusterIn(t testing.TB, where string) *Cluster {
	t.Helper()
	c := newCluster(t, where)
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "-D", c.data(), "-U", "assent", "-A", "trust", "-E", "UTF8",
		"--locale=C.UTF-8", "--no-sync")
	c.do(initdb)
	c.Start()
	c.Run(`CREATE DATABASE assent`)
	return c
}

func newCluster(t testing.TB, where string) *Cluster {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("PostgreSQL is needed on CI: %v", err)
		}
		t.Skipf("no PostgreSQL: %v", err)
	}
	as, err := unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(where, "pg")
	if err != nil {
		t.Fatal(err)
	}
	if as != nil {
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	c := &Cluster{t: t, bin: bin, dir: dir, as: as}
	t.Cleanup(func() {
		c.Kill()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Follow creates a replica of the server, which streams what is committed.
func (c *Cluster) Follow() *Cluster {
	c.t.Helper()
	r := newCluster(c.t, place())
	r.do(exec.Command(filepath.Join(c.bin, "pg_basebackup"), "-h", c.dir, "-U", "assent", "-D", r.data(), "-R", "-X",
		"stream", "-c", "fast", "--no-sync"))
	r.Start()
	return r
}

// Synchronous makes commits wait for the replica from now on. It returns when the replica is one of those.
func (c *Cluster) Synchronous() {
	c.t.Helper()
	c.Run(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
	c.Run(`SELECT pg_reload_conf()`)
	c.Run(`DO $$ BEGIN
		WHILE NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync') LOOP
			PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);
		END LOOP;
	END $$`)
}

// Promote makes a replica a server of its own.
func (c *Cluster) Promote() { c.t.Helper(); c.Run(`SELECT pg_promote()`) }

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) do(cmd *exec.Cmd) {
	c.t.Helper()
	cmd.SysProcAttr, cmd.Dir = attributes(c.as, 0), c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v: %s", filepath.Base(cmd.Path), err, out)
	}
}

// Socket is where the server listens.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// URL is the address of the database.
func (c *Cluster) URL() string { return c.url("assent") }

func (c *Cluster) url(database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=assent&sslmode=disable", database, c.dir)
}

// Run executes a statement as the administrator.
func (c *Cluster) Run(sql string) {
	c.t.Helper()
	if err := c.try(sql); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

func (c *Cluster) try(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

// Kill kills the server with all its processes. Each has a session of its own, so they are looked for.
func (c *Cluster) Kill() {
	if c.cmd == nil {
		return
	}
	parent := c.cmd.Process.Pid
	_ = syscall.Kill(parent, syscall.SIGSTOP) // so that it starts no others; it may have ended
	for _, child := range children(parent) {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	_ = syscall.Kill(parent, syscall.SIGKILL)
	<-c.end
	c.cmd = nil
}

// children are the processes that a process started, where the system lists them.
func children(parent int) (out []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is fine
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		// PID (NAME) STATE PARENT
		_, after, _ := strings.Cut(string(raw), ") ")
		words := strings.Fields(after)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(words) > 1 &&
			words[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}

// Alive reports whether the server has not ended.
func (c *Cluster) Alive() bool {
	if c.cmd == nil {
		return false
	}
	select {
	case err := <-c.end:
		c.end <- err // for Kill
		return false
	default:
		return true
	}
}

// Start starts the server on the data that is there, and waits until it answers. A server that was killed may
// have left processes that are about to end, so it tries for a while.
func (c *Cluster) Start() {
	c.t.Helper()
	var err error
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = c.start(deadline); err == nil {
			return
		}
	}
	said, _ := os.ReadFile(filepath.Join(c.dir, "log")) // for a message only
	c.t.Fatalf("PostgreSQL does not start: %v: %s", err, said)
}

func (c *Cluster) start(deadline time.Time) error {
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the server has its own handle
	cmd := exec.Command(filepath.Join(c.bin, "postgres"), slices.Concat(flushed, []string{"-D", c.data(), "-k", c.dir,
		"-h", "", "-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "log_min_messages=fatal"})...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.dir
	end, started := make(chan error, 1), make(chan error)
	go func() {
		runtime.LockOSThread() // see serve
		cmd.SysProcAttr = attributes(c.as, syscall.SIGQUIT)
		err := cmd.Start()
		started <- err
		if err == nil {
			end <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	c.cmd, c.end = cmd, end
	for {
		err := c.try(`SELECT 1`)
		if err == nil {
			return nil
		}
		select {
		case ended := <-end:
			c.cmd = nil
			return fmt.Errorf("it ended: %w", ended)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			c.Kill()
			return err
		}
	}
}
