package auth

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

// TestUnknownNamesTakeAsLong: the work is the same whether there is an account, so
// that nobody learns by the clock who has one.
func TestUnknownNamesTakeAsLong(t *testing.T) {
	h := newHasher(Cost{MemoryKiB: 8 << 10, Rounds: 2, Lanes: 1})
	hash, err := h.hash(t.Context(), "violet tram seventy lake")
	if err != nil {
		t.Fatal(err)
	}
	least := func(password, hash string) time.Duration {
		best := time.Hour
		for range 7 {
			began := steady.CPU()
			if ok, _, err := h.check(t.Context(), password, hash); ok || err != nil {
				t.Fatal(ok, err)
			}
			best = min(best, steady.CPU()-began)
		}
		return best
	}
	known := least("a wrong password", hash)
	for what, took := range map[string]time.Duration{"nobody": least("a wrong password", ""),
		"too long": least(strings.Repeat("x", 5000), hash)} {
		if took < known/4 || took > 4*known { // busy machines differ, work left out shows a thousandfold
			t.Errorf("%s takes %s, a wrong password %s", what, took, known)
		}
	}
	if h.decoy.cost != h.cost || len(h.decoy.hash) != hashLength {
		t.Errorf("%+v", h.decoy.cost)
	}
}

func TestUsualCost(t *testing.T) {
	// What is recommended at least: 19 MiB and two rounds, or 46 MiB and one.
	if c := defaultCost; c.MemoryKiB < 19<<10 || c.Rounds < 2 {
		t.Errorf("%+v", c)
	}
}

func TestThrottleForgets(t *testing.T) {
	th := &throttle{free: 1, first: time.Second, most: time.Minute}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range throttleMax + 100 {
		th.count(string(rune(i))+"x", now.Add(time.Duration(i)))
	}
	if len(th.entries) != throttleMax || th.recent.Len() != throttleMax {
		t.Errorf("%d and %d keys are remembered", len(th.entries), th.recent.Len())
	}
	if th.wait(string(rune(0))+"x", now) != 0 || th.wait(string(rune(throttleMax))+"x", now) == 0 {
		t.Error("the wrong ones are forgotten")
	}
	last := string(rune(throttleMax)) + "x"
	if th.wait(last, now.Add(25*time.Hour)) != 0 {
		t.Error("it is remembered for ever")
	}
}

func TestSpentForgets(t *testing.T) {
	var s spent
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	if !s.take("a", now, now.Add(time.Minute)) || s.take("a", now.Add(time.Second), now.Add(time.Minute)) {
		t.Error("it is taken twice, or not at all")
	}
	for i := range 3 * spentMax {
		s.take(string(rune(i))+"x", now, now.Add(time.Minute))
	}
	if len(s.till) > spentMax {
		t.Errorf("%d are remembered", len(s.till))
	}
}

var returns = map[string]string{
	"": "/", "/": "/", "/inbox": "/inbox", "/inbox?mine=true#top": "/inbox?mine=true#top", "/runs/run_1": "/runs/run_1",
	"//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "https://evil.example": "/",
	"javascript:alert(1)": "/", "evil.example": "/",
	"/%2f%2fevil.example": "/", "/%5cevil.example": "/", "/a//b": "/", "/\tevil": "/", "/ x": "/",
	"/api/v1/sign-out": "/", "/api": "/", "/x/../api/v1": "/",
	"/" + strings.Repeat("x", 3000): "/", "///evil": "/", "/@evil.example": "/@evil.example", "/\r\nSet-Cookie: x": "/",
}

func TestReturnPaths(t *testing.T) {
	for in, want := range returns {
		if got := safePath(in); got != want {
			t.Errorf("%q leads to %q", in, got)
		}
	}
}

func FuzzReturnPath(f *testing.F) {
	for in := range returns {
		f.Add(in)
	}
	base, err := url.Parse("https://assent.example.com/api/v1/sign-in/oidc/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := safePath(in)
		u, err := base.Parse(out)
		if err != nil || u.Host != base.Host || u.Scheme != "https" || !strings.HasPrefix(out, "/") ||
			strings.HasPrefix(out, "//") || strings.ContainsAny(out, "\\\r\n\t ") {
			t.Errorf("%q leads to %q: %v", in, out, err)
		}
		if again := safePath(out); again != out {
			t.Errorf("%q, then %q", out, again)
		}
	})
}

func FuzzPHC(f *testing.F) {
	h := phc{cost: defaultCost, salt: make([]byte, 16), hash: make([]byte, 32)}
	for _, s := range []string{h.String(), "", "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=4294967295,t=1,p=1$c2FsdHNhbHQ$AAAA", "$2b$10$x", "$argon2id$v=19$m=064,t=1,p=1$$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePHC(text)
		if err == nil && p.String() != text {
			t.Errorf("%q became %q", text, p.String())
		}
		if err == nil && (p.cost.MemoryKiB > 1<<20 || p.cost.Rounds > 64 || p.cost.Lanes == 0) {
			t.Errorf("%+v", p.cost)
		}
	})
}

func FuzzToken(f *testing.F) {
	for _, s := range []string{"ast_" + newID(time.Now()) + "_" + secret(), "ast_", "ast__", "x",
		"ast_" + strings.Repeat("0", 26) + "_" + strings.Repeat("A", 43)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, proof, ok := splitToken(text)
		if ok && text != tokenPrefix+strings.TrimPrefix(id, tokenIDs)+"_"+proof {
			t.Errorf("%q became %q and %q", text, id, proof)
		}
	})
}

func FuzzTrip(f *testing.F) {
	good := trip{State: secret(), Nonce: secret(), Verifier: secret(), Return: "/inbox", Until: 1}
	for _, s := range []string{good.String(), "", "e30", "bnVsbA",
		base64.RawURLEncoding.EncodeToString([]byte(`{"s":1}`))} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := parseTrip(text); ok {
			if again, ok := parseTrip(got.String()); !ok || again != got {
				t.Errorf("%+v became %+v", got, again)
			}
		}
	})
}

func FuzzJWTHead(f *testing.F) {
	for _, s := range []string{"eyJhbGciOiJSUzI1NiJ9.e30.x", "eyJhbGciOiJub25lIn0.e30.", "..", "",
		"eyJhbGciOiJIUzI1NiJ9.e30.x", "bnVsbA.."} {
		f.Add(s)
	}
	keys := &keySet{now: time.Now, fetched: time.Now(), tried: time.Now()}
	f.Fuzz(func(t *testing.T, text string) {
		head, _, _ := strings.Cut(text, ".")
		raw, _ := base64.RawURLEncoding.DecodeString(head)
		if low := strings.ToLower(string(raw)); plausible(text) && strings.Contains(low, `"none"`) &&
			!strings.Contains(low, `256`) && !strings.Contains(low, `384`) && !strings.Contains(low, `512`) &&
			!strings.Contains(low, `eddsa`) {
			t.Errorf("%q is plausible", text)
		}
		if body, err := keys.VerifySignature(t.Context(), text); err == nil {
			t.Errorf("%q is signed: %s", text, body)
		}
	})
}
