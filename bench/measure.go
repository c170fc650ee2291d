package main

import (
	"slices"
	"time"
)

// measure is one figure, or the percentiles of one, compared with its budget.
type measure struct {
	Topic   string             `json:"topic"`
	Store   string             `json:"store"`
	Name    string             `json:"name"`
	Unit    string             `json:"unit"`
	Samples int                `json:"samples,omitempty"`
	Figures map[figure]float64 `json:"figures"`
	Budget  []bound            `json:"budget,omitempty"`
	OK      *bool              `json:"ok,omitempty"` // nil: no budget
	Floor   string             `json:"floor,omitempty"`
	Ratio   float64            `json:"ratio,omitempty"` // relative to the floor
}

// figure is a statistic of the samples.
type figure string

const (
	amount figure = "value" // there was one sample, or it is a rate
	p50    figure = "p50"
	p99    figure = "p99"
	worst  figure = "max"
)

var figures = []figure{amount, p50, p99, worst}

// bound is a budget for one figure.
type bound struct {
	Of      figure   `json:"of"`
	AtLeast *float64 `json:"at_least,omitempty"`
	Below   *float64 `json:"below,omitempty"`
}

func (b bound) holds(v float64) bool {
	return (b.AtLeast == nil || v >= *b.AtLeast) && (b.Below == nil || v < *b.Below)
}

// single is a measure of one value.
func single(name, unit string, v float64) measure {
	return measure{Name: name, Unit: unit, Figures: map[figure]float64{amount: v}}
}

// latencies is a measure in milliseconds.
func latencies(name string, took []time.Duration) measure {
	m := measure{Name: name, Unit: "ms", Samples: len(took), Figures: map[figure]float64{}}
	if len(took) == 0 {
		return m
	}
	sorted := slices.Sorted(slices.Values(took))
	m.Figures[p50], m.Figures[p99], m.Figures[worst] = ms(sorted[len(sorted)/2]), ms(sorted[len(sorted)*99/100]),
		ms(sorted[len(sorted)-1])
	return m
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (m measure) below(of figure, most float64) measure {
	m.Budget = append(m.Budget, bound{Of: of, Below: &most})
	return m
}

func (m measure) atLeast(least float64) measure {
	m.Budget = append(m.Budget, bound{Of: amount, AtLeast: &least})
	return m
}

// over returns a figure as a multiple of the floor.
func (m measure) over(floor string, of figure, v float64) measure {
	if v > 0 {
		m.Floor, m.Ratio = floor, m.Figures[of]/v
	}
	return m
}

// judged reports whether all budgets are met. A missing measurement meets none.
func (m measure) judged() measure {
	if len(m.Budget) == 0 {
		return m
	}
	ok := true
	for _, b := range m.Budget {
		v, measured := m.Figures[b.Of]
		ok = ok && measured && b.holds(v)
	}
	m.OK = &ok
	return m
}
