//! Fields get the snake case of their wire names; the plainest spelling wins where two fold together.
use super::taken::Taken;
use super::{idents, words};
use crate::ir::Struct;

pub(super) fn name(body: &mut Struct) {
    let mut taken = Taken::default();
    for field in &body.fields {
        if !field.ident.is_empty() {
            taken.take(&field.ident);
        }
    }
    let mut order: Vec<usize> = (0..body.fields.len())
        .filter(|index| body.fields[*index].ident.is_empty())
        .collect();
    order.sort_by_key(|index| strangeness(&body.fields[*index].wire));
    for index in order {
        let field = &mut body.fields[index];
        let plain = words::snake(&words::words(&field.wire));
        let first = ident(&plain);
        if !plain.is_empty() && taken.take(&first) {
            field.ident = first;
            continue;
        }
        let spelled = words::snake(&words::spelled(&field.wire));
        let mut candidates = vec![
            ident(if plain.is_empty() { &spelled } else { &plain }),
            ident(&spelled),
        ];
        // A number is joined to a name, not to a raw identifier.
        candidates.push(format!("{}_", candidates[0].trim_start_matches("r#")));
        candidates.truncate(if candidates[0].starts_with("r#") {
            3
        } else {
            2
        });
        field.ident = taken.first(candidates.iter().map(String::as_str));
    }
    if body.rest {
        body.rest_ident = taken.first(["rest", "other_fields"]);
    }
}

fn ident(name: &str) -> String {
    if name.is_empty() {
        "empty".to_owned()
    } else {
        idents::lower(name, "v")
    }
}

/// How far a spelling is from Kubernetes' own, `lowerCamel`: `metadata` comes before `Metadata`, and has the name that its object needs.
fn strangeness(wire: &str) -> (usize, bool) {
    let separators = wire.chars().filter(|c| !c.is_ascii_alphanumeric()).count();
    (separators, wire.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Field, Presence, Rules, Ty};

    fn named(wires: &[&str], rest: bool) -> Vec<String> {
        let mut wires = wires.to_vec();
        wires.sort_unstable();
        let mut body = Struct {
            fields: wires
                .into_iter()
                .map(|wire| Field {
                    wire: wire.into(),
                    ident: String::new(),
                    ty: Ty::Str,
                    presence: Presence::Optional,
                    boxed: None,
                    doc: None,
                    default: None,
                    rules: Rules::default(),
                })
                .collect(),
            rest,
            rest_ident: String::new(),
        };
        name(&mut body);
        let rest = rest.then_some(body.rest_ident);
        body.fields
            .into_iter()
            .map(|field| field.ident)
            .chain(rest)
            .collect()
    }

    #[test]
    fn keywords_symbols_digits_and_nothing() {
        assert_eq!(
            named(&["", "$ref", "3d", "self", "type", "x-y", "Self"], false),
            ["empty", "r#ref", "v3d", "self_2", "self_", "r#type", "x_y"]
        );
    }

    #[test]
    fn the_plain_spelling_wins() {
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
