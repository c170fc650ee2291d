package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/value"
)

// Apply remembers one event. It decides nothing and never fails: what is in
// the log has happened.
func (s *State) Apply(e Event) {
	s.Seq = e.Seq
	if e.Cause != "" && !s.isDraft {
		if s.Answered == nil {
			s.Answered = map[string]int64{}
		}
		s.Answered[e.Cause] = e.Seq
	}
	switch f := e.Fact.(type) {
	case *RunStarted, *RunForked, *RunWaiting, *RunResumed, *RunPaused, *RunUnpaused, *RunReopened, *RunCancelling,
		*RunCompleted, *RunFailed, *RunCancelled, *RunLimitReached:
		s.applyRun(e)
	case *ApprovalNeeded, *ApprovalAutoApproved, *ApprovalDecided, *ApprovalResolved, *ApprovalCommented,
		*ApprovalReminder, *ApprovalEscalated,
		*ApprovalTimedOut, *ApprovalPaused, *GatePassed:
		s.applyApproval(e)
	case *TurnStarted, *TurnCompleted, *TurnRetrying, *NoteAdded, *CallRequested, *CallStarted, *CallRebound,
		*CallArgsChanged, *CallRetrying, *CallInputNeeded,
		*CallCompleted, *HandedOff, *LimitWarning, *LimitGranted, *LimitRaised:
		s.applyLoop(e)
	case *ConsultStarted, *ConsultAnswered, *PointPassed, *ReplanRequested, *ReplanAnswered, *PlanChanged:
		s.applyPlan(e)
	case *StateUpdated:
		s.Answers = append(s.Answers, GateAnswer(*f))
	case *PayloadsRemoved:
		s.Removed = &Removal{e.At, e.Actor, f.Reason}
	case *WarningRaised:
		s.Warnings = append(s.Warnings, f.Warning)
	case *MessageAdded:
		s.applyMessage(f.Message)
	case *AgentMessage:
		s.Messages++
		s.applyMessage(Message{From: Actor{Kind: Agent, Name: f.From}, To: f.To, Text: f.Text, At: e.At})
	case *DeliverableCreated:
		s.Deliverables = append(s.Deliverables, f.Deliverable)
	case *DeliverableMarked:
		s.applyMarked(f)
	case *ChildEnded:
		s.applyChildEnded(f)
	default:
		s.applyStep(e)
	}
}

func (s *State) applyRun(e Event) {
	switch f := e.Fact.(type) {
	case *RunStarted:
		s.Started, s.Input, s.StartedAt = *f, f.Input, e.At
		s.Started.Owner = ownedBy(f.Owner, e.Actor)
		s.Status, s.WorkSince = Running, e.At
		if f.Held { // whoever forks here has to ask, too
			s.askStartAgain()
		}
	case *RunForked:
		s.applyFork(f, e.Actor, e.At)
	case *RunWaiting:
		s.Status = Waiting
		s.stopWork(e.At)
	case *RunResumed:
		s.Status, s.WorkSince = Running, e.At
	case *RunPaused:
		s.Status, s.Pause = Paused, f
		s.stopWork(e.At)
	case *RunUnpaused:
		s.Status, s.Pause, s.WorkSince = Running, nil, e.At
	case *RunReopened:
		s.applyReopened(e.At)
	case *RunCancelling:
		s.Cancelling, s.Pause = f, nil
		if s.Status != Running {
			s.Status, s.WorkSince = Running, e.At
		}
	case *RunCompleted:
		s.Output = f.Output
		s.end(Completed, e.At)
	case *RunFailed:
		s.Error, s.ErrorAt = &f.Error, e.At
		s.end(Failed, e.At)
	case *RunCancelled:
		s.end(Cancelled, e.At)
	case *RunLimitReached:
		s.Error, s.ErrorAt = limitFailure(f), e.At
		s.end(LimitReached, e.At)
	}
}

// stopWork stops the clock of working time. A clock that jumped back counts as nothing.
func (s *State) stopWork(at time.Time) {
	if !s.WorkSince.IsZero() {
		s.Worked += max(at.Sub(s.WorkSince), 0)
		s.WorkSince = time.Time{}
	}
}

// end closes everything that was open.
func (s *State) end(status Status, at time.Time) {
	s.Status, s.EndedAt, s.Pause, s.Cancelling = status, at, nil, nil
	s.stopWork(at)
	s.Point.Asking, s.Replans = false, nil
	for i := range s.Steps {
		if st := s.Steps[i]; !st.Status.settled() && st.Status != PendingStep {
			s.orphan(i)
			w := s.step(i)
			w.Status, w.EndedAt = CancelledStep, at
			s.Unsettled--
		}
	}
	s.Active = nil
}

// orphan remembers the sub-runs of a step that nobody waits for any more.
func (s *State) orphan(i int) {
	for k, t := range s.Steps[i].Tasks {
		if t.Child != "" && (t.Status == TaskRunning || t.Status == TaskBackoff) {
			s.Children = append(slices.Clip(s.Children), OpenChild{t.Child, s.keyOf(i, k)})
		}
	}
}

func (s *State) applyStep(e Event) {
	switch f := e.Fact.(type) {
	case *LayerStarted:
		s.LayersBegun = f.Layer + 1
	case *StepStarted:
		s.applyStarted(f, e.At)
		s.count(f.Counted, e.At, f.Try)
	case *StepRebound:
		s.applyStepRebound(f)
	case *StepExpanded:
		i, _ := s.plan.Step(f.Step)
		if st := s.step(i); !f.Keeps {
			st.Tasks = make([]*Task, f.Count)
			for k := range st.Tasks {
				st.Tasks[k] = &Task{Status: TaskIdle, Rev: f.Rev, Guidance: st.Guidance, own: s.isDraft}
			}
			st.ownTasks, st.Open, st.Next, st.InFlight = true, f.Count, 0, 0
		}
		s.activate(i, e.At)
	case *StepReturned:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Result.Usage)
		k := max(indexOf(f.Index), 0)
		st := s.step(i)
		if len(st.Tasks) == 0 { // a test run's sample
			st.Tasks = []*Task{{own: s.isDraft}}
			st.ownTasks = true
		}
		t := s.task(i, k)
		t.Result, t.Status, t.Deadline = &f.Result, TaskReview, time.Time{}
		if f.Index != nil {
			st.InFlight--
		}
	case *StepCompleted:
		s.applyCompleted(f, e.At)
	case *ElementCompleted:
		s.applyElement(f)
	case *StepRetrying:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Error.Usage)
		t := s.task(i, max(indexOf(f.Index), 0))
		t.Status, t.RetryAt, t.Deadline, t.Error = TaskBackoff, f.RetryAt, time.Time{}, &f.Error
	case *StepFailed:
		i, _ := s.plan.Step(f.Step)
		s.Usage = s.Usage.Add(f.Error.Usage)
		s.orphan(i)
		st := s.step(i)
		st.Error = &f.Error
		s.settle(i, FailedStep, e.At)
	case *StepSkipped:
		i, _ := s.plan.Step(f.Step)
		s.orphan(i)
		s.step(i).Skipped = f.Why
		s.Loose = s.Loose || f.Why == SkipCommand
		s.settle(i, SkippedStep, e.At)
	case *StepRevised:
		s.applyRevised(f)
	case *StepArgsChanged:
		i, _ := s.plan.Step(f.Step)
		st := s.step(i)
		st.Patches = append(slices.Clip(st.Patches), f.Changes)
		if e.Actor.Kind != Agent {
			for key := range value.Members(f.Changes) {
				st.Given = append(slices.Clip(st.Given), key)
			}
		}
		if st.Input != nil { // people changed it whole before: the patch comes on top
			st.Input = value.MergePatch(st.Input, f.Changes)
			st.Patches, st.Given = nil, nil
		}
		st.Status, st.Before = PendingStep, nil
		s.startOver(i)
	case *ChildWaiting:
		i, _ := s.plan.Step(f.Step)
		s.task(i, max(indexOf(f.Index), 0)).ChildWaiting = f.Waiting
	}
}

// startOver forgets the tries of a step that is to work on something else now:
// another piece of work has another key.
func (s *State) startOver(i int) {
	st := s.step(i)
	st.items = nil
	if len(st.Tasks) > 0 {
		st.Tasks, st.Rev, st.Open, st.Next, st.InFlight, st.Output = nil, st.Rev+1, 0, 0, 0, nil
	}
}

func (s *State) activate(i int, at time.Time) {
	st := s.step(i)
	if st.StartedAt.IsZero() {
		st.StartedAt = at
	}
	if st.Status != RunningStep {
		st.Status = RunningStep
		s.Active = append(s.Active, i)
	}
}

func (s *State) applyStarted(f *StepStarted, at time.Time) {
	i, _ := s.plan.Step(f.Step)
	st := s.step(i)
	if f.Index == nil && len(st.Tasks) == 0 {
		st.Tasks = []*Task{{Rev: f.Rev, Guidance: st.Guidance, own: s.isDraft}}
		st.ownTasks = true
	}
	k := max(indexOf(f.Index), 0)
	t := s.task(i, k)
	if f.Index != nil && t.Status != TaskBackoff {
		st.InFlight++
	}
	t.Status, t.Try, t.Deadline, t.RetryAt, t.Child, t.ChildWaiting = TaskRunning, f.Try, f.Deadline,
		time.Time{}, f.Child, false
	t.Approved = nil
	st.skipBegun()
	if f.Child != "" {
		s.ChildCount++
	}
	if n := &s.plan.Nodes[i]; isLoop(n) && t.Loop == nil {
		var inbox []Message
		for _, m := range s.Thread {
			if m.reaches(f.Step, n.Step.Agent) {
				inbox = append(inbox, m)
			}
		}
		t.Loop, t.ownLoop = newLoop(n.Step.Agent, at, inbox), s.isDraft
	} else if t.Loop == nil && f.Try == 1 {
		t.Inbox = s.sentTo(n.Step.Agent)
	}
	s.activate(i, at)
}

func (s *State) applyCompleted(f *StepCompleted, at time.Time) {
	i, _ := s.plan.Step(f.Step)
	st := s.step(i)
	switch {
	case f.Result != nil:
		st.Output = f.Result.Output
		s.Usage = s.Usage.Add(f.Result.Usage)
		if len(st.Tasks) > 0 {
			s.task(i, 0).Result = f.Result
		}
	case s.isMap(i):
		st.Output = s.mapOutput(st)
	case len(st.Tasks) > 0 && st.Tasks[0].Result != nil:
		st.Output = st.Tasks[0].Result.Output
	}
	s.settle(i, DoneStep, at)
}

func (s *State) applyElement(f *ElementCompleted) {
	i, _ := s.plan.Step(f.Step)
	st, t := s.step(i), s.task(i, f.Index)
	if f.Result != nil {
		s.Usage = s.Usage.Add(f.Result.Usage)
		t.Result = f.Result
		if t.Status == TaskRunning {
			st.InFlight--
		}
	}
	t.Status, t.Deadline, t.Loop = TaskDone, time.Time{}, nil
	st.Open--
	st.skipBegun()
}

// skipBegun moves Next past the tasks that need no start.
func (st *Step) skipBegun() {
	for st.Next < len(st.Tasks) && st.Tasks[st.Next].Status != TaskIdle {
		st.Next++
	}
}

// settle ends a step for those that need it.
func (s *State) settle(i int, status StepStatus, at time.Time) {
	st := s.step(i)
	st.Status, st.EndedAt, st.InFlight = status, at, 0
	s.Unsettled--
	for k := range st.Tasks {
		// What failed keeps its stand: the run may be taken up again from there.
		if status == DoneStep && (st.Tasks[k].Loop != nil || st.Tasks[k].Status != TaskDone) {
			t := s.task(i, k)
			t.Loop, t.Status, t.Deadline = nil, TaskDone, time.Time{}
		}
	}
	if !s.isDraft { // a draft leaves it in the list; everybody looks at the status
		if at := slices.Index(s.Active, i); at >= 0 {
			s.Active = slices.Delete(s.Active, at, at+1)
		}
	}
	for _, k := range s.plan.Nodes[i].Dependents {
		if s.Steps[k].Unmet > 0 {
			s.step(k).Unmet--
		}
	}
}

// applyRevised takes work back. Elements of a map go back alone, a step takes
// all that was built on it along.
func (s *State) applyRevised(f *StepRevised) {
	i, _ := s.plan.Step(f.Step)
	if f.Index != nil {
		st, t := s.step(i), s.task(i, *f.Index)
		*t = Task{Status: TaskIdle, Rev: f.Rev, Guidance: append(slices.Clip(t.Guidance), f.Guidance),
			Input: t.Input, own: t.own}
		st.Rev, st.Next = f.Rev, min(st.Next, *f.Index)
		return
	}
	guidance := append(slices.Clip(s.Steps[i].Guidance), f.Guidance)
	input := s.Steps[i].Input
	redo := []int{i}
	for _, id := range f.Redo {
		k, _ := s.plan.Step(id)
		redo = append(redo, k)
	}
	for _, k := range redo {
		s.orphan(k)
	}
	s.reset(redo)
	st := s.step(i)
	st.Rev, st.Guidance, st.Input = f.Rev, guidance, input
	s.EndPlace, s.Output = nil, nil
}

func (s *State) applyMessage(m Message) {
	s.Thread = append(s.Thread, m)
	for _, i := range s.Active {
		if s.Steps[i].Status != RunningStep {
			continue
		}
		for k, t := range s.Steps[i].Tasks {
			if t.Loop == nil || !m.reaches(s.plan.Nodes[i].Step.ID, t.Loop.Agent) {
				continue
			}
			l := s.loop(i, k)
			l.Inbox = append(slices.Clip(l.Inbox), m)
		}
	}
}
