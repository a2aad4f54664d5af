//! A namespace with a running operator, and assertions on the children there.

use std::{path::Path, process::Command, time::Duration};

use crdkind_operator::generated::iksoon_test_com::v1::{CrdKind, CrdKindSpec};
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::Deployment,
        core::v1::{Pod, Service},
        events::v1::Event,
    },
};
use kube::{
    Api, ResourceExt as _,
    api::{ListParams, ObjectMeta},
};
use kube_codegen_runtime::{Object, client::TypedClient};
use kube_codegen_testenv::{ControlPlane, Error, Namespace, Process, eventually, skip};
use tokio::sync::OnceCell;

/// Limit of what the operator and the API server do; enough for a loaded machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(90);

/// Limit of what Kubernetes' own controllers do. After an outage, client-go's informers connect again after up to 60 s. The ReplicaSet controller
/// does nothing while its caches lack its own writes (KEP-5647), with a back-off that grows meanwhile, and may wait five minutes for the
/// events of Pods that it has created (`ExpectationsTimeout`).
pub(crate) const ROLLOUT: Duration = Duration::from_secs(420);

const NO_CONTROLLERS: &str = "without controllers, Deployments get no Pods";

/// Applies what an administrator applies: the CRD, and the operator's account with its permissions.
async fn install(plane: &ControlPlane) -> Result<(), Error> {
    let manifests = [
        include_str!("../../../deploy/crd.yaml"),
        include_str!("../../../deploy/rbac.yaml"),
    ];
    plane.install(&manifests).await
}

/// Returns the control plane that all tests share, with everything installed. It may run no controllers.
pub(crate) async fn server() -> Result<Option<&'static ControlPlane>, Error> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(None);
    };
    INSTALLED.get_or_try_init(|| install(plane)).await?;
    Ok(Some(plane))
}

/// Like [`server`], with controllers. Reports the skip if there are none.
pub(crate) async fn shared() -> Result<Option<&'static ControlPlane>, Error> {
    let plane = server().await?;
    if plane.is_some_and(|plane| !plane.has_controllers()) {
        skip(NO_CONTROLLERS)?;
        return Ok(None);
    }
    Ok(plane)
}

/// Starts a control plane for one test, with controllers and everything installed.
pub(crate) async fn own() -> Result<Option<ControlPlane>, Error> {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(None);
    };
    if !plane.has_controllers() {
        skip(NO_CONTROLLERS)?;
        return Ok(None);
    }
    install(&plane).await?;
    Ok(Some(plane))
}

/// Starts the operator with `kubeconfig` and further flags.
pub(crate) fn operator(
    plane: &ControlPlane,
    kubeconfig: &Path,
    flags: &[&str],
) -> Result<Process, Error> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkind-operator"));
    command
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .arg("--health-probe-bind-address=0")
        .args(flags);
    // One log per operator, so that a failed test shows its own.
    plane.spawn(
        &format!("operator-{}", flags.last().unwrap_or(&"all")),
        command,
    )
}

/// The namespace of one test.
pub(crate) struct Stage<'p> {
    pub(crate) plane: &'p ControlPlane,
    pub(crate) namespace: Namespace,
    pub(crate) kinds: TypedClient<CrdKind>,
    pub(crate) deployments: Api<Deployment>,
    pub(crate) services: Api<Service>,
}

impl<'p> Stage<'p> {
    pub(crate) async fn new(plane: &'p ControlPlane, prefix: &str) -> Result<Self, Error> {
        let namespace = plane.namespace(prefix).await?;
        let client = plane.client()?;
        Ok(Self {
            plane,
            kinds: TypedClient::namespaced(client.clone(), namespace.name()),
            deployments: Api::namespaced(client.clone(), namespace.name()),
            services: Api::namespaced(client, namespace.name()),
            namespace,
        })
    }

    /// Starts the operator for this namespace, under its own account.
    pub(crate) async fn operator(&self) -> Result<Process, Error> {
        self.operator_with(&[]).await
    }

    /// Like [`operator`](Self::operator), with further flags.
    pub(crate) async fn operator_with(&self, flags: &[&str]) -> Result<Process, Error> {
        let kubeconfig = self
            .plane
            .kubeconfig_for("crdkind-operator", "crdkind-operator")
            .await?;
        operator(
            self.plane,
            &kubeconfig,
            &[flags, &["--namespace", self.namespace.name()]].concat(),
        )
    }

    pub(crate) async fn create(
        &self,
        name: &str,
        choice: Option<&str>,
        replicas: Option<i64>,
    ) -> Result<CrdKind, Error> {
        Ok(self.kinds.create(&crd_kind(name, choice, replicas)).await?)
    }

    pub(crate) async fn change(
        &self,
        name: &str,
        change: impl Fn(&mut CrdKindSpec),
    ) -> Result<(), Error> {
        self.kinds
            .modify(name, |kind| change(kind.spec.get_or_insert_default()))
            .await?;
        Ok(())
    }

    /// Returns the children of the object of that name.
    pub(crate) async fn children<K>(&self, name: &str) -> kube::Result<Vec<K>>
    where
        K: Object<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        let owner = self.kinds.get(name).await?.metadata.uid;
        let all: Api<K> = Api::namespaced(
            self.plane
                .client()
                .map_err(|e| kube::Error::Service(Box::new(e)))?,
            self.namespace.name(),
        );
        let owned = |object: &K| {
            object.owner_references().iter().any(|reference| {
                Some(&reference.uid) == owner.as_ref() && reference.controller == Some(true)
            })
        };
        Ok(all
            .list(&ListParams::default())
            .await?
            .items
            .into_iter()
            .filter(owned)
            .collect())
    }

    /// Waits until the object has exactly the desired children, and then until Kubernetes has rolled them out.
    pub(crate) async fn settled(
        &self,
        name: &str,
        image: &str,
        replicas: i32,
    ) -> Result<(Deployment, Service), Error> {
        eventually(
            &format!("{name}: {replicas} of {image}"),
            WITHIN,
            async || self.children_are(name, image, replicas).await,
        )
        .await?;
        eventually(
            &format!("the rollout of {name}: {replicas} of {image}"),
            ROLLOUT,
            async || {
                let (deployment, service) = self.children_are(name, image, replicas).await?;
                let status = deployment.status.clone().unwrap_or_default();
                let generation = deployment.metadata.generation;
                let counts = [
                    status.replicas,
                    status.updated_replicas,
                    status.available_replicas,
                ];
                if status.observed_generation >= generation && counts == [Some(replicas); 3] {
                    Ok((deployment, service))
                } else {
                    Err(format!("generation {generation:?}: {status:?}"))
                }
            },
        )
        .await
    }

    /// Returns the children if they are as the operator must have made them, else what is missing.
    async fn children_are(
        &self,
        name: &str,
        image: &str,
        replicas: i32,
    ) -> Result<(Deployment, Service), String> {
        let deployments: Vec<Deployment> = self.children(name).await.map_err(|e| e.to_string())?;
        let services: Vec<Service> = self.children(name).await.map_err(|e| e.to_string())?;
        let ([deployment], [service]) = (&deployments[..], &services[..]) else {
            return Err(format!(
                "{} Deployments, {} Services",
                deployments.len(),
                services.len()
            ));
        };
        let spec = deployment.spec.clone().unwrap_or_default();
        let images: Vec<_> = spec
            .template
            .spec
            .iter()
            .flat_map(|pod| &pod.containers)
            .filter_map(|c| c.image.clone())
            .collect();
        let labels = spec
            .template
            .metadata
            .and_then(|meta| meta.labels)
            .unwrap_or_default();
        let exposed = service.spec.clone().unwrap_or_default();
        let selector = exposed.selector.unwrap_or_default();
        let ports = exposed.ports.unwrap_or_default();
        let facts = [
            ("image", images.len() == 1 && images[0].contains(image)),
            ("spec.replicas", spec.replicas == Some(replicas)),
            (
                "NodePort",
                exposed.type_.as_deref() == Some("NodePort")
                    && ports
                        .iter()
                        .any(|port| port.node_port.is_some_and(|port| port > 0)),
            ),
            (
                "selector",
                !selector.is_empty()
                    && selector
                        .iter()
                        .all(|(key, value)| labels.get(key) == Some(value)),
            ),
        ];
        let missing: Vec<_> = facts
            .iter()
            .filter(|(_, holds)| !holds)
            .map(|(what, _)| *what)
            .collect();
        if missing.is_empty() {
            Ok((deployment.clone(), service.clone()))
        } else {
            Err(format!("not yet: {missing:?}; images {images:?}"))
        }
    }

    /// Returns the running Pods.
    pub(crate) async fn running(&self) -> Result<Vec<Pod>, Error> {
        let pods: Api<Pod> = Api::namespaced(self.plane.client()?, self.namespace.name());
        Ok(pods
            .list(&ListParams::default().fields("status.phase=Running"))
            .await?
            .items)
    }

    /// Waits for an event of that type about the object.
    pub(crate) async fn event(&self, name: &str, type_: &str) -> Result<Event, Error> {
        let events: Api<Event> = Api::namespaced(self.plane.client()?, self.namespace.name());
        eventually(&format!("{type_} event about {name}"), WITHIN, async || {
            let seen = events
                .list(&ListParams::default())
                .await
                .map_err(|e| e.to_string())?
                .items;
            let about = |event: &&Event| {
                let object = event.regarding.as_ref();
                object.is_some_and(|object| {
                    object.kind.as_deref() == Some("CrdKind")
                        && object.name.as_deref() == Some(name)
                })
            };
            let found = seen
                .iter()
                .filter(about)
                .find(|event| event.type_.as_deref() == Some(type_));
            found.cloned().ok_or_else(|| {
                format!(
                    "{:?}",
                    seen.iter()
                        .map(|event| (&event.type_, &event.reason, &event.note))
                        .collect::<Vec<_>>()
                )
            })
        })
        .await
    }
}

pub(crate) fn crd_kind(name: &str, choice: Option<&str>, replicas: Option<i64>) -> CrdKind {
    CrdKind {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(CrdKindSpec {
            choice: choice.map(str::to_owned),
            replicas,
        }),
    }
}
