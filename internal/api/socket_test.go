package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/view"
	"github.com/coder/websocket"
)

func (d *desk) dial(query string, headers ...string) (*websocket.Conn, *http.Response, error) {
	d.Helper()
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, strings.Replace(d.http.URL, "http", "ws", 1)+contract.PathSocket+query,
		&websocket.DialOptions{HTTPHeader: h})
	if conn != nil {
		conn.SetReadLimit(64 << 20)
	}
	return conn, res, err
}

// message reads one message; events have a feed number, answers an id.
func message(t testing.TB, conn *websocket.Conn) (e view.Event, a contract.Taken, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	_, raw, err := conn.Read(ctx)
	if err != nil {
		return e, a, err
	}
	if strings.Contains(string(raw), `"feed":`) {
		return e, a, json.Unmarshal(raw, &e)
	}
	return e, a, json.Unmarshal(raw, &a)
}

func TestSocket(t *testing.T) {
	d := open(t, Options{})
	ap := d.asked("ask")
	conn, _, err := d.dial("?after=0&types=run.started,run.paused,run.unpaused", as("ann", "approver")...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if e, _, err := message(t, conn); err != nil || e.Type != "run.started" || e.Feed != 1 {
		t.Fatalf("%+v %v", e, err)
	}
	tell := func(text string) {
		t.Helper()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	// Answers come in the order of what was sent, each with its id.
	orders := []string{
		`{"id":1,"run":"` + ap.Run + `","command":{"type":"pause"}}`,
		`{"id":"two","run":"` + ap.Run + `","command":{"type":"resume"}}`,
		`{"id":3,"run":"run_nope","command":{"type":"pause"}}`,
		`{"id":4,"run":"` + ap.Run + `","command":{"type":"explode"}}`,
		`{"id":5,"run":"` + ap.Run + `","comand":{}}`,
		`no JSON`,
		`{"id":7,"command":{"type":"pause"}}`,
		`{"id":8,"run":"` + ap.Run + `","command":{"id":"c","type":"message","text":"hi"}}`,
		`{"id":9,"run":"` + ap.Run + `","command":{"id":"c","type":"message","text":"hi"}}`,
	}
	for _, o := range orders {
		tell(o)
	}
	want := []string{"1 ok", `"two" ok`, "3 not_found", "4 invalid", "5 invalid", "null invalid",
		"7 invalid", "8 ok", "9 ok"}
	var types []string
	var seqs []int64
	for len(want) > 0 || len(types) < 2 {
		e, a, err := message(t, conn)
		if err != nil {
			t.Fatal(err)
		}
		if e.Feed > 0 {
			types = append(types, e.Type)
			continue
		}
		got := string(a.ID) + " ok"
		if a.Error != nil {
			got = string(a.ID) + " " + string(a.Error.Code)
		}
		if got != want[0] || a.OK == (a.Error != nil) || a.OK && a.Seq == 0 {
			t.Fatalf("%s is not %s: %+v", got, want[0], a)
		}
		seqs = append(seqs, a.Seq)
		want = want[1:]
	}
	if fmt.Sprint(types) != "[run.paused run.unpaused]" || seqs[7] != seqs[8] {
		t.Errorf("%v %v", types, seqs)
	}
}

func TestSocketsAreGuarded(t *testing.T) {
	d := open(t, Options{})
	for _, origin := range []string{"https://evil.example", "null", "http://localhost:1"} {
		if _, res, err := d.dial("", "Origin", origin); err == nil || res == nil || res.StatusCode != 403 ||
			res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v %v", origin, res, err)
		}
	}
	if _, res, err := d.dial("", "Sec-Fetch-Site", "cross-site"); err == nil || res.StatusCode != 403 {
		t.Errorf("%v", err)
	}
	conn, _, err := d.dial("", "Origin", d.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn.CloseNow()
	if _, res, err := d.dial("?after=99"); err == nil || res.StatusCode != 422 {
		t.Errorf("%v", err)
	}
	// One message is at most 1 MiB.
	conn, _, err = d.dial("")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	_ = conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":"`+strings.Repeat("x", socketMax)+`"}`))
	if _, _, err := message(t, conn); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("%v", err)
	}
}

func TestSocketsEndCleanly(t *testing.T) {
	d := open(t, Options{})
	d.api.pace.beat = 10 * time.Millisecond
	conn, _, err := d.dial("")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	time.AfterFunc(50*time.Millisecond, d.api.Drain)
	_, _, err = message(t, conn)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusGoingAway {
		t.Errorf("%v", err)
	}
	if _, res, err := d.dial(""); err == nil || res.StatusCode != 503 {
		t.Errorf("%v", err)
	}
}

// TestAStuckSocketIsDropped: a client that does not read is disconnected.
func TestAStuckSocketIsDropped(t *testing.T) {
	d := open(t, Options{})
	d.api.pace.stuck = 200 * time.Millisecond
	conn, _, err := d.dial("?full=true")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	big := `{"workflow":"plain","input":{"s":"` + strings.Repeat("x", 1<<20) + `"}}`
	for range 12 {
		d.post("/runs", big).want(201)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(d.log.String(), `"route":"`+contract.PathSocket+`"`) {
			return
		}
	}
	t.Error("the socket is still open")
}
