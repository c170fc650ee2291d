package notify_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/notify"
)

// room is a place where messages are, as people see it.
type room struct {
	mu    sync.Mutex
	posts map[notify.Ref]notify.Message
	to    map[notify.Ref]string
	keys  map[string]int // messages by key
	n     int
	// fails decides how a request ends: fail before, or after it was done.
	fails func() (before, after *notify.Failure)
	room  notify.Room
}

func newRoom() *room {
	return &room{posts: map[notify.Ref]notify.Message{}, to: map[notify.Ref]string{}, keys: map[string]int{},
		room:  notify.Room{Acts: true, Details: 3000},
		fails: func() (a, b *notify.Failure) { return nil, nil }}
}

func (r *room) Room() notify.Room { return r.room }

func (r *room) do(f func() (notify.Ref, error)) (notify.Ref, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, after := r.fails()
	if before != nil {
		return "", before
	}
	ref, err := f()
	if after != nil && err == nil {
		return "", after
	}
	return ref, err
}

func (r *room) Send(_ context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	return r.do(func() (notify.Ref, error) {
		r.n++
		ref := notify.Ref(fmt.Sprint(r.n))
		r.posts[ref], r.to[ref] = m, to.Person
		r.keys[m.Key]++
		return ref, nil
	})
}

func (r *room) Edit(_ context.Context, _ notify.Recipient, ref notify.Ref, m notify.Message) (notify.Ref, error) {
	return r.do(func() (notify.Ref, error) {
		if _, ok := r.posts[ref]; !ok {
			return "", &notify.Failure{Why: "there is no such message", Permanent: true}
		}
		r.posts[ref] = m
		return ref, nil
	})
}

func (r *room) Find(_ context.Context, _ notify.Recipient, key string, _ time.Time) (notify.Ref, error) {
	return r.do(func() (notify.Ref, error) {
		for ref, m := range r.posts {
			if m.Key == key {
				return ref, nil
			}
		}
		return "", nil
	})
}

// phone shows messages, of which one replaces another with the same thread. It cannot tell which are there.
type phone struct{ room *room }

func (p phone) Room() notify.Room { return p.room.room }

func (p phone) Send(_ context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	return p.room.do(func() (notify.Ref, error) {
		ref := notify.Ref(to.Person + " " + m.Thread)
		p.room.posts[ref], p.room.to[ref] = m, to.Person
		return ref, nil
	})
}

func (p phone) Edit(ctx context.Context, to notify.Recipient, ref notify.Ref, m notify.Message) (notify.Ref, error) {
	return p.room.Edit(ctx, to, ref, m)
}

// hook takes messages and cannot replace them.
type hook struct{ room *room }

func (k hook) Room() notify.Room { return k.room.room }

func (k hook) Send(ctx context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	return k.room.Send(ctx, to, m)
}

// all are the messages that are there.
func (r *room) all() map[notify.Ref]notify.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.posts)
}

// titles are those of the messages to a person, oldest first.
func (r *room) titles(person string) (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.n {
		if ref := notify.Ref(fmt.Sprint(n + 1)); r.to[ref] == person {
			out = append(out, r.posts[ref].Title)
		}
	}
	return out
}

// stormy fails most requests, in every way.
func stormy(r *rand.Rand) func() (before, after *notify.Failure) {
	return func() (before, after *notify.Failure) {
		switch r.IntN(6) {
		case 0:
			return &notify.Failure{Why: "status 429", After: 1e9}, nil
		case 1:
			return notify.Failed("status 503"), nil
		case 2:
			return &notify.Failure{Why: "timeout", Unknown: true}, nil
		case 3:
			return nil, &notify.Failure{Why: "timeout", Unknown: true}
		}
		return nil, nil
	}
}
