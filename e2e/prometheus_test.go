//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/apttest"
	"github.com/assent-run/assent/internal/steady"
)

// dashboards are the queries of the dashboards, by file.
func dashboards(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	files, err := filepath.Glob("../deploy/grafana/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Title  string
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(raw, &d); err != nil || d.Title == "" {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				out[filepath.Base(name)] = append(out[filepath.Base(name)], target.Expr)
			}
		}
	}
	return out
}

// prometheus starts a Prometheus that scrapes servers and evaluates the alerts.
func prometheus(t *testing.T, targets ...string) string {
	t.Helper()
	installed := func() bool { _, err := exec.LookPath("prometheus"); return err == nil }
	if err := apttest.Install("prometheus", installed); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("Prometheus is not installed, %v", err)
		}
		t.Skipf("Prometheus is not installed, %v", err)
	}
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal(err)
	}
	addr := net.JoinHostPort("127.0.0.1", steady.Port(t))
	dir := t.TempDir()
	alerts, err := filepath.Abs("../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../deploy/prometheus/prometheus.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("15s", "200ms", "[alerts.yaml]", "["+alerts+"]",
		`["one:8080", "two:8080"]`, `["`+strings.Join(targets, `", "`)+`"]`).Replace(string(raw))
	if err := writeFile(dir+"/prometheus.yaml", config); err != nil {
		t.Fatal(err)
	}
	log := &tail{}
	cmd := exec.Command(program, "--config.file="+dir+"/prometheus.yaml", "--storage.tsdb.path="+dir+"/data",
		"--web.listen-address="+addr, "--enable-feature=exemplar-storage")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s", log)
		}
	})
	return "http://" + addr
}

// ask asks Prometheus; the result is what is in data.
func ask(t *testing.T, address, path string, query url.Values, into any) error {
	t.Helper()
	res, err := client.Get(address + path + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var out struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return err
	}
	if out.Status != "success" {
		return fmt.Errorf("%s: %s", query.Get("query"), out.Error)
	}
	return json.Unmarshal(out.Data, into)
}

// Every query of the dashboards returns data from a Prometheus that scrapes the binary, every alert can be evaluated,
// and exemplars lead to traces.
func TestDashboards(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer away.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", newCollector(t).url)
	s := serve(t)
	p := prometheus(t, strings.TrimPrefix(s.url, "http://"))
	s.define(refund + `
---
workflow: small
steps: [{ id: pay, agent: writer, operation: pay, risk: high }]
---
agent: broken
kind: http
url: ` + away.URL + `
---
workflow: breaks
steps: [{ id: a, agent: broken }]
---
policy: house
rules:
  - { name: Small, priority: 1, trigger: { operation_type: [pay] }, action: { auto_approve: true } }
`)
	s.call("PUT", "/channels/ledger", yaml("channel: ledger\nkind: webhook\nsecret: "+hookSecret+
		"\nurl: "+away.URL)).want(201)
	s.call("PUT", "/notifications", yaml("notifications: default\nevents: { approval.needed: [ledger] }")).want(201)
	stream, err := http.Get(s.url + "/api/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	work := func(n int) {
		for _, act := range []string{"approve", "reject"} {
			id := s.run("refund", map[string]any{"amount": 5 + n}, as(ann))
			ap := s.pending(id).text("id")
			s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": act, "version": 1, "comment": "x"},
				as(bob)).want(200)
			s.settles(id, "completed", "failed")
		}
		s.settles(s.run("small", nil, as(ann)), "completed")
		s.settles(s.run("breaks", nil, as(ann)), "failed")
		s.pending(s.run("refund", map[string]any{"amount": 7}, as(ann)))
	}
	missing := map[string]error{}
	end := time.Now().Add(patience)
	for n := 0; n == 0 || len(missing) > 0 && time.Now().Before(end); n++ {
		work(n) // rates need two scrapes with something between them
		clear(missing)
		for file, queries := range dashboards(t) {
			for _, q := range queries {
				var got struct{ Result []json.RawMessage }
				err := ask(t, p, "/api/v1/query", url.Values{"query": {q}}, &got)
				if err != nil || !slices.ContainsFunc(got.Result, func(r json.RawMessage) bool {
					return !strings.Contains(string(r), `"NaN"`)
				}) {
					missing[file+": "+q] = err
				}
			}
		}
	}
	for q, err := range missing {
		t.Errorf("no data for %s (%v)", q, err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError, State string }
		}
	}
	if err := ask(t, p, "/api/v1/rules", nil, &rules); err != nil || len(rules.Groups) == 0 {
		t.Fatalf("%v %v", rules, err)
	}
	for _, r := range rules.Groups[0].Rules {
		if r.Health != "ok" && r.Health != "unknown" || r.LastError != "" {
			t.Errorf("alert %s: %s %s", r.Name, r.Health, r.LastError)
		}
	}
	var examples []struct {
		Exemplars []struct{ Labels map[string]string }
	}
	if err := ask(t, p, "/api/v1/query_exemplars", url.Values{"query": {"assent_step_seconds_bucket"},
		"start": {fmt.Sprint(time.Now().Add(-time.Hour).Unix())}, "end": {fmt.Sprint(time.Now().Add(time.Hour).Unix())}},
		&examples); err != nil || len(examples) == 0 || len(examples[0].Exemplars[0].Labels["trace_id"]) != 32 {
		t.Errorf("exemplars: %v %v", examples, err)
	}
}
