package openapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/api/request"
)

// Document is the input of the whole description.
type Document struct {
	Types
	Introduction    string
	Tags            []Tag // in the order of the chapters
	Operations      []Operation
	Parameters      Object // headers that operations share, by name
	SecuritySchemes Object
	Security        []Object
}

// Tag is a chapter of the document.
type Tag struct{ Name, Description string }

// Operation is one endpoint.
type Operation struct {
	Method, Path string
	ID, Tag      string
	Summary      string
	Description  string
	Parameters   []Object // of the query
	Shared       []string // names of shared parameters
	Public       bool     // no credentials are needed

	Body     any                   // an empty value of the request body; nil: none, or see Document and Form
	Document bool                  // the body is a document, as YAML or JSON
	Form     func(*Schemas) Object // creates the schema of a body that is not one type
	Optional bool                  // the body may be left out
	Example  string                // of the body

	Gives    any      // an empty value of the response
	Sends    any      // an empty value of other messages on a WebSocket
	Status   int      // of a response without an error
	Also     int      // a second status without an error, or 0
	Media    string   // of a response that is not JSON
	Images   []string // other media of a response
	Headers  Object   // of a response
	Tagged   bool     // responses carry an ETag
	YAML     bool     // responses are available as YAML
	Problems []int    // statuses of errors
}

// Describe creates the document.
func Describe(d Document) Object {
	s := NewSchemas(d.Types)
	s.addProblem()
	paths := Object{}
	for i := range d.Operations {
		op := &d.Operations[i]
		item, ok := paths[op.Path].(Object)
		if !ok {
			item = Object{}
			paths[op.Path] = item
		}
		item[strings.ToLower(op.Method)] = s.operation(op)
	}
	chapters := []Object{}
	for _, t := range d.Tags {
		chapters = append(chapters, Object{"name": t.Name, "description": t.Description})
	}
	return Object{
		"openapi": "3.1.0",
		"info": Object{
			"title": "Assent", "version": "1.0.0", "summary": "Agents propose. People decide. Nothing is lost.",
			"description": d.Introduction,
			"license":     Object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []Object{{"url": "/", "description": "The server that serves this document."}},
		"tags":     chapters,
		"security": d.Security,
		"paths":    paths,
		"components": Object{
			"schemas": s.Components, "responses": problemResponses(), "parameters": d.Parameters,
			"securitySchemes": d.SecuritySchemes,
		},
	}
}

// operation describes one endpoint.
func (s *Schemas) operation(op *Operation) Object {
	out := Object{
		"operationId": op.ID, "tags": []string{op.Tag}, "summary": op.Summary,
		"parameters": op.parameters(), "responses": s.responses(op),
	}
	if op.Description != "" {
		out["description"] = op.Description
	}
	if op.Public {
		out["security"] = []Object{}
	}
	if body := s.requestBody(op); body != nil {
		out["requestBody"] = body
	}
	return out
}

// placeholders describes the parameters in paths.
var placeholders = map[string]string{"id": "The id.", "name": "The name.", "n": "The number of the version.",
	"step": "The step.", "delivery": "The delivery.", "token": "The token."}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func (op *Operation) parameters() []Object {
	out := []Object{}
	for _, m := range placeholder.FindAllStringSubmatch(op.Path, -1) {
		schema := Object{"type": "string"}
		if m[1] == "n" {
			schema = Object{"type": "integer", "minimum": 1}
		}
		out = append(out, Object{
			"name": m[1], "in": "path", "required": true, "description": placeholders[m[1]], "schema": schema,
		})
	}
	out = append(out, op.Parameters...)
	for _, name := range op.Shared {
		out = append(out, Object{"$ref": "#/components/parameters/" + name})
	}
	return out
}

// Parameter describes a parameter of a query.
func Parameter(p *request.Param) Object {
	schema := Object{"type": "string"}
	switch p.Kind {
	case request.Number:
		schema = Object{"type": "integer", "format": "int64", "minimum": p.Min}
		if p.Max > 0 {
			schema["maximum"] = p.Max
		}
	case request.Flag:
		schema = Object{"type": "boolean"}
	}
	if p.Words != nil {
		schema["enum"] = p.Words
	}
	if p.Fallback != nil {
		schema["default"] = p.Fallback
	}
	doc := p.Doc
	switch p.Kind {
	case request.List:
		schema = Object{"type": "array", "items": schema}
		doc += " Comma-separated, or repeated."
	case request.Label:
		schema = Object{"type": "array", "items": schema}
	}
	return Object{"name": p.Name, "in": "query", "description": doc, "schema": schema}
}

// yamlFile is a document as a file.
func yamlFile() Object {
	return Object{"schema": Object{"type": "string", "description": "The document as a YAML file."}}
}

func (s *Schemas) requestBody(op *Operation) Object {
	var schema Object
	switch {
	case op.Document:
		schema = Object{"type": "object", "description": "The document, as in a file.", "additionalProperties": true}
	case op.Form != nil:
		schema = op.Form(s)
	case op.Body != nil:
		schema = s.Of(reflect.TypeOf(op.Body), true)
	default:
		return nil
	}
	media := Object{"schema": schema}
	if op.Example != "" {
		media["example"] = json.RawMessage(op.Example)
	}
	content := Object{"application/json": media}
	if op.Document {
		content["application/yaml"] = yamlFile()
	}
	return Object{"required": !op.Optional, "content": content}
}

// responses lists the possible responses of an operation.
func (s *Schemas) responses(op *Operation) Object {
	out := Object{}
	fine := s.fine(op)
	for _, status := range []int{op.Status, op.Also} {
		if status != 0 {
			out[strconv.Itoa(status)] = withStatusWords(fine, status)
		}
	}
	if op.Tagged {
		out["304"] = Object{"description": "Nothing changed."}
	}
	for _, status := range op.Problems {
		out[strconv.Itoa(status)] = Object{"$ref": "#/components/responses/" + problemNames[status]}
	}
	return out
}

func withStatusWords(response Object, status int) Object {
	out := Object{"description": statusWords[status]}
	for k, v := range response {
		out[k] = v
	}
	return out
}

var statusWords = map[int]string{
	http.StatusOK: "Done.", http.StatusCreated: "Made.", http.StatusAccepted: "Accepted, and durable.",
	http.StatusPartialContent:     "The requested range.",
	http.StatusSeeOther:           "Redirect.",
	http.StatusSwitchingProtocols: "The connection is now a WebSocket.",
}

// fine is the body of a response without an error.
func (s *Schemas) fine(op *Operation) Object {
	if op.Status == http.StatusSwitchingProtocols { // the messages that the server sends then
		sent := []Object{s.Of(reflect.TypeOf(op.Gives), false), s.Of(reflect.TypeOf(op.Sends), false)}
		return Object{"content": Object{"application/json": Object{"schema": Object{"anyOf": sent}}}}
	}
	if op.Status == http.StatusSeeOther {
		to := Object{"description": "The target of the redirect.", "schema": Object{"type": "string"}}
		return Object{"headers": Object{"Location": to}}
	}
	schema := Object{"type": "string"}
	switch {
	case op.Media == "application/json":
		schema = Object{"type": "object"}
	case op.Media == "text/event-stream":
		schema["description"] = "Blocks of id, event and data; data is an Event."
		s.Of(reflect.TypeOf(op.Gives), false)
	case op.Media == "application/zip" || op.Media == "application/octet-stream":
		schema = Object{"type": "string", "contentEncoding": "binary"}
	case op.Gives != nil:
		schema = s.Of(reflect.TypeOf(op.Gives), false)
	}
	media := op.Media
	if media == "" {
		media = "application/json"
	}
	content := Object{media: Object{"schema": schema}}
	if op.YAML {
		content["application/yaml"] = yamlFile()
	}
	for _, kind := range op.Images {
		content[kind] = Object{"schema": Object{"type": "string", "contentEncoding": "binary"}}
	}
	out := Object{"content": content}
	if op.Headers != nil {
		out["headers"] = op.Headers
	}
	if op.Tagged {
		tag := Object{"description": "Identifies the response; see If-None-Match.", "schema": Object{"type": "string"}}
		out["headers"] = Object{"ETag": tag}
	}
	return out
}
