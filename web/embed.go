//go:build !noweb

package web

import (
	"embed"
	"io/fs"
)

// The folder holds a .gitkeep and, once `make web` ran, the built pages.
//
//go:embed all:dist
var embedded embed.FS

func built() fs.FS {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return dist
}
