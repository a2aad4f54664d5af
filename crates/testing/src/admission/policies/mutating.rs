//! `MutatingAdmissionPolicy`: mutations that change an object in their order
//! (`k8s.io/apiserver/pkg/admission/plugin/policy/mutating`).
//!
//! What a mutation sets has no owner in `managedFields`. A mutation that fails leaves the object as it is; unless the policy ignores
//! failures, the request is denied once all others are done.

use kube::core::response::Status;
use serde_json::Value;

use super::{
    invocation::{Invocation, Misconfigured, Read, conditions_hold, environment, policies},
    mutation::{self, Problem},
};
use crate::{
    admission::{self, Change, Draft},
    kinds::{convert, status::forbidden, store::Store},
    policies::{Activation, BUDGET, Purpose},
    request::Request,
    values::{
        object::{self, at, list, text},
        status::{Answer, cause, internal},
    },
};

const KIND: &str = "MutatingAdmissionPolicy";

/// Lets the policies change the new state.
pub(crate) fn mutate(store: &Store, request: &Request, draft: &mut Draft) -> Answer<()> {
    invoke(store, request, draft, None)
}

/// Invokes the policies again that ask for it and have been invoked before.
pub(crate) fn reinvoke(store: &Store, request: &Request, draft: &mut Draft) -> Answer<()> {
    let before = std::mem::take(&mut draft.invoked);
    if before.is_empty() {
        return Ok(());
    }
    invoke(store, request, draft, Some(&before))?;
    draft.invoked.clear();
    Ok(())
}

/// Invokes the policies, only those of some invocations if they are given.
fn invoke(
    store: &Store,
    request: &Request,
    draft: &mut Draft,
    only: Option<&[String]>,
) -> Answer<()> {
    if !matches!(request.target.subresource.as_str(), "" | "status") {
        return Ok(());
    }
    let policies = policies(store, request, KIND);
    if policies.is_empty() {
        return Ok(());
    }
    // All policies are chosen before the first one changes the object.
    let first = Change::write(request, draft);
    let invocations = policies
        .into_iter()
        .flat_map(|policy| policy.invocations(store, request, &first));
    let mut problems = Vec::new();
    for invocation in invocations.collect::<Vec<_>>() {
        match invocation {
            Err(misconfigured) => problems.extend(misconfiguration(misconfigured)),
            Ok(invocation) => {
                let found = run(store, request, draft, &invocation, only)?;
                problems.extend(found.into_iter().map(|why| of_binding(&invocation, &why)));
            }
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let name = object::name(&draft.object);
    Err(denial(forbidden(&request.target.kind, name, ""), &problems))
}

/// Returns the denial of a request for these problems: the first one is its message.
fn denial(mut status: Box<Status>, problems: &[Denied]) -> Box<Status> {
    if let Some(first) = problems.first() {
        status.message.clone_from(&first.message);
        if first.is_invalid {
            "Invalid".clone_into(&mut status.reason);
        }
    }
    if let Some(details) = &mut status.details {
        let causes = problems.iter().map(|it| cause("", "", it.message.as_str()));
        details.causes.extend(causes);
    }
    status
}

struct Denied {
    message: String,
    /// A policy that is misconfigured is not invalid.
    is_invalid: bool,
}

fn misconfiguration(problem: Misconfigured) -> Option<Denied> {
    let Misconfigured {
        policy,
        binding,
        why,
    } = problem;
    let name = object::name(&policy);
    (text(&policy, "/spec/failurePolicy") != "Ignore").then(|| Denied {
        message: match binding {
            Some(binding) => format!(
                "policy '{name}' with binding '{}' denied request: {why}",
                object::name(&binding)
            ),
            None => format!("policy {name:?} denied request: {why}"),
        },
        is_invalid: false,
    })
}

fn of_binding(invocation: &Invocation, why: &str) -> Denied {
    let (policy, binding) = (
        object::name(&invocation.policy),
        object::name(&invocation.binding),
    );
    Denied {
        message: format!("policy '{policy}' with binding '{binding}' denied request: {why}"),
        is_invalid: true,
    }
}

/// Runs the mutations of a policy, and returns why some have failed; nothing if failures are ignored.
fn run(
    store: &Store,
    request: &Request,
    draft: &mut Draft,
    invocation: &Invocation,
    only: Option<&[String]>,
) -> Answer<Vec<String>> {
    let spec = at(&invocation.policy, "/spec");
    let is_ignored = text(spec, "/failurePolicy") == "Ignore";
    let read = |draft: &Draft| {
        let change = Change::write(request, draft);
        Read::of(store, request, &change, &invocation.version)
    };
    match conditions_hold(spec, &read(draft)?.inputs(&invocation.params)) {
        Ok(true) => {}
        Ok(false) => return Ok(Vec::new()),
        Err(_) if is_ignored => return Ok(Vec::new()),
        Err(why) => return Ok(vec![why]),
    }
    let key = key(invocation);
    if only.is_some_and(|only| !only.contains(&key)) {
        return Ok(Vec::new());
    }
    let mut environment = environment(spec);
    let variables = environment.compile_variables(spec);
    let mut problems = Vec::new();
    for mutation in list(spec, "/mutations") {
        let read = read(draft)?;
        let inputs = read.inputs(&invocation.params);
        let (purpose, field) = match text(mutation, "/patchType") {
            "JSONPatch" => (Purpose::JsonPatch, "/jsonPatch/expression"),
            _ => (
                Purpose::ApplyConfiguration,
                "/applyConfiguration/expression",
            ),
        };
        let source = text(mutation, field);
        let compiled = environment.compile(source, purpose);
        let value = Activation::new(&inputs, &variables, BUDGET).evaluate(source, &compiled);
        let changed = value
            .map_err(|why| Problem::Failed(why.message()))
            .and_then(|value| {
                mutation::apply(
                    &request.target,
                    &invocation.version,
                    purpose,
                    &value,
                    inputs.object,
                )
            });
        match changed {
            Ok(object) => replace(store, request, draft, &invocation.version, object)?,
            Err(Problem::Failed(why)) => problems.push(why),
            Err(Problem::Broken(status)) => return Err(status),
        }
    }
    if text(spec, "/reinvocationPolicy") == "IfNeeded" {
        draft.invoked.push(key);
    }
    problems.retain(|_| !is_ignored);
    Ok(problems)
}

/// Replaces the new state by an object in the version of a policy.
fn replace(
    store: &Store,
    request: &Request,
    draft: &mut Draft,
    version: &str,
    object: Value,
) -> Answer<()> {
    let target = &request.target;
    let object = if version == target.version {
        object
    } else {
        let object = std::sync::Arc::new(object);
        Value::clone(&*convert::load(store, target, &object)?)
    };
    admission::set_object(request, draft, object).map_err(|why| internal(&why.message))
}

/// Identifies an invocation.
fn key(invocation: &Invocation) -> String {
    let params = &invocation.params;
    let parts = [
        object::name(&invocation.policy),
        object::name(&invocation.binding),
        object::namespace(params),
        object::name(params),
    ];
    parts.join("/")
}
