//! The schema of one version of a CRD, and what the API server does with it.

use std::{error, fmt, ptr};

use kube_codegen_formats::is_known as is_known_format;
use serde::Deserialize as _;
use serde_json::Value;

#[cfg(feature = "cel")]
use crate::rules::{self, RuleProblem};
use crate::{
    cause::{Cause, Reason},
    defaults, embedded, lists,
    node::{Additional, Compiled, Node},
    old::Old,
    prune,
    scale::Scale,
    validate,
};

/// A schema that cannot be read.
#[derive(Debug)]
pub struct Error(serde_json::Error);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema is not an OpenAPI v3 schema: {}", self.0)
    }
}

// The text has the cause.
impl error::Error for Error {}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self(error)
    }
}

/// How many bytes of objects the search for a sample validates at most, about a second of work.
#[cfg(feature = "sample")]
const EFFORT: usize = 20_000_000;

/// The schema of one version of a CRD.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    has_rules: bool,
    compiled: Compiled,
    scale: Option<Scale>,
    #[cfg(feature = "sample")]
    effort: usize,
}

impl Schema {
    /// Reads the `schema.openAPIV3Schema` of a version.
    pub fn new(schema: &Value) -> Result<Self, Error> {
        Self::read(schema, Compiled::default())
    }

    /// Reads another schema, which shares with this one what is compiled of the rules and patterns that both have: for one that differs
    /// in little, most of the work is done.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let text = |length: u64| json!({"type": "object", "properties": {"name": {
    ///     "type": "string", "pattern": "^[a-z]+$", "maxLength": length,
    /// }}});
    /// let schema = Schema::new(&text(5))?;
    /// let shorter = schema.other(&text(3))?;
    /// assert_eq!(schema.validate(&json!({"name": "name"})), []);
    /// assert_eq!(shorter.validate(&json!({"name": "name"})).len(), 1);
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The value is not an `OpenAPI` schema.
    pub fn other(&self, schema: &Value) -> Result<Self, Error> {
        Self::read(schema, self.compiled.clone())
    }

    fn read(schema: &Value, mut compiled: Compiled) -> Result<Self, Error> {
        let mut root = Node::deserialize(schema)?;
        known_formats(&mut root);
        root.share(&mut compiled);
        Ok(Self {
            has_rules: root.has_rules(),
            root,
            compiled,
            scale: None,
            #[cfg(feature = "sample")]
            effort: EFFORT,
        })
    }

    /// Sets the `subresources.scale` of the version, whose fields are validated too; null if there is none.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))?;
    /// let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    /// let causes = schema.with_scale(&scale)?.validate(&json!({"spec": {"replicas": -1}}));
    /// assert_eq!(
    ///     causes[0].to_string(),
    ///     ".spec.replicas: Invalid value: -1: should be a non-negative integer"
    /// );
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The value is not a `CustomResourceSubresourceScale`.
    pub fn with_scale(mut self, scale: &Value) -> Result<Self, Error> {
        self.scale = Option::deserialize(scale)?;
        Ok(self)
    }

    /// Leaves out the validation rules, as without the feature `cel`.
    #[must_use]
    pub fn without_rules(mut self) -> Self {
        self.has_rules = false;
        self
    }

    fn validate_scale(&self, object: &Value, is_status: bool, causes: &mut Vec<Cause>) {
        if let Some(scale) = &self.scale {
            scale.validate(object, is_status, causes);
        }
    }

    /// Sets how many bytes of objects are validated at most to find a sample, 20,000,000 by default, which is about a second of work:
    /// with less, more samples have violations.
    #[cfg(feature = "sample")]
    #[must_use]
    pub fn with_effort(mut self, bytes: usize) -> Self {
        self.effort = bytes;
        self
    }

    #[cfg(feature = "sample")]
    pub(crate) fn effort(&self) -> usize {
        self.effort
    }

    #[cfg(feature = "sample")]
    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// Returns the validation rules that cannot be compiled, that read what the schema does not declare, or that may cost more than
    /// the server permits.
    ///
    /// ```
    /// # use kube_codegen_schema::Schema;
    /// # use serde_json::json;
    /// let schema = Schema::new(&json!({
    ///     "type": "object",
    ///     "properties": {"size": {"type": "integer"}},
    ///     "x-kubernetes-validations": [{"rule": "self.sizes > 0"}],
    /// }))?;
    /// let problems = schema.rule_problems();
    /// assert_eq!(problems[0].pointer, "/x-kubernetes-validations/0/rule");
    /// assert_eq!(
    ///     problems[0].message,
    ///     "compilation failed: ERROR: <input>:1:5: undefined field 'sizes'\n | self.sizes > 0\n | ....^"
    /// );
    /// # Ok::<(), kube_codegen_schema::Error>(())
    /// ```
    ///
    /// As the server does, it estimates costs by the limits of the schema (`maxItems`, `maxProperties`, `maxLength`); what has none is as
    /// large as a request can be. One expression may cost 10,000,000, all of them 100,000,000. See
    /// <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions>.
    #[cfg(feature = "cel")]
    pub fn rule_problems(&self) -> Vec<RuleProblem> {
        rules::problems(&self.root)
    }

    /// Removes the fields that the schema neither declares nor preserves, and returns their paths, sorted.
    ///
    /// `apiVersion`, `kind` and `metadata` are kept, also in embedded resources; of `metadata`, the fields that every object has.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune::prune(&self.root, object)
    }

    /// Removes the nulls of fields that have neither `nullable` nor a default.
    pub fn drop_nulls(&self, object: &mut Value) {
        defaults::drop_nulls(&self.root, object);
    }

    /// Fills in the defaults of absent fields whose parent exists. A null where the schema has neither `nullable` nor a default is
    /// removed.
    ///
    /// The API server does so when it reads a request and when it reads an object from its storage.
    pub fn apply_defaults(&self, object: &mut Value) {
        self.drop_nulls(object);
        defaults::apply(&self.root, object);
    }

    /// As [`apply_defaults`](Self::apply_defaults), but keeps nulls, which are then invalid. The API server does so after a server-side
    /// apply.
    pub fn apply_defaults_only(&self, object: &mut Value) {
        defaults::apply(&self.root, object);
    }

    /// Returns the first part of each embedded resource that Go cannot decode: `apiVersion`, `kind`, or a field of `metadata`.
    ///
    /// The API server rejects such a request before it validates the object.
    pub fn undecodable(&self, object: &Value) -> Vec<Cause> {
        embedded::undecodable(&self.root, object)
    }

    /// Returns the violations of a new object, none if it is valid; of an object that Go cannot decode, only [why](Self::undecodable).
    ///
    /// The object is pruned and has its defaults. Of `metadata`, only what the schema declares is validated.
    pub fn validate(&self, object: &Value) -> Vec<Cause> {
        self.violations(&self.root, object)
    }

    /// Returns the violations of a value by the schema of its place.
    pub(crate) fn violations(&self, node: &Node, value: &Value) -> Vec<Cause> {
        let undecodable = embedded::undecodable(node, value);
        if !undecodable.is_empty() {
            return undecodable;
        }
        let mut causes = validate::validate(node, value, None, "");
        if ptr::eq(node, &raw const self.root) {
            self.validate_scale(value, false, &mut causes);
        }
        embedded::validate(node, value, "", &mut causes);
        lists::validate(node, value, "", &mut causes);
        self.rules(node, value, None, &mut causes);
        causes
    }

    /// Returns the violations of an object that replaces `old`. Violations of what the update does not change are not reported
    /// ([ratcheting]).
    ///
    /// [ratcheting]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
    pub fn validate_update(&self, object: &Value, old: &Value) -> Vec<Cause> {
        let undecodable = self.undecodable(object);
        if !undecodable.is_empty() {
            return undecodable;
        }
        let change = self.change(object, old);
        let mut causes = validate::validate(&self.root, object, Some(change), "");
        self.validate_scale(object, false, &mut causes);
        embedded::validate(&self.root, object, "", &mut causes);
        self.lists_of_update(object, old, &mut causes);
        self.rules(&self.root, object, Some(old), &mut causes);
        causes
    }

    /// As [`validate_update`](Self::validate_update), for a write to the status subresource: of the schema's keywords, those of `status`
    /// count.
    pub fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<Cause> {
        let undecodable = self.undecodable(object);
        if !undecodable.is_empty() {
            return undecodable;
        }
        let change = self.change(object, old);
        let mut causes = match (self.root.properties.get("status"), object.get("status")) {
            (Some(schema), Some(status)) => {
                validate::validate(schema, status, change.field("status"), "status")
            }
            _ => Vec::new(),
        };
        self.validate_scale(object, true, &mut causes);
        self.lists_of_update(object, old, &mut causes);
        self.rules(&self.root, object, Some(old), &mut causes);
        causes
    }

    fn change<'a>(&'a self, new: &'a Value, old: &'a Value) -> Old<'a> {
        Old {
            schema: &self.root,
            new,
            old,
        }
    }

    /// Duplicates are tolerated as long as the old object has any.
    fn lists_of_update(&self, object: &Value, old: &Value, causes: &mut Vec<Cause>) {
        let mut known = Vec::new();
        lists::validate(&self.root, old, "", &mut known);
        if known.is_empty() {
            lists::validate(&self.root, object, "", causes);
        }
    }

    /// Rules are not evaluated on an object of the wrong shape.
    fn rules(&self, node: &Node, object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
        let blocks = |cause: &Cause| {
            matches!(
                cause.reason,
                Reason::NotSupported
                    | Reason::Required
                    | Reason::TooLong
                    | Reason::TooMany
                    | Reason::TypeInvalid
            )
        };
        if !self.has_rules {
            return;
        }
        if causes.iter().any(blocks) {
            causes.push(Cause::unchecked());
            return;
        }
        #[cfg(feature = "cel")]
        {
            let change = old.map(|old| self.change(object, old));
            let change = rules::Change::new(change);
            let is_root = ptr::eq(node, &raw const self.root);
            rules::evaluate(node, is_root, object, old, change, causes);
        }
        #[cfg(not(feature = "cel"))]
        let _ = (node, object, old);
    }
}

/// Removes the formats that the API server does not check.
fn known_formats(node: &mut Node) {
    let is_known = |format: &String| match node.type_.as_deref() {
        None | Some("string") => is_known_format(format),
        _ if node.int_or_string => is_known_format(format),
        Some("integer") => matches!(format.as_str(), "int32" | "int64"),
        Some("number") => matches!(format.as_str(), "float" | "double"),
        Some(_) => false,
    };
    if node.format.as_ref().is_some_and(|format| !is_known(format)) {
        node.format = None;
    }
    let inner = [&mut node.all_of, &mut node.any_of, &mut node.one_of];
    inner.into_iter().flatten().for_each(known_formats);
    node.properties.values_mut().for_each(known_formats);
    node.items.iter_mut().for_each(|node| known_formats(node));
    node.not.iter_mut().for_each(|node| known_formats(node));
    if let Some(Additional::Schema(node)) = &mut node.additional_properties {
        known_formats(node);
    }
}
