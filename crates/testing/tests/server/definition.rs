//! The validation of definitions, their defaults and conditions.
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, api::PostParams};
use kube_codegen_testing::ApiServer;
use serde_json::{Value, json};

use super::support::{crdkind, rejected, server};

/// Changes the definition of the examples, and returns what the server answers to its creation.
async fn creates(change: impl FnOnce(&mut Value)) -> Result<Value, (u16, Vec<String>)> {
    let server = ApiServer::new();
    let mut crd = crdkind();
    change(&mut crd);
    let body = serde_json::to_vec(&crd).unwrap();
    let request = http::Request::post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
        .body(body)
        .unwrap();
    match server.client().request::<Value>(request).await {
        Ok(created) => Ok(created),
        Err(kube::Error::Api(status)) => {
            let causes = status.details.map(|it| it.causes).unwrap_or_default();
            let text = causes
                .iter()
                .map(|it| format!("{}: {}", it.field, it.message));
            Err((status.code, text.collect()))
        }
        Err(error) => panic!("{error}"),
    }
}

type Change = fn(&mut Value);

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "a table")]
async fn wrong_definitions_are_rejected() {
    let schema = "/spec/versions/0/schema/openAPIV3Schema";
    let wrong: &[(Change, &str)] = &[
        (
            |crd| crd["spec"]["scope"] = "Galaxy".into(),
            "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\"",
        ),
        (
            |crd| crd["spec"]["group"] = "test".into(),
            "spec.group: Invalid value: \"test\": should be a domain with at least one dot",
        ),
        (
            |crd| crd["spec"]["group"] = "apps.k8s.io".into(),
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups",
        ),
        (
            |crd| crd["spec"]["names"]["kind"] = "Crd Kind".into(),
            "spec.names.kind: Invalid value: \"Crd Kind\": may have mixed case",
        ),
        (
            |crd| crd["spec"]["names"]["listKind"] = "CrdKind".into(),
            "spec.names.listKind: Invalid value: \"CrdKind\": kind and listKind may not be the same",
        ),
        (
            |crd| crd["spec"]["names"]["shortNames"] = json!(["X"]),
            "spec.names.shortNames[0]: Invalid value: \"X\"",
        ),
        (
            |crd| crd["spec"]["versions"][0]["storage"] = false.into(),
            "must have exactly one version marked as storage version",
        ),
        (
            |crd| {
                let mut version = crd["spec"]["versions"][0].clone();
                version["storage"] = false.into();
                crd["spec"]["versions"]
                    .as_array_mut()
                    .unwrap()
                    .push(version);
            },
            "must contain unique version names",
        ),
        (
            |crd| {
                crd["spec"]["versions"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("schema");
            },
            "spec.versions[0].schema.openAPIV3Schema: Required value",
        ),
        (
            |crd| crd["spec"]["versions"][0]["name"] = "V1".into(),
            "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label",
        ),
        (
            |crd| {
                crd["spec"]["versions"][0]["additionalPrinterColumns"] =
                    json!([{"name": "A", "type": "text", "jsonPath": ".spec"}]);
            },
            "spec.additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of boolean,date,integer,number,string",
        ),
        (
            |crd| crd["spec"]["versions"][0]["subresources"] = json!({"scale": {"specReplicasPath": ".status.x", "statusReplicasPath": ".status.x"}}),
            "specReplicasPath: Invalid value: \".status.x\": should be a json path under .spec",
        ),
        (
            |crd| crd["spec"]["conversion"] = json!({"strategy": "Webhook"}),
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        ),
        (
            |crd| crd["spec"]["preserveUnknownFields"] = true.into(),
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true",
        ),
        (
            |crd| crd["metadata"]["name"] = "other".into(),
            "metadata.name: Invalid value: \"other\": must be spec.names.plural+\".\"+spec.group",
        ),
    ];
    for (change, message) in wrong {
        let (code, causes) = creates(change).await.expect_err(message);
        assert_eq!(code, 422);
        assert!(
            causes.iter().any(|it| it.contains(message)),
            "{message} in {causes:#?}"
        );
    }
    let wrong_schemas = [
        (
            json!({"type": "array", "items": {"type": "string"}}),
            ".type: Invalid value: \"array\": must be object at the root",
        ),
        (
            json!({"type": "object", "properties": {"spec": {"type": "int"}}}),
            ".properties[spec].type: Unsupported value: \"int\"",
        ),
        (
            json!({"type": "object", "properties": {"spec": {}}}),
            ".properties[spec].type: Required value: must not be empty for specified object fields",
        ),
        (
            json!({"type": "object", "properties": {"spec": {"type": "array"}}}),
            ".properties[spec].items: Required value: must be specified",
        ),
        (
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}}}),
            ".properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            json!({"type": "object", "properties": {"spec": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}}}),
            ".properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
        ),
    ];
    for (wrong, message) in wrong_schemas {
        let result = creates(|crd| *crd.pointer_mut(schema).unwrap() = wrong.clone()).await;
        let (code, causes) = result.expect_err(message);
        assert_eq!(code, 422);
        assert!(
            causes.iter().any(|it| it.contains(message)),
            "{message} in {causes:#?}"
        );
    }
}

#[tokio::test]
async fn a_definition_has_defaults_and_conditions() {
    let created = creates(|crd| {
        crd["spec"]["names"]
            .as_object_mut()
            .unwrap()
            .remove("singular");
    })
    .await
    .unwrap();
    assert_eq!(created["spec"]["names"]["singular"], "crdkind");
    assert_eq!(created["spec"]["names"]["listKind"], "CrdKindList");
    assert_eq!(created["spec"]["conversion"]["strategy"], "None");

    let created = creates(|crd| {
        let service = json!({"name": "hooks", "namespace": "default", "path": "/convert"});
        crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}});
    })
    .await
    .unwrap();
    let webhook = &created["spec"]["conversion"]["webhook"];
    assert_eq!(webhook["clientConfig"]["service"]["port"], 443);
}

#[tokio::test]
async fn names_in_use_are_not_accepted_and_stored_versions_remain() {
    let server = server(&crdkind());
    let mut other = crdkind();
    other["metadata"]["name"] = "others.iksoon.test.com".into();
    other["spec"]["names"] = json!({"kind": "Other", "plural": "others", "singular": "other", "shortNames": ["crdshort"]});
    server.register_crd(&other).unwrap();
    let crds: Api<CustomResourceDefinition> = Api::all(server.client());
    let stored = crds.get("others.iksoon.test.com").await.unwrap();
    let conditions = stored.status.unwrap().conditions.unwrap();
    let seen: Vec<_> = conditions
        .iter()
        .map(|it| {
            (
                it.type_.as_str(),
                it.status.as_str(),
                it.reason.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("NamesAccepted", "False", "ShortNamesConflict"),
            ("Established", "False", "NotAccepted")
        ]
    );

    let mut crd = crds.get("crdplural.iksoon.test.com").await.unwrap();
    assert_eq!(
        crd.status.as_ref().unwrap().stored_versions.as_deref(),
        Some(&["v1".to_owned()][..])
    );
    crd.spec.scope = "Cluster".into();
    crd.spec.versions[0].name = "v2".into();
    let status = rejected(
        crds.replace("crdplural.iksoon.test.com", &PostParams::default(), &crd)
            .await,
    );
    let causes = status.details.unwrap().causes;
    let fields: Vec<_> = causes.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, ["spec.scope", "status.storedVersions[0]"]);
}
