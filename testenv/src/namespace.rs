//! In: a namespace made for one test. Out: its name. Never a namespace left behind in somebody else's cluster.

use std::{fmt, thread};

use k8s_openapi::api::core::v1::Namespace as CoreNamespace;
use kube::{Api, Client, api::DeleteParams};
use tokio::runtime;

/// A namespace of its own for a test. It vanishes with the control plane; from a cluster that is not ours it is deleted on drop.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    foreign: Option<kube::Config>,
}

impl Namespace {
    pub(crate) fn new(name: String, foreign: Option<kube::Config>) -> Self {
        Self { name, foreign }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let Some(config) = self.foreign.take() else {
            return;
        };
        let name = std::mem::take(&mut self.name);
        let delete = move || -> Result<(), Box<dyn std::error::Error>> {
            runtime::Builder::new_current_thread()
                .enable_all()
                .build()?
                .block_on(async {
                    let namespaces: Api<CoreNamespace> = Api::all(Client::try_from(config)?);
                    namespaces
                        .delete(&name, &DeleteParams::background())
                        .await?;
                    Ok(())
                })
        };
        // The test's own runtime may be on its way out, and must not be blocked within itself.
        let done = thread::spawn(move || delete().map_err(|e| e.to_string())).join();
        if let Ok(Err(error)) = done {
            eprintln!("namespace left behind: {error}");
        }
    }
}
