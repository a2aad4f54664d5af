//! Makes kubeconfigs and clients for the administrator and for service accounts.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use k8s_openapi::api::{
    authentication::v1::{TokenRequest, TokenRequestSpec},
    core::v1::ServiceAccount,
};
use kube::{Api, Client, api::PostParams, config::Kubeconfig};
use serde_json::Value;

use crate::{
    error::Error,
    kubeconfig::{secret, with_token, write},
    reaper::Reaper,
};

/// Access to one API server address.
pub(crate) struct Access {
    pub(crate) config: kube::Config,
    pub(crate) kubeconfig: PathBuf,
    reaper: Arc<Reaper>,
}

impl Access {
    /// Uses the token of `config` for the administrator.
    pub(crate) fn from_config(config: kube::Config, reaper: &Arc<Reaper>) -> Result<Self, Error> {
        let user = serde_json::to_value(&config.auth_info)
            .map_err(|e| Error::io("kubeconfig")(e.into()))?;
        let token = user["token"].as_str().unwrap_or_default().to_owned();
        let kubeconfig = write(path(reaper), &config, &token, &config.default_namespace)?;
        Ok(Self {
            config,
            kubeconfig,
            reaper: Arc::clone(reaper),
        })
    }

    /// Uses the credentials of an existing kubeconfig for the administrator.
    pub(crate) fn from_kubeconfig(
        config: kube::Config,
        kubeconfig: &Kubeconfig,
        reaper: &Arc<Reaper>,
    ) -> Result<Self, Error> {
        let text = serde_json::to_value(kubeconfig)
            .map(without_nulls)
            .map_err(|e| Error::io("kubeconfig")(e.into()))?;
        let path = path(reaper);
        secret(&path, &text.to_string())?;
        Ok(Self {
            config,
            kubeconfig: path,
            reaper: Arc::clone(reaper),
        })
    }

    pub(crate) async fn kubeconfig_for(
        &self,
        admin: &Client,
        namespace: &str,
        account: &str,
    ) -> Result<PathBuf, Error> {
        let token = token(admin, namespace, account).await?;
        write(path(&self.reaper), &self.config, &token, namespace)
    }

    pub(crate) async fn client_for(
        &self,
        admin: &Client,
        namespace: &str,
        account: &str,
    ) -> Result<Client, Error> {
        let token = token(admin, namespace, account).await?;
        let mut config = with_token(&self.config, &token)?;
        namespace.clone_into(&mut config.default_namespace);
        Ok(Client::try_from(config)?)
    }
}

/// Returns a new path for a kubeconfig.
fn path(reaper: &Reaper) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    reaper.folder().join(format!(
        "kubeconfig-{}",
        COUNT.fetch_add(1, Ordering::Relaxed)
    ))
}

async fn token(admin: &Client, namespace: &str, account: &str) -> Result<String, Error> {
    let accounts: Api<ServiceAccount> = Api::namespaced(admin.clone(), namespace);
    let spec = TokenRequestSpec {
        expiration_seconds: Some(24 * 60 * 60),
        ..TokenRequestSpec::default()
    };
    let request = TokenRequest {
        spec,
        ..TokenRequest::default()
    };
    let created = accounts
        .create_token_request(account, &PostParams::default(), &request)
        .await?;
    Ok(created
        .status
        .map(|status| status.token)
        .unwrap_or_default())
}

/// Removes nulls, which other programs do not take as absent.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, v)| !v.is_null())
            .map(|(k, v)| (k, without_nulls(v)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
