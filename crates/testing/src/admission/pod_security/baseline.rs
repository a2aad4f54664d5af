//! The checks of the baseline: what lets a Pod out of its containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::subject::{Found, Subject, Violation, containers_of, plural, quoted, violation};
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

const APPARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP: &[&str] = &["RuntimeDefault", "Localhost"];

/// Where a container names hosts.
const HANDLERS: [&str; 5] = [
    "/livenessProbe",
    "/readinessProbe",
    "/startupProbe",
    "/lifecycle/postStart",
    "/lifecycle/preStop",
];

/// The checks of the baseline, in the order of their names.
pub(super) fn check(subject: &Subject<'_>, is_restricted: bool) -> Vec<Violation> {
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

fn annotation<'a>(metadata: &'a Value, name: &str) -> Option<&'a str> {
    metadata.pointer("/annotations")?.get(name)?.as_str()
}

impl Subject<'_> {
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
        let (bad, added) = self.added_capabilities(CAPABILITIES);
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
        let (bad, ports) = self.forbidden(|container| {
            let ports = list(container, "/ports").iter();
            let ports = ports.filter_map(|port| at(port, "/hostPort").as_u64());
            let used = ports.filter(|port| *port != 0);
            // They are sorted as text.
            used.map(|port| port.to_string()).collect()
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
        let (mut bad, hosts) = self.forbidden(|container| {
            let handlers = HANDLERS.iter().flat_map(|handler| {
                ["httpGet", "tcpSocket"].map(|kind| format!("{handler}/{kind}/host"))
            });
            handlers
                .map(|pointer| text(container, &pointer))
                .filter(|host| !host.is_empty())
                .collect()
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

    pub(super) fn proc_mount(&self, is_restricted: bool) -> Found {
        if !is_restricted && self.has_user_namespace() {
            return None;
        }
        let (bad, kinds) = self.forbidden(|container| {
            let kind = text(container, "/securityContext/procMount");
            let is_good = matches!(kind, "" | "Default");
            Vec::from_iter((!is_good).then_some(kind))
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

    pub(super) fn seccomp(&self) -> Found {
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
}
