//! Decides whether the names of a definition are accepted, and sets its status.

use serde_json::{Value, json};

use crate::{
    kinds::kind::{Kind, Kinds},
    values::object::{self, at, flag, list, map, now, section, strings, text},
    webhooks,
};

/// Returns the name of a definition that another one of its group has already, and what kind of name it is.
fn taken(kinds: &Kinds, crd: &Value) -> Option<(&'static str, String)> {
    let spec = at(crd, "/spec/names");
    let mut wanted = vec![("PluralConflict", text(spec, "/plural").to_owned())];
    wanted.push(("SingularConflict", text(spec, "/singular").to_owned()));
    wanted.extend(
        strings(spec, "/shortNames")
            .into_iter()
            .map(|name| ("ShortNamesConflict", name)),
    );
    let named = [
        ("KindConflict", text(spec, "/kind")),
        ("ListKindConflict", text(spec, "/listKind")),
    ];
    let others: Vec<&Kind> = kinds
        .iter()
        .map(|kind| &**kind)
        .filter(|kind| {
            kind.group == text(crd, "/spec/group") && kind.plural != text(spec, "/plural")
        })
        .collect();
    let resource = wanted.into_iter().find(|(_, name)| {
        others
            .iter()
            .any(|it| it.plural == *name || it.singular == *name || it.short_names.contains(name))
    });
    resource.or_else(|| {
        named
            .into_iter()
            .find(|(_, name)| {
                others
                    .iter()
                    .any(|it| it.kind == *name || it.list_kind == *name)
            })
            .map(|(reason, name)| (reason, name.to_owned()))
    })
}

/// Returns whether a definition is served, with its status.
pub(crate) fn establish(kinds: &Kinds, crd: &Value) -> (bool, Value) {
    let conflict = taken(kinds, crd);
    let condition = |name: &str, holds: bool, reason: &str, message: &str| {
        let status = if holds { "True" } else { "False" };
        let old = list(crd, "/status/conditions").iter().find(|old| {
            text(old, "/type") == name
                && text(old, "/status") == status
                && text(old, "/reason") == reason
        });
        let since = old.map_or_else(now, |old| at(old, "/lastTransitionTime").clone());
        json!({"type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": since})
    };
    let conditions = match &conflict {
        None => [
            condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
            if webhooks::conversion_flaw(crd).is_some() {
                condition(
                    "Established",
                    false,
                    "InvalidCABundle",
                    "The conversion webhook CABundle is invalid",
                )
            } else {
                condition(
                    "Established",
                    true,
                    "InitialNamesAccepted",
                    "the initial names have been accepted",
                )
            },
        ],
        Some((reason, name)) => [
            condition(
                "NamesAccepted",
                false,
                reason,
                &format!("{name:?} is already in use"),
            ),
            condition(
                "Established",
                false,
                "NotAccepted",
                "not all names are accepted",
            ),
        ],
    };
    let own = ["NamesAccepted", "Established"];
    let others = list(crd, "/status/conditions").iter();
    let others = others.filter(|it| !own.contains(&text(it, "/type")));
    let conditions: Vec<Value> = conditions.into_iter().chain(others.cloned()).collect();
    let mut stored = strings(crd, "/status/storedVersions");
    let storage = list(crd, "/spec/versions")
        .iter()
        .find(|version| flag(version, "/storage"));
    if let Some(name) = storage.map(|version| text(version, "/name").to_owned())
        && !stored.contains(&name)
    {
        stored.push(name);
    }
    let mut status = at(crd, "/status").clone();
    let fields = map(&mut status);
    fields.insert("conditions".to_owned(), conditions.into());
    fields.insert("storedVersions".to_owned(), stored.into());
    if conflict.is_none() {
        fields.insert("acceptedNames".to_owned(), at(crd, "/spec/names").clone());
    } else {
        section(&mut status, "acceptedNames");
    }
    (conflict.is_none() && !object::name(crd).is_empty(), status)
}
