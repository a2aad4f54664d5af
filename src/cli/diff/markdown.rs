//! Writes the changes of an API as Markdown, for a comment of a pull request.
use std::fmt::Write;

use super::{
    stored::{self, Stored},
    text::{EXAMPLES, alike, cluster, head, more, objects, proof, rust, shortened},
};
use crate::api::compat::{Break, Changes, Finding, Level};

/// How long the text is before it leaves out objects, in bytes: a comment has 65,536 letters at most.
const MOST: usize = 50_000;

pub(super) fn render(
    changes: &[Changes],
    rest: &[Break],
    stored: &[Stored],
    summary: &str,
) -> String {
    let mut out = format!("## Changes of the API\n\n{}\n", escaped(summary));
    let mut left_out = 0;
    for change in changes {
        let _ = writeln!(out, "\n### {} (`{}`)\n", escaped(&change.kind), change.name);
        out.push_str("| level | change | for the cluster | for Rust code |\n|---|---|---|---|\n");
        let mut shown = Vec::new();
        for alike in alike(&change.findings, false) {
            let more = more(&alike);
            let examples = if more.is_some() {
                EXAMPLES
            } else {
                alike.len()
            };
            for finding in &alike[..examples] {
                row(finding, &mut out);
                shown.push(*finding);
            }
            if let (Some(more), Some(first)) = (more, alike.first()) {
                let _ = writeln!(out, "| {} | {more} | | |", first.worst());
            }
        }
        for finding in shown.into_iter().filter(|it| it.level > Level::Compatible) {
            let Some(witness) = &finding.witness else {
                continue;
            };
            let (says, messages) = proof(finding, witness);
            let messages: Vec<String> = messages.iter().map(|it| shortened(it)).collect();
            let mut text = String::new();
            let _ = writeln!(
                text,
                "\n<details><summary>{}: {says}</summary>\n",
                html(&head(finding))
            );
            let object = objects(witness, false);
            // A fence longer than any in the text.
            let fence = fence(&object, &messages);
            let _ = writeln!(text, "{fence}yaml\n{object}{fence}\n");
            let _ = writeln!(text, "{fence}text\n{}\n{fence}\n", messages.join("\n"));
            if !finding.rule.advice().is_empty() {
                let _ = writeln!(text, "To do: {}\n", finding.rule.advice());
            }
            text.push_str("</details>\n");
            if out.len() + text.len() > MOST {
                left_out += 1;
            } else {
                out.push_str(&text);
            }
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            out,
            "\n{left_out} more objects that prove a change are left out here: `kube-codegen diff` prints them."
        );
    }
    for of_kind in stored {
        let kind = escaped(&of_kind.kind);
        let _ = writeln!(
            out,
            "\n### Stored objects of {kind}: {} read\n",
            of_kind.read
        );
        out.push_str("| level | what happens | objects |\n|---|---|---|\n");
        for group in &of_kind.groups {
            let _ = writeln!(
                out,
                "| {} | {}: {} | {} |",
                group.effect.level(),
                escaped(&stored::head(group)),
                group.effect.means(),
                escaped(&stored::names(group, false))
            );
        }
    }
    for broken in rest {
        let _ = writeln!(out, "\n- `{}`: {}", broken.module, escaped(&rust(broken)));
    }
    out
}

fn row(finding: &Finding, out: &mut String) {
    let code: Vec<String> = finding.rust.iter().map(rust).collect();
    let code = if code.is_empty() {
        "compatible".to_owned()
    } else {
        code.join("; ")
    };
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} |",
        finding.worst(),
        escaped(&head(finding)),
        escaped(&format!("{}: {}", finding.level, cluster(finding))),
        escaped(&code)
    );
}

fn fence(object: &str, messages: &[String]) -> String {
    let texts = [object]
        .into_iter()
        .chain(messages.iter().map(String::as_str));
    let ticks = texts.flat_map(|text| text.split(|c| c != '`').map(str::len));
    "`".repeat(3.max(ticks.max().unwrap_or(0) + 1))
}

/// Makes a text of one cell: texts come from CRDs, and are neither links, images, mentions nor HTML. What is between backticks is code.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        let is_code = index % 2 == 1;
        out.push_str(if is_code { "<code>" } else { "" });
        for c in part.chars() {
            match c {
                '|' | '\\' | '*' | '_' | '[' | ']' | '!' | '~' | '#' => out.extend(['\\', c]),
                c => out.push_str(&html(c.encode_utf8(&mut [0; 4]))),
            }
        }
        out.push_str(if is_code { "</code>" } else { "" });
    }
    out
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        // A mention would notify people.
        .replace('@', "@<!-- -->")
        .replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::compat::{Proof, Rule, Witness};

    #[test]
    fn a_comment_leaves_out_objects_and_says_how_many() {
        let finding = |index: usize| Finding {
            rule: Rule::Narrowed,
            level: Level::Breaking,
            version: Some("v1".to_owned()),
            path: format!("spec.field{index}"),
            to: None,
            detail: String::new(),
            witness: Some(Witness {
                object: json!({"spec": {"text": "a".repeat(290)}}),
                proof: Proof::Rejected {
                    messages: vec!["rejected".to_owned()],
                    ratchets: true,
                },
            }),
            tries: None,
            is_status: false,
            rust: Vec::new(),
        };
        let text = |count: usize| {
            let changes = Changes {
                name: "widgets.example.com".to_owned(),
                kind: "Widget".to_owned(),
                findings: (0..count).map(finding).collect(),
            };
            render(&[changes], &[], &[], "")
        };
        assert_eq!(text(3).matches("<details>").count(), 3);
        assert!(!text(3).contains("left out"));
        let long = text(120);
        let shown = long.matches("<details>").count();
        assert_eq!(shown, long.matches("</details>").count());
        let rest = format!(
            "\n{} more objects that prove a change are left out here",
            120 - shown
        );
        assert!(shown < 120 && long.contains(&rest), "{shown}");
        assert!(long.len() < 65_536, "{}", long.len());
        assert_eq!(
            long.matches("| breaking |").count(),
            120,
            "each change is in the table"
        );
    }
}
