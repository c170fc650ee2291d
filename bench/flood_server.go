package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/port"
)

// serve is the flooded server: configured like assent serve, with sign-in.
func (f floodSpec) serve(ctx context.Context) (err error) {
	o := host.Options{Config: assembly.Config{Data: string(f.Home), SignIn: assembly.SignIn{Password: true}}}
	if f.Home.shared() {
		o.Data, o.DB = "", string(f.Home)
	}
	h, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		_, e := h.Close(ctx)
		err = errors.Join(err, e)
	}()
	h.Start()
	ready, err := f.prepare(ctx, h)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ready.Address = l.Addr().String()
	go h.Serve(l) //nolint:errcheck // it ends with Close
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// prepare creates the approvals to decide, and the data to list and export.
func (f floodSpec) prepare(ctx context.Context, h *host.Host) (r floodReady, err error) {
	if _, _, err = h.App.Documents.Save(ctx, app.LocalAdmin, definition.KindWorkflow, "served", definition.JSON,
		[]byte(servedWorkflow), documents.Saving{Publish: true}); err != nil {
		return r, err
	}
	for name, to := range map[string]*string{"decider": &r.Decider, "flooder": &r.Flooder} {
		if _, *to, err = h.Access.NewToken(ctx,
			port.NewToken{Name: name, Kind: run.Person, Roles: []string{"admin"}, By: "bench"}); err != nil {
			return r, err
		}
	}
	for i := range f.Decisions + f.Waiting {
		v, err := h.App.Begin(ctx, app.LocalAdmin, app.NewRun{Workflow: "served"}, nil)
		if err != nil {
			return r, err
		}
		if len(v.PendingApprovals) != 1 {
			return r, fmt.Errorf("run %s asks for %d approvals", v.ID, len(v.PendingApprovals))
		}
		if r.Other = v.PendingApprovals[0]; i < f.Decisions {
			r.Approvals = append(r.Approvals, r.Other)
		}
	}
	return r, nil
}
