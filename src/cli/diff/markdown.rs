//! Writes the changes of an API as Markdown, for a comment of a pull request.
use std::fmt::Write;

use super::text::{cluster, head, proof, rust};
use crate::{
    compat::{Break, Changes, Level},
    scaffold::yaml_document,
};

pub(super) fn render(changes: &[Changes], rest: &[Break], summary: &str) -> String {
    let mut out = format!("## Changes of the API\n\n{}\n", escaped(summary));
    for change in changes {
        let _ = writeln!(out, "\n### {} (`{}`)\n", escaped(&change.kind), change.name);
        out.push_str("| level | change | for the cluster | for Rust code |\n|---|---|---|---|\n");
        for finding in &change.findings {
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
        let shown = change.findings.iter();
        for finding in shown.filter(|it| it.level > Level::Compatible) {
            let Some(witness) = &finding.witness else {
                continue;
            };
            let (says, messages) = proof(witness);
            let _ = writeln!(
                out,
                "\n<details><summary>{}: {says}</summary>\n",
                html(&head(finding))
            );
            let object = yaml_document(&witness.object);
            // A fence longer than any in the text.
            let fence = fence(&object, &messages);
            let _ = writeln!(out, "{fence}yaml\n{object}{fence}\n");
            let _ = writeln!(out, "{fence}text\n{}\n{fence}\n", messages.join("\n"));
            if !finding.rule.advice().is_empty() {
                let _ = writeln!(out, "To do: {}\n", finding.rule.advice());
            }
            out.push_str("</details>\n");
        }
    }
    for broken in rest {
        let _ = writeln!(out, "\n- `{}`: {}", broken.module, escaped(&rust(broken)));
    }
    out
}

fn fence(object: &str, messages: &[String]) -> String {
    let texts = [object]
        .into_iter()
        .chain(messages.iter().map(String::as_str));
    let ticks = texts.flat_map(|text| text.split(|c| c != '`').map(str::len));
    "`".repeat(3.max(ticks.max().unwrap_or(0) + 1))
}

/// Makes a text of one cell: texts come from CRDs.
fn escaped(text: &str) -> String {
    html(text).replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
