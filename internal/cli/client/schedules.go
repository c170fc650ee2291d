package client

import (
	"context"
	"net/http"

	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

// Schedules lists the schedules in force.
func (c *Client) Schedules(ctx context.Context) (v view.List[schedule.Schedule], err error) {
	return v, c.get(ctx, "/schedules", nil, &v)
}

// RunSchedule starts a run of a schedule now.
func (c *Client) RunSchedule(ctx context.Context, name string) (v view.Run, err error) {
	return v, c.post(ctx, "/schedules/"+segment(name)+"/run", nil, &v)
}

// DeleteSchedule deletes a schedule.
func (c *Client) DeleteSchedule(ctx context.Context, name string) (v schedule.Schedule, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/schedules/" + segment(name)}, &v)
}
