// Package api serves the use cases of app over HTTP: REST under /api/v1, events by SSE and WebSocket, health and
// metrics.
//
//	server := api.New(assembly.App, api.Options{Version: "1.0.0"})
//	http.ListenAndServe("127.0.0.1:8080", server)
//
// An endpoint is one operation of package contract (its address, its request and response, its description), and a
// function of a few lines here that calls app, bound to it by its id. Everything that all endpoints share
// (authentication, parameters, bodies, idempotency, errors, logs) is done once around that function, and the OpenAPI
// document is generated from the same table, so the two cannot differ.
//
// The standard mux does the routing, and the schemas come from reflection over the very types that are encoded. A
// framework that decodes, validates and documents by itself (huma) was considered and rejected: its errors repeat
// offending values, it accepts duplicate keys, it cannot store a response in the transaction of its write, and its
// schemas can express neither "object or null" nor the vocabulary of a type, so both halves would have had to be
// written anyway.
package api
