package client

import (
	"context"
	"net/url"

	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Agents lists the agents in force.
func (c *Client) Agents(ctx context.Context) (view.List[registry.Document], error) {
	var all view.List[registry.Document]
	for cursor := ""; ; cursor = all.Next {
		var v view.List[registry.Document]
		q := url.Values{"limit": {"200"}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		if err := c.get(ctx, "/agents", q, &v); err != nil {
			return all, err
		}
		if all.Items, all.Next, all.Total = append(all.Items, v.Items...), v.Next, v.Total; v.Next == "" {
			return all, nil
		}
	}
}

// AgentUsage is the use and the cost of all agents.
func (c *Client) AgentUsage(ctx context.Context, q url.Values) (v insight.AgentUsages, err error) {
	return v, c.get(ctx, "/agent_usage", q, &v)
}

// UsageOfAgent is the use and the cost of one agent by day.
func (c *Client) UsageOfAgent(ctx context.Context, name string, q url.Values) (v insight.AgentUsageDays, err error) {
	return v, c.get(ctx, "/agents/"+segment(name)+"/usage", q, &v)
}
