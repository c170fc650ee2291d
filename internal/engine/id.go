package engine

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"time"
)

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRunID returns an id that sorts by time: 48 bits of milliseconds, 80 random bits.
func NewRunID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	rand.Read(b[6:]) // never fails
	return "run_" + crockford.EncodeToString(b[:])
}
