package metrics

import (
	"bytes"
	"math"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, s *Set) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, nil)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, w.Body)
	}
	return families
}

func TestPrometheusReadsWhatIsCounted(t *testing.T) {
	var s Set
	requests := s.Counter("requests_total", "Answered.\nNot \\ refused.", "route", "status")
	requests.Of("/b", "200").Add(2)
	requests.Of("/a", "500").Add(1)
	requests.Of("a\"b\\c\nd{}=,é", "200").Add(1)
	open := s.Gauge("open", "Open.", "kind")
	open.Of("sse").Add(1)
	open.Of("sse").Add(-1)
	s.Read("read", "Read.", func() float64 { return math.Inf(1) })
	seconds := s.Histogram("seconds", "Time.", []float64{0.1, 1}, "route")
	for _, v := range []float64{0.05, 0.1, 0.5, 7} {
		seconds.Of("/a").Observe(v)
	}

	got := scrape(t, &s)
	if f := got["requests_total"]; f.GetType() != dto.MetricType_COUNTER || f.GetHelp() != "Answered.\nNot \\ refused." {
		t.Errorf("counter: %v", f)
	}
	counts := map[string]float64{}
	for _, m := range got["requests_total"].Metric {
		counts[m.Label[0].GetValue()+" "+m.Label[1].GetValue()] = m.Counter.GetValue()
	}
	if len(counts) != 3 || counts["/b 200"] != 2 || counts["/a 500"] != 1 || counts["a\"b\\c\nd{}=,é 200"] != 1 {
		t.Errorf("counted %v", counts)
	}
	if m := got["open"].Metric[0]; m.Gauge.GetValue() != 0 {
		t.Errorf("gauge: %v", m)
	}
	if m := got["read"].Metric[0]; !math.IsInf(m.Gauge.GetValue(), 1) || len(m.Label) != 0 {
		t.Errorf("read: %v", m)
	}
	h := got["seconds"].Metric[0].Histogram
	if h.GetSampleCount() != 4 || h.GetSampleSum() != 7.65 || len(h.Bucket) != 3 ||
		h.Bucket[0].GetCumulativeCount() != 2 || h.Bucket[1].GetCumulativeCount() != 3 ||
		h.Bucket[2].GetCumulativeCount() != 4 {
		t.Errorf("histogram: %v", h)
	}
}

func TestConcurrentCountsAddUp(t *testing.T) {
	var s Set
	n := s.Counter("n_total", "N.", "kind")
	h := s.Histogram("h", "H.", []float64{1}, "kind")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				n.Of("a").Add(1)
				h.Of("a").Observe(2)
				if len(s.text(false)) == 0 {
					t.Error("nothing was written")
				}
			}
		})
	}
	all.Wait()
	got := scrape(t, &s)
	if v := got["n_total"].Metric[0].Counter.GetValue(); v != 8000 {
		t.Errorf("counted %v of 8000", v)
	}
	if c := got["h"].Metric[0].Histogram.GetSampleCount(); c != 8000 {
		t.Errorf("observed %v of 8000", c)
	}
}

func TestMistakesInTheProgramPanic(t *testing.T) {
	var s Set
	n := s.Counter("n_total", "N.", "kind")
	for name, f := range map[string]func(){
		"exists already":  func() { s.Gauge("n_total", "Again.") },
		"other labels":    func() { n.Of() },
		"too many labels": func() { s.Gauge("many", "Many.", "a", "b", "c", "d", "e") },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, name) {
					t.Errorf("panicked with %q, want %q", p, name)
				}
			}()
			f()
		}()
	}
}

// A client that reads OpenMetrics gets exemplars: the last value of each bucket that belongs to a trace.
func TestExemplars(t *testing.T) {
	var s Set
	s.Counter("requests_total", "Answered.").Of().Add(2)
	seconds := s.Histogram("seconds", "Time.", []float64{0.1, 1})
	seconds.Of().ObserveIn(0.05, "t1")
	seconds.Of().ObserveIn(0.06, "t2")
	seconds.Of().ObserveIn(0.5, "")
	seconds.Of().ObserveIn(7, "t3")
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
	s.ServeHTTP(w, r)
	got := regexp.MustCompile(`\d{10,}\.\d{3}\n`).ReplaceAllString(w.Body.String(), "NOW\n")
	want := `# HELP requests Answered.
# TYPE requests counter
requests_total 2
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.1"} 2 # {trace_id="t2"} 0.06 NOW
seconds_bucket{le="1"} 3
seconds_bucket{le="+Inf"} 4 # {trace_id="t3"} 7 NOW
seconds_sum 7.61
seconds_count 4
# EOF
`
	if got != want || w.Header().Get("Content-Type") != "application/openmetrics-text; version=1.0.0; charset=utf-8" {
		t.Errorf("%s", got)
	}
	if plain := scrape(t, &s); plain["seconds"].Metric[0].Histogram.GetSampleCount() != 4 ||
		plain["requests_total"] == nil {
		t.Errorf("%v", plain)
	}
}
