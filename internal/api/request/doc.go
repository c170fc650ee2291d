// Package request validates requests: the parameters of a query and the members of a body.
//
// Parameters are declared once, and the declaration serves both the check and the OpenAPI document:
//
//	params := append([]request.Param{{Name: "status", Words: words, Doc: "…"}}, request.Paging...)
//	query, err := request.Parse(r.URL.RawQuery, params) // every problem at once
//	page, err := request.Page(all, query, name)         // of a list that is complete
//
// Bodies are decoded by package api; MissingMembers lists the members that a type requires and a body lacks.
package request
