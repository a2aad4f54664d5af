//! Oracles of a test: each run has its own, and a violation names the one that has found it.

use kube_codegen_simulation::{Answer, AtRest, Budget, Check, Oracle, Run, Verb, Violation};

use super::world;

/// The operator writes each object once in a phase.
#[derive(Default)]
struct Writes {
    seen: Vec<String>,
    most: usize,
}

impl Check for Writes {
    fn begins_phase(&mut self, _: &Run<'_>) {
        self.seen.clear();
    }

    fn answered(&mut self, run: &Run<'_>, answer: &Answer<'_>) -> Vec<Violation> {
        let point = answer.point();
        if point.verb != Verb::Patch || !answer.has_effect() {
            return Vec::new();
        }
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.object()["metadata"]["labels"]["text"], "one");
        self.seen.push(point.place.clone());
        let times = self.seen.iter().filter(|it| **it == point.place).count();
        if times > self.most {
            let phase = run.phase();
            return vec![Violation::new(format!(
                "{} was written {times} times in phase {phase}",
                point.place
            ))];
        }
        Vec::new()
    }
}

/// There is a label at rest, as without faults.
struct Labels;

impl Check for Labels {
    fn rested(&self, _: &Run<'_>, rest: &AtRest<'_>) -> Vec<Violation> {
        let label = |objects: &std::collections::BTreeMap<String, serde_json::Value>| {
            let map = objects.get("ConfigMap default/a");
            map.map(|it| it["metadata"]["labels"].clone())
        };
        let calm = rest.objects_without_faults().map(label);
        let now = label(rest.objects());
        if calm.is_some_and(|calm| calm != now) {
            return vec![Violation::new(format!(
                "another label {}",
                rest.phase_name()
            ))];
        }
        Vec::new()
    }
}

fn budgeted(swallow: bool) -> kube_codegen_simulation::Simulation {
    world(swallow, &["a"]).budget(Budget::Schedules(60))
}

#[test]
fn an_oracle_of_the_test_finds_what_it_looks_for() {
    let never = budgeted(false).oracle("writes", || Writes {
        most: 0,
        ..Writes::default()
    });
    let found = never.explore().unwrap_err();
    assert_eq!(found.oracle, Oracle::Own);
    assert_eq!(
        found.message,
        "writes: default/a was written 1 times in phase 0"
    );
    // It looks at each phase of each run anew.
    let once = budgeted(false).oracle("writes", || Writes {
        most: 1,
        ..Writes::default()
    });
    assert!(once.explore().is_ok());
}

#[test]
fn an_oracle_of_the_test_compares_with_the_run_without_faults() {
    let simulation = |without: &[Oracle]| {
        let simulation = budgeted(true).oracle("labels", || Labels);
        let without = without.iter();
        without.fold(simulation, |it, oracle| it.without(*oracle))
    };
    // What the test says comes after what is built in.
    let found = simulation(&[]).explore().unwrap_err();
    assert_eq!(found.oracle, Oracle::EndState, "{}", found.message);
    let built_in = [Oracle::EndState, Oracle::Counts];
    let found = simulation(&built_in).explore().unwrap_err();
    assert_eq!(found.oracle, Oracle::Own, "{}", found.message);
    assert!(found.message.starts_with("labels: "), "{}", found.message);
    let none = [Oracle::EndState, Oracle::Counts, Oracle::Own];
    assert!(simulation(&none).explore().is_ok());
}
