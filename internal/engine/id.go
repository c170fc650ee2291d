package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
	"time"
)

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// RunIDOf returns the id of the run that a time of a schedule starts: always the same, and sorted as that time.
func RunIDOf(schedule string, at time.Time) string {
	hash := sha256.Sum256([]byte("schedule\x00" + schedule + "\x00" + strconv.FormatInt(at.UnixNano(), 10)))
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(at.UnixMilli())<<16)
	copy(b[6:], hash[:])
	return "run_" + crockford.EncodeToString(b[:])
}

// RunIDFor returns the id of the run that a delivery to a trigger starts: always the same. No time follows from a
// delivery, so it sorts as one before 2005: a process that looks for runs to resume stops at ids from the future.
func RunIDFor(trigger, delivery string) string {
	hash := sha256.Sum256([]byte("trigger\x00" + trigger + "\x00" + delivery))
	hash[0] = 0
	return "run_" + crockford.EncodeToString(hash[:16])
}

// NewRunID returns an id that sorts by time: 48 bits of milliseconds, 80 random bits.
func NewRunID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	rand.Read(b[6:]) // never fails
	return "run_" + crockford.EncodeToString(b[:])
}
