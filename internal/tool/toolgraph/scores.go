package toolgraph

import "slices"

// scores are one number for each text, most of them 0. Clearing takes as long as
// there are others.
type scores struct {
	of      []float32
	touched []int32
}

func (s *scores) reset(count int) {
	if len(s.of) != count {
		s.of, s.touched = make([]float32, count), s.touched[:0]
		return
	}
	for _, i := range s.touched {
		s.of[i] = 0
	}
	s.touched = s.touched[:0]
}

func (s *scores) add(i int32, n float32) {
	if n <= 0 {
		return
	}
	if s.of[i] == 0 {
		s.touched = append(s.touched, i)
	}
	s.of[i] += n
}

// raise makes a score at least n.
func (s *scores) raise(i int32, n float32) {
	if n > s.of[i] {
		s.add(i, n-s.of[i])
	}
}

func (s *scores) top() (top float32) {
	for _, i := range s.touched {
		top = max(top, s.of[i])
	}
	return top
}

// scale multiplies all scores.
func (s *scores) scale(by float32) {
	for _, i := range s.touched {
		s.of[i] *= by
	}
}

// level scales scores so that the highest is 1.
func (s *scores) level() {
	if top := s.top(); top > 0 {
		s.scale(1 / top)
	}
}

// best are the texts with the highest scores, highest first; of equals, the one
// that was listed first.
func (s *scores) best(most int) []int32 {
	return highest(s.touched, most, func(i int32) float32 { return s.of[i] })
}

// highest picks from candidates, without changing them.
func highest(from []int32, most int, of func(int32) float32) []int32 {
	out := make([]int32, 0, min(most, len(from)))
	before := func(a, b int32) int {
		switch x, y := of(a), of(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return int(a) - int(b)
	}
	for _, i := range from {
		if len(out) == most && (most == 0 || before(i, out[most-1]) > 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, i, before)
		if len(out) == most {
			out = out[:most-1]
		}
		out = slices.Insert(out, at, i)
	}
	return out
}
