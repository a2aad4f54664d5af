//! Another API server of a control plane, on the same etcd.

use std::{path::Path, sync::Arc};

use kube::Client;

use crate::{
    access::Access, component::Component, error::Error, plane::ControlPlane, proxy::Proxy,
    reaper::Reaper,
};

/// Another API server of a control plane, with a watch cache of its own: it may be behind the first one, or answer while that one is
/// down. It ends with the control plane at the latest.
///
/// ```no_run
/// # use kube_codegen_testenv::{ControlPlane, Error};
/// # async fn fail_over(plane: &ControlPlane) -> Result<(), Error> {
/// let second = plane.second_api_server().await?;
/// plane.api_server()?.kill();
/// // ... the operator continues with `second.kubeconfig()` ...
/// # Ok(()) }
/// ```
pub struct SecondApiServer {
    component: Component,
    access: Access,
    reaper: Arc<Reaper>,
}

impl SecondApiServer {
    /// Returns a client with all rights, bound to the current async runtime.
    pub fn client(&self) -> Result<Client, Error> {
        Ok(Client::try_from(self.config().clone())?)
    }

    /// Returns the configuration of [`Self::client`].
    pub fn config(&self) -> &kube::Config {
        &self.access.config
    }

    /// Returns a kubeconfig with all rights.
    pub fn kubeconfig(&self) -> &Path {
        &self.access.kubeconfig
    }

    /// Returns its process.
    pub fn component(&self) -> &Component {
        &self.component
    }

    /// Starts an HTTPS proxy in front of it.
    pub async fn proxy(&self) -> Result<Proxy, Error> {
        Proxy::start(&self.access.config, &self.reaper).await
    }
}

impl ControlPlane {
    /// Starts another API server on the same etcd, with the same certificates, tokens and flags.
    ///
    /// # Errors
    /// If the control plane is an external cluster, or the API server does not start.
    pub async fn second_api_server(&self) -> Result<SecondApiServer, Error> {
        let (own, reaper) = self.own()?;
        let (component, config) = own.second_api_server(reaper).await?;
        Ok(SecondApiServer {
            component,
            access: Access::from_config(config, reaper)?,
            reaper: Arc::clone(reaper),
        })
    }
}
