//! Reconciles `Secret` objects.
use std::{collections::BTreeSet, sync::Arc};

use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    Client, ResourceExt,
    api::{DeleteParams, Preconditions},
};
use kube_codegen_runtime::{
    client::{ErrorExt, TypedClient},
    controller::{Action, predicate::resource_version_changed},
    event::{Event, EventRecorder, EventType},
    informer::{InformerEvent, ObjectKey},
    lister::Lister,
    manager::Manager,
};

use crate::{
    copies::{TYPE, copy, correct, forget_others, has_type, must_be_replaced, source_of},
    settings::Settings,
};

/// The index of copies by their source.
const COPIES: &str = "copies";

/// The context passed to `reconcile`.
#[derive(Clone)]
pub struct Context {
    /// Client of the API server.
    pub client: Client,
    /// Records events about objects.
    pub recorder: EventRecorder,
    /// The cached Secrets.
    pub lister: Lister<Secret>,
    /// The cached namespaces.
    pub namespaces: Lister<Namespace>,
    /// The flags.
    pub settings: Settings,
}

/// Why a reconcile failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server rejected a request or could not be reached.
    #[error(transparent)]
    Api(#[from] kube::Error),
}

/// Adds the controller of the kind to `manager`.
pub fn register(manager: &mut Manager, settings: Settings) {
    let secrets = manager.factory().informer::<Secret>();
    let namespaces = manager.factory().informer::<Namespace>();
    let transform = forget_others(settings.source_namespace.clone());
    if let Err(error) = secrets.set_transform(transform) {
        tracing::warn!("the cache has whole Secrets: {error}");
    }
    let source = |secret: &Secret| source_of(secret).map(str::to_owned).into_iter().collect();
    if let Err(error) = secrets.add_index(COPIES, source) {
        tracing::warn!("the index of copies is not new: {error}");
    }
    let context = Context {
        client: manager.client(),
        recorder: manager.recorder(),
        lister: secrets.lister(),
        namespaces: namespaces.lister(),
        settings,
    };
    // Handlers of an informer do not keep it running.
    let cached = Context {
        lister: context.lister.detached(),
        namespaces: context.namespaces.detached(),
        ..context.clone()
    };
    let (primary, others) = (cached.clone(), cached.clone());
    manager
        .reconcile::<Secret>()
        .filter(move |event| primary.concerns(event))
        .watches(&secrets, move |secret| others.source_key(secret))
        .watches(&namespaces, move |_| cached.source_keys())
        .run_keyed(reconcile, context);
}

impl Context {
    /// Whether an event enqueues the Secret itself: a Secret to copy, or one that is skipped, of which the log has a line.
    fn concerns(&self, event: &InformerEvent<Secret>) -> bool {
        let (InformerEvent::Added { object, .. }
        | InformerEvent::Updated { new: object, .. }
        | InformerEvent::Deleted(kube_codegen_runtime::informer::Deleted { object, .. })) = event;
        let is_skipped = || has_type(object) && source_of(object).is_none();
        object.namespace().as_ref() == Some(&self.settings.source_namespace)
            || resource_version_changed(event) && is_skipped()
    }

    /// Returns the key of the Secret to copy that a Secret of another namespace concerns: as its copy, or because it has its name.
    fn source_key(&self, secret: &Secret) -> Vec<ObjectKey> {
        let namespace = &self.settings.source_namespace;
        let key = ObjectKey::namespaced(namespace, secret.name_any());
        let is_of_source = || {
            let source = self.lister.namespaced(namespace).get(&key.name);
            source_of(secret) == Some(&key.to_string()) || source.is_ok()
        };
        let is_elsewhere = secret.namespace().as_ref() != Some(namespace);
        (is_elsewhere && is_of_source())
            .then_some(key)
            .into_iter()
            .collect()
    }

    /// Returns the keys of all Secrets to copy.
    fn source_keys(&self) -> Vec<ObjectKey> {
        let secrets = self.lister.namespaced(&self.settings.source_namespace);
        let secrets = secrets.all().into_iter();
        secrets.map(|secret| ObjectKey::of(&*secret)).collect()
    }

    /// Returns the namespaces that get copies.
    fn targets(&self) -> BTreeSet<String> {
        let namespaces = self.namespaces.all().into_iter();
        let Settings {
            source_namespace,
            exclude,
        } = &self.settings;
        namespaces
            // Nothing can be created in a namespace that is being deleted.
            .filter(|namespace| namespace.metadata.deletion_timestamp.is_none())
            .map(|namespace| namespace.name_any())
            .filter(|name| name != source_namespace && !exclude.contains(name))
            .collect()
    }

    fn secrets(&self, namespace: &str) -> TypedClient<Secret> {
        TypedClient::namespaced(self.client.clone(), namespace)
    }

    /// Creates or corrects a copy. Returns whether that was necessary.
    async fn ensure(&self, source: &Secret, namespace: &str) -> kube::Result<bool> {
        let (secrets, name) = (self.secrets(namespace), source.name_any());
        let desired = copy(source, namespace);
        let live = match self.lister.namespaced(namespace).get(&name) {
            Ok(cached) => cached,
            Err(_) => match secrets.create(&desired).await {
                Ok(_) => return Ok(true),
                // The cache lags behind the server.
                Err(error) if error.is_already_exists() => Arc::new(secrets.get(&name).await?),
                Err(error) => return Err(error),
            },
        };
        if live.metadata.deletion_timestamp.is_some() {
            // Its deletion enqueues the source.
            return Ok(false);
        }
        if source_of(&live) != Some(&ObjectKey::of(source).to_string()) {
            let note = format!("a Secret {namespace}/{name} exists that is not a copy");
            tracing::warn!("skipped: {note}");
            let exists = Event {
                type_: EventType::Warning,
                reason: "ErrResourceExists".into(),
                action: "Copy".into(),
                note: Some(note),
                secondary: None,
            };
            self.recorder.publish(source, exists);
            return Ok(false);
        }
        if must_be_replaced(&live, &desired) {
            self.delete(&live).await?;
            return Ok(true);
        }
        let corrected = secrets.modify_from(&live, |copy| correct(copy, &desired));
        Ok(corrected.await?.metadata.resource_version != live.metadata.resource_version)
    }

    /// Deletes a copy, but not another Secret that has replaced it meanwhile.
    async fn delete(&self, copy: &Secret) -> kube::Result<()> {
        let params = DeleteParams {
            preconditions: Some(Preconditions {
                uid: copy.uid(),
                resource_version: copy.resource_version(),
            }),
            ..DeleteParams::default()
        };
        let secrets = self.secrets(&copy.namespace().unwrap_or_default());
        match secrets.delete(&copy.name_any(), &params).await {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }
}

/// Creates, corrects and deletes the copies of one Secret: after every change of it, of its copies, of Secrets with its name, and of
/// namespaces, and once per resync period.
///
/// The object is the cached one; `None` if it was deleted. The function never runs concurrently for the same object, and must be
/// idempotent.
async fn reconcile(
    key: ObjectKey,
    object: Option<Arc<Secret>>,
    context: Arc<Context>,
) -> Result<Action, Error> {
    let namespace = &context.settings.source_namespace;
    if key.namespace.as_ref() != Some(namespace) {
        if object.is_some() {
            tracing::info!("skipped: {key} is not in the namespace {namespace}");
        }
        return Ok(Action::await_change());
    }
    if let Some(secret) = object.as_ref().filter(|secret| !has_type(secret)) {
        let type_ = secret.type_.as_deref().unwrap_or_default();
        tracing::info!("skipped: {key} has the type {type_:?}, not {TYPE:?}");
    }
    let source =
        object.filter(|secret| has_type(secret) && secret.metadata.deletion_timestamp.is_none());
    let targets = match source {
        Some(_) => context.targets(),
        None => BTreeSet::new(),
    };
    let mut failed = None;
    let copies = context.lister.by_index(COPIES, &key.to_string());
    for copy in copies.unwrap_or_default() {
        let namespace = copy.namespace().unwrap_or_default();
        if !targets.contains(&namespace) {
            match context.delete(&copy).await {
                Ok(()) => tracing::info!("deleted: {namespace}/{}", key.name),
                Err(error) => failed = Some(error),
            }
        }
    }
    if let Some(source) = source {
        for namespace in &targets {
            match context.ensure(&source, namespace).await {
                Ok(true) => tracing::info!("copied: {key} to {namespace}"),
                Ok(false) => {}
                // The others are copied nevertheless.
                Err(error) => failed = Some(error),
            }
        }
    }
    failed.map_or(Ok(Action::await_change()), |error| Err(error.into()))
}
