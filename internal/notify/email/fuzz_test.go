package email

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/assent-run/assent/internal/notify"
)

var expected = []string{"Auto-Submitted", "Content-Type", "Date", "From", "In-Reply-To", "List-Unsubscribe",
	"List-Unsubscribe-Post", "Message-Id", "Mime-Version", "References", "Subject", "To", "X-Assent-Approval",
	"X-Assent-Event", "X-Assent-Run", "X-Assent-Workflow", "X-Auto-Response-Suppress"}

// FuzzCompose: no text adds a header, an element or a link.
func FuzzCompose(f *testing.F) {
	f.Add("Refund", "text", "label", "value", "https://assent.example/approvals/apr_1", "refund")
	f.Add("Hello\r\nBcc: eve@example.com\r\n\r\n<script>", "a\r\n.\r\nb", "\u202egnp.exe", "</table><a href=x>",
		"javascript:alert(1)", "x\r\nX-Evil: 1")
	f.Add(strings.Repeat("ü", 5000), strings.Repeat("x", 5000), "\x00", "\xff\xfe", "https://a\"onclick=\"x", "\u2028")
	f.Add("=?utf-8?q?=0D=0ABcc:_x?=", "&lt;b&gt;", "--boundary", "=0D=0A.", "https://user:pw@assent.example/", "\t\x0b")
	c, err := New(Config{SMTP: "smtp://127.0.0.1:25", From: "Assent <assent@example.com>", Out: local()})
	if err != nil {
		f.Fatal(err)
	}
	to, _ := mail.ParseAddress("ann@example.com")
	f.Fuzz(func(t *testing.T, title, text, label, value, open, workflow string) {
		m := notify.Message{Key: title, Event: notify.ApprovalNeeded, Thread: text, Run: label, Workflow: workflow,
			Approval: value, Title: title, Text: text, Facts: []notify.Fact{{Label: label, Value: value}},
			Details: []notify.Detail{{Label: label, Text: text}, {Text: value}}, Open: open}
		raw, err := c.compose(envelope{to: []*mail.Address{to}, id: c.id(title), thread: c.id(text),
			unsubscribe: open}, m)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(raw), "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("a line of %d bytes: %.100q", len(line), line)
			}
		}
		parsed, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range parsed.Header {
			if !slices.Contains(expected, name) || len(values) != 1 {
				t.Fatalf("header %s %q", name, values)
			}
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
		want := headerText(title)
		if want == "" {
			want = string(m.Event)
		}
		if err != nil || strings.Join(strings.Fields(subject), " ") != want || strings.ContainsFunc(subject, unseen) ||
			strings.Contains(subject, "=?") {
			t.Fatalf("subject %q, want %q: %v", subject, want, err)
		}
		checkHTML(t, part(t, parsed, "text/html"), webAddress(open))
	})
}

// part returns a decoded part of a mail.
func part(t *testing.T, m *mail.Message, kind string) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	var found string
	parts := 0
	for r := multipart.NewReader(m.Body, params["boundary"]); ; parts++ {
		p, err := r.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p.Header.Get("Content-Type"), kind) {
			found = string(body)
		}
	}
	if parts != 2 || found == "" {
		t.Fatalf("%d parts, %s %q", parts, kind, found)
	}
	return found
}

var elements = map[string][]string{"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content"}, "title": nil,
	"style": nil, "body": nil, "div": {"class", "dir", "style"}, "p": {"class", "dir"}, "h1": {"dir"},
	"table": {"class", "role"}, "tbody": nil, "tr": nil, "th": nil, "td": {"dir"}, "b": nil, "a": {"class", "href"}}

// checkHTML accepts only elements that we write, and links to the address.
func checkHTML(t *testing.T, text, open string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Fatalf("a comment %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		may, known := elements[n.Data]
		if !known {
			t.Fatalf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(may, a.Key) {
				t.Fatalf("%s with %s=%q", n.Data, a.Key, a.Val)
			}
			if a.Key == "href" {
				links++
				if a.Val != open {
					t.Fatalf("a link to %q instead of %q", a.Val, open)
				}
			}
		}
	}
	if most := 2; links > most || open == "" && links > 0 {
		t.Fatalf("%d links", links)
	}
}

// TestRoomIsKept: what fits into the room is shown whole.
func TestRoomIsKept(t *testing.T) {
	m := question()
	m.Details = []notify.Detail{{Text: strings.Repeat("word ", 32<<10/5)}}
	l := page(m, "")
	if got := l.html(); !strings.Contains(got, m.Details[0].Text[:30000]) || len(got) > htmlMax {
		t.Errorf("%d bytes", len(got))
	}
	m.Details = []notify.Detail{{Text: strings.Repeat("&&&&&", 32<<10/5)}}
	if got := page(m, "").html(); strings.Contains(got, "&amp;&amp;") || !strings.Contains(got, tooLong) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestUnseenIsVisible(t *testing.T) {
	m := question()
	m.About, m.Details = "Pay\u202e001\u202c\x1b[31m", []notify.Detail{{Text: "a\u200bb\r\nc\rd"}}
	l := page(m, "")
	for _, text := range []string{l.text(), l.html()} {
		for _, want := range []string{"Pay⟨U+202E⟩001⟨U+202C⟩⟨U+001B⟩[31m", "a⟨U+200B⟩b\n", "c⟨U+000D⟩d"} {
			if !strings.Contains(text, want) {
				t.Errorf("lacks %q:\n%s", want, text)
			}
		}
	}
}
