//! Tables, as `kubectl get` prints them.
use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;
use kube_codegen_record::walk::Columns;

use crate::walk::{
    kind,
    types::{CrdKind, CrdKindStatus},
};

fn now() -> Timestamp {
    "2024-01-06T03:30:00Z".parse().unwrap()
}

fn kinds() -> Vec<CrdKind> {
    vec![
        kind(
            r#"{"metadata":{"name":"my-database","namespace":"default","creationTimestamp":"2024-01-01T00:00:00Z"},"spec":{"choice":"mysql","replicas":3}}"#,
        ),
        kind(
            r#"{"metadata":{"name":"b","namespace":"x","creationTimestamp":"2024-01-06T03:29:15Z"},"spec":{"replicas":10}}"#,
        ),
    ]
}

#[test]
fn plain_wide_and_with_namespaces() {
    let kinds = kinds();
    assert_eq!(
        CrdKind::table().at(now()).print(&kinds),
        "NAME          DBORWAS   AGE\n\
         my-database   mysql     5d3h\n\
         b                       45s\n"
    );
    assert_eq!(
        CrdKind::table().wide().at(now()).print(&kinds),
        "NAME          DBORWAS   REPLICAS   AGE\n\
         my-database   mysql     3          5d3h\n\
         b                       10         45s\n"
    );
    assert_eq!(
        CrdKind::table()
            .namespaces()
            .no_headers()
            .at(now())
            .print(kinds.into_iter().map(Arc::new)),
        "default   my-database   mysql   5d3h\n\
         x         b                     45s\n"
    );
}

#[test]
fn a_table_without_objects_is_empty() {
    assert_eq!(CrdKind::table().print([] as [CrdKind; 0]), "");
}

#[test]
fn columns_have_a_minimum_width_of_six() {
    let short = [kind(r#"{"metadata":{"name":"a"},"spec":{"choice":"b"}}"#)];
    assert_eq!(
        CrdKind::table().no_headers().print(&short),
        "a     b     \n"
    );
}

#[test]
fn a_cell_stays_on_its_line() {
    let odd = [kind(
        r#"{"metadata":{"name":"é\u001b[31m"},"spec":{"choice":"one\ntwo\tthree"}}"#,
    )];
    assert_eq!(
        CrdKind::table().no_headers().print(&odd),
        "é^[[31m   one...   \n"
    );
}

#[test]
fn headers_and_rows() {
    assert_eq!(CrdKind::headers(false), ["NAME", "DBORWAS", "AGE"]);
    assert_eq!(
        CrdKind::headers(true),
        ["NAME", "DBORWAS", "REPLICAS", "AGE"]
    );
    assert_eq!(
        kinds()[0].row_at(true, now()),
        ["my-database", "mysql", "3", "5d3h"]
    );
    assert_eq!(kinds()[0].row(true).len(), 4);
}

#[test]
fn a_kind_without_columns_shows_its_age() {
    assert_eq!(CrdKindStatus::headers(false), ["NAME", "AGE"]);
}
