//! Names fields by the snake case of their wire names.
use super::taken::Taken;
use super::{idents, words};
use crate::model::ir::{Ident, Struct};

pub(super) fn name(body: &mut Struct) {
    let mut taken = Taken::default();
    let mut unnamed = Vec::new();
    for (index, field) in body.fields.iter().enumerate() {
        match &field.ident {
            Some(ident) => _ = taken.take(ident),
            None => unnamed.push(index),
        }
    }
    unnamed.sort_by_key(|index| distance(&body.fields[*index].wire));
    for index in unnamed {
        let field = &mut body.fields[index];
        field.ident = Some(unique(&field.wire, &mut taken));
    }
    if let Some(rest) = &mut body.rest {
        *rest = taken.first(["rest", "other_fields"].map(Ident::new));
    }
}

/// Returns a free name for a field.
fn unique(wire: &str, taken: &mut Taken) -> Ident {
    let plain = words::snake(&words::words(wire));
    let is_plain = !plain.is_empty();
    if is_plain && taken.take(&ident(&plain)) {
        return ident(&plain);
    }
    let spelled = ident(&words::snake(&words::spelled(wire)));
    let plain = if is_plain {
        ident(&plain)
    } else {
        spelled.clone()
    };
    if plain.as_str() == plain.plain() {
        return taken.first([plain, spelled]);
    }
    // A number is appended to a name that is not a keyword.
    let last = Ident::new(format!("{}_", plain.plain()));
    taken.first([plain, spelled, last])
}

fn ident(name: &str) -> Ident {
    if name.is_empty() {
        Ident::new("empty")
    } else {
        idents::lower(name, "v")
    }
}

/// Measures how far a name is from the `lowerCamel` of Kubernetes. The nearest of several names with equal identifiers keeps it:
/// `metadata` before `Metadata`.
fn distance(wire: &str) -> (usize, bool) {
    let separators = wire.chars().filter(|c| !c.is_ascii_alphanumeric()).count();
    (separators, wire.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ir::{Field, Presence, Rules, Ty};

    fn named(wires: &[&str], rest: bool) -> Vec<String> {
        let mut wires = wires.to_vec();
        wires.sort_unstable();
        let mut body = Struct {
            fields: wires
                .into_iter()
                .map(|wire| Field {
                    wire: wire.into(),
                    ident: None,
                    ty: Ty::STR,
                    presence: Presence::Optional,
                    boxed: false,
                    doc: None,
                    default: None,
                    rules: Rules::default(),
                })
                .collect(),
            rest: rest.then(|| Ident::new("rest")),
            choices: Vec::new(),
        };
        name(&mut body);
        let fields = body.fields.iter().map(Field::ident);
        fields.chain(&body.rest).map(Ident::to_string).collect()
    }

    #[test]
    fn any_wire_name_has_an_identifier() {
        assert_eq!(
            named(&["", "$ref", "3d", "self", "type", "x-y", "Self"], false),
            ["empty", "r#ref", "v3d", "self_2", "self_", "r#type", "x_y"]
        );
    }

    #[test]
    fn the_plainest_wire_name_keeps_the_identifier() {
        assert_eq!(
            named(&["host_aliases", "hostAliases"], false),
            ["host_aliases", "host_underscore_aliases"]
        );
        assert_eq!(
            named(&["proxyURL", "proxyUrl"], false),
            ["proxy_url", "proxy_url_2"]
        );
        assert_eq!(named(&["$ref", "ref"], false), ["dollar_ref", "r#ref"]);
        assert_eq!(
            named(&["METADATA", "Metadata", "metadata"], false),
            ["metadata2", "metadata3", "metadata"]
        );
        assert_eq!(named(&["rest"], true), ["rest", "other_fields"]);
    }
}
