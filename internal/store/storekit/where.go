package storekit

// Where collects conditions that all have to hold.
type Where struct{ conds []Cond }

// Add adds a condition, with question marks for its arguments.
func (w *Where) Add(sql string, args ...any) { w.conds = append(w.conds, Cond{sql, args}) }

// Eq adds a condition unless the value is empty.
func (w *Where) Eq(column, value string) {
	if value != "" {
		w.Add(column+" = ?", Text(value))
	}
}

// Clone returns a copy to which other conditions can be added.
func (w *Where) Clone() *Where { return &Where{w.conds[:len(w.conds):len(w.conds)]} }

// Empty reports whether there are no conditions.
func (w *Where) Empty() bool { return len(w.conds) == 0 }

// Cond combines them into one.
func (w *Where) Cond() Cond { return allOf(w.conds...) }

// Then builds a query from its start, the conditions, and its end, which may have arguments.
func (w *Where) Then(start, end string, args ...any) Cond {
	c := w.Cond()
	return Cond{start + c.SQL + end, append(c.Args[:len(c.Args):len(c.Args)], args...)}
}
