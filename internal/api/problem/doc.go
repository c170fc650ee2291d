// Package problem turns errors into responses (RFC 9457): each code of package fault has a
// status, a title and a page that explains it.
//
//	p := problem.Of(err)     // errors without a code are internal: no details are shown
//	err := problem.Invalid("limit", "expected a whole number from 1 to %d", most)
//	err = problem.WithStatus(http.StatusBadRequest, err) // more specific than the code's
//
// Codes never change their meaning: clients compare them.
package problem
