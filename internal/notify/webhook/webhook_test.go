package webhook

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/notifytest"
	"github.com/assent-run/assent/internal/outbound"
)

const (
	first  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

var (
	seed       = []byte(strings.Repeat("k", ed25519.SeedSize))
	signingKey = privatePrefix + base64.StdEncoding.EncodeToString(ed25519.NewKeyFromSeed(seed))
)

// receiver is a program that gets webhooks.
type receiver struct {
	*httptest.Server
	bodies  []string
	headers []map[string]string
	answer  func(http.ResponseWriter, *http.Request)
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		headers := map[string]string{}
		for name := range q.Header {
			headers[strings.ToLower(name)] = q.Header.Get(name)
		}
		r.bodies, r.headers = append(r.bodies, string(body)), append(r.headers, headers)
		if r.answer != nil {
			r.answer(w, q)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func local() *outbound.Client { return outbound.New(outbound.Options{AllowLoopback: true}) }

func channel(t *testing.T, c Config) *Channel {
	t.Helper()
	if c.Secret == "" {
		c.Secret = first
	}
	if c.Out == nil {
		c.Out = local()
	}
	ch, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func message() notify.Message {
	return notify.Message{Key: "dlv_1", Event: notify.ApprovalNeeded, At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Open: "https://assent.example/approvals/apr_1", Data: json.RawMessage(`{"id":"apr_1","amount":1250.00,"a":"<&>"}`)}
}

func failureOf(t *testing.T, err error) *notify.Failure {
	t.Helper()
	var f *notify.Failure
	if !errors.As(err, &f) {
		t.Fatalf("not a failure: %v", err)
	}
	return f
}

// TestVerified is verified by the library of standardwebhooks, and v1a by Node's own crypto.
func TestVerified(t *testing.T) {
	r, v := newReceiver(t), notifytest.StartVerifier(t)
	c := channel(t, Config{URL: r.URL + "/hook?token=abc", Secret: first + " " + second, SigningKey: signingKey})
	if _, err := c.Send(t.Context(), notify.Recipient{}, message()); err != nil {
		t.Fatal(err)
	}
	body, headers := r.bodies[0], r.headers[0]
	const want = `{"type":"approval.needed","timestamp":"2026-03-04T05:06:07Z",` +
		`"data":{"id":"apr_1","amount":1250.00,"a":"<&>"}}`
	if body != want || headers["webhook-id"] != "dlv_1" || headers["content-type"] != "application/json" {
		t.Errorf("%s %v", body, headers)
	}
	for _, key := range append(c.PublicKeys(), first, second) {
		if payload, why := v.Verify(t, key, body, headers); why != "" || len(payload) == 0 {
			t.Errorf("%.6s…: %s", key, why)
		}
		if _, why := v.Verify(t, key, body+" ", headers); why == "" {
			t.Errorf("%.6s…: a changed body is accepted", key)
		}
		for _, header := range []string{"webhook-id", "webhook-timestamp"} {
			other := map[string]string{}
			for name, text := range headers {
				other[name] = text
			}
			other[header] = strings.Replace(other[header], "1", "2", 1)
			if _, why := v.Verify(t, key, body, other); why == "" {
				t.Errorf("%.6s…: a changed %s is accepted", key, header)
			}
		}
	}
	stranger := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
	for _, key := range []string{"whsec_" + strings.Repeat("A", 32),
		publicPrefix + base64.StdEncoding.EncodeToString(stranger.Public().(ed25519.PublicKey))} {
		if _, why := v.Verify(t, key, body, headers); why == "" {
			t.Errorf("%s verifies it", key)
		}
	}
	// Without a signing key there is no v1a.
	plain := channel(t, Config{URL: r.URL})
	if _, err := plain.Send(t.Context(), notify.Recipient{}, message()); err != nil {
		t.Fatal(err)
	}
	if s := r.headers[1]["webhook-signature"]; strings.Contains(s, "v1a") || !strings.HasPrefix(s, "v1,") {
		t.Errorf("signature %q", s)
	}
	if keys, err := PublicKeys(signingKey); err != nil || !slices.Equal(keys, c.PublicKeys()) || len(keys) != 1 ||
		keys[0] != c.PublicKey() || plain.PublicKey() != "" {
		t.Errorf("public keys %v, %v", keys, err)
	}
}

func TestResponses(t *testing.T) {
	r := newReceiver(t)
	c := channel(t, Config{URL: r.URL})
	for _, x := range []struct {
		status int
		header [2]string
		want   notify.Failure
	}{
		{200, [2]string{}, notify.Failure{}},
		{204, [2]string{}, notify.Failure{}},
		{301, [2]string{"Location", r.URL + "/elsewhere"}, notify.Failure{}},
		{307, [2]string{"Location", "http://evil.example/"}, notify.Failure{}},
		{400, [2]string{}, notify.Failure{}},
		{401, [2]string{}, notify.Failure{}},
		{404, [2]string{}, notify.Failure{}},
		{410, [2]string{}, notify.Failure{Permanent: true, Gone: true}},
		{429, [2]string{"Retry-After", "120"}, notify.Failure{After: 2 * time.Minute}},
		{500, [2]string{}, notify.Failure{}},
		{503, [2]string{"Retry-After", "7"}, notify.Failure{After: 7 * time.Second}},
	} {
		before := len(r.bodies)
		r.answer = func(w http.ResponseWriter, _ *http.Request) {
			if x.header[0] != "" {
				w.Header().Set(x.header[0], x.header[1])
			}
			w.WriteHeader(x.status)
			if x.status >= 400 {
				_, _ = io.WriteString(w, "no: "+first+"\x1b[31m\u202e "+strings.Repeat("x", 5000))
			}
		}
		ref, err := c.Send(t.Context(), notify.Recipient{}, message())
		if len(r.bodies) != before+1 {
			t.Errorf("%d: %d requests", x.status, len(r.bodies)-before)
		}
		if x.status < 300 {
			if err != nil || ref != "dlv_1" {
				t.Errorf("%d: %q, %v", x.status, ref, err)
			}
			continue
		}
		got := failureOf(t, err)
		why := got.Why
		got.Why = ""
		if *got != x.want || !strings.Contains(why, fmt.Sprint(x.status)) || strings.Contains(why, first) ||
			len(why) > 400 || strings.ContainsAny(why, "\x1b\u202e") {
			t.Errorf("%d: %+v %q", x.status, got, why)
		}
	}
}

// TestNoResponse: what was sent may have arrived, what was not has not.
func TestNoResponse(t *testing.T) {
	r := newReceiver(t)
	r.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	c := channel(t, Config{URL: r.URL + "/secret-path"})
	_, err := c.Send(t.Context(), notify.Recipient{}, message())
	if got := failureOf(t, err); !got.Unknown || got.Permanent || strings.Contains(got.Why, "secret-path") {
		t.Errorf("%+v", got)
	}
	// Nothing listens.
	r.Close()
	_, err = c.Send(t.Context(), notify.Recipient{}, message())
	if got := failureOf(t, err); got.Unknown || got.Permanent || strings.Contains(got.Why, "secret-path") {
		t.Errorf("%+v", got)
	}
	// The caller gives up while the receiver thinks.
	slow := newReceiver(t)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan bool)
	defer close(release)
	slow.answer = func(http.ResponseWriter, *http.Request) { cancel(); <-release }
	_, err = channel(t, Config{URL: slow.URL}).Send(ctx, notify.Recipient{}, message())
	if got := failureOf(t, err); !got.Unknown {
		t.Errorf("%+v", got)
	}
}

func TestGuard(t *testing.T) {
	r := newReceiver(t)
	c := channel(t, Config{URL: r.URL, Out: outbound.New(outbound.Options{})})
	_, err := c.Send(t.Context(), notify.Recipient{}, message())
	if got := failureOf(t, err); !strings.Contains(got.Why, "blocked") || len(r.bodies) != 0 {
		t.Errorf("%+v, %d requests", got, len(r.bodies))
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct{ url, secret, key, want string }{
		{"ftp://example.com", first, "", "url:"},
		{"https://example.com", "", "", "secret:"},
		{"https://example.com", "whsec_%%%", "", "secret:"},
		{"https://example.com", "whsec_AAAA", "", "secret:"},
		{"https://example.com", strings.Repeat(first+" ", 6), "", "secret:"},
		{"https://example.com", first, first, "signing_key:"},
		{"https://example.com", first, "whsk_AAAA", "signing_key:"},
		{"https://example.com", first, privatePrefix + base64.StdEncoding.EncodeToString(make([]byte, 64)), "signing_key:"},
	} {
		_, err := New(Config{URL: c.url, Secret: c.secret, SigningKey: c.key, Out: local()})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), first) {
			t.Errorf("%v: %v", c, err)
		}
	}
	short := privatePrefix + base64.StdEncoding.EncodeToString(seed)
	c := channel(t, Config{URL: "https://example.com", Secret: first + "\n" + second + "\n", SigningKey: short})
	long, err := PublicKeys(signingKey)
	if err != nil || !slices.Equal(c.PublicKeys(), long) {
		t.Errorf("%v, %v, %v", c.PublicKeys(), long, err)
	}
}

func TestIDs(t *testing.T) {
	if got := messageID("dlv_1-needed:ann"); got != "dlv_1-needed:ann" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for _, key := range []string{"", "a.b", "a b", "ä", "a\r\nb: c", strings.Repeat("x", 300)} {
		id := messageID(key)
		if seen[id] || !strings.HasPrefix(id, "msg_") || messageID(key) != id {
			t.Errorf("%q → %s", key, id)
		}
		seen[id] = true
	}
}

// FuzzPayload: whatever is in data, the body is JSON with less than 20 kB, and members are whole or named as left out.
func FuzzPayload(f *testing.F) {
	f.Add(`{"id":"apr_1"}`, 1, "x")
	f.Add(`{"id":"apr_1","approval":{"id":"apr_1","proposed":{"text":"PAD"},"steps":["PAD"]}}`, 30000, "x")
	f.Add(`"PAD"`, 30000, "\"")
	f.Add(`["PAD",{"a/b~c":"PAD"}]`, 20000, "\\")
	f.Add(`{"a/b~c":{"x":"PAD","y":1},"z":"PAD"}`, 19900, "<")
	f.Fuzz(func(t *testing.T, data string, size int, pad string) {
		if size < 0 || size > 100_000 || len(pad) > 10 || !json.Valid([]byte(data)) {
			return
		}
		quoted, _ := json.Marshal(strings.Repeat(pad, size))
		m := message()
		m.Data = json.RawMessage(strings.ReplaceAll(data, `"PAD"`, string(quoted)))
		if !json.Valid(m.Data) {
			return
		}
		body, err := payload(m)
		if err != nil || len(body) >= 20_000 || !json.Valid(body) {
			t.Fatalf("%d bytes, %v: %.200s", len(body), err, body)
		}
		var got struct {
			Type, Timestamp string
			Data            any
		}
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "approval.needed" {
			t.Fatalf("%v %.200s", err, body)
		}
		object, _ := got.Data.(map[string]any)
		if left, ok := object["left_out"].([]any); ok && !strings.Contains(data, "left_out") {
			if object["url"] != m.Open || len(left) == 0 {
				t.Fatalf("no link: %.300s", body)
			}
		} else if string(compact(m.Data)) != string(data) && !strings.Contains(string(body), string(compact(m.Data))) {
			t.Fatalf("something is missing, and not named: %.300s", body)
		}
	})
}

func TestLeavesOutTheLargest(t *testing.T) {
	m := message()
	big := strings.Repeat("x", 12_000)
	m.Data = json.RawMessage(`{"run":"run_1","approval":{"id":"apr_1","title":"Refund","proposed":"` + big +
		`","shown":{"a":"` + big + `","b":1}}}`)
	body, err := payload(m)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Data struct {
			Run      string
			Approval struct {
				ID, Title string
				Proposed  string
				Shown     map[string]any
			}
			LeftOut []string `json:"left_out"`
			URL     string
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	d := got.Data
	if d.Run != "run_1" || d.Approval.ID != "apr_1" || d.Approval.Proposed != big || d.Approval.Shown["b"] != 1.0 ||
		!slices.Equal(d.LeftOut, []string{"/approval/shown/a"}) || d.URL != m.Open {
		t.Errorf("%.300s", body)
	}
	m.Data = nil
	m.Run, m.Approval = "run_1", "apr_1"
	if body, err := payload(m); err != nil || !strings.Contains(string(body), `"approval":"apr_1"`) {
		t.Errorf("%s, %v", body, err)
	}
}
