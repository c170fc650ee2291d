package e2e

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP serves an MCP server with one tool at a path, replacing the previous one. Its clients have to
// reconnect, and see its current tools.
func (s *sink) serveMCP(path, description string) http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "bank", Version: "1"}, nil)
	tool := &sdk.Tool{Name: "pay", Description: description, InputSchema: map[string]any{
		"type": "object", "properties": map[string]any{"amount": map[string]any{"type": "number",
			"description": description}},
	}}
	server.AddTool(tool, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got[path+"-pay"] = append(s.got[path+"-pay"], string(req.Params.Arguments))
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "paid"}}}, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mcp[path] = handler
	return handler
}

// speakMCP is the MCP server at a path.
func (s *sink) speakMCP(path string) http.Handler {
	s.mu.Lock()
	handler := s.mcp[path]
	s.mu.Unlock()
	if handler == nil {
		handler = s.serveMCP(path, "Pays an amount in cents")
	}
	return handler
}
