// Package client is what Temporal's server asks about workers that it would start: there are none.
package client

import (
	"context"

	"go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module provides the client.
var Module = fx.Provide(func() Client { return Client{} })

// Client knows no workers.
type Client struct{}

func (Client) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion,
) (*iface.Description, []byte, error) {
	return nil, nil, serviceerror.NewNotFound("this server starts no workers")
}

func (Client) ValidateWorkerControllerInstanceSpec(
	_ context.Context, _ *namespace.Namespace, _ *deployment.WorkerDeploymentVersion, identity string,
	upsert map[string]iface.ScalingGroupSpecUpdate, remove []string,
) error {
	return serviceerror.NewInvalidArgument("this server starts no workers")
}

func (Client) UpdateWorkerControllerInstance(
	_ context.Context, _ *namespace.Namespace, _ *deployment.WorkerDeploymentVersion, token []byte, identity string,
	upsert map[string]iface.ScalingGroupSpecUpdate, remove []string,
) (*iface.Description, error) {
	return nil, serviceerror.NewInvalidArgument("this server starts no workers")
}

func (Client) DeleteWorkerControllerInstance(
	_ context.Context, _ *namespace.Namespace, _ *deployment.WorkerDeploymentVersion, identity string,
) error {
	return nil
}
