//! The oracles of a run, and the first violation that they have found: it ends the run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::{
    experiment::Shown,
    oracles::{
        AfterRestart, Answer, AtRest, Check, Demands, End, Failure, Moment, Notice, Oracle, Run,
    },
    state::Difference,
};

struct Inner {
    checks: Vec<(Oracle, Box<dyn Check>)>,
    failure: Option<Failure>,
    /// The rest of the run is known.
    stopped: bool,
    /// Whether the run goes on after a failure, for an experiment.
    probes: bool,
}

pub(crate) struct Judge {
    inner: Mutex<Inner>,
    /// Notified when the run ends before the end of the workload.
    pub(crate) ended: Notify,
}

impl Judge {
    pub(super) fn new(demands: &Demands) -> Self {
        Self {
            inner: Mutex::new(Inner {
                checks: Oracle::all(&demands.without),
                failure: None,
                stopped: false,
                probes: false,
            }),
            ended: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begins(&self, run: &Run<'_>) {
        for (_, check) in &mut self.lock().checks {
            check.begins(run);
        }
    }

    pub(super) fn begins_phase(&self, run: &Run<'_>) {
        for (_, check) in &mut self.lock().checks {
            check.begins_phase(run);
        }
    }

    pub(super) fn changed(&self, run: &Run<'_>) {
        for (_, check) in &mut self.lock().checks {
            check.changed(run);
        }
    }

    pub(super) fn answered(&self, run: &Run<'_>, answer: &Answer<'_>) {
        let mut inner = self.lock();
        let checks = inner.checks.iter_mut();
        let found = checks.flat_map(|(oracle, check)| {
            let found = check.answered(run, answer).into_iter();
            found.map(|violation| violation.by(*oracle))
        });
        let found = found.collect();
        self.fail(inner, found);
    }

    /// Returns what does not hold at rest.
    pub(super) fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Failure> {
        let inner = self.lock();
        let checks = inner.checks.iter();
        let found = checks.flat_map(|(oracle, check)| {
            let found = check.rested(run, rest).into_iter();
            found.map(|violation| violation.by(*oracle))
        });
        found.collect()
    }

    pub(super) fn ends(&self, run: &Run<'_>, end: &End<'_>) {
        let inner = self.lock();
        let checks = inner.checks.iter();
        let found = checks.flat_map(|(oracle, check)| {
            let found = check.ended(run, end).into_iter();
            found.map(|violation| violation.by(*oracle))
        });
        let found = found.collect();
        self.fail(inner, found);
    }

    /// Tells the oracles what has happened besides requests.
    pub(crate) fn notice(&self, moment: Moment<'_>) {
        let inner = self.lock();
        let notice = Notice(moment);
        let checks = inner.checks.iter();
        let found = checks.filter_map(|(oracle, check)| Some(check.noticed(&notice)?.by(*oracle)));
        let found = found.collect();
        self.fail(inner, found);
    }

    /// Records the first violation.
    pub(crate) fn fails(&self, found: Vec<Failure>) {
        self.fail(self.lock(), found);
    }

    fn fail(&self, mut inner: MutexGuard<'_, Inner>, found: Vec<Failure>) {
        if inner.failure.is_some() {
            return;
        }
        if let Some(first) = found.into_iter().next() {
            inner.failure = Some(first);
            self.ended.notify_one();
        }
    }

    /// The oracle that has found a violation.
    pub(crate) fn found(&self) -> Option<Oracle> {
        self.lock().failure.as_ref().map(|failure| failure.oracle)
    }

    /// What differs from the state that was expected.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        let inner = self.lock();
        let failure = inner.failure.as_ref();
        failure.map_or_else(Vec::new, |failure| failure.differences.clone())
    }

    pub(crate) fn take(&self) -> Option<Failure> {
        self.lock().failure.take()
    }

    /// Ends the run: the rest is known.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.ended.notify_one();
    }

    /// Whether the run has ended before the end of the workload.
    pub(super) fn has_ended(&self) -> bool {
        let inner = self.lock();
        !inner.probes && (inner.failure.is_some() || inner.stopped)
    }

    /// Begins or ends an experiment after a failure, of which the timeline shows nothing.
    pub(super) fn probe(&self, begins: bool) {
        self.lock().probes = begins;
    }

    /// Whether there is a failure to experiment with.
    pub(super) fn may_probe(&self) -> bool {
        let inner = self.lock();
        inner.failure.is_some() && !inner.stopped
    }

    /// Notes what an experiment has shown about the failure.
    pub(crate) fn note_probe(&self, shown: AfterRestart) {
        if let Some(failure) = &mut self.lock().failure {
            failure.after_restart = Some(shown);
        }
    }

    /// Notes what the experiment of this run has shown.
    pub(crate) fn note_experiment(&self, shown: Shown) {
        if let Some(failure) = &mut self.lock().failure {
            failure.shown = Some(shown);
        }
    }
}
