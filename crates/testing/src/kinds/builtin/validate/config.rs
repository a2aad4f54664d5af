//! Validates `ConfigMaps`, Secrets and claims of volumes.

use k8s_openapi::ByteString;
use kube_codegen_formats::names;
use kube_codegen_quantity::ParsedQuantity;
use serde_json::{Value, json};

use super::{super::scalar::quantity, Causes};
use crate::values::object::{self, at, list, text};

fn data_keys(it: &mut Causes, name: &str, data: &Value) {
    for key in data.as_object().into_iter().flatten().map(|(key, _)| key) {
        let path = format!("{name}[{key}]");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if key.len() > 253 {
            it.invalid(&path, json!(key), "must be no more than 253 characters");
        }
        if key.is_empty() || !key.chars().all(is_plain) {
            it.invalid(&path, json!(key), "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
        } else if key == "." {
            it.invalid(&path, json!(key), "must not be '.'");
        } else if key == ".." {
            it.invalid(&path, json!(key), "must not be '..'");
        } else if key.starts_with("..") {
            it.invalid(&path, json!(key), "must not start with '..'");
        }
    }
}

fn frozen(it: &mut Causes, old: &Value, object: &Value, fields: &[&str]) {
    if at(old, "/immutable") != true {
        return;
    }
    if at(object, "/immutable") != true {
        it.forbidden("immutable", "field is immutable when `immutable` is set");
    }
    for field in fields {
        if old.get(*field) != object.get(*field) {
            it.forbidden(*field, "field is immutable when `immutable` is set");
        }
    }
}

pub(crate) fn config_map(it: &mut Causes, old: Option<&Value>, object: &Value) {
    if let Some(old) = old {
        frozen(it, old, object, &["data", "binaryData"]);
    }
    let (data, binary) = (at(object, "/data"), at(object, "/binaryData"));
    data_keys(it, "data", data);
    for (key, _) in data.as_object().into_iter().flatten() {
        if binary.get(key).is_some() {
            it.invalid(
                format!("data[{key}]"),
                json!(key),
                "duplicate of key present in binaryData",
            );
        }
    }
    data_keys(it, "binaryData", binary);
    let texts = data.as_object().into_iter().flatten();
    let texts = texts.map(|(_, value)| value.as_str().unwrap_or_default().len());
    size(it, "[]", texts.sum::<usize>() + bytes(binary));
}

/// The most bytes that the values of a `ConfigMap` or a Secret have.
const LARGEST: usize = 1 << 20;

fn size(it: &mut Causes, path: &str, bytes: usize) {
    if bytes > LARGEST {
        let message = format!("Too long: may not be more than {LARGEST} bytes");
        it.add(path, "FieldValueTooLong", message);
    }
}

/// Returns how many bytes values have that are encoded in base64.
fn bytes(data: &Value) -> usize {
    let values = data.as_object().into_iter().flatten();
    let of = |text: &str| {
        let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
        (text.len() / 4 * 3).saturating_sub(padding)
    };
    values
        .map(|(_, value)| of(value.as_str().unwrap_or_default()))
        .sum()
}

pub(crate) fn secret(it: &mut Causes, old: Option<&Value>, object: &Value) {
    if let Some(old) = old {
        it.immutable("type", at(old, "/type"), at(object, "/type"));
        frozen(it, old, object, &["data"]);
    }
    let data = at(object, "/data");
    data_keys(it, "data", data);
    size(it, "data", bytes(data));
    let mut demand = |keys: &[&str]| {
        for key in keys {
            if data.get(*key).is_none() {
                it.required(format!("data[{key}]"), "");
            }
        }
    };
    match text(object, "/type") {
        "kubernetes.io/tls" => demand(&["tls.crt", "tls.key"]),
        "kubernetes.io/dockercfg" => demand(&[".dockercfg"]),
        "kubernetes.io/dockerconfigjson" => demand(&[".dockerconfigjson"]),
        "kubernetes.io/ssh-auth" => demand(&["ssh-privatekey"]),
        "kubernetes.io/basic-auth"
            if data.get("username").is_none() && data.get("password").is_none() =>
        {
            demand(&["username", "password"]);
        }
        "kubernetes.io/service-account-token" => {
            let annotations = at(object, "/metadata/annotations");
            if annotations
                .get("kubernetes.io/service-account.name")
                .is_none()
            {
                it.required(
                    "metadata.annotations[kubernetes.io/service-account.name]",
                    "",
                );
            }
        }
        _ => {}
    }
}

pub(crate) fn claim(it: &mut Causes, old: Option<&Value>, object: &Value) {
    claim_spec(it, "spec", at(object, "/spec"));
    let Some(old) = old else { return };
    let part = |object: &Value, other: &Value| {
        let mut spec = at(object, "/spec").clone();
        let fields = crate::values::object::map(&mut spec);
        if text(other, "/spec/volumeName").is_empty() || text(object, "/spec/volumeName").is_empty()
        {
            fields.remove("volumeName");
        }
        if text(object, "/status/phase") == "Bound" {
            fields.remove("volumeAttributesClassName");
            if let Some(Value::Object(requests)) = spec.pointer_mut("/resources/requests") {
                requests.remove("storage");
            }
        }
        spec
    };
    if part(old, object) != part(object, old) {
        it.forbidden("spec", "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n");
    }
    let size = |object: &Value, pointer: &str| {
        let size = text(object, pointer).parse();
        size.unwrap_or(ParsedQuantity::ZERO)
    };
    let (request, capacity) = (
        "/spec/resources/requests/storage",
        "/status/capacity/storage",
    );
    if size(object, request) < size(old, request) && size(object, request) <= size(old, capacity) {
        it.forbidden(
            "spec.resources.requests.storage",
            "field can not be less than status.capacity",
        );
    }
    it.immutable(
        "volumeMode",
        at(old, "/spec/volumeMode"),
        at(object, "/spec/volumeMode"),
    );
}

pub(super) fn claim_spec(it: &mut Causes, path: &str, spec: &Value) {
    const MODES: &[&str] = &[
        "ReadOnlyMany",
        "ReadWriteMany",
        "ReadWriteOnce",
        "ReadWriteOncePod",
    ];
    let modes = list(spec, "/accessModes");
    if modes.is_empty() {
        it.required(
            format!("{path}.accessModes"),
            "at least 1 access mode is required",
        );
    }
    if at(spec, "/selector").is_object() {
        it.selector(&format!("{path}.selector"), at(spec, "/selector"));
    }
    for mode in modes {
        it.one_of(format!("{path}.accessModes"), mode, MODES);
    }
    if modes.len() > 1 && modes.iter().any(|it| it == "ReadWriteOncePod") {
        it.forbidden(
            format!("{path}.accessModes"),
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    let storage = at(spec, "/resources/requests/storage");
    match quantity(storage) {
        None => it.required(format!("{path}.resources[storage]"), ""),
        Some(size) if size <= ParsedQuantity::ZERO => {
            it.invalid(
                format!("{path}.resources[storage]"),
                storage,
                "must be greater than zero",
            );
        }
        Some(_) => {}
    }
    let class = at(spec, "/storageClassName");
    if class.as_str().is_some_and(|it| !it.is_empty()) {
        it.subdomain(&format!("{path}.storageClassName"), class);
    }
    it.one_of(
        format!("{path}.volumeMode"),
        at(spec, "/volumeMode"),
        &["Block", "Filesystem"],
    );
}

/// Validates the registration of a version of a group.
pub(crate) fn api_service(it: &mut Causes, object: &Value) {
    let spec = at(object, "/spec");
    let (group, version) = (text(spec, "/group"), text(spec, "/version"));
    let name = format!("{version}.{group}");
    if object::name(object) != name {
        let why = format!("must be `spec.version+\".\"+spec.group`: {name:?}");
        it.invalid("metadata.name", json!(object::name(object)), why);
    }
    if group.is_empty() && version != "v1" {
        let why = "only v1 may have an empty group and it better be legacy kube";
        it.required("spec.group", why);
    }
    if !group.is_empty() {
        it.subdomain("spec.group", &json!(group));
    }
    for why in names::dns_1035_label(version) {
        it.invalid("spec.version", json!(version), why);
    }
    for (field, most, shown) in [
        ("groupPriorityMinimum", 20_000, "20000"),
        ("versionPriority", 1000, "1000"),
    ] {
        let number = spec.get(field).and_then(Value::as_i64).unwrap_or_default();
        if number <= 0 || number > most {
            let why = format!("must be positive and less than {shown}");
            it.invalid(format!("spec.{field}"), number, why);
        }
    }
    let authority = text(spec, "/caBundle");
    let is_insecure = at(spec, "/insecureSkipTLSVerify") == true;
    let insecure = "spec.insecureSkipTLSVerify";
    let service = at(spec, "/service");
    if service.is_null() {
        if !authority.is_empty() {
            let length = serde_json::from_value::<ByteString>(authority.into());
            let length = format!("{} bytes", length.map_or(0, |it| it.0.len()));
            let why = "local APIServices may not have a caBundle";
            it.invalid("spec.caBundle", json!(length), why);
        }
        if is_insecure {
            let why = "local APIServices may not have insecureSkipTLSVerify";
            it.invalid(insecure, true, why);
        }
    } else {
        for field in ["namespace", "name"] {
            if text(service, &format!("/{field}")).is_empty() {
                it.required(format!("spec.service.{field}"), "");
            }
        }
        let port = at(service, "/port");
        if !port.as_i64().is_some_and(|it| (1..=65535).contains(&it)) {
            let why = "port is not valid: must be between 1 and 65535, inclusive";
            it.invalid("spec.service.port", port, why);
        }
        if is_insecure && !authority.is_empty() {
            it.invalid(insecure, true, "may not be true if caBundle is present");
        }
    }
    for (index, condition) in list(object, "/status/conditions").iter().enumerate() {
        let path = format!("status.conditions[{index}].status");
        let status = at(condition, "/status");
        it.one_of(path, status, &["True", "False", "Unknown"]);
    }
}
