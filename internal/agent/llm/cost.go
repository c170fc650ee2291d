package llm

import (
	"math"
	"math/big"
	"regexp"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
)

// usage is the cost of a reply. A provider that does not report it counts as free, unless its model has a
// price: then the tokens are estimated, or no cost limit would ever be reached.
func (m *Model) usage(q *request, r *reply) run.Usage {
	u := run.Usage{LLMCalls: 1, TokensIn: max(r.used.in, 0), TokensOut: max(r.used.out, 0)}
	p, priced := m.price()
	if !priced {
		return u
	}
	if !r.used.told {
		u.TokensIn, u.TokensOut = int64(q.size()), int64(tokens(r.text.String()))
		for _, c := range r.calls {
			u.TokensOut += int64(around + tokens(c.args.String()))
		}
	}
	u.CostUSD = cost(u.TokensIn, u.TokensOut, p)
	return u
}

// dated matches the version suffixes that providers use.
var dated = regexp.MustCompile(`(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|@\d{8})$`)

// price finds a model's price: by its name, by its name without a version, and without the vendor prefix.
func (m *Model) price() (definition.Price, bool) {
	name := m.d.Model
	for _, n := range []string{name, dated.ReplaceAllString(name, ""), vendor.ReplaceAllString(name, ""),
		vendor.ReplaceAllString(dated.ReplaceAllString(name, ""), "")} {
		if p, ok := m.o.Prices[n]; ok {
			return p, true
		}
	}
	return definition.Price{}, false
}

// cost is exact to a billionth, and rounded up there.
func cost(in, out int64, p definition.Price) quantity.Money {
	sum := new(big.Int).Mul(big.NewInt(in), big.NewInt(int64(p.In)))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(out), big.NewInt(int64(p.Out))))
	const perMillion = 1_000_000
	sum.Add(sum, big.NewInt(perMillion-1))
	sum.Quo(sum, big.NewInt(perMillion))
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return quantity.Money(sum.Int64())
}
