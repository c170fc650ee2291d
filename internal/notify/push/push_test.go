package push

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// TestEncryptAsRFC8291 compares with the example in Appendix A.
func TestEncryptAsRFC8291(t *testing.T) {
	de := func(s string) []byte {
		b, err := b64.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	own, err := ecdh.P256().NewPrivateKey(de("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	browser, err := browserKey(de("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"))
	if err != nil {
		t.Fatal(err)
	}
	auth := de("BTBZMqHH6r4Tts7J_aSIgg")
	got, err := encryptWith([]byte("When I grow up, I want to be a watermelon"), browser, auth, own,
		de("DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	// The example is not padded, so the first bytes of text are the same, and the rest differs.
	want := de("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz" +
		"AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if n := headSize + 41; !bytes.Equal(got[:n], want[:n]) {
		t.Errorf("got\n%x\nwant\n%x", got[:n], want[:n])
	}
}

// browser receives messages.
type browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

func newBrowser(t *testing.T) browser {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	auth := make([]byte, 16)
	rand.Read(auth) //nolint:errcheck // it never fails
	return browser{private, auth}
}

// decrypt is written after the RFCs, and not after encrypt.
func (b browser) decrypt(t *testing.T, body []byte) []byte {
	t.Helper()
	must := func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	salt, size, n := body[:16], binary.BigEndian.Uint32(body[16:20]), int(body[20])
	if size != 4096 || n != 65 || len(body) > 4096 {
		t.Fatalf("record of %d bytes, key of %d, body of %d", size, n, len(body))
	}
	sender, err := ecdh.P256().NewPublicKey(body[21 : 21+n])
	if err != nil {
		t.Fatal(err)
	}
	shared := must(b.private.ECDH(sender))
	info := slices.Concat([]byte("WebPush: info\x00"), b.private.PublicKey().Bytes(), sender.Bytes())
	prk := must(hkdf.Extract(sha256.New, shared, b.auth))
	prk = must(hkdf.Extract(sha256.New, must(hkdf.Expand(sha256.New, prk, string(info), 32)), salt))
	block, err := aes.NewCipher(must(hkdf.Expand(sha256.New, prk, "Content-Encoding: aes128gcm\x00", 16)))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain := must(gcm.Open(nil, must(hkdf.Expand(sha256.New, prk, "Content-Encoding: nonce\x00", 12)), body[21+n:], nil))
	plain = bytes.TrimRight(plain, "\x00")
	if len(plain) == 0 || plain[len(plain)-1] != 2 {
		t.Fatal("no delimiter of the last record")
	}
	return plain[:len(plain)-1]
}

// service is a push service.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	answer map[string]int // by path
	header http.Header
	got    []received
}

type received struct {
	path   string
	header http.Header
	body   []byte
}

func newService(t *testing.T) *service {
	s := &service{answer: map[string]int{}, header: http.Header{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, received{r.URL.Path, r.Header.Clone(), body})
		for k, v := range s.header {
			w.Header()[k] = v
		}
		w.WriteHeader(max(s.answer[r.URL.Path], http.StatusCreated))
	}))
	t.Cleanup(s.Close)
	return s
}

// take returns what was received since.
func (s *service) take() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	slices.SortFunc(got, func(a, b received) int { return strings.Compare(a.path, b.path) })
	return got
}

// office is a channel with a service it may reach.
type office struct {
	*Channel
	service *service
	store   *sqlite.Store
	now     time.Time
	t       *testing.T
}

func newOffice(t *testing.T) *office {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	o := &office{service: newService(t), store: store, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), t: t}
	o.Channel = o.channel(outbound.Options{AllowLoopback: true})
	return o
}

func (o *office) channel(opt outbound.Options) *Channel {
	opt.RootCAs = x509.NewCertPool()
	opt.RootCAs.AddCert(o.service.Certificate())
	out := outbound.New(opt)
	o.t.Cleanup(out.Close)
	return New(Options{Store: o.store, Transport: out.Transport(), Contact: "https://assent.example.com",
		Now: func() time.Time { return o.now }})
}

func (o *office) subscribe(person, path string) (browser, port.Push) {
	o.t.Helper()
	b := newBrowser(o.t)
	p, err := o.Subscribe(o.t.Context(), port.Push{Person: person, Endpoint: o.service.URL + path, Browser: "Firefox",
		P256DH: b.private.PublicKey().Bytes(), Auth: b.auth})
	if err != nil {
		o.t.Fatal(err)
	}
	return b, p
}

var needed = notify.Message{
	Key: "k1", Event: notify.ApprovalNeeded, At: time.UnixMilli(1_700_000_000_123), Thread: "apr_1", Run: "run_1",
	Workflow: "refund", Approval: "apr_1", Title: "Refund 420 EUR\u202e to Ann", Text: "1 approval needed.\nmore",
	Open:    "https://assent.example.com/approvals/apr_1?from=push",
	Facts:   []notify.Fact{{Label: "IBAN", Value: "DE00-secret"}},
	Details: []notify.Detail{{Label: "Amount", Text: "detail-secret"}},
	Acts:    []notify.Act{{Act: gate.Approve, Label: "Approve-now"}},
}

func failure(t *testing.T, err error) *notify.Failure {
	t.Helper()
	var f *notify.Failure
	if !errors.As(err, &f) {
		t.Fatalf("not a failure: %v", err)
	}
	return f
}

// TestSend: the message is encrypted for the browser, signed for its service, short, and without decisions.
func TestSend(t *testing.T) {
	o := newOffice(t)
	b, _ := o.subscribe("ann", "/send/secret-path")
	ref, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
	if err != nil || ref == "" {
		t.Fatal(ref, err)
	}
	got := o.service.take()
	if len(got) != 1 {
		t.Fatalf("%d messages", len(got))
	}
	plain := b.decrypt(t, got[0].body)
	want := `{"title":"Refund 420 EUR to Ann","line":"1 approval needed.","open":"/approvals/apr_1?from=push","tag":"` +
		topicOf(needed) + `","key":"k1","at":1700000000123,"asks":true}`
	if string(plain) != want {
		t.Errorf("payload\n%s\nwant\n%s", plain, want)
	}
	h := got[0].header
	for name, want := range map[string]string{"Ttl": "259200", "Urgency": "high", "Topic": topicOf(needed),
		"Content-Encoding": "aes128gcm"} {
		if h.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, h.Get(name), want)
		}
	}
	if len(topicOf(needed)) > 32 {
		t.Errorf("the topic %s is too long", topicOf(needed))
	}
	o.verify(h.Get("Authorization"))
	if room := o.Room(); room.Acts || room.Details != 0 {
		t.Errorf("there is no room for decisions: %+v", room)
	}
}

// verify checks an Authorization header: RFC 8292.
func (o *office) verify(header string) {
	o.t.Helper()
	text, public, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	parts := strings.Split(text, ".")
	if !ok || len(parts) != 3 {
		o.t.Fatalf("header %q", header)
	}
	if key, err := o.PublicKey(o.t.Context()); err != nil || key != public {
		o.t.Errorf("key %s, want %s: %v", public, key, err)
	}
	point, err := b64.DecodeString(public)
	if err != nil || len(point) != 65 || point[0] != 4 {
		o.t.Fatalf("public key %x: %v", point, err)
	}
	sig, err := b64.DecodeString(parts[2])
	if err != nil || len(sig) != 64 {
		o.t.Fatalf("signature of %d bytes: %v", len(sig), err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	number := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
	key := ecdsa.PublicKey{Curve: elliptic.P256(), X: number(point[1:33]), Y: number(point[33:])}
	if !ecdsa.Verify(&key, digest[:], number(sig[:32]), number(sig[32:])) {
		o.t.Error("the signature is wrong")
	}
	claims, err := b64.DecodeString(parts[1])
	if err != nil {
		o.t.Fatal(err)
	}
	var c struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(claims, &c); err != nil {
		o.t.Fatal(err)
	}
	if c.Aud != o.service.URL || c.Sub != "https://assent.example.com" || c.Exp <= o.now.Unix() ||
		c.Exp > o.now.Add(24*time.Hour).Unix() {
		o.t.Errorf("claims %s", claims)
	}
}

// TestTokens: a token is reused for a while, one for each service, and never near its end.
func TestTokens(t *testing.T) {
	o := newOffice(t)
	o.subscribe("ann", "/a")
	token := func() string {
		t.Helper()
		if _, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed); err != nil {
			t.Fatal(err)
		}
		h := o.service.take()[0].header.Get("Authorization")
		o.verify(h)
		return h
	}
	first := token()
	o.now = o.now.Add(tokenAgain - time.Second)
	if token() != first {
		t.Error("signed again within the hour")
	}
	o.now = o.now.Add(time.Second)
	second := token()
	if second == first {
		t.Error("an old token was reused")
	}
	o.now = o.now.Add(-48 * time.Hour) // the clock was set back
	if token() == second {
		t.Error("a token that expires too late was reused")
	}
}

// TestEdit: only browsers that got the message get what replaces it.
func TestEdit(t *testing.T) {
	o := newOffice(t)
	first, _ := o.subscribe("ann", "/1")
	o.subscribe("bob", "/bob")
	ref, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
	if err != nil {
		t.Fatal(err)
	}
	o.subscribe("ann", "/2")
	sent := o.service.take()
	settled := needed
	settled.Settled, settled.Text, settled.Acts, settled.Event = true, "Maria approved it.", nil, notify.ApprovalResolved
	again, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, ref, settled)
	if err != nil || again != ref {
		t.Fatalf("%s: %v", again, err)
	}
	got := o.service.take()
	if len(sent) != 1 || len(got) != 1 || got[0].path != "/1" {
		t.Fatalf("went to %+v", got)
	}
	if a, b := sent[0].header.Get("Topic"), got[0].header.Get("Topic"); a != b || a == "" {
		t.Errorf("topics %q and %q", a, b)
	}
	if u := got[0].header.Get("Urgency"); u != "low" {
		t.Errorf("urgency %q", u)
	}
	var p payload
	if err := json.Unmarshal(first.decrypt(t, got[0].body), &p); err != nil {
		t.Fatal(err)
	}
	if !p.Settled || p.Asks || p.Line != "Maria approved it." || p.Tag != topicOf(needed) {
		t.Errorf("%+v", p)
	}
	o.service.answer["/1"] = http.StatusGone
	if _, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, ref, settled); err == nil {
		t.Error("a browser that is gone got it")
	}
	o.service.take()
	if _, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, ref, settled); err != nil { // nothing to replace
		t.Error(err)
	}
	if got := o.service.take(); len(got) != 0 {
		t.Errorf("sent %d more", len(got))
	}
	if _, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, "{", settled); !failure(t, err).Permanent {
		t.Error("a damaged reference may pass")
	}
}

// TestAnswers: what a service says decides what becomes of the browser and of the message.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status          int
		permanent, gone bool
		after           time.Duration
	}{
		{http.StatusNotFound, true, true, 0},
		{http.StatusGone, true, true, 0},
		{http.StatusTooManyRequests, false, false, 90 * time.Second},
		{http.StatusServiceUnavailable, false, false, 90 * time.Second},
		{http.StatusForbidden, true, false, 0}, // our signature: the browser stays
		{http.StatusRequestEntityTooLarge, true, false, 0},
		{http.StatusTemporaryRedirect, true, false, 0},
	} {
		t.Run(http.StatusText(c.status), func(t *testing.T) {
			o := newOffice(t)
			o.subscribe("ann", "/secret-path")
			o.service.answer["/secret-path"] = c.status
			o.service.header.Set("Retry-After", "90")
			o.service.header.Set("Location", o.service.URL+"/elsewhere")
			_, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
			f := failure(t, err)
			maybe := c.status == http.StatusServiceUnavailable // it may have arrived
			if f.Permanent != c.permanent || f.After != c.after || f.Gone || f.Unknown != maybe {
				t.Errorf("%+v", f)
			}
			if strings.Contains(f.Why, "secret-path") || !strings.Contains(f.Why, http.StatusText(c.status)) {
				t.Errorf("why: %s", f.Why)
			}
			left, err := o.Subscriptions(t.Context(), "ann")
			if err != nil || len(left) != 1 && !c.gone || len(left) != 0 && c.gone {
				t.Errorf("left: %v, %v", left, err)
			}
			if n := len(o.service.take()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestSeveral: one browser that gets it is enough, and one attempt more is worth it while one may get it.
func TestSeveral(t *testing.T) {
	o := newOffice(t)
	_, one := o.subscribe("ann", "/1")
	_, two := o.subscribe("ann", "/2")
	o.service.answer["/1"] = http.StatusTooManyRequests
	ref, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
	if want := `["` + two.ID + `"]`; err != nil || string(ref) != want {
		t.Errorf("%s, want %s: %v", ref, want, err)
	}
	// One that may have got it is told what became of it, however often that takes.
	o.service.answer["/1"] = http.StatusInternalServerError
	ref, err = o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
	if !strings.Contains(string(ref), one.ID) || !strings.Contains(string(ref), two.ID) || err != nil {
		t.Errorf("%s: %v", ref, err)
	}
	settled := needed
	settled.Settled, settled.Acts = true, nil
	if _, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, ref, settled); failure(t, err).Permanent {
		t.Error("one that was not told counts as told")
	}
	o.service.answer["/1"] = http.StatusGone
	if _, err := o.Edit(t.Context(), notify.Recipient{Person: "ann"}, ref, settled); err != nil {
		t.Error(err)
	}
	o.subscribe("ann", "/1")
	o.service.answer["/1"] = http.StatusInternalServerError
	o.service.answer["/2"] = http.StatusForbidden
	if _, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed); failure(t, err).Permanent {
		t.Error("the one that may pass counts")
	}
	if _, err := o.Send(t.Context(), notify.Recipient{Person: "bob"}, needed); !failure(t, err).Permanent {
		t.Error("bob has no browser")
	}
	if _, err := o.Send(t.Context(), notify.Recipient{Address: "team"}, needed); !failure(t, err).Permanent {
		t.Error("an address has no browser")
	}
	o.now = o.now.Add(unusedFor + time.Second)
	o.service.take()
	if _, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed); !failure(t, err).Permanent {
		t.Error("a browser that was not used for long got it")
	}
	if n := len(o.service.take()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestGuarded: an endpoint may not lead to this machine or another place that only the server reaches.
func TestGuarded(t *testing.T) {
	o := newOffice(t)
	o.subscribe("ann", "/1")
	o.Channel = o.channel(outbound.Options{})
	_, err := o.Send(t.Context(), notify.Recipient{Person: "ann"}, needed)
	if f := failure(t, err); !f.Permanent || !strings.Contains(f.Why, "this machine") {
		t.Errorf("%+v", f)
	}
	if n := len(o.service.take()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	b := newBrowser(t)
	good := port.Push{Person: "ann", Endpoint: "https://push.example/x", P256DH: b.private.PublicKey().Bytes(),
		Auth: b.auth}
	for name, change := range map[string]func(*port.Push){
		"http":       func(p *port.Push) { p.Endpoint = "http://push.example/x" },
		"file":       func(p *port.Push) { p.Endpoint = "file:///etc/passwd" },
		"no host":    func(p *port.Push) { p.Endpoint = "https:///x" },
		"user":       func(p *port.Push) { p.Endpoint = "https://a:b@push.example/x" },
		"line":       func(p *port.Push) { p.Endpoint = "https://push.example/x\r\ny" },
		"point":      func(p *port.Push) { p.P256DH = bytes.Repeat([]byte{4}, 65) },
		"compressed": func(p *port.Push) { p.P256DH = p.P256DH[:33] },
		"secret":     func(p *port.Push) { p.Auth = p.Auth[:15] },
	} {
		t.Run(name, func(t *testing.T) {
			p := good
			change(&p)
			if _, err := o.Subscribe(t.Context(), p); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "x") &&
				strings.Contains(err.Error(), p.Endpoint) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := o.Subscribe(t.Context(), good); err != nil {
		t.Error(err)
	}
}

// TestTest sends to one browser of the person.
func TestTest(t *testing.T) {
	o := newOffice(t)
	b, p := o.subscribe("ann", "/1")
	o.subscribe("ann", "/2")
	if err := o.TestPush(t.Context(), "ann", p.ID); err != nil {
		t.Fatal(err)
	}
	got := o.service.take()
	if len(got) != 1 || !bytes.Contains(b.decrypt(t, got[0].body), []byte("Push messages work")) {
		t.Fatalf("%+v", got)
	}
	if err := o.TestPush(t.Context(), "bob", p.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another person's: %v", err)
	}
	o.service.answer["/1"] = http.StatusGone
	if err := o.TestPush(t.Context(), "ann", p.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("gone: %v", err)
	}
	if removed, err := o.Unsubscribe(t.Context(), "ann", p.ID); removed || err != nil {
		t.Errorf("it was gone: %v", err)
	}
}

// TestOneKey: processes with one store sign with one key.
func TestOneKey(t *testing.T) {
	o := newOffice(t)
	other := o.channel(outbound.Options{})
	a, err1 := o.PublicKey(t.Context())
	b, err2 := other.PublicKey(t.Context())
	if a != b || a == "" || err1 != nil || err2 != nil {
		t.Errorf("%q and %q: %v, %v", a, b, err1, err2)
	}
}

// broken is a store that fails once.
type brokenOnce struct {
	port.Pushes
	failed bool
}

func (b *brokenOnce) PushKey(ctx context.Context, fresh []byte) ([]byte, error) {
	if !b.failed {
		b.failed = true
		return nil, errors.New("away")
	}
	return b.Pushes.PushKey(ctx, fresh)
}

// TestKeyLater: a store that was away for a moment does not leave the channel without a key.
func TestKeyLater(t *testing.T) {
	o := newOffice(t)
	c := New(Options{Store: &brokenOnce{Pushes: o.store}})
	if _, err := c.PublicKey(t.Context()); err == nil {
		t.Error("no error")
	}
	if key, err := c.PublicKey(t.Context()); err != nil || key == "" {
		t.Errorf("%q, %v", key, err)
	}
}

// TestPayloadFits: whatever a message contains, it fits into one record.
func TestPayloadFits(t *testing.T) {
	long := strings.Repeat("\U0001F600\"\\<", 4000)
	for _, m := range []notify.Message{
		{Title: long, Text: long, Open: "https://x.example/" + long, Thread: long},
		{Title: long, Text: long, Open: "https://x.example/" + strings.Repeat("a", 480), Thread: long},
		{},
	} {
		body, err := payloadOf(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) > plainMax {
			t.Errorf("%d bytes", len(body))
		}
		b := newBrowser(t)
		sealed, err := encrypt(body, b.private.PublicKey(), b.auth)
		if err != nil || !bytes.Equal(b.decrypt(t, sealed), body) {
			t.Errorf("encrypted: %v", err)
		}
	}
	for n := range plainMax + 1 {
		if p := padded(make([]byte, n)); len(p) > plainMax+1 || len(p) <= n {
			t.Fatalf("%d bytes padded to %d", n, len(p))
		}
	}
	if _, err := encrypt(make([]byte, plainMax+1), newBrowser(t).private.PublicKey(), make([]byte, 16)); err == nil {
		t.Error("a text that does not fit was encrypted")
	}
}

func TestPathOf(t *testing.T) {
	for open, want := range map[string]string{
		"https://a.example/approvals/x?y=1": "/approvals/x?y=1",
		"/runs/r":                           "/runs/r",
		"https://a.example//evil.example/x": "/inbox",
		"javascript:alert(1)":               "/inbox",
		"":                                  "/inbox",
		"https://a.example/%zz":             "/inbox",
		"https://a.example/a%2Fb":           "/a%2Fb",
	} {
		if got := pathOf(open); got != want {
			t.Errorf("%s: %s, want %s", open, got, want)
		}
	}
}
