//! The objects that register webhooks with the API server.
use std::fmt;

use k8s_openapi::{
    api::{
        admissionregistration::v1::{
            MatchCondition, MutatingWebhook, MutatingWebhookConfiguration, RuleWithOperations,
            ValidatingWebhook, ValidatingWebhookConfiguration,
        },
        core::v1::{Service, ServicePort, ServiceSpec},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        self as crd, CustomResourceConversion, WebhookConversion,
    },
    apimachinery::pkg::{
        apis::meta::v1::{LabelSelector, LabelSelectorRequirement, ObjectMeta},
        util::intstr::IntOrString,
    },
};
use serde::Serialize;

use super::{
    FailurePolicy, Webhook, Webhooks,
    client::{ClientConfig, Reach},
    conversion, usual_path,
};

/// The name of the container's port, as in kubebuilder.
const TARGET_PORT: &str = "webhook-server";
const NAMESPACE_LABEL: &str = "kubernetes.io/metadata.name";

/// The objects that register the webhooks, without `caBundle`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Configurations {
    /// The Service, if the webhooks are reached through one. It selects Pods by the label `app.kubernetes.io/name`, and their port
    /// `webhook-server`.
    pub service: Option<Service>,
    /// The defaulting webhooks.
    pub mutating: Option<MutatingWebhookConfiguration>,
    /// The validating webhooks.
    pub validating: Option<ValidatingWebhookConfiguration>,
    /// The names of the CRDs with conversions, each with its `spec.conversion`.
    pub conversions: Vec<(String, CustomResourceConversion)>,
}

impl Configurations {
    /// Lets cert-manager write `caBundle` from the Certificate `NAMESPACE/NAME`. Add the same annotation to the CRDs with conversions.
    #[must_use]
    pub fn inject_ca_from(mut self, certificate: &str) -> Self {
        let metadata = [
            self.mutating.as_mut().map(|one| &mut one.metadata),
            self.validating.as_mut().map(|one| &mut one.metadata),
        ];
        for metadata in metadata.into_iter().flatten() {
            metadata.annotations.get_or_insert_default().insert(
                "cert-manager.io/inject-ca-from".to_owned(),
                certificate.to_owned(),
            );
        }
        self
    }

    /// Returns the Service and the configurations as YAML documents for `kubectl apply`. The `spec.conversion` of each CRD appears as a
    /// comment.
    ///
    /// # Errors
    /// If an object cannot be serialized to YAML, which does not happen for objects of [`Webhooks::configurations`].
    pub fn to_yaml(&self) -> Result<String, fmt::Error> {
        let mut documents = Vec::new();
        if let Some(service) = &self.service {
            documents.push(yaml(service)?);
        }
        if let Some(mutating) = &self.mutating {
            documents.push(yaml(mutating)?);
        }
        if let Some(validating) = &self.validating {
            documents.push(yaml(validating)?);
        }
        for (name, conversion) in &self.conversions {
            let field = serde_json::json!({"spec": {"conversion": conversion}});
            let lines: Vec<_> = yaml(&field)?
                .lines()
                .map(|line| format!("#   {line}\n"))
                .collect();
            documents.push(format!(
                "# The CustomResourceDefinition {name} needs this field:\n{}",
                lines.concat()
            ));
        }
        Ok(documents.join("---\n"))
    }
}

/// Fields of strategies and deprecated defaults are left out: what is null is absent.
fn yaml(value: &impl Serialize) -> Result<String, fmt::Error> {
    let value = serde_json::to_value(value).map_err(|_| fmt::Error)?;
    serde_yaml::to_string(&value).map_err(|_| fmt::Error)
}

impl Webhooks {
    /// Returns the objects that register the webhooks, for your deployment: as typed objects, or as [YAML](Configurations::to_yaml).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_codegen_runtime::webhook::{ClientConfig, Rejection, Request, Webhooks};
    ///
    /// fn label(_: &mut ConfigMap, _: &Request) -> Result<(), Rejection> {
    ///     Ok(())
    /// }
    ///
    /// let webhooks = Webhooks::new("my-operator").defaulting(label);
    /// let configurations = webhooks.configurations(&ClientConfig::service("my-system", "my-operator-webhook"));
    /// assert!(configurations.to_yaml()?.contains("path: /mutate--v1-configmap"));
    /// # Ok::<(), std::fmt::Error>(())
    /// ```
    ///
    /// For built-in kinds, the webhooks skip objects in the operator's own namespace, and Leases everywhere: see
    /// [`Webhook::include_own_namespace`].
    pub fn configurations(&self, client: &ClientConfig) -> Configurations {
        let all = |mutating| {
            let of_type = self
                .admission
                .iter()
                .filter(move |one| one.mutating == mutating);
            of_type.map(|one| (one, self.webhook_name(one)))
        };
        let mutating: Vec<_> = all(true)
            .map(|(webhook, name)| webhook.to_mutating(name, client))
            .collect();
        let validating: Vec<_> = all(false)
            .map(|(webhook, name)| webhook.to_validating(name, client))
            .collect();
        let metadata = |kind| ObjectMeta {
            name: Some(format!("{}-{kind}", self.name)),
            ..ObjectMeta::default()
        };
        Configurations {
            service: self.service(client),
            mutating: (!mutating.is_empty()).then(|| MutatingWebhookConfiguration {
                metadata: metadata("mutating"),
                webhooks: Some(mutating),
            }),
            validating: (!validating.is_empty()).then(|| ValidatingWebhookConfiguration {
                metadata: metadata("validating"),
                webhooks: Some(validating),
            }),
            conversions: self
                .converters
                .crds()
                .map(|name| (name.to_owned(), conversion_by(client)))
                .collect(),
        }
    }

    /// Returns a name that is unique, and a domain name with at least three parts, as the API server requires.
    fn webhook_name(&self, webhook: &Webhook) -> String {
        let verb = if webhook.mutating {
            "default"
        } else {
            "validate"
        };
        let (kind, version) = (webhook.kind.to_lowercase(), &webhook.version);
        let group = if webhook.group.is_empty() {
            "core"
        } else {
            &webhook.group
        };
        let path = webhook.path.trim_matches('/');
        let usual = usual_path(webhook.mutating, &webhook.group, version, &kind);
        let usual = path == usual.trim_matches('/');
        let suffix = if usual {
            String::new()
        } else {
            format!(
                "-{}",
                path.to_lowercase()
                    .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
            )
        };
        format!("{verb}-{version}-{kind}{suffix}.{group}.{}", self.name)
    }

    fn service(&self, client: &ClientConfig) -> Option<Service> {
        let Reach::Service {
            namespace,
            name,
            port,
        } = client.reach()
        else {
            return None;
        };
        let mut service = Service {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                namespace: Some(namespace.clone()),
                ..ObjectMeta::default()
            },
            spec: Some(ServiceSpec {
                ports: Some(vec![ServicePort {
                    port: *port,
                    target_port: Some(IntOrString::String(TARGET_PORT.to_owned())),
                    ..ServicePort::default()
                }]),
                ..ServiceSpec::default()
            }),
            ..Service::default()
        };
        let selector = ("app.kubernetes.io/name".to_owned(), self.name.clone());
        service.spec.get_or_insert_default().selector = Some([selector].into());
        Some(service)
    }
}

impl Webhook {
    fn to_mutating(&self, name: String, client: &ClientConfig) -> MutatingWebhook {
        MutatingWebhook {
            admission_review_versions: vec!["v1".to_owned()],
            client_config: client.at(&self.path),
            failure_policy: Some(self.policy()),
            match_conditions: self.conditions(),
            match_policy: Some("Equivalent".to_owned()),
            name,
            namespace_selector: self.namespaces(client),
            object_selector: self.object_selector.clone(),
            reinvocation_policy: self.reinvoke.then(|| "IfNeeded".to_owned()),
            rules: Some(vec![self.rule()]),
            side_effects: self.side_effects.to_owned(),
            timeout_seconds: Some(self.seconds()),
        }
    }

    fn to_validating(&self, name: String, client: &ClientConfig) -> ValidatingWebhook {
        ValidatingWebhook {
            admission_review_versions: vec!["v1".to_owned()],
            client_config: client.at(&self.path),
            failure_policy: Some(self.policy()),
            match_conditions: self.conditions(),
            match_policy: Some("Equivalent".to_owned()),
            name,
            namespace_selector: self.namespaces(client),
            object_selector: self.object_selector.clone(),
            rules: Some(vec![self.rule()]),
            side_effects: self.side_effects.to_owned(),
            timeout_seconds: Some(self.seconds()),
        }
    }

    fn rule(&self) -> RuleWithOperations {
        RuleWithOperations {
            api_groups: Some(vec![self.group.clone()]),
            api_versions: Some(vec![self.version.clone()]),
            operations: Some(self.operations.iter().map(ToString::to_string).collect()),
            resources: Some(self.resources.clone()),
            scope: None,
        }
    }

    fn policy(&self) -> String {
        match self.failure_policy {
            FailurePolicy::Fail => "Fail",
            FailurePolicy::Ignore => "Ignore",
        }
        .to_owned()
    }

    fn seconds(&self) -> i32 {
        i32::try_from(self.timeout.as_secs()).unwrap_or(30)
    }

    /// Whether the kind is one of Kubernetes itself, on which the operator may depend.
    fn is_built_in(&self) -> bool {
        !self.group.contains('.') || self.group.ends_with(".k8s.io")
    }

    fn conditions(&self) -> Option<Vec<MatchCondition>> {
        let mut all = self.match_conditions.clone();
        if self.group == "coordination.k8s.io" {
            all.push(MatchCondition {
                name: "not-leases".to_owned(),
                expression: "request.resource.resource != 'leases'".to_owned(),
            });
        }
        (!all.is_empty()).then_some(all)
    }

    fn namespaces(&self, client: &ClientConfig) -> Option<LabelSelector> {
        let mut selector = self.namespace_selector.clone();
        if let Some(own) = client.namespace()
            && self.is_built_in()
            && !self.include_own_namespace
        {
            let not_own = LabelSelectorRequirement {
                key: NAMESPACE_LABEL.to_owned(),
                operator: "NotIn".to_owned(),
                values: Some(vec![own.to_owned()]),
            };
            let expressions = &mut selector.get_or_insert_default().match_expressions;
            expressions.get_or_insert_default().push(not_own);
        }
        selector
    }
}

fn conversion_by(client: &ClientConfig) -> CustomResourceConversion {
    let config = client.at(conversion::PATH);
    let service = config.service.map(|service| crd::ServiceReference {
        name: service.name,
        namespace: service.namespace,
        path: service.path,
        port: service.port,
    });
    CustomResourceConversion {
        strategy: "Webhook".to_owned(),
        webhook: Some(WebhookConversion {
            client_config: Some(crd::WebhookClientConfig {
                ca_bundle: None,
                service,
                url: config.url,
            }),
            conversion_review_versions: vec!["v1".to_owned()],
        }),
    }
}
