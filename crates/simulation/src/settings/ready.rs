//! Makes the workloads of a simulation, when it begins.

use std::sync::Arc;

use super::{setup::Setup, simulation::Simulation, template::Template, upgrade};
use crate::{state::text, workload::Workload};

impl Simulation {
    /// Returns what all runs share, and the workloads.
    pub(crate) fn ready(mut self) -> (Arc<Setup>, Vec<Workload>) {
        assert!(
            self.setup.operator.is_some(),
            "a simulation needs an operator"
        );
        self.start_from_file();
        let workloads = self.workloads();
        assert!(
            !workloads.is_empty(),
            "a simulation needs a workload: the schema of no CRD gives an object that the server accepts; add a sample"
        );
        (Arc::new(self.setup), workloads)
    }

    fn workloads(&mut self) -> Vec<Workload> {
        if !self.workloads.is_empty() && self.samples.is_empty() {
            return self.workloads.clone();
        }
        if let Some(old) = self.old.take() {
            return upgrade::workloads(&old.templates());
        }
        self.setup.templates = self.templates();
        let templates = self.setup.templates.iter();
        let made = templates.flat_map(|template| template.workloads(self.most_workloads));
        self.workloads.iter().cloned().chain(made).collect()
    }

    /// Returns what workloads of each kind are made of. If the test has workloads of its own, only kinds with a sample have any.
    fn templates(&self) -> Vec<Template> {
        let made = async {
            let mut templates = Vec::new();
            for primary in &self.setup.primaries {
                let sample = self
                    .samples
                    .iter()
                    .find(|sample| text(sample, "/kind") == primary.kind);
                if sample.is_none() && !self.workloads.is_empty() {
                    continue;
                }
                let server = &self.setup.server;
                let template = primary.template(server, sample, self.objects, self.most_workloads);
                templates.extend(template.await);
            }
            templates
        };
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map(|runtime| runtime.block_on(made))
            .unwrap_or_default()
    }
}
