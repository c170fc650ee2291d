package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/coder/websocket"
)

func TestRateLimitIsPerIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(Limits{Rate: 10})
		for i := range 20 {
			if err := l.charge("ann"); err != nil {
				t.Fatalf("request %d of a burst of 20: %v", i, err)
			}
		}
		if err := l.charge("ann"); !fault.Is(err, fault.RateLimited) {
			t.Fatalf("request 21: %v", err)
		}
		if err := l.charge("bob"); err != nil {
			t.Fatalf("somebody else: %v", err)
		}
		time.Sleep(100 * time.Millisecond) // synctest: no time passes
		if err := l.charge("ann"); err != nil {
			t.Fatalf("after the time of one request: %v", err)
		}
		if err := l.charge("ann"); err == nil {
			t.Fatal("two after the time of one")
		}
		time.Sleep(time.Hour)
		for i := range 20 {
			if err := l.charge("ann"); err != nil {
				t.Fatalf("request %d after a long rest: %v", i, err)
			}
		}
		if err := l.charge("ann"); err == nil {
			t.Fatal("a long rest must not save up more than a burst")
		}
	})
}

func TestRequestsAndStreamsAtOnce(t *testing.T) {
	l := newLimiter(Limits{AtOnce: 2, Streams: 1})
	first, err := l.enter("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.enter("ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.enter("ann"); !fault.Is(err, fault.RateLimited) {
		t.Fatalf("a third at once: %v", err)
	}
	if _, err := l.enter("bob"); err != nil {
		t.Fatal(err)
	}
	first()
	if _, err := l.enter("ann"); err != nil {
		t.Fatalf("after one has ended: %v", err)
	}
	closed, err := l.open("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.open("ann"); !fault.Is(err, fault.RateLimited) {
		t.Fatalf("a second stream: %v", err)
	}
	closed()
	if _, err := l.open("ann"); err != nil {
		t.Fatal(err)
	}
}

func TestLimiterForgetsAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(Limits{Rate: 10, AtOnce: 5, Streams: 5})
		if _, err := l.enter("busy"); err != nil {
			t.Fatal(err)
		}
		for i := range usersMax + 1000 {
			_ = l.charge(strconv.Itoa(i))
		}
		if n := len(l.users); n > usersMax+1 {
			t.Fatalf("%d are remembered", n)
		}
		time.Sleep(time.Minute)
		_ = l.charge("new")
		if n := len(l.users); n != 2 || l.users["busy"] == nil {
			t.Fatalf("%d are remembered after a minute, and busy is %v", n, l.users["busy"])
		}
	})
}

func TestWhoIsTooFastWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(Limits{Rate: 1})
		var all []time.Duration
		for range 100 {
			began := time.Now()
			if !l.delay(t.Context()) {
				t.Fatal("nobody else is held")
			}
			all = append(all, time.Since(began))
		}
		if low, high := slices.Min(all), slices.Max(all); low < holdUsually/2 || high > holdUsually*3/2 || high-low < holdUsually/2 {
			t.Fatalf("waited %s to %s: it is to be about %s, and not the same for all", low, high, holdUsually)
		}
		began := time.Now()
		l.held = heldMax
		if l.delay(t.Context()) || !time.Now().Equal(began) {
			t.Fatal("no more than some are held")
		}
		l.held = 0
		gone, leave := context.WithCancel(t.Context())
		leave()
		if l.delay(gone); !time.Now().Equal(began) {
			t.Fatal("nobody waits for whoever has left")
		}
	})
}

// slowOffice is a server with little patience.
func slowOffice(t *testing.T, l Limits) *desk {
	d := office(t, Options{Limits: l})
	d.api.limits.hold = 0
	return d
}

func TestTooManyRequests(t *testing.T) {
	d := slowOffice(t, Limits{Rate: 5})
	now := time.Now()
	d.api.limits.now = func() time.Time { return now }
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
	d := slowOffice(t, Limits{Rate: 5})
	now := time.Now()
	d.api.limits.now = func() time.Time { return now }
	ann := d.signIn("ann", annPassword)
	d.get("/me", ann...).want(200)
	token := into[TokenView](d.post("/tokens", `{"name":"ci","kind":"service","roles":["viewer"]}`, ann...).want(201)).Secret
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
	d := slowOffice(t, Limits{Streams: 1})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	stream := func(who []string) *http.Response {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", d.http.URL+pathEvents, nil)
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
	d := slowOffice(t, Limits{Rate: 5})
	now := time.Now()
	d.api.limits.now = func() time.Time { return now }
	ann := d.signIn("ann", annPassword)
	conn, _, err := websocket.Dial(t.Context(), d.http.URL+pathSocket, &websocket.DialOptions{HTTPHeader: http.Header{ann[0]: {ann[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	ask := func() string {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"run":"run_x","command":{"type":"pause"}}`)); err != nil {
			t.Fatal(err)
		}
		_, said, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return into[Taken](answer{TB: t, body: said}).Error.Detail
	}
	for i := range 9 {
		if said := ask(); said == "more than 5 requests a second" {
			t.Fatalf("order %d: %s", i, said)
		}
	}
	if said := ask(); said != "more than 5 requests a second" {
		t.Errorf("%s", said)
	}
}

func TestAddressesOfOneHousehold(t *testing.T) {
	d := open(t, Options{})
	key := func(address string) string {
		return d.api.addressKey(&http.Request{RemoteAddr: address, Header: http.Header{}})
	}
	if key("[2001:db8::1]:1") != key("[2001:db8::ffff:2]:9") || key("[2001:db8::1]:1") == key("[2001:db8:0:1::1]:1") || key("192.0.2.1:1") == key("192.0.2.2:1") || key("[::ffff:192.0.2.1]:1") != key("192.0.2.1:2") {
		t.Error("who is one household?")
	}
}

// Whoever takes more than their part goes on in the lane of what is slow, with
// quick requests, too; others, probes and streams do not.
func TestTheGreedyWaitForTheirTurn(t *testing.T) {
	d := slowOffice(t, Limits{Rate: 5})
	now := time.Now()
	d.api.limits.now = func() time.Time { return now }
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	for range 10 {
		d.get("/me", ann...).want(200)
	}
	d.get("/me", ann...).refused(429, "rate_limited")
	now = now.Add(atWork - time.Millisecond)
	for d.api.lane.free > 0 { // nobody else gets in
		if err := d.api.lane.enter(t.Context(), fmt.Sprint("other ", d.api.lane.free), false); err != nil {
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
