//! `ValidatingAdmissionPolicy`: validations that deny a request, or warn about it
//! (`k8s.io/apiserver/pkg/admission/plugin/policy/validating`). There are no audit logs.

use kube::core::response::Status;
use serde_json::Value;

use super::invocation::{Invocation, Misconfigured, Read, conditions_hold, environment, policies};
use crate::{
    admission::{Change, Draft},
    kinds::{status::forbidden, store::Store},
    policies::{Activation, BUDGET, Compiled, Failure, Inputs, Purpose},
    request::{Notes, Request, Verb},
    values::{
        object::{self, list, strings, text},
        status::{Answer, cause},
    },
};

const KIND: &str = "ValidatingAdmissionPolicy";
/// The longest message that an expression may give, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// Asks the policies about a write.
pub(crate) fn validate(
    store: &Store,
    request: &Request,
    draft: &Draft,
    notes: &mut Notes,
) -> Answer<()> {
    let subresource = request.target.subresource.as_str();
    if !matches!(subresource, "" | "status" | "scale") {
        return Ok(());
    }
    ask(store, request, notes, || Change::write(request, draft))
}

/// Asks the policies about a deletion.
pub(crate) fn validate_deletion(
    store: &Store,
    request: &Request,
    old: &Value,
    notes: &mut Notes,
) -> Answer<()> {
    ask(store, request, notes, || {
        Change::deletion(&request.target, old)
    })
}

/// Why a request is denied.
struct Decision {
    message: String,
    reason: String,
}

impl Decision {
    fn new(message: String) -> Self {
        Self {
            message,
            reason: String::new(),
        }
    }
}

fn ask(
    store: &Store,
    request: &Request,
    notes: &mut Notes,
    change: impl FnOnce() -> Change,
) -> Answer<()> {
    let policies = policies(store, request, KIND);
    if policies.is_empty() {
        return Ok(());
    }
    let change = change();
    let mut denied = None;
    for policy in policies {
        for invocation in policy.invocations(store, request, &change) {
            let decision = match invocation {
                Ok(invocation) => judge(store, request, &change, &invocation, notes)?,
                Err(misconfigured) => misconfiguration(misconfigured),
            };
            denied = denied.or(decision);
        }
    }
    denied.map_or(Ok(()), |decision| Err(denial(request, &change, &decision)))
}

fn misconfiguration(problem: Misconfigured) -> Option<Decision> {
    let Misconfigured {
        policy,
        binding,
        why,
    } = problem;
    if text(&policy, "/spec/failurePolicy") == "Ignore" {
        return None;
    }
    let name = object::name(&policy);
    Some(Decision::new(match binding {
        Some(binding) => of_binding(name, object::name(&binding), &why),
        None => format!("{KIND} '{name}' denied request: {why}"),
    }))
}

fn of_binding(policy: &str, binding: &str, why: &str) -> String {
    format!("{KIND} '{policy}' with binding '{binding}' denied request: {why}")
}

/// Evaluates a policy, gives its warnings and returns why the request is denied, if it is.
fn judge(
    store: &Store,
    request: &Request,
    change: &Change,
    invocation: &Invocation,
    notes: &mut Notes,
) -> Answer<Option<Decision>> {
    let read = Read::of(store, request, change, &invocation.version)?;
    let spec = &invocation.policy["spec"];
    let (decisions, broken) = decide(spec, &read.inputs(&invocation.params));
    let (policy, binding) = (
        object::name(&invocation.policy),
        object::name(&invocation.binding),
    );
    let actions = strings(&invocation.binding, "/spec/validationActions");
    let mut denied = None;
    for decision in decisions {
        let Decision { message, reason } = decision;
        for action in &actions {
            match action.as_str() {
                "Deny" => {
                    let message = of_binding(policy, binding, &message);
                    let reason = reason.clone();
                    denied = denied.or(Some(Decision { message, reason }));
                }
                "Warn" => notes.warnings.push(format!(
                    "Validation failed for {KIND} '{policy}' with binding '{binding}': {message}"
                )),
                _ => {}
            }
        }
    }
    // An annotation that fails denies the request, whatever the actions are.
    let broken = broken.map(|why| Decision::new(of_binding(policy, binding, &why)));
    Ok(denied.or(broken))
}

/// Returns what the validations of a policy object to, and why an audit annotation has no value.
fn decide(spec: &Value, inputs: &Inputs<'_>) -> (Vec<Decision>, Option<String>) {
    let is_ignored = text(spec, "/failurePolicy") == "Ignore";
    let failed = |why: String| {
        let decision = (!is_ignored).then(|| Decision::new(why));
        (decision.into_iter().collect(), None)
    };
    match conditions_hold(spec, inputs) {
        Ok(true) => {}
        Ok(false) => return (Vec::new(), None),
        Err(why) => return failed(why),
    }
    let mut environment = environment(spec);
    let variables = environment.compile_variables(spec);
    let mut activation = Activation::new(inputs, &variables, BUDGET);
    let validations = list(spec, "/validations");
    let mut results = Vec::with_capacity(validations.len());
    for validation in validations {
        let source = text(validation, "/expression");
        let compiled = environment.compile(source, Purpose::Condition);
        match activation.evaluate(source, &compiled) {
            Err(Failure::Budget(why)) => return failed(why),
            result => results.push(result),
        }
    }
    environment.has_authorizer = false;
    let mut decisions = Vec::new();
    let mut is_out_of_budget = None;
    for (validation, result) in validations.iter().zip(results) {
        let source = text(validation, "/messageExpression");
        let given = match (source, &is_out_of_budget) {
            ("", _) | (_, Some(_)) => None,
            _ => {
                let compiled = environment.compile(source, Purpose::Message);
                match activation.evaluate(source, &compiled) {
                    Ok(value) => value.as_str().map(str::to_owned),
                    Err(Failure::Error(_)) => None,
                    Err(Failure::Budget(why)) => {
                        is_out_of_budget = Some(why);
                        None
                    }
                }
            }
        };
        match (result, &is_out_of_budget) {
            (Err(why), _) if !is_ignored => decisions.push(Decision::new(why.message())),
            (Ok(_), Some(why)) if !is_ignored => {
                decisions.push(Decision::new(format!("failed messageExpression: {why}")));
            }
            (Err(_), _) | (_, Some(_)) => {}
            (Ok(value), None) if value.as_bool() == Some(true) => {}
            (Ok(_), None) => decisions.push(Decision {
                message: message(validation, given.as_deref()),
                reason: text(validation, "/reason").to_owned(),
            }),
        }
    }
    let mut activation = Activation::new(inputs, &variables, BUDGET);
    let mut broken = None;
    environment.has_authorizer = true;
    for annotation in list(spec, "/auditAnnotations") {
        let source = text(annotation, "/valueExpression");
        let compiled: Result<Compiled, String> = environment.compile(source, Purpose::Annotation);
        if let Err(why) = activation.evaluate(source, &compiled) {
            broken = broken.or(Some(why.message())).filter(|_| !is_ignored);
        }
    }
    (decisions, broken)
}

/// Returns what a validation says when it fails: the value of its message expression, its message or its expression.
fn message(validation: &Value, given: Option<&str>) -> String {
    let given = given.unwrap_or_default().trim();
    let is_fit = given.len() <= LONGEST_MESSAGE && !given.contains('\n');
    let fixed = text(validation, "/message").trim();
    match [given, fixed] {
        [given, _] if is_fit && !given.is_empty() => given.to_owned(),
        [_, fixed] if !fixed.is_empty() => fixed.to_owned(),
        _ => format!(
            "failed expression: {}",
            text(validation, "/expression").trim()
        ),
    }
}

fn denial(request: &Request, change: &Change, decision: &Decision) -> Box<Status> {
    let name = match request.verb {
        // A collection has no name.
        Verb::DeleteCollection => "Unknown",
        _ => object::name(change.object()),
    };
    let mut status = forbidden(&request.target.kind, name, &decision.message);
    let (code, reason) = match decision.reason.as_str() {
        "Forbidden" => (403, "Forbidden"),
        "Unauthorized" => (401, "Unauthorized"),
        "RequestEntityTooLarge" => (413, "RequestEntityTooLarge"),
        _ => (422, "Invalid"),
    };
    status.code = code;
    reason.clone_into(&mut status.reason);
    if let Some(details) = &mut status.details {
        if request.verb == Verb::DeleteCollection {
            "Unknown".clone_into(&mut details.name);
        }
        details
            .causes
            .push(cause("", "", decision.message.as_str()));
    }
    status
}
