//! The flags of the operator that its manifests have to match.
use serde_json::Value;

/// Returns the value of a flag in the arguments of a container.
pub(super) fn flag<'a>(container: &'a Value, name: &str) -> Option<&'a str> {
    let args = container["args"].as_array()?;
    let args: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
    args.iter().enumerate().find_map(|(index, arg)| {
        let rest = arg.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.is_empty() => match args.get(index + 1) {
                Some(value) if !value.starts_with('-') => Some(value),
                _ => Some("true"),
            },
            None => None,
        }
    })
}

/// Returns the port of an address, such as `:8443`; none if the server is off.
pub(super) fn port(address: &str) -> Option<u64> {
    address.rsplit_once(':')?.1.parse().ok()
}

/// Returns whether the operator elects a leader.
pub(super) fn elects_leader(container: &Value) -> bool {
    flag(container, "--leader-elect").is_some_and(|value| value != "false") || is_divided(container)
}

/// Returns whether all replicas reconcile, each its share of the objects.
pub(super) fn is_divided(container: &Value) -> bool {
    flag(container, "--shards").is_some_and(|shards| shards != "1")
}

/// Returns whether the API server is asked who may read the metrics.
pub(super) fn secures_metrics(container: &Value) -> bool {
    flag(container, "--metrics-bind-address").is_some_and(|address| port(address).is_some())
        && flag(container, "--metrics-secure") != Some("false")
}
