package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

// Limits of web content.
const (
	pageMax      = 5 << 20 // bytes of a page that are read
	textMax      = 40_000  // characters of text that one call returns
	linksMax     = 200
	hopsMax      = 5 // redirects
	fetchWithin  = 30 * time.Second
	requestLimit = 60 * time.Second
	urlMax       = 8000
)

// web are the tools that reach the internet.
type web struct{ client *outbound.Client }

func (w web) tools() []*Tool {
	return []*Tool{
		{
			ReadOnly: true,
			Tool: definition.Tool{
				Name: "web_fetch", Risk: risk.Safe, Describe: "Read {{.url}}", Timeout: within(fetchWithin),
				Sample: json.RawMessage(`{"status":200,"url":"https://example.com/","title":"","text":""}`),
				Description: fmt.Sprintf("Read a page of the web as text. At most %s characters are returned; next is where "+
					"to continue, as start.", phrase.Grouped(strconv.Itoa(textMax))),
				Args: json.RawMessage(`{"type":"object","properties":{"url":{"type":"string","minLength":1,"maxLength":8000,"description":"http or https address"},
					"start":{"type":"integer","minimum":0,"description":"first character, 0 unless given"},
					"links":{"type":"boolean","description":"also list where the page links to"}},"required":["url"],"additionalProperties":false}`),
			},
			Run: w.fetch,
		},
		{
			Vary: varyRequest,
			Tool: definition.Tool{
				Name: "http_request", Describe: "{{if .method}}{{.method}}{{else}}GET{{end}} {{.url}}",
				Timeout: within(requestLimit), Sample: json.RawMessage(`{"status":200,"body":{}}`),
				Description: "Send an HTTP request and get the answer: status, headers and body. A body that is not " +
					"a text is sent as JSON.",
				Args: json.RawMessage(`{"type":"object","properties":{"method":{"enum":["GET","HEAD","POST","PUT","PATCH","DELETE"]},
					"url":{"type":"string","minLength":1,"maxLength":8000,"description":"http or https address"},
					"headers":{"type":"object","additionalProperties":{"type":"string","maxLength":8000},"maxProperties":50},
					"body":{"description":"text, or JSON"}},"required":["url"],"additionalProperties":false}`),
			},
			Run: w.request,
		},
	}
}

// address parses an address from a model.
func address(text string) (*url.URL, error) {
	u, ok := outbound.ParseURL(strings.TrimSpace(text))
	switch {
	case !ok || len(text) > urlMax:
		return nil, errors.New("the url is not an http or https address")
	case u.User != nil:
		return nil, errors.New("the url has a name or password in it: leave it out")
	}
	return u, nil
}

// anywhere follows redirects to other hosts, as is common on the web. Each connection passes the guard again.
func anywhere(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) > hopsMax:
		return outbound.Permanent(outbound.Redirected,
			fmt.Sprintf("%s redirects more than %d times", via[0].URL.Host, hopsMax))
	case to.URL.Scheme != "http" && to.URL.Scheme != "https":
		return outbound.Permanent(outbound.Redirected,
			fmt.Sprintf("%s redirects to something that is not a page", via[0].URL.Host))
	}
	to.Header.Del("Referer") // an address may contain a secret
	return nil
}

func (w web) fetch(ctx context.Context, work port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	var args struct {
		URL   string `json:"url"`
		Start number `json:"start"`
		Links bool   `json:"links"`
	}
	if err := json.Unmarshal(work.Args, &args); err != nil {
		return no("%v", err), nil
	}
	u, err := address(args.URL)
	if err != nil {
		return no("%v", err), nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return no("the url is not an http or https address"), nil
	}
	req.Header.Set("User-Agent", "assent (web_fetch)")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,*/*;q=0.5")
	client := http.Client{Transport: w.client.Transport(), CheckRedirect: anywhere}
	res, err := client.Do(req)
	if err != nil {
		return gone(ctx, u.Host, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, pageMax+1))
	if err != nil {
		return gone(ctx, u.Host, err)
	}
	return yes(pageOf(res, body, int(args.Start), args.Links))
}

// page is the answer of web_fetch.
type page struct {
	Status int    `json:"status"`
	URL    string `json:"url"` // after all redirects
	Type   string `json:"content_type,omitempty"`
	Title  string `json:"title,omitempty"`
	Text   string `json:"text"`
	Next   int    `json:"next,omitempty"`
	Note   string `json:"note,omitempty"`
	Links  []link `json:"links,omitempty"`
}

func pageOf(res *http.Response, body []byte, start int, links bool) page {
	p := page{Status: res.StatusCode, URL: res.Request.URL.String(), Type: res.Header.Get("Content-Type")}
	if len(body) > pageMax {
		body = body[:pageMax]
		p.Note = fmt.Sprintf("The page is longer than %s; the rest is left out.", phrase.Bytes(pageMax))
	}
	kind, _, err := mime.ParseMediaType(p.Type)
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	if !readable(kind) {
		p.Note = fmt.Sprintf("This is %s, not text.", kind)
		return p
	}
	text := decoded(body, p.Type)
	if strings.Contains(kind, "html") {
		doc := extract(text, res.Request.URL)
		p.Title, text = doc.title, doc.text
		if links {
			p.Links = doc.links
		}
	}
	p.Text, p.Next = piece(text, start)
	return p
}

// readable reports whether a media type is text.
func readable(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-ndjson", "application/yaml",
		"application/x-yaml", "application/toml":
		return true
	}
	return false
}

// decoded converts a page to UTF-8 from any encoding.
func decoded(body []byte, contentType string) string {
	encoding, _, _ := charset.DetermineEncoding(body[:min(len(body), 1024)], contentType)
	if out, err := encoding.NewDecoder().Bytes(body); err == nil {
		body = out
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(body), "\ufffd"), "\x00", "\ufffd") // databases reject NUL
}

// piece returns a part of a text from a character on, and where to continue.
func piece(text string, start int) (string, int) {
	i := 0
	for range start {
		if i == len(text) {
			return "", 0
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		i += n
	}
	j := i
	for range textMax {
		if j == len(text) {
			return text[i:], 0
		}
		_, n := utf8.DecodeRuneInString(text[j:])
		j += n
	}
	if j == len(text) {
		return text[i:], 0
	}
	return text[i:j], start + textMax
}

// gone classifies a request without a complete response. A name that does not exist will not exist in a
// second either: the model can do more about it than a retry.
func gone(ctx context.Context, host string, err error) (run.CallResult, error) {
	var dns *net.DNSError
	if ctx.Err() == nil && errors.As(err, &dns) && dns.IsNotFound {
		return no("host %s not found", host), nil
	}
	return run.CallResult{}, outbound.Broken(ctx, host, err, outbound.Veil{})
}
