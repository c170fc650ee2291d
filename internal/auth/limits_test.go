package auth

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/directory"
	"github.com/go-jose/go-jose/v4"
)

func TestHashesThatAreKept(t *testing.T) {
	b64 := func(n int) string { return base64.RawStdEncoding.EncodeToString(make([]byte, n)) }
	text := func(costs string, salt, hash int) string {
		return "$argon2id$v=19$" + costs + "$" + b64(salt) + "$" + b64(hash)
	}
	const usual = "m=64,t=1,p=1"
	for in, good := range map[string]bool{
		text(usual, 16, 32): true, text(usual, 8, 16): true, text(usual, 64, 64): true,
		text(usual, 7, 32): false, text(usual, 65, 32): false, text(usual, 16, 15): false, text(usual, 16, 65): false,
		text("m=8,t=1,p=1", 16, 32): true, text("m=1048576,t=64,p=16", 16, 32): true,
		text("m=7,t=1,p=1", 16, 32): false, text("m=1048577,t=1,p=1", 16, 32): false,
		text("m=64,t=0,p=1", 16, 32): false, text("m=64,t=65,p=1", 16, 32): false,
		text("m=64,t=1,p=0", 16, 32): false, text("m=64,t=1,p=17", 16, 32): false,
		text("t=1,m=64,p=1", 16, 32): false, text("m=64,t=1", 16, 32): false, text("m=064,t=1,p=1", 16, 32): false,
		text("m=x,t=1,p=1", 16, 32): false, text("64,t=1,p=1", 16, 32): false,
		"$argon2id$v=19$" + usual + "$!$" + b64(32): false, "$argon2id$v=19$" + usual + "$" + b64(16) + "$!": false,
		"$argon2id$v=19$" + usual + "$" + b64(15) + "!$" + b64(30):      false,
		"$argon2id$v=19$" + usual + "$" + b64(15) + "$" + b64(30) + "!": false,
		"x" + text(usual, 16, 32):                                       false, text(usual, 16, 32) + "$": false,
		strings.Replace(text(usual, 16, 32), "v=19", "v=18", 1): false,
		strings.Replace(text(usual, 16, 32), "2id", "2i", 1):    false,
	} {
		p, err := parsePHC(in)
		if (err == nil) != good || good && p.String() != in {
			t.Errorf("%s: %v, %s", in, err, p)
		}
	}
	p, err := parsePHC(text("m=9,t=2,p=3", 16, 32))
	if want := (Cost{MemoryKiB: 9, Rounds: 2, Lanes: 3}); err != nil || p.cost != want {
		t.Errorf("%+v, %v", p.cost, err)
	}
}

func TestPasswordsThatCannotBeChecked(t *testing.T) {
	h := newHasher(Cost{MemoryKiB: 64, Rounds: 1, Lanes: 1})
	long := strings.Repeat("x", passwordMax)
	hash, err := h.hash(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		password, hash string
		ok             bool
	}{
		"the longest": {long, hash, true}, "something after it": {long + "y", hash, false},
		"no account": {long, "", false}, "not text": {"\xff" + long[1:], hash, false},
	} {
		if ok, outdated, err := h.check(t.Context(), c.password, c.hash); ok != c.ok || outdated || err != nil {
			t.Errorf("%s: %v, %v, %v", what, ok, outdated, err)
		}
	}
	// A hash that cannot be read matches no password, and is not replaced either.
	if ok, outdated, err := h.check(t.Context(), long, "$argon2id$"); ok || outdated || err == nil {
		t.Errorf("%v, %v, %v", ok, outdated, err)
	}
	// A caller who disconnects is not signed in; nor is one who finds the queue full.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	if ok, outdated, err := h.check(gone, long, hash); ok || outdated || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v, %v", ok, outdated, err)
	}
	h.waiting.Store(waitingMax)
	for range 2 { // those who are sent away do not fill the queue
		if ok, _, err := h.check(t.Context(), long, hash); ok || !fault.Is(err, fault.RateLimited) {
			t.Errorf("%v, %v", ok, err)
		}
	}
	if n := h.waiting.Load(); n != waitingMax {
		t.Errorf("%d wait", n)
	}
	h.waiting.Store(0)
	for range cap(h.slots) {
		<-h.slots
	}
	for range 3 * cap(h.slots) { // turns are given back
		if ok, _, err := h.check(t.Context(), long, hash); !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
	}
	if n := h.waiting.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
	if other := newHasher(h.cost); slices.Equal(other.decoy.hash, h.decoy.hash) ||
		slices.Equal(other.decoy.salt, h.decoy.salt) {
		t.Error("what stands for a missing account is the same everywhere")
	}
}

func TestNames(t *testing.T) {
	for name, good := range map[string]bool{
		"ann": true, "Ann Smith": true, strings.Repeat("x", nameMax): true, strings.Repeat("x", nameMax+1): false,
		"": false, " ann": false, "ann ": false, "a,b": false, "a\nb": false, "a\u200bb": false, "\xff": false,
		"role:x": false, "schedule:x": false,
	} {
		if directory.GoodName(name) != good {
			t.Errorf("%q: %v", name, !good)
		}
	}
	for name, good := range map[string]bool{
		"ann": true, "ann.smith@example.com": true, "é": true, "1a": true, "a-b_c+d": true,
		"Ann": false, "ann smith": false, ".ann": false, "@ann": false, "a/b": false, "service:x": false,
	} {
		if goodAccount(name) != good {
			t.Errorf("account %q: %v", name, !good)
		}
	}
	roles := make([]string, rolesMax)
	for i := range roles {
		roles[i] = fmt.Sprint("role", i)
	}
	if checkRoles(roles) != nil || checkRoles(append(roles, "one more")) == nil ||
		checkRoles([]string{"fine", "a,b"}) == nil {
		t.Error("roles")
	}
}

func TestNetworks(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "192.0.2.2": "192.0.2.2",
		"2001:db8::1": "2001:db8::/64", "2001:db8::ffff:1": "2001:db8::/64", "2001:db8:0:1::1": "2001:db8:0:1::/64",
		"fe80::1%eth0": "fe80::/64", "": "?", "somewhere": "?",
	} {
		if got := network(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestTheRightPasswordClearsTheName: whoever gets in is no guesser at that name,
// but the address keeps what others did from it.
func TestTheRightPasswordClearsTheName(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	g := newGuesses()
	from := func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }
	try := func(name, address string, ok bool) time.Duration {
		t.Helper()
		done, wait := g.begin(name, address, now)
		if wait == 0 {
			done(ok)
		}
		return wait
	}
	for i := range g.name.free - 1 {
		if wait := try("ann", from(i), false); wait != 0 {
			t.Fatalf("guess %d waits %s", i, wait)
		}
	}
	if wait := try("ann", from(100), true); wait != 0 {
		t.Fatal(wait)
	}
	now = now.Add(2 * time.Minute)
	for i := range g.name.free - 1 {
		if wait := try("ann", from(150+i), false); wait != 0 {
			t.Fatalf("guess %d at a name that was cleared waits %s", i, wait)
		}
	}
	// One password tried on all accounts, with an account of their own in between.
	g = newGuesses()
	for i := range g.address.free - 1 {
		try(fmt.Sprint("name", i), from(1), false)
		if wait := try("mallory", from(1), true); wait != 0 {
			t.Fatalf("try %d waits %s: signing in counts as guessing", i, wait)
		}
	}
	try("another", from(1), false)
	if wait := try("and another", from(1), false); wait == 0 {
		t.Error("an own account cleared the address")
	}
}

func TestThrottleStartsAfresh(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	th := &throttle{free: 2, first: time.Second, most: time.Minute}
	th.count("a", now)
	th.count("a", now)
	if wait := th.wait("a", now); wait != time.Second {
		t.Errorf("waits %s", wait)
	}
	later := now.Add(throttleFor + time.Nanosecond)
	if th.wait("a", later) != 0 || len(th.entries) != 0 || th.recent.Len() != 0 {
		t.Errorf("it is still counted: %v", th.entries)
	}
	if th.count("a", later); th.wait("a", later) != 0 {
		t.Error("the first try after a day waits")
	}
	undo := th.count("b", later)
	undo()
	th.count("b", later)
	if wait := th.wait("b", later); wait != 0 {
		t.Errorf("a try that was taken back counts: %s", wait)
	}
	for range 40 {
		th.count("c", later)
	}
	if wait := th.wait("c", later); wait != time.Minute {
		t.Errorf("waits %s", wait)
	}
}

func TestClaims(t *testing.T) {
	var c claims
	const text = `{"email":"Ann@Example.com","email_verified":true,"sub":"S1","groups":["b","a","b","*"],"one":"a","none":"","number":7,"upper":"ANN"}`
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	mapping := map[string][]string{"a": {"zeta", "alpha"}, "b": {"middle", "alpha"}, "*": {"everyone"}}
	for claim, want := range map[string]string{"groups": "alpha everyone middle zeta", "one": "alpha everyone zeta",
		"none": "everyone", "number": "everyone", "missing": "everyone"} {
		if roles, err := c.roles(claim, mapping); err != nil || strings.Join(roles, " ") != want {
			t.Errorf("%s: %v, %v", claim, roles, err)
		}
	}
	if roles, err := c.roles("none", map[string][]string{"": {"admin"}}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("no group: %v, %v", roles, err)
	}
	// Addresses are the same however they are written; other names are not.
	for claim, want := range map[string]string{"email": "ann@example.com", "upper": "ANN"} {
		if name, err := c.name(claim); err != nil || name != want {
			t.Errorf("%s: %q, %v", claim, name, err)
		}
	}
	if _, err := c.name("missing"); !fault.Is(err, fault.Forbidden) {
		t.Error(err)
	}
	c.add(claims{"sub": json.RawMessage(`"S2"`), "more": json.RawMessage(`"x"`)})
	if c.text("sub") != "S1" || c.text("more") != "x" {
		t.Errorf("%s", c)
	}
}

func TestTokensTakenApart(t *testing.T) {
	id, proof := newID(time.Now()), secret()
	if got, rest, ok := splitToken("ast_" + id + "_" + proof); !ok || got != "tok_"+id || rest != proof {
		t.Errorf("%q, %q, %v", got, rest, ok)
	}
	for _, bad := range []string{
		"ast_" + strings.Repeat("!", idLength) + "_" + proof, "ast_" + id + "_" + strings.Repeat("!", secretLength),
		"ast_" + id + "-" + proof, "ast_" + id + "_" + proof + "A", "asx_" + id + "_" + proof,
	} {
		if _, _, ok := splitToken(bad); ok {
			t.Errorf("%q is a token", bad)
		}
	}
	there := trip{State: secret(), Nonce: secret(), Verifier: secret(), Return: "/"}
	if _, ok := parseTrip(there.String()); !ok {
		t.Error("a cookie of ours")
	}
	there.Return += strings.Repeat("x", tripMax)
	if _, ok := parseTrip(there.String()); ok {
		t.Error("a long cookie")
	}
	long := "/" + strings.Repeat("x", returnMax-1)
	if safePath(long) != long || safePath(long+"x") != "/" || safePath("/%zz") != "/" {
		t.Error("long or broken ways back")
	}
}

// TestSpentRemembers: what was used stays used while others are.
func TestSpentRemembers(t *testing.T) {
	var s spent
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	keys := []string{"a", "b", "c", "d"}
	for _, key := range keys {
		if !s.take(key, now, now.Add(time.Minute)) {
			t.Errorf("%s is used", key)
		}
	}
	for _, key := range keys {
		if s.take(key, now, now.Add(time.Minute)) {
			t.Errorf("%s is used twice", key)
		}
	}
	if !s.take("a", now.Add(time.Minute), now.Add(2*time.Minute)) {
		t.Error("it is remembered longer than it is valid")
	}
}

func TestSignaturesOfOthers(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	keys := &keySet{now: func() time.Time { return now }, fetched: now, tried: now, keys: []jose.JSONWebKey{{Key: public}}}
	signed := func(key ed25519.PrivateKey, body string) string {
		t.Helper()
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := signer.Sign([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		token string
		good  bool
	}{
		"ours":            {signed(private, `{}`), true},
		"another's":       {signed(stranger, `{}`), false},
		"ours, too long":  {signed(private, strings.Repeat("x", jwtMax)), false},
		"not even signed": {"a.b.c", false},
	} {
		body, err := keys.VerifySignature(t.Context(), c.token)
		if (err == nil) != c.good || (body != nil) != c.good {
			t.Errorf("%s: %q, %v", what, body, err)
		}
	}
}

// TestSalts: two people with one password have two hashes.
func TestSalts(t *testing.T) {
	h := newHasher(Cost{MemoryKiB: 64, Rounds: 1, Lanes: 1})
	one, err := h.hash(t.Context(), "violet tram seventy lake")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.hash(t.Context(), "violet tram seventy lake")
	if err != nil || one == other {
		t.Errorf("%s and %s, %v", one, other, err)
	}
}

func TestTrustworthyAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://id.example.com": true, "http://127.0.0.1:8080": true, "http://[::1]": true, "http://localhost/x": true,
		"http://a.localhost": true, "http://[::ffff:127.0.0.1]": true,
		"http://192.0.2.1": false, "http://10.0.0.1": false, "http://[2001:db8::1]": false, "http://id.example.com": false,
		"http://localhost.example.com": false, "ftp://localhost": false, "https://": false, "localhost": false, "": false,
		"https://ann@id.example.com": false, "https://id.example.com/#x": false,
	} {
		if err := trustworthy(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
