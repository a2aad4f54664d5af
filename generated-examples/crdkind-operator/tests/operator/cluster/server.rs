//! The API server with the CRD alone: names, columns, validation.

use kube_codegen_runtime::client::ErrorExt as _;
use kube_codegen_testenv::TestResult;

use crate::cluster::stage::{Stage, crd_kind, server};

#[tokio::test]
async fn every_name_shows_the_columns() -> TestResult {
    let Some(plane) = server().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "columns").await?;
    stage.create("a", Some("mysql"), Some(2)).await?;
    let words = |text: &str| -> Vec<Vec<String>> {
        text.lines()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect()
    };
    for resource in ["crdplural", "crdsingular", "crdshort", "iksoontest"] {
        let narrow = words(
            &plane
                .kubectl(["get", resource, "-n", stage.namespace.name()])
                .await?,
        );
        assert_eq!(narrow[0], ["NAME", "DBORWAS", "AGE"]);
        assert_eq!(narrow[1][..2], ["a", "mysql"]);
        let wide = words(
            &plane
                .kubectl(["get", resource, "-o", "wide", "-n", stage.namespace.name()])
                .await?,
        );
        assert_eq!(wide[0], ["NAME", "DBORWAS", "REPLICAS", "AGE"]);
        assert_eq!(wide[1][..3], ["a", "mysql", "2"]);
    }
    Ok(())
}

#[tokio::test]
async fn what_the_schema_forbids_is_rejected() -> TestResult {
    let Some(plane) = server().await? else {
        return Ok(());
    };
    let stage = Stage::new(plane, "schema").await?;
    for (choice, replicas, field, message) in [
        ("nginx", 1, "spec.choice", "should match '(mysql|tomcat)'"),
        (
            "mysql",
            11,
            "spec.replicas",
            "should be less than or equal to 10",
        ),
        (
            "mysql",
            0,
            "spec.replicas",
            "should be greater than or equal to 1",
        ),
    ] {
        let error = stage
            .kinds
            .create(&crd_kind("a", Some(choice), Some(replicas)))
            .await
            .unwrap_err();
        assert!(error.is_invalid(), "{error}");
        let cause = &error.field_errors()[0];
        assert!(
            cause.field == field && cause.message.contains(message),
            "{cause:?}"
        );
    }
    Ok(())
}
