package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// leaks looks for every secret in a text, in every encoding.
func (l *leakTest) leaks(where, text string) {
	l.Helper()
	l.looked++
	l.stars += strings.Count(text, "***")
	for name, secret := range planted {
		escaped := strings.Trim(quoted(secret), `"`)
		for _, form := range []string{
			secret, escaped, strings.Trim(plainly(secret), `"`), strings.Trim(quoted(escaped), `"`), url.QueryEscape(secret),
			url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("bytes " + secret)),
		} {
			if at := strings.Index(text, form); at >= 0 {
				l.Errorf("%s has %s: …%.300s…", where, name, text[max(0, at-150):])
				break
			}
		}
	}
}

// crawl calls every GET operation of the OpenAPI document with every known id.
func (l *leakTest) crawl() {
	l.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(l.s.call("GET", "/openapi.json", nil).want(200).body, &document); err != nil {
		l.Fatal(err)
	}
	ids := map[string][]string{"{n}": {"1"}, "{step}": {"work", "a", "b", "c", "d", "e", "f", "only"}}
	for _, kind := range []string{"runs", "approvals", "deliverables", "agents", "workflows", "tools"} {
		list := l.s.call("GET", "/"+kind+"?limit=200", nil).want(200)
		for i := range list.count("items") {
			at := fmt.Sprintf("items.%d.", i)
			ids["/"+kind] = append(ids["/"+kind], list.text(at+"id")+list.text(at+"name"))
		}
	}
	if len(ids["/runs"]) < 3 || len(ids["/agents"]) < 6 || len(ids["/deliverables"]) < 3 {
		l.Errorf("there is too little to look at: %v", ids)
	}
	asked := 0
	for path, methods := range document.Paths {
		if _, ok := methods["get"]; !ok || strings.HasSuffix(path, "/events") && !strings.Contains(path, "{") ||
			strings.HasSuffix(path, "/ws") {
			continue
		}
		for _, p := range fill(path, ids) {
			for _, query := range []string{"", "?full=true&limit=200"} {
				for _, accept := range []string{"application/json", "application/yaml"} {
					asked++
					status, body, header := l.get(p+query, accept)
					if status == http.StatusUnprocessableEntity { // this one takes no such parameters
						_, body, header = l.get(p, accept)
					}
					l.leaks("GET "+p+query, string(body)+fmt.Sprint(header))
					if strings.HasSuffix(p, ".zip") && status == http.StatusOK {
						l.unzip(p, body)
					}
				}
			}
		}
	}
	l.Logf("%d answers", asked)
}

// get sends a request without counting as a test of the operation.
func (l *leakTest) get(path, accept string) (int, []byte, http.Header) {
	l.Helper()
	req, err := http.NewRequest("GET", l.s.url+path, nil)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	res, err := client.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	return res.StatusCode, body, res.Header
}

// fill substitutes known ids in a path.
func fill(path string, ids map[string][]string) []string {
	from := strings.IndexByte(path, '{')
	if from < 0 {
		return []string{path}
	}
	to := from + strings.IndexByte(path[from:], '}') + 1
	known := ids[path[from:to]]
	if known == nil { // {id} or {name}: by the start of the path
		known = ids["/"+strings.Split(strings.TrimPrefix(path, "/api/v1/"), "/")[0]]
	}
	var out []string
	for _, id := range known {
		out = append(out, fill(path[:from]+url.PathEscape(id)+path[to:], ids)...)
	}
	return out
}

func (l *leakTest) unzip(where string, raw []byte) {
	l.Helper()
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		l.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			l.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			l.Fatal(err)
		}
		l.leaks(where+" "+f.Name, f.Name+f.Comment+string(content))
	}
}

// commands checks the output and exports of the command line.
func (l *leakTest) commands() {
	l.Helper()
	list := l.s.call("GET", "/runs?limit=100", nil).want(200)
	lines := [][]string{{"runs", "--json"}, {"inbox", "--json"}, {"lessons"}, {"export", "talk"},
		{"export", "clerk", "--kind", "agent"}, {"export", "service", "--kind", "agent", "--json"}, {"config"}}
	for i := range list.count("items") {
		id := list.text(fmt.Sprintf("items.%d.id", i))
		lines = append(lines, []string{"show", id}, []string{"show", id, "--json"}, []string{"events", id},
			[]string{"events", id, "--json"}, []string{"replay", id})
	}
	for _, args := range lines {
		ctx, cancel := context.WithTimeout(l.Context(), patience)
		cmd := exec.CommandContext(ctx, binary, args...)
		cmd.Env = append(os.Environ(), "ASSENT_ADDR="+strings.TrimPrefix(l.s.url, "http://"), "ASSENT_DATA="+l.data)
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			l.Errorf("assent %s: %v: %.500s", strings.Join(args, " "), err, out)
		}
		l.leaks("assent "+strings.Join(args, " "), string(out))
	}
}

// stop stops the server and checks its output.
func (l *leakTest) stop() {
	l.Helper()
	l.close()
	l.leaks("the stream", l.text(l.stream))
	if !strings.Contains(l.text(l.stream), "progress") || !strings.Contains(l.text(l.stream), "run.completed") {
		l.Errorf("the stream says too little: %.2000s", l.text(l.stream))
	}
	l.s.stop()
	said := l.text(l.said)
	l.leaks("the log", said)
	for _, s := range []string{typed, "planted-token-of-a-client"} {
		if strings.Contains(said, s) {
			l.Errorf("the log has %s: %.3000s", s, said)
		}
	}
	l.Logf("%d bytes of log, %d bytes of stream", len(said), len(l.text(l.stream)))
}

// disk checks every file that the server left.
func (l *leakTest) disk() {
	l.Helper()
	files := 0
	err := filepath.WalkDir(l.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		l.leaks(strings.TrimPrefix(path, l.data), path+string(raw))
		return nil
	})
	if err != nil || files == 0 {
		l.Errorf("%d files, %v", files, err)
	}
	if l.stars == 0 {
		l.Error("nothing was hidden anywhere")
	}
	l.Logf("%d places, %d files; secrets were hidden %d times", l.looked, files, l.stars)
}
