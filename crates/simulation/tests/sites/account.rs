//! The account of a site: a Secret in another namespace, which a finalizer deletes.

use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client, ResourceExt as _,
    api::{DeleteParams, PostParams, Preconditions},
};
use kube_codegen_runtime::client::ErrorExt as _;

use crate::{bug::Bug, site::Site};

const ACCOUNTS: &str = "accounts";

/// Creates the account, a Secret in another namespace. Returns its name if it was generated.
pub(crate) async fn create(site: &Site, client: &Client, bug: Bug) -> kube::Result<Option<String>> {
    let api = Api::<Secret>::namespaced(client.clone(), ACCOUNTS);
    let mut secret = Secret::default();
    if bug == Bug::NotIdempotent {
        if let Some(account) = site
            .status
            .as_ref()
            .and_then(|status| status.account.clone())
        {
            return Ok(Some(account));
        }
        secret.metadata.generate_name = Some(format!("{}-", site.name_any()));
        let created = api.create(&PostParams::default(), &secret).await?;
        return Ok(Some(created.name_any()));
    }
    secret.metadata.name = Some(site.name_any());
    match api.create(&PostParams::default(), &secret).await {
        Err(error) if !error.is_already_exists() && bug != Bug::IgnoredError => Err(error),
        _ => Ok(None),
    }
}

/// Deletes an account; with `careful`, only the one that was read.
pub(crate) async fn delete(client: &Client, name: &str, careful: bool) -> kube::Result<()> {
    let api = Api::<Secret>::namespaced(client.clone(), ACCOUNTS);
    let mut params = DeleteParams::default();
    if careful {
        let Some(found) = api.get_opt(name).await? else {
            return Ok(());
        };
        params = params.preconditions(Preconditions {
            uid: found.uid(),
            resource_version: None,
        });
    }
    match api.delete(name, &params).await {
        Err(error) if error.is_not_found() => Ok(()),
        other => other.map(drop),
    }
}
