package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/view"
)

// block is one block of an event stream.
type block struct {
	id, event, data, comment string
}

// watcher reads an event stream.
type watcher struct {
	res *http.Response
	in  *bufio.Reader
}

func watch(ctx context.Context, url string, headers ...string) (*watcher, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		defer res.Body.Close()
		return nil, fmt.Errorf("%s %s", res.Status, res.Header.Get("Content-Type"))
	}
	return &watcher{res, bufio.NewReader(res.Body)}, nil
}

func (w *watcher) close() { _ = w.res.Body.Close() }

func (w *watcher) next() (block, error) {
	var b block
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			return b, err
		}
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "":
			if text != "" {
				b.comment = text
				continue
			}
			return b, nil
		case "id":
			b.id = text
		case "event":
			b.event = text
		case "data":
			b.data = text
		}
	}
}

// event skips what is no event.
func (w *watcher) event() (view.Event, error) {
	for {
		b, err := w.next()
		if err != nil {
			return view.Event{}, err
		}
		if b.data == "" {
			continue
		}
		var e view.Event
		if err := json.Unmarshal([]byte(b.data), &e); err != nil {
			return e, err
		}
		if b.event != e.Type || b.id != strconv.FormatInt(e.Feed, 10) {
			return e, fmt.Errorf("%+v", b)
		}
		return e, nil
	}
}

func TestStream(t *testing.T) {
	d := open(t, Options{})
	run := d.begin("plain")
	d.until(run.ID, "completed")
	all, err := watch(t.Context(), d.http.URL+contract.PathEvents+"?after=0")
	if err != nil {
		t.Fatal(err)
	}
	defer all.close()
	listed := into[view.List[view.Event]](d.get("/runs/" + run.ID + "/events").want(200)).Items
	for i, want := range listed {
		e, err := all.event()
		if err != nil || e.Feed != int64(i+1) || e.Seq != want.Seq || string(e.Data) != string(want.Data) ||
			!e.At.Equal(want.At) {
			t.Fatalf("%+v is not %+v: %v", e, want, err)
		}
	}
	// From now on; one that breaks before its first event knows where it was.
	fresh, err := watch(t.Context(), d.http.URL+contract.PathEvents)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.close()
	if b, err := fresh.next(); err != nil || b.id != strconv.Itoa(len(listed)) || b.data != "" || b.comment != "open" {
		t.Errorf("%+v %v", b, err)
	}
	// The header wins: browsers repeat the address when they come back.
	last := fmt.Sprint(len(listed) - 1)
	some, err := watch(t.Context(), d.http.URL+contract.PathEvents+"?after=0&types=run.completed,run.started",
		"Last-Event-ID", last)
	if err != nil {
		t.Fatal(err)
	}
	defer some.close()
	if e, err := some.event(); err != nil || e.Type != "run.completed" {
		t.Errorf("%+v %v", e, err)
	}
	other := d.begin("plain")
	if e, err := some.event(); err != nil || e.Type != "run.started" || e.Run != other.ID {
		t.Errorf("%+v %v", e, err)
	}
	if e, err := fresh.event(); err != nil || e.Run != other.ID || e.Seq != 1 {
		t.Errorf("%+v %v", e, err)
	}
	one, err := watch(t.Context(), d.http.URL+contract.PathEvents+"?after=0&run="+other.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer one.close()
	if e, err := one.event(); err != nil || e.Run != other.ID || e.Seq != 1 {
		t.Errorf("%+v %v", e, err)
	}
	if head := d.send("HEAD", contract.PathEvents, "").want(200); head.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s", head.header)
	}
	if m := string(d.send("GET", "/metrics", "").body); !strings.Contains(m, `assent_streams_open{kind="sse"} 4`) {
		t.Errorf("%s", m)
	}
}

// TestNoGapAndNoDuplicate lets clients come and go while things happen, also
// over restarts of everything.
func TestNoGapAndNoDuplicate(t *testing.T) {
	d := open(t, Options{})
	var url atomic.Pointer[string]
	url.Store(&d.http.URL)
	var head atomic.Int64 // set when all is written
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var clients sync.WaitGroup
	got := make([][]int64, 5)
	for i := range got {
		clients.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(i), 1))
			last, patience := int64(0), 300*time.Millisecond
			for head.Load() == 0 || last < head.Load() {
				before := last
				short, stop := context.WithTimeout(ctx, patience)
				w, err := watch(short, *url.Load()+contract.PathEvents+"?after=0", "Last-Event-ID", fmt.Sprint(last))
				for n := dice.IntN(40); err == nil && n > 0; n-- {
					var e view.Event
					if e, err = w.event(); err == nil {
						got[i] = append(got[i], e.Feed)
						last = e.Feed
					}
				}
				if w != nil {
					w.close()
				}
				late := short.Err() != nil
				stop()
				if ctx.Err() != nil {
					return
				}
				// A busy machine may not get to the first event in time. A server that is down refuses at once, and as often
				// as it is asked, which is no reason to wait longer for the next one.
				if late && last == before {
					patience += 100 * time.Millisecond
				}
			}
		})
	}
	for range 3 {
		var writers sync.WaitGroup
		for range 3 {
			writers.Go(func() {
				for range 8 {
					d.begin("plain")
				}
			})
		}
		writers.Wait()
		d.restart()
		url.Store(&d.http.URL)
	}
	for _, run := range into[view.List[view.RunSummary]](d.get("/runs?limit=1000").want(200)).Items {
		d.until(run.ID, "completed")
	}
	n, err := d.parts.Store.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	head.Store(n)
	clients.Wait()
	for i, numbers := range got {
		if int64(len(numbers)) != n {
			t.Errorf("client %d saw %d of %d events", i, len(numbers), n)
		}
		for k, number := range numbers {
			if number != int64(k+1) {
				t.Fatalf("client %d saw %d as its number %d", i, number, k+1)
			}
		}
	}
}

func TestSignsOfLife(t *testing.T) {
	d := open(t, Options{})
	d.api.pace.beat = 20 * time.Millisecond
	w, err := watch(t.Context(), d.http.URL+contract.PathEvents)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for _, want := range []string{"open", "alive", "alive"} {
		if b, err := w.next(); err != nil || b.comment != want || b.id != "0" {
			t.Errorf("%+v %v", b, err)
		}
	}
	d.api.Drain()
	b, err := w.next()
	for err == nil && b.comment == "alive" {
		b, err = w.next()
	}
	if err != nil || b.comment != "bye" {
		t.Errorf("%+v %v", b, err)
	}
	if _, err := w.next(); err == nil {
		t.Error("the stream goes on")
	}
}

// TestAStuckClientIsDropped: a client that does not read delays no other, and is soon disconnected.
func TestAStuckClientIsDropped(t *testing.T) {
	d := open(t, Options{})
	d.api.pace.stuck = 200 * time.Millisecond
	conn, err := net.Dial("tcp", d.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintf(conn, "GET %s?after=0&full=true HTTP/1.1\r\nHost: localhost\r\n\r\n", contract.PathEvents)
	big := `{"workflow":"plain","input":{"s":"` + strings.Repeat("x", 1<<20) + `"}}`
	for range 12 { // more than the buffers of both sides hold
		d.post("/runs", big).want(201)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(d.log.String(), `"route":"`+contract.PathEvents+`"`) {
			return
		}
	}
	t.Error("the stream is still open")
}
