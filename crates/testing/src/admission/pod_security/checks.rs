//! The checks of the Pod Security Standards (<https://kubernetes.io/docs/concepts/security/pod-security-standards/>).

use std::{collections::BTreeSet, fmt::Display};

use serde_json::Value;

use crate::values::object::{at, list, text};

/// The names of capabilities that the baseline allows to add.
const CAPABILITIES: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// Sysctls that the baseline allows, each with the first version that does.
const SYSCTLS: &[(&str, u32)] = &[
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_wmem", 32),
    ("net.ipv4.tcp_slow_start_after_idle", 37),
    ("net.ipv4.tcp_notsent_lowat", 37),
];

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

const APPARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP: &[&str] = &["RuntimeDefault", "Localhost"];

/// A Pod under a policy: its metadata and specification, and the minor version of the policy.
pub(super) struct Subject<'a> {
    pub(super) metadata: &'a Value,
    pub(super) spec: &'a Value,
    pub(super) version: u32,
}

/// What a check forbids, and where it was found.
pub(super) struct Violation {
    pub(super) reason: String,
    pub(super) detail: String,
}

/// Where a container names hosts.
const HANDLERS: [&str; 5] = [
    "/livenessProbe",
    "/readinessProbe",
    "/startupProbe",
    "/lifecycle/postStart",
    "/lifecycle/preStop",
];

type Found = Option<Violation>;

/// The checks of the baseline, in the order of their names.
pub(super) fn baseline(subject: &Subject<'_>, is_restricted: bool) -> Vec<Violation> {
    let has = |since: u32| is_restricted && subject.version >= since;
    let checks = [
        subject.apparmor(),
        (!has(22)).then(|| subject.capabilities()).flatten(),
        subject.host_namespaces(),
        (!is_restricted).then(|| subject.host_paths()).flatten(),
        subject.host_ports(),
        subject.host_probes(),
        subject.privileged(),
        (!has(35)).then(|| subject.proc_mount(false)).flatten(),
        subject.selinux(),
        (!has(19)).then(|| subject.seccomp()).flatten(),
        subject.sysctls(),
        subject.host_process(),
    ];
    checks.into_iter().flatten().collect()
}

/// The checks that the restricted level adds to the baseline.
pub(super) fn restricted(subject: &Subject<'_>) -> Vec<Violation> {
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

#[expect(clippy::unnecessary_wraps, reason = "each check returns it")]
fn violation(reason: impl Into<String>, detail: impl Into<String>) -> Found {
    Some(Violation {
        reason: reason.into(),
        detail: detail.into(),
    })
}

fn quoted(names: impl IntoIterator<Item = impl Display>) -> String {
    let names = names.into_iter().map(|name| format!("\"{name}\""));
    names.collect::<Vec<_>>().join(", ")
}

fn plural<'a>(one: &'a str, more: &'a str, count: usize) -> &'a str {
    if count == 1 { one } else { more }
}

fn containers_of(names: &[&str]) -> String {
    let noun = plural("container", "containers", names.len());
    format!("{noun} {}", quoted(names))
}

fn annotation<'a>(metadata: &'a Value, name: &str) -> Option<&'a str> {
    metadata.pointer("/annotations")?.get(name)?.as_str()
}

impl<'a> Subject<'a> {
    fn containers(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let spec = self.spec;
        let fields = ["/initContainers", "/containers", "/ephemeralContainers"];
        fields.into_iter().flat_map(|field| list(spec, field))
    }

    /// Returns the names of the containers that are bad.
    fn bad(&self, mut is_bad: impl FnMut(&'a Value) -> bool) -> Vec<&'a str> {
        let bad = self.containers().filter(|container| is_bad(container));
        bad.map(|container| text(container, "/name")).collect()
    }

    /// Returns whether the Pod or some containers have a bad security context, as messages say it.
    fn setters(&self, mut is_bad: impl FnMut(&'a Value) -> bool) -> Vec<String> {
        let of_pod = is_bad(at(self.spec, "/securityContext")).then(|| "pod".to_owned());
        let bad = self.bad(|container| is_bad(at(container, "/securityContext")));
        let of_containers = (!bad.is_empty()).then(|| containers_of(&bad));
        of_pod.into_iter().chain(of_containers).collect()
    }

    /// A user namespace makes root inside it harmless.
    fn has_user_namespace(&self) -> bool {
        self.version >= 35 && at(self.spec, "/hostUsers") == false
    }

    fn apparmor(&self) -> Found {
        let mut values = BTreeSet::new();
        let mut setters = self.setters(|context| {
            let profile = text(context, "/appArmorProfile/type");
            let is_bad = !at(context, "/appArmorProfile").is_null() && !SECCOMP.contains(&profile);
            if is_bad {
                values.insert(profile.to_owned());
            }
            is_bad
        });
        let annotations = at(self.metadata, "/annotations").as_object();
        let annotations = annotations.into_iter().flatten().filter(|(key, value)| {
            let profile = value.as_str().unwrap_or_default();
            let is_good = profile.is_empty()
                || profile == "runtime/default"
                || profile.starts_with("localhost/");
            key.starts_with(APPARMOR) && !is_good
        });
        let annotations: Vec<String> = annotations
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if !annotations.is_empty() {
            setters.push(plural("annotation", "annotations", annotations.len()).to_owned());
        }
        if setters.is_empty() {
            return None;
        }
        let values: Vec<String> = values.into_iter().chain(annotations).collect();
        violation(
            plural(
                "forbidden AppArmor profile",
                "forbidden AppArmor profiles",
                values.len(),
            ),
            format!(
                "{} must not set AppArmor profile type to {}",
                setters.join(" and "),
                quoted(values)
            ),
        )
    }

    fn capabilities(&self) -> Found {
        let mut added = BTreeSet::new();
        let bad = self.bad(|container| {
            let forbidden = list(container, "/securityContext/capabilities/add").iter();
            let forbidden = forbidden.filter_map(Value::as_str);
            let before = added.len();
            let found: Vec<&str> = forbidden.filter(|it| !CAPABILITIES.contains(it)).collect();
            added.extend(found.iter().copied());
            added.len() > before || !found.is_empty()
        });
        if bad.is_empty() {
            return None;
        }
        violation(
            "non-default capabilities",
            format!(
                "{} must not include {} in securityContext.capabilities.add",
                containers_of(&bad),
                quoted(added)
            ),
        )
    }

    fn host_namespaces(&self) -> Found {
        let fields = ["hostNetwork", "hostPID", "hostIPC"].into_iter();
        let set = fields.filter(|field| at(self.spec, &format!("/{field}")) == true);
        let set: Vec<String> = set.map(|field| format!("{field}=true")).collect();
        if set.is_empty() {
            return None;
        }
        violation("host namespaces", set.join(", "))
    }

    fn host_paths(&self) -> Found {
        let volumes = list(self.spec, "/volumes").iter();
        let bad = volumes.filter(|volume| volume.get("hostPath").is_some());
        let bad: Vec<&str> = bad.map(|volume| text(volume, "/name")).collect();
        if bad.is_empty() {
            return None;
        }
        let noun = plural("volume", "volumes", bad.len());
        violation("hostPath volumes", format!("{noun} {}", quoted(bad)))
    }

    fn host_ports(&self) -> Found {
        let mut ports = BTreeSet::new();
        let bad = self.bad(|container| {
            let of_container = list(container, "/ports").iter();
            let of_container = of_container.filter_map(|port| at(port, "/hostPort").as_u64());
            let used: Vec<u64> = of_container.filter(|port| *port != 0).collect();
            ports.extend(used.iter().map(u64::to_string));
            !used.is_empty()
        });
        if bad.is_empty() {
            return None;
        }
        let verb = plural("uses", "use", bad.len());
        let noun = plural("hostPort", "hostPorts", ports.len());
        let ports: Vec<String> = ports.into_iter().collect();
        violation(
            "hostPort",
            format!("{} {verb} {noun} {}", containers_of(&bad), ports.join(", ")),
        )
    }

    fn host_probes(&self) -> Found {
        if self.version < 34 {
            return None;
        }
        let mut hosts = BTreeSet::new();
        let mut bad = self.bad(|container| {
            let handlers = HANDLERS.iter().flat_map(|handler| {
                ["httpGet", "tcpSocket"].map(|kind| format!("{handler}/{kind}/host"))
            });
            let used: Vec<&str> = handlers
                .map(|pointer| text(container, &pointer))
                .filter(|host| !host.is_empty())
                .collect();
            hosts.extend(used.iter().copied());
            !used.is_empty()
        });
        if bad.is_empty() {
            return None;
        }
        bad.sort_unstable();
        let verb = plural("uses", "use", bad.len());
        let noun = plural(
            "probe or lifecycle host",
            "probe or lifecycle hosts",
            hosts.len(),
        );
        violation(
            "probe or lifecycle host",
            format!("{} {verb} {noun} {}", containers_of(&bad), quoted(hosts)),
        )
    }

    fn privileged(&self) -> Found {
        let bad = self.bad(|container| at(container, "/securityContext/privileged") == true);
        if bad.is_empty() {
            return None;
        }
        let detail = format!(
            "{} must not set securityContext.privileged=true",
            containers_of(&bad)
        );
        violation("privileged", detail)
    }

    fn proc_mount(&self, is_restricted: bool) -> Found {
        if !is_restricted && self.has_user_namespace() {
            return None;
        }
        let mut kinds = BTreeSet::new();
        let bad = self.bad(|container| {
            let kind = text(container, "/securityContext/procMount");
            let is_bad = !matches!(kind, "" | "Default");
            if is_bad {
                kinds.insert(kind);
            }
            is_bad
        });
        if bad.is_empty() {
            return None;
        }
        violation(
            "procMount",
            format!(
                "{} must not set securityContext.procMount to {}",
                containers_of(&bad),
                quoted(kinds)
            ),
        )
    }

    fn selinux(&self) -> Found {
        let mut types = BTreeSet::new();
        let (mut has_user, mut has_role) = (false, false);
        let setters = self.setters(|context| {
            let options = at(context, "/seLinuxOptions");
            let kind = text(options, "/type");
            let is_known = matches!(
                kind,
                "" | "container_t" | "container_init_t" | "container_kvm_t"
            ) || kind == "container_engine_t" && self.version >= 31;
            let (user, role) = (text(options, "/user"), text(options, "/role"));
            if !is_known {
                types.insert(kind);
            }
            has_user |= !user.is_empty();
            has_role |= !role.is_empty();
            !is_known || !user.is_empty() || !role.is_empty()
        });
        if setters.is_empty() {
            return None;
        }
        let noun = plural("type", "types", types.len());
        let bad = [
            (!types.is_empty()).then(|| format!("{noun} {}", quoted(&types))),
            has_user.then(|| "user may not be set".to_owned()),
            has_role.then(|| "role may not be set".to_owned()),
        ];
        let bad: Vec<String> = bad.into_iter().flatten().collect();
        violation(
            "seLinuxOptions",
            format!(
                "{} set forbidden securityContext.seLinuxOptions: {}",
                setters.join(" and "),
                bad.join("; ")
            ),
        )
    }

    fn seccomp(&self) -> Found {
        if self.version < 19 {
            return self.seccomp_annotations();
        }
        let (setters, values) = self.bad_seccomp();
        if setters.is_empty() {
            return None;
        }
        violation(
            "seccompProfile",
            format!(
                "{} must not set securityContext.seccompProfile.type to {}",
                setters.join(" and "),
                quoted(values)
            ),
        )
    }

    fn seccomp_annotations(&self) -> Found {
        let of_pod = "seccomp.security.alpha.kubernetes.io/pod".to_owned();
        let of_containers = self.containers().map(|container| {
            format!(
                "container.seccomp.security.alpha.kubernetes.io/{}",
                text(container, "/name")
            )
        });
        let found = std::iter::once(of_pod).chain(of_containers);
        let bad: BTreeSet<String> = found
            .filter_map(|key| {
                let value = annotation(self.metadata, &key)?;
                let is_good = matches!(value, "runtime/default" | "docker/default")
                    || value.starts_with("localhost/");
                (!is_good).then(|| format!("{key}={value:?}"))
            })
            .collect();
        if bad.is_empty() {
            return None;
        }
        let noun = plural("annotation", "annotations", bad.len());
        let bad: Vec<String> = bad.into_iter().collect();
        violation(
            "seccompProfile",
            format!("forbidden {noun} {}", bad.join(", ")),
        )
    }

    fn bad_seccomp(&self) -> (Vec<String>, BTreeSet<String>) {
        let mut values = BTreeSet::new();
        let setters = self.setters(|context| {
            let profile = text(context, "/seccompProfile/type");
            let is_bad = !at(context, "/seccompProfile").is_null() && !SECCOMP.contains(&profile);
            if is_bad {
                values.insert(profile.to_owned());
            }
            is_bad
        });
        (setters, values)
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

    fn sysctls(&self) -> Found {
        let sysctls = list(self.spec, "/securityContext/sysctls").iter();
        let bad = sysctls.map(|sysctl| text(sysctl, "/name")).filter(|name| {
            let mut known = SYSCTLS.iter();
            !known.any(|(known, since)| known == name && self.version >= *since)
        });
        let bad: Vec<&str> = bad.collect();
        if bad.is_empty() {
            return None;
        }
        violation("forbidden sysctls", bad.join(", "))
    }

    fn host_process(&self) -> Found {
        let mut setters =
            self.setters(|context| at(context, "/windowsOptions/hostProcess") == true);
        if setters.is_empty() {
            return None;
        }
        setters.dedup();
        let detail = format!(
            "{} must not set securityContext.windowsOptions.hostProcess=true",
            setters.join(" and ")
        );
        violation("hostProcess", detail)
    }

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
        let mut added = BTreeSet::new();
        let adding = self.bad(|container| {
            let found = list(container, "/securityContext/capabilities/add").iter();
            let found = found.filter_map(Value::as_str);
            let found: Vec<&str> = found.filter(|name| *name != "NET_BIND_SERVICE").collect();
            added.extend(found.iter().copied());
            !found.is_empty()
        });
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
}
