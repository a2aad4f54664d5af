//! Simulates the upgrade from the last release to this version, and the rollback: `make upgrade`.
use kube::CustomResourceExt;
use kube_codegen_runtime::manager::Manager;
use kube_codegen_simulation::Simulation;

/// Simulates one version. Where they differ in their kinds or in the arguments of `register`, write it twice.
macro_rules! simulation {
    ($version:ident) => {
        Simulation::new($version::REPORTER)
            .crd(&$version::generated::iksoon_test_com::v1::CrdKind::crd())
            .operator(|client| async move {
                let mut manager = Manager::builder(client, $version::REPORTER).build()?;
                $version::register(&mut manager);
                manager.run(std::future::pending()).await
            })
    };
}

#[test]
fn each_version_takes_over_what_the_other_one_has_left() {
    Simulation::upgrade(simulation!(before), simulation!(now)).run();
}
