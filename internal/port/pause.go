package port

import "context"

type pauseKey struct{}

// WithPause lets work that takes long give others a turn: see Pause.
func WithPause(ctx context.Context, f func() error) context.Context {
	return context.WithValue(ctx, pauseKey{}, f)
}

// Pause is called between two parts of work that takes long, while nothing is
// held. It returns when it is our turn again, or with the error of ctx.
func Pause(ctx context.Context) error {
	if f, ok := ctx.Value(pauseKey{}).(func() error); ok {
		return f()
	}
	return nil
}
