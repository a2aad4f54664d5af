//! Renders descriptions as HTML. They are Markdown from a CRD, so they are data: HTML in them is shown as text, and only web links are links.
use kube_codegen_look::Escaped;
use pulldown_cmark::{Event, Parser, Tag, TagEnd, html};

/// Renders lines: paragraphs, lists and code.
pub(super) fn blocks(lines: &[String]) -> String {
    render(&lines.join("\n"), false)
}

/// Renders code, links and emphasis in one line.
pub(super) fn inline(text: &str) -> String {
    render(text, true)
}

fn render(text: &str, is_inline: bool) -> String {
    // Whether each open link is one to the web.
    let mut links = Vec::new();
    let events = Parser::new(text).filter_map(|event| {
        let shown = match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => escape(&text),
            Event::Code(text) => format!("<code>{}</code>", escape(&text)),
            Event::Start(Tag::CodeBlock(_)) => "<pre>".to_owned(),
            Event::End(TagEnd::CodeBlock) => "</pre>".to_owned(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(is_web(&dest_url));
                if !is_web(&dest_url) {
                    return None;
                }
                format!("<a href=\"{}\" rel=\"noreferrer\">", escape(&dest_url))
            }
            Event::End(TagEnd::Link) if links.pop() == Some(true) => "</a>".to_owned(),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) if is_inline => {
                return None;
            }
            // A page has headings of its own, and loads no images.
            Event::Start(Tag::Heading { .. }) => return Some(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::Heading(_)) => return Some(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock)
            | Event::End(TagEnd::Image | TagEnd::HtmlBlock | TagEnd::Link) => return None,
            other => return Some(other),
        };
        Some(Event::InlineHtml(shown.into()))
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

fn escape(text: &str) -> String {
    Escaped(text).to_string()
}

fn is_web(target: &str) -> bool {
    let is_plain = !target.contains(|c: char| c.is_whitespace() || c.is_control());
    is_plain && (target.starts_with("https://") || target.starts_with("http://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(description: &str) -> String {
        let html = blocks(&crate::output::emit::description(description));
        html.replace(">\n", ">").replace("\n<", "<")
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
            ("```\n<b>\n```", "<pre>&lt;b&gt;</pre>"),
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
            "![x](https://a.b/c.png)",
            "</textarea><img src=x onerror=alert(1)>",
            "a\u{202e}b\u{2066}c",
            "[x](https://a\"onclick=\"alert)",
        ] {
            // Neither with the escapes of the generator nor without.
            for html in [shown(text), blocks(&[text.to_owned()]), inline(text)] {
                let tags = ["<p>", "</p>", "<code>", "</code>", "\n"];
                let tags = tags
                    .iter()
                    .fold(html.clone(), |html, tag| html.replace(tag, ""));
                assert!(
                    !tags.contains('<')
                        || tags.trim_start_matches('!').starts_with("<a href=\"https:"),
                    "{text}: {html}"
                );
                assert!(
                    !html.contains("\"onclick") && !html.contains(['\u{202e}', '\u{2066}']),
                    "{text}: {html}"
                );
            }
        }
    }
}
