package auth

import (
	"net/url"
	"path"
	"strings"
)

const returnMax = 2048

// safePath is a path of this server's pages that is safe to redirect to, or /. Browsers read // and /\ as the
// beginning of another host.
func safePath(to string) string {
	const home = "/"
	if len(to) > returnMax || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return home
	}
	for _, r := range to {
		if r <= ' ' || r == 0x7f || r == '\uFFFD' {
			return home
		}
	}
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return home
	}
	clean := path.Clean(u.Path)
	if strings.Contains(u.Path, "//") || strings.Contains(u.Path, `\`) || clean == "/api" ||
		strings.HasPrefix(clean, "/api/") {
		return home
	}
	return u.String()
}
