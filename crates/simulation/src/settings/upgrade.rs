//! Two versions of an operator: the new one takes over what the old one has left, and the other way round.

use super::{setup::Former, simulation::Simulation, template::Template};
use crate::workload::{Turn, Version, Workload};

impl Simulation {
    /// Simulates an upgrade from one version of the operator to the next, and a rollback. The old version creates the objects, in its
    /// version of the API, and the new version takes over, both at rest and in the middle of the old version's work.
    ///
    /// `old` and `new` each set the operator, CRDs and samples; all other settings come from `new`. If the CRDs have a conversion webhook,
    /// register it with [`Simulation::prepare`] of `new`.
    ///
    /// A rollback keeps the CRDs of the new version, as Helm and `kubectl` do. The children must equal those that the running version
    /// creates for new objects, and nothing may be left after all objects are deleted.
    ///
    /// ```no_run
    /// # use kube_codegen_simulation::Simulation;
    /// # mod v1 { pub async fn operator(_: kube::Client) {} }
    /// # async fn operator(_: kube::Client) {}
    /// # let (crd, old_crd) = (serde_json::json!({}), serde_json::json!({}));
    /// let old = Simulation::new("widgets").crd(&old_crd).operator(v1::operator);
    /// let new = Simulation::new("widgets").crd(&crd).operator(operator);
    /// Simulation::upgrade(old, new).run();
    /// ```
    ///
    /// # Panics
    /// If the old simulation has no operator.
    #[expect(clippy::panic, reason = "a test fails by a panic")]
    pub fn upgrade(old: Self, mut new: Self) -> Self {
        let Some(operator) = old.setup.operator.clone() else {
            panic!("an upgrade needs the operator of the old version");
        };
        new.setup.former = Some(Former {
            operator,
            crds: old.setup.crds.clone(),
        });
        new.old = Some(Box::new(old));
        new
    }
}

/// Returns the workloads of an upgrade.
pub(super) fn workloads(templates: &[Template]) -> Vec<Workload> {
    templates
        .iter()
        .filter(|template| template.is_valid)
        .map(workload)
        .collect()
}

/// What the versions make of new objects is seen first; then each takes over what the other one has left.
fn workload(template: &Template) -> Workload {
    let becomes = |workload: Workload, version| workload.turn(Turn::Version(version));
    let (old, new) = (Version::Old, Version::New);
    let name = format!("{}: an upgrade", template.primary.plural);
    let workload = template.create(Workload::new(&name)).phase("change");
    let workload = template.change(workload, true).phase("delete");
    let workload = template
        .delete(workload)
        .phase("create under the old version");
    let workload = template.create(becomes(workload.turn(Turn::Crds(old)), old));
    // As Helm does it: the CRDs first, and a rollback leaves them.
    let workload = workload.phase("upgrade").turn(Turn::Crds(new));
    let workload = becomes(workload, new)
        .same_as("create")
        .phase("change under the new version");
    let workload = template
        .change(workload, true)
        .same_as("change")
        .phase("change back under the new version");
    let workload = template
        .change(workload, false)
        .same_as("create")
        .phase("rollback");
    let workload = becomes(workload, old)
        .same_as("create under the old version")
        .phase("change under the old version");
    let workload = template
        .change(workload, true)
        .phase("upgrade after the change");
    let workload = becomes(workload, new)
        .same_as("change")
        .phase("change back");
    let workload = template
        .change(workload, false)
        .same_as("create")
        .phase("delete while the old version runs");
    template.delete(becomes(workload, old))
}
