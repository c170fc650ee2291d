package api

import (
	"github.com/assent-run/assent/internal/api/problem"

	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// OpenAPI is the document (OpenAPI 3.1) of all operations. It says the same
// every time.
func OpenAPI() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(describe(operations())); err != nil {
		panic(err) // maps, lists and texts always can be; a test makes the document
	}
	return b.Bytes()
}

// tags are the chapters of the document, in their order.
var tags = []struct{ name, doc string }{
	{"Workflows", "What runs: versions, drafts, publishing, and a look at the data before anything runs."},
	{"Runs", "Start, watch and steer runs; retry, resume and fork them."},
	{"Approvals", "The inbox: what waits for people, and their decisions."},
	{"Agents and tools", "Who does the work, and with what."},
	{"Policy", "The rules that say who has to be asked."},
	{"Deliverables", "Results for people."},
	{"Audit", "Who did what, and proof of it."},
	{"Streams", "Events as they happen."},
	{"Access", "Signing in, accounts and tokens."},
	{"People", "Who decides for whom during an absence."},
	{"System", "Who you are, health, metrics, and this document."},
}

// describe makes the document of a table of operations.
func describe(ops []operation) object {
	s := &schemas{components: object{}}
	s.of(reflect.TypeFor[problem.Problem](), false)
	paths := object{}
	for i := range ops {
		op := &ops[i]
		item, ok := paths[op.path].(object)
		if !ok {
			item = object{}
			paths[op.path] = item
		}
		item[strings.ToLower(op.method)] = s.operation(op)
	}
	chapters := []object{}
	for _, t := range tags {
		chapters = append(chapters, object{"name": t.name, "description": t.doc})
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Assent", "version": "1.0.0", "summary": "Agents propose. People decide. Nothing is lost.", "description": introduction,
			"license": object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []object{{"url": "/", "description": "The server that serves this document."}},
		"tags":     chapters,
		"security": []object{{"bearer": []string{}}, {"cookie": []string{}}, {"localUser": []string{}}, {}},
		"paths":    paths,
		"components": object{
			"schemas": s.components, "responses": problemResponses(), "parameters": sharedParameters(),
			"securitySchemes": securitySchemes(),
		},
	}
}

// securitySchemes are the ways to say who one is.
func securitySchemes() object {
	return object{
		"bearer": object{
			"type": "http", "scheme": "bearer",
			"description": "A token of this server (ast_…), or an access token of its identity provider. In local mode tokens count, too, and replace the local admin.",
		},
		"cookie": object{
			"type": "apiKey", "in": "cookie", "name": cookieSecure,
			"description": "A person signed in with a browser. Over http on this machine the name is " + cookiePlain + ".",
		},
		"localUser": object{
			"type": "apiKey", "in": "header", "name": headerUser,
			"description": "In local mode only: who acts, with " + headerRoles + " for their roles. Without it the local admin acts.",
		},
	}
}

// operation describes one endpoint.
func (s *schemas) operation(op *operation) object {
	out := object{
		"operationId": op.id, "tags": []string{op.tag}, "summary": op.summary,
		"parameters": s.parameters(op), "responses": s.responses(op),
	}
	if op.description != "" {
		out["description"] = op.description
	}
	if op.public {
		out["security"] = []object{}
	}
	if body := s.requestBody(op); body != nil {
		out["requestBody"] = body
	}
	return out
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func (s *schemas) parameters(op *operation) []object {
	out := []object{}
	for _, m := range placeholder.FindAllStringSubmatch(op.path, -1) {
		schema := object{"type": "string"}
		if m[1] == "n" {
			schema = object{"type": "integer", "minimum": 1}
		}
		out = append(out, object{"name": m[1], "in": "path", "required": true, "description": described("path", m[1]), "schema": schema})
	}
	for _, p := range op.params {
		out = append(out, p.describe())
	}
	for _, name := range sharedBy(op) {
		out = append(out, object{"$ref": "#/components/parameters/" + name})
	}
	return out
}

// describe is a parameter as the document has it.
func (p *param) describe() object {
	schema := object{"type": "string"}
	switch p.kind {
	case aNumber:
		schema = object{"type": "integer", "format": "int64", "minimum": p.min}
		if p.max > 0 {
			schema["maximum"] = p.max
		}
	case aFlag:
		schema = object{"type": "boolean"}
	}
	if p.words != nil {
		schema["enum"] = p.words
	}
	if p.fallback != nil {
		schema["default"] = p.fallback
	}
	doc := p.doc
	switch p.kind {
	case aList:
		schema = object{"type": "array", "items": schema}
		doc += " With commas between them, or given several times."
	case aLabel:
		schema = object{"type": "array", "items": schema}
	}
	return object{"name": p.name, "in": "query", "description": doc, "schema": schema}
}

// sharedBy names the headers that an operation understands.
func sharedBy(op *operation) []string {
	var out []string
	if op.changes && !op.forgets {
		out = append(out, "IdempotencyKey")
	}
	if op.tagged {
		out = append(out, "IfNoneMatch")
	}
	switch op.id {
	case "decide":
		out = append(out, "IfMatch")
	case "streamEvents":
		out = append(out, "LastEventID")
	}
	return out
}

func sharedParameters() object {
	header := func(name, doc string, schema object) object {
		return object{"name": name, "in": "header", "description": doc, "schema": schema}
	}
	return object{
		"IdempotencyKey": header("Idempotency-Key", "Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path.",
			object{"type": "string", "minLength": 1, "maxLength": keyMax}),
		"IfNoneMatch": header("If-None-Match", "An ETag you have: if nothing changed the answer is 304 without a body.", object{"type": "string"}),
		"IfMatch":     header("If-Match", "The ETag of the approval you saw, instead of version in the body.", object{"type": "string"}),
		"LastEventID": header("Last-Event-ID", "The number of the last event you have; the stream goes on behind it.", object{"type": "integer", "minimum": 0}),
	}
}

func (s *schemas) requestBody(op *operation) object {
	var schema object
	switch {
	case op.takes == takesNothing:
		return nil
	case op.takes == takesDocument:
		schema = object{"type": "object", "description": "The document, as in a file.", "additionalProperties": true}
	case reflect.TypeOf(op.body) == reflect.TypeFor[Command]():
		schema = s.commands()
	default:
		schema = s.of(reflect.TypeOf(op.body), true)
	}
	media := object{"schema": schema}
	if op.example != "" {
		media["example"] = json.RawMessage(op.example)
	}
	content := object{"application/json": media}
	if op.takes == takesDocument {
		content["application/yaml"] = object{"schema": object{"type": "string", "description": "The document as a YAML file."}}
	}
	return object{"required": op.takes != takesMaybe, "content": content}
}

// responses lists what an operation may answer.
func (s *schemas) responses(op *operation) object {
	out := object{}
	fine := s.fine(op)
	for _, status := range []int{reply{}.statusOf(op), op.also} {
		if status != 0 {
			out[strconv.Itoa(status)] = withStatusWords(fine, status)
		}
	}
	if op.tagged {
		out["304"] = object{"description": "Nothing changed."}
	}
	for _, status := range problemsOf(op) {
		out[strconv.Itoa(status)] = object{"$ref": "#/components/responses/" + problemNames[status]}
	}
	return out
}

func withStatusWords(response object, status int) object {
	out := object{"description": statusWords[status]}
	for k, v := range response {
		out[k] = v
	}
	return out
}

var statusWords = map[int]string{
	http.StatusOK: "Done.", http.StatusCreated: "Made.", http.StatusAccepted: "Accepted, and durable.", http.StatusPartialContent: "The part that was asked for.",
	http.StatusSeeOther:           "Go on there.",
	http.StatusSwitchingProtocols: "The connection speaks WebSocket from now on.",
}

// fine is the body of an answer without an error.
func (s *schemas) fine(op *operation) object {
	if op.status == http.StatusSwitchingProtocols { // what the server sends then
		sent := []object{s.of(reflect.TypeOf(op.gives), false), s.of(reflect.TypeFor[Taken](), false)}
		return object{"content": object{"application/json": object{"schema": object{"anyOf": sent}}}}
	}
	if op.status == http.StatusSeeOther {
		return object{"headers": object{"Location": object{"description": "Where to.", "schema": object{"type": "string"}}}}
	}
	schema := object{"type": "string"}
	switch {
	case op.media == "application/json":
		schema = object{"type": "object"}
	case op.media == "text/event-stream":
		schema["description"] = "Blocks of id, event and data; data is an Event."
		s.of(reflect.TypeOf(op.gives), false)
	case op.media == "application/zip" || op.media == "application/octet-stream":
		schema = object{"type": "string", "contentEncoding": "binary"}
	case op.gives != nil:
		schema = s.of(reflect.TypeOf(op.gives), false)
	}
	media := op.media
	if media == "" {
		media = "application/json"
	}
	content := object{media: object{"schema": schema}}
	if op.yaml {
		content["application/yaml"] = object{"schema": object{"type": "string", "description": "The document as a YAML file."}}
	}
	for _, kind := range op.images {
		content[kind] = object{"schema": object{"type": "string", "contentEncoding": "binary"}}
	}
	out := object{"content": content}
	if op.images != nil {
		out["headers"] = object{headerCut: object{"description": "Whether there is more than is shown.", "schema": object{"type": "boolean"}}}
	}
	if op.tagged {
		out["headers"] = object{"ETag": object{"description": "Names what is answered; see If-None-Match.", "schema": object{"type": "string"}}}
	}
	return out
}
