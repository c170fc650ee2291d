// Package openapi describes an API as an OpenAPI 3.1 document.
//
// The schemas of requests and responses follow from the Go types that are decoded and encoded, so the document always
// matches the messages. Members are described by the comments of their fields, which are read from the source code:
//
//	// Account is a person who signs in with a password.
//	type Account struct {
//		Name     string `json:"name"`     // without a comment: see Common
//		Disabled bool   `json:"disabled"` // True if the account cannot be used.
//	}
//
// Only tests import the package: one of package api writes docs/openapi.json, which programs serve, and fails when the
// file is not current.
package openapi
