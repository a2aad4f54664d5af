//! The manifests of the examples as `kubectl kustomize` renders them.

use std::{collections::BTreeMap, fs, path::Path};

use kube_codegen_testenv::TestResult;
use serde::Deserialize as _;
use serde_json::Value;

use crate::cluster::stage::server;

/// Returns the objects of a YAML text by kind and name.
fn objects(text: &str) -> BTreeMap<String, Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let objects = documents.map(|document| Value::deserialize(document).unwrap());
    let objects = objects.filter(|object| !object.is_null());
    let name = |object: &Value| format!("{} {}", object["kind"], object["metadata"]["name"]);
    objects.map(|object| (name(&object), object)).collect()
}

/// The chart, the dry run and `kube-codegen dev` read the listed files; kubectl reads the kustomization.
#[tokio::test(flavor = "multi_thread")]
async fn kustomize_renders_the_listed_files_of_each_example() -> TestResult {
    let Some(plane) = server().await? else {
        return Ok(());
    };
    let mut compared = 0;
    for example in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap())? {
        let deploy = example?.path().join("deploy");
        let Ok(list) = fs::read_to_string(deploy.join("kustomization.yaml")) else {
            continue;
        };
        let rendered = plane
            .kubectl(["kustomize", deploy.to_str().unwrap()])
            .await?;
        let list: Value = serde_yaml::from_str(&list)?;
        let mut expected = BTreeMap::new();
        for file in list["resources"].as_array().unwrap() {
            let text = fs::read_to_string(deploy.join(file.as_str().unwrap()))?;
            expected.extend(objects(&text));
        }
        assert_eq!(objects(&rendered), expected, "{}", deploy.display());
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
    Ok(())
}
