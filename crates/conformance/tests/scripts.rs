//! The API server in memory gives the recorded answers of a real one.
//!
//! `cargo run -p kube-codegen-conformance -- record` writes the answers. With a control plane, a second test sends the scripts to
//! it, so that answers are recorded again after an upgrade.

use std::{fs, path::PathBuf};

use kube_codegen_conformance::{Answer, Normal, Script, Session, Step, answers, definitions};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::ApiServer;
use serde_json::json;
use testresult::TestResult;
use tokio::io::AsyncReadExt as _;

fn scripts() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

/// Lists the steps of a script whose answers are not the recorded ones.
fn differences(script: &Script, answers: &[Answer]) -> TestResult<Vec<String>> {
    let path = scripts().join(format!("{}.json", script.name));
    let recorded: Vec<Answer> = serde_json::from_str(&fs::read_to_string(path)?)?;
    assert_eq!(
        recorded.len(),
        script.steps.len(),
        "{}: not recorded",
        script.name
    );
    let mut found = Vec::new();
    for (index, (step, (answer, expected))) in script
        .steps
        .iter()
        .zip(answers.iter().zip(&recorded))
        .enumerate()
    {
        if answer != expected {
            found.push(format!(
                "{} step {index}: {} {}\n  answered {}\n  recorded {}",
                script.name,
                step.request,
                step.body,
                serde_json::to_string(&answer)?,
                serde_json::to_string(&expected)?
            ));
        }
    }
    Ok(found)
}

/// Fails if answers differ from the recorded ones.
fn compare(runs: &[(Script, Vec<Answer>)]) -> TestResult {
    let mut found = Vec::new();
    for (script, answers) in runs {
        found.extend(differences(script, answers)?);
    }
    assert!(
        found.is_empty(),
        "{} differences:\n{}",
        found.len(),
        found.join("\n")
    );
    Ok(())
}

#[tokio::test]
async fn the_server_in_memory_answers_as_recorded() -> TestResult {
    let mut runs = Vec::new();
    for script in Script::read_all(&scripts())? {
        let server = ApiServer::builder()
            .namespaces()
            .grace_periods()
            .authorization()
            .build();
        let mut session = Session::new(server.client(), "conformance-memory");
        session.create_namespace().await?;
        for definition in definitions()? {
            session.define(&definition).await?;
        }
        let mut answers = Vec::new();
        for step in &script.steps {
            answers.push(session.run(step).await?);
        }
        runs.push((script, answers));
    }
    compare(&runs)
}

#[tokio::test]
async fn a_real_server_answers_as_recorded() -> TestResult {
    let Some(plane) = ControlPlane::for_test().await? else {
        return Ok(());
    };
    compare(&answers(&plane, Script::read_all(&scripts())?).await?)
}

#[tokio::test]
async fn a_connection_that_the_server_closes_is_an_answer() -> TestResult {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let mut config = kube::Config::new(format!("http://{}", listener.local_addr()?).parse()?);
    config.default_retry = false;
    let server = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // The server has read the request, and panics.
            let mut buffer = [0; 1000];
            let _read = stream.read(&mut buffer).await;
        }
    });
    let mut session = Session::new(kube::Client::try_from(config)?, "a");
    let step = Step {
        request: "PATCH /api/v1/namespaces/NS/configmaps/a".into(),
        patch: Some("strategic".into()),
        body: serde_json::json!({"data": {}}),
        ..Step::default()
    };
    assert_eq!(session.run(&step).await?, Answer::none());
    server.abort();
    Ok(())
}

/// Otherwise, what a server answers would depend on how many writes came before.
#[test]
fn only_messages_about_versions_quote_them() {
    let mut value = json!({
        "metadata": {"resourceVersion": "1123"},
        "status": {"message": "too old resource version: 1 (1123), with 1123m and rfc-1123"},
        "other": {"message": "a lowercase RFC 1123 label"},
    });
    Normal::new("").value(&mut value);
    assert_eq!(
        value["status"]["message"],
        "too old resource version: 1 (rv0), with 1123m and rfc-1123"
    );
    assert_eq!(value["other"]["message"], "a lowercase RFC 1123 label");
}
