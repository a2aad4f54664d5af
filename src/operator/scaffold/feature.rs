//! The parts of an operator that `kube-codegen new` leaves out, and `kube-codegen add` adds.
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A part of an operator that it can do without on its first day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Feature {
    /// GitHub workflow that tests each push and each pull request
    Ci,
    /// Weekly pull requests for newer actions, base images and crates
    Dependabot,
    /// GitHub workflow that pushes the image of each tag, with an SBOM and a provenance
    Release,
    /// `make docs`, and a GitHub workflow that publishes the reference of your API
    Docs,
    /// GitHub workflow that comments on a pull request with what its change of the CRDs breaks
    ApiChanges,
    /// `make upgrade`: simulates the upgrade from your last release, and the rollback
    Upgrade,
    /// Viewer, editor and admin roles for the users of your kinds
    Roles,
    /// `PriorityClass` and `PodDisruptionBudget`: keep the operator running through evictions and drains
    Availability,
    /// Service of the metrics, a role to read them, and a `ServiceMonitor` for Prometheus
    Metrics,
    /// Grafana dashboard of the metrics
    Dashboard,
    /// `NetworkPolicy` that restricts who can connect to the operator
    NetworkPolicy,
    /// `make chart`: derives a Helm chart from the manifests
    Chart,
    /// `make bundle`: derives a bundle for OLM from the manifests
    Bundle,
}

impl Feature {
    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// Whether the feature is about kinds of CRDs.
    pub(crate) fn needs_crds(self) -> bool {
        matches!(self, Self::Docs | Self::ApiChanges | Self::Roles)
    }

    /// What to do once the operator has the feature.
    pub(crate) fn next(self) -> &'static str {
        match self {
            Self::Ci | Self::Dependabot | Self::ApiChanges => "commit and push .github",
            Self::Release => "push a tag such as v0.1.0 to publish an image",
            Self::Docs => "run make docs",
            Self::Upgrade => "run make upgrade once a tag names a release",
            Self::Roles | Self::Availability | Self::Metrics => "run make deploy",
            Self::Dashboard => "import deploy/dashboard.json into Grafana",
            Self::NetworkPolicy => "uncomment network-policy.yaml in deploy/kustomization.yaml",
            Self::Chart => "run make chart",
            Self::Bundle => "run make bundle",
        }
    }
}
