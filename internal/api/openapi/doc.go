// Package openapi describes an API as an OpenAPI 3.1 document.
//
// The schemas of requests and responses follow from the Go types that are decoded and encoded, so the document always
// matches the messages. Descriptions are in the tables Components and Members:
//
//	doc := openapi.Describe(openapi.Document{
//		Types: types, Operations: operations, Tags: tags, Introduction: introduction,
//	})
//
// The package knows nothing of the server: package api describes each of its operations by an Operation.
// docs/openapi.json is the result, and a test compares the two.
package openapi
