//! Which policies take part in a request, and what their expressions read.

use std::sync::Arc;

use serde_json::Value;

use super::params;
use crate::{
    admission::{Change, change::namespace},
    kinds::{convert, store::Store},
    policies::{Activation, CONDITIONS_BUDGET, Environment, Failure, Inputs, Purpose},
    request::Request,
    values::{
        object::{self, at, list, text},
        status::Answer,
    },
};

pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// A policy with its bindings.
pub(super) struct Policy {
    pub(super) policy: Arc<Value>,
    pub(super) bindings: Vec<Arc<Value>>,
}

/// One evaluation of a policy: for a binding and an object with its parameters.
pub(super) struct Invocation {
    pub(super) policy: Arc<Value>,
    pub(super) binding: Arc<Value>,
    /// The version in which the policy gets the object.
    pub(super) version: String,
    /// Null if there are none.
    pub(super) params: Value,
}

/// A policy that cannot be evaluated, with the binding that is to blame, if it is one.
pub(super) struct Misconfigured {
    pub(super) policy: Arc<Value>,
    pub(super) binding: Option<Arc<Value>>,
    pub(super) why: String,
}

/// Returns the policies of a kind that have bindings.
pub(super) fn policies(store: &Store, request: &Request, kind: &str) -> Vec<Policy> {
    let target = &request.target;
    let is_policy = target.kind.group == GROUP && target.kind.kind.contains("AdmissionPolicy");
    let listed = |kind: &str| match store.kinds.named(&format!("{GROUP}/v1"), kind) {
        Some(kind) if !is_policy => store.list(kind, ""),
        _ => Vec::new(),
    };
    let policies = listed(kind);
    if policies.is_empty() {
        return Vec::new();
    }
    let bindings = listed(&format!("{kind}Binding"));
    let policies = policies.into_iter().map(|policy| {
        let of_policy =
            |binding: &&Arc<Value>| text(binding, "/spec/policyName") == object::name(&policy);
        let bindings = bindings.iter().filter(of_policy).cloned().collect();
        Policy { policy, bindings }
    });
    policies.filter(|it| !it.bindings.is_empty()).collect()
}

impl Policy {
    /// Returns the invocations of a policy for a change.
    pub(super) fn invocations(
        self,
        store: &Store,
        request: &Request,
        change: &Change,
    ) -> Vec<Result<Invocation, Misconfigured>> {
        let Self { policy, bindings } = self;
        let constraints = at(&policy, "/spec/matchConstraints");
        let Some(version) = matched(store, request, change, constraints) else {
            return Vec::new();
        };
        let params = match params::Source::of(store, &policy) {
            Ok(params) => params,
            Err(why) => {
                return vec![Err(Misconfigured {
                    policy,
                    binding: None,
                    why: format!("failed to configure policy: {why}"),
                })];
            }
        };
        let mut invocations = Vec::new();
        for binding in bindings {
            let resources = at(&binding, "/spec/matchResources");
            let is_matched =
                resources.is_null() || matched(store, request, change, resources).is_some();
            if !is_matched {
                continue;
            }
            match params.of_binding(store, &binding, &request.target.namespace) {
                Ok(found) => invocations.extend(found.into_iter().map(|params| {
                    Ok(Invocation {
                        policy: policy.clone(),
                        binding: binding.clone(),
                        version: version.clone(),
                        params,
                    })
                })),
                Err(why) => invocations.push(Err(Misconfigured {
                    policy: policy.clone(),
                    binding: Some(binding),
                    why: format!("failed to configure binding: {why}"),
                })),
            }
        }
        invocations
    }
}

/// Returns the version in which constraints match a change.
fn matched(
    store: &Store,
    request: &Request,
    change: &Change,
    constraints: &Value,
) -> Option<String> {
    let target = &request.target;
    if !change.is_selected(store, target, constraints) {
        return None;
    }
    let policy = text(constraints, "/matchPolicy");
    let excluded = list(constraints, "/excludeResourceRules");
    if change.version(target, excluded, policy).is_some() {
        return None;
    }
    match list(constraints, "/resourceRules") {
        [] => Some(target.version.clone()),
        rules => change.version(target, rules, policy),
    }
}

/// What the expressions of an invocation read.
pub(super) struct Read {
    object: Value,
    old: Value,
    request: Value,
    namespace: Value,
}

impl Read {
    pub(super) fn of(
        store: &Store,
        request: &Request,
        change: &Change,
        version: &str,
    ) -> Answer<Self> {
        let target = &request.target;
        let converted = |object: &Value| -> Answer<Value> {
            if object.is_null() || version == target.version || target.subresource == "scale" {
                return Ok(object.clone());
            }
            let object = Arc::new(object.clone());
            convert::load(store, &target.in_version(version), &object).map(Arc::unwrap_or_clone)
        };
        let namespace = if target.namespace.is_empty() || target.kind.is_namespace() {
            Value::Null
        } else {
            namespace(store, &target.namespace)
        };
        Ok(Self {
            object: converted(&change.new)?,
            old: converted(&change.old)?,
            request: change.request(request, version),
            namespace,
        })
    }

    pub(super) fn inputs<'a>(&'a self, params: &'a Value) -> Inputs<'a> {
        Inputs {
            object: &self.object,
            old: &self.old,
            request: &self.request,
            params,
            namespace: &self.namespace,
        }
    }
}

/// Returns the environment of the expressions of a policy.
pub(super) fn environment(spec: &Value) -> Environment {
    Environment {
        has_params: at(spec, "/paramKind").is_object(),
        has_authorizer: true,
        variables: Some(Vec::new()),
    }
}

/// Returns whether all match conditions of a policy hold. One that is false decides before one that fails.
pub(super) fn conditions_hold(spec: &Value, inputs: &Inputs<'_>) -> Result<bool, String> {
    let conditions = list(spec, "/matchConditions");
    if conditions.is_empty() {
        return Ok(true);
    }
    let mut environment = environment(spec);
    let variables = environment.compile_variables(spec);
    let inputs = Inputs {
        namespace: &Value::Null,
        ..*inputs
    };
    let mut activation = Activation::new(&inputs, &variables, CONDITIONS_BUDGET);
    let mut failures = Vec::new();
    for condition in conditions {
        let source = text(condition, "/expression");
        let compiled = environment.compile(source, Purpose::Condition);
        match activation.evaluate(source, &compiled) {
            Ok(value) if value.as_bool() == Some(false) => return Ok(false),
            Ok(_) => {}
            Err(Failure::Error(why)) => failures.push(why),
            Err(Failure::Budget(why)) => return Err(why),
        }
    }
    match &*failures {
        [] => Ok(true),
        [why] => Err(why.clone()),
        _ => Err(format!("[{}]", failures.join(", "))),
    }
}
