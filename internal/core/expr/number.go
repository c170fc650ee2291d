package expr

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strconv"
)

// A number is kept in the cheapest exact form: a small integer, the decimal as written, or, as the result of
// arithmetic, a fraction. Decimals are compared digit by digit, so that 1e999999999 costs no more than 1.
//
// Arithmetic works on fractions, within limits that no amount of money or measurement comes near.
const (
	bitsMax   = 8_192 // of either half of a fraction
	digitsMax = 2_500 // of an operand; 10^digitsMax is beyond every fraction
)

// numberOf parses a JSON number; the result keeps lit.
func numberOf(lit []byte) (val, bool) {
	if i, ok := smallInt(lit); ok {
		return val{kind: number, i: i}, true
	}
	if _, ok := decimalOf(lit); !ok {
		return val{}, false
	}
	return val{kind: number, raw: lit}, true
}

// smallInt parses an integer that certainly fits.
func smallInt(lit []byte) (int64, bool) {
	digits := lit
	if len(lit) > 0 && lit[0] == '-' {
		digits = lit[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(lit) {
		n = -n
	}
	return n, true
}

// decimal is sign × 0.hi lo × 10^exp, where the first digit of hi lo is not 0.
// No digits at all is zero.
type decimal struct {
	negative bool
	hi, lo   []byte
	exp      int64
}

func decimalOf(lit []byte) (d decimal, ok bool) {
	if len(lit) > 0 && lit[0] == '-' {
		d.negative, lit = true, lit[1:]
	}
	n := leading(lit)
	d.hi, lit = lit[:n], lit[n:]
	if n == 0 {
		return d, false
	}
	if len(lit) > 0 && lit[0] == '.' {
		n = leading(lit[1:])
		if n == 0 {
			return d, false
		}
		d.lo, lit = lit[1:1+n], lit[1+n:]
	}
	if len(lit) > 0 {
		if lit[0] != 'e' && lit[0] != 'E' {
			return d, false
		}
		if d.exp, ok = exponentOf(lit[1:]); !ok {
			return d, false
		}
	}
	d.normalise()
	return d, true
}

func (d *decimal) normalise() {
	d.hi = bytes.TrimLeft(d.hi, "0")
	d.exp += int64(len(d.hi))
	if len(d.hi) == 0 {
		lo := bytes.TrimLeft(d.lo, "0")
		d.exp -= int64(len(d.lo) - len(lo))
		d.lo = lo
	}
	d.lo = bytes.TrimRight(d.lo, "0")
	if len(d.lo) == 0 {
		d.hi = bytes.TrimRight(d.hi, "0")
	}
}

func leading(b []byte) (n int) {
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

// exponentOf rejects numbers that cannot be compared exactly, instead of rounding them.
func exponentOf(b []byte) (int64, bool) {
	if len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	return smallInt(b)
}

func (d decimal) sign() int {
	switch {
	case len(d.hi)+len(d.lo) == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) digit(i int) byte {
	switch {
	case i < len(d.hi):
		return d.hi[i]
	case i < len(d.hi)+len(d.lo):
		return d.lo[i-len(d.hi)]
	}
	return '0'
}

func (d decimal) compare(e decimal) int {
	s := d.sign()
	if c := cmp.Compare(s, e.sign()); c != 0 || s == 0 {
		return c
	}
	if c := cmp.Compare(d.exp, e.exp); c != 0 {
		return c * s
	}
	for i := range max(len(d.hi)+len(d.lo), len(e.hi)+len(e.lo)) {
		if c := cmp.Compare(d.digit(i), e.digit(i)); c != 0 {
			return c * s
		}
	}
	return 0
}

// compareNumbers orders any two numbers. ok is false if one is too long to be compared with the result of
// arithmetic.
func compareNumbers(a, b val) (c int, ok bool) {
	if a.rat == nil && b.rat == nil {
		if a.raw == nil && b.raw == nil {
			return cmp.Compare(a.i, b.i), true
		}
		return a.decimal().compare(b.decimal()), true
	}
	if far, c := beyond(a, b); far {
		return c, true
	}
	if far, c := beyond(b, a); far {
		return -c, true
	}
	x, okx := a.fraction()
	y, oky := b.fraction()
	if !okx || !oky {
		return 0, false
	}
	return x.Cmp(y), true
}

// beyond compares a with a fraction b if a is a decimal larger or smaller than every fraction that arithmetic
// can return.
func beyond(a, b val) (far bool, c int) {
	if a.raw == nil {
		return false, 0
	}
	d, _ := decimalOf(a.raw)
	switch {
	case d.sign() == 0:
		return false, 0
	case d.exp > digitsMax:
		return true, d.sign()
	case d.exp < -digitsMax: // b is not zero: that would be a small integer
		return true, -b.rat.Sign()
	}
	return false, 0
}

func (v val) decimal() decimal {
	lit := v.raw
	if lit == nil {
		lit = strconv.AppendInt(nil, v.i, 10)
	}
	d, _ := decimalOf(lit)
	return d
}

// fraction returns v for arithmetic, unless it is too long.
func (v val) fraction() (*big.Rat, bool) {
	switch {
	case v.rat != nil:
		return v.rat, true
	case v.raw == nil:
		return new(big.Rat).SetInt64(v.i), true
	}
	d, _ := decimalOf(v.raw)
	n := len(d.hi) + len(d.lo)
	if n == 0 { // 0e9999 is zero as well
		return new(big.Rat), true
	}
	if n > digitsMax || d.exp > digitsMax || d.exp < -digitsMax {
		return nil, false
	}
	coefficient, _ := new(big.Int).SetString("0"+string(d.hi)+string(d.lo), 10)
	if d.negative {
		coefficient.Neg(coefficient)
	}
	shift := d.exp - int64(n)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(shift, -shift)), nil)
	if shift >= 0 {
		return new(big.Rat).SetInt(coefficient.Mul(coefficient, power)), true
	}
	return new(big.Rat).SetFrac(coefficient, power), true
}

// ofFraction returns the cheapest form of r, unless it grew too large.
func ofFraction(r *big.Rat) (val, bool) {
	if r.IsInt() && r.Num().IsInt64() {
		return val{kind: number, i: r.Num().Int64()}, true
	}
	return val{kind: number, rat: r}, r.Num().BitLen() <= bitsMax && r.Denom().BitLen() <= bitsMax
}

// smallSum and smallProduct handle the cases without overflow.
func smallSum(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func smallProduct(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, a != math.MinInt64 && b != math.MinInt64 && c/b == a
}

// calculate does exact arithmetic on two numbers; why explains a failure.
func calculate(o op, a, b val) (v val, why string) {
	if a.small() && b.small() {
		switch o {
		case opAdd:
			if c, ok := smallSum(a.i, b.i); ok {
				return val{kind: number, i: c}, ""
			}
		case opSub:
			if c, ok := smallSum(a.i, -b.i); ok && b.i != math.MinInt64 {
				return val{kind: number, i: c}, ""
			}
		case opMul:
			if c, ok := smallProduct(a.i, b.i); ok {
				return val{kind: number, i: c}, ""
			}
		}
	}
	x, okx := a.fraction()
	y, oky := b.fraction()
	if !okx || !oky {
		return val{}, "the number is too long to calculate with"
	}
	r := new(big.Rat)
	switch o {
	case opAdd:
		r.Add(x, y)
	case opSub:
		r.Sub(x, y)
	case opMul:
		r.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return val{}, "division by zero"
		}
		if o == opDiv {
			r.Quo(x, y)
			break
		}
		if !x.IsInt() || !y.IsInt() {
			return val{}, "% needs whole numbers"
		}
		r.SetInt(new(big.Int).Rem(x.Num(), y.Num()))
	}
	if v, ok := ofFraction(r); ok {
		return v, ""
	}
	return val{}, "the result is too large"
}

func (v val) small() bool { return v.raw == nil && v.rat == nil }

// negate flips the sign of any number.
func negate(v val) val {
	switch {
	case v.rat != nil:
		v.rat = new(big.Rat).Neg(v.rat)
	case v.raw == nil && v.i == math.MinInt64:
		v.rat = new(big.Rat).SetInt(new(big.Int).Neg(big.NewInt(v.i)))
	case v.raw == nil:
		v.i = -v.i
	case v.raw[0] == '-':
		v.raw = v.raw[1:]
	default:
		v.raw = append([]byte("-"), v.raw...)
	}
	return v
}
