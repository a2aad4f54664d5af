//! Smaller workloads, for the report of a failure.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Moved, Phase, Step, Workload};
use crate::{schedule::Cut, state::text};

impl Step {
    /// Returns the path of the object that the step concerns.
    fn target(&self) -> Option<String> {
        match self {
            Self::Create { collection, object } => {
                Some(format!("{collection}/{}", text(object, "/metadata/name")))
            }
            Self::Patch { path, .. }
            | Self::Delete { path }
            | Self::Mark { path, .. }
            | Self::Unmark { path, .. } => Some(path.clone()),
            _ => None,
        }
    }

    /// Returns what the step writes.
    fn body(&mut self) -> Option<&mut Value> {
        match self {
            Self::Create { object, .. } => Some(object),
            Self::Patch { patch, .. } => Some(patch),
            _ => None,
        }
    }
}

impl Workload {
    /// Returns what may be left out, with the most first. Without a phase, later ones have other specs than they say.
    pub(crate) fn cuts(&self, phases: bool) -> Vec<Cut> {
        let steps = || self.phases.iter().flat_map(|phase| &phase.steps);
        let objects: BTreeSet<_> = steps().filter_map(Step::target).collect();
        let numbers = (0..self.phases.len()).rev().filter(|_| phases);
        let mut cuts: Vec<_> = objects.into_iter().map(Cut::Object).collect();
        cuts.extend(numbers.map(Cut::Phase));
        for step in steps() {
            let (Step::Create { object, .. }, Some(path)) = (step, step.target()) else {
                continue;
            };
            for section in ["spec", "data"] {
                let fields = object.get(section).and_then(Value::as_object);
                let names = fields.into_iter().flat_map(|fields| fields.keys());
                for name in names.filter(|name| !name.contains(['/', '~'])) {
                    let cut = Cut::Field(path.clone(), format!("/{section}/{name}"));
                    if !cuts.contains(&cut) {
                        cuts.push(cut);
                    }
                }
            }
        }
        cuts
    }

    /// Returns the workload without some of its parts.
    pub(crate) fn reduced(&self, cuts: &[Cut]) -> Self {
        let mut workload = self.clone();
        for cut in cuts {
            match cut {
                Cut::Object(path) => {
                    for phase in &mut workload.phases {
                        let steps = &mut phase.steps;
                        steps.retain(|step| step.target().as_ref() != Some(path));
                    }
                    workload.forget_numbers();
                }
                Cut::Phase(index) => {
                    for phase in workload.phases.iter_mut().skip(*index) {
                        phase.same_as = None;
                        phase.as_many_as = None;
                        phase.moved_from = None;
                    }
                    if let Some(phase) = workload.phases.get_mut(*index) {
                        phase.steps.clear();
                        phase.empty = false;
                    }
                }
                Cut::Field(path, pointer) => {
                    for phase in &mut workload.phases {
                        phase.leave_out(path, pointer);
                    }
                }
            }
        }
        workload
    }

    /// Forgets which phases have as many objects, where one of them has lost some.
    fn forget_numbers(&mut self) {
        let created = |phase: &Phase| -> Vec<(String, String)> {
            let steps = phase.steps.iter().filter_map(|step| match step {
                Step::Create { object, .. } => Some(object),
                _ => None,
            });
            let place = |it: &Value| {
                ["/metadata/namespace", "/metadata/name"].map(|at| text(it, at).to_owned())
            };
            steps.map(|it| place(it).into()).collect()
        };
        let created: Vec<_> = self.phases.iter().map(created).collect();
        for (index, phase) in self.phases.iter_mut().enumerate() {
            let is_as_many = |of: &usize| created[*of].len() == created[index].len();
            phase.as_many_as = phase.as_many_as.filter(is_as_many);
            let is_there = |it: &Moved| {
                let mut before = created[it.phase]
                    .iter()
                    .filter(|(place, _)| place == it.from);
                let place = |name: &String| (it.to.to_owned(), name.clone());
                before.all(|(_, name)| created.iter().flatten().any(|new| *new == place(name)))
            };
            phase.moved_from = phase.moved_from.filter(is_there);
        }
    }

    /// Whether users do nothing.
    pub(crate) fn is_idle(&self) -> bool {
        self.phases.iter().all(|phase| phase.steps.is_empty())
    }
}

impl Phase {
    fn leave_out(&mut self, path: &str, pointer: &str) {
        let Some((section, field)) = pointer.trim_start_matches('/').split_once('/') else {
            return;
        };
        self.steps.retain_mut(|step| {
            let is_other = step.target().as_deref() != Some(path);
            let is_patch = matches!(step, Step::Patch { .. });
            let Some(body) = step.body().filter(|_| !is_other) else {
                return true;
            };
            let Some(fields) = body.get_mut(section).and_then(Value::as_object_mut) else {
                return true;
            };
            fields.remove(field);
            let is_done = is_patch && fields.is_empty();
            !is_done
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_phases_and_fields_are_left_out() {
        let map =
            |name: &str| json!({"metadata": {"name": name}, "data": {"one": "1", "two": "2"}});
        let workload = Workload::new("two maps")
            .create("/maps", map("a"))
            .create("/maps", map("b"))
            .phase("change")
            .patch("/maps/a", json!({"data": {"one": "3"}}))
            .phase("back")
            .same_as("create")
            .patch("/maps/a", json!({"data": {"one": "1"}}));
        let shown = |cuts: &[Cut]| {
            let phases = workload.reduced(cuts).phases;
            let steps = phases.iter().flat_map(|phase| &phase.steps);
            steps.map(Step::describe).collect::<Vec<_>>()
        };
        assert_eq!(shown(&[Cut::Object("/maps/a".into())]), ["creates /maps/b"]);
        assert_eq!(shown(&[Cut::Phase(1)]).len(), 3);
        assert_eq!(workload.reduced(&[Cut::Phase(1)]).phases[2].same_as, None);
        let field = Cut::Field("/maps/a".into(), "/data/one".into());
        assert_eq!(shown(&[field]), ["creates /maps/a", "creates /maps/b"]);
        assert_eq!(workload.cuts(true).len(), 2 + 3 + 4);
    }

    #[test]
    fn numbers_are_compared_where_as_many_objects_are_left() {
        let map = |name: &str| json!({"metadata": {"name": name}});
        let workload = Workload::new("other names")
            .create("/namespaces/one/maps", map("a"))
            .create("/namespaces/one/maps", map("b"))
            .phase("other names")
            .create("/namespaces/one/maps", map("x"))
            .create("/namespaces/one/maps", map("y"))
            .numbered_as("create")
            .phase("elsewhere")
            .create("/namespaces/two/maps", map("a"))
            .create("/namespaces/two/maps", map("b"))
            .moved_from("create", "one", "two");
        let left = |names: &[&str]| {
            let cut = |name: &&str| Cut::Object(format!("/namespaces/{name}"));
            let phases = workload
                .reduced(&names.iter().map(cut).collect::<Vec<_>>())
                .phases;
            (
                phases[1].as_many_as.is_some(),
                phases[2].moved_from.is_some(),
            )
        };
        assert_eq!(left(&[]), (true, true));
        assert_eq!(left(&["one/maps/x"]), (false, true));
        assert_eq!(left(&["two/maps/a"]), (true, false));
    }
}
