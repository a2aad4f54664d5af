//! Reports the keywords that no form consumed. A keyword added to [`Schema`] does not compile until it is handled here.
use super::node::Lowering;
use crate::base::diag::Code;
use crate::input::crd::{Additional, Constraints, Items, Kubernetes, Logic, Schema};
use crate::model::ir::SchemaPath;
use std::collections::BTreeMap;

/// Reports every remaining keyword.
pub(super) fn report(lowering: &mut Lowering<'_>, schema: &Schema, path: &SchemaPath) {
    for keyword in keywords(schema) {
        lowering
            .report(
                Code::LeftoverKeyword,
                path,
                Some(keyword),
                format!("`{keyword}` has no effect here and is ignored"),
            )
            .hint("remove it, or move it to the schema it applies to");
    }
}

/// Returns the remaining keywords.
pub(super) fn keywords(schema: &Schema) -> Vec<&str> {
    let Schema {
        type_,
        format,
        title,
        description,
        nullable,
        default,
        enum_,
        properties,
        required,
        items,
        additional,
        constraints: Constraints { all: constraints },
        kubernetes:
            Kubernetes {
                preserve_unknown_fields,
                embedded_resource,
                int_or_string,
                list_type,
                list_map_keys,
                map_type,
                validations,
            },
        logic:
            Logic {
                one_of,
                any_of,
                all_of,
                not,
            },
        annotations,
        unknown,
    } = schema;
    let empty_properties = properties.as_ref().is_some_and(BTreeMap::is_empty);
    let left = [
        ("type", type_.is_some()),
        ("format", format.is_some()),
        ("title", title.is_some()),
        ("description", description.is_some()),
        ("nullable", *nullable),
        ("default", default.is_some()),
        ("enum", enum_.is_some()),
        ("properties", properties.is_some() && !empty_properties),
        ("required", !required.is_empty()),
        ("items", items.as_ref().is_some_and(is_declared)),
        (
            "additionalProperties",
            additional
                .as_ref()
                .is_some_and(|left| !matches!(left, Additional::Bool(false))),
        ),
        (
            "x-kubernetes-preserve-unknown-fields",
            *preserve_unknown_fields,
        ),
        ("x-kubernetes-embedded-resource", *embedded_resource),
        ("x-kubernetes-int-or-string", *int_or_string),
        ("x-kubernetes-list-type", list_type.is_some()),
        ("x-kubernetes-list-map-keys", !list_map_keys.is_empty()),
        ("x-kubernetes-map-type", map_type.is_some()),
        ("x-kubernetes-validations", !validations.is_empty()),
        ("oneOf", !one_of.is_empty()),
        ("anyOf", !any_of.is_empty()),
        ("allOf", !all_of.is_empty()),
        ("not", not.is_some()),
    ];
    let left = left
        .into_iter()
        .filter_map(|(keyword, left)| left.then_some(keyword));
    let constraints = constraints.iter().map(|(keyword, _)| *keyword);
    let others = annotations.keys().chain(unknown.keys()).map(String::as_str);
    left.chain(constraints).chain(others).collect()
}

fn is_declared(items: &Items) -> bool {
    match items {
        Items::Schema(_) => true,
        Items::Tuple(all) => !all.is_empty(),
    }
}
