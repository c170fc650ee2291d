// Stands in for the part of Temporal that starts workers in clouds, and for the SDKs of those clouds.
module go.temporal.io/auto-scaled-workers

go 1.26.8

require (
	go.temporal.io/api v1.63.0
	go.temporal.io/server v1.32.1
	go.uber.org/fx v1.24.0
)
