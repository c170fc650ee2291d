//go:build noweb

package web

import (
	"embed"
	"io/fs"
)

func built() fs.FS { return embed.FS{} }
