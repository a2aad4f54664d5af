//! The checks that the restricted level adds to the baseline: a Pod must give up the permissions that it does not need.

use std::collections::BTreeSet;

use super::subject::{Found, Subject, Violation, containers_of, plural, quoted, violation};
use crate::values::object::{at, list, text};

const VOLUMES: &[&str] = &[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// The checks that the restricted level adds to the baseline.
pub(super) fn check(subject: &Subject<'_>) -> Vec<Violation> {
    let is_windows = text(subject.spec, "/os/name") == "windows";
    let has = |since: u32| subject.version >= since && !(is_windows && subject.version >= 25);
    let checks = [
        has(8).then(|| subject.escalation()).flatten(),
        has(22).then(|| subject.dropped_capabilities()).flatten(),
        (subject.version >= 35)
            .then(|| subject.proc_mount(true))
            .flatten(),
        subject.volumes(),
        subject.non_root(),
        (subject.version >= 23).then(|| subject.user()).flatten(),
        has(19).then(|| subject.required_seccomp()).flatten(),
    ];
    checks.into_iter().flatten().collect()
}

impl Subject<'_> {
    fn escalation(&self) -> Found {
        let field = "/securityContext/allowPrivilegeEscalation";
        let bad = self.bad(|container| at(container, field) != false);
        if bad.is_empty() {
            return None;
        }
        let detail = format!(
            "{} must set securityContext.allowPrivilegeEscalation=false",
            containers_of(&bad)
        );
        violation("allowPrivilegeEscalation != false", detail)
    }

    fn dropped_capabilities(&self) -> Found {
        let missing = self.bad(|container| {
            !list(container, "/securityContext/capabilities/drop").contains(&"ALL".into())
        });
        let (adding, added) = self.added_capabilities(&["NET_BIND_SERVICE"]);
        let details = [
            (!missing.is_empty()).then(|| {
                format!(
                    "{} must set securityContext.capabilities.drop=[\"ALL\"]",
                    containers_of(&missing)
                )
            }),
            (!adding.is_empty()).then(|| {
                format!(
                    "{} must not include {} in securityContext.capabilities.add",
                    containers_of(&adding),
                    quoted(&added)
                )
            }),
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        if details.is_empty() {
            return None;
        }
        violation("unrestricted capabilities", details.join("; "))
    }

    fn volumes(&self) -> Found {
        let (mut bad, mut kinds) = (Vec::new(), BTreeSet::new());
        for volume in list(self.spec, "/volumes") {
            let fields = volume
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::keys);
            let kind = fields.map(String::as_str).find(|field| *field != "name");
            let kind = kind.unwrap_or("unknown");
            if !VOLUMES.contains(&kind) {
                bad.push(text(volume, "/name"));
                kinds.insert(kind);
            }
        }
        if bad.is_empty() {
            return None;
        }
        let (noun, verb) = (
            plural("volume", "volumes", bad.len()),
            plural("uses", "use", bad.len()),
        );
        let types = plural(
            "restricted volume type",
            "restricted volume types",
            kinds.len(),
        );
        violation(
            "restricted volume types",
            format!("{noun} {} {verb} {types} {}", quoted(bad), quoted(kinds)),
        )
    }

    fn non_root(&self) -> Found {
        const REASON: &str = "runAsNonRoot != true";
        if self.has_user_namespace() {
            return None;
        }
        let setters = self.setters(|context| at(context, "/runAsNonRoot") == false);
        if !setters.is_empty() {
            let detail = format!(
                "{} must not set securityContext.runAsNonRoot=false",
                setters.join(" and ")
            );
            return violation(REASON, detail);
        }
        if at(self.spec, "/securityContext/runAsNonRoot") == true {
            return None;
        }
        let bad = self.bad(|container| at(container, "/securityContext/runAsNonRoot").is_null());
        if bad.is_empty() {
            return None;
        }
        let detail = format!(
            "pod or {} must set securityContext.runAsNonRoot=true",
            containers_of(&bad)
        );
        violation(REASON, detail)
    }

    fn user(&self) -> Found {
        if self.has_user_namespace() {
            return None;
        }
        let setters = self.setters(|context| at(context, "/runAsUser") == 0);
        if setters.is_empty() {
            return None;
        }
        violation(
            "runAsUser=0",
            format!("{} must not set runAsUser=0", setters.join(" and ")),
        )
    }

    fn required_seccomp(&self) -> Found {
        let found = self.seccomp();
        if found.is_some() {
            return found;
        }
        if !at(self.spec, "/securityContext/seccompProfile").is_null() {
            return None;
        }
        let bad = self.bad(|container| at(container, "/securityContext/seccompProfile").is_null());
        if bad.is_empty() {
            return None;
        }
        violation(
            "seccompProfile",
            format!(
                "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
                containers_of(&bad)
            ),
        )
    }
}
