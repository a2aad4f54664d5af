//! Modules, clients and methods get their names from the group, the version and the plural, as the CRD spells them.
use super::taken::Taken;
use super::{idents, words};
use crate::ir::{Model, Module};
use std::collections::BTreeMap;

pub(super) fn name(model: &mut Model) {
    let mut groups: BTreeMap<String, (String, Taken)> = BTreeMap::new();
    let mut top = Taken::reserve(&["clientset", "informers"]);
    let mut accessors = Taken::reserve(&["new", "client"]);
    let mut clients = Taken::default();
    for module in &mut model.modules {
        let (group, versions) = groups.entry(module.group.clone()).or_insert_with(|| {
            let ident = idents::lower(&separated(&module.group), "group_");
            (top.first([ident.as_str()]), Taken::default())
        });
        let version = match idents::lower(&separated(&module.version), "version_") {
            // Its file would be that of the group.
            version if version == "r#mod" => "mod_".to_owned(),
            version => version,
        };
        module.group_ident.clone_from(group);
        module.version_ident = versions.first([version.as_str()]);
        let method = separated(&format!("{}_{}", module.group, module.version));
        module.method = accessors.first([idents::lower(&method, "group_").as_str()]);
        module.client = clients.first([client(module).as_str()]);
        module.informers = format!("{}Informers", module.client);
    }
    for index in 0..model.modules.len() {
        methods(model, index);
    }
}

/// All letters and digits, with `_` for each run of other characters.
fn separated(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "empty".to_owned()
    } else {
        parts.join("_").to_ascii_lowercase()
    }
}

fn client(module: &Module) -> String {
    let name = words::camel(&words::words(&format!(
        "{} {}",
        module.group, module.version
    )));
    idents::upper(&name, "Group")
}

/// Methods of one client, and the files of the manifests: a group has a plural once.
fn methods(model: &mut Model, module: usize) {
    let own = &model.modules[module];
    let mut methods = Taken::reserve(&["new", "client"]);
    for kind in model
        .kinds
        .iter_mut()
        .filter(|kind| kind.group == own.group && kind.version == own.version)
    {
        let method = idents::lower(&method(&kind.kind, &kind.plural), "kind_");
        kind.names.method = methods.first([method.as_str()]);
        let all = format!("{}_all", kind.names.method.trim_start_matches("r#"));
        kind.names.method_all = methods.first([all.as_str()]);
        kind.names.manifest = format!("{}.json", file(&kind.plural));
    }
}

/// A file name of the plural: `crdplural` for `crdplural`, nothing but letters, digits and dashes.
fn file(plural: &str) -> String {
    separated(plural).replace('_', "-")
}

/// The letters of the plural, split where the kind's words begin: `ip_address_pools`, and `crdplural` where they do not.
fn method(kind: &str, plural: &str) -> String {
    let words = words::words(kind);
    let mut rest = plural;
    let mut parts = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index + 1 == words.len() {
            // The plural of the last word: `policies` for `policy`.
            let stem = &word[..word.len() - usize::from(word.len() > 1)];
            if rest.starts_with(stem) {
                parts.push(rest);
                return separated(&parts.join("_"));
            }
        } else if let Some(after) = rest.strip_prefix(word.as_str()) {
            parts.push(word.as_str());
            rest = after;
        }
    }
    separated(plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_keep_the_letters_of_the_plural() {
        for (kind, plural, expected) in [
            ("CrdKind", "crdplural", "crdplural"),
            ("IPAddressPool", "ipaddresspools", "ip_address_pools"),
            ("NetworkPolicy", "networkpolicies", "network_policies"),
            ("Foo", "foos", "foos"),
            ("Kafka", "kafkas", "kafkas"),
            (
                "NetworkAttachmentDefinition",
                "network-attachment-definitions",
                "network_attachment_definitions",
            ),
            ("HTTPRoute", "httproutes", "http_routes"),
            ("ServiceMesh", "meshes", "meshes"),
            ("postgresql", "postgresqls", "postgresqls"),
        ] {
            assert_eq!(method(kind, plural), expected, "{kind}");
        }
    }

    #[test]
    fn groups_and_plurals_are_only_letters_afterwards() {
        assert_eq!(separated("iksoon.test.com"), "iksoon_test_com");
        assert_eq!(separated("../../x"), "x");
        assert_eq!(file("../../x"), "x");
        assert_eq!(separated(""), "empty");
    }
}
