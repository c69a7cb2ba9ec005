package liveness

// A scheduleGraph is a program reduced to what scheduling needs: which steps
// wait for which, and what each step adds and ends.
type scheduleGraph struct {
	after   [][]int32 // step -> steps that it waits for
	makes   [][]int32 // step -> storages that it makes
	touches [][]int32 // step -> storages of other steps that it reads or views, each once
	inside  []int64   // step -> bytes that its bodies add while it runs
	size    []int64   // storage -> bytes
	readers []int32   // storage -> number of steps that touch it
	held    []bool    // storage -> to the end
	users   [][]int32 // storage -> steps that touch it
}

func newScheduleGraph(p *Program) *scheduleGraph {
	n, m := len(p.Steps), len(p.Storages)
	g := &scheduleGraph{
		after: make([][]int32, n), makes: make([][]int32, n), touches: make([][]int32, n), inside: make([]int64, n),
		size: make([]int64, m), readers: make([]int32, m), held: make([]bool, m), users: make([][]int32, m),
	}
	for id := range p.Storages {
		s := &p.Storages[id]
		g.held[id] = s.Output
		if s.Kind == Activation {
			g.size[id] = s.Size.Low
		}
	}
	seen := make([]int32, m)
	for i := range p.Steps {
		s, at := &p.Steps[i], int32(i)
		g.after[i] = s.After
		p.Makes(i, func(id StorageID) { g.makes[i] = append(g.makes[i], int32(id)) })
		// A view keeps its storage alive through the step that makes it.
		for _, ids := range [][]StorageID{s.Reads, s.Writes} {
			for _, id := range ids {
				if id == NoStorage || p.Storage(id).Step < 0 || p.Storage(id).Step == at || seen[id] == at+1 {
					continue
				}
				seen[id] = at + 1
				g.touches[i] = append(g.touches[i], int32(id))
				g.users[id] = append(g.users[id], at)
				g.readers[id]++
			}
		}
		g.inside[i] = p.inside(at).Low
	}
	return g
}

// A progress is a partial order: what is left of each storage's readers, and
// what is alive.
type progress struct {
	g     *scheduleGraph
	left  []int32 // storage -> readers that have not run
	alive int64
	peak  int64
}

func (g *scheduleGraph) start() *progress {
	return &progress{g: g, left: append([]int32(nil), g.readers...)}
}

// during is what is alive while step i runs.
func (s *progress) during(i int32) int64 {
	now := s.alive + s.g.inside[i]
	for _, id := range s.g.makes[i] {
		now += s.g.size[id]
	}
	return now
}

// delta is what step i adds to what is alive, or ends of it.
func (s *progress) delta(i int32) int64 {
	d := int64(0)
	for _, id := range s.g.makes[i] {
		if s.g.readers[id] > 0 || s.g.held[id] {
			d += s.g.size[id]
		}
	}
	for _, id := range s.g.touches[i] {
		if s.left[id] == 1 && !s.g.held[id] {
			d -= s.g.size[id]
		}
	}
	return d
}

func (s *progress) run(i int32) {
	s.peak = max(s.peak, s.during(i))
	s.alive += s.delta(i)
	for _, id := range s.g.touches[i] {
		s.left[id]--
	}
}
