package value

import "encoding/json"

// Twice finds a member that an object holds more than once, at any depth. Two
// readers may read such a text differently: one takes the first, one the last.
func Twice(raw json.RawMessage) (key string, found bool) {
	switch KindOf(raw) {
	case KindObject:
		seen := map[string]bool{}
		for name, v := range Members(raw) {
			if seen[name] {
				return name, true
			}
			seen[name] = true
			if key, found = Twice(v); found {
				return key, true
			}
		}
	case KindArray:
		for _, v := range Elements(raw) {
			if key, found = Twice(v); found {
				return key, true
			}
		}
	}
	return "", false
}
