//! Renders the Markdown that descriptions become as HTML. It is a small part of Markdown: whatever else is in a description is escaped in it.
use std::fmt::Write as _;

use kube_codegen_look::Escaped;

/// Renders lines: paragraphs, lists and code.
pub(super) fn html(lines: &[String]) -> String {
    let mut out = String::new();
    let mut lists: Vec<(usize, &str)> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut lines = lines.iter().map(String::as_str).peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if line.starts_with("```") {
            flush(&mut paragraph, lists.is_empty(), &mut out);
            close(&mut lists, 0, &mut out);
            out.push_str("<pre>");
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                out.push_str(&escape(line));
                out.push('\n');
            }
            out.push_str("</pre>");
        } else if text.is_empty() {
            flush(&mut paragraph, lists.is_empty(), &mut out);
            close(&mut lists, 0, &mut out);
        } else if let Some((tag, rest)) = item(text) {
            flush(&mut paragraph, lists.is_empty(), &mut out);
            close(&mut lists, indent + 1, &mut out);
            match lists.last() {
                Some((open, _)) if *open == indent => out.push_str("</li><li>"),
                _ => {
                    lists.push((indent, tag));
                    _ = write!(out, "<{tag}><li>");
                }
            }
            paragraph.push(rest);
        } else {
            paragraph.push(text);
        }
    }
    flush(&mut paragraph, lists.is_empty(), &mut out);
    close(&mut lists, 0, &mut out);
    out
}

/// Closes the lists that are indented as much as this, or more.
fn close(lists: &mut Vec<(usize, &str)>, indent: usize, out: &mut String) {
    while let Some((_, tag)) = lists.pop_if(|(open, _)| *open >= indent) {
        _ = write!(out, "</li></{tag}>");
    }
}

fn flush(paragraph: &mut Vec<&str>, alone: bool, out: &mut String) {
    if !paragraph.is_empty() {
        let text = inline(&paragraph.join(" "));
        paragraph.clear();
        if alone {
            _ = write!(out, "<p>{text}</p>");
        } else {
            out.push_str(&text);
        }
    }
}

/// Returns the element of the list, and the text of an item.
fn item(text: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = text.strip_prefix("- ") {
        return Some(("ul", rest));
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text[digits..].strip_prefix(". ")?;
    (1..=2).contains(&digits).then_some(("ol", rest))
}

/// Renders code, links, emphasis and escapes of a line.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '`', '[', '<', '*']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        let found = code(rest)
            .or_else(|| link(rest))
            .or_else(|| url(rest))
            .or_else(|| emphasis(rest));
        if let Some((html, length)) = found {
            out.push_str(&html);
            rest = &rest[length..];
        } else {
            let escaped = rest.strip_prefix('\\');
            let is_escape = |text: &&str| text.starts_with(|c: char| c.is_ascii_punctuation());
            rest = escaped.filter(is_escape).unwrap_or(rest);
            let length = rest.chars().next().map_or(0, char::len_utf8);
            out.push_str(&escape(&rest[..length]));
            rest = &rest[length..];
        }
    }
    out.push_str(&escape(rest));
    out
}

fn escape(text: &str) -> String {
    Escaped(text).to_string()
}

fn code(rest: &str) -> Option<(String, usize)> {
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    let (fence, body) = rest.split_at(ticks);
    let end = body.match_indices('`').map(|(at, _)| at).find(|at| {
        ticks > 0
            && body[*at..].starts_with(fence)
            && !body[at + ticks..].starts_with('`')
            && !body[..*at].ends_with('`')
    })?;
    let inner = &body[..end];
    let padded = inner.strip_prefix(' ').and_then(|it| it.strip_suffix(' '));
    let inner = padded.filter(|it| !it.trim().is_empty()).unwrap_or(inner);
    let html = format!("<code>{}</code>", escape(inner));
    Some((html, end + 2 * ticks))
}

/// Reads `[text](https://…)` or `[text](<https://…>)`.
fn link(rest: &str) -> Option<(String, usize)> {
    let (text, after) = rest.strip_prefix('[')?.split_once("](")?;
    let (target, length) = if let Some(after) = after.strip_prefix('<') {
        let (target, _) = after.split_once(">)")?;
        (target, target.len() + 3)
    } else {
        let (target, _) = after.split_once(')')?;
        (target, target.len() + 1)
    };
    Some((anchor(target, text)?, text.len() + 3 + length))
}

/// Reads `<https://…>`.
fn url(rest: &str) -> Option<(String, usize)> {
    let (target, _) = rest.strip_prefix('<')?.split_once('>')?;
    Some((anchor(target, target)?, target.len() + 2))
}

fn anchor(target: &str, text: &str) -> Option<String> {
    let is_web = target.starts_with("https://") || target.starts_with("http://");
    let is_plain = !target.contains(|c: char| c.is_whitespace() || c.is_control());
    let link = || {
        format!(
            "<a href=\"{}\" rel=\"noreferrer\">{}</a>",
            escape(target),
            escape(text)
        )
    };
    (is_web && is_plain).then(link)
}

fn emphasis(rest: &str) -> Option<(String, usize)> {
    [("**", "strong"), ("*", "em")]
        .into_iter()
        .find_map(|(mark, tag)| {
            let (inner, _) = rest.strip_prefix(mark)?.split_once(mark)?;
            let is_text = inner.starts_with(char::is_alphanumeric)
                && !inner.contains('*')
                && !inner.ends_with(['\\', ' ']);
            let html = || format!("<{tag}>{}</{tag}>", inline(inner));
            is_text.then(|| (html(), inner.len() + 2 * mark.len()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(description: &str) -> String {
        html(&crate::output::emit::description(description))
    }

    #[test]
    fn descriptions_become_blocks() {
        for (text, expected) in [
            ("One.\n\nTwo & three.", "<p>One.</p><p>Two &amp; three.</p>"),
            (
                "Values:\n- a\n  1. b\n- c",
                "<p>Values:</p><ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>",
            ),
            (
                "Use `a < b` **now**.",
                "<p>Use <code>a &lt; b</code> <strong>now</strong>.</p>",
            ),
            ("```\n<b>\n```", "<pre>&lt;b&gt;\n</pre>"),
            (
                "See [docs](https://a.b/c) or https://d.e.",
                "<p>See <a href=\"https://a.b/c\" rel=\"noreferrer\">docs</a> or <a href=\"https://d.e\" rel=\"noreferrer\">https://d.e</a>.</p>",
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_injects_stays_text() {
        for text in [
            "<script>alert(1)</script>",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>)",
            "<javascript:alert(1)>",
            "</textarea><img src=x onerror=alert(1)>",
            "a\u{202e}b\u{2066}c",
            "[x](https://a\"onclick=\"alert)",
        ] {
            let html = shown(text);
            let tags = html
                .replace("<p>", "")
                .replace("</p>", "")
                .replace("<code>", "")
                .replace("</code>", "");
            assert!(
                !tags.contains('<') || tags.starts_with("<a href=\"https:"),
                "{text}: {html}"
            );
            assert!(
                !html.contains("\"onclick") && !html.contains(['\u{202e}', '\u{2066}']),
                "{text}: {html}"
            );
        }
    }
}
