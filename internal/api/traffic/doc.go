// Package traffic shares a server fairly among its callers: it limits how much one
// identity may use, queues slow requests, and lets only one request per idempotency key
// run at a time.
//
// A Limiter counts requests and streams per identity, or per address for callers without
// credentials. A caller that exceeds a limit gets an error, and its response is delayed:
//
//	limits := traffic.NewLimiter(traffic.DefaultLimits())
//	leave, err := limits.Enter(key) // in progress until leave
//
// A Lane admits few slow requests at a time, one identity after the other, so that lists
// and exports never keep decisions waiting. Long work gives way between its parts:
//
//	lane := traffic.NewLane(traffic.LaneWidth())
//	turn := traffic.NewTurn(ctx, lane, key, limits.Greedy(key))
//	err := turn.Take()
//	defer turn.Give()
//	err = turn.Pause() // between two parts
//
// Flights makes requests with the same idempotency key wait for each other. The package
// knows nothing of HTTP: package api decides what is counted, for whom, and what is slow.
package traffic
