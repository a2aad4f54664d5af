//! Selectable fields.
use kube_codegen_record::walk::SelectableField;

use crate::walk::{kind, types::CrdKind};

const CHOICE: SelectableField<CrdKind> = SelectableField::new("spec.choice");
const REPLICAS: SelectableField<CrdKind> = SelectableField::new(".spec.replicas");

#[test]
fn selectors_escape_their_values() {
    assert_eq!(CHOICE.equals("mysql"), "spec.choice=mysql");
    assert_eq!(CHOICE.not_equals("a,b=c\\d"), r"spec.choice!=a\,b\=c\\d");
    assert_eq!(REPLICAS.equals(3), "spec.replicas=3");
    assert_eq!(REPLICAS.path(), "spec.replicas");
}

#[test]
fn values_are_read_from_objects() {
    let some = kind(r#"{"spec":{"choice":"mysql","replicas":3,"paused":false,"any":{}}}"#);
    assert_eq!(
        (
            CHOICE.value(&some).as_deref(),
            REPLICAS.value(&some).as_deref()
        ),
        (Some("mysql"), Some("3"))
    );
    assert_eq!(
        SelectableField::new("spec.paused").value(&some).as_deref(),
        Some("false")
    );
    assert_eq!(SelectableField::new("spec.any").value(&some), None);
    assert_eq!(CHOICE.value(&kind("{}")), None);
}
