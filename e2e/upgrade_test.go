//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
)

// release is a commit of an earlier release: the last one with another schema. Until there are tagged releases, it is
// moved by hand when the schema changes.
const (
	release         = "2e350d2860bf283f1e5d3fe3b9252f4b202deede"
	schemaOfRelease = 26
)

// schemaOf is the version of a database's schema; 0: it has none.
func schemaOf(t *testing.T, url string) (version int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context()) //nolint:errcheck // all was said
	var has bool
	if err := c.QueryRow(t.Context(), `SELECT to_regclass('assent_schema') IS NOT NULL`).Scan(&has); err != nil || !has {
		return 0
	}
	if err := c.QueryRow(t.Context(), `SELECT version FROM assent_schema`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// built builds a program from a commit of this repository's history.
func built(t *testing.T, commit string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	archive := exec.Command("git", "-C", root, "archive", commit)
	tree, err := archive.Output()
	if err != nil {
		t.Skipf("the history of the repository is not here, so %s cannot be built: %v", commit, err)
	}
	dir := t.TempDir()
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(tree)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpack %s: %v %s", commit, err, out)
	}
	program := filepath.Join(dir, "assent-before")
	build := exec.Command("go", "build", "-tags", "noweb", "-o", program, "./cmd/assent")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v %s", commit, err, out)
	}
	return program
}

// An earlier release and this one work on one database at the same time: this one migrates it while the other serves,
// decisions taken on either are seen by both, and either may lead.
func TestUpgrade(t *testing.T) {
	if os.Getenv("ASSENT_UPGRADE") == "" {
		t.Skip("make upgrade runs it: it builds an earlier release")
	}
	before := built(t, release)
	url := pgtest.Empty(t)
	audit := filepath.Join(t.TempDir(), "audit.key")
	start := func(program string) *server {
		s := &server{t: t, program: program, args: []string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(),
			"--db", url, "--audit-key", "${file:" + audit + "}"}}
		s.start()
		t.Cleanup(func() {
			if s.cmd != nil {
				s.stop()
			}
		})
		return s
	}
	writeKey(t, audit)
	old := start(before)
	old.define(refund)
	first := old.run("refund", map[string]any{"amount": 5}, as(ann))
	old.pending(first)

	now := start("") // it migrates the database
	if got := schemaOf(t, url); got <= schemaOfRelease {
		t.Fatalf("the schema is %d: record a later release", got)
	}
	decide := func(where *server, id string) {
		t.Helper()
		ap := where.pending(id).text("id")
		where.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
		for _, s := range []*server{old, now} {
			s.settles(id, "completed")
			if got := s.call("GET", "/approvals/"+ap, nil).want(200).text("status"); got != "approved" {
				t.Errorf("the approval is %s", got)
			}
		}
	}
	decide(now, first) // the old one leads
	decide(old, now.run("refund", map[string]any{"amount": 6}, as(ann)))
	decide(now, old.run("refund", map[string]any{"amount": 7}, as(ann)))
	old.define("workflow: later\nsteps: [{ id: a, agent: writer }]")
	for end := 0; ; end++ { // it takes effect elsewhere within two seconds
		a, err := now.try("POST", "/runs", map[string]any{"workflow": "later"})
		if err == nil && a.status == 201 {
			old.settles(a.text("id"), "completed")
			break
		}
		if end > 2000 {
			t.Fatalf("%v %s", err, a.body)
		}
		pause()
	}
	waiting := old.run("refund", map[string]any{"amount": 8}, as(ann))
	old.pending(waiting)
	old.stop()
	ap := now.pending(waiting).text("id") // the new one leads
	now.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
	now.settles(waiting, "completed")
	if out, err := now.assent("audit", "verify"); err != nil {
		t.Errorf("%v %s", err, out)
	}

	// Going back is refused: the earlier release does not know what the later one stored.
	again := exec.Command(before, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--db", url)
	out, err := again.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "newer release") {
		t.Errorf("%v %s", err, out)
	}
}

// A backup of a PostgreSQL database is one moment of it, while it is in use. It is restored whole, or not at all.
func TestPostgresBackup(t *testing.T) {
	t.Parallel()
	from, to, third := pgtest.Empty(t), pgtest.Empty(t), pgtest.Empty(t)
	s := serve(t, "--db", from)
	s.define(refund)
	done := s.run("refund", map[string]any{"amount": 5}, as(ann))
	ap := s.pending(done).text("id")
	s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
	s.settles(done, "completed")
	open := s.run("refund", map[string]any{"amount": 6}, as(ann))
	ap = s.pending(open).text("id")
	log := s.call("GET", "/runs/"+done+"/events?full=true&limit=1000", nil).want(200).body
	dir := filepath.Join(t.TempDir(), "copy")
	stop, writes := make(chan struct{}), make(chan int)
	go func() { // runs go on
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				writes <- n
				return
			default:
				s.call("POST", "/runs", map[string]any{"workflow": "refund", "input": map[string]any{"amount": n}}).want(201)
			}
		}
	}()
	out, err := s.assent("backup", dir)
	close(stop)
	if n := <-writes; err != nil {
		t.Fatalf("%v %s (%d runs meanwhile)", err, out, n)
	}
	restore := func(db, dir string) (string, error) {
		out, err := exec.Command(binary, "restore", "--db", db, dir).CombinedOutput()
		return string(out), err
	}
	refused := func(db, dir, why string) {
		t.Helper()
		if out, err := restore(db, dir); err == nil || !strings.Contains(out, why) {
			t.Errorf("%v %s", err, out)
		}
	}
	if _, err := s.assent("backup", dir); err == nil {
		t.Error("a directory that is not empty was used")
	}
	refused(from, dir, "in use by Assent already")
	refused(to, t.TempDir(), "no manifest.json")
	if out, err := restore(to, dir); err != nil || !strings.Contains(out, "restored") {
		t.Fatalf("%v %s", err, out)
	}
	second := serve(t, "--db", to)
	got := second.call("GET", "/runs/"+done+"/events?full=true&limit=1000", nil).want(200).body
	if !bytes.Equal(got, log) {
		t.Errorf("the log is\n%s\nnot\n%s", got, log)
	}
	second.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
	second.settles(open, "completed")
	if got := s.call("GET", "/approvals/"+ap, nil).want(200).text("status"); got != "pending" {
		t.Errorf("the original is %s", got)
	}

	// A file that was changed or is missing is noticed before anything is restored.
	files, err := filepath.Glob(filepath.Join(dir, "*.copy"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%v %v", files, err)
	}
	events := files[0]
	content, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(events, content, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(third, dir, "is damaged")
	if err := os.Remove(events); err != nil {
		t.Fatal(err)
	}
	refused(third, dir, events+": no such file")
	if got := schemaOf(t, third); got != 0 {
		t.Errorf("something was restored: schema %d", got)
	}
	if out, err := exec.Command(binary, "restore", dir).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "--db") {
		t.Errorf("%v %s", err, out)
	}
}
