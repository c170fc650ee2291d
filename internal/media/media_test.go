package media_test

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/media"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	gif  = "GIF89a\x01\x00\x01\x00<script>alert(1)</script>"
	pdf  = "%PDF-1.7\n%\xe2\xe3"
	zip  = "PK\x03\x04\x14\x00"
	html = "<!DOCTYPE html><script>alert(1)</script>"
	svg  = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ name, declared, content, want string }{
		{"a.csv", "", "a,b\n1,2\n", "text/csv"},
		{"a.CSV", "application/octet-stream", "a,b\n", "text/csv"},
		{"a", "text/csv; charset=latin1", "a,b\n", "text/csv"},
		{"a.md", "", "# Hi", "text/markdown"},
		{"a.md", "", "<!-- note -->\n# Hi", "text/markdown"}, // markdown may hold tags
		{"a.json", "", `{"a":1}`, "application/json"},
		{"a.json", "", `{"a":`, "text/plain"},
		{"a.yml", "", "a: 1", "application/yaml"},
		{"a.patch", "", "--- a\n+++ b\n", "text/x-diff"},
		{"a.go", "", "package a\n", "text/x-go"},
		{"a.vue", "", "<script>export default {}</script>", "text/x-vue"},
		{"a", "", "words", "text/plain"},
		{"", "", "", "text/plain"},
		{"a.txt", "no type at all", "x", "text/plain"},
		{"a.txt", "text/csv" + strings.Repeat("v", 200), "x", "text/plain"},

		// What contradicts the bytes is dropped.
		{"a.csv", "text/csv", html, "text/html"},
		{"a.csv", "text/csv", svg, "image/svg+xml"},
		{"a.txt", "text/plain", html, "text/html"},
		{"a.csv", "text/csv", "<?xml version=\"1.0\"?><a/>", "text/xml"},
		{"a.csv", "text/csv", "\ufeff \n<?xml version='1.0'?>\n<SVG onload=alert(1)>", "image/svg+xml"},
		{"a.csv", "text/csv", png, "image/png"},
		{"a.html", "text/html", png, "image/png"},
		{"a.png", "image/png", "not a picture", "text/plain"},
		{"a.png", "image/png", html, "text/html"},
		{"a.png", "image/png", "\x00\x01\x02\x03\x04\xff\xfe\xfd\x00\x01", "application/octet-stream"},
		{"a.md", "text/markdown", "\x00\x01\x02\x03\x04\xff\xfd\x00\x01", "application/octet-stream"},
		{"a.pdf", "image/svg+xml", pdf, "application/pdf"},
		{"a.gif", "text/javascript", gif, "image/gif"},

		// What bytes cannot show is believed.
		{"a.xlsx", "", zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a.xlsx", "text/html", zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"a", "application/pdf", zip, "application/zip"},
		{"a.parquet", "", "PAR1\x00\x01\x02\x03", "application/vnd.apache.parquet"},
		{"a", "image/svg+xml", "\x00\x01\x02\x03", "application/octet-stream"},
		{"a", "application/xhtml+xml", "\x00\x01\x02\x03", "application/octet-stream"},
		{"a.html", "", "just words", "text/html"}, // a fragment; never shown as one
	} {
		if got := media.Of(c.name, c.declared, []byte(c.content)); got != c.want {
			t.Errorf("%q, %q, %.20q is %s, not %s", c.name, c.declared, c.content, got, c.want)
		}
	}
}

func TestLook(t *testing.T) {
	for content, want := range map[string]string{
		html: "text text/plain", svg: "text text/plain", "a,b": "text text/plain", "": "text text/plain",
		"alert(1)": "text text/plain",
		png:        "image image/png", gif: "image image/gif", "\xff\xd8\xff\xe0": "image image/jpeg",
		"RIFF\x00\x00\x00\x00WEBPVP8 ": "image image/webp",
		pdf:                            "none ", zip: "none ", "\x00\x01": "none ", "\xff\xfea\x00": "none ",
		"BM\x00\x00": "none ", "words \x00": "none ",
	} {
		show, as := media.Look([]byte(content))
		if got := string(show) + " " + as; got != want {
			t.Errorf("%q: %s, not %s", content, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
		cut  bool
	}{
		{"abc", 3, "abc", false}, {"abcd", 3, "abc", true}, {"aé", 2, "a", true}, {"aéb", 3, "aé", true},
		{"a€", 3, "a", true}, {"a😀b", 4, "a", true},
		{"a\xff\xfeb", 10, "a\ufffdb", false}, {"", 0, "", false},
	} {
		got, cut := media.Excerpt([]byte(c.in), c.max)
		if string(got) != c.want || cut != c.cut {
			t.Errorf("%q to %d: %q %t, not %q", c.in, c.max, got, cut, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"report.md": "report.md", " a ": "a", "a\r\nSet-Cookie: x": "a__Set-Cookie: x",
		"ann\u202efdp.exe": "ann_fdp.exe", "a\x00b": "a_b",
		"\u2066x\u2069": "_x_", "می\u200cخواهم": "می\u200cخواهم", "../../etc/passwd": "../../etc/passwd",
		strings.Repeat("é", 255): strings.Repeat("é", 255),
	} {
		if got, err := media.Name(in); err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "  ", strings.Repeat("é", 256)} {
		if got, err := media.Name(in); err == nil {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestLinks(t *testing.T) {
	good := "https://example.com/" + strings.Repeat("a", media.LinkMax-len("https://example.com/"))
	for _, in := range []string{"https://example.com/pull/7?a=b#c", "http://127.0.0.1:8080/", good} {
		if err := media.Link(in); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	for _, in := range []string{
		"", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd", "//example.com",
		"https://", "https:example.com",
		"https://ann:secret@example.com/", "https://ann@example.com/", "java\nscript:alert(1)", " https://example.com",
		"https://example.com/\u202etxt.exe", good + "a",
	} {
		if err := media.Link(in); err == nil {
			t.Errorf("%q is taken", in)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%v repeats a password", err)
		}
	}
}

func TestKinds(t *testing.T) {
	for in, want := range map[string]string{
		"text/markdown": "document", "application/pdf": "document", "text/html": "document", "text/x-go": "code",
		"text/javascript": "code", "text/csv": "data",
		"application/json": "data", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "data",
		"image/png": "media", "image/svg+xml": "media",
		"application/octet-stream": "other", "": "other",
	} {
		if got := media.Kind(in); got != want {
			t.Errorf("%s is %s, not %s", in, got, want)
		}
	}
}
