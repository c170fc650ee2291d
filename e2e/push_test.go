package e2e

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// receiver is a browser and its push service in JavaScript, with nothing but Web Crypto: it shares no code with the
// server. Without arguments it subscribes; with a message it verifies and decrypts it, and with "-" each of its input.
const receiver = `
const { subtle } = globalThis.crypto;
const b64 = (b) => Buffer.from(b).toString("base64url");
const un = (s) => Buffer.from(s, "base64url");
const ec = { name: "ECDH", namedCurve: "P-256" };
async function hkdf(key, salt, info, length) {
  const k = await subtle.importKey("raw", key, "HKDF", false, ["deriveBits"]);
  return Buffer.from(await subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, k, length * 8));
}
async function main() {
  if (process.argv[1] === "-") {
    for await (const line of require("readline").createInterface({ input: process.stdin })) await read(JSON.parse(line));
    return;
  }
  if (!process.argv[1]) {
    const pair = await subtle.generateKey(ec, true, ["deriveBits"]);
    console.log(JSON.stringify({ private: await subtle.exportKey("jwk", pair.privateKey),
      p256dh: b64(await subtle.exportKey("raw", pair.publicKey)), auth: b64(crypto.getRandomValues(new Uint8Array(16))) }));
    return;
  }
  await read(JSON.parse(process.argv[1]));
}
async function read(told) {
  const [, token, key] = told.authorization.match(/^vapid t=([^,]+), k=(.+)$/);
  const [head, claims, signature] = token.split(".");
  const verifier = await subtle.importKey("raw", un(key), { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  const signed = await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, verifier, un(signature),
    Buffer.from(head + "." + claims));
  const body = un(told.body), salt = body.subarray(0, 16), size = body[20], sender = body.subarray(21, 21 + size);
  const own = await subtle.importKey("jwk", told.browser.private, ec, false, ["deriveBits"]);
  const theirs = await subtle.importKey("raw", sender, ec, false, []);
  const shared = Buffer.from(await subtle.deriveBits({ name: "ECDH", public: theirs }, own, 256));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), un(told.browser.p256dh), sender]);
  const ikm = await hkdf(shared, un(told.browser.auth), info, 32);
  const cek = await hkdf(ikm, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const iv = await hkdf(ikm, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const aes = await subtle.importKey("raw", cek, "AES-GCM", false, ["decrypt"]);
  const plain = Buffer.from(await subtle.decrypt({ name: "AES-GCM", iv }, aes, body.subarray(21 + size)));
  const end = plain.lastIndexOf(2);
  console.log(JSON.stringify({ signed, key, claims: JSON.parse(un(claims)), algorithm: JSON.parse(un(head)).alg,
    record: body.readUInt32BE(16), payload: JSON.parse(plain.subarray(0, end)) }));
}
main();
`

type browserKeys struct {
	Private json.RawMessage `json:"private"`
	P256DH  string          `json:"p256dh"`
	Auth    string          `json:"auth"`
}

// node runs the receiver.
func node(t *testing.T, into any, args ...string) {
	t.Helper()
	out, err := exec.Command("node", append([]string{"-e", receiver, "--"}, args...)...).Output() //nolint:gosec // a test
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// pushed is a message as a browser sees it.
type pushed struct {
	Signed  bool
	Payload struct {
		Title, Open, Tag, Key string
		Settled, Asks         bool
	}
}

// reader decrypts many messages with one process.
func reader(t *testing.T, b browserKeys) func(header http.Header, body []byte) (out pushed) {
	t.Helper()
	cmd := exec.Command("node", "-e", receiver, "--", "-") //nolint:gosec // a test
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	lines := bufio.NewReader(pipe)
	return func(header http.Header, body []byte) (out pushed) {
		told, err := json.Marshal(map[string]any{"browser": b, "authorization": header.Get("Authorization"),
			"body": base64.RawURLEncoding.EncodeToString(body)})
		if err == nil {
			_, err = in.Write(append(told, '\n'))
		}
		var line []byte
		if err == nil {
			line, err = lines.ReadBytes('\n')
		}
		if err == nil {
			err = json.Unmarshal(line, &out)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return out
	}
}

// TestPushReachesABrowser: a message arrives, encrypted and signed so that code of others can read it; the key stays
// the same over restarts, and a browser that is gone is removed.
func TestPushReachesABrowser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	type message struct {
		header http.Header
		body   []byte
	}
	got, gone := make(chan message, 10), make(chan struct{})
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		select {
		case <-gone:
			w.WriteHeader(http.StatusGone)
		default:
			got <- message{r.Header.Clone(), body}
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer service.Close()
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t)
	key := func() string {
		var k struct{ Key string }
		if err := json.Unmarshal(s.call("GET", "/push/key", nil).want(200).body, &k); err != nil {
			t.Fatal(err)
		}
		return k.Key
	}
	first := key()
	s.kill()
	s.env = append(s.env, "SSL_CERT_FILE="+trusted)
	s.start()
	if again := key(); again != first || first == "" {
		t.Errorf("the key was %q and is %q", first, again)
	}
	var b browserKeys
	node(t, &b)
	var mine struct{ ID string }
	subscribed := s.call("PUT", "/me/push", map[string]any{"endpoint": service.URL + "/push/1", "browser": "Test",
		"keys": map[string]any{"p256dh": b.P256DH, "auth": b.Auth}}).want(200)
	if err := json.Unmarshal(subscribed.body, &mine); err != nil {
		t.Fatal(err)
	}
	s.call("POST", "/me/push/"+mine.ID+"/test", nil).want(200)
	m := <-got
	told, err := json.Marshal(map[string]any{"browser": b, "authorization": m.header.Get("Authorization"),
		"body": base64.RawURLEncoding.EncodeToString(m.body)})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Signed         bool
		Key, Algorithm string
		Record         int
		Claims         struct{ Aud, Sub string }
		Payload        struct{ Title, Open, Tag string }
	}
	node(t, &read, string(told))
	if !read.Signed || read.Key != first || read.Algorithm != "ES256" || read.Claims.Aud != service.URL ||
		read.Claims.Sub == "" || read.Record != 4096 || read.Payload.Title != "Push messages work" ||
		read.Payload.Open != "/inbox" || read.Payload.Tag == "" {
		t.Errorf("%+v", read)
	}
	if list := string(s.call("GET", "/me/push", nil).want(200).body); !strings.Contains(list, mine.ID) {
		t.Errorf("not in the list: %s", list)
	}
	close(gone)
	s.call("POST", "/me/push/"+mine.ID+"/test", nil).want(409)
	s.call("POST", "/me/push/"+mine.ID+"/test", nil).want(404)
	s.call("DELETE", "/me/push", nil).want(200)
}
