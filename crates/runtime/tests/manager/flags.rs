//! The flags of a manager.
use std::time::Duration;

use clap::{CommandFactory as _, Parser};
use kube_codegen_runtime::client::describe;
use kube_codegen_runtime::manager::{LogFormat, ManagerArgs};

#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    manager: ManagerArgs,
}

#[test]
fn the_defaults_are_those_of_kubernetes() {
    Args::command().debug_assert();
    let args = Args::parse_from(["operator"]).manager;
    assert!(!args.leader_elect);
    let seconds = [
        args.leader_elect_lease_duration,
        args.leader_elect_renew_deadline,
        args.leader_elect_retry_period,
    ]
    .map(|period| period.as_secs());
    assert_eq!(seconds, [15, 10, 2]);
    assert_eq!(
        (args.resync, args.log_format),
        (Duration::from_secs(600), LogFormat::Text)
    );
}

#[test]
fn invalid_values_are_refused() {
    for (flag, message) in [
        (
            "--resync=soon",
            "invalid value 'soon' for '--resync <PERIOD>'",
        ),
        ("--workers=0", "invalid value '0' for '--workers <N>'"),
        (
            "--leader-elect=no",
            "unexpected value 'no' for '--leader-elect'",
        ),
        ("--log-format=xml", "[possible values: text, json]"),
    ] {
        let error = Args::try_parse_from(["operator", flag])
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[tokio::test]
async fn a_missing_kubeconfig_is_named() {
    let args = Args::parse_from(["operator", "--kubeconfig=/nonexistent/config"]);
    let error = args.manager.builder("operator").await.unwrap_err();
    let text = describe(&error);
    assert!(
        text.starts_with("cannot find out how to connect to the API server: "),
        "{text}"
    );
    assert!(text.contains("/nonexistent/config"), "{text}");
}
