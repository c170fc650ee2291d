package e2e

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// published is the OpenAPI document that clients get, without additional properties.
type published struct {
	doc    any
	routes *http.ServeMux // which path of the document an address belongs to

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const publishedAt = "https://assent.test/openapi.json"

var openAPI = sync.OnceValue(func() *published {
	raw, err := os.ReadFile("../docs/openapi.json")
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(err)
	}
	p := &published{doc: doc, routes: http.NewServeMux(), compiler: jsonschema.NewCompiler(),
		compiled: map[string]*jsonschema.Schema{}}
	for _, schema := range dig(doc, "components", "schemas").(map[string]any) {
		s := schema.(map[string]any)
		if _, open := s["additionalProperties"]; !open && s["type"] == "object" {
			s["additionalProperties"] = false
		}
	}
	for path, item := range dig(doc, "paths").(map[string]any) {
		for method := range item.(map[string]any) {
			p.routes.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
		}
	}
	p.compiler.DefaultDraft(jsonschema.Draft2020)
	p.compiler.AssertFormat()
	if err := p.compiler.AddResource(publishedAt, doc); err != nil {
		panic(err)
	}
	return p
})

// dig finds a value in a document; nil is none.
func dig(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func pointerTo(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func (p *published) schema(pointer string) (*jsonschema.Schema, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.compiled[pointer]; s != nil {
		return s, nil
	}
	s, err := p.compiler.Compile(publishedAt + "#" + pointer)
	p.compiled[pointer] = s
	return s, err
}

// breach describes how a response differs from the document: an unlisted status or media type, or a body that
// does not match. It also returns what it has read of a body in JSON.
func (p *published) breach(method, address string, status int, header http.Header, body []byte) (any, error) {
	r, err := http.NewRequest(method, "http://127.0.0.1"+address, nil)
	if err != nil {
		return nil, nil // not one of our addresses
	}
	_, route := p.routes.Handler(r)
	_, path, known := strings.Cut(route, " ")
	if !known || status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect {
		return nil, nil // unknown paths answer like any server
	}
	promised := dig(p.doc, "paths", path, strings.ToLower(method), "responses", fmt.Sprint(status))
	if promised == nil {
		return nil, fmt.Errorf("the document knows no %d", status)
	}
	pointer := fmt.Sprintf("/paths/%s/%s/responses/%d", pointerTo(path), strings.ToLower(method), status)
	if ref, ok := dig(promised, "$ref").(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
		promised = dig(p.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	if len(body) == 0 {
		return nil, nil
	}
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	content, _ := dig(promised, "content").(map[string]any)
	if content[media] == nil {
		if content["application/octet-stream"] != nil {
			return nil, nil // whatever was made
		}
		return nil, fmt.Errorf("the document knows no %s for a %d", media, status)
	}
	if media != "application/json" && media != "application/problem+json" {
		return nil, nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return v, err
	}
	s, err := p.schema(pointer + "/content/" + pointerTo(media) + "/schema")
	if err != nil {
		return v, err
	}
	return v, s.Validate(v)
}

// conforms validates a response against the document, and keeps what it read. Every response in these tests goes
// through here.
func (a *answer) conforms(method, address string) {
	a.t.Helper()
	var err error
	if a.value, err = openAPI().breach(method, address, a.status, a.header, a.body); err != nil {
		a.t.Errorf("%s %s: %v\n%.1000s", method, address, err, a.body)
	}
}

// TestContractIsChecked: responses that break the contract are detected.
func TestContractIsChecked(t *testing.T) {
	t.Parallel()
	problem := http.Header{"Content-Type": {"application/problem+json"}}
	plain := http.Header{"Content-Type": {"application/json"}}
	for what, c := range map[string]struct {
		method, address string
		status          int
		header          http.Header
		body            string
		want            string
	}{
		"fine":     {"GET", "/healthz", 200, plain, `{"status":"ok","version":"1"}`, ""},
		"a status": {"GET", "/api/v1/me", 409, problem, `{}`, "knows no 409"},
		"a media type": {"GET", "/api/v1/me", 200, http.Header{"Content-Type": {"text/html"}},
			`<p>`, "knows no text/html"},
		"a member too few": {"GET", "/healthz", 200, plain, `{"status":"ok"}`, "missing property"},
		"one too many": {"GET", "/healthz", 200, plain, `{"status":"ok","version":"1","more":1}`,
			"additional properties"},
		"an unknown word": {"GET", "/api/v1/me?x=1", 401, problem,
			`{"type":"t","title":"t","status":401,"code":"odd","detail":"","hint":"","errors":[]}`, "value must be one of"},
		"another page": {"GET", "/inbox", 418, plain, `{}`, ""},
	} {
		_, err := openAPI().breach(c.method, c.address, c.status, c.header, []byte(c.body))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
