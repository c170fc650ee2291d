package api

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/traffic"
	"github.com/coder/websocket"
)

// slowOffice is a server with little patience.
func slowOffice(t *testing.T, l traffic.Limits) *desk {
	d := office(t, Options{Limits: l})
	d.api.limits.Hold = 0
	return d
}

func TestTooManyRequests(t *testing.T) {
	d := slowOffice(t, traffic.Limits{Rate: 5})
	now := time.Now()
	d.api.limits.Now = func() time.Time { return now }
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	for range 10 {
		d.get("/me", ann...).want(200)
	}
	a := d.get("/me", ann...)
	if p := a.refused(429, "rate_limited"); a.header.Get("Retry-After") != "1" || p.Hint == "" {
		t.Errorf("%s %s", a.header, a.body)
	}
	d.get("/me", bob...).want(200)
	d.send("GET", "/healthz", "").want(200)
	now = now.Add(time.Second)
	d.get("/me", ann...).want(200)
}

// Whoever guesses tokens is counted by address. That harms nobody who has one,
// also behind the same address, but whoever comes with something new has to wait.
func TestGuessingIsCountedByAddress(t *testing.T) {
	d := slowOffice(t, traffic.Limits{Rate: 5})
	now := time.Now()
	d.api.limits.Now = func() time.Time { return now }
	ann := d.signIn("ann", annPassword)
	d.get("/me", ann...).want(200)
	token := into[contract.TokenView](d.post("/tokens", `{"name":"ci","kind":"service","roles":["viewer"]}`,
		ann...).want(201)).Secret
	for i := range 8 { // one was the sign-in
		d.get("/me", "Authorization", fmt.Sprintf("Bearer guess%d", i)).refused(401, "unauthenticated")
	}
	d.get("/me", "Authorization", "Bearer guess8").refused(401, "unauthenticated")
	d.get("/me", "Authorization", "Bearer guess9").refused(429, "rate_limited")
	d.get("/me").refused(429, "rate_limited")
	d.post("/sign-in", `{"name":"ann","password":"`+annPassword+`"}`).refused(429, "rate_limited")
	d.get("/me", ann...).want(200)
	d.get("/me", "Authorization", "Bearer "+token).refused(429, "rate_limited")
	now = now.Add(time.Second)
	d.get("/me", "Authorization", "Bearer "+token).want(200)
}

func TestStreamsAreBounded(t *testing.T) {
	d := slowOffice(t, traffic.Limits{Streams: 1})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	stream := func(who []string) *http.Response {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", d.http.URL+contract.PathEvents, nil)
		r.Header.Set(who[0], who[1])
		res, err := d.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	one := stream(ann)
	d.get("/events", ann...).refused(429, "rate_limited")
	d.get("/me", ann...).want(200)
	two := stream(bob)
	if one.StatusCode != 200 || two.StatusCode != 200 {
		t.Error(one.Status, two.Status)
	}
	two.Body.Close()
	one.Body.Close()
}

func TestOrdersByWebSocketCount(t *testing.T) {
	d := slowOffice(t, traffic.Limits{Rate: 5})
	now := time.Now()
	d.api.limits.Now = func() time.Time { return now }
	ann := d.signIn("ann", annPassword)
	conn, _, err := websocket.Dial(t.Context(), d.http.URL+contract.PathSocket,
		&websocket.DialOptions{HTTPHeader: http.Header{ann[0]: {ann[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	ask := func() string {
		if err := conn.Write(t.Context(), websocket.MessageText,
			[]byte(`{"id":1,"run":"run_x","command":{"type":"pause"}}`)); err != nil {
			t.Fatal(err)
		}
		_, said, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return into[contract.Taken](answer{TB: t, body: said}).Error.Detail
	}
	for i := range 9 {
		if said := ask(); said == "more than 5 requests per second" {
			t.Fatalf("order %d: %s", i, said)
		}
	}
	if said := ask(); said != "more than 5 requests per second" {
		t.Errorf("%s", said)
	}
}

func TestAddressesOfOneHousehold(t *testing.T) {
	d := open(t, Options{})
	key := func(address string) string {
		return d.api.addressKey(&http.Request{RemoteAddr: address, Header: http.Header{}})
	}
	if key("[2001:db8::1]:1") != key("[2001:db8::ffff:2]:9") || key("[2001:db8::1]:1") == key("[2001:db8:0:1::1]:1") ||
		key("192.0.2.1:1") == key("192.0.2.2:1") || key("[::ffff:192.0.2.1]:1") != key("192.0.2.1:2") {
		t.Error("who is one household?")
	}
}

// Whoever takes more than their part goes on in the lane of what is slow, with
// quick requests, too; others, probes and streams do not.
func TestTheGreedyWaitForTheirTurn(t *testing.T) {
	d := slowOffice(t, traffic.Limits{Rate: 5})
	now := time.Now()
	d.api.limits.Now = func() time.Time { return now }
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	for range 10 {
		d.get("/me", ann...).want(200)
	}
	d.get("/me", ann...).refused(429, "rate_limited")
	now = now.Add(traffic.AtWork - time.Millisecond)
	for i := range traffic.LaneWidth() { // no room is left
		if err := d.api.lane.Enter(t.Context(), fmt.Sprint("other ", i), false); err != nil {
			t.Fatal(err)
		}
	}
	gone, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leave()
	r, _ := http.NewRequestWithContext(gone, "GET", d.http.URL+"/api/v1/me", nil)
	r.Header.Set(ann[0], ann[1])
	if res, err := d.http.Client().Do(r); err == nil {
		t.Errorf("%s without a turn", res.Status)
		res.Body.Close()
	}
	d.get("/me", bob...).want(200)
	d.send("GET", "/healthz", "").want(200)
	now = now.Add(2 * time.Millisecond)
	d.get("/me", ann...).want(200)
}
