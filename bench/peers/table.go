package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/bench/peers/work"
)

// tables writes the figures and their ratios in Markdown.
func (c *comparison) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, Node.js %s, %d cores; load before the run %s.\n", c.System, c.Go, c.Node, c.Cores, c.Load)
	fmt.Fprintf(&b, "Floor: append 4 KiB and flush %s ms (p50); commits/s of one row: SQLite %s (WAL, synchronous=FULL), "+
		"PostgreSQL %s (16 connections).\n", number(c.Floor.Fsync), number(c.Floor.Commits["sqlite"]),
		number(c.Floor.Commits["postgres"]))
	fmt.Fprintf(&b, "%d runs of three steps, %d at once; %d decisions, one after the other; %d pages of %d among %d.\n\n",
		c.Sizes.Runs, c.Sizes.AtOnce, c.Sizes.Decisions, c.Sizes.Pages, work.Page, c.Sizes.Pending)
	b.WriteString("| system | store | runs/s | of Assent | of the floor | decision → next step, p50 / p99 | × Assent | " +
		"flushes | first page, p50 / p99 | × Assent |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range c.Rows {
		base := c.row(peers[0].title, likeStore(r.Store))
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Peer, r.Store,
			number(r.Runs), ratio(r.Runs, base.Runs), ratio(r.Runs, c.Floor.Commits[likeStore(r.Store)]),
			pair(r.DecisionP50, r.DecisionP99), ratio(r.DecisionP50, base.DecisionP50),
			ratio(r.DecisionP50, c.Floor.Fsync),
			pair(r.ListP50, r.ListP99), ratio(r.ListP50, base.ListP50))
	}
	b.WriteString("\n| system | store | version | durable when | load at its start |\n|---|---|---|---|---|\n")
	for _, r := range c.Rows {
		if r.Version != "" {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Peer, r.Store, r.Version, r.Sync, r.Load)
		}
	}
	for _, r := range c.Rows {
		if r.Decisions > 0 && r.Decisions < c.Sizes.Decisions {
			fmt.Fprintf(&b, "\n%s on %s: %d decisions, which took long enough.\n", r.Peer, r.Store, r.Decisions)
		}
		if r.Missing != "" {
			fmt.Fprintf(&b, "\n%s on %s: %s\n", r.Peer, r.Store, r.Missing)
		}
	}
	return b.String()
}

// likeStore is the store to compare with: SQLite where a system has its own.
func likeStore(store string) string {
	if store == "postgres" {
		return store
	}
	return "sqlite"
}

func (c *comparison) row(peer, store string) row {
	for _, r := range c.Rows {
		if r.Peer == peer && r.Store == store {
			return r
		}
	}
	return row{}
}

const unmeasured = "–"

func ratio(v, base float64) string {
	if v == 0 || base == 0 {
		return unmeasured
	}
	if v/base >= 10 {
		return strconv.FormatFloat(v/base, 'f', 0, 64)
	}
	return strconv.FormatFloat(v/base, 'g', 2, 64)
}

func pair(p50, p99 float64) string {
	if p50 == 0 {
		return unmeasured
	}
	return number(p50) + " / " + number(p99) + " ms"
}

// number writes three significant digits, and large numbers in full.
func number(v float64) string {
	switch {
	case v == 0:
		return unmeasured
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
