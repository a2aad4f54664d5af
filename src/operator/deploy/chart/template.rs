//! Helm templates as trees of values.
//!
//! Text that a template engine reads may not be put together from lines: a second `annotations:` silently replaces the first, and a
//! brace in a description becomes an action. So a template is built from values, expressions stand at nodes of their own, and the
//! tree is written once. Whatever is literal is escaped while it is written, wherever it came from.
use std::fmt::Write as _;

use serde_json::Value;

use crate::output::yaml;

/// A value in a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplateNode {
    /// A scalar, or an empty map or list.
    Value(Value),
    /// A string that expressions are part of.
    Text(Text),
    /// An expression that yields JSON.
    Json(String),
    /// The value of the chart at a path, in which expressions may be strings or parts of them.
    Chosen(String),
    Map(Vec<Line<(String, TemplateNode)>>),
    List(Vec<Line<TemplateNode>>),
}

/// Entries of a map, or items of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line<T> {
    One(T),
    /// Only if a condition holds.
    If(String, Vec<Line<T>>),
    /// The entries or items of the value of an expression, unless it is empty.
    With(String),
}

/// A string with expressions in it. They yield names, which need no quotes of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Text(pub(super) Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Literal(String),
    Expression(String),
}

impl Line<(String, TemplateNode)> {
    /// The key of an entry, or the first one under a condition.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::One((key, _)) => Some(key),
            Self::If(_, lines) => lines.first()?.key(),
            Self::With(_) => None,
        }
    }
}

impl Text {
    pub(super) fn literal(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Part::Literal(text.to_owned()));
        }
    }

    pub(super) fn expression(&mut self, expression: &str) {
        self.0.push(Part::Expression(expression.to_owned()));
    }

    /// Whether expressions are part of it.
    pub(super) fn is_template(&self) -> bool {
        self.0.iter().any(|it| matches!(it, Part::Expression(_)))
    }

    /// The string as a value of the chart, which `tpl` evaluates. Strings in such a value may be quoted either way, so the only
    /// quotes are backquotes.
    pub(super) fn for_tpl(&self) -> String {
        self.written(str::to_owned, '`')
    }

    /// Writes the parts; `quoted` makes a literal part of a string, and `quote` surrounds a brace in an action.
    fn written(&self, quoted: impl Fn(&str) -> String, quote: char) -> String {
        let mut out = String::new();
        for (index, part) in self.0.iter().enumerate() {
            match part {
                Part::Literal(text) => {
                    let mut text = quoted(text);
                    let before_action = matches!(self.0.get(index + 1), Some(Part::Expression(_)));
                    let last = before_action && text.ends_with('{');
                    if last {
                        text.pop();
                    }
                    out.push_str(&escaped(&text, quote));
                    if last {
                        _ = write!(out, "{{{{ {quote}{{{quote} }}}}");
                    }
                }
                Part::Expression(expression) => {
                    let expression = expression.replace('"', &quote.to_string());
                    _ = write!(out, "{{{{ {expression} }}}}");
                }
            }
        }
        out
    }
}

/// Makes braces text that would start an action.
fn escaped(text: &str, quote: char) -> String {
    text.replace("{{", &format!("{{{{ {quote}{{{{{quote} }}}}"))
}

/// A string in an expression.
pub(super) fn quoted(text: &str) -> String {
    yaml::quote(text)
}

impl From<&Value> for TemplateNode {
    fn from(value: &Value) -> Self {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let fields = fields.iter();
                Self::Map(
                    fields
                        .map(|(key, value)| Line::One((key.clone(), value.into())))
                        .collect(),
                )
            }
            Value::Array(items) if !items.is_empty() => {
                Self::List(items.iter().map(|item| Line::One(item.into())).collect())
            }
            scalar => Self::Value(scalar.clone()),
        }
    }
}

impl TemplateNode {
    /// A map of these entries.
    pub(super) fn map(entries: impl IntoIterator<Item = (String, Self)>) -> Self {
        Self::Map(entries.into_iter().map(Line::One).collect())
    }

    /// The entries of a map; what is none becomes an empty one.
    pub(super) fn entries(&mut self) -> &mut Vec<Line<(String, Self)>> {
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        let Self::Map(entries) = self else {
            unreachable!("it is a map");
        };
        entries
    }

    /// The value at a key that a map always has.
    pub(super) fn get(&mut self, key: &str) -> Option<&mut Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries.iter_mut().find_map(|it| match it {
            Line::One((name, value)) if name == key => Some(value),
            _ => None,
        })
    }

    /// Removes the entry of a key, whether or not it has a condition, and returns its place among the others: where it was, or where it
    /// belongs.
    pub(super) fn remove(&mut self, key: &str) -> usize {
        let entries = self.entries();
        if let Some(at) = entries.iter().position(|it| it.key() == Some(key)) {
            entries.remove(at);
            return at;
        }
        let after = |it: &Line<(String, Self)>| it.key().is_some_and(|it| it > key);
        entries.iter().position(after).unwrap_or(entries.len())
    }

    /// Replaces the entry of a key.
    pub(super) fn set(&mut self, key: &str, value: Self) {
        let at = self.remove(key);
        self.entries()
            .insert(at, Line::One((key.to_owned(), value)));
    }

    /// Replaces the entry of a key by one that is there only if a condition holds.
    pub(super) fn set_if(&mut self, condition: &str, key: &str, value: Self) {
        let at = self.remove(key);
        let entry = Line::One((key.to_owned(), value));
        self.entries()
            .insert(at, Line::If(condition.to_owned(), vec![entry]));
    }

    /// The document in block style.
    pub(super) fn document(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Map(entries) => map(entries, 0, &mut out),
            Self::List(items) => list(items, 0, &mut out),
            other => {
                out.push_str(&scalar(other));
                out.push('\n');
            }
        }
        out
    }
}

fn map(entries: &[Line<(String, TemplateNode)>], depth: usize, out: &mut String) {
    lines(entries, depth, out, &mut |(key, value), out| {
        indent(depth, out);
        out.push_str(&escaped(&yaml::string(key), '"'));
        out.push(':');
        child(value, depth, depth, out);
    });
}

fn list(items: &[Line<TemplateNode>], depth: usize, out: &mut String) {
    lines(items, depth, out, &mut |value, out| {
        indent(depth, out);
        out.push('-');
        match value {
            // A map starts on the line of the dash, unless its first entry has a condition.
            TemplateNode::Map(entries) if matches!(entries.first(), Some(Line::One(_))) => {
                let mut nested = String::new();
                map(entries, depth + 1, &mut nested);
                out.push(' ');
                out.push_str(nested.trim_start_matches(' '));
            }
            value => child(value, depth, depth + 1, out),
        }
    });
}

fn lines<T>(all: &[Line<T>], depth: usize, out: &mut String, one: &mut dyn FnMut(&T, &mut String)) {
    for line in all {
        match line {
            Line::One(it) => one(it, out),
            Line::If(condition, inner) => {
                _ = writeln!(out, "{{{{- if {condition} }}}}");
                lines(inner, depth, out, one);
                out.push_str("{{- end }}\n");
            }
            Line::With(value) => {
                let columns = depth * 2;
                _ = write!(
                    out,
                    "{{{{- with {value} }}}}\n{{{{- tpl (toYaml .) $ | nindent {columns} }}}}\n{{{{- end }}}}\n"
                );
            }
        }
    }
}

/// Writes a value after its key or its dash; lists in it have one depth, other things are one deeper.
fn child(value: &TemplateNode, depth: usize, list_depth: usize, out: &mut String) {
    match value {
        TemplateNode::Map(entries) if !entries.is_empty() => {
            out.push('\n');
            map(entries, depth + 1, out);
        }
        TemplateNode::List(items) if !items.is_empty() => {
            out.push('\n');
            list(items, list_depth, out);
        }
        TemplateNode::Value(Value::String(text)) if yaml::is_prose(text) => {
            let mut block = String::new();
            yaml::prose(text, depth + 1, &mut block);
            out.push_str(&escaped(&block, '"'));
        }
        TemplateNode::Chosen(path) => {
            let columns = (depth + 1) * 2;
            _ = writeln!(out, " {{{{- tpl (toYaml {path}) $ | nindent {columns} }}}}");
        }
        other => {
            out.push(' ');
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

fn scalar(node: &TemplateNode) -> String {
    match node {
        TemplateNode::Value(Value::String(text)) => escaped(&yaml::string(text), '"'),
        TemplateNode::Value(value) => value.to_string(),
        TemplateNode::Text(text) => {
            let inner = |literal: &str| {
                let literal = yaml::quote(literal);
                literal[1..literal.len() - 1].to_owned()
            };
            format!("\"{}\"", text.written(inner, '"'))
        }
        TemplateNode::Json(expression) => format!("{{{{ toJson {expression} }}}}"),
        TemplateNode::Chosen(path) => format!("{{{{ tpl (toYaml {path}) $ }}}}"),
        TemplateNode::Map(_) => "{}".to_owned(),
        TemplateNode::List(_) => "[]".to_owned(),
    }
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_written_as_every_manifest_is() {
        let value = json!({
            "list": [{"name": "a", "on": "y"}, "plain", [1, 2], [], {}], "text": "Two\n\n  lines", "empty": {}, "none": null, "l": [[{"a": [1]}]],
        });
        assert_eq!(
            TemplateNode::from(&value).document(),
            yaml::document(&value)
        );
    }

    #[test]
    fn braces_are_text() {
        let node = TemplateNode::from(&json!({"{{k}}": "a {{ b }}", "p": "x\n{{{ y }}}\n"}));
        assert_eq!(
            node.document(),
            "p: |\n  x\n  {{ \"{{\" }}{ y }}}\n\"{{ \"{{\" }}k}}\": \"a {{ \"{{\" }} b }}\"\n"
        );
        let text = Text(vec![
            Part::Literal("\"a{{{".to_owned()),
            Part::Expression(".X".to_owned()),
        ]);
        assert_eq!(
            TemplateNode::Text(text.clone()).document(),
            "\"\\\"a{{ \"{{\" }}{{ \"{\" }}{{ .X }}\"\n"
        );
        assert_eq!(text.for_tpl(), "\"a{{ `{{` }}{{ `{` }}{{ .X }}");
    }

    #[test]
    fn conditions_and_values_have_lines_of_their_own() {
        let mut node = TemplateNode::from(&json!({"a": {"b": 1}, "l": [1]}));
        let inner = node.get("a").unwrap();
        inner.set_if(
            "not .Values.x",
            "aa",
            TemplateNode::Json(".Values.y".to_owned()),
        );
        inner.entries().push(Line::With(".Values.more".to_owned()));
        if let Some(TemplateNode::List(items)) = node.get("l") {
            items.push(Line::With(".Values.items".to_owned()));
        }
        node.set("args", TemplateNode::Chosen(".Values.args".to_owned()));
        assert_eq!(
            node.document(),
            "a:\n{{- if not .Values.x }}\n  aa: {{ toJson .Values.y }}\n{{- end }}\n  b: 1\n{{- with .Values.more }}\n\
             {{- tpl (toYaml .) $ | nindent 2 }}\n{{- end }}\nargs: {{- tpl (toYaml .Values.args) $ | nindent 2 }}\nl:\n- 1\n\
             {{- with .Values.items }}\n{{- tpl (toYaml .) $ | nindent 0 }}\n{{- end }}\n"
        );
    }
}
