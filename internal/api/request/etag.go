package request

import (
	"strconv"
	"strings"
)

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

// TagNumber reads the number that an entity tag starts with, such as the version in W/"3.5f1c".
func TagNumber(tag string) (n int, ok bool) {
	digits, _, _ := strings.Cut(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`), ".")
	n, err := strconv.Atoi(digits)
	return n, err == nil
}
