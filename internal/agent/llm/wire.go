package llm

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/phrase"
)

// wire wraps the network. A response that is not a stream becomes an error here, the same for both providers.
type wire struct{ next http.RoundTripper }

// refused is a response that is not a stream.
type refused struct {
	status int
	header http.Header
	body   string
	cut    bool // there was more
}

func (r *refused) Error() string { return fmt.Sprintf("status %d", r.status) }

var redirects = []int{301, 302, 303, 307, 308}

// RoundTrip sends one request.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	next := w.next
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(req)
	if err != nil || slices.Contains(redirects, res.StatusCode) {
		return res, err
	}
	if res.StatusCode != http.StatusOK || !streams(res.Header) {
		defer res.Body.Close()
		const limit = 16 * answer.SaidMax
		said, err := io.ReadAll(io.LimitReader(res.Body, limit))
		if req.Context().Err() != nil {
			return nil, req.Context().Err()
		}
		return nil, &refused{res.StatusCode, res.Header, string(said), err != nil || len(said) == limit}
	}
	res.Body = &bounded{res.Body, streamMax}
	return res, nil
}

// streams reports whether a response may be a stream. Servers are careless with its type, but these two are
// certainly something else.
func streams(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind != "application/json" && kind != "text/html"
}

// bounded is a body that fails when it is too long.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLarge()
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func tooLarge() error {
	return permanent(answer.TooLarge, fmt.Sprintf("the model's answer is too large: the limits are %s of text, "+
		"and %s including the envelope", phrase.Bytes(replyMax), phrase.Bytes(streamMax)))
}

// redirect follows to the same host only, and only if the request is repeated unchanged.
func redirect(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case len(via) > redirectsMax:
		return permanent("redirect", fmt.Sprintf("%s redirects more than %d times", from.Host, redirectsMax))
	case !strings.EqualFold(from.Host, to.URL.Host) || from.Scheme != to.URL.Scheme:
		return permanent("redirect", fmt.Sprintf("%s redirects to another address, %s://%s; use that address if it is "+
			"correct",
			from.Host, to.URL.Scheme, to.URL.Host))
	case to.Method != http.MethodPost:
		return permanent("redirect", from.Host+" redirects to something that is not a model; check base_url")
	}
	return nil
}
