// Package contract is the API as its clients see it: a table of operations, each with its address, its parameters, its
// request and response, and its description; and the types of requests and responses that belong to no other package.
//
//	for _, op := range contract.Operations() {
//		fmt.Println(op.Method, op.Path, op.Summary)
//	}
//
// The package says nothing about how a request is served: package api binds a function to each operation by its id, and
// the OpenAPI document is generated from this table. The comment on a field becomes its description there.
package contract
