//! Gives a test the shared control plane or one of its own, or reports the test as skipped.

use std::{
    io::{self, Write as _},
    sync::Arc,
    thread,
};

use tokio::sync::OnceCell;

use crate::{
    ControlPlane, Error,
    assets::{Mode, external},
};

static SHARED: OnceCell<Result<ControlPlane, Arc<Error>>> = OnceCell::const_new();

impl ControlPlane {
    /// Returns the control plane that all tests of this process share; each test uses its own [`ControlPlane::namespace`].
    /// On `None` the test must return: it has been reported as skipped.
    ///
    /// Tests that kill, pause or compact it must use [`ControlPlane::for_test`] instead.
    pub async fn shared() -> Result<Option<&'static Self>, Error> {
        if Mode::from_env()? == Mode::Off {
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

    /// Starts a control plane for this test alone, whose processes the test may kill. On `None` the test must return: it has
    /// been reported as skipped, for example because `KUBE_CODEGEN_E2E_KUBECONFIG` is set.
    pub async fn for_test() -> Result<Option<Self>, Error> {
        if Mode::from_env()? == Mode::Off {
            report("KUBE_CODEGEN_E2E=off");
            return Ok(None);
        }
        let plane = match external() {
            Some(_) => Err(Error::Unavailable(
                "the test would break the cluster of KUBE_CODEGEN_E2E_KUBECONFIG".to_owned(),
            )),
            None => Self::start().await,
        };
        match plane {
            Err(Error::Unavailable(reason)) => skip(&reason).map(|()| None),
            plane => plane.map(Some),
        }
    }
}

/// Reports the running test as skipped, for example because the control plane has no
/// [controllers](ControlPlane::has_controllers). The test must return then.
///
/// # Errors
/// [`Error::Unavailable`] if `KUBE_CODEGEN_E2E` is `required`.
pub fn skip(reason: &str) -> Result<(), Error> {
    if Mode::from_env()? == Mode::Required {
        return Err(Error::Unavailable(reason.to_owned()));
    }
    report(reason);
    Ok(())
}

/// Prints to standard error; `eprintln!` is captured by the test harness.
fn report(reason: &str) {
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(
        io::stderr(),
        "SKIPPED {test}: {reason} (KUBE_CODEGEN_E2E=required turns this into a failure)"
    );
}
