package mcp

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// partsMax is the maximum number of content parts.
const partsMax = 1000

// part is a content part in an output.
type part struct {
	Type        string          `json:"type"`
	Text        *string         `json:"text,omitempty"`
	URI         string          `json:"uri,omitempty"`
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	MIME        string          `json:"mime_type,omitempty"`
	Size        int64           `json:"size,omitempty"`
	Content     json.RawMessage `json:"content,omitempty"` // a reference to a blob
}

// keeping stores bytes and returns a reference to them.
type keeping func(context.Context, []byte) (json.RawMessage, error)

// reading converts a result to an output.
type reading func(context.Context, *sdk.CallToolResult, keeping) (json.RawMessage, error)

// stepOutput is the output of a step's call: as in outputOf, unless there is a single text, and that is JSON.
func stepOutput(ctx context.Context, res *sdk.CallToolResult, keep keeping) (json.RawMessage, error) {
	if res.StructuredContent == nil && len(res.Content) == 1 {
		if t, ok := res.Content[0].(*sdk.TextContent); ok && t != nil {
			if out, err := value.Compact([]byte(t.Text)); err == nil {
				return out, nil
			}
		}
	}
	return outputOf(ctx, res, keep)
}

// outputOf is the output of a call: the structured content, if there is any; the text, if there is nothing
// else; or the list of parts.
func outputOf(ctx context.Context, res *sdk.CallToolResult, keep keeping) (json.RawMessage, error) {
	var parts []part
	texts := 0
	for _, c := range res.Content[:min(len(res.Content), partsMax)] {
		p, err := partOf(ctx, c, keep)
		if err != nil {
			return nil, err
		}
		if p.Type == "text" {
			texts++
		}
		parts = append(parts, p)
	}
	if res.StructuredContent != nil {
		structured, err := structuredOf(res)
		if err != nil || texts == len(parts) {
			return structured, err
		}
		return value.Marshal(struct {
			Structured json.RawMessage `json:"structured"`
			Content    []part          `json:"content"`
		}{structured, parts})
	}
	switch {
	case len(parts) == 0:
		return json.RawMessage(`{}`), nil
	case len(parts) == 1 && texts == 1:
		return value.Object(value.Member{Key: "text", Value: value.Quote(*parts[0].Text)}), nil
	}
	return value.Marshal(struct {
		Content []part `json:"content"`
	}{parts})
}

// structuredOf is the structured content. The library parses its numbers as floats; servers repeat it as
// text, which has every digit.
func structuredOf(res *sdk.CallToolResult) (json.RawMessage, error) {
	for _, c := range res.Content {
		t, ok := c.(*sdk.TextContent)
		if !ok || t == nil {
			continue
		}
		exact, err := value.Compact([]byte(t.Text))
		if err != nil {
			continue
		}
		var read any
		if json.Unmarshal(exact, &read) == nil && reflect.DeepEqual(read, res.StructuredContent) {
			return exact, nil
		}
	}
	return value.Marshal(res.StructuredContent)
}

func partOf(ctx context.Context, c sdk.Content, keep keeping) (part, error) {
	var p part
	var content []byte
	switch c := c.(type) {
	case *sdk.TextContent:
		text := strings.ToValidUTF8(c.Text, "\ufffd")
		return part{Type: "text", Text: &text}, nil
	case *sdk.ImageContent:
		p, content = part{Type: "image", MIME: c.MIMEType}, c.Data
	case *sdk.AudioContent:
		p, content = part{Type: "audio", MIME: c.MIMEType}, c.Data
	case *sdk.ResourceLink:
		return part{Type: "resource_link", URI: c.URI, Name: c.Name, Title: c.Title,
			Description: phrase.ClipValid(c.Description, describedMax), MIME: c.MIMEType}, nil
	case *sdk.EmbeddedResource:
		p = part{Type: "resource"}
		if r := c.Resource; r != nil {
			p.URI, p.MIME, content = r.URI, r.MIMEType, r.Blob
			if r.Blob == nil {
				text := strings.ToValidUTF8(r.Text, "\ufffd")
				p.Text = &text
			}
		}
	default:
		return part{Type: "unknown"}, nil
	}
	p.Size = int64(len(content))
	if len(content) > 0 && keep != nil {
		var err error
		if p.Content, err = keep(ctx, content); err != nil {
			return p, err
		}
	}
	return p, nil
}

// words is all text of a result.
func words(contents []sdk.Content) string {
	var b strings.Builder
	for _, c := range contents {
		if t, ok := c.(*sdk.TextContent); ok && t != nil && b.Len() < errorMax {
			b.WriteString(t.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
