package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An agent's error contains credentials that Assent never had. They are neither shown nor stored.
func TestCredentialsInErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	secrets := []string{"hunter2-and-more", "s3cr3tBearerT0ken99", "sk-proj-9f8e7d6c5b4a3210",
		"AKIAIOSFODNN7EXAMPLE", "MIIEpAIBAAKCAQEA7x9"}
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(422)
		fmt.Fprintf(w, `{"error":{"message":"dial postgres://app:%s@db/prod with Authorization: Bearer %s: order A-5501 was refused","stack":"key %s\nat %s\n-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----"}}`,
			secrets[0], secrets[1], secrets[2], secrets[3], secrets[4])
	}))
	defer failing.Close()
	s := serve(t)
	s.define("agent: caller\nkind: http\nurl: " + failing.URL +
		"\n---\nworkflow: calls\nsteps: [{ id: call, agent: caller, retry: { max: 1 } }]\n")
	id := s.run("calls", map[string]any{}, as(ann))
	s.settles(id, "failed")
	shown := ""
	for _, path := range []string{"/runs/" + id, "/runs/" + id + "/events", "/runs", "/audit?limit=200"} {
		shown += string(s.call("GET", path, nil).want(200).body)
	}
	for _, secret := range secrets {
		if strings.Contains(shown, secret) {
			t.Errorf("%s is shown: %s", secret, shown)
		}
	}
	if !strings.Contains(shown, "order A-5501 was refused") {
		t.Errorf("the rest is missing: %s", shown)
	}
	s.stop()
	data := s.args[slices.Index(s.args, "--data")+1]
	files, err := filepath.Glob(filepath.Join(data, "assent.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s is stored in %s", secret, filepath.Base(file))
			}
		}
	}
}
