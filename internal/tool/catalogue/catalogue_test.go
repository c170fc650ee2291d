package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/catalogue"
)

// world is a set of servers that tests control.
type world struct {
	mu    sync.Mutex
	own   []port.Callable
	lists map[string][]string      // server → its tools; missing: it fails
	docs  map[string]string        // server → digest of its document
	slow  map[string]time.Duration // how long it takes to answer
	asked map[string]int
}

func (w *world) open(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	if w.asked == nil {
		w.asked = map[string]int{}
	}
	c := catalogue.New(catalogue.Options{
		Own: func() []port.Callable {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.Clone(w.own)
		},
		Servers: func() map[string]string {
			w.mu.Lock()
			defer w.mu.Unlock()
			out := map[string]string{}
			for name := range w.lists {
				out[name] = w.docs[name]
			}
			return out
		},
		Ask: w.ask,
	})
	t.Cleanup(c.Close)
	return c
}

func (w *world) ask(ctx context.Context, server string) ([]port.Callable, error) {
	w.mu.Lock()
	w.asked[server]++
	tools, wait := w.lists[server], w.slow[server]
	w.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if tools == nil {
		return nil, errors.New("connection refused")
	}
	return listOf(server, tools...), nil
}

func listOf(server string, names ...string) (out []port.Callable) {
	for _, n := range names {
		out = append(out, port.Callable{Name: "mcp:" + server + "/" + n, Source: port.SourceMCP, Server: server})
	}
	return out
}

func (w *world) set(server string, tools ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists[server] = tools
}

func names(all []port.Callable) string {
	var out []string
	for _, e := range all {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

// TestEverythingIsListed: tools, tools of servers and agents, by name, and found by their words.
func TestEverythingIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{own: append([]port.Callable{{Name: "send_mail", Description: "Send an e-mail"}},
			catalogue.Agents(map[string]*definition.Agent{"writer": {Description: "Writes letters",
				Capabilities: []string{"correspondence"}}})...),
			lists: map[string][]string{"xml": {"parse_xml"}}}
		c := w.open(t)
		if w.asked["xml"] != 0 {
			t.Error("a server was asked before anybody wanted to know")
		}
		all, notes := c.All(t.Context())
		if names(all) != "agent:writer mcp:xml/parse_xml send_mail" || len(notes) != 0 {
			t.Errorf("%s; %q", names(all), notes)
		}
		for request, want := range map[string]string{"parse the XML": "mcp:xml/parse_xml",
			"correspondence with customers": "agent:writer", "mail it": "send_mail"} {
			found, _ := c.Search(t.Context(), request, 5)
			if len(found) == 0 || found[0].Name != want || len(found[0].Why) == 0 || found[0].Score <= 0 {
				t.Errorf("%s: %+v", request, found)
			}
		}
		if found, _ := c.Search(t.Context(), "zymurgy", 5); len(found) != 0 {
			t.Errorf("%+v", found)
		}
		if _, ok := c.Find(t.Context(), "send_mail"); !ok {
			t.Error("a name is not found")
		}
	})
}

// TestStaysCurrent: documents, announcements and lists that were read anyway lead to a new index.
func TestStaysCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]string{"xml": {"parse_xml"}}}
		c := w.open(t)
		c.All(t.Context())
		w.mu.Lock()
		w.own = []port.Callable{{Name: "send_mail"}}
		w.mu.Unlock()
		c.Changed()
		if all, _ := c.All(t.Context()); names(all) != "mcp:xml/parse_xml send_mail" {
			t.Errorf("after a publication: %s", names(all))
		}
		w.set("xml", "parse_xml", "write_xml")
		if all, _ := c.All(t.Context()); names(all) != "mcp:xml/parse_xml send_mail" {
			t.Errorf("before an announcement: %s", names(all))
		}
		c.ServerChanged("xml")
		synctest.Wait()
		if all, _ := c.All(t.Context()); names(all) != "mcp:xml/parse_xml mcp:xml/write_xml send_mail" {
			t.Errorf("after an announcement: %s", names(all))
		}
		c.ServerListed("xml", listOf("xml", "only"))
		if all, _ := c.All(t.Context()); names(all) != "mcp:xml/only send_mail" {
			t.Errorf("after a list: %s", names(all))
		}
		c.ServerListed("gone", listOf("gone", "x"))
		if all, _ := c.All(t.Context()); strings.Contains(names(all), "gone") {
			t.Errorf("a server without a document is listed: %s", names(all))
		}
		w.mu.Lock()
		delete(w.lists, "xml")
		w.mu.Unlock()
		c.Changed()
		if all, _ := c.All(t.Context()); names(all) != "send_mail" {
			t.Errorf("after a server was removed: %s", names(all))
		}
	})
}

// TestAnotherServerOfTheName: once a document describes another server, the tools of the old one are gone, even if the
// new one does not answer.
func TestAnotherServerOfTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]string{"xml": {"parse_xml"}}, docs: map[string]string{"xml": "1"}}
		c := w.open(t)
		c.All(t.Context())
		publish := func(digest string, tools ...string) string {
			w.set("xml", tools...)
			w.mu.Lock()
			w.docs["xml"] = digest
			w.mu.Unlock()
			c.Changed()
			all, _ := c.All(t.Context())
			return names(all)
		}
		for _, c := range [][2]string{{publish("2", "write_xml"), "mcp:xml/write_xml"}, {publish("3"), ""}} {
			if c[0] != c[1] {
				t.Errorf("%q, want %q", c[0], c[1])
			}
		}
		if _, found, known := c.Listed("xml", "write_xml"); found || known {
			t.Error("the tools of the old server are still listed")
		}
	})
}

// TestSlowServer: a search waits for a list that was never read, and only once.
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{own: []port.Callable{{Name: "send_mail"}}, lists: map[string][]string{"slow": {"parse"}},
			slow: map[string]time.Duration{"slow": 30 * time.Second}}
		c := w.open(t)
		began := time.Now()
		all, notes := c.All(t.Context())
		if took := time.Since(began); took < time.Second || took > 3*time.Second || names(all) != "send_mail" ||
			len(notes) != 1 || !strings.Contains(notes[0], "slow") {
			t.Errorf("after %s: %s, %q", took, names(all), notes)
		}
		began = time.Now()
		if c.All(t.Context()); time.Since(began) > 0 {
			t.Errorf("the second search waited %s", time.Since(began))
		}
		time.Sleep(40 * time.Second)
		all, notes = c.All(t.Context())
		if names(all) != "mcp:slow/parse send_mail" || len(notes) != 0 || w.asked["slow"] != 1 {
			t.Errorf("%s, %q, asked %d times", names(all), notes, w.asked["slow"])
		}
	})
}

// TestFailingServer: the last list is used, and that is said; the server is left alone for a while.
func TestFailingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]string{"xml": {"parse"}}}
		c := w.open(t)
		c.All(t.Context())
		w.set("xml")
		w.mu.Lock()
		w.lists["xml"] = nil
		w.mu.Unlock()
		c.ServerChanged("xml")
		synctest.Wait()
		all, notes := c.All(t.Context())
		if names(all) != "mcp:xml/parse" || len(notes) != 1 || !strings.Contains(notes[0], "connection refused") {
			t.Errorf("%s, %q", names(all), notes)
		}
		asked := w.asked["xml"]
		for range 10 {
			c.ServerChanged("other")
			c.All(t.Context())
		}
		synctest.Wait()
		if w.asked["xml"] > asked+1 {
			t.Errorf("asked %d times in a row", w.asked["xml"]-asked)
		}
		w.set("xml", "parse", "print")
		time.Sleep(6 * time.Minute)
		c.All(t.Context())
		synctest.Wait()
		if all, notes := c.All(t.Context()); names(all) != "mcp:xml/parse mcp:xml/print" || len(notes) != 0 {
			t.Errorf("%s, %q", names(all), notes)
		}
	})
}

// TestListed: what is known about a server's tools is told without asking it.
func TestServerStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]string{"files": {"read", "write"}, "moon": nil}}
		c := w.open(t)
		if got := c.ServerStates(); len(got) != 2 || got[0].Name != "files" || !got[0].SeenAt.IsZero() ||
			got[0].Asking || w.asked["files"] != 0 {
			t.Errorf("before anything was asked: %+v", got)
		}
		began := time.Now()
		got, ok := c.CheckServer(t.Context(), "files")
		if !ok || got.Tools != 2 || !got.SeenAt.Equal(began) || !got.FailingSince.IsZero() || got.Why != "" {
			t.Errorf("%+v %t", got, ok)
		}
		w.mu.Lock()
		delete(w.lists, "moon")
		w.lists["files"] = nil // it fails from now on
		w.mu.Unlock()
		for range 3 { // it is not left alone when people ask, and fails since the first time
			time.Sleep(time.Second)
			got, _ = c.CheckServer(t.Context(), "files")
		}
		if got.Tools != 2 || !got.SeenAt.Equal(began) || !got.FailingSince.Equal(began.Add(time.Second)) ||
			!got.FailedAt.Equal(began.Add(3*time.Second)) || got.Why == "" || w.asked["files"] != 4 {
			t.Errorf("%+v, asked %d times", got, w.asked["files"])
		}
		if _, ok := c.CheckServer(t.Context(), "moon"); ok || len(c.ServerStates()) != 1 {
			t.Error("a server without a document is known")
		}
		w.mu.Lock()
		w.lists["files"], w.slow = []string{"read"}, map[string]time.Duration{"files": 10 * time.Second}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, _ = c.CheckServer(ctx, "files"); !got.Asking || got.FailingSince.IsZero() {
			t.Errorf("it has not answered yet: %+v", got)
		}
		if got, _ = c.CheckServer(t.Context(), "files"); got.Asking || got.Tools != 1 || !got.FailingSince.IsZero() {
			t.Errorf("it is back: %+v", got)
		}
	})
}

func TestListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{lists: map[string][]string{"xml": {"parse"}}}
		c := w.open(t)
		if _, found, known := c.Listed("xml", "parse"); found || known {
			t.Error("a list is known that was never read")
		}
		if w.asked["xml"] != 0 {
			t.Error("a server was asked")
		}
		c.All(t.Context())
		if _, found, known := c.Listed("xml", "parse"); !found || !known {
			t.Error("a tool is not found in its list")
		}
		if _, found, known := c.Listed("xml", "print"); found || !known {
			t.Error("a missing tool is found, or its server unknown")
		}
	})
}

// TestTooMany: what is over the limit is left out, and that is said. The first search waits for the index, however long
// that takes: in none, nothing would be found.
func TestTooMany(t *testing.T) {
	w := &world{}
	for i := range catalogue.EntriesMax + 2 {
		w.own = append(w.own, port.Callable{Name: fmt.Sprintf("tool_%06d", i)})
	}
	c := w.open(t)
	all, notes := c.All(t.Context())
	if len(all) != catalogue.EntriesMax || len(notes) != 1 || !strings.Contains(notes[0], "2 tools are left out") {
		t.Errorf("%d entries, %q", len(all), notes)
	}
}

// BenchmarkSearch: a search among many tools, from the request to the answer.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := &world{}
			for i := range n {
				w.own = append(w.own, port.Callable{Name: fmt.Sprintf("%s_%s_%d", verbs[i%len(verbs)], nouns[i/7%len(nouns)], i),
					Description: fmt.Sprintf("Can %s the %s of customers number %d", verbs[i%len(verbs)], nouns[i/7%len(nouns)], i)})
			}
			c := catalogue.New(catalogue.Options{Own: func() []port.Callable { return w.own }})
			defer c.Close()
			c.All(b.Context()) // builds the index
			b.ResetTimer()
			for b.Loop() {
				c.Search(b.Context(), "parse the invoices of a customer and send them", 5)
			}
		})
	}
}

var (
	verbs = strings.Fields("parse send read write delete list find convert merge split sign verify")
	nouns = strings.Fields("invoice report letter XML JSON picture table calendar payment order contract")
)
