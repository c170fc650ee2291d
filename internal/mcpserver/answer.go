package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// told is a result, for programs and as text for models.
func told(v any) (*sdk.CallToolResult, error) {
	raw, err := value.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{StructuredContent: raw, Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}}, nil
}

// refused is an error as the result of a tool, so that models can read it.
func refused(problem json.RawMessage) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, StructuredContent: problem,
		Content: []sdk.Content{&sdk.TextContent{Text: words(problem)}}}
}

// words formats a problem: what happened, why, and what to do.
func words(problem json.RawMessage) string {
	var p struct {
		Title, Code, Detail, Hint string
		Errors                    []fault.Problem
	}
	_ = json.Unmarshal(problem, &p) // always one of ours
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s (%s): %s", p.Title, p.Code, p.Detail)
	for _, e := range p.Errors {
		fmt.Fprintf(b, "\n- %s", e)
	}
	if p.Hint != "" {
		fmt.Fprintf(b, "\nHint: %s", p.Hint)
	}
	return b.String()
}
