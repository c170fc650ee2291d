package assembly

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// pushing sends this process's metrics to a collector at intervals. They are cumulative, so what could not be sent is
// part of what is sent next.
type pushing struct {
	settings *otlp.MetricSettings // nil: they are not sent
	sender   *otlp.Sender
	set      *metrics.Set
	sent     metrics.Family
	began    time.Time
	log      *slog.Logger
	failed   bool // the last time

	end  chan struct{} // nil: not started
	loop sync.WaitGroup
}

// lastPush limits how long stopping waits for the collector.
const lastPush = 2 * time.Second

func newPushing(settings *otlp.MetricSettings, set *metrics.Set, log *slog.Logger) *pushing {
	p := &pushing{settings: settings, set: set, began: time.Now(), log: log}
	if settings != nil {
		p.sender = otlp.New(settings.Target)
		p.sent = set.Counter("assent_metric_exports_total", "Exports of metrics: sent, or failed.", "outcome")
	}
	return p
}

func (p *pushing) start() {
	if p.settings == nil {
		return
	}
	p.end = make(chan struct{})
	p.loop.Go(func() {
		tick := time.NewTicker(p.settings.Interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.push(context.Background())
			case <-p.end:
				return
			}
		}
	})
}

// stop sends the metrics once more.
func (p *pushing) stop() {
	if p.end == nil {
		return
	}
	close(p.end)
	p.loop.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), lastPush)
	defer cancel()
	p.push(ctx)
	p.sender.Close()
	p.end = nil
}

func (p *pushing) push(ctx context.Context) {
	err := p.sender.SendMetrics(ctx, p.set.Now(), p.began, time.Now())
	if err == nil {
		p.sent.Of("sent").Add(1)
		if p.failed {
			p.log.Info("metrics are sent again")
		}
	} else {
		p.sent.Of("failed").Add(1)
		if !p.failed { // once per outage
			p.log.Warn("metrics could not be sent; retrying", "error", err)
		}
	}
	p.failed = err != nil
}
