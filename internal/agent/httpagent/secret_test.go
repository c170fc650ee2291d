package httpagent_test

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/httpagent"
	"github.com/assent-run/assent/internal/definition"
)

func secret(t *testing.T, s string) definition.Secret {
	t.Helper()
	out, err := definition.ParseSecret(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSecretsStayHidden: a service repeats what it was sent, wherever it can.
func TestSecretsStayHidden(t *testing.T) {
	mode := ""
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echo := r.Header.Get("Authorization") + " " + r.Header.Get("X-Plain")
		switch mode {
		case "status":
			http.Error(w, strings.Repeat("x", 4080)+echo, 500)
		case "garbage":
			fmt.Fprint(w, "you sent "+echo)
		case "field":
			_ = json.NewEncoder(w).Encode(map[string]any{"output": 1, "usage": map[string]any{"cost_usd": echo}})
		case "redirect":
			http.Redirect(w, r, "http://"+strings.Fields(echo)[1]+".example/", http.StatusTemporaryRedirect)
		case "logs":
			_ = json.NewEncoder(w).Encode(map[string]any{"output": 1, "logs": echo})
		}
	}))
	a := ask(t, s.URL, map[string]definition.Secret{"Authorization": secret(t, "Bearer ${env:TOKEN}"),
		"X-Plain": secret(t, "swordfish")})
	for _, mode = range []string{"status", "garbage", "field", "redirect", "logs"} {
		r, f := invoke(t, a)
		if text := fmt.Sprintf("%+v %+v", r, f); strings.Contains(text, "sesame") || strings.Contains(text, "sword") {
			t.Errorf("%s gives a secret away: %.600s", mode, text)
		}
	}
}

func TestSecretsThatCannotBeSent(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }))
	_, f := invoke(t, ask(t, s.URL, map[string]definition.Secret{"X-Key": secret(t, "${env:MISSING}")}))
	if f.Code != "secret" || f.Transient || !strings.Contains(f.Message, "X-Key") ||
		!strings.Contains(f.Message, "MISSING") {
		t.Errorf("%+v", f)
	}
	_, f = invoke(t, ask(t, s.URL, map[string]definition.Secret{"X-Key": secret(t, "swordfish\r\nX-Evil: 1")}))
	if f.Code != "secret" || strings.Contains(f.Message, "sword") {
		t.Errorf("%+v", f)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(behave(agenttest.Behaviour{Output: json.RawMessage(`1`)}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about us, rightly
	s.StartTLS()
	t.Cleanup(s.Close)
	_, f := invoke(t, ask(t, s.URL, nil))
	if f.Code != "tls" || f.Transient {
		t.Errorf("a certificate of nobody we trust: %+v", f)
	}
	o := local
	o.RootCAs = x509.NewCertPool()
	o.RootCAs.AddCert(s.Certificate())
	a, err := caller(t, o).Agent(definition.HTTP{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if r, f := invoke(t, a); string(r.Output) != `1` {
		t.Errorf("%+v", f)
	}
}

func TestNoProxyWhileGuarded(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	a, err := caller(t, httpagent.Options{}).Agent(definition.HTTP{URL: "http://10.0.0.1/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, f := invoke(t, a); f.Code != "forbidden_address" || !strings.Contains(f.Message, "10.0.0.1") {
		t.Errorf("%+v", f)
	}
}

func TestGuardLooksBehindNames(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	port := s.URL[strings.LastIndexByte(s.URL, ':'):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"2130706433", "127.1"} {
		a, err := caller(t, httpagent.Options{AllowPrivate: true}).Agent(definition.HTTP{URL: "http://" + host + port})
		if err != nil {
			continue
		}
		_, f := invoke(t, a)
		// Unusual notations of an address are not resolvable names.
		if f.Message == "" || f.Code != "forbidden_address" && !strings.HasPrefix(host, "2") && host != "127.1" {
			t.Errorf("%s: %+v", host, f)
		}
		if f.Code == "forbidden_address" && f.Transient {
			t.Errorf("%s: %v", host, errors.New(f.Message))
		}
	}
}
