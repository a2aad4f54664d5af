//! A pointer below a schema comes in, the path that findings and overrides name goes out.
use crate::diag::pointer;
use crate::ir::{SchemaPath, Segment};

/// The path of the schema node that a pointer leads to or into.
pub(super) fn schema_path(below: &str) -> String {
    let mut path = SchemaPath::root();
    let mut steps = pointer::steps(below);
    while let Some(step) = steps.next() {
        path = match step.as_str() {
            "properties" => match steps.next() {
                Some(name) => path.property(&name),
                None => break,
            },
            "items" => path.join(Segment::Items),
            "additionalProperties" => path.join(Segment::Values),
            _ => break,
        };
    }
    path.to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn ends_at_the_node() {
        let path = "/properties/spec/properties/a~1b/items/additionalProperties/required/0";
        assert_eq!(super::schema_path(path), "spec.a/b[]{}");
        assert_eq!(super::schema_path("/type"), "");
    }
}
