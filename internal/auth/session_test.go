package auth_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const password = "violet tram seventy lake"

// watch is a clock that a test moves.
type watch struct{ ahead atomic.Int64 }

func (w *watch) now() time.Time {
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(w.ahead.Load()))
}

func (w *watch) wait(d time.Duration) { w.ahead.Add(int64(d)) }

func put(t testing.TB, s *auth.Service, p port.PutAccount) port.Account {
	t.Helper()
	a, _, err := s.PutAccount(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func account(name string) port.PutAccount {
	secret := password
	return port.PutAccount{Name: name, Password: &secret, Roles: &[]string{"approver"}}
}

func TestSessionsEnd(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now, Idle: time.Hour, Max: 3 * time.Hour})
	put(t, s, account("ann"))
	in := func() string {
		t.Helper()
		v, err := s.SignIn(t.Context(), "ann", password, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		return v.Secret
	}
	cookie := in()
	for range 3 { // an active session stays valid
		w.wait(50 * time.Minute)
		if who, err := s.Cookie(t.Context(), cookie); err != nil || who.Name != "ann" {
			t.Fatalf("%+v, %v", who, err)
		}
	}
	w.wait(30 * time.Minute) // but not for ever
	_, err := s.Cookie(t.Context(), cookie)
	refused(t, "after three hours", err)
	cookie = in()
	w.wait(time.Hour)
	_, err = s.Cookie(t.Context(), cookie)
	refused(t, "after an idle hour", err)
	for _, bad := range []string{"", "x", cookie + "x", strings.Repeat("A", 43), strings.Repeat("\x00", 43)} {
		_, err = s.Cookie(t.Context(), bad)
		refused(t, bad, err)
	}
}

func TestHashesAreRenewed(t *testing.T) {
	st := newStore(t)
	open := func(c auth.Cost) *auth.Service {
		s, err := auth.New(st, auth.Config{Password: true, Cost: c})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	weak := open(cheap)
	put(t, weak, account("ann"))
	in, err := weak.SignIn(t.Context(), "ann", password, "")
	if err != nil {
		t.Fatal(err)
	}
	strong := open(auth.Cost{MemoryKiB: 128, Rounds: 2, Lanes: 1})
	if _, err := strong.SignIn(t.Context(), "ann", password, ""); err != nil {
		t.Fatal(err)
	}
	a, err := st.Account(t.Context(), "ann")
	if err != nil || !strings.HasPrefix(a.Hash, "$argon2id$v=19$m=128,t=2,p=1$") {
		t.Errorf("%s, %v", a.Hash, err)
	}
	if _, err := strong.Cookie(t.Context(), in.Secret); err != nil { // the password is the same
		t.Error(err)
	}
	if _, err := weak.SignIn(t.Context(), "ann", password, ""); err != nil {
		t.Error(err)
	}
}

func TestPasswords(t *testing.T) {
	s := service(t, auth.Config{Password: true})
	for _, bad := range []string{
		"", "elevenchars", strings.Repeat("x", 1025) + "y", "password1234", "PASSWORD1234", "correct horse battery staple",
		strings.Repeat("a", 30), "\xff\xfe violet tram", "annannannann", "qwertyuiop123!",
	} {
		p := account("annannannann")
		p.Password = &bad
		if _, _, err := s.PutAccount(t.Context(), p); !fault.Is(err, fault.Invalid) || bad != "" &&
			strings.Contains(err.Error(), bad) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	// Length is all that matters, and é is é however it is typed.
	for i, good := range []string{"twelve chars", strings.Repeat("violet ", 146), "ein schönes Café", "日本語のとても長いパスワード"} {
		p := account(fmt.Sprint("p", i))
		p.Password = &good
		put(t, s, p)
		if _, err := s.SignIn(t.Context(), p.Name, good, ""); err != nil {
			t.Errorf("%.20q: %v", good, err)
		}
	}
	if _, err := s.SignIn(t.Context(), "P2", "ein scho\u0308nes Cafe\u0301", ""); err != nil {
		t.Error(err)
	}
	_, err := s.SignIn(t.Context(), "p2", "ein schones Cafe", "")
	refused(t, "without accents", err)
	for _, bad := range []string{"", "a b", "role:x", "a,b", ".a", "a\x00", strings.Repeat("x", 129), "-"} {
		if _, _, err := s.PutAccount(t.Context(), account(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestAFloodBlocksNobodyElse: whoever guesses at one name waits, and others who
// sign in from the same address, or the same person from elsewhere, do not.
func TestAFloodBlocksNobodyElse(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now})
	put(t, s, account("ann"))
	put(t, s, account("bob"))
	var limited, wrong atomic.Int64
	var flood sync.WaitGroup
	for range 200 {
		flood.Go(func() {
			_, err := s.SignIn(t.Context(), "ann", "a wrong password", "192.0.2.1")
			switch {
			case fault.Is(err, fault.RateLimited):
				limited.Add(1)
			case fault.Is(err, fault.Unauthenticated):
				wrong.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	flood.Wait()
	if wrong.Load() > 5 || limited.Load()+wrong.Load() != 200 {
		t.Errorf("%d guesses were looked at, %d were not", wrong.Load(), limited.Load())
	}
	for what, c := range map[string]struct{ name, address string }{"another name": {"bob", "192.0.2.1"},
		"another address": {"ann", "192.0.2.2"}} {
		if _, err := s.SignIn(t.Context(), c.name, password, c.address); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestGuessingGetsSlower: each failure makes the next wait twice as long, up to a bound;
// a success resets the count.
func TestGuessingGetsSlower(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now})
	put(t, s, account("ann"))
	wait := func() time.Duration {
		_, err := s.SignIn(t.Context(), "ann", "a wrong password", "2001:db8::1")
		if fault.Is(err, fault.RateLimited) {
			return time.Duration(fault.DetailOf(err)["retry_after_s"].(int)) * time.Second
		}
		refused(t, "a guess", err)
		return 0
	}
	var waits []time.Duration
	for range 60 {
		d := wait()
		if d > 0 {
			waits = append(waits, d)
			w.wait(d)
		}
	}
	if len(waits) < 12 || waits[0] != time.Second || waits[1] != 2*time.Second || waits[2] != 4*time.Second ||
		waits[11] != 15*time.Minute {
		t.Fatalf("%v", waits)
	}
	// A neighbour in the same network is the same guesser.
	if _, err := s.SignIn(t.Context(), "ann", password, "2001:db8::2"); !fault.Is(err, fault.RateLimited) {
		w.wait(15 * time.Minute)
	}
	w.wait(15 * time.Minute)
	if _, err := s.SignIn(t.Context(), "ann", password, "2001:db8::1"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if d := wait(); d != 0 {
			t.Fatalf("wait %s after a success", d)
		}
	}
}

// TestSpraying: one password tried on all accounts is slowed down by the address, and
// an account of one's own does not help.
func TestSpraying(t *testing.T) {
	var w watch
	s := service(t, auth.Config{Password: true, Now: w.now})
	put(t, s, account("mallory"))
	tried := 0
	for i := range 200 {
		_, err := s.SignIn(t.Context(), fmt.Sprint("user", i), password, "192.0.2.1")
		if fault.Is(err, fault.RateLimited) {
			break
		}
		tried++
		if i%3 == 0 {
			_, err = s.SignIn(t.Context(), "mallory", password, "192.0.2.1")
			if fault.Is(err, fault.RateLimited) {
				break
			}
		}
	}
	if tried > 60 {
		t.Errorf("%d names were tried", tried)
	}
}

func TestTokens(t *testing.T) {
	var w watch
	st := newStore(t)
	s, err := auth.New(st, auth.Config{Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	made, text, err := s.NewToken(t.Context(),
		port.NewToken{Name: "ann", Kind: run.Person, Roles: []string{"approver"}, ExpiresAt: w.now().Add(time.Hour),
			By: "root"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, made.Hash) || strings.Contains(fmt.Sprintf("%+v", made), text[31:]) {
		t.Errorf("the secret is kept: %+v", made)
	}
	who, err := s.Bearer(t.Context(), text)
	if err != nil || who.Name != "ann" || who.Kind != run.Person || who.Method != port.ByToken ||
		!who.ExpiresAt.Equal(w.now().Add(time.Hour)) {
		t.Fatalf("%+v, %v", who, err)
	}
	if kept, err := st.Token(t.Context(), made.ID); err != nil || !kept.UsedAt.Equal(w.now()) {
		t.Errorf("used at %s, %v", kept.UsedAt, err)
	}
	for _, bad := range []string{text + "A", text[:len(text)-1], strings.ToUpper(text),
		"ast_" + strings.Repeat("0", 26) + "_" + text[31:], "Bearer " + text} {
		_, err := s.Bearer(t.Context(), bad)
		refused(t, bad, err)
	}
	// A person who loses the account loses the tokens that act in their name.
	a := account("ann")
	put(t, s, a)
	if _, err := s.Bearer(t.Context(), text); err != nil {
		t.Error(err)
	}
	for _, roles := range [][]string{{"starter"}, {"approver", "starter"}} {
		put(t, s, port.PutAccount{Name: "ann", Roles: &roles})
		who, err := s.Bearer(t.Context(), text)
		if held := slices.Contains(roles, "approver"); err != nil || slices.Contains(who.Roles, "approver") != held ||
			slices.Contains(who.Roles, "starter") {
			t.Errorf("the account has %v, its token acts with %v, %v", roles, who.Roles, err)
		}
	}
	yes := true
	put(t, s, port.PutAccount{Name: "ann", Disabled: &yes})
	_, err = s.Bearer(t.Context(), text)
	refused(t, "a closed account", err)
	no := false
	put(t, s, port.PutAccount{Name: "ann", Disabled: &no})
	w.wait(time.Hour)
	_, err = s.Bearer(t.Context(), text)
	refused(t, "expired", err)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Bearer(t.Context(), text); !errors.Is(err, port.ErrUnavailable) {
		t.Errorf("a store that is away: %v", err)
	}
}

// Whatever changes who may come in is on record, also when the caller forgot to
// say who is behind it.
func TestChangesOfAccessAreOnRecord(t *testing.T) {
	st := newStore(t)
	s, err := auth.New(st, auth.Config{Password: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, account("ann"))
	made, _, err := s.NewToken(t.Context(), port.NewToken{Name: "nightly", Kind: run.Service, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveToken(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	entries, err := st.AuditRows(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Action)
	}
	if want := []string{"account.created", "token.created", "token.removed"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
