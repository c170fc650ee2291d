package traffic

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
)

func TestRateLimitIsPerIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(Limits{Rate: 10})
		for i := range 20 {
			if err := l.Charge("ann"); err != nil {
				t.Fatalf("request %d of a burst of 20: %v", i, err)
			}
		}
		if err := l.Charge("ann"); !fault.Is(err, fault.RateLimited) {
			t.Fatalf("request 21: %v", err)
		}
		if err := l.Charge("bob"); err != nil {
			t.Fatalf("somebody else: %v", err)
		}
		time.Sleep(100 * time.Millisecond) // synctest: no time passes
		if err := l.Charge("ann"); err != nil {
			t.Fatalf("after the time of one request: %v", err)
		}
		if err := l.Charge("ann"); err == nil {
			t.Fatal("two after the time of one")
		}
		time.Sleep(time.Hour)
		for i := range 20 {
			if err := l.Charge("ann"); err != nil {
				t.Fatalf("request %d after a long rest: %v", i, err)
			}
		}
		if err := l.Charge("ann"); err == nil {
			t.Fatal("a long rest must not save up more than a burst")
		}
	})
}

func TestRequestsAndStreamsAtOnce(t *testing.T) {
	l := NewLimiter(Limits{AtOnce: 2, Streams: 1})
	first, err := l.Enter("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Enter("ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Enter("ann"); !fault.Is(err, fault.RateLimited) {
		t.Fatalf("a third at once: %v", err)
	}
	if _, err := l.Enter("bob"); err != nil {
		t.Fatal(err)
	}
	first()
	if _, err := l.Enter("ann"); err != nil {
		t.Fatalf("after one has ended: %v", err)
	}
	closed, err := l.Open("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open("ann"); !fault.Is(err, fault.RateLimited) {
		t.Fatalf("a second stream: %v", err)
	}
	closed()
	if _, err := l.Open("ann"); err != nil {
		t.Fatal(err)
	}
}

func TestLimiterForgetsAndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(Limits{Rate: 10, AtOnce: 5, Streams: 5})
		if _, err := l.Enter("busy"); err != nil {
			t.Fatal(err)
		}
		for i := range usersMax + 1000 {
			_ = l.Charge(strconv.Itoa(i))
		}
		if n := len(l.users); n > usersMax+1 {
			t.Fatalf("%d are remembered", n)
		}
		time.Sleep(time.Minute)
		_ = l.Charge("new")
		if n := len(l.users); n != 2 || l.users["busy"] == nil {
			t.Fatalf("%d are remembered after a minute, and busy is %v", n, l.users["busy"])
		}
	})
}

func TestWhoIsTooFastWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(Limits{Rate: 1})
		var all []time.Duration
		for range 100 {
			began := time.Now()
			if !l.Delay(t.Context()) {
				t.Fatal("nobody else is held")
			}
			all = append(all, time.Since(began))
		}
		low, high := slices.Min(all), slices.Max(all)
		if low < defaultHold/2 || high > defaultHold*3/2 || high-low < defaultHold/2 {
			t.Fatalf("waited %s to %s: it is to be about %s, and not the same for all", low, high, defaultHold)
		}
		began := time.Now()
		l.held = heldMax
		if l.Delay(t.Context()) || !time.Now().Equal(began) {
			t.Fatal("no more than some are held")
		}
		l.held = 0
		gone, leave := context.WithCancel(t.Context())
		leave()
		if l.Delay(gone); !time.Now().Equal(began) {
			t.Fatal("nobody waits for whoever has left")
		}
	})
}
