//! kubectl prints the same for the API server in memory and for a real one.

use std::{fs, path::Path};

use kube_codegen_conformance::{Session, definitions};
use kube_codegen_testenv::ControlPlane;
use kube_codegen_testing::{ApiServer, Controllers};
use regex::Regex;
use testresult::TestResult;

const MANIFESTS: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {mode: fast, other: "1"}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80, name: http}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: conformance.example.com/v1
kind: Widget
metadata: {name: one}
spec: {mode: Auto, replicas: 2}
"#;

/// Commands, without the namespace and the kubeconfig. `FILE` is a file with the manifests.
const SESSION: &[&str] = &[
    "apply -f FILE",
    "apply -f FILE",
    "apply --server-side -f FILE",
    "apply --server-side --force-conflicts -f FILE",
    "diff -f FILE",
    "get configmap settings",
    "get service web",
    "get role,service -o name",
    "get widgets",
    "get widget one -o jsonpath={.spec.replicas}",
    "get absent",
    "create configmap made --from-literal=a=b --from-literal=c=d",
    "create configmap made --from-literal=a=b",
    "create secret generic hidden --from-literal=p=q",
    "get secret hidden -o jsonpath={.data.p}",
    "create deployment web --image=nginx:1 --replicas=2 --dry-run=server -o jsonpath={.spec.template.spec.containers[0].image}",
    "create serviceaccount robot",
    "create role watcher --verb=watch --resource=pods",
    "create job once --image=job:1 --dry-run=server -o name",
    "label configmap settings tier=front",
    "annotate configmap settings note=x",
    "get configmap -l tier=front -o name",
    "patch configmap settings --type=merge -p {\"data\":{\"mode\":\"slow\"}}",
    "patch widget one --type=merge -p {\"spec\":{\"mode\":\"Wrong\"}}",
    "patch widget one --subresource=status --type=merge -p {\"status\":{\"phase\":\"Ready\"}}",
    "scale widget one --replicas=3",
    "wait widget one --for=jsonpath={.status.phase}=Ready --timeout=10s",
    "auth can-i create pods",
    "create token default --duration=10s",
    "explain widgets",
    "explain widgets.spec.nested",
    "explain deployments.spec.strategy",
    "explain pods.spec.containers.resources",
    "api-resources --api-group=conformance.example.com --no-headers",
    "get nodes --no-headers -o custom-columns=NAME:.metadata.name",
    "get endpointslices,ingresses,jobs,pdb,networkpolicies",
    "get role,rolebinding,serviceaccount --no-headers",
    "get crd widgets.conformance.example.com -o jsonpath={.spec.names.kind}",
    "describe configmap settings",
    "describe widget one",
    "explain widgets --recursive",
    "explain widgets.spec --recursive -o plaintext-openapiv2",
    "label widget one tier=back",
    "label widget one tier-",
    "annotate widget one note=y --overwrite",
    "patch widget one --type=json -p [{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":4}]",
    "patch service web --type=strategic -p {\"spec\":{\"ports\":[{\"port\":80,\"name\":\"web\"}]}}",
    "edit configmap settings",
    "get configmap settings -o jsonpath={.data}",
    "replace -f FILE",
    "wait widget one --for=delete --timeout=1s",
    "get configmap settings -o yaml --show-managed-fields=false -o jsonpath={.metadata.labels}",
    "delete configmap made",
    "delete configmap made",
    "delete -f FILE",
    "get widgets",
    "get --raw /apis/absent.example.com/v1",
];

/// Runs the session and returns what kubectl printed for each command.
async fn run(
    plane: &ControlPlane,
    namespace: &str,
    file: &Path,
    kubeconfig: Option<&Path>,
) -> Vec<String> {
    let mut outputs = Vec::new();
    for command in SESSION {
        let mut args: Vec<String> = command
            .split(' ')
            .map(|arg| arg.replace("FILE", &file.to_string_lossy()))
            .collect();
        args.push(format!("--namespace={namespace}"));
        if let Some(path) = kubeconfig {
            args.push(format!("--kubeconfig={}", path.display()));
        }
        let mut kubectl = tokio::process::Command::from(plane.kubectl_command());
        let output = kubectl
            .args(&args)
            .env("KUBE_EDITOR", "sed -i s/slow/edited/")
            .output();
        outputs.push(match output.await {
            Ok(output) if output.status.success() => {
                String::from_utf8_lossy(&output.stdout).into_owned()
            }
            Ok(output) => format!(
                "{}: {}",
                output.status.code().unwrap_or_default(),
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(error) => error.to_string(),
        });
    }
    outputs
}

/// Replaces what differs between two runs of one server.
fn normal(text: &str) -> Result<String, regex::Error> {
    let mut text = text.to_owned();
    for (pattern, word) in [
        // Whether a client that gives up sees its watch end first is a matter of microseconds.
        (r"(?m)^(\d: )?[EIW]\d{4} .* reflector\.go:.*\n", "${1}"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
        (r"\b\d+(s|m\d*s?)\b", "AGE"),
        (r"(Resource Version: +)\d+", "${1}VERSION"),
        (r"(UID: +)[0-9a-f-]+", "${1}UID"),
        (r"\bnode-\d\b", "NODE"),
        (r"(endpointslice\S*/web-)\w{5}\b", "${1}ID"),
    ] {
        text = Regex::new(pattern)?.replace_all(&text, word).into_owned();
    }
    Ok(text)
}

#[tokio::test]
async fn kubectl_prints_the_same_for_both_servers() -> TestResult {
    let Some(plane) = ControlPlane::shared().await? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("manifests.yaml");
    fs::write(&file, MANIFESTS)?;
    let namespace = plane.namespace("kubectl").await?;
    let real = Session::new(plane.client()?, namespace.name());
    let controllers = Controllers::new();
    let memory = ApiServer::builder().namespaces().controllers(controllers);
    let memory = memory.build();
    let ours = Session::new(memory.client(), namespace.name());
    for definition in definitions()? {
        real.define(&definition).await?;
        ours.define(&definition).await?;
    }
    ours.create_namespace().await?;
    memory.listen().await?;
    let kubeconfig = folder.path().join("kubeconfig");
    fs::write(&kubeconfig, memory.kubeconfig().unwrap_or_default())?;
    let (expected, found) = tokio::join!(
        run(plane, namespace.name(), &file, None),
        run(plane, namespace.name(), &file, Some(&kubeconfig)),
    );
    let mut differences = Vec::new();
    for ((command, expected), found) in SESSION.iter().zip(expected).zip(found) {
        let (expected, found) = (normal(&expected)?, normal(&found)?);
        if expected != found {
            differences.push(format!(
                "kubectl {command}\n  memory: {found}\n  real:   {expected}"
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    Ok(())
}
