//! In: a test that needs a control plane. Out: the one all tests of its binary share, or one of its own; where there can be none, a skipped test, and loudly. Never a silent pass.

use std::{
    io::{self, Write as _},
    sync::Arc,
    thread,
};

use tokio::sync::OnceCell;

use crate::{
    ControlPlane, Error,
    assets::{Wanted, external},
};

static SHARED: OnceCell<Result<ControlPlane, Arc<Error>>> = OnceCell::const_new();

impl ControlPlane {
    /// The control plane that all tests of this process share; each takes a [`ControlPlane::namespace`] of its own there.
    /// `None` means that the test is to end: it has been reported as skipped.
    ///
    /// It must not be killed, paused or compacted; tests that do so take [`ControlPlane::for_test`].
    pub async fn shared() -> Result<Option<&'static Self>, Error> {
        if Wanted::from_env()? == Wanted::No {
            report("KUBE_CODEGEN_E2E=off");
            return Ok(None);
        }
        let plane = SHARED
            .get_or_init(|| async { Self::start().await.map_err(Arc::new) })
            .await;
        match plane {
            Ok(plane) => Ok(Some(plane)),
            Err(error) => match error.as_ref() {
                Error::Unavailable(reason) => skip(reason).map(|()| None),
                _ => Err(Error::Shared(Arc::clone(error))),
            },
        }
    }

    /// A control plane for this test alone, whose processes it may kill. `None` means that the test is to end: it has
    /// been reported as skipped, also because `KUBE_CODEGEN_E2E_KUBECONFIG` names somebody else's cluster.
    pub async fn for_test() -> Result<Option<Self>, Error> {
        if Wanted::from_env()? == Wanted::No {
            report("KUBE_CODEGEN_E2E=off");
            return Ok(None);
        }
        let plane = match external() {
            Some(_) => Err(Error::Unavailable(
                "the cluster of KUBE_CODEGEN_E2E_KUBECONFIG is not ours to break".to_owned(),
            )),
            None => Self::start().await,
        };
        match plane {
            Err(Error::Unavailable(reason)) => skip(&reason).map(|()| None),
            plane => plane.map(Some),
        }
    }
}

/// Reports that the running test is skipped, for a reason that the test alone knows, such as a control plane without
/// [controllers](ControlPlane::has_controllers). The test is to end then. Where `KUBE_CODEGEN_E2E` is `required` it is an [`Error::Unavailable`].
pub fn skip(reason: &str) -> Result<(), Error> {
    if Wanted::from_env()? == Wanted::Required {
        return Err(Error::Unavailable(reason.to_owned()));
    }
    report(reason);
    Ok(())
}

/// Past the test harness, which keeps what a passing test prints to itself.
fn report(reason: &str) {
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(
        io::stderr(),
        "SKIPPED {test}: {reason} (KUBE_CODEGEN_E2E=required turns this into a failure)"
    );
}
