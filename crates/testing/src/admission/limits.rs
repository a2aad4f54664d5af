//! The admission plugin `LimitRanger`: the defaults and bounds that the `LimitRanges` of a namespace set for Pods and claims.

use std::{collections::BTreeMap, sync::Arc};

use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Map, Value};

use crate::{
    kinds::{builtin::quantity, kind::Kind, status::forbidden, store::Store},
    request::Request,
    values::{
        object::{self, at, deleting, list, map, section, text},
        status::Answer,
    },
};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";
/// Beyond this number, amounts are compared in whole units (`resource.MaxMilliValue`).
const MAX_MILLI: i128 = i64::MAX as i128 / 1000;
const NANO: i128 = 1_000_000_000;

/// Amounts of resources by their names.
type Amounts = BTreeMap<String, ParsedQuantity>;

/// Gives the containers of a new Pod the requests and limits that they omit.
pub(crate) fn set_defaults(store: &Store, kind: &Kind, pod: &mut Value) {
    if !kind.is_pod() {
        return;
    }
    for range in ranges(store, object::namespace(pod)) {
        let of_containers = list(&range, "/spec/limits").iter();
        let of_containers = of_containers.filter(|it| text(it, "/type") == "Container");
        let (mut requests, mut limits) = (Map::new(), Map::new());
        for limit in of_containers {
            for (all, field) in [
                (&mut requests, "/defaultRequest"),
                (&mut limits, "/default"),
            ] {
                let own = at(limit, field).as_object().into_iter().flatten();
                all.extend(own.map(|(name, amount)| (name.clone(), amount.clone())));
            }
        }
        let mut notes = Vec::new();
        for (field, called) in [
            ("containers", "container"),
            ("initContainers", "init container"),
        ] {
            let containers = section(pod, "spec").get_mut(field);
            let containers = containers.and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                let name = object::text(container, "/name").to_owned();
                let resources = section(container, "resources");
                for (field, missing, what) in [
                    ("requests", &requests, "request"),
                    ("limits", &limits, "limit"),
                ] {
                    let set = fill(resources, field, missing);
                    if !set.is_empty() {
                        notes.push(format!("{} {what} for {called} {name}", set.join(", ")));
                    }
                }
            }
        }
        if !notes.is_empty() {
            let note = format!("LimitRanger plugin set: {}", notes.join("; "));
            let annotations = section(pod, "metadata").entry("annotations");
            map(annotations.or_insert(Value::Null)).insert(ANNOTATION.to_owned(), note.into());
        }
    }
}

/// Adds the amounts that are missing, and returns their names in order.
fn fill(
    resources: &mut Map<String, Value>,
    field: &str,
    missing: &Map<String, Value>,
) -> Vec<String> {
    let own = map(resources.entry(field).or_insert(Value::Null));
    let mut set = Vec::new();
    for (name, amount) in missing {
        if !own.contains_key(name) {
            own.insert(name.clone(), amount.clone());
            set.push(name.clone());
        }
    }
    set.sort_unstable();
    set
}

/// Rejects a new Pod, or a new or changed claim, that exceeds the bounds of its namespace.
pub(crate) fn check(
    store: &Store,
    request: &Request,
    old: Option<&Value>,
    object: &Value,
) -> Answer<()> {
    let kind = &request.target.kind;
    let is_pod = kind.is_pod() && old.is_none();
    let is_claim = kind.group.is_empty() && kind.kind == "PersistentVolumeClaim";
    if !(is_pod || is_claim) || !request.target.subresource.is_empty() || old.is_some_and(deleting)
    {
        return Ok(());
    }
    for range in ranges(store, object::namespace(object)) {
        let mut found = Vec::new();
        for limit in list(&range, "/spec/limits") {
            let mut bounds = Bounds {
                limit,
                found: &mut found,
            };
            match text(limit, "/type") {
                "Container" if is_pod => {
                    for container in containers(object) {
                        let of = |field| amounts(at(container, field));
                        bounds.check(&of("/resources/requests"), &of("/resources/limits"));
                    }
                }
                "Pod" if is_pod => {
                    bounds.check(&total(object, "requests"), &total(object, "limits"));
                }
                "PersistentVolumeClaim" if is_claim => {
                    bounds.check_requests(&amounts(at(object, "/spec/resources/requests")));
                }
                _ => {}
            }
        }
        let mut messages: Vec<String> = Vec::new();
        for message in found {
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        let why = match messages.as_slice() {
            [] => continue,
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        return Err(forbidden(kind, object::name(object), &why));
    }
    Ok(())
}

/// The bounds of one type in a `LimitRange`, and what exceeds them.
struct Bounds<'a> {
    limit: &'a Value,
    found: &'a mut Vec<String>,
}

impl Bounds<'_> {
    fn check(&mut self, requests: &Amounts, limits: &Amounts) {
        let of = text(self.limit, "/type");
        self.check_minimum(requests, limits);
        for (name, bound) in amounts(at(self.limit, "/max")) {
            let (request, limit) = (requests.get(&name), limits.get(&name));
            let start = format!("maximum {name} usage per {of} is {bound}");
            let exceeds = |it: &&ParsedQuantity| compared([it, &bound]).is_gt();
            self.found.extend(match (limit, request) {
                (None, _) => Some(format!("{start}.  No limit is specified")),
                (Some(limit), _) if exceeds(&limit) => {
                    Some(format!("{start}, but limit is {limit}"))
                }
                (_, Some(request)) if exceeds(&request) => {
                    Some(format!("{start}, but request is {request}"))
                }
                _ => None,
            });
        }
        for (name, bound) in amounts(at(self.limit, "/maxLimitRequestRatio")) {
            let start = format!("{name} max limit to request ratio per {of} is {bound}");
            let amount = |of: &Amounts| of.get(&name).map_or(0, |it| it.nanos());
            let (request, limit) = (amount(requests), amount(limits));
            self.found.extend(if request == 0 {
                Some(format!(
                    "{start}, but no request is specified or request is 0"
                ))
            } else if limit == 0 {
                Some(format!("{start}, but no limit is specified or limit is 0"))
            } else {
                let (ratio, most) = (quotient(limit, request), quotient(bound.nanos(), NANO));
                (ratio > most).then(|| format!("{start}, but provided ratio is {ratio:.6}"))
            });
        }
    }

    /// Only the requests of a claim are bounded.
    fn check_requests(&mut self, requests: &Amounts) {
        let of = text(self.limit, "/type");
        self.check_minimum(requests, &Amounts::new());
        for (name, bound) in amounts(at(self.limit, "/max")) {
            let start = format!("maximum {name} usage per {of} is {bound}");
            self.found.extend(match requests.get(&name) {
                None => Some(format!("{start}.  No request is specified")),
                Some(request) if compared([request, &bound]).is_gt() => {
                    Some(format!("{start}, but request is {request}"))
                }
                Some(_) => None,
            });
        }
    }

    fn check_minimum(&mut self, requests: &Amounts, limits: &Amounts) {
        let of = text(self.limit, "/type");
        for (name, bound) in amounts(at(self.limit, "/min")) {
            let (request, limit) = (requests.get(&name), limits.get(&name));
            let start = format!("minimum {name} usage per {of} is {bound}");
            let falls_short = |it: &&ParsedQuantity| compared([it, &bound]).is_lt();
            self.found.extend(match (request, limit) {
                (None, _) => Some(format!("{start}.  No request is specified")),
                (Some(request), _) if falls_short(&request) => {
                    Some(format!("{start}, but request is {request}"))
                }
                (_, Some(limit)) if falls_short(&limit) => {
                    Some(format!("{start}, but limit is {limit}"))
                }
                _ => None,
            });
        }
    }
}

/// Compares two amounts: in thousandths, or in whole units if one is too large. Both are rounded up.
fn compared(amounts: [&ParsedQuantity; 2]) -> std::cmp::Ordering {
    let [one, other] = amounts.map(|it| it.nanos());
    let up =
        |nano: i128, unit: i128| nano.div_euclid(unit) + i128::from(nano.rem_euclid(unit) != 0);
    let is_exact = up(one, NANO) <= MAX_MILLI && up(other, NANO) <= MAX_MILLI;
    let unit = if is_exact { NANO / 1000 } else { NANO };
    up(one, unit).cmp(&up(other, unit))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the server compares ratios as floats"
)]
fn quotient(one: i128, other: i128) -> f64 {
    one as f64 / other as f64
}

fn ranges(store: &Store, namespace: &str) -> Vec<Arc<Value>> {
    let kind = store.kinds.named("v1", "LimitRange");
    kind.map(|kind| store.list(kind, namespace))
        .unwrap_or_default()
}

fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let first = list(pod, "/spec/initContainers");
    list(pod, "/spec/containers").iter().chain(first)
}

fn amounts(resources: &Value) -> Amounts {
    let all = resources.as_object().into_iter().flatten();
    all.filter_map(|(name, amount)| Some((name.clone(), quantity(amount)?)))
        .collect()
}

/// Returns what a Pod requests, or its limits: the sum of its containers, at least that of any init container with the sidecars
/// before it.
fn total(pod: &Value, field: &str) -> Amounts {
    let of = |container: &Value| amounts(at(container, &format!("/resources/{field}")));
    let mut sum = Amounts::new();
    for container in list(pod, "/spec/containers") {
        add(&mut sum, &of(container));
    }
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in list(pod, "/spec/initContainers") {
        let own = of(container);
        let mut at_once = sidecars.clone();
        add(&mut at_once, &own);
        if text(container, "/restartPolicy") == "Always" {
            add(&mut sum, &own);
            sidecars.clone_from(&at_once);
        }
        raise(&mut most, &at_once);
    }
    raise(&mut sum, &most);
    let of_pod = amounts(at(pod, &format!("/spec/resources/{field}")));
    let supported = |name: &String| matches!(name.as_str(), "cpu" | "memory");
    sum.extend(of_pod.into_iter().filter(|(name, _)| supported(name)));
    sum
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let whole = sum.get(name).map_or(*amount, |own| *own + *amount);
        sum.insert(name.clone(), whole);
    }
}

fn raise(most: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        if most.get(name).is_none_or(|own| own < amount) {
            most.insert(name.clone(), *amount);
        }
    }
}
