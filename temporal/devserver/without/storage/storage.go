// Package storage stands in for Google's client, with which Temporal's server would archive histories.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

const ScopeFullControl = ""

var errAbsent = errors.New("this server cannot archive to Google Cloud Storage")

type (
	Client       struct{}
	BucketHandle struct{}
	ObjectHandle struct{}
	Iterator     struct{}
	Writer       struct{}
	Reader       struct{}
	BucketAttrs  struct{}
	ObjectAttrs  struct{ Name string }
	Query        struct{ Prefix string }
)

func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errAbsent }

func (*Client) Bucket(name string) *BucketHandle                  { return nil }
func (*BucketHandle) Object(name string) *ObjectHandle            { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *Iterator   { return nil }
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error) { return nil, errAbsent }
func (*ObjectHandle) NewWriter(context.Context) *Writer           { return nil }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)  { return nil, errAbsent }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, errAbsent }
func (*Iterator) Next() (*ObjectAttrs, error)                     { return nil, errAbsent }
func (*Writer) Write([]byte) (int, error)                         { return 0, errAbsent }
func (*Writer) Close() error                                      { return errAbsent }
func (*Writer) CloseWithError(error) error                        { return errAbsent }
func (*Reader) Read([]byte) (int, error)                          { return 0, errAbsent }
func (*Reader) Close() error                                      { return errAbsent }
