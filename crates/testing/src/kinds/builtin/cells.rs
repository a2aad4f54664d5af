//! Cells of tables that are computed from several fields, as kube-apiserver's printers do.

use k8s_openapi::jiff::Timestamp;
use kube_codegen_record::walk::human_duration;
use serde_json::Value;

use crate::values::object::{at, list, text};

pub(super) fn replicas(object: &Value) -> String {
    let number = |pointer: &str| at(object, pointer).as_i64().unwrap_or_default();
    format!(
        "{}/{}",
        number("/status/readyReplicas"),
        number("/spec/replicas")
    )
}

pub(super) fn data(object: &Value) -> String {
    (count(at(object, "/data")) + count(at(object, "/binaryData"))).to_string()
}

pub(super) fn ready(object: &Value) -> String {
    let ready = list(object, "/status/containerStatuses").iter();
    let ready = ready.filter(|it| at(it, "/ready") == true).count();
    format!("{ready}/{}", list(object, "/spec/containers").len())
}

pub(super) fn pod_status(object: &Value) -> String {
    if at(object, "/metadata/deletionTimestamp").is_string() {
        "Terminating".to_owned()
    } else {
        reason(object)
    }
}

pub(super) fn restarts(object: &Value) -> String {
    let statuses = list(object, "/status/containerStatuses").iter();
    let restarts = statuses.filter_map(|it| at(it, "/restartCount").as_i64());
    restarts.sum::<i64>().to_string()
}

pub(super) fn node_selector(object: &Value) -> String {
    let labels = at(object, "/spec/template/spec/nodeSelector").as_object();
    let labels = labels.into_iter().flatten();
    let labels = labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    let labels: Vec<String> = labels.collect();
    if labels.is_empty() {
        "<none>".to_owned()
    } else {
        labels.join(",")
    }
}

pub(super) fn external_ip(object: &Value) -> String {
    match text(object, "/spec/type") {
        "ExternalName" => text(object, "/spec/externalName").to_owned(),
        "LoadBalancer" => match addresses(object) {
            names if names.is_empty() => "<pending>".to_owned(),
            names => names.join(","),
        },
        _ => "<none>".to_owned(),
    }
}

pub(super) fn ports(object: &Value) -> String {
    let ports = list(object, "/spec/ports").iter().map(|port| {
        let (number, protocol) = (at(port, "/port"), text(port, "/protocol"));
        match at(port, "/nodePort").as_i64() {
            Some(node) => format!("{number}:{node}/{protocol}"),
            None => format!("{number}/{protocol}"),
        }
    });
    let ports: Vec<String> = ports.collect();
    if ports.is_empty() {
        "<none>".to_owned()
    } else {
        ports.join(",")
    }
}

/// How long ago an object was created.
pub(crate) fn age(object: &Value) -> String {
    since(text(object, "/metadata/creationTimestamp"))
}

pub(super) fn suspend(object: &Value) -> String {
    match at(object, "/spec/suspend") {
        Value::Bool(true) => "True".to_owned(),
        _ => "False".to_owned(),
    }
}

pub(super) fn last_schedule(object: &Value) -> String {
    match text(object, "/status/lastScheduleTime") {
        "" => "<none>".to_owned(),
        time => since(time),
    }
}

pub(super) fn time_zone(object: &Value) -> String {
    or_text(at(object, "/spec/timeZone"), "<none>")
}

pub(super) fn global_default(object: &Value) -> String {
    (at(object, "/globalDefault") == true).to_string()
}

/// What an autoscaler scales.
pub(super) fn scaled(object: &Value) -> String {
    format!(
        "{}/{}",
        text(object, "/spec/scaleTargetRef/kind"),
        text(object, "/spec/scaleTargetRef/name")
    )
}

/// The metrics of an autoscaler: of the resources of Pods, what they use and should use.
pub(super) fn targets(object: &Value) -> String {
    let current = list(object, "/status/currentMetrics");
    let metrics = list(object, "/spec/metrics").iter().enumerate();
    let shown = metrics.map(|(index, metric)| {
        let name = text(metric, "/resource/name");
        let of = |metric: &Value, place: &str| match at(
            metric,
            &format!("/resource/{place}/averageUtilization"),
        ) {
            Value::Number(percent) => format!("{percent}%"),
            _ => text(metric, &format!("/resource/{place}/averageValue")).to_owned(),
        };
        let used = current.get(index).map(|it| of(it, "current"));
        let used = used.filter(|it| !it.is_empty());
        let used = used.unwrap_or_else(|| "<unknown>".to_owned());
        format!("{name}: {used}/{}", of(metric, "target"))
    });
    let shown: Vec<String> = shown.collect();
    match shown.as_slice() {
        [] => "<none>".to_owned(),
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} + {} more...", rest.len())
        }
        shown => shown.join(", "),
    }
}

pub(super) fn min_replicas(object: &Value) -> String {
    or_text(at(object, "/spec/minReplicas"), "<unset>")
}

pub(super) fn active(object: &Value) -> String {
    list(object, "/status/active").len().to_string()
}

pub(super) fn role(object: &Value) -> String {
    format!(
        "{}/{}",
        text(object, "/roleRef/kind"),
        text(object, "/roleRef/name")
    )
}

pub(super) fn node_status(object: &Value) -> String {
    let conditions = list(object, "/status/conditions").iter();
    let mut ready = conditions.filter(|it| text(it, "/type") == "Ready");
    let mut status = match ready.next().map(|it| text(it, "/status")) {
        Some("True") => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if at(object, "/spec/unschedulable") == true {
        status.push_str(",SchedulingDisabled");
    }
    status
}

pub(super) fn node_roles(object: &Value) -> String {
    let labels = at(object, "/metadata/labels").as_object();
    let roles = labels.into_iter().flat_map(serde_json::Map::keys);
    let roles = roles.filter_map(|it| it.strip_prefix("node-role.kubernetes.io/"));
    let roles: Vec<&str> = roles.filter(|role| !role.is_empty()).collect();
    if roles.is_empty() {
        "<none>".to_owned()
    } else {
        roles.join(",")
    }
}

pub(super) fn slice_ports(object: &Value) -> String {
    let ports = list(object, "/ports").iter();
    let ports = ports.map(|it| or_text(at(it, "/port"), "*"));
    joined(&ports.collect::<Vec<_>>(), "<unset>")
}

pub(super) fn slice_endpoints(object: &Value) -> String {
    let endpoints = list(object, "/endpoints").iter();
    let addresses = endpoints.flat_map(|it| list(it, "/addresses"));
    let addresses = addresses.map(|it| or_text(it, ""));
    joined(&addresses.collect::<Vec<_>>(), "<unset>")
}

pub(super) fn ingress_address(object: &Value) -> String {
    match addresses(object) {
        names if names.is_empty() => String::new(),
        names => names.join(","),
    }
}

pub(super) fn ingress_class(object: &Value) -> String {
    or_text(at(object, "/spec/ingressClassName"), "<none>")
}

pub(super) fn ingress_hosts(object: &Value) -> String {
    let rules = list(object, "/spec/rules").iter();
    let hosts = rules.map(|it| text(it, "/host").to_owned());
    let hosts: Vec<String> = hosts.filter(|host| !host.is_empty()).collect();
    joined(&hosts, "*")
}

pub(super) fn ingress_ports(object: &Value) -> String {
    if list(object, "/spec/tls").is_empty() {
        "80".to_owned()
    } else {
        "80, 443".to_owned()
    }
}

pub(super) fn min_available(object: &Value) -> String {
    or_text(at(object, "/spec/minAvailable"), "N/A")
}

pub(super) fn max_unavailable(object: &Value) -> String {
    or_text(at(object, "/spec/maxUnavailable"), "N/A")
}

pub(super) fn allowed(object: &Value) -> String {
    or_text(at(object, "/status/disruptionsAllowed"), "0")
}

pub(super) fn pod_selector(object: &Value) -> String {
    let labels = at(object, "/spec/podSelector/matchLabels").as_object();
    let terms = labels.into_iter().flatten();
    let terms = terms.map(|(key, value)| format!("{key}={}", or_text(value, "")));
    let terms: Vec<String> = terms.collect();
    if terms.is_empty() {
        "<none>".to_owned()
    } else {
        terms.join(",")
    }
}

pub(super) fn last_seen(object: &Value) -> String {
    let times = ["/series/lastObservedTime", "/lastTimestamp", "/eventTime"];
    let mut times = times.into_iter().map(|it| text(object, it));
    times
        .find(|time| !time.is_empty())
        .map_or_else(|| "<unknown>".to_owned(), since)
}

pub(super) fn object(object: &Value) -> String {
    format!(
        "{}/{}",
        text(object, "/involvedObject/kind").to_lowercase(),
        text(object, "/involvedObject/name")
    )
}

pub(super) fn message(object: &Value) -> String {
    text(object, "/message").trim().to_owned()
}

pub(super) fn job_status(object: &Value) -> String {
    let holds = |name: &str| {
        let conditions = list(object, "/status/conditions").iter();
        let mut of = conditions.filter(|it| text(it, "/type") == name);
        of.any(|it| text(it, "/status") == "True")
    };
    let known = ["Complete", "Failed", "Suspended", "FailureTarget"];
    match known.into_iter().find(|name| holds(name)) {
        Some(name) => name.to_owned(),
        None if !at(object, "/metadata/deletionTimestamp").is_null() => "Terminating".to_owned(),
        None => "Running".to_owned(),
    }
}

pub(super) fn completions(object: &Value) -> String {
    let done = or_text(at(object, "/status/succeeded"), "0");
    match at(object, "/spec/completions") {
        Value::Null => match at(object, "/spec/parallelism").as_i64().unwrap_or(1) {
            parallel if parallel > 1 => format!("{done}/1 of {parallel}"),
            _ => format!("{done}/1"),
        },
        wanted => format!("{done}/{wanted}"),
    }
}

pub(super) fn duration(object: &Value) -> String {
    match text(object, "/status/startTime") {
        "" => String::new(),
        start => {
            let end = text(object, "/status/completionTime");
            between(start, if end.is_empty() { None } else { Some(end) })
        }
    }
}

/// Joins the first three of several values.
fn joined(values: &[String], default: &str) -> String {
    match values {
        [] => default.to_owned(),
        values if values.len() > 3 => {
            let more = values.len() - 3;
            format!("{} + {more} more...", values[..3].join(","))
        }
        values => values.join(","),
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    }
}

/// Returns the addresses of a load balancer.
fn addresses(object: &Value) -> Vec<&str> {
    let ingress = list(object, "/status/loadBalancer/ingress").iter();
    let addresses = ingress.map(|it| match text(it, "/ip") {
        "" => text(it, "/hostname"),
        address => address,
    });
    addresses.collect()
}

/// Returns the phase of a Pod, or why its containers do not run.
fn reason(pod: &Value) -> String {
    let reason = text(pod, "/status/reason");
    let phase = if reason.is_empty() {
        text(pod, "/status/phase")
    } else {
        reason
    };
    let states = list(pod, "/status/containerStatuses").iter();
    let reasons = states.flat_map(|it| {
        let reasons = ["/state/waiting/reason", "/state/terminated/reason"];
        reasons.map(|reason| text(it, reason))
    });
    let mut reasons = reasons.filter(|reason| !reason.is_empty());
    reasons.next().unwrap_or(phase).to_owned()
}

fn or_text(value: &Value, default: &str) -> String {
    match value {
        Value::Null => default.to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns how long ago a time was, as `kubectl` shows it.
fn since(time: &str) -> String {
    between(time, None)
}

/// Returns the time between two times, or until now, as `kubectl` shows it.
fn between(start: &str, end: Option<&str>) -> String {
    let end = end.map_or_else(|| Ok(Timestamp::now()), str::parse);
    let (Ok(start), Ok(end)) = (start.parse::<Timestamp>(), end) else {
        return "<invalid>".to_owned();
    };
    human_duration((end.as_second() - start.as_second()).max(0))
}
