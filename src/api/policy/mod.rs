//! Exports the rules and defaults of a CRD as admission policies, which need neither the CRD's schema nor a webhook: `kube-codegen policy`.
mod cel;
mod defaults;
mod rules;

use serde_json::{Value, json};

use crate::input::crd::{Crd, Schema};

const API_VERSION: &str = "admissionregistration.k8s.io/v1";

/// The policies of one CRD.
#[derive(Debug, Default)]
pub(crate) struct Export {
    /// The policies and their bindings.
    pub(crate) documents: Vec<Value>,
    /// What CEL cannot say in a policy.
    pub(crate) notes: Vec<Note>,
}

/// A rule or default that has no place in a policy.
#[derive(Debug)]
pub(crate) struct Note {
    /// `metadata.name` of the CRD.
    pub(crate) crd: String,
    pub(crate) version: String,
    /// The schema location, such as `.spec.items[]`.
    pub(crate) at: String,
    /// What is left out, and why.
    pub(crate) reason: String,
}

/// The walk over the schema of one version.
struct Walk<'a> {
    crd: &'a str,
    version: &'a str,
    notes: Vec<Note>,
}

impl Walk<'_> {
    fn note(&mut self, at: &[Step<'_>], reason: String) {
        self.notes.push(Note {
            crd: self.crd.to_owned(),
            version: self.version.to_owned(),
            at: location(at),
            reason,
        });
    }
}

/// A step from a schema to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step<'a> {
    Field {
        name: &'a str,
        nullable: bool,
    },
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

/// Returns a path such as `.spec.items[].name`.
fn location(steps: &[Step<'_>]) -> String {
    let parts = steps.iter().map(|step| match step {
        Step::Field { name, .. } => format!(".{name}"),
        Step::Items => "[]".to_owned(),
        Step::Values => "{}".to_owned(),
    });
    let path: String = parts.collect();
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}

/// Returns the parts of a schema with the steps to them.
fn parts(schema: &Schema) -> impl Iterator<Item = (Step<'_>, &Schema)> {
    let fields = schema.fields().map(|(name, part)| {
        let nullable = part.nullable;
        (Step::Field { name, nullable }, part)
    });
    let items = schema.items().map(|part| (Step::Items, part));
    let values = schema.values().map(|part| (Step::Values, part));
    fields.chain(items).chain(values)
}

/// Returns the policies of all served versions. `action` is what happens to an object that breaks a rule: `Deny`, `Warn` or `Audit`.
pub(crate) fn export(crd: &Crd, action: &str) -> Export {
    let (name, group, plural) = (&crd.name, &crd.group, &crd.names.plural);
    let mut export = Export::default();
    for version in crd.versions.iter().filter(|it| it.served) {
        let Some(schema) = &version.schema else {
            continue;
        };
        let version_name = &version.name;
        let mut walk = Walk {
            crd: name,
            version: version_name,
            notes: Vec::new(),
        };
        let validations = rules::validations(schema, &mut walk);
        let mutations = defaults::mutations(schema, &mut walk);
        export.notes.append(&mut walk.notes);
        let policy = format!("{version_name}.{name}");
        let constraints = |resources: Vec<String>| {
            json!({
                "matchPolicy": "Exact",
                "resourceRules": [{
                    "apiGroups": [group], "apiVersions": [version_name],
                    "operations": ["CREATE", "UPDATE"], "resources": resources,
                }],
            })
        };
        let mut resources = vec![plural.clone()];
        if version.status {
            resources.push(format!("{plural}/status"));
        }
        if !validations.is_empty() {
            let spec = json!({
                "failurePolicy": "Fail",
                "matchConstraints": constraints(resources),
                "validations": validations,
            });
            let binding = json!({"policyName": policy, "validationActions": [action]});
            let documents = [
                ("ValidatingAdmissionPolicy", spec),
                ("ValidatingAdmissionPolicyBinding", binding),
            ];
            export
                .documents
                .extend(documents.map(|(kind, spec)| object(kind, &policy, &spec)));
        }
        if !mutations.is_empty() {
            let spec = json!({
                "failurePolicy": "Fail",
                "matchConstraints": constraints(vec![plural.clone()]),
                "mutations": mutations,
                "reinvocationPolicy": "IfNeeded",
            });
            let binding = json!({"policyName": policy});
            let documents = [
                ("MutatingAdmissionPolicy", spec),
                ("MutatingAdmissionPolicyBinding", binding),
            ];
            export
                .documents
                .extend(documents.map(|(kind, spec)| object(kind, &policy, &spec)));
        }
    }
    export
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec})
}
