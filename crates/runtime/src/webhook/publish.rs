//! Writes the CAs that issue the certificates into the configurations and the CRDs, by server-side apply.
use base64::{Engine as _, engine::general_purpose::STANDARD};
use k8s_openapi::{
    api::admissionregistration::v1::{
        MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

use super::{CertificateError, Configurations};

/// Writes `caBundle` of the objects of one operator.
pub(super) struct Publisher {
    client: Client,
    manager: String,
    install: bool,
    targets: Vec<Target>,
}

struct Target {
    resource: ApiResource,
    name: String,
    form: Form,
    /// The object to install, or `spec.conversion` of the CRD.
    whole: Value,
    installed: bool,
}

/// The fields of a client configuration, of which it has exactly one.
const WAYS: [&str; 2] = ["service", "url"];

/// The client configuration of a CRD.
const CONVERSION: &str = "/spec/conversion/webhook/clientConfig";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `webhooks[].clientConfig`
    Configuration,
    /// `spec.conversion.webhook.clientConfig`
    Conversion,
}

impl Publisher {
    /// `operator` is part of the name of the field manager. With `install`, whole configurations are applied.
    pub(super) fn new(
        client: Client,
        operator: &str,
        configurations: &Configurations,
        install: bool,
    ) -> Self {
        let target = |resource, name: Option<&String>, form, whole| Target {
            resource,
            name: name.cloned().unwrap_or_default(),
            form,
            whole,
            installed: false,
        };
        let mut targets = Vec::new();
        if let Some(one) = &configurations.mutating {
            let resource = ApiResource::erase::<MutatingWebhookConfiguration>(&());
            let name = one.metadata.name.as_ref();
            targets.push(target(resource, name, Form::Configuration, json!(one)));
        }
        if let Some(one) = &configurations.validating {
            let resource = ApiResource::erase::<ValidatingWebhookConfiguration>(&());
            let name = one.metadata.name.as_ref();
            targets.push(target(resource, name, Form::Configuration, json!(one)));
        }
        for (name, one) in &configurations.conversions {
            let resource = ApiResource::erase::<CustomResourceDefinition>(&());
            targets.push(target(resource, Some(name), Form::Conversion, json!(one)));
        }
        Self {
            client,
            manager: format!("{operator}-webhooks"),
            install,
            targets,
        }
    }

    /// Writes the CAs, as PEM, where they differ; without CAs, only installs.
    pub(super) async fn publish(&mut self, bundle: Option<&str>) -> Result<(), CertificateError> {
        let encoded = bundle.map(|pem| STANDARD.encode(pem));
        for target in &mut self.targets {
            let api = Api::<DynamicObject>::all_with(self.client.clone(), &target.resource);
            let object = format!("{} {}", target.resource.kind, target.name);
            let failed = |source| CertificateError::Publish {
                object: object.clone(),
                source: Box::new(source),
            };
            let live = api.get_opt(&target.name).await.map_err(failed)?;
            let (version, live) = live
                .map(|object| (object.metadata.resource_version, object.data))
                .unzip();
            let is_current = encoded.as_ref().is_none_or(|bundle| {
                let bundles = live.as_ref().map(|live| bundles(target.form, live));
                bundles.is_some_and(|all| !all.is_empty() && all.iter().all(|one| one == bundle))
            });
            if is_current && (target.installed || !self.install) {
                continue;
            }
            let part = if self.install {
                let whole = target.whole(encoded.as_deref());
                let reached = live.and_then(|live| target.reached(live, &whole));
                if let Some(mut reached) = reached {
                    reached["metadata"] = json!({"resourceVersion": version.flatten()});
                    let params = PatchParams {
                        field_manager: Some(self.manager.clone()),
                        ..PatchParams::default()
                    };
                    let patch = Patch::Merge(reached);
                    let patched = api.patch(&target.name, &params, &patch).await;
                    patched.map_err(failed)?;
                }
                whole
            } else {
                let bundle = encoded.as_deref().unwrap_or_default();
                let part = live.map_or(Err("it does not exist"), |live| target.part(&live, bundle));
                part.map_err(|reason| CertificateError::NoTarget {
                    object: object.clone(),
                    reason,
                })?
            };
            let params = PatchParams::apply(&self.manager).force();
            let patched = api.patch(&target.name, &params, &Patch::Apply(part)).await;
            patched.map_err(failed)?;
            target.installed = true;
        }
        Ok(())
    }
}

impl Target {
    /// Returns the whole object, with the CAs.
    fn whole(&self, bundle: Option<&str>) -> Value {
        let mut whole = self.whole.clone();
        let configs: Vec<_> = match self.form {
            Form::Configuration => webhooks(&mut whole)
                .filter_map(|webhook| webhook.get_mut("clientConfig"))
                .collect(),
            Form::Conversion => whole
                .pointer_mut("/webhook/clientConfig")
                .into_iter()
                .collect(),
        };
        if let Some(bundle) = bundle {
            for config in configs {
                config["caBundle"] = bundle.into();
            }
        }
        match self.form {
            Form::Configuration => whole,
            Form::Conversion => self.apply(json!({"spec": {"conversion": whole}})),
        }
    }

    /// Returns a merge patch that changes how the API server reaches the webhooks, from a Service to a URL or the reverse; `None` if that stays. An
    /// apply would leave the other way as well, which belongs to who installed the object, and is rejected for that.
    fn reached(&self, mut live: Value, whole: &Value) -> Option<Value> {
        match self.form {
            Form::Configuration => {
                let wanted = |one: &Value| {
                    let mut all = whole["webhooks"].as_array()?.iter();
                    Some(&all.find(|it| it["name"] == one["name"])?["clientConfig"])
                };
                let mut changes = false;
                for one in webhooks(&mut live) {
                    let wanted = wanted(one);
                    let found = &mut one["clientConfig"];
                    let wanted = wanted.filter(|it| differs(found, it));
                    if let (Some(wanted), Some(found)) =
                        (wanted.and_then(Value::as_object), found.as_object_mut())
                    {
                        // A CA that others write stays.
                        found.retain(|key, _| !WAYS.contains(&key.as_str()));
                        found.extend(wanted.clone());
                        changes = true;
                    }
                }
                changes.then(|| json!({"webhooks": live["webhooks"]}))
            }
            Form::Conversion => {
                let found = live.pointer(CONVERSION)?;
                let wanted = whole.pointer(CONVERSION)?;
                differs(found, wanted).then(|| {
                    let mut config = wanted.clone();
                    for way in WAYS.into_iter().filter(|way| wanted[way].is_null()) {
                        config[way] = Value::Null;
                    }
                    json!({"spec": {"conversion": {"webhook": {"clientConfig": config}}}})
                })
            }
        }
    }

    /// Returns only the CAs, for what the live object has.
    fn part(&self, live: &Value, bundle: &str) -> Result<Value, &'static str> {
        let config = json!({"caBundle": bundle});
        match self.form {
            Form::Configuration => {
                let webhooks = live["webhooks"].as_array().filter(|all| !all.is_empty());
                let webhooks = webhooks.ok_or("it has no webhooks")?.iter();
                let webhooks: Vec<_> = webhooks
                    .map(|one| json!({"name": one["name"], "clientConfig": config}))
                    .collect();
                Ok(self.apply(json!({"webhooks": webhooks})))
            }
            Form::Conversion => {
                let conversion = &live["spec"]["conversion"];
                if conversion["strategy"] != "Webhook" {
                    return Err("the strategy of spec.conversion is not Webhook");
                }
                let versions = &conversion["webhook"]["conversionReviewVersions"];
                Ok(self.apply(json!({"spec": {"conversion": {
                    "strategy": "Webhook",
                    "webhook": {"clientConfig": config, "conversionReviewVersions": versions},
                }}})))
            }
        }
    }

    fn apply(&self, mut fields: Value) -> Value {
        fields["apiVersion"] = self.resource.api_version.as_str().into();
        fields["kind"] = self.resource.kind.as_str().into();
        fields["metadata"] = json!({"name": self.name});
        fields
    }
}

/// Whether the API server reaches a webhook in another way than it is to.
fn differs(found: &Value, wanted: &Value) -> bool {
    let mut ways = WAYS.into_iter();
    ways.any(|way| !found[way].is_null() && wanted[way].is_null())
}

fn webhooks(configuration: &mut Value) -> impl Iterator<Item = &mut Value> {
    let webhooks = configuration.get_mut("webhooks");
    webhooks.and_then(Value::as_array_mut).into_iter().flatten()
}

/// Returns the CAs of each client configuration of a live object.
fn bundles(form: Form, live: &Value) -> Vec<&str> {
    match form {
        Form::Configuration => {
            let webhooks = live["webhooks"].as_array().into_iter().flatten();
            webhooks
                .map(|one| one["clientConfig"]["caBundle"].as_str().unwrap_or_default())
                .collect()
        }
        Form::Conversion => {
            let config = &live["spec"]["conversion"]["webhook"]["clientConfig"];
            vec![config["caBundle"].as_str().unwrap_or_default()]
        }
    }
}
