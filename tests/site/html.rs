//! Reads the tags of a page, as strictly as the templates write them.

/// A start tag.
#[derive(Debug)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    attributes: Vec<(&'a str, String)>,
}

impl Tag<'_> {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(it, _)| *it == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| *name)
    }
}

/// Returns the start tags of a page.
pub(super) fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let end = end(after);
        let inner = &after[..end];
        rest = &after[end + 1..];
        if inner.starts_with('!') {
            continue;
        }
        if let Some(name) = inner.strip_prefix('/') {
            assert_eq!(
                open.pop(),
                Some(name),
                "</{name}> ends another element, before {rest:.100}"
            );
            continue;
        }
        let tag = tag(inner);
        if !matches!(tag.name, "meta" | "link" | "br" | "input") {
            open.push(tag.name);
        }
        tags.push(tag);
    }
    assert_eq!(open, Vec::<&str>::new(), "elements without an end");
    tags
}

/// Returns the position of the `>` of a tag.
fn end(text: &str) -> usize {
    let mut quoted = false;
    let end = text.find(|c| {
        quoted ^= c == '"';
        c == '>' && !quoted
    });
    end.unwrap_or_else(|| panic!("a tag without an end: {text:.100}"))
}

fn tag(inner: &str) -> Tag<'_> {
    let (name, mut rest) = inner.split_once([' ', '\n']).unwrap_or((inner, ""));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Tag { name, attributes };
        }
        let end = rest.find([' ', '=', '\n']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if let Some(value) = after.strip_prefix("=\"") {
            let (value, after) = value.split_once('"').unwrap();
            attributes.push((name, text(value)));
            rest = after;
        } else {
            assert!(!after.starts_with('='), "a value without quotes: {inner}");
            attributes.push((name, String::new()));
            rest = after;
        }
    }
}

/// Returns a text without escapes.
fn text(escaped: &str) -> String {
    let text = escaped
        .replace("&#x2f;", "/")
        .replace("&#x27;", "'")
        .replace("&quot;", "\"");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}
