//! The flags of a manager.
use std::time::Duration;

use clap::{CommandFactory as _, Parser};
use k8s_openapi::api::coordination::v1::Lease;
use kube_codegen_runtime::client::describe;
use kube_codegen_runtime::manager::{LogFormat, Manager, ManagerArgs};

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
    // kubebuilder's.
    assert_eq!(
        (
            &*args.health_probe_bind_address,
            &*args.metrics_bind_address
        ),
        (":8081", "0")
    );
    assert!(args.metrics_secure && args.metrics_cert_path.is_none());
}

#[test]
fn switches_have_an_optional_value() {
    let parse = |flags: &[&str]| {
        let args = Args::parse_from([&["operator"], flags].concat()).manager;
        (args.leader_elect, args.metrics_secure)
    };
    assert_eq!(parse(&["--leader-elect", "--metrics-secure"]), (true, true));
    assert_eq!(
        parse(&["--leader-elect=true", "--metrics-secure=false"]),
        (true, false)
    );
    let args = Args::parse_from(["operator", "--workers-of=Pod=5,ReplicaSet.apps=3"]).manager;
    let numbers: Vec<_> = args
        .workers_of
        .iter()
        .map(|(kind, n)| (&**kind, n.get()))
        .collect();
    assert_eq!(numbers, [("Pod", 5), ("ReplicaSet.apps", 3)]);
}

#[test]
fn invalid_values_are_rejected() {
    for (flag, message) in [
        (
            "--resync=soon",
            "invalid value 'soon' for '--resync <PERIOD>'",
        ),
        ("--workers=0", "invalid value '0' for '--workers <N>'"),
        (
            "--leader-elect=maybe",
            "invalid value 'maybe' for '--leader-elect[=<BOOL>]'",
        ),
        (
            "--tls-min-version=VersionTLS11",
            "[possible values: VersionTLS12, VersionTLS13]",
        ),
        (
            "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_RC4_128_SHA",
            "invalid value 'TLS_RSA_WITH_RC4_128_SHA' for '--tls-cipher-suites <NAMES>'\n  [possible values: TLS_AES_128_GCM_SHA256, ",
        ),
        (
            "--workers-of=Pod",
            "expected KIND=N, such as ReplicaSet.apps=3",
        ),
        (
            "--workers-of=Pod=0",
            "expected a number of workers, at least 1, and not `0`",
        ),
        ("--log-format=xml", "[possible values: text, json, pretty]"),
        (
            "--log-level=inof",
            "expected one of off, error, warn, info, debug, trace, or CRATE=LEVEL",
        ),
        ("--log-level=info,kube=loud", "error parsing level filter"),
        (
            "--leader-elect-coordinated=1.2",
            "expected a semantic version, such as 1.2.3",
        ),
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

#[tokio::test]
async fn coordinated_election_needs_no_other_flag() {
    let server = kube_codegen_testing::ApiServer::new();
    for (flag, elects) in [
        ("--leader-elect-coordinated=1.2.3-rc.1+build", true),
        ("--leader-elect", true),
        ("--log-level=info,my_operator=debug", false),
    ] {
        let args = Args::parse_from(["operator", flag, "--health-probe-bind-address=0"]);
        let builder = Manager::builder(server.client(), "operator");
        let builder = args.manager.apply(builder);
        let manager = builder.build();
        // Outside of a Pod, an election needs the namespace of the Lease.
        assert_eq!(manager.is_err(), elects, "{flag}");
    }
    let flags = [
        "operator",
        "--leader-elect-coordinated=1.2.3",
        "--leader-elect-resource-namespace=default",
        "--health-probe-bind-address=0",
    ];
    let args = Args::parse_from(flags).manager;
    let manager = args.apply(Manager::builder(server.client(), "operator"));
    let running = tokio::spawn(manager.build().unwrap().run(std::future::pending()));
    let holder = async {
        loop {
            let lease: Option<Lease> = server.get("default", "operator");
            if let Some(holder) = lease.and_then(|lease| lease.spec?.holder_identity) {
                return holder;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    // The server in memory has no coordinated election, so that the candidate leads by itself. Its name is that of a LeaseCandidate.
    let holder = tokio::time::timeout(Duration::from_secs(30), holder)
        .await
        .unwrap();
    assert!(!holder.contains('_'), "{holder}");
    running.abort();
}
