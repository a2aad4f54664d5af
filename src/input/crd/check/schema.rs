//! Shows what is wrong with a schema.
use std::collections::HashSet;

use kube_codegen_schema::definition::{self, Rule, Violation};
use serde_json::{Value, json};

use super::{REJECTED, View};
use crate::base::diag::{Code, Place, pointer};
use crate::input::crd::reader::{At, CrdReader, closest};

const NOT_STRUCTURAL: &str = "the API server rejects the CRD: its schemas must be structural";

/// Checks the root of a schema and everything below it.
pub(in crate::input::crd) fn schema(
    reader: &mut CrdReader<'_>,
    root: &Value,
    has_status: bool,
    at: &At<'_>,
) {
    let violations = definition::check_schema(root, has_status);
    let is_twice = |it: &&Violation| it.rule == Rule::KeyTwice;
    let twice: HashSet<&str> = violations
        .all()
        .iter()
        .filter(is_twice)
        .map(|it| it.pointer.as_str())
        .collect();
    let mut seen = HashSet::new();
    for violation in violations.all() {
        let below = violation.pointer.as_str();
        let is_repeated = violation.rule != Rule::KeyTwice && twice.contains(below);
        if is_repeated || !seen.insert((violation.rule, below)) {
            continue;
        }
        let pointer = at.pointer() + below;
        if reader.is_mistyped(&pointer) {
            continue;
        }
        let Some(view) = view(violation, root) else {
            continue;
        };
        let place = Place {
            key: view.key,
            ..reader.place_of(&(pointer + view.below))
        };
        let finding = reader.diagnostics.report(view.code, place, view.message);
        finding.hint(view.hint);
    }
}

/// Returns how a violation is shown; nothing if reading or lowering the schema reports it.
fn view(violation: &Violation, root: &Value) -> Option<View> {
    let mut steps: Vec<String> = pointer::steps(&violation.pointer).collect();
    let name = steps.pop().unwrap_or_default();
    let value = root.pointer(&violation.pointer).unwrap_or(&Value::Null);
    Some(match violation.rule {
        Rule::AtRoot => structural(format!("`{name}` cannot be at the root of a schema")),
        // It is reported as `AtRoot`.
        Rule::BesideStatus if matches!(name.as_str(), "additionalProperties" | "nullable") => {
            return None;
        }
        Rule::BesideStatus => structural(format!(
            "`{name}` cannot be at the root of a schema with a status subresource"
        )),
        Rule::NoType => untyped(value)?,
        Rule::ClosedProperties if *value == Value::Bool(false) => structural(
            "`additionalProperties: false` beside `properties`: undeclared fields are pruned without it".to_owned(),
        ),
        Rule::UniqueItems => View {
            hint: "use `x-kubernetes-list-type: set`".to_owned(),
            ..structural("`uniqueItems: true` is not supported".to_owned())
        },
        Rule::EmbeddedType => {
            structural("an embedded resource must have `type: object`".to_owned())
        }
        Rule::EmbeddedValues => {
            structural("`additionalProperties` in an embedded resource".to_owned())
        }
        Rule::EmbeddedEmpty => structural(
            "an embedded resource has neither `properties` nor `x-kubernetes-preserve-unknown-fields`".to_owned(),
        ),
        Rule::EmbeddedInMetadata => {
            structural("an embedded resource within the metadata of an object".to_owned())
        }
        Rule::FixedType => {
            let field = steps.pop().unwrap_or_default();
            let wanted = if field == "metadata" { "object" } else { "string" };
            View {
                key: false,
                ..structural(format!("`{field}` of an object must have `type: {wanted}`"))
            }
        }
        Rule::Metadata => structural(format!(
            "`metadata` at the root may restrict `name` and `generateName` only, not {name:?}"
        )),
        Rule::InBranch => View {
            hint: "the API server rejects the CRD: branches constrain, they do not declare; move it out".to_owned(),
            ..structural(format!(
                "`{name}` in a branch of `allOf`, `anyOf`, `oneOf` or `not`"
            ))
        },
        Rule::MetadataInBranch => structural("`metadata` in a branch".to_owned()),
        Rule::Undeclared => View {
            code: Code::RequiredUndeclared,
            hint: "declare it in the schema that the branch constrains; the API server rejects the CRD".to_owned(),
            ..structural(format!("a branch constrains {name:?}, which is not declared"))
        },
        Rule::Pattern => View::new(
            Code::InvalidPattern,
            format!("the pattern is not valid in Go: {}", violation.why),
            "the API server rejects the CRD; it reads patterns as Go's `regexp` does (RE2)",
        ),
        Rule::DefaultInMetadata => View::new(
            Code::InvalidDefault,
            "a default within the top-level apiVersion, kind or metadata",
            "the API server rejects the CRD; remove the default",
        ),
        Rule::Default if !violation.why.is_empty() => View::new(
            Code::InvalidDefault,
            format!("the default does not fit its schema: {}", violation.why),
            "the API server rejects the CRD; correct the default or the schema",
        ),
        _ => return extension_or_rule(violation.rule, &name, value),
    })
}

/// Returns how a violation of the `x-kubernetes-*` keywords is shown, whose name or value it concerns.
fn extension_or_rule(rule: Rule, name: &str, value: &Value) -> Option<View> {
    let code = Code::InvalidExtension;
    let extension = |why: &str| View::new(code, format!("`{name}` {why}"), REJECTED);
    let key = |why: &str, hint: &str| {
        let key = value.as_str().unwrap_or_default();
        View::new(code, format!("the key {key:?} {why}"), hint)
    };
    let text = |message: &str| View::new(Code::InvalidRule, message, REJECTED);
    Some(match rule {
        Rule::PreserveFalse => extension("must be true or absent"),
        Rule::IntOrString => extension("excludes `x-kubernetes-int-or-string`"),
        Rule::MapType => one_of(name, value, &["atomic", "granular"]),
        Rule::MapTypeOf => extension("requires `type: object`"),
        Rule::ListType => one_of(name, value, &["atomic", "set", "map"]),
        Rule::ListTypeOf => extension("requires `type: array`"),
        Rule::SetItems => extension("cannot be set: its items are not atomic"),
        Rule::NullableItems => extension("is not allowed for the items of a set or a map"),
        Rule::KeysOf => extension("requires `x-kubernetes-list-type: map`"),
        Rule::NoKeys => extension("requires `x-kubernetes-list-map-keys`"),
        Rule::MapItems => extension("cannot be map: its items are not objects"),
        Rule::KeyTwice => key("is listed twice", "remove it"),
        Rule::KeyUndeclared => key(
            "is not a property of the items",
            "declare it under the items' `properties`",
        ),
        Rule::KeyType => key(
            "is not a scalar",
            "a key is a string, a number or a boolean",
        ),
        Rule::KeyOptional => key(
            "is neither required nor has a default",
            "add it to the items' `required`, or give it a default",
        ),
        Rule::KeyNullable => key("is nullable", "remove `nullable`"),
        Rule::NoRule => text("a validation without a rule"),
        Rule::BlankMessage => text("the message is blank"),
        Rule::LongMessage => text("the message has a line break"),
        Rule::NoMessage => text("a rule with a line break needs a `message`"),
        Rule::BlankExpression => text("the message expression is blank"),
        Rule::BlankFieldPath => text("the field path is blank"),
        Rule::LongFieldPath => text("the field path has a line break"),
        Rule::RuleReason => text(
            "the reason is not FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate",
        ),
        _ => return None,
    })
}

fn structural(message: String) -> View {
    View::new(Code::NotStructural, message, NOT_STRUCTURAL).of_key()
}

/// Returns what is wrong with a node without a type. What lowering turns into raw JSON is reported there.
fn untyped(node: &Value) -> Option<View> {
    let contents = ["properties", "additionalProperties"];
    let has_fields = contents.iter().any(|it| {
        let fields = node.get(*it).and_then(Value::as_object);
        fields.is_some_and(|fields| !fields.is_empty())
    });
    let (integer, string) = (json!({"type": "integer"}), json!({"type": "string"}));
    let any_of = node.get("anyOf").and_then(Value::as_array);
    let is_pair =
        any_of.is_some_and(|all| all.len() == 2 && all.contains(&integer) && all.contains(&string));
    if has_fields {
        let message = "a schema with fields has no `type: object`";
        Some(structural(message.to_owned()))
    } else if is_pair {
        let message = "integer or string without `x-kubernetes-int-or-string: true`";
        Some(View {
            below: "/anyOf",
            ..structural(message.to_owned())
        })
    } else {
        None
    }
}

fn one_of(name: &str, value: &Value, known: &[&str]) -> View {
    let value = value.as_str().unwrap_or_default();
    let hint = match closest(value, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of {}", known.join(", ")),
    };
    let message = format!("`{name}` cannot be {value:?}");
    View::new(Code::InvalidExtension, message, hint)
}
