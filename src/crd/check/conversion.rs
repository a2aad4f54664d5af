//! Checks `spec.conversion`.
use serde_json::{Map, Value};

use super::{child, text, texts};
use crate::crd::names::{is_label, is_subdomain};
use crate::crd::reader::{At, Reader, entry};
use crate::diag::Code;

pub(in crate::crd) fn conversion(reader: &mut Reader<'_>, spec: &Map<String, Value>, at: &At<'_>) {
    let at = at.key("conversion");
    let Some(conversion) = entry(spec, "conversion").and_then(Value::as_object) else {
        return;
    };
    let strategy = text(conversion, "strategy").unwrap_or_default();
    let webhook_at = at.key("webhook");
    let webhook = child(conversion, "webhook");
    match (strategy, webhook) {
        ("None", Some(webhook)) if !webhook.is_empty() => {
            let hint = "remove it, or set `strategy: Webhook`";
            report(
                reader,
                &webhook_at,
                "a webhook, although the strategy is None",
                hint,
            );
        }
        ("Webhook", None) if entry(conversion, "webhook").is_none() => {
            let hint = "add `clientConfig` and `conversionReviewVersions`";
            report(
                reader,
                &webhook_at,
                "the strategy Webhook without `webhook`",
                hint,
            );
        }
        ("Webhook", Some(webhook)) => self::webhook(reader, webhook, &webhook_at),
        ("None", _) | ("Webhook", None) => {}
        (other, _) => {
            let message = format!("unknown conversion strategy {other:?}");
            report(reader, &at.key("strategy"), &message, "use None or Webhook");
        }
    }
}

fn webhook(reader: &mut Reader<'_>, webhook: &Map<String, Value>, at: &At<'_>) {
    let config_at = at.key("clientConfig");
    let config = child(webhook, "clientConfig");
    let url = config.and_then(|config| text(config, "url"));
    let service = config.and_then(|config| child(config, "service"));
    match (url, service) {
        (Some(url), None) => {
            let rest = url.strip_prefix("https://").unwrap_or_default();
            let host = rest.split('/').next().unwrap_or_default();
            if host.is_empty() || host.contains('@') || url.contains(['?', '#']) {
                let hint = "use https:// with a host, without user, query and fragment";
                report(
                    reader,
                    &config_at.key("url"),
                    "not a URL that the API server calls",
                    hint,
                );
            }
        }
        (None, Some(service)) => self::service(reader, service, &config_at.key("service")),
        _ => {
            let message = "a webhook needs either `url` or `service` in its `clientConfig`";
            report(
                reader,
                &config_at,
                message,
                "for an operator in the cluster, use `service`",
            );
        }
    }
    let versions_at = at.key("conversionReviewVersions");
    let versions: Vec<&str> = texts(webhook, "conversionReviewVersions").collect();
    let is_list = entry(webhook, "conversionReviewVersions").is_none_or(Value::is_array);
    if is_list
        && !versions
            .iter()
            .any(|version| matches!(*version, "v1" | "v1beta1"))
    {
        let message = "`conversionReviewVersions` lists no version that the API server sends";
        report(reader, &versions_at, message, "use [v1]");
    }
    for (index, version) in versions.iter().enumerate() {
        if !is_label(version) || versions[..index].contains(version) {
            let message = format!("{version:?} is not a version name, or is listed twice");
            report(reader, &versions_at.index(index), &message, "use [v1]");
        }
    }
}

fn service(reader: &mut Reader<'_>, service: &Map<String, Value>, at: &At<'_>) {
    for name in ["name", "namespace"] {
        if text(service, name).unwrap_or_default().is_empty() {
            let message = format!("the service of the webhook has no `{name}`");
            report(
                reader,
                &at.key(name),
                &message,
                "name the Service of the operator",
            );
        }
    }
    let port = entry(service, "port").and_then(Value::as_i64);
    if port.is_some_and(|port| !(1..=65535).contains(&port)) {
        report(reader, &at.key("port"), "not a port", "use 1 to 65535");
    }
    let path = text(service, "path").unwrap_or_default();
    let parts = path
        .strip_prefix('/')
        .map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    let is_path =
        matches!(path, "" | "/") || parts.is_some_and(|parts| parts.split('/').all(is_subdomain));
    if !is_path {
        let hint = "use a path such as /convert: each part is a DNS subdomain";
        report(
            reader,
            &at.key("path"),
            "not a path that the API server calls",
            hint,
        );
    }
}

fn report(reader: &mut Reader<'_>, at: &At<'_>, message: &str, hint: &str) {
    reader
        .report_key(Code::InvalidConversion, at, message)
        .hint(hint);
}
