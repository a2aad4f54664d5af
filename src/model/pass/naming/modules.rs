//! Names modules, clients and methods by the group, the version and the plural of the CRD.
use super::taken::Taken;
use super::{idents, words};
use crate::model::ir::{Ident, Kind, Module, ModuleNames};
use std::collections::BTreeMap;

/// Returns the names of modules, in order. The names of a client and of informers may still collide with a type.
pub(super) fn names(modules: &[Module]) -> Vec<ModuleNames> {
    let mut groups: BTreeMap<&str, (Ident, Taken)> = BTreeMap::new();
    // The root names these crates.
    let mut top = Taken::reserve(&["kube", "kube_codegen_record", "kube_codegen_runtime"]);
    let mut accessors = Taken::reserve(&["new", "client"]);
    let mut stems = Taken::default();
    let mut names = Vec::with_capacity(modules.len());
    for module in modules {
        let (group, versions) = groups.entry(&module.group).or_insert_with(|| {
            let ident = idents::lower(&separated(&module.group), "group_");
            (top.first([ident]), Taken::default())
        });
        let version = idents::lower(&separated(&module.version), "version_");
        let method = separated(&format!("{}_{}", module.group, module.version));
        let stem = stems.first([stem(module)]);
        names.push(ModuleNames {
            group: group.clone(),
            version: versions.first([version]),
            method: accessors.first([idents::lower(&method, "group_")]),
            client: Ident::new(format!("{stem}Client")),
            informers: Ident::new(format!("{stem}Informers")),
        });
    }
    names
}

/// The methods of one client.
pub(super) struct Methods(Taken);

impl Methods {
    pub(super) fn new() -> Self {
        Self(Taken::reserve(&["new", "client"]))
    }

    /// Returns the methods for one namespace and for all namespaces.
    pub(super) fn of(&mut self, kind: &Kind) -> [Ident; 2] {
        let method = method(&kind.kind, &kind.plural);
        let method = self.0.first([idents::lower(&method, "kind_")]);
        let all = Ident::new(format!("{}_all", method.plain().trim_end_matches('_')));
        let all = self.0.first([all]);
        [method, all]
    }
}

/// Returns the file name of a kind's manifest: letters, digits and dashes of the plural, which is unique in its group.
pub(super) fn manifest(kind: &Kind) -> String {
    format!("{}.json", file(&kind.plural))
}

/// Returns the letters and digits of a name, with `_` for each run of other characters.
fn separated(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "empty".to_owned()
    } else {
        parts.join("_").to_ascii_lowercase()
    }
}

/// Returns what the names of the client and the informers begin with.
fn stem(module: &Module) -> Ident {
    let words = words::words(&format!("{} {}", module.group, module.version));
    idents::upper(&words::camel(&words), "Group")
}

fn file(plural: &str) -> String {
    separated(plural).replace('_', "-")
}

/// Returns the plural, split where the kind's words begin: `ip_address_pools` for `IPAddressPool`; `crdplural` as it is.
fn method(kind: &str, plural: &str) -> String {
    let words = words::words(kind);
    let mut rest = plural;
    let mut parts = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index + 1 == words.len() {
            // The last word in the plural: `policies` for `policy`.
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
    fn methods_have_the_letters_of_the_plural() {
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
    fn names_have_no_other_characters() {
        assert_eq!(separated("iksoon.test.com"), "iksoon_test_com");
        assert_eq!(separated("../../x"), "x");
        assert_eq!(file("../../x"), "x");
        assert_eq!(separated(""), "empty");
    }
}
