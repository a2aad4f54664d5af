//! Checks that the rules of roles name resources. The API server stores a rule with any words, and one that names nothing grants nothing.
//!
//! Known are the resources of Kubernetes and of the CRDs among the manifests; in other groups, only the spelling is checked. A word that is
//! not known is reported only if it is clear what is meant, since a newer Kubernetes may have it.
use super::{Manifest, Tree, role::roles};
use crate::{
    base::diag::{Code, Diagnostics},
    operator::scaffold::all_kinds,
};

/// Resources of Kubernetes without objects to watch, by group.
const WITHOUT_OBJECTS: [(&str, &[&str]); 7] = [
    ("", &["bindings", "componentstatuses", "groups", "users"]),
    (
        "authentication.k8s.io",
        &["selfsubjectreviews", "tokenreviews", "uids", "userextras"],
    ),
    (
        "authorization.k8s.io",
        &[
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        ],
    ),
    ("certificates.k8s.io", &["signers"]),
    ("coordination.k8s.io", &["leasecandidates"]),
    ("policy", &["podsecuritypolicies"]),
    ("scheduling.k8s.io", &["podgroups", "workloads"]),
];

/// The short names of kubectl that people write, with the plurals.
const SHORT: [(&str, &str); 22] = [
    ("cj", "cronjobs"),
    ("cm", "configmaps"),
    ("crd", "customresourcedefinitions"),
    ("crds", "customresourcedefinitions"),
    ("deploy", "deployments"),
    ("ds", "daemonsets"),
    ("ep", "endpoints"),
    ("ev", "events"),
    ("hpa", "horizontalpodautoscalers"),
    ("ing", "ingresses"),
    ("netpol", "networkpolicies"),
    ("no", "nodes"),
    ("ns", "namespaces"),
    ("pdb", "poddisruptionbudgets"),
    ("po", "pods"),
    ("pv", "persistentvolumes"),
    ("pvc", "persistentvolumeclaims"),
    ("quota", "resourcequotas"),
    ("rs", "replicasets"),
    ("sa", "serviceaccounts"),
    ("sts", "statefulsets"),
    ("svc", "services"),
];

/// Subresources, which are part of a resource.
const SUBRESOURCES: [&str; 14] = [
    "approval",
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "finalize",
    "finalizers",
    "log",
    "portforward",
    "proxy",
    "resize",
    "scale",
    "status",
];

/// A resource that is known.
struct Known<'a> {
    group: &'a str,
    plural: &'a str,
    /// Other words for it, in lower case.
    others: Vec<String>,
}

/// What is wrong with a word of a rule, and what is meant.
type Problem = (String, String);

/// Reports words in rules that name no resource, group or verb.
pub(super) fn check(tree: &Tree, diagnostics: &mut Diagnostics) {
    let known = known(tree);
    for role in roles(tree) {
        for (index, rule) in role.list("/rules").iter().enumerate() {
            let words = |key: &str| -> Vec<(usize, String)> {
                let items = rule[key].as_array().into_iter().flatten().enumerate();
                let texts = items.filter_map(|(at, it)| Some((at, it.as_str()?.to_owned())));
                texts.collect()
            };
            let mut report = |key: &str, at: usize, (message, hint): Problem| {
                let place = role.at(format!("/rules/{index}/{key}/{at}"));
                let finding = diagnostics.report(Code::Manifests, place, message);
                finding.hint(hint);
            };
            let mut groups = Vec::new();
            for (at, group) in words("apiGroups") {
                match group_problem(&group, &known) {
                    None => groups.push(group),
                    Some((meant, problem)) => {
                        groups.push(meant);
                        report("apiGroups", at, problem);
                    }
                }
            }
            let resources = words("resources");
            for (at, resource) in &resources {
                if let Some(problem) = resource_problem(resource, &groups, &resources, &known) {
                    report("resources", *at, problem);
                }
            }
            for (at, verb) in words("verbs") {
                let lower = verb.to_ascii_lowercase();
                if verb != lower {
                    let verb = verb.escape_debug();
                    let message = format!("`{verb}` has uppercase letters, and verbs have none");
                    report("verbs", at, (message, did_you_mean(&lower)));
                }
            }
        }
    }
}

fn did_you_mean(word: &str) -> String {
    format!("did you mean `{}`?", word.escape_debug())
}

fn known(tree: &Tree) -> Vec<Known<'_>> {
    let mut known: Vec<Known<'_>> = all_kinds()
        .iter()
        .map(|kind| Known {
            group: kind.group,
            plural: kind.plural,
            others: [kind.kind.to_ascii_lowercase()]
                .into_iter()
                .chain(short(kind.plural))
                .collect(),
        })
        .collect();
    for (group, plurals) in WITHOUT_OBJECTS {
        known.extend(plurals.iter().map(|plural| {
            Known {
                group,
                plural,
                others: plural
                    .strip_suffix('s')
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
            }
        }));
    }
    known.extend(tree.of("CustomResourceDefinition").map(|crd| Known {
        group: crd.text("/spec/group"),
        plural: crd.text("/spec/names/plural"),
        others: words_of(crd),
    }));
    known
}

fn short(plural: &str) -> impl Iterator<Item = String> {
    let all = SHORT.iter().filter(move |it| it.1 == plural);
    all.map(|it| it.0.to_owned())
}

/// The other words for the resource of a CRD.
fn words_of(crd: &Manifest) -> Vec<String> {
    let names = ["/spec/names/kind", "/spec/names/singular"].map(|it| crd.text(it));
    let short = crd.list("/spec/names/shortNames").iter();
    let short = short.filter_map(|it| it.as_str());
    let all = names.into_iter().chain(short).filter(|it| !it.is_empty());
    all.map(str::to_ascii_lowercase).collect()
}

/// What is wrong with an API group, with the group that is meant.
fn group_problem(group: &str, known: &[Known<'_>]) -> Option<(String, Problem)> {
    if group == "*" || group.is_empty() || known.iter().any(|it| it.group == group) {
        return None;
    }
    let escaped = group.escape_debug();
    let with = |meant: &str, message: String| {
        let hint = match meant {
            "" => "the core group, with Pods and Services, is `\"\"`".to_owned(),
            meant => did_you_mean(meant),
        };
        Some((meant.to_owned(), (message, hint)))
    };
    if let Some((start, _)) = group.split_once('/') {
        let meant = group_problem(start, known).map_or_else(|| start.to_owned(), |it| it.0);
        return with(
            &meant,
            format!("`{escaped}` is not an API group: rules name groups without a version"),
        );
    }
    if is_version(group) {
        return with("", format!("`{escaped}` is a version, not an API group"));
    }
    let message = format!("`{escaped}` is not an API group");
    if group == "core" {
        return with("", message);
    }
    let lower = group.to_ascii_lowercase();
    if lower != group {
        return with(
            &lower,
            format!("`{escaped}` has uppercase letters, and API groups have none"),
        );
    }
    let start = format!("{group}.");
    let of_kubernetes = || {
        all_kinds()
            .iter()
            .map(|it| it.group)
            .filter(|it| !it.is_empty())
    };
    let of_k8s = |group: &str| group.strip_suffix(".k8s.io").map(str::to_owned);
    let is_one = |it: &&str| {
        if group.contains('.') {
            let starts = of_k8s(group).zip(of_k8s(it));
            return starts.is_some_and(|(a, b)| is_close(&a, &b));
        }
        // Groups of CRDs have a dot.
        it.starts_with(&start) || is_close(group, it)
    };
    with(of_kubernetes().find(is_one)?, message)
}

fn is_version(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let rest = text.strip_prefix('v').unwrap_or_default();
    digits(rest)
        || ["alpha", "beta"].iter().any(|stage| {
            let parts = rest.split_once(stage);
            parts.is_some_and(|(major, minor)| digits(major) && digits(minor))
        })
}

/// Whether two words differ by a slip of the fingers.
fn is_close(a: &str, b: &str) -> bool {
    let allowed = if a.len().min(b.len()) < 6 { 1 } else { 2 };
    a.len() < 100 && strsim::osa_distance(a, b) <= allowed
}

/// What is wrong with a resource of a rule on these groups.
fn resource_problem(
    resource: &str,
    groups: &[String],
    all: &[(usize, String)],
    known: &[Known<'_>],
) -> Option<Problem> {
    let (plural, subresource) = match resource.split_once('/') {
        Some((plural, subresource)) => (plural, Some(subresource)),
        None => (resource, None),
    };
    if plural == "*" || resource.is_empty() {
        return None;
    }
    let escaped = resource.escape_debug();
    let is_any = groups.iter().any(|it| it == "*");
    let of_groups = |it: &&Known<'_>| is_any || groups.iter().any(|group| group == it.group);
    let candidates = || known.iter().filter(of_groups);
    let with_subresource = |plural: &str| match subresource {
        Some(it) => format!("{plural}/{}", it.to_ascii_lowercase()),
        None => plural.to_owned(),
    };
    if candidates().any(|it| it.plural == plural) {
        let lower = subresource?.to_ascii_lowercase();
        let message = format!("`{escaped}` has uppercase letters, and subresources have none");
        return (subresource? != lower)
            .then(|| (message, did_you_mean(&format!("{plural}/{lower}"))));
    }
    // The rule may be for the subresource of the other resources.
    let alone = if plural.is_empty() {
        subresource
    } else {
        Some(plural)
    };
    if let Some(alone) = alone
        && (plural.is_empty() || (subresource.is_none() && SUBRESOURCES.contains(&plural)))
    {
        let mut others = all.iter().map(|(_, it)| it.as_str());
        let other = others.find(|it| *it != resource && !it.contains(['/', '*']));
        let message = format!("`{escaped}` is a subresource without its resource");
        let meant = format!("{}/{alone}", other.unwrap_or("RESOURCE"));
        return Some((message, format!("use `{}`", meant.escape_debug())));
    }
    let lower = plural.to_ascii_lowercase();
    let message = format!("`{escaped}` is not a resource: rules name the plural, in lower case");
    let is_it = |it: &&Known<'_>| it.plural == lower || it.others.contains(&lower);
    // A CRD that is not among the manifests may have a similar name.
    let is_of_kubernetes = |it: &&Known<'_>| all_kinds().iter().any(|kind| kind.group == it.group);
    let close = || {
        let mut candidates = candidates().filter(is_of_kubernetes).filter(|_| !is_any);
        candidates.find(|it| is_close(&lower, it.plural))
    };
    if let Some(found) = candidates().find(is_it).or_else(close) {
        return Some((message, did_you_mean(&with_subresource(found.plural))));
    }
    if let Some((name, group)) = plural.split_once('.') {
        let hint = format!(
            "name `{}` in `resources`, and `{}` in `apiGroups`",
            name.escape_debug(),
            group.escape_debug()
        );
        return Some((
            format!("`{escaped}` has a group, and resources have none"),
            hint,
        ));
    }
    if plural != lower {
        let message = format!("`{escaped}` has uppercase letters, and resources have none");
        return Some((message, did_you_mean(&with_subresource(&lower))));
    }
    // In a group that nothing here defines, it may exist.
    let is_known = |group: &String| all_kinds().iter().any(|it| it.group == group);
    if groups.is_empty() || !groups.iter().all(is_known) {
        return None;
    }
    let elsewhere = known.iter().find(is_it)?;
    let (plural, group) = (elsewhere.plural, elsewhere.group.escape_debug());
    let message = format!("`{escaped}` is not a resource of the rule's API groups");
    let hint = format!(
        "use `{}` of the group `\"{group}\"`",
        with_subresource(plural)
    );
    Some((message, hint))
}
