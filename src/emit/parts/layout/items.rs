//! Parts of items come in, their lines go out: attributes, heads, signatures, values.
use super::{MARGIN, fits};

/// The longest list of features on one line.
const MAX_FEATURES: usize = 70;

/// The lines of an attribute at the left margin: one where it fits.
pub(crate) fn attribute(name: &str, inside: &str) -> String {
    let line = format!("#[{name}({inside})]\n");
    if fits(&[line.trim_end()]) {
        line
    } else {
        format!("#[{name}(\n{MARGIN}{inside}\n)]\n")
    }
}

/// Writes the gate of an item that any of the features brings.
pub(crate) fn gate(out: &mut String, margin: &str, features: &[String]) {
    let list = features.join(", ");
    let (open, close, fits) = match features {
        [] => return,
        [_] => ("#[cfg(", ")]", fits(&[margin, "#[cfg(", &list, ")]"])),
        _ => ("#[cfg(any(", "))]", list.len() <= MAX_FEATURES),
    };
    let (lines, end) = if fits {
        (list, String::new())
    } else {
        let inner = format!("\n{margin}{MARGIN}");
        let lines = features.join(&format!(",{inner}"));
        (format!("{inner}{lines}"), format!("\n{margin}"))
    };
    for piece in [margin, open, &lines, &end, close, "\n"] {
        out.push_str(piece);
    }
}

/// Writes the head of an `impl` at the left margin, up to its opening brace.
pub(crate) fn head(out: &mut String, name: &str, ty: &str, end: &str) {
    let line = ["impl ", name, " for ", ty, " ", end];
    if fits(&line) {
        out.extend(line);
        return;
    }
    out.extend(["impl ", name, "\n", MARGIN, "for ", ty, "\n"]);
    out.push_str(if end == "{}" { "{\n}" } else { end });
}

/// Writes the signature of a function that returns something: on one line where it fits, else each parameter on its own.
pub(crate) fn function(out: &mut String, name: &str, takes: &[&str], gives: &str, end: &str) {
    let parameters = takes.join(", ");
    let line = [MARGIN, name, "(", &parameters, ") -> ", gives];
    // Rustfmt reckons with a brace behind it, and sees to that of a declaration only when it has broken the line.
    let is_declared = end == ";";
    if fits(&[&line[..], &[if is_declared { " {" } else { end }]].concat()) {
        out.extend(line);
    } else if is_declared && fits(&[&line[..], &[end]].concat()) {
        out.extend([MARGIN, name, "(", &parameters, ")\n", MARGIN, "-> ", gives]);
    } else {
        out.extend([MARGIN, name, "(\n"]);
        for parameter in takes {
            out.extend([MARGIN, MARGIN, parameter, ",\n"]);
        }
        out.extend([MARGIN, ") -> ", gives]);
    }
    out.extend([end, "\n"]);
}

/// Writes `head`, which ends in `=` or `:`, and its value: below it only where it fits there better. What fits nowhere is
/// one text, which cannot be broken.
pub(crate) fn assigned(out: &mut String, margin: &str, head: &str, value: &str, end: &str) {
    out.extend([margin, head]);
    if !fits(&[margin, head, " ", value, end]) && fits(&[margin, MARGIN, value, end]) {
        out.extend(["\n", margin, MARGIN]);
    } else {
        out.push(' ');
    }
    out.extend([value, end, "\n"]);
}

/// Writes the field of a literal whose value is a call: what is too long stands between its brackets.
pub(crate) fn passed(out: &mut String, margin: &str, field: &str, call: &str, value: &str) {
    if fits(&[margin, field, ": ", call, "(", value, "),"]) {
        out.extend([margin, field, ": ", call, "(", value, "),\n"]);
    } else {
        out.extend([margin, field, ": ", call, "(\n"]);
        out.extend([margin, MARGIN, value, ",\n", margin, "),\n"]);
    }
}

/// Writes a call of a macro in a call, the last thing of a function.
pub(crate) fn call(out: &mut String, outer: &str, inner: &str, value: &str) {
    let margin = "        ";
    let line = [margin, outer, "(", inner, "(", value, "))\n"];
    if fits(&[margin, outer, "(", inner, "(", value, "))"]) {
        out.extend(line);
        return;
    }
    out.extend([margin, outer, "(", inner, "(\n"]);
    out.extend([margin, MARGIN, value, "\n", margin, "))\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn gates_are_broken_where_rustfmt_breaks_them() {
        let feature = |letters: usize| format!("feature = \"{}\"", "a".repeat(letters));
        let gate = |margin: &str, features: &[String]| text(|out| gate(out, margin, features));
        let one = feature(76);
        assert_eq!(
            gate(MARGIN, std::slice::from_ref(&one)),
            format!("    #[cfg({one})]\n")
        );
        let one = feature(77);
        assert_eq!(
            gate(MARGIN, std::slice::from_ref(&one)),
            format!("    #[cfg(\n        {one}\n    )]\n")
        );
        let [a, b] = [feature(22), feature(23)];
        assert_eq!(
            gate("", &[a.clone(), a.clone()]),
            format!("#[cfg(any({a}, {a}))]\n")
        );
        assert_eq!(
            gate("", &[a.clone(), b.clone()]),
            format!("#[cfg(any(\n    {a},\n    {b}\n))]\n")
        );
        assert_eq!(gate("", &[]), "");
    }

    #[test]
    fn heads_take_three_lines_where_one_is_too_short() {
        let short = "x".repeat(86);
        assert_eq!(
            text(|out| head(out, "T", &short, "{")),
            format!("impl T for {short} {{")
        );
        let long = "x".repeat(88);
        assert_eq!(
            text(|out| head(out, "T", &long, "{}")),
            format!("impl T\n    for {long}\n{{\n}}")
        );
    }

    #[test]
    fn signatures_and_values_are_broken_where_they_are_too_long() {
        let signature = |ty: &str| text(|out| function(out, "fn a", &["&self", "b: B"], ty, " {"));
        assert_eq!(signature("C"), "    fn a(&self, b: B) -> C {\n");
        let long = "x".repeat(80);
        assert_eq!(
            signature(&long),
            format!("    fn a(\n        &self,\n        b: B,\n    ) -> {long} {{\n")
        );
        let declared = |ty: &str| text(|out| function(out, "fn a", &["&self"], ty, ";"));
        let [fits, between, long] = [79, 80, 81].map(|length| "x".repeat(length));
        assert_eq!(declared(&fits), format!("    fn a(&self) -> {fits};\n"));
        assert_eq!(
            declared(&between),
            format!("    fn a(&self)\n    -> {between};\n")
        );
        assert_eq!(
            declared(&long),
            format!("    fn a(\n        &self,\n    ) -> {long};\n")
        );
        let value = |value: &str| text(|out| assigned(out, "", "const A: &str =", value, ";"));
        let [fits, below, nowhere] = [83, 95, 96].map(|length| "x".repeat(length));
        assert_eq!(value(&fits), format!("const A: &str = {fits};\n"));
        assert_eq!(value(&below), format!("const A: &str =\n    {below};\n"));
        assert_eq!(value(&nowhere), format!("const A: &str = {nowhere};\n"));
        let [fits, long] = [93, 94].map(|length| "x".repeat(length));
        let field = |value: &str| text(|out| passed(out, "", "a", "S", value));
        assert_eq!(field(&fits), format!("a: S({fits}),\n"));
        assert_eq!(field(&long), format!("a: S(\n    {long},\n),\n"));
        assert_eq!(
            text(|out| call(out, "a", "b!", &long)),
            format!("        a(b!(\n            {long}\n        ))\n")
        );
    }
}
