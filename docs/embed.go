// Package docs holds the pages of the documentation. The program serves one of them.
package docs

import _ "embed"

// OpenAPI is openapi.json, which a test of package api writes: go test ./internal/api -run OpenAPI -update-openapi
//
//go:embed openapi.json
var OpenAPI []byte
