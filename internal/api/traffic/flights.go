package traffic

import (
	"sync"
)

// Flights makes requests with the same key wait for each other.
type Flights struct {
	mu   sync.Mutex
	open map[string]*flight
}

type flight struct {
	mu      sync.Mutex
	waiting int
}

// Enter waits until no other request has the key, until leave.
func (f *Flights) Enter(key string) (leave func()) {
	f.mu.Lock()
	if f.open == nil {
		f.open = map[string]*flight{}
	}
	one := f.open[key]
	if one == nil {
		one = &flight{}
		f.open[key] = one
	}
	one.waiting++
	f.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.waiting--; one.waiting == 0 {
			delete(f.open, key)
		}
	}
}
