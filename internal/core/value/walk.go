package value

// Walking valid JSON without validating it again. Every step moves forward and stays in bounds, so that even
// invalid bytes only end the walk.

// trim drops whitespace around a value.
func trim(raw []byte) []byte {
	i, j := skipSpace(raw, 0), len(raw)
	for j > i && (raw[j-1] == ' ' || raw[j-1] == '\n' || raw[j-1] == '\t' || raw[j-1] == '\r') {
		j--
	}
	return raw[i:j:j]
}

// eachMember calls f with the literal of every key and with its value.
func eachMember(raw []byte, f func(lit, val []byte) bool) {
	walkObject(raw, skipSpace(raw, 0), func(lit []byte, at int) int {
		if end := skipValue(raw, at); end > at && f(lit, raw[at:end:end]) {
			return end
		}
		return at
	})
}

// walkObject calls f with the literal of every key of the object at raw[i] and
// with the offset of its value. f returns the offset after the value; an
// offset that has not moved ends the walk. The result is the offset after the
// object.
func walkObject(raw []byte, i int, f func(lit []byte, at int) int) int {
	if i >= len(raw) || raw[i] != '{' {
		return i
	}
	for i++; ; i++ {
		i = skipSpace(raw, i)
		if i >= len(raw) || raw[i] != '"' {
			break
		}
		end := skipText(raw, i)
		lit := raw[i:end:end]
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ':' {
			break
		}
		i = skipSpace(raw, i+1)
		if end = f(lit, i); end <= i {
			return i
		}
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
			break
		}
	}
	return min(i+1, len(raw))
}

// eachElement calls f with every element of an array.
func eachElement(raw []byte, f func(val []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return
	}
	for i++; ; i++ {
		i = skipSpace(raw, i)
		end := skipValue(raw, i)
		if end == i || !f(raw[i:end:end]) {
			return
		}
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ',' {
			return
		}
	}
}

// skipText returns the offset after the string that starts at i.
func skipText(raw []byte, i int) int {
	for i++; i < len(raw); {
		if i = plain(raw, i); i >= len(raw) {
			break
		}
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return len(raw)
}

// skipValue returns the offset after the value that starts at i, or i itself
// if none does.
func skipValue(raw []byte, i int) int {
	if i >= len(raw) {
		return i
	}
	switch raw[i] {
	case '"':
		return skipText(raw, i)
	case '{', '[':
		return skipNested(raw, i)
	}
	for i < len(raw) && !ends(raw[i]) {
		i++
	}
	return i
}

// ends reports bytes that cannot be part of a number or a word.
func ends(c byte) bool {
	switch c {
	case ',', ':', ']', '}', '[', '{', '"', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

func skipNested(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = skipText(raw, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(raw)
}
