//! Validates `LimitRanges`.

use std::collections::{BTreeMap, BTreeSet};

use kube_codegen_formats::names;
use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Value, json};

use super::{super::scalar::quantity, Causes};
use crate::values::object::{at, list, text};

/// Resources that containers may limit.
const OF_CONTAINERS: &[&str] = &["cpu", "memory", "ephemeral-storage"];
/// Resources without a domain.
const STANDARD: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
const TYPES: &[&str] = &["Pod", "Container", "PersistentVolumeClaim"];

type Amounts<'a> = BTreeMap<&'a str, (&'a Value, ParsedQuantity)>;

pub(crate) fn range(it: &mut Causes, object: &Value) {
    let mut seen = BTreeSet::new();
    for (index, limit) in list(object, "/spec/limits").iter().enumerate() {
        let path = format!("spec.limits[{index}]");
        let of = text(limit, "/type");
        kind(it, &format!("{path}.type"), of);
        if !seen.insert(of) {
            it.duplicate(format!("{path}.type"), json!(of));
        }
        let read = |it: &mut Causes, field: &str| amounts(it, &path, of, limit, field);
        let (most, least) = (read(it, "max"), read(it, "min"));
        let (mut usual, mut requested) = (Amounts::new(), Amounts::new());
        if of == "Pod" {
            for field in ["default", "defaultRequest"] {
                if at(limit, &format!("/{field}"))
                    .as_object()
                    .is_some_and(|all| !all.is_empty())
                {
                    let why = "may not be specified when `type` is 'Pod'";
                    it.forbidden(format!("{path}.{field}"), why);
                }
            }
        } else {
            usual = read(it, "default");
            requested = read(it, "defaultRequest");
        }
        let has_storage = |amounts: &Amounts<'_>| amounts.contains_key("storage");
        if of == "PersistentVolumeClaim" && !has_storage(&most) && !has_storage(&least) {
            let why =
                "either minimum or maximum storage value is required, but neither was provided";
            it.required(format!("{path}.limits"), why);
        }
        let ratios = read(it, "maxLimitRequestRatio");
        let all = [&most, &least, &usual, &requested, &ratios];
        let names: BTreeSet<&str> = all.iter().flat_map(|it| it.keys().copied()).collect();
        for name in names {
            let bounds = all.map(|amounts| amounts.get(name));
            compare(it, &path, name, bounds);
        }
    }
}

/// Validates a type of limit.
fn kind(it: &mut Causes, path: &str, of: &str) {
    for why in names::qualified_name(of) {
        it.invalid(path, json!(of), why);
    }
    if !of.is_empty()
        && names::qualified_name(of).is_empty()
        && !of.contains('/')
        && !TYPES.contains(&of)
    {
        it.invalid(
            path,
            json!(of),
            "must be a standard limit type or fully qualified",
        );
    }
}

fn amounts<'a>(
    it: &mut Causes,
    path: &str,
    of: &str,
    limit: &'a Value,
    field: &str,
) -> Amounts<'a> {
    let all = at(limit, &format!("/{field}"))
        .as_object()
        .into_iter()
        .flatten();
    let mut found = Amounts::new();
    for (name, amount) in all {
        let path = format!("{path}.{field}[{name}]");
        for why in names::qualified_name(name) {
            it.invalid(&path, json!(name), why);
        }
        if !name.contains('/') {
            let is_huge = name.starts_with("hugepages-");
            let is_limited = OF_CONTAINERS.contains(&name.as_str()) || is_huge;
            if matches!(of, "Pod" | "Container") && !is_limited {
                it.invalid(
                    &path,
                    json!(name),
                    "must be a standard resource for containers",
                );
            }
            if !STANDARD.contains(&name.as_str()) && !is_huge {
                let why = "must be a standard resource type or fully qualified";
                it.invalid(&path, json!(name), why);
            }
        }
        if let Some(parsed) = quantity(amount) {
            found.insert(name, (amount, parsed));
        }
    }
    found
}

/// Compares the bounds of one resource: most, least, default, default request and ratio.
fn compare(
    it: &mut Causes,
    path: &str,
    name: &str,
    bounds: [Option<&(&Value, ParsedQuantity)>; 5],
) {
    let [most, least, usual, requested, ratio] = bounds;
    let exceeds =
        |one: &(&Value, ParsedQuantity), other: &(&Value, ParsedQuantity)| one.1 > other.1;
    let mut check = |one: Option<&(&Value, ParsedQuantity)>,
                     other: Option<&(&Value, ParsedQuantity)>,
                     field: &str,
                     shows_first: bool,
                     words: [&str; 2]| {
        if let (Some(one), Some(other)) = (one, other)
            && exceeds(one, other)
        {
            let shown = if shows_first { one.0 } else { other.0 };
            let why = format!(
                "{} {} is greater than {} {}",
                words[0], one.1, words[1], other.1
            );
            it.invalid(format!("{path}.{field}[{name}]"), shown, why);
        }
    };
    check(least, most, "min", true, ["min value", "max value"]);
    check(
        least,
        requested,
        "defaultRequest",
        false,
        ["min value", "default request value"],
    );
    check(
        requested,
        most,
        "defaultRequest",
        true,
        ["default request value", "max value"],
    );
    check(
        requested,
        usual,
        "defaultRequest",
        true,
        ["default request value", "default limit value"],
    );
    check(
        least,
        usual,
        "default",
        true,
        ["min value", "default value"],
    );
    check(
        usual,
        most,
        "default",
        false,
        ["default value", "max value"],
    );
    let Some((shown, ratio)) = ratio else {
        overcommit(it, path, name, usual, requested);
        return;
    };
    let path_of_ratio = format!("{path}.maxLimitRequestRatio[{name}]");
    if ratio.nanos() < 1_000_000_000 {
        it.invalid(
            &path_of_ratio,
            shown,
            format!("ratio {ratio} is less than 1"),
        );
    }
    if let (Some(least), Some(most)) = (least, most) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the server compares ratios as floats"
        )]
        let [ratio_of, limit] = [
            ratio.nanos() as f64 / 1e9,
            most.1.nanos() as f64 / least.1.nanos() as f64,
        ];
        if ratio_of > limit {
            let why = format!("ratio {ratio} is greater than max/min = {limit:.6}");
            it.invalid(path_of_ratio, shown, why);
        }
    }
    overcommit(it, path, name, usual, requested);
}

/// Demands equal defaults for resources that are not shared.
fn overcommit(
    it: &mut Causes,
    path: &str,
    name: &str,
    usual: Option<&(&Value, ParsedQuantity)>,
    requested: Option<&(&Value, ParsedQuantity)>,
) {
    let is_shared = !name.contains('/') && !name.starts_with("hugepages-");
    if let (false, Some(usual), Some(requested)) = (is_shared, usual, requested)
        && usual.1 != requested.1
    {
        let why = format!(
            "default value {} must equal to defaultRequest value {} in {name}",
            usual.1, requested.1
        );
        it.invalid(format!("{path}.defaultRequest[{name}]"), requested.0, why);
    }
}
