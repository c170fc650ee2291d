package request

import "strings"

// Matches reports whether If-None-Match names an entity tag; weak and strong ones are compared alike, as RFC 9110
// requires for this header.
func Matches(header, tag string) bool {
	want := strings.TrimPrefix(tag, "W/")
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == want {
			return true
		}
	}
	return false
}
