//! Asks the webhooks of the same process while an object is written.

use kube::core::response::Status;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    admission::{
        Change, Draft,
        webhooks::{call::patch_of, patched, replace, review},
    },
    kinds::{status::forbidden, store::Store},
    request::{Notes, Request},
    values::status::{Answer, error},
    webhooks::{Subject, Webhook, condition},
};

/// Lets the mutating webhooks change the new state.
pub(crate) fn mutate(
    store: &Store,
    request: &Request,
    draft: &mut Draft,
    notes: &mut Notes,
) -> Answer<()> {
    let webhooks = &store.webhooks;
    for webhook in webhooks.matching(true, &subject(request, draft.operation(), &draft.object)) {
        let change = Change::write(request, draft);
        let response = call(webhook, request, &change, notes)?;
        let operations = patch_of(&response.unwrap_or_default());
        let Some(operations) = operations.map_err(|why| failed(webhook, &why.to_string()))? else {
            continue;
        };
        let object = patched(&webhook.name, draft.object.clone(), &operations)?;
        replace(request, draft, &webhook.name, object)?;
    }
    Ok(())
}

/// Asks the validating webhooks about a write.
pub(crate) fn validate(
    store: &Store,
    request: &Request,
    draft: &Draft,
    notes: &mut Notes,
) -> Answer<()> {
    ask(
        store,
        request,
        draft.operation(),
        &draft.object,
        notes,
        || Change::write(request, draft),
    )
}

/// Asks the validating webhooks about a deletion.
pub(crate) fn validate_deletion(
    store: &Store,
    request: &Request,
    old: &Value,
    notes: &mut Notes,
) -> Answer<()> {
    ask(store, request, "DELETE", old, notes, || {
        Change::deletion(&request.target, old)
    })
}

fn ask(
    store: &Store,
    request: &Request,
    operation: &str,
    object: &Value,
    notes: &mut Notes,
    change: impl Fn() -> Change,
) -> Answer<()> {
    let webhooks = &store.webhooks;
    for webhook in webhooks.matching(false, &subject(request, operation, object)) {
        call(webhook, request, &change(), notes)?;
    }
    Ok(())
}

fn subject<'a>(request: &'a Request, operation: &'a str, object: &'a Value) -> Subject<'a> {
    let target = &request.target;
    Subject {
        operation,
        group: &target.kind.group,
        version: &target.version,
        plural: &target.kind.plural,
        subresource: &target.subresource,
        object,
    }
}

/// Returns the response that admits the object; `None` if the webhook is not called, or failed and failures are ignored.
fn call(
    webhook: &Webhook,
    request: &Request,
    change: &Change,
    notes: &mut Notes,
) -> Answer<Option<Value>> {
    let target = &request.target;
    let mut asked = change.request(request, &target.version);
    asked["object"] = change.new.clone();
    asked["oldObject"] = change.old.clone();
    match condition::holds(&webhook.conditions, &asked) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(_) if webhook.ignores_failures => return Ok(None),
        Err(why) => return Err(forbidden(&target.kind, &target.name, &why)),
    }
    let response = match webhook.ask(review(&asked)) {
        Ok(review) => review["response"].clone(),
        Err(_) if webhook.ignores_failures => return Ok(None),
        Err(why) => return Err(failed(webhook, &why)),
    };
    let warnings = response["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|it| it.as_str().map(str::to_owned));
    notes.warnings.extend(warnings);
    if response["allowed"] == true {
        return Ok(Some(response));
    }
    // As kube-apiserver: the status of the webhook, with its own introduction.
    let mut status = Status::deserialize(&response["status"]).unwrap_or_default();
    let why = match &*status.message {
        "" => "without explanation",
        message => message,
    };
    status.message = format!(
        "admission webhook {:?} denied the request: {why}",
        webhook.name
    );
    if status.code == 0 {
        status.code = 403;
    }
    if status.reason.is_empty() {
        "Forbidden".clone_into(&mut status.reason);
    }
    Err(status.boxed())
}

fn failed(webhook: &Webhook, why: &str) -> Box<Status> {
    let message = format!(
        "Internal error occurred: failed calling webhook {:?}: failed to call webhook: {why}",
        webhook.name
    );
    error(500, "InternalError", &message)
}
