package trigger

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var (
	now  = time.Unix(1_790_000_000, 0)
	body = []byte(`{"test": 2432232314}`)
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func want(t *testing.T, name string, err error, ok bool) {
	t.Helper()
	if ok != (err == nil) || !ok && !fault.Is(err, fault.Unauthenticated) && !errors.Is(err, port.ErrUnavailable) {
		t.Errorf("%s: %v", name, err)
	}
}

// signed are the headers of a delivery of a moment.
func signed(t *testing.T, at time.Time, id string) http.Header {
	t.Helper()
	all, err := Sign(&definition.Verify{Kind: definition.VerifyStandard}, key, id, body, at)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for name, text := range all {
		h.Set(name, text)
	}
	return h
}

func TestStandardWebhooks(t *testing.T) {
	v := &definition.Verify{Kind: definition.VerifyStandard}
	good, same := signed(t, now, "msg_1").Get(headerSignature), func(http.Header) {}
	encoded := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", n))) }
	set := func(name, text string) func(http.Header) { return func(h http.Header) { h.Set(name, text) } }
	for name, c := range map[string]struct {
		secret string
		change func(h http.Header)
		ok     bool
	}{
		"good":               {key, same, true},
		"no prefix":          {strings.TrimPrefix(key, "whsec_"), same, true},
		"another secret":     {"whsec_" + encoded(24), same, false},
		"an empty secret":    {"", same, false},
		"an empty key":       {"whsec_", same, false},
		"not base64":         {"whsec_%", same, false},
		"public key as HMAC": {"whpk_" + encoded(32), same, false},
		"rotated":            {key, set(headerSignature, "v1,AAAA v2,xx "+good), true},
		"another version":    {key, set(headerSignature, strings.Replace(good, "v1,", "v2,", 1)), false},
		"v1a of a MAC":       {key, set(headerSignature, strings.Replace(good, "v1,", "v1a,", 1)), false},
		"no version":         {key, set(headerSignature, good[3:]), false},
		"empty":              {key, set(headerSignature, "v1,"), false},
		"nothing":            {key, func(h http.Header) { h.Del(headerSignature) }, false},
		"cut":                {key, set(headerSignature, good[:len(good)-4]), false},
		"too many":           {key, set(headerSignature, strings.Repeat("v1,AAAA ", 40)+good), false},
		"another id":         {key, set(headerID, "msg_2"), false},
		"no id":              {key, func(h http.Header) { h.Del(headerID) }, false},
		"two ids":            {key, func(h http.Header) { h.Add(headerID, "msg_2") }, false},
		"no time":            {key, func(h http.Header) { h.Del(headerTimestamp) }, false},
		"another time":       {key, set(headerTimestamp, strconv.FormatInt(now.Unix()+1, 10)), false},
		"odd time":           {key, func(h http.Header) { h.Set(headerTimestamp, "+"+h.Get(headerTimestamp)) }, false},
		"a word as time":     {key, set(headerTimestamp, "now"), false},
		"huge time":          {key, set(headerTimestamp, strings.Repeat("9", 30)), false},
		"two signatures":     {key, func(h http.Header) { h.Add(headerSignature, good) }, false},
		"only GitHub's":      {key, func(h http.Header) { h.Del(headerSignature); h.Set(headerGitHub, "sha256=00") }, false},
	} {
		h := signed(t, now, "msg_1")
		c.change(h)
		want(t, name, verify(v, c.secret, h, body, now), c.ok)
	}
	want(t, "another body", verify(v, key, signed(t, now, "msg_1"), []byte(`{"test":1}`), now), false)
	for age, ok := range map[time.Duration]bool{5 * time.Minute: true, 5*time.Minute + time.Second: false,
		-5 * time.Minute: true, -5*time.Minute - time.Second: false, 24 * time.Hour: false} {
		want(t, age.String(), verify(v, key, signed(t, now.Add(-age), "msg_1"), body, now), ok)
	}
	// An id and a time that run into each other sign differently.
	h := signed(t, now, "msg_1.2")
	h.Set(headerID, "msg_1")
	want(t, "dots", verify(v, key, h, body, now), false)
}

func TestStandardWebhooksWithAPublicKey(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	sign := func(version string) http.Header {
		text := base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte("msg_1."+stamp+"."+string(body))))
		return headers(headerID, "msg_1", headerTimestamp, stamp, headerSignature, version+","+text)
	}
	v, secret := &definition.Verify{Kind: definition.VerifyStandard}, "whpk_"+base64.StdEncoding.EncodeToString(public)
	want(t, "good", verify(v, secret, sign("v1a"), body, now), true)
	want(t, "version", verify(v, secret, sign("v1"), body, now), false)
	want(t, "body", verify(v, secret, sign("v1a"), []byte("{}"), now), false)
	// The public key is no secret: it must not pass as the key of a MAC.
	forged, err := Sign(v, strings.Replace(secret, "whpk_", "whsec_", 1), "msg_1", body, now)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "a MAC with the public key", verify(v, secret, headers(headerID, "msg_1", headerTimestamp, stamp,
		headerSignature, forged[headerSignature]), body, now), false)
	if _, err := Sign(v, secret, "msg_1", body, now); err == nil {
		t.Error("a public key signs")
	}
}

func TestGitHub(t *testing.T) {
	v, secret := &definition.Verify{Kind: definition.VerifyGitHub}, "It's a Secret to Everybody"
	// The example of GitHub's documentation.
	const sum = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	hello := []byte("Hello, World!")
	check := func(name string, ok bool, secret string, body []byte, pairs ...string) {
		t.Helper()
		want(t, name, verify(v, secret, headers(pairs...), body, now), ok)
	}
	check("good", true, secret, hello, headerGitHub, "sha256="+sum)
	check("capitals", true, secret, hello, headerGitHub, "sha256="+strings.ToUpper(sum))
	check("no prefix", false, secret, hello, headerGitHub, sum)
	check("another digest", false, secret, hello, headerGitHub, "sha1="+sum)
	check("SHA-1 header", false, secret, hello, "X-Hub-Signature", "sha1="+sum)
	check("another body", false, secret, []byte("Hello, World?"), headerGitHub, "sha256="+sum)
	check("another secret", false, secret+"!", hello, headerGitHub, "sha256="+sum)
	empty, err := Sign(v, "", "1", hello, now)
	if err != nil {
		t.Fatal(err)
	}
	check("an empty secret", false, "", hello, headerGitHub, empty[headerGitHub])
	check("nothing", false, secret, hello)
	check("cut", false, secret, hello, headerGitHub, "sha256="+sum[:62])
	check("empty", false, secret, hello, headerGitHub, "sha256=")
	check("twice", false, secret, hello, headerGitHub, "sha256="+sum, headerGitHub, "sha256="+sum)
}

func TestOwnHeader(t *testing.T) {
	v := &definition.Verify{Kind: definition.VerifyHeader, Header: "X-Gitlab-Token"}
	want(t, "good", verify(v, "s3cret", headers("x-gitlab-token", "s3cret"), body, now), true)
	want(t, "other", verify(v, "s3cret", headers("x-gitlab-token", "s3cre"), body, now), false)
	want(t, "nothing", verify(v, "s3cret", headers(), body, now), false)
	want(t, "empty", verify(v, "", headers("x-gitlab-token", ""), body, now), false)
	want(t, "twice", verify(v, "s3cret", headers("x-gitlab-token", "s3cret", "x-gitlab-token", "x"), body, now), false)
	want(t, "unknown kind", verify(&definition.Verify{Kind: "?"}, "s", headers(), body, now), false)
	want(t, "none", verify(&definition.Verify{Kind: definition.VerifyNone}, "", headers(), body, now), true)
}
