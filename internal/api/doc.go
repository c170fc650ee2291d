// Package api serves the use cases of app over HTTP: REST under /api/v1, events
// by SSE and WebSocket, health and metrics.
//
//	server := api.New(assembly.App, api.Options{Version: "1.0.0"})
//	http.ListenAndServe("127.0.0.1:8080", server)
//
// An endpoint is one operation in a table: its address, what it takes, what it
// answers, the words that describe it, and a function of a few lines that calls
// app. Everything that holds for all endpoints (who asks, parameters, bodies,
// idempotency, errors, logs) is done once around that function, and the OpenAPI
// document is made of the same table, so it cannot say anything else.
//
// The standard mux does the routing, and reflection over the very types that
// are encoded makes the schemas. A framework that decodes, validates and
// documents by itself (huma) was weighed and left out: its errors repeat
// offending values, it accepts keys twice, it knows no answers that are stored
// in the transaction of what they are about, and its schemas can say neither
// "object or null" nor which words a type knows, so both halves would have had
// to be written anyway.
package api
