package policy

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Amount is a non-negative number below 10^18 with up to nine decimals, stored as three groups of nine digits
// so that sums are exact, in a database as well. A group can absorb a billion additions before it overflows.
type Amount struct{ Giga, Unit, Nano int64 }

const billion = 1_000_000_000

// Plus adds two amounts. Groups may grow beyond nine digits.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Giga + b.Giga, a.Unit + b.Unit, a.Nano + b.Nano}
}

// amountOf reads a JSON number. ok is false if it cannot be added exactly; negative numbers count as zero.
func amountOf(raw json.RawMessage) (a Amount, negative, ok bool) {
	const longest, furthest = 64, 40
	if len(raw) == 0 || len(raw) > longest {
		return a, false, false
	}
	if i := bytes.IndexAny(raw, "eE"); i >= 0 { // a large exponent would turn a short text into a huge number
		if e, err := strconv.Atoi(string(raw[i+1:])); err != nil || e > furthest || e < -furthest {
			return a, false, false
		}
	}
	r, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return a, false, false
	}
	if r.Sign() < 0 {
		return a, true, true
	}
	r.Mul(r, big.NewRat(billion, 1))
	if !r.IsInt() {
		return a, false, false
	}
	part := new(big.Int)
	rest, _ := new(big.Int).DivMod(r.Num(), big.NewInt(billion), part)
	a.Nano = part.Int64()
	rest.DivMod(rest, big.NewInt(billion), part)
	a.Unit = part.Int64()
	if rest.Cmp(big.NewInt(billion)) >= 0 {
		return Amount{}, false, false
	}
	a.Giga = rest.Int64()
	return a, false, true
}

// String formats it as a JSON number.
func (a Amount) String() string {
	n := big.NewInt(a.Giga)
	n.Mul(n, big.NewInt(billion)).Add(n, big.NewInt(a.Unit))
	n.Mul(n, big.NewInt(billion)).Add(n, big.NewInt(a.Nano))
	digits := n.String()
	if len(digits) <= 9 {
		digits = strings.Repeat("0", 10-len(digits)) + digits
	}
	whole, part := digits[:len(digits)-9], strings.TrimRight(digits[len(digits)-9:], "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}
