//go:build !unix

package main

import "errors"

func (b *bench) privatePostgres() (string, error) {
	return "", errors.New("a private server needs Unix; name one with -db")
}
