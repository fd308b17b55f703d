//! The sessions that share one job: each takes its records of every batch.

use crate::clock::Nanoseconds;
use crate::engine::{Sessions, StartError};
use crate::job::{Job, PollContext, Release, Step};
use crate::lane::Record;
use crate::lock::{Lock, locked, locked_surely};
use crate::outlet::{Delivery, LaneSession, Outlet};
use crate::runtime::Runtime;
use crate::session::Session;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

/// A record that is numbered in its session.
pub(super) trait Numbered: Record {
    /// Writes the number: 0, 1, 2 …
    fn set_sequence(&mut self, sequence: u64);
}

/// The end of the job; an error has its reason.
type Outcome = Result<(), String>;

/// What waits for a session.
struct Inbox<T> {
    records: Vec<T>,
    outcome: Option<Outcome>,
}

/// A session, as the job finds it.
trait Tap<B>: Send {
    fn session(&self) -> &Session;
    fn take(&self, batch: &B);
    fn end(&self, outcome: &Outcome);
}

struct RecordTap<T, B> {
    session: Session,
    inbox: Arc<Mutex<Inbox<T>>>,
    select: fn(&B) -> &[T],
}

impl<T: Record, B> Tap<B> for RecordTap<T, B> {
    fn session(&self) -> &Session {
        &self.session
    }

    fn take(&self, batch: &B) {
        let records = (self.select)(batch);
        if !records.is_empty() {
            locked_surely(&self.inbox).records.extend_from_slice(records);
            self.session.wake();
        }
    }

    fn end(&self, outcome: &Outcome) {
        locked_surely(&self.inbox).outcome = Some(outcome.clone());
        self.session.wake();
    }
}

struct Listener<B> {
    tap: Box<dyn Tap<B>>,
    /// Whether it has not had the present state.
    is_new: bool,
}

struct State<B> {
    listeners: Vec<Listener<B>>,
    /// Starts that have found the job running and have not added their session.
    starting: usize,
    /// Whether there is a job that will see a session that is added.
    is_running: bool,
    job: Option<Session>,
    /// How the last job ended.
    outcome: Outcome,
}

/// The sessions of a job. Its lock is held for copies, and never during callbacks.
pub(super) struct Audience<B>(Mutex<State<B>>);

impl<B> Audience<B> {
    fn state(&self) -> MutexGuard<'_, State<B>> {
        locked(&self.0, Lock::Audience)
    }

    /// What a job without sessions does: it waits for the first one, which is being started and shall miss nothing, or ends and
    /// reports no more, and the next session starts another one. `None`: there are sessions.
    pub(super) fn idle_step(&self) -> Option<Step> {
        let mut state = self.state();
        if !state.listeners.is_empty() {
            return None;
        }
        if state.starting > 0 {
            return Some(Step::Wait);
        }
        state.is_running = false;
        Some(Step::End)
    }

    /// Hands a batch to all sessions but new ones.
    pub(super) fn report(&self, batch: &B) {
        for listener in &self.state().listeners {
            if !listener.is_new {
                listener.tap.take(batch);
            }
        }
    }

    /// Hands the present state, which `make` makes, to the new sessions, if there are some.
    pub(super) fn greet(&self, make: impl FnOnce() -> B) {
        let mut state = self.state();
        let mut new = state
            .listeners
            .iter_mut()
            .filter(|listener| listener.is_new)
            .peekable();
        if new.peek().is_some() {
            let batch = make();
            for listener in new {
                listener.is_new = false;
                listener.tap.take(&batch);
            }
        }
    }

    /// Ends all sessions as the job ended.
    pub(super) fn end(&self, release: Release) {
        let outcome = match release {
            Release::Ended | Release::Cancelled => Ok(()),
            Release::Failed(reason) => Err(reason),
            Release::Panicked(message) => Err(format!("its sockets' job panicked: {message}")),
        };
        let mut state = locked_surely(&self.0);
        (state.is_running, state.job) = (false, None);
        for listener in state.listeners.drain(..) {
            listener.tap.end(&outcome);
        }
        state.outcome = outcome;
    }

    /// Adds a session, a new one if it begins with the present state. One whose job has ended meanwhile ends as that did.
    fn add(&self, tap: impl Tap<B> + 'static, is_new: bool) {
        let mut state = locked_surely(&self.0);
        if !state.is_running {
            tap.end(&state.outcome);
            return;
        }
        // The session's job leaves after it was marked as released, under this lock: it either finds the tap, or is seen here.
        if !tap.session().is_released() {
            let tap = Box::new(tap);
            state.listeners.push(Listener { tap, is_new });
        }
        if let Some(job) = &state.job {
            job.wake();
        }
    }

    /// Removes the sessions that were released.
    fn leave(&self) {
        let mut state = locked_surely(&self.0);
        state
            .listeners
            .retain(|listener| !listener.tap.session().is_released());
        if state.listeners.is_empty()
            && let Some(job) = &state.job
        {
            job.wake();
        }
    }
}

/// An engine whose sessions share a job, which runs while there are some.
pub(super) struct Station<B> {
    pub(super) sessions: Sessions,
    jobs: Sessions,
    pub(super) audience: Arc<Audience<B>>,
    /// Held by the start of a session: two at a time start one job.
    starts: Mutex<()>,
}

/// A start that is counted until it is over.
struct Starting<'a, B>(&'a Audience<B>);

impl<B> Drop for Starting<'_, B> {
    fn drop(&mut self) {
        let mut state = locked_surely(&self.0.0);
        state.starting -= 1;
        if let Some(job) = &state.job {
            job.wake();
        }
    }
}

impl<B: 'static> Station<B> {
    pub(super) fn on(runtime: &Arc<Runtime>) -> Self {
        // The job wakes its sessions, which hand on what it wrote for them.
        let (place, poison) = (runtime.place(), Arc::new(AtomicBool::new(false)));
        let sessions = || Sessions::new(runtime.clone()).at(place).sharing(poison.clone());
        let state = State {
            listeners: Vec::new(),
            starting: 0,
            is_running: false,
            job: None,
            outcome: Ok(()),
        };
        Self {
            sessions: sessions(),
            jobs: sessions(),
            audience: Arc::new(Audience(Mutex::new(state))),
            starts: Mutex::new(()),
        }
    }

    /// Starts a session of the records that `select` finds in a batch, of `keys` different keys; it ends after `limit` of them.
    /// One that `has_state` begins with the present state; another one with the next batch.
    /// `open` makes the job, unless it runs.
    ///
    /// # Errors
    /// Those of `open`; [`StartError`]. The listener or the bell is dropped then without a call.
    pub(super) fn start<T: Numbered + 'static, E: From<StartError>>(
        &self,
        delivery: Delivery<T>,
        keys: usize,
        limit: u64,
        select: fn(&B) -> &[T],
        has_state: bool,
        open: impl FnOnce(Arc<Audience<B>>) -> Result<Box<dyn Job>, E>,
    ) -> Result<LaneSession<T>, E> {
        self.sessions.admit()?;
        let _one = locked(&self.starts, Lock::Audience);
        let is_running = {
            let mut state = self.audience.state();
            state.starting += 1;
            state.is_running
        };
        let _counted = Starting(&self.audience);
        if !is_running {
            let job = open(self.audience.clone())?;
            let start = || self.jobs.start(|| job);
            #[cfg(feature = "faults")]
            let start = || crate::faults::unarmed(start);
            let job = start()?;
            let mut state = locked_surely(&self.audience.0);
            (state.is_running, state.job) = (!job.is_released(), Some(job));
        }
        let inbox = Arc::new(Mutex::new(Inbox {
            records: Vec::new(),
            outcome: None,
        }));
        let (audience, of_job) = (self.audience.clone(), inbox.clone());
        let session = self.sessions.start_delivering(delivery, keys, |outlet| {
            Box::new(ListenerJob {
                audience,
                inbox: of_job,
                outlet,
                records: Vec::new(),
                sequence: 0,
                limit,
            })
        })?;
        let tap = RecordTap {
            session: session.session().clone(),
            inbox,
            select,
        };
        self.audience.add(tap, has_state);
        Ok(session)
    }

    /// Requests a poll of the job, if it runs.
    pub(super) fn wake(&self) {
        self.jobs.wake();
    }
}

/// Hands on to its session what the shared job wrote for it.
struct ListenerJob<T, B> {
    audience: Arc<Audience<B>>,
    inbox: Arc<Mutex<Inbox<T>>>,
    outlet: Outlet<T>,
    records: Vec<T>,
    sequence: u64,
    limit: u64,
}

impl<T: Numbered, B> Job for ListenerJob<T, B> {
    fn poll(&mut self, context: &PollContext<'_>) -> Step {
        self.records.clear();
        let outcome = {
            let mut inbox = locked(&self.inbox, Lock::Audience);
            std::mem::swap(&mut inbox.records, &mut self.records);
            inbox.outcome.clone()
        };
        let left = usize::try_from(self.limit - self.sequence).unwrap_or(usize::MAX);
        self.records.truncate(left);
        for record in &mut self.records {
            record.set_sequence(self.sequence);
            self.sequence += 1;
        }
        self.outlet.deliver(&self.records, context);
        match outcome {
            _ if self.sequence == self.limit => Step::End,
            None => Step::Wait,
            Some(Ok(())) => Step::End,
            Some(Err(reason)) => Step::Fail(reason),
        }
    }

    fn release(self: Box<Self>, release: Release) {
        self.audience.leave();
        self.outlet.release(release);
    }
}

/// The sooner of two times.
pub(super) fn sooner(one: Option<Nanoseconds>, other: Option<Nanoseconds>) -> Option<Nanoseconds> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmx::receiver::DmxEvent;
    use crate::outlet::RecordListener;

    struct Deaf;

    impl RecordListener<DmxEvent> for Deaf {
        fn on_record(&mut self, _: &DmxEvent) {}

        fn on_release(self: Box<Self>, _: Release) {}
    }

    /// What arrives while its first session starts is read when that session is there.
    #[test]
    fn job_waits_for_the_session_that_starts_it() {
        let station = Station::<Vec<DmxEvent>>::on(&Arc::new(Runtime::manual(0)));
        let delivery = Delivery::Push(Box::new(Deaf) as Box<dyn RecordListener<DmxEvent>>);
        let mut step = None;
        let started = station.start(delivery, 1, u64::MAX, Vec::as_slice, false, |audience| {
            step = audience.idle_step();
            Err(StartError::ShutDown)
        });
        assert!(matches!(started, Err(StartError::ShutDown)));
        assert!(matches!(step, Some(Step::Wait)), "{step:?}");
        let step = station.audience.idle_step();
        assert!(matches!(step, Some(Step::End)), "{step:?}");
    }
}
