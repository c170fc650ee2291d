package api

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/view"
)

type handed = map[string]any

// makes defines a workflow whose only agent hands these in, one answer per step.
func (d *desk) makes(name string, gates string, answers ...[]handed) {
	d.Helper()
	var steps, list []handed
	for i, made := range answers {
		agent := fmt.Sprintf("%s-%d", name, i)
		list = []handed{{"output": handed{"n": i}, "deliverables": made}}
		doc, err := json.Marshal(handed{"agent": agent, "kind": "scripted", "answers": list})
		if err != nil {
			d.Fatal(err)
		}
		d.send("PUT", base+"/agents/"+agent, string(doc)).want(201)
		steps = append(steps, handed{"id": fmt.Sprintf("s%d", i), "agent": agent})
	}
	doc, err := json.Marshal(handed{"workflow": name, "steps": steps, "gates": json.RawMessage(gates)})
	if err != nil {
		d.Fatal(err)
	}
	d.send("PUT", base+"/workflows/"+name+"?publish=true", string(doc)).want(201)
}

func (d *desk) deliverables(query string) []view.Deliverable {
	d.Helper()
	return into[view.List[view.Deliverable]](d.get("/deliverables?limit=200&" + query).want(200)).Items
}

// TestHostileDeliverables: whatever an agent hands in, under whatever name and
// type, no answer of ours lets a browser run it.
func TestHostileDeliverables(t *testing.T) {
	d := open(t, Options{})
	script := "<script>alert(document.domain)</script>"
	contents := []string{
		script, "<!DOCTYPE html>" + script, " \n\t<HTML>" + script, "\ufeff<html>" + script,
		`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
		"<?xml version=\"1.0\"?><svg onload='alert(1)'/>",
		"<?xml version='1.0'?><x xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></x>",
		"alert(1)//", "GIF89a=1;alert(1)//" + script, "GIF89a/*\x00\x00*/=1;" + script, "%PDF-1.7\n" + script,
		"\x89PNG\r\n\x1a\n" + script,
		"\xff\xd8\xff\xe0" + script, "RIFF\x00\x00\x00\x00WEBPVP8 " + script, "PK\x03\x04" + script, "\x00\x01\x02" + script,
		"\xff\xfe<\x00s\x00", "x" + script, "",
		strings.Repeat("a", 2000) + script,
	}
	types := []string{
		"", "text/html", "text/html; charset=utf-7", "TEXT/HTML", "image/svg+xml", "application/xhtml+xml", "text/xml",
		"application/xml", "text/javascript",
		"application/javascript", "text/csv", "text/plain", "image/png", "image/gif", "application/pdf",
		"application/x-shockwave-flash", "multipart/x-mixed-replace",
		"text/html\r\nX-Evil: 1", "application/json", "text/css", "nonsense",
	}
	names := []string{
		`a"; filename="b.html`, "a\r\nSet-Cookie: evil=1", "ann\u202elmth.exe", "../../../etc/passwd", `..\..\boot.ini`,
		"a.html", "a.svg", "a.js", "é.csv", "/", "..", "a/b/c.html",
		"\u2066x\u2069", "a.html ", "COM1", strings.Repeat("n", 255),
	}
	var made []handed
	for i, content := range contents {
		for j, declared := range types {
			made = append(made, handed{
				"name": fmt.Sprintf("%s", names[(i*len(types)+j)%len(names)]), "type": "document", "mime_type": declared,
				"content_base64": base64.StdEncoding.EncodeToString([]byte(content)),
			})
			if content == "" {
				delete(made[len(made)-1], "content_base64")
				made[len(made)-1]["content"] = ""
			}
		}
	}
	d.makes("hostile", `[]`, made)
	run := d.begin("hostile")
	d.until(run.ID, "completed")
	newest := d.deliverables("run=" + run.ID)
	// Of a period: all of them are from the last hour, and none is older.
	if now := d.deliverables("since=1h&run=" + run.ID); len(now) != len(newest) {
		t.Errorf("of the last hour: %d of %d", len(now), len(newest))
	}
	if old := d.deliverables("until=1h"); len(old) != 0 {
		t.Errorf("older than an hour: %+v", old)
	}
	d.get("/deliverables?since=soon").want(422)
	if len(newest) < len(names)-2 || len(newest) > len(names) {
		t.Fatalf("%d names of %d", len(newest), len(names))
	}
	seen := 0
	for _, one := range newest {
		all := into[view.List[view.Deliverable]](d.get("/deliverables/" + one.ID + "/versions?limit=200").want(200))
		for _, v := range all.Items {
			seen++
			d.checkHarmless(v)
		}
	}
	if seen != len(made) {
		t.Errorf("%d of %d versions were looked at", seen, len(made))
	}
	d.checkZip(run.ID, len(newest))
}

var shown = []string{"text/plain; charset=utf-8", "image/png", "image/gif", "image/jpeg", "image/webp"}

func (d *desk) checkHarmless(v view.Deliverable) {
	d.Helper()
	if strings.ContainsAny(v.Name, "\r\n\u202e\u2066\u2069") {
		d.Errorf("the name %q is shown", v.Name)
	}
	bytes := d.get("/deliverables/" + v.ID + "/content").want(200)
	disposition, params, err := mime.ParseMediaType(bytes.header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" {
		d.Errorf("%q: %q", v.Name, bytes.header.Get("Content-Disposition"))
	}
	if name := params["filename"]; name == "" || name != path.Base(name) ||
		strings.ContainsAny(name, "\r\n\\\u202e\u2066") || name == ".." {
		d.Errorf("%q is stored as %q", v.Name, name)
	}
	for _, bad := range []string{"html", "xml", "script", "css", "multipart", "shockwave"} {
		if strings.Contains(bytes.header.Get("Content-Type"), bad) {
			d.Errorf("%q is handed out as %s", bytes.body, bytes.header.Get("Content-Type"))
		}
	}
	preview := d.get("/deliverables/" + v.ID + "/preview")
	for _, a := range []answer{bytes, preview} {
		if csp := a.header.Get("Content-Security-Policy"); a.status == 200 &&
			!strings.HasPrefix(csp, "default-src 'none'; sandbox") ||
			a.header.Get("X-Content-Type-Options") != "nosniff" ||
			a.header.Get("Cross-Origin-Resource-Policy") != "same-origin" ||
			a.header.Get("Set-Cookie")+a.header.Get("X-Evil") != "" {
			d.Errorf("%q: %v", v.Name, a.header)
		}
	}
	if preview.status == 415 {
		if p := preview.refused(415, "unsupported"); p.Hint == "" {
			d.Errorf("%+v", p)
		}
		return
	}
	preview.want(200)
	if ct := preview.header.Get("Content-Type"); !slices.Contains(shown, ct) ||
		!strings.HasPrefix(preview.header.Get("Content-Disposition"), "inline") {
		d.Errorf("%q is shown as %s (%s)", bytes.body, ct, preview.header.Get("Content-Disposition"))
	}
	if strings.HasPrefix(string(bytes.body), "<") && preview.header.Get("Content-Type") != shown[0] {
		d.Errorf("%q is shown as %s", bytes.body, preview.header.Get("Content-Type"))
	}
}

func (d *desk) checkZip(run string, want int) {
	d.Helper()
	a := d.get("/runs/" + run + "/deliverables.zip").want(200)
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil || len(z.File) != want {
		d.Fatalf("%v", err)
	}
	taken := map[string]bool{}
	for _, f := range z.File {
		if taken[f.Name] || path.IsAbs(f.Name) || slices.Contains(strings.Split(f.Name, "/"), "..") ||
			strings.ContainsAny(f.Name, "\\\r\n\u202e\u2066:") {
			d.Errorf("the archive has %q", f.Name)
		}
		taken[f.Name] = true
	}
}

// TestArchivesUnpackAnywhere: whatever agents call their results, an archive of
// them unpacks inside its folder on every system, none over another, and so does
// each when a browser stores it.
func TestArchivesUnpackAnywhere(t *testing.T) {
	d := open(t, Options{})
	names := []string{
		"../up", "/abs/olute", `C:\drive.txt`, `\\server\share`, "a\x00b", "a\x1b[2J", "NUL", "com1.txt", "aux/x", "dot.",
		"dot", "space ", strings.Repeat("é", 250) + ".csv",
		"Same.md", "same.md", "SAME.MD", "same (2).md", "e\u0301", "é", "É", "straße", "STRASSE", "file", "file/inside",
		"FILE/inside", "...", ".bashrc", "a/../../b", "x:stream", "-rf",
	}
	var made []handed
	for _, name := range names {
		made = append(made, handed{"name": name, "content": name})
	}
	d.makes("hostile", `[]`, made)
	run := d.begin("hostile")
	d.until(run.ID, "completed")
	for _, v := range d.deliverables("run=" + run.ID) {
		_, params, err := mime.ParseMediaType(d.get("/deliverables/" + v.ID +
			"/content").want(200).header.Get("Content-Disposition"))
		if name := params["filename"]; err != nil || strings.HasPrefix(name, ".") || strings.Contains(name, "/") {
			t.Errorf("%q is stored as %q: %v", v.Name, name, err)
		} else {
			checkPlace(t, name)
		}
	}
	a := d.get("/runs/" + run.ID + "/deliverables.zip").want(200)
	z, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	if err != nil || len(z.File) != len(names) {
		t.Fatalf("%d of %d are in the archive: %v", len(z.File), len(names), err)
	}
	files, folders := map[string]string{}, map[string]string{}
	for _, f := range z.File {
		checkPlace(t, f.Name)
		if !f.Mode().IsRegular() || f.Mode().Perm()&0o111 != 0 {
			t.Errorf("%q is %s: neither a link nor a program", f.Name, f.Mode())
		}
		key := strings.ToUpper(strings.ToLower(norm.NFC.String(f.Name))) // ß and SS are the same in upper case
		key = strings.ReplaceAll(key, "ß", "SS")
		if other, taken := files[key]; taken {
			t.Errorf("%q and %q are the same file on some systems", f.Name, other)
		}
		files[key] = f.Name
		for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
			folders[dir] = f.Name
		}
	}
	for at, inside := range folders {
		if file, clash := files[at]; clash {
			t.Errorf("%q is a file, and %q is in it", file, inside)
		}
	}
}

// checkPlace says what a system could make of a path besides a file below where
// it is unpacked.
func checkPlace(t *testing.T, name string) {
	t.Helper()
	if !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\:*?\"<>|\x00\x1b\r\n") {
		t.Errorf("%q is no place for a file", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
		if len(part) > 255 || strings.TrimRight(part, ". ") != part || slices.Contains([]string{"NUL", "COM1", "AUX"}, stem) {
			t.Errorf("%q: %q is no name for a file", name, part)
		}
	}
}

func TestPreview(t *testing.T) {
	d := open(t, Options{})
	long := strings.Repeat("é", deliverables.PreviewMax/2) + "rest"
	d.makes("shown", `[]`, []handed{
		{"name": "long.txt", "content": long}, {"name": "fits.txt", "content": strings.Repeat("a", deliverables.PreviewMax)},
		{"name": "large.bin", "type": "data", "content": strings.Repeat("b", 1<<20+1)},
		{"name": "link", "url": "https://example.com/x"},
		{"name": "page.html", "content": "<b>bold</b>", "type": "report-ish"[:0]},
		{"name": "r.pdf", "content": "%PDF-1.7 x"},
	})
	run := d.begin("shown")
	d.until(run.ID, "completed")
	by := map[string]view.Deliverable{}
	for _, v := range d.deliverables("run=" + run.ID) {
		by[v.Name] = v
	}
	a := d.get("/deliverables/" + by["long.txt"].ID + "/preview").want(200)
	if len(a.body) != deliverables.PreviewMax || a.header.Get(headerCut) != "true" ||
		!strings.HasSuffix(string(a.body), "é") {
		t.Errorf("%d bytes, cut %s", len(a.body), a.header.Get(headerCut))
	}
	a = d.get("/deliverables/" + by["long.txt"].ID + "/preview?full=true").want(200)
	if string(a.body) != long || a.header.Get(headerCut) != "false" {
		t.Errorf("in full: %d bytes, cut %s", len(a.body), a.header.Get(headerCut))
	}
	if a := d.get("/deliverables/" + by["fits.txt"].ID + "/preview").want(200); len(a.body) != deliverables.PreviewMax ||
		a.header.Get(headerCut) != "false" {
		t.Errorf("%d bytes, cut %s", len(a.body), a.header.Get(headerCut))
	}
	if a := d.get("/deliverables/" + by["page.html"].ID + "/preview").want(200); string(a.body) != "<b>bold</b>" ||
		a.header.Get("Content-Type") != shown[0] {
		t.Errorf("%s %s", a.header, a.body)
	}
	d.get("/deliverables/"+by["r.pdf"].ID+"/preview").refused(415, "unsupported")
	d.get("/deliverables/"+by["link"].ID+"/preview").refused(404, "not_found")
	d.get("/deliverables/dlv_none/preview").refused(404, "not_found")
	d.get("/deliverables/dlv_none/versions").refused(404, "not_found")
	for name, want := range map[string]string{
		"long.txt": "document inline text", "large.bin": "data file text", "link": "other external none",
		"page.html": "document inline text", "r.pdf": "document inline none",
	} {
		if v := by[name]; v.Type+" "+v.Storage+" "+v.Preview != want {
			t.Errorf("%s is %s %s %s, not %s", name, v.Type, v.Storage, v.Preview, want)
		}
	}
}

// TestVersionsAndMarks: the same name is a new version; people say how the newest
// stands, and the log says who did.
func TestVersionsAndMarks(t *testing.T) {
	d := open(t, Options{})
	d.makes("twice", `[]`, []handed{{"name": "a.md", "content": "one"}, {"name": "b.md", "content": "b"}},
		[]handed{{"name": "a.md", "content": "two", "status": "final"}})
	run := d.begin("twice")
	d.until(run.ID, "completed")
	list := d.deliverables("run=" + run.ID)
	if len(list) != 2 || list[0].Name != "a.md" || list[0].Version != 2 || !list[0].Newest || list[0].Status != "final" {
		t.Fatalf("%+v", list)
	}
	newest := list[0].ID
	versions := into[view.List[view.Deliverable]](d.get("/deliverables/" + newest + "/versions").want(200))
	if versions.Total != 2 || versions.Items[1].Version != 1 || versions.Items[1].Newest ||
		versions.Items[1].Status != "draft" {
		t.Fatalf("%+v", versions)
	}
	old := versions.Items[1].ID
	if b := d.get("/deliverables/" + old + "/content").want(200); string(b.body) != "one" {
		t.Errorf("%s", b.body)
	}
	if both := into[view.List[view.Deliverable]](d.get("/deliverables/" + old + "/versions").want(200)); both.Total != 2 {
		t.Errorf("%+v", both)
	}
	if v := d.deliverables("status=draft&run=" + run.ID); len(v) != 1 || v[0].Name != "b.md" {
		t.Errorf("%+v", v)
	}
	mark := func(id, body string, headers ...string) answer {
		if headers == nil {
			headers = as("bob", "approver")
		}
		return d.post("/deliverables/"+id+"/status", body, headers...)
	}
	mark(old, `{"status":"archived","version":1}`).refused(409, "version_mismatch")
	mark(newest, `{"status":"archived","version":1}`).refused(409, "version_mismatch")
	mark(newest, `{"status":"archived","version":2,"was":"draft"}`).refused(409, "version_mismatch")
	mark(newest, `{"status":"archived"}`).refused(422, "invalid")
	mark(newest, `{"status":"lost","version":2}`).refused(422, "invalid")
	mark(newest, `{"status":"archived","version":2,"more":1}`).refused(422, "invalid")
	mark("dlv_none", `{"status":"archived","version":2}`).refused(404, "not_found")
	once := append(as("bob", "approver"), "Idempotency-Key", "k1")
	for range 2 {
		if v := into[view.Deliverable](mark(newest, `{"status":"archived","version":2,"was":"final"}`,
			once...).want(200)); v.Status != "archived" || !v.UpdatedAt.After(v.CreatedAt) {
			t.Errorf("%+v", v)
		}
	}
	if v := into[view.Deliverable](d.get("/deliverables/" + newest).want(200)); v.Status != "archived" || v.Version != 2 {
		t.Errorf("%+v", v)
	}
	mark(newest, `{"status":"archived","version":2}`).want(200) // it stands so already
	events := into[view.List[view.Event]](d.get("/runs/" + run.ID + "/events?limit=200").want(200))
	var marked []string
	for _, e := range events.Items {
		if e.Type == "deliverable.marked" {
			marked = append(marked, e.Actor.Name+" "+string(e.Data))
		}
	}
	if len(marked) != 1 || !strings.HasPrefix(marked[0], "bob ") ||
		!strings.Contains(marked[0], `"status":"archived","was":"final"`) {
		t.Errorf("%v", marked)
	}
}

// TestCancelKeepsDrafts: a run that is cancelled while people are asked loses
// nothing that was made for them.
func TestCancelKeepsDrafts(t *testing.T) {
	d := open(t, Options{})
	d.makes("stopped", `[{"id":"look","at":"after s0","role":"approver"}]`,
		[]handed{{"name": "a.md", "content": "so far"}}, []handed{{"name": "b.md", "content": "never"}})
	ask := d.asked("stopped")
	d.post("/runs/"+ask.Run+"/commands", `{"type":"cancel","reason":"enough"}`, as("ann", "approver")...).want(202)
	d.until(ask.Run, "cancelled")
	if a := d.approval(ask.ID); a.Status != "cancelled" {
		t.Errorf("the approval is %s", a.Status)
	}
	list := d.deliverables("run=" + ask.Run)
	if len(list) != 1 || list[0].Status != "draft" {
		t.Fatalf("%+v", list)
	}
	d.restart()
	if b := d.get("/deliverables/" + list[0].ID + "/content").want(200); string(b.body) != "so far" {
		t.Errorf("%s", b.body)
	}
	d.checkZip(ask.Run, 1)
	if v := into[view.Deliverable](d.post("/deliverables/"+list[0].ID+"/status", `{"status":"final","version":1}`,
		as("ann", "approver")...).want(200)); v.Status != "final" {
		t.Errorf("%+v", v)
	}
	if v := into[view.Run](d.get("/runs/" + ask.Run).want(200)); v.Status != "cancelled" {
		t.Errorf("the run is %s", v.Status)
	}
}
