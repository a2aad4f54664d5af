//! Prints the changes of an API for people.
use std::{collections::HashMap, fmt::Write as _};

use serde_json::Value;

use crate::{
    api::compat::{Break, Changes, Finding, Level, Proof, Witness},
    cli::console::Console,
    output::yaml,
};

pub(super) fn print(changes: &[Changes], rest: &[Break], console: &mut Console) {
    for change in changes {
        console.line(&format!("{} ({})", change.kind, change.name));
        for alike in alike(&change.findings, console.is_verbose()) {
            print_alike(&alike, console);
        }
        console.line("");
    }
    for broken in rest {
        console.line(&format!("{}: {}", broken.module, rust(broken)));
    }
    if !rest.is_empty() {
        console.line("");
    }
}

/// How many changes of one kind are printed each.
const MANY: usize = 5;

/// How many examples there are of more of them.
pub(super) const EXAMPLES: usize = 3;

/// Puts changes together that say the same of many places, so that the others are not lost among them: those with one rule and, if they break
/// something, one difference in fields of one name. What breaks Rust code is never put together: each place has to be changed.
pub(super) fn alike(findings: &[Finding], all: bool) -> Vec<Vec<&Finding>> {
    let key = |finding: &Finding| {
        let is_break = finding.worst() == Level::Breaking;
        let name = finding.path.rsplit('.').next().unwrap_or_default();
        let difference = is_break.then(|| (finding.detail.clone(), name.to_owned()));
        (finding.worst(), finding.rule, difference)
    };
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut known = HashMap::new();
    for finding in findings {
        if all || !finding.rust.is_empty() {
            groups.push(vec![finding]);
            continue;
        }
        let at = *known.entry(key(finding)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let is_large = |group: &Vec<&Finding>| group.len() > MANY;
    let mut found: Vec<Vec<&Finding>> = Vec::new();
    for group in groups {
        if is_large(&group) {
            found.push(group);
        } else {
            found.extend(group.into_iter().map(|it| vec![it]));
        }
    }
    // The worst stay first.
    found.sort_by_key(|group| std::cmp::Reverse(group.first().map(|it| it.worst())));
    found
}

/// Prints one change in full, and of those that are like it the first ones and their number.
fn print_alike(alike: &[&Finding], console: &mut Console) {
    let Some((first, others)) = alike.split_first() else {
        return;
    };
    print_finding(first, console);
    for finding in others.iter().take(EXAMPLES - 1) {
        console.line(&format!("{}: {}", finding.worst(), head(finding)));
    }
    if let Some(more) = more(alike) {
        console.line(&format!("{}: {more}; -v shows them", first.worst()));
    }
}

/// Says how many changes are like those that are shown.
pub(super) fn more(alike: &[&Finding]) -> Option<String> {
    let more = alike.len().checked_sub(EXAMPLES).filter(|it| *it > 0)?;
    let rule = alike.first()?.rule.name().replace('-', " ");
    Some(format!("{rule}: {more} more like these"))
}

/// Returns the place of a change, and what differs.
pub(super) fn head(finding: &Finding) -> String {
    let mut place: Vec<&str> = finding.version.iter().map(String::as_str).collect();
    if !finding.path.is_empty() {
        place.push(&finding.path);
    }
    let mut head = place.join(" ");
    if let Some(to) = &finding.to {
        head.push_str(" -> ");
        head.push_str(to);
    }
    if !head.is_empty() {
        head.push_str(": ");
    }
    head.push_str(&finding.rule.name().replace('-', " "));
    if !finding.detail.is_empty() {
        let _ = write!(head, " ({})", finding.detail);
    }
    head
}

/// Returns what a change means for the cluster.
pub(super) fn cluster(finding: &Finding) -> String {
    let mut text = finding.rule.means().to_owned();
    match (&finding.witness, finding.tries) {
        (
            Some(Witness {
                proof: Proof::Rejected { ratchets, .. },
                ..
            }),
            _,
        ) => {
            text.push_str(if *ratchets {
                "; stored objects can still be updated if the update does not touch this value (ratcheting)"
            } else {
                "; stored objects like the one below cannot be updated at all"
            });
        }
        (None, Some(tries)) if finding.level > Level::Compatible => {
            let _ = write!(text, "; no witness in {tries} tries");
        }
        _ => {}
    }
    text
}

/// Returns what the object of a change proves, and the messages below it.
pub(super) fn proof(finding: &Finding, witness: &Witness) -> (&'static str, Vec<String>) {
    match &witness.proof {
        Proof::Rejected { messages, .. } if finding.is_status => (
            "accepted before by a write of /status, rejected now:",
            messages.clone(),
        ),
        Proof::Rejected { messages, .. } => ("accepted before, rejected now:", messages.clone()),
        Proof::Accepted { messages } => ("rejected before, accepted now:", messages.clone()),
        Proof::UpdateRejected { messages, .. } => {
            ("update accepted before, rejected now:", messages.clone())
        }
        Proof::UpdateAccepted { messages, .. } => {
            ("update rejected before, accepted now:", messages.clone())
        }
        Proof::Dropped { paths } => {
            let lines = paths.iter().map(|path| format!("dropped: {path}"));
            ("stored before, dropped now:", lines.collect())
        }
        Proof::Stored {
            path,
            before,
            after,
        } => {
            let line = format!("{path}: {before} before, {after} now");
            ("stored with another value:", vec![line])
        }
    }
}

/// Writes the objects of a proof as YAML: one, or a stored one and its update. What is long is shortened, unless all is wanted.
pub(super) fn objects(witness: &Witness, all: bool) -> String {
    let document = |object: &Value| {
        let mut object = object.clone();
        if !all {
            shorten(&mut object);
        }
        yaml::document(&object)
    };
    let object = document(&witness.object);
    match &witness.proof {
        Proof::UpdateRejected { stored, .. } | Proof::UpdateAccepted { stored, .. } => {
            let stored = document(stored);
            format!("# stored\n{stored}---\n# update\n{object}")
        }
        _ => object,
    }
}

/// How many letters of a text, and how many items of a list or fields of a map, are shown.
const LETTERS: usize = 300;
const ITEMS: usize = 20;

/// Replaces what is left out by a text that says how much there is.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = shortened(text),
        Value::Array(items) => {
            let count = items.len();
            if count > ITEMS {
                items.truncate(3);
                items.push(format!("... ({count} items)").into());
            }
            items.iter_mut().for_each(shorten);
        }
        Value::Object(fields) => {
            let count = fields.len();
            if count > ITEMS {
                let mut index = 0;
                fields.retain(|_, _| {
                    index += 1;
                    index <= 3
                });
                fields.insert("...".to_owned(), format!("({count} fields)").into());
            }
            fields.values_mut().for_each(shorten);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the beginning of a long text, and its length.
pub(super) fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LETTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(40).collect();
    format!("{start}... ({count} letters)")
}

pub(super) fn rust(broken: &Break) -> String {
    let mut text = format!("`{}` {}", broken.item, broken.what);
    if let Some(keep) = &broken.keep {
        let _ = write!(text, "; kept by `{}`", keep.line);
    }
    text
}

fn print_finding(finding: &Finding, console: &mut Console) {
    console.line(&format!("{}: {}", finding.worst(), head(finding)));
    let is_full = finding.worst() > Level::Compatible || console.is_verbose();
    if !is_full {
        return;
    }
    console.line(&format!(
        "  cluster: {}: {}",
        finding.level,
        cluster(finding)
    ));
    for broken in &finding.rust {
        console.line(&format!("  rust: {}", rust(broken)));
    }
    if let Some(witness) = &finding.witness {
        let (says, messages) = proof(finding, witness);
        console.line(&format!("  {says}"));
        for line in objects(witness, console.is_verbose()).lines() {
            console.line(&format!("      {line}"));
        }
        for message in messages {
            let message = if console.is_verbose() {
                message
            } else {
                shortened(&message)
            };
            console.line(&format!("    {message}"));
        }
    }
    if finding.level > Level::Compatible && !finding.rule.advice().is_empty() {
        console.line(&format!("  to do: {}", finding.rule.advice()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_long_is_shortened() {
        let (long, list) = ("é".repeat(301), vec![1; 21]);
        let map: serde_json::Map<_, _> =
            (0..21).map(|it| (format!("k{it:02}"), json!(it))).collect();
        let mut value = json!({"short": "é".repeat(300), "long": long, "list": list, "map": map, "few": [1, 2]});
        let short = value["short"].clone();
        shorten(&mut value);
        assert_eq!(value["short"], short);
        assert_eq!(
            value["long"],
            format!("{}... (301 letters)", "é".repeat(40))
        );
        assert_eq!(value["list"], json!([1, 1, 1, "... (21 items)"]));
        let shown = json!({"k00": 0, "k01": 1, "k02": 2, "...": "(21 fields)"});
        assert_eq!(value["map"], shown);
        assert_eq!(value["few"], json!([1, 2]));
    }
}
