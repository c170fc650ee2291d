package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/notice"
)

// everyCall calls every method of a store that can fail, with plausible arguments, and returns the results.
func everyCall(ctx context.Context, s store.Store) map[string]error {
	said := map[string]error{}
	face := reflect.TypeFor[store.Store]()
	for i := range face.NumMethod() {
		m := face.Method(i)
		last := m.Type.NumOut() - 1
		if m.Name == "Close" || last < 0 || m.Type.Out(last) != reflect.TypeFor[error]() {
			continue
		}
		var in []reflect.Value
		for j := range m.Type.NumIn() {
			p := m.Type.In(j)
			if m.Type.IsVariadic() && j == m.Type.NumIn()-1 {
				p = p.Elem()
			}
			in = append(in, plausible(ctx, p))
		}
		out := reflect.ValueOf(s).MethodByName(m.Name).Call(in)
		err, _ := out[last].Interface().(error)
		said[m.Name] = err
	}
	return said
}

// plausible is a value of a type that is neither empty nor out of range.
func plausible(ctx context.Context, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(ctx)
	case reflect.TypeFor[port.Write]():
		return reflect.ValueOf(fixture.New("run_1").Write(fixture.Started(`{}`)))
	case reflect.TypeFor[port.StandIn]():
		return reflect.ValueOf(port.StandIn{Name: "x", To: "y", From: fixture.Began, Until: fixture.Began.Add(time.Hour),
			SetBy: "x", SetAt: fixture.Began})
	case reflect.TypeFor[port.FiringOutcome]():
		return reflect.ValueOf(port.FiringMissed)
	case reflect.TypeFor[port.Link]():
		return reflect.ValueOf(notice.Offer("x", "x"))
	case reflect.TypeFor[port.DeliveryStatus]():
		return reflect.ValueOf(port.DeliveryQueued)
	case reflect.TypeFor[port.Expansion]():
		return reflect.ValueOf(port.Expansion{First: true, To: 1, At: fixture.Began})
	case reflect.TypeFor[port.Push]():
		return reflect.ValueOf(notice.Subscription("x", "x", 1))
	case reflect.TypeFor[[]byte]():
		return reflect.ValueOf([]byte("x"))
	case reflect.TypeFor[port.HookOutcome]():
		return reflect.ValueOf(port.HookStarted)
	case reflect.TypeFor[port.Unlearning]():
		return reflect.ValueOf(port.Unlearning{Tool: "x", At: fixture.Began})
	case reflect.TypeFor[time.Time]():
		return reflect.ValueOf(fixture.Began)
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader("x"))
	case reflect.TypeFor[json.RawMessage]():
		return reflect.ValueOf(json.RawMessage(`{}`))
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			v = reflect.Append(v, plausible(ctx, t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && !strings.HasSuffix(t.Name(), "Query") {
				v.Field(i).Set(plausible(ctx, f.Type))
			}
		}
	case reflect.Func:
		v = reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				out = append(out, reflect.New(t.Out(i)).Elem())
			}
			return out
		})
	}
	return v
}

// closedToAll: every method of a closed store reports that it is closed, and not that there is nothing.
func closedToAll(t *testing.T, s store.Store) {
	blob, _, err := s.PutBlob(t.Context(), strings.NewReader("x"), 10)
	fixture.Must(t, err)
	fixture.Must(t, s.Close())
	said := everyCall(t.Context(), s)
	_, _, said["OpenBlob"] = s.OpenBlob(t.Context(), blob)
	delete(said, "Resign") // there is nothing left to release
	if len(said) < 60 {
		t.Errorf("only %d methods were called", len(said))
	}
	for method, err := range said {
		if !errors.Is(err, port.ErrUnavailable) {
			t.Errorf("%s on a closed store: %v", method, err)
		}
	}
}
