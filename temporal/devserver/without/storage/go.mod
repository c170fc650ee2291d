// Stands in for the client of Google Cloud Storage, to which Temporal can archive histories.
module cloud.google.com/go/storage

go 1.26.8

require google.golang.org/api v0.276.0
