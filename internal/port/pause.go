package port

import "context"

type pauseKey struct{}

// WithPause lets long work give others a turn: see Pause.
func WithPause(ctx context.Context, f func() error) context.Context {
	return context.WithValue(ctx, pauseKey{}, f)
}

// Pause is called between two parts of long work, while no locks are held. It returns when it is our turn again, or
// with the error of ctx.
func Pause(ctx context.Context) error {
	if f, ok := ctx.Value(pauseKey{}).(func() error); ok {
		return f()
	}
	return nil
}

// WithoutPause is for work that holds something others wait for: it keeps its turn until the end, because the next
// turn may belong to a request that waits for it.
func WithoutPause(ctx context.Context) context.Context {
	return WithPause(ctx, func() error { return nil })
}
