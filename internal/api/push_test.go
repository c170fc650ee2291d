package api

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/view"
)

// pushBody is a browser's subscription at an address.
func pushBody(t *testing.T, endpoint string) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return `{"endpoint":"` + endpoint + `","browser":"Firefox","keys":{"p256dh":"` +
		base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()) + `","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}`
}

// TestPushesAreOfPeople: a browser is a person's own, and ends with their session.
func TestPushesAreOfPeople(t *testing.T) {
	d := office(t, Options{})
	ann, bob, other := d.signIn("ann", annPassword), d.signIn("bob", bobPassword), d.signIn("bob", bobPassword)
	put := func(path string, who ...string) answer {
		return d.send("PUT", base+"/me/push", pushBody(t, "https://push.example/"+path), who...)
	}
	list := func(who ...string) []contract.PushBrowser {
		return into[view.List[contract.PushBrowser]](d.get("/me/push", who...).want(200)).Items
	}
	d.get("/push/key").refused(401, "unauthenticated")
	key := into[contract.PushKey](d.get("/push/key", bob...).want(200)).Key
	if b, err := base64.RawURLEncoding.DecodeString(key); err != nil || len(b) != 65 {
		t.Errorf("key %q: %v", key, err)
	}
	first := put("secret-1", bob...).want(200)
	if strings.Contains(string(first.body), "secret-1") {
		t.Errorf("the endpoint comes back: %s", first.body)
	}
	one := into[contract.PushBrowser](first)
	put("secret-2", other...).want(200)
	if got := list(bob...); len(got) != 2 || got[1].ID != one.ID || got[1].Browser != "Firefox" {
		t.Fatalf("%+v", got)
	}
	if got := list(ann...); len(got) != 0 {
		t.Errorf("another person's: %+v", got)
	}
	d.send("DELETE", base+"/me/push?id="+one.ID, "", ann...).want(200) // it is bob's
	if got := list(bob...); len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	d.post("/me/push/"+one.ID+"/test", "", ann...).refused(404, "not_found")
	d.post("/sign-out", "", other...).want(200)
	if got := list(bob...); len(got) != 1 || got[0].ID != one.ID {
		t.Errorf("after signing out: %+v", got)
	}
	if n := into[contract.PushRemoved](d.send("DELETE", base+"/me/push", "", bob...).want(200)); n.Removed != 1 {
		t.Errorf("%+v", n)
	}

	token := into[contract.TokenView](d.post("/tokens", `{"name":"bob","kind":"person","roles":["approver"]}`,
		ann...).want(201))
	put("3", "Authorization", "Bearer "+token.Secret).refused(403, "forbidden")
	service := into[contract.TokenView](d.post("/tokens", `{"name":"ci","kind":"service","roles":["starter"]}`,
		ann...).want(201))
	d.get("/me/push", "Authorization", "Bearer "+service.Secret).refused(403, "forbidden")
	for _, bad := range []string{"http://push.example/x", "https://", "javascript:1"} {
		p := d.send("PUT", base+"/me/push", pushBody(t, bad), bob...).refused(422, "invalid")
		if p.Errors[0].Path != "endpoint" {
			t.Errorf("%s: %+v", bad, p)
		}
	}
	if p := d.send("PUT", base+"/me/push", `{"endpoint":"https://push.example","keys":{"p256dh":"!","auth":"x"}}`,
		bob...).refused(422, "invalid"); len(p.Errors) != 2 {
		t.Errorf("%+v", p)
	}
	if log := d.log.String(); strings.Contains(log, "secret-1") || strings.Contains(log, "secret-2") {
		t.Error("an endpoint is in the log")
	}
}

// TestPushTest: what the service answers reaches the person, and not where the browser is.
func TestPushTest(t *testing.T) {
	d := office(t, Options{})
	bob := d.signIn("bob", bobPassword)
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()
	b := into[contract.PushBrowser](d.send("PUT", base+"/me/push", pushBody(t, service.URL+"/secret-path"),
		bob...).want(200))
	p := d.post("/me/push/"+b.ID+"/test", "", bob...).refused(409, "conflict") // its certificate is not trusted
	if strings.Contains(p.Detail, "secret-path") || !strings.Contains(p.Title+p.Detail, "certificate") {
		t.Errorf("%+v", p)
	}
}
