package phrase

import "strconv"

// Bytes is a number of bytes as people read it: "48 KiB", "16 MiB"; "49,153 bytes" where a unit would round it.
func Bytes[N int | int64](n N) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return Grouped(strconv.FormatInt(int64(n)>>20, 10)) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.FormatInt(int64(n)>>10, 10) + " KiB"
	}
	return Grouped(strconv.FormatInt(int64(n), 10)) + " bytes"
}
