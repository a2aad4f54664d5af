//! The oracles of the user: each has a name, with which its violations begin.

use super::{
    check::{Answer, AtRest, Check, End, Run},
    violation::Violation,
};

pub(super) const DEMANDS: &str = "the oracle of the test finds nothing";

#[derive(Default)]
pub(super) struct Own {
    checks: Vec<(String, Box<dyn Check>)>,
}

fn named(name: &str, found: Vec<Violation>) -> Vec<Violation> {
    let named = found.into_iter().map(|violation| Violation {
        message: format!("{name}: {}", violation.message),
        ..violation
    });
    named.collect()
}

impl Check for Own {
    fn begins(&mut self, run: &Run<'_>) {
        let made = run.own.iter();
        self.checks = made.map(|(name, make)| (name.clone(), make())).collect();
        for (_, check) in &mut self.checks {
            check.begins(run);
        }
    }

    fn begins_phase(&mut self, run: &Run<'_>) {
        for (_, check) in &mut self.checks {
            check.begins_phase(run);
        }
    }

    fn changed(&mut self, run: &Run<'_>) {
        for (_, check) in &mut self.checks {
            check.changed(run);
        }
    }

    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let checks = self.checks.iter_mut();
        let found = checks.map(|(name, check)| named(name, check.answered(run, answer)));
        found.flatten().collect()
    }

    fn rested(&self, run: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let checks = self.checks.iter();
        let found = checks.map(|(name, check)| named(name, check.rested(run, rest)));
        found.flatten().collect()
    }

    fn ended(&self, run: &Run<'_>, end: &End<'_>) -> Vec<Violation> {
        let checks = self.checks.iter();
        let found = checks.map(|(name, check)| named(name, check.ended(run, end)));
        found.flatten().collect()
    }
}
