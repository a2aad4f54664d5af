//! Admission policies and their bindings (`k8s.io/kubernetes/pkg/apis/admissionregistration/validation`).

use std::collections::BTreeSet;

#[cfg(feature = "cel")]
use kube_codegen_cel::is_reserved;
use kube_codegen_formats::names;
use serde_json::{Value, json};

use super::{Causes, webhooks};
#[cfg(feature = "cel")]
use crate::policies;
use crate::{
    policies::Purpose,
    values::object::{at, list, strings, text},
};

const FAILURE_POLICIES: &[&str] = &["Fail", "Ignore"];
const MATCH_POLICIES: &[&str] = &["Equivalent", "Exact"];
const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS: &[&str] = &["Audit", "Deny", "Warn"];
const MUTATED: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];
const REINVOCATIONS: &[&str] = &["IfNeeded", "Never"];
const PATCH_TYPES: &[&str] = &["ApplyConfiguration", "JSONPatch"];
const NOT_FOUND_ACTIONS: &[&str] = &["Deny", "Allow"];
const MOST_ANNOTATIONS: usize = 20;
const MOST_CONDITIONS: usize = 64;
/// The longest expression of an audit annotation, in bytes.
const LONGEST_ANNOTATION: usize = 5 * 1024;

/// Validates a `ValidatingAdmissionPolicy`.
pub(crate) fn validating(it: &mut Causes, policy: &Value) {
    let spec = at(policy, "/spec");
    common(it, spec);
    let mut compiler = Compiler::new(spec, false);
    variables(it, spec, &mut compiler);
    let (validations, annotations) = (list(spec, "/validations"), list(spec, "/auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        it.required("spec.validations", why);
        it.required("spec.auditAnnotations", why);
        return;
    }
    for (index, value) in validations.iter().enumerate() {
        validation(
            it,
            &format!("spec.validations[{index}]"),
            value,
            &mut compiler,
        );
    }
    if annotations.len() > MOST_ANNOTATIONS {
        let why = format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        it.invalid("spec.auditAnnotations", json!(annotations), why);
    }
    let mut keys = BTreeSet::new();
    for (index, annotation) in annotations.iter().enumerate() {
        let path = format!("spec.auditAnnotations[{index}]");
        let key = text(annotation, "/key");
        let full = format!("{}/{key}", text(policy, "/metadata/name"));
        for why in names::qualified_name(&full) {
            it.invalid(format!("{path}.key"), json!(full), why);
        }
        let source = text(annotation, "/valueExpression");
        let field = format!("{path}.valueExpression");
        if source.trim().is_empty() {
            it.required(&field, "valueExpression is not specified");
        } else if source.trim().len() > LONGEST_ANNOTATION {
            let why = format!("must not exceed {LONGEST_ANNOTATION} bytes in length");
            it.required(&field, &why);
        } else {
            compiler.check(it, &field, source, Purpose::Annotation);
        }
        if !keys.insert(key) {
            it.duplicate(format!("{path}.key"), json!(key));
        }
    }
}

/// Validates a `MutatingAdmissionPolicy`.
pub(crate) fn mutating(it: &mut Causes, policy: &Value) {
    let spec = at(policy, "/spec");
    common(it, spec);
    operations(it, spec, "matchConstraints");
    let mut compiler = Compiler::new(spec, true);
    variables(it, spec, &mut compiler);
    let mutations = list(spec, "/mutations");
    if mutations.is_empty() {
        it.required("spec.mutations", "mutations must contain at least one item");
    }
    for (index, value) in mutations.iter().enumerate() {
        mutation(
            it,
            &format!("spec.mutations[{index}]"),
            value,
            &mut compiler,
        );
    }
    required_one_of(
        it,
        "spec.reinvocationPolicy",
        at(spec, "/reinvocationPolicy"),
        REINVOCATIONS,
    );
}

/// Validates a `ValidatingAdmissionPolicyBinding`.
pub(crate) fn validating_binding(it: &mut Causes, binding: &Value) {
    let spec = at(binding, "/spec");
    of_binding(it, spec);
    let path = "spec.validationActions";
    let actions = strings(spec, "/validationActions");
    let mut seen = BTreeSet::new();
    for (index, action) in actions.iter().enumerate() {
        let path = format!("{path}[{index}]");
        it.one_of(&path, &json!(action), ACTIONS);
        if !seen.insert(action.as_str()) {
            it.duplicate(&path, json!(action));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
        it.invalid(path, json!(actions), why);
    }
    if seen.is_empty() {
        it.required(path, "");
    }
}

/// Validates a `MutatingAdmissionPolicyBinding`.
pub(crate) fn mutating_binding(it: &mut Causes, binding: &Value) {
    let spec = at(binding, "/spec");
    of_binding(it, spec);
    operations(it, spec, "matchResources");
}

/// Validates what both kinds of policies have.
fn common(it: &mut Causes, spec: &Value) {
    it.one_of(
        "spec.failurePolicy",
        at(spec, "/failurePolicy"),
        FAILURE_POLICIES,
    );
    let kind = at(spec, "/paramKind");
    if kind.is_object() {
        param_kind(it, kind);
    }
    let constraints = at(spec, "/matchConstraints");
    if constraints.is_null() {
        it.required("spec.matchConstraints", "");
    } else {
        resources(it, "spec.matchConstraints", constraints);
        if list(constraints, "/resourceRules").is_empty() {
            it.required("spec.matchConstraints.resourceRules", "");
        }
    }
    let conditions = list(spec, "/matchConditions");
    if conditions.len() > MOST_CONDITIONS {
        let why = format!("must have at most {MOST_CONDITIONS} items");
        let given = conditions.len();
        it.add(
            "spec.matchConditions",
            "FieldValueTooMany",
            format!("Too many: {given}: {why}"),
        );
    }
    let mut compiler = Compiler::of_conditions(spec);
    let mut seen = BTreeSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let path = format!("spec.matchConditions[{index}]");
        let source = text(condition, "/expression").trim();
        let field = format!("{path}.expression");
        if source.is_empty() {
            it.required(&field, "");
        } else {
            compiler.check(it, &field, source, Purpose::Condition);
        }
        let (name, field) = (text(condition, "/name"), format!("{path}.name"));
        if name.is_empty() {
            it.required(&field, "");
            continue;
        }
        for why in names::qualified_name(name) {
            it.invalid(&field, json!(name), why);
        }
        if !seen.insert(name) {
            it.duplicate(&field, json!(name));
        }
    }
}

fn param_kind(it: &mut Causes, kind: &Value) {
    let (api_version, path) = (text(kind, "/apiVersion"), "spec.paramKind.apiVersion");
    match api_version.split('/').collect::<Vec<_>>()[..] {
        [""] => it.required(path, ""),
        [_, ""] => it.invalid(path, json!(api_version), "version must be specified"),
        [version] => version_of_params(it, path, version),
        [group, version] => {
            let problems = names::dns_1123_subdomain(group);
            if !group.is_empty() && !problems.is_empty() {
                it.invalid(path, json!(group), problems.join(","));
            }
            version_of_params(it, path, version);
        }
        _ => {
            let why = format!("unexpected GroupVersion string: {api_version}");
            it.invalid(path, json!(api_version), why);
        }
    }
    let (kind, path) = (text(kind, "/kind"), "spec.paramKind.kind");
    if kind.is_empty() {
        it.required(path, "");
        return;
    }
    let problems = names::dns_1035_label(&kind.to_lowercase());
    if !problems.is_empty() {
        let why = problems.join(",");
        it.invalid(
            path,
            json!(kind),
            format!("may have mixed case, but should otherwise match: {why}"),
        );
    }
}

fn version_of_params(it: &mut Causes, path: &str, version: &str) {
    let problems = names::dns_1035_label(version);
    if !problems.is_empty() {
        it.invalid(path, json!(version), problems.join(","));
    }
}

/// Validates what a policy or a binding matches.
fn resources(it: &mut Causes, path: &str, matched: &Value) {
    it.one_of(
        format!("{path}.matchPolicy"),
        at(matched, "/matchPolicy"),
        MATCH_POLICIES,
    );
    for selector in ["namespaceSelector", "objectSelector"] {
        it.selector(
            &format!("{path}.{selector}"),
            at(matched, &format!("/{selector}")),
        );
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        for (index, rule) in list(matched, &format!("/{rules}")).iter().enumerate() {
            let path = format!("{path}.{rules}[{index}]");
            let mut seen = BTreeSet::new();
            for (index, name) in strings(rule, "/resourceNames").into_iter().enumerate() {
                let path = format!("{path}.resourceNames[{index}]");
                for why in names::path_segment(&name) {
                    it.invalid(&path, json!(name), why);
                }
                if seen.contains(&name) {
                    it.duplicate(&path, json!(name));
                }
                seen.insert(name);
            }
            webhooks::rule(it, &path, rule);
        }
    }
}

/// Only creations and updates can be mutated.
fn operations(it: &mut Causes, spec: &Value, field: &str) {
    for rule in list(spec, &format!("/{field}/resourceRules")) {
        for operation in list(rule, "/operations") {
            let path = format!("spec.{field}.resourceRules.operations");
            it.one_of(path, operation, MUTATED);
        }
    }
}

fn of_binding(it: &mut Causes, spec: &Value) {
    let policy = text(spec, "/policyName");
    if policy.is_empty() {
        it.required("spec.policyName", "");
    }
    for why in names::dns_1123_subdomain(policy)
        .iter()
        .filter(|_| !policy.is_empty())
    {
        it.invalid("spec.policyName", json!(policy), why);
    }
    let params = at(spec, "/paramRef");
    if params.is_object() {
        param_ref(it, params);
    }
    let matched = at(spec, "/matchResources");
    if matched.is_object() {
        resources(it, "spec.matchResources", matched);
    }
}

fn param_ref(it: &mut Causes, params: &Value) {
    let path = "spec.paramRef";
    let (name, selector) = (text(params, "/name"), at(params, "/selector"));
    let is_both = !name.is_empty() && selector.is_object();
    if !name.is_empty() {
        for why in names::path_segment(name) {
            it.invalid(format!("{path}.name"), json!(name), why);
        }
    }
    if selector.is_object() {
        it.selector(&format!("{path}.selector"), selector);
    }
    for field in ["name", "selector"].iter().filter(|_| is_both) {
        it.forbidden(
            format!("{path}.{field}"),
            "name and selector are mutually exclusive",
        );
    }
    if name.is_empty() && selector.is_null() {
        it.required(path, "one of name or selector must be specified");
    }
    let action = at(params, "/parameterNotFoundAction");
    required_one_of(
        it,
        &format!("{path}.parameterNotFoundAction"),
        action,
        NOT_FOUND_ACTIONS,
    );
}

/// Demands one of some values.
fn required_one_of(it: &mut Causes, path: &str, value: &Value, supported: &[&str]) {
    if value.as_str().unwrap_or_default().is_empty() {
        it.required(path, "");
    } else {
        it.one_of(path, value, supported);
    }
}

/// Without CEL, expressions are not checked.
#[cfg(not(feature = "cel"))]
fn is_reserved(_: &str) -> bool {
    false
}

fn variables(it: &mut Causes, spec: &Value, compiler: &mut Compiler) {
    for (index, variable) in list(spec, "/variables").iter().enumerate() {
        let path = format!("spec.variables[{index}]");
        let name = text(variable, "/name");
        let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let starts_well = !name.starts_with(|c: char| c.is_ascii_digit());
        if name.trim().is_empty() {
            it.required(format!("{path}.name"), "name is not specified");
        } else if !starts_well || !name.chars().all(is_word) || is_reserved(name) {
            it.invalid(
                format!("{path}.name"),
                json!(name),
                "must be a valid CEL identifier",
            );
        }
        if text(variable, "/expression").trim().is_empty() {
            it.required(format!("{path}.expression"), "expression is not specified");
        }
    }
    compiler.variables(it, spec);
}

fn validation(it: &mut Causes, path: &str, value: &Value, compiler: &mut Compiler) {
    let source = text(value, "/expression");
    let field = format!("{path}.expression");
    if source.trim().is_empty() {
        it.required(&field, "expression is not specified");
    } else {
        compiler.check(it, &field, source, Purpose::Condition);
    }
    let (source, field) = (
        text(value, "/messageExpression"),
        format!("{path}.messageExpression"),
    );
    if !source.is_empty() && source.trim().is_empty() {
        it.invalid(&field, json!(source), "must be non-empty if specified");
    } else if !source.is_empty() {
        compiler.check(it, &field, source, Purpose::Message);
    }
    let (message, field) = (text(value, "/message"), format!("{path}.message"));
    if !message.is_empty() && message.trim().is_empty() {
        it.invalid(&field, json!(message), "must be non-empty if specified");
    } else if message.trim().contains(['\n', '\r']) {
        it.invalid(&field, json!(message), "must not contain line breaks");
    }
    it.one_of(format!("{path}.reason"), at(value, "/reason"), REASONS);
}

fn mutation(it: &mut Causes, path: &str, value: &Value, compiler: &mut Compiler) {
    let type_ = text(value, "/patchType");
    let (own, other, purpose) = match type_ {
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Purpose::JsonPatch),
        "ApplyConfiguration" => (
            "applyConfiguration",
            "jsonPatch",
            Purpose::ApplyConfiguration,
        ),
        _ => {
            required_one_of(
                it,
                &format!("{path}.patchType"),
                at(value, "/patchType"),
                PATCH_TYPES,
            );
            return;
        }
    };
    let given = at(value, &format!("/{own}"));
    let source = text(given, "/expression").trim();
    let field = format!("{path}.{own}.expression");
    if given.is_null() {
        let why = format!("must be specified when patchType is {type_}");
        it.required(format!("{path}.{own}"), &why);
    } else if source.is_empty() {
        it.required(&field, "");
    } else {
        compiler.check(it, &field, source, purpose);
    }
    if !at(value, &format!("/{other}")).is_null() {
        let why = format!("must not be specified when patchType is {type_}");
        let shown = format!("{{{other}}}");
        it.invalid(format!("{path}.{other}"), json!(shown), why);
    }
}

/// Compiles the expressions of a policy; without CEL, all are valid.
#[cfg(feature = "cel")]
struct Compiler(policies::Environment);

#[cfg(feature = "cel")]
impl Compiler {
    fn new(spec: &Value, is_mutating: bool) -> Self {
        let mut new = Self::of_conditions(spec);
        new.0.variables = is_mutating.then(Vec::new);
        new
    }

    fn of_conditions(spec: &Value) -> Self {
        Self(policies::Environment {
            has_params: at(spec, "/paramKind").is_object(),
            has_authorizer: true,
            variables: None,
        })
    }

    fn variables(&mut self, it: &mut Causes, spec: &Value) {
        let compiled = self.0.compile_variables(spec);
        let pairs = list(spec, "/variables").iter().zip(compiled);
        for (index, (variable, compiled)) in pairs.enumerate() {
            let source = text(variable, "/expression");
            if let (Err(why), false) = (compiled.expression, source.trim().is_empty()) {
                let path = format!("spec.variables[{index}].expression");
                it.invalid(path, json!(source), why);
            }
        }
    }

    fn check(&mut self, it: &mut Causes, path: &str, source: &str, purpose: Purpose) {
        self.0.has_authorizer = purpose != Purpose::Message;
        if let Err(why) = self.0.compile(source, purpose) {
            it.invalid(path, json!(source), why);
        }
    }
}

#[cfg(not(feature = "cel"))]
struct Compiler;

#[cfg(not(feature = "cel"))]
#[allow(clippy::unused_self)] // As with CEL.
impl Compiler {
    fn new(_: &Value, _: bool) -> Self {
        Self
    }

    fn of_conditions(_: &Value) -> Self {
        Self
    }

    fn variables(&mut self, _: &mut Causes, _: &Value) {}

    fn check(&mut self, _: &mut Causes, _: &str, _: &str, _: Purpose) {}
}
