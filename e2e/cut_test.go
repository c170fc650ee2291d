package e2e

import (
	bigendian "encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/store/sqlite"
)

const walHeader = 32 // bytes

// writes are the commits in a write-ahead log of SQLite, each by where it ends. What a process that is killed leaves
// behind is the database and the first so many of them, and perhaps a part of the next.
func writes(t *testing.T, wal []byte) (ends []int) {
	t.Helper()
	const frame = 24
	if len(wal) < walHeader {
		t.Fatalf("%d bytes are no write-ahead log", len(wal))
	}
	page := int(bigendian.BigEndian.Uint32(wal[8:]))
	for at := walHeader; at+frame+page <= len(wal); at += frame + page {
		if string(wal[at+8:at+16]) != string(wal[16:24]) {
			t.Fatal("the log was begun again: there is no copy of the database to go with it")
		}
		if bigendian.BigEndian.Uint32(wal[at+4:]) != 0 {
			ends = append(ends, at+frame+page)
		}
	}
	return ends
}

// fileRoom is an adviser and two tools. The answer depends on the key of the work alone, so many servers
// that do not know of each other can ask it.
type fileRoom struct {
	url  string
	mu   sync.Mutex
	keys map[string]string // and what was answered
}

func newFileRoom(t *testing.T) *fileRoom {
	d := &fileRoom{keys: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		key := r.URL.Path + " " + r.Header.Get("Idempotency-Key")
		if _, known := d.keys[key]; !known {
			d.keys[key] = d.answer(r.URL.Path, key)
		}
		_, _ = io.WriteString(w, d.keys[key])
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// answer is what new work results in. The adviser asks for a step the first time.
func (d *fileRoom) answer(path, key string) string {
	if path != "/advise" {
		return fmt.Sprintf(`{"output":{"file":"a.xml","by":%q}}`, path)
	}
	work := strings.SplitN(key, "/", 3)
	for old := range d.keys {
		if strings.HasPrefix(old, "/"+work[1]+"/") {
			return `{"output":{"action":"continue","reasoning":"all is there"}}`
		}
	}
	return `{"output":{"action":"replan","requirement":"parse the XML file","reasoning":"an XML file was found"}}`
}

func (d *fileRoom) asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for key := range d.keys {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// filesDocuments is a workflow that gets a step, for an address and for more settings of its loops.
const filesDocuments = `
agent: guide
kind: http
url: %[1]s/advise
---
agent: lister
kind: http
effects: none
url: %[1]s/list
---
tool: xml_parser
kind: http
url: %[1]s/parse
description: Parse an XML file
args: { type: object, required: [file], properties: { file: { type: string } } }
risk: low
---
workflow: files
loops: { agent: { agent: guide, at: per_layer }, replan: ask%[2]s }
steps:
  - { id: list, agent: lister }
  - { id: report, agent: lister }
`

// filesRun is a run of it.
type filesRun struct{ id, earlier string }

// finish lets it end, however far it came.
func (r filesRun) finish(s *server) {
	s.t.Helper()
	for {
		now := s.settles(r.id, "waiting", "completed", "failed", "cancelled")
		switch now.text("status") {
		case "completed":
			return
		case "waiting":
			// It may have moved on in the meantime.
			if id := now.text("pending_approvals.0"); id != "" {
				a := s.call("GET", "/approvals/"+id, nil).want(200)
				s.call("POST", "/approvals/"+id+"/decisions", map[string]any{"act": "approve", "version": a.number("version")},
					as(bob))
			}
		default:
			s.t.Fatalf("%s", now.body)
		}
	}
}

// unlearn withdraws the declaration that requests may be learned, derives all again, and forgets the earlier run.
func (r filesRun) unlearn(s *server) {
	s.t.Helper()
	workflow := "workflow: files" + strings.SplitN(fmt.Sprintf(filesDocuments, "", ""), "workflow: files", 2)[1]
	if a := s.call("PUT", "/workflows/files?publish=true", yaml(workflow), boss); a.status != 200 && a.status != 201 {
		s.t.Fatalf("%s", a.body)
	}
	s.call("POST", "/graph/rebuild", nil, boss).want(200)
	s.call("POST", "/graph/forget", map[string]string{"run": r.earlier}, boss).want(200)
}

// types are those of a run's events, in order.
func (s *server) types(run string) (out []string) {
	list := s.call("GET", "/runs/"+run+"/events?limit=1000", nil).want(200)
	for n := range list.count("items") {
		out = append(out, strings.TrimSpace(list.text(fmt.Sprintf("items.%d.type", n))+" "+
			list.text(fmt.Sprintf("items.%d.data.step", n))))
	}
	return out
}

// lessons are what runs taught, each without the time.
func (s *server) lessons() string {
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(s.taughtBy()), &list); err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, one := range list.Items {
		delete(one, "at")
		text, _ := json.Marshal(one)
		out = append(out, string(text)+"\n")
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// graph is what was learned, and all that it was learned from.
func (s *server) graph() string {
	g := string(s.call("GET", "/graph", nil).want(200).body)
	_, g, _ = strings.Cut(g, `"runs"`) // after the time that it is of
	return g + s.taughtBy() + string(s.call("GET", "/graph/requests", nil, boss).want(200).body)
}

// TestKilledAtEachWrite kills a server after each write of a run that is replanned, learned from and partly forgotten
// again, in the middle of the next write. What it leaves behind is known exactly: the database, and its write-ahead log
// up to there. The next server continues from each of these: nothing happens twice, nothing is lost, and what was
// learned is what the logs say.
//
// No other test runs beside it: a search and the agent in the loop have a minute each, also across a restart, so the
// next server has to follow soon.
func TestKilledAtEachWrite(t *testing.T) {
	room := newFileRoom(t)
	s := serve(t, "--load", loads(t, fmt.Sprintf(filesDocuments, room.url, ", learn: requests")))
	r := filesRun{earlier: s.run("files", map[string]string{})}
	filesRun{id: r.earlier}.finish(s)
	s.stop()
	s.args = s.args[:len(s.args)-2] // the documents are loaded
	base := t.TempDir()
	if err := os.CopyFS(base, os.DirFS(s.data())); err != nil {
		t.Fatal(err)
	}
	s.start()
	r.id = s.run("files", map[string]string{})
	r.finish(s)
	whole, keys, learned := s.types(r.id), room.asked(), s.lessons()
	if strings.Count(learned, "parse the XML file") != 2 || strings.Count(learned, "\n") != 2 {
		t.Fatalf("%s", learned)
	}
	r.unlearn(s)
	left := s.lessons()
	if strings.Contains(left, "parse the XML file") || strings.Count(left, "\n") != 1 || !strings.Contains(left, r.id) {
		t.Fatalf("%s", left)
	}
	s.kill()
	wal, err := os.ReadFile(filepath.Join(s.data(), sqlite.FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	s.start() // to be stopped

	ends := append([]int{walHeader}, writes(t, wal)...)
	came := make([]int, len(ends)) // how many events there are
	t.Run("cuts", func(t *testing.T) {
		for k, end := range ends {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				next := end
				if k+1 < len(ends) {
					next = (end + ends[k+1]) / 2 // a part of the next write
				}
				c := &server{t: t, args: slices.Clone(s.args)}
				dir := t.TempDir()
				c.args[slices.Index(c.args, s.data())] = dir
				if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
					t.Fatal(err)
				}
				if err := writeFile(filepath.Join(dir, sqlite.FileName+"-wal"), string(wal[:next])); err != nil {
					t.Fatal(err)
				}
				came[k] = r.written(t, dir)
				c.start()
				defer c.stop()
				r.continues(c, whole, learned, left)
			})
		}
	})
	if !slices.IsSorted(came) || came[0] != 0 || came[len(came)-1] != len(whole) {
		t.Errorf("of %d events there were %v", len(whole), came)
	}
	if got := room.asked(); !slices.Equal(got, keys) {
		t.Errorf("work was done under other keys:\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(keys, "\n"))
	}
}

// written is how many of its events a killed server left behind.
func (r filesRun) written(t *testing.T, dir string) int {
	t.Helper()
	copied := t.TempDir() // opening a store changes it
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was only read
	row, err := store.Run(t.Context(), r.id)
	if fault.Is(err, fault.NotFound) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return int(row.Seq)
}

// continues lets a run end that a killed server left behind, and checks what came of it.
func (r filesRun) continues(s *server, whole []string, learned, left string) {
	t := s.t
	if s.call("GET", "/runs/"+r.id, nil).status == 404 {
		return // no one was told that it began
	}
	declared := strings.Contains(string(s.call("GET", "/workflows/files", nil).want(200).body), `"requests"`)
	r.finish(s)
	if got := s.types(r.id); !slices.Equal(got, whole) {
		t.Errorf("%s\ninstead of\n%s\nwith the warnings %s", strings.Join(got, ", "), strings.Join(whole, ", "),
			s.call("GET", "/runs/"+r.id, nil).want(200).get("warnings"))
	}
	if declared {
		if got := s.lessons(); got != learned {
			t.Errorf("learned:\n%s\ninstead of\n%s", got, learned)
		}
		before := s.graph()
		s.call("POST", "/graph/rebuild", nil, boss).want(200)
		if got := s.graph(); got != before {
			t.Errorf("rebuilt:\n%s\ninstead of\n%s", got, before)
		}
	}
	r.unlearn(s)
	if got := s.lessons(); got != left {
		t.Errorf("left:\n%s\ninstead of\n%s", got, left)
	}
}
