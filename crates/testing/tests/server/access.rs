//! Authentication and authorization.
use http::{Request, StatusCode};
use k8s_openapi::api::{
    authentication::v1::{TokenRequest, TokenReview},
    authorization::v1::{SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview},
    core::v1::{ConfigMap, Secret, ServiceAccount},
};
use kube::{
    Api, Client, Config,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
};
use kube_codegen_testing::{ApiServer, User};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::support::rejected;

fn server() -> ApiServer {
    let server = ApiServer::builder().namespaces().authorization().build();
    let group = "rbac.authorization.k8s.io/v1";
    for object in [
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "operator"}}),
        json!({"apiVersion": group, "kind": "ClusterRole", "metadata": {"name": "reader"}, "rules": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"], "verbs": ["get"]},
        ]}),
        json!({"apiVersion": group, "kind": "RoleBinding", "metadata": {"name": "reads"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader"},
            "subjects": [{"kind": "ServiceAccount", "name": "operator", "namespace": "default"}]}),
    ] {
        server.seed(&object).unwrap();
    }
    server
}

async fn review<T: Serialize + DeserializeOwned + k8s_openapi::Resource>(
    client: &Client,
    url: &str,
    spec: Value,
) -> T {
    let body = json!({"apiVersion": T::API_VERSION, "kind": T::KIND, "spec": spec});
    let request = Request::post(url)
        .body(body.to_string().into_bytes())
        .unwrap();
    client.request(request).await.unwrap()
}

#[tokio::test]
async fn rules_of_bound_roles_allow_requests() {
    let server = server();
    let operator = server.client_as(User::account("default", "operator"));
    let maps: Api<ConfigMap> = Api::default_namespaced(operator.clone());
    maps.list(&ListParams::default()).await.unwrap();
    let status = rejected(maps.delete("a", &DeleteParams::default()).await);
    assert_eq!(
        (status.code, status.message.as_str()),
        (
            403,
            r#"configmaps "a" is forbidden: User "system:serviceaccount:default:operator" cannot delete resource "configmaps" in API group "" in the namespace "default""#
        )
    );
    let everywhere: Api<ConfigMap> = Api::all(operator.clone());
    let status = rejected(everywhere.list(&ListParams::default()).await);
    assert_eq!(
        status.message,
        r#"configmaps is forbidden: User "system:serviceaccount:default:operator" cannot list resource "configmaps" in API group "" at the cluster scope"#
    );
    let secrets: Api<Secret> = Api::default_namespaced(operator);
    assert_eq!(rejected(secrets.get("mine").await).code, 404);
    assert_eq!(rejected(secrets.get("other").await).code, 403);
    assert_eq!(server.requests().last().unwrap().status, 403);
}

#[tokio::test]
async fn a_service_account_gets_a_token() {
    let server = server();
    let accounts: Api<ServiceAccount> = Api::default_namespaced(server.client());
    let issued = accounts
        .create_token_request("operator", &PostParams::default(), &TokenRequest::default())
        .await
        .unwrap();
    let token = issued.status.unwrap().token;
    let reviewed: TokenReview = review(
        &server.client(),
        "/apis/authentication.k8s.io/v1/tokenreviews",
        json!({"token": token}),
    )
    .await;
    let user = reviewed.status.unwrap().user.unwrap();
    assert_eq!(
        user.username.as_deref(),
        Some("system:serviceaccount:default:operator")
    );

    let address = server.listen().await.unwrap();
    let status = async |token: Option<&str>, path: &str| {
        let config = Config::new(format!("http://{address}").parse().unwrap());
        let client = Client::try_from(config).unwrap();
        let mut request = Request::get(path);
        if let Some(token) = token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let body = kube::client::Body::empty();
        client
            .send(request.body(body).unwrap())
            .await
            .unwrap()
            .status()
    };
    let path = "/api/v1/namespaces/default/configmaps";
    assert_eq!(status(Some(&token), path).await, StatusCode::OK);
    assert_eq!(status(Some("wrong"), path).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(None, path).await, StatusCode::FORBIDDEN);
    assert_eq!(status(None, "/version").await, StatusCode::OK);
    assert_eq!(status(None, "/apis").await, StatusCode::FORBIDDEN);
    server.add_token("secret", User::new("root").group("system:masters"));
    assert_eq!(
        status(Some("secret"), "/api/v1/nodes").await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn reviews_follow_the_rules() {
    let server = server();
    let client = server.client_as(User::account("default", "operator"));
    let spec = |verb: &str| json!({"resourceAttributes": {"verb": verb, "resource": "configmaps", "namespace": "default"}});
    let allowed = async |verb: &str| {
        let url = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let review: SelfSubjectAccessReview = review(&client, url, spec(verb)).await;
        review.status.unwrap()
    };
    let yes = allowed("list").await;
    assert!(yes.allowed);
    assert_eq!(
        yes.reason.as_deref(),
        Some(
            r#"RBAC: allowed by RoleBinding "reads/default" of ClusterRole "reader" to ServiceAccount "operator/default""#
        )
    );
    assert!(!allowed("delete").await.allowed);
    let rules: SelfSubjectRulesReview = review(
        &client,
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        json!({"namespace": "default"}),
    )
    .await;
    let resources: Vec<_> = rules
        .status
        .unwrap()
        .resource_rules
        .into_iter()
        .flat_map(|rule| rule.resources.unwrap_or_default())
        .collect();
    assert!(resources.contains(&"secrets".to_owned()), "{resources:?}");

    let mut asked = spec("get");
    asked["user"] = "system:serviceaccount:default:operator".into();
    let url = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    let other: SubjectAccessReview = review(&server.client(), url, asked.clone()).await;
    assert!(other.status.unwrap().allowed);
    let request = Request::post(url)
        .body(asked.to_string().into_bytes())
        .unwrap();
    assert_eq!(rejected(client.request::<Value>(request).await).code, 403);
}

#[tokio::test]
async fn an_administrator_impersonates_and_another_user_may_not() {
    let server = server();
    let whoami = async |client: Client| {
        let request = Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
            .header("Impersonate-User", "jane")
            .header("Impersonate-Group", "developers")
            .body(b"{}".to_vec())
            .unwrap();
        client.request::<Value>(request).await
    };
    let review = whoami(server.client()).await.unwrap();
    assert_eq!(
        review["status"]["userInfo"],
        json!({"username": "jane", "groups": ["developers", "system:authenticated"]})
    );
    let status = rejected(whoami(server.client_as(User::new("mallory"))).await);
    assert_eq!(
        status.message,
        r#"users "jane" is forbidden: User "mallory" cannot impersonate resource "users" in API group "" at the cluster scope"#
    );
}

#[tokio::test]
async fn rights_that_an_account_lacks_are_listed_once() {
    let server = ApiServer::builder().authorization().build();
    let manifests = "
{apiVersion: v1, kind: Namespace, metadata: {name: web}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: web}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: web, namespace: web}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web, namespace: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}
subjects: [{kind: ServiceAccount, name: web, namespace: web}]
";
    server.apply(manifests).await.unwrap();
    let client = server.client_as(User::account("web", "web"));
    let maps: Api<ConfigMap> = Api::namespaced(client, "web");
    assert_eq!(maps.get_opt("a").await.unwrap(), None);
    assert_eq!(server.forbidden(), [""; 0]);
    for _ in 0..2 {
        maps.list(&ListParams::default()).await.unwrap_err();
    }
    assert_eq!(server.forbidden(), ["list configmaps"]);
    let requests = server.requests();
    let user = &requests.last().unwrap().user;
    assert_eq!(user, "system:serviceaccount:web:web");

    let error = server.apply("{apiVersion: a/v1, kind: B}").await;
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("B of a/v1 is not registered")
    );
    let error = server
        .apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: A_B}}")
        .await;
    assert!(
        error
            .unwrap_err()
            .to_string()
            .starts_with("the server rejected ConfigMap A_B")
    );
}

#[tokio::test]
async fn what_a_server_prints_has_no_secrets() {
    let server = ApiServer::builder().authorization().build();
    server.listen().await.unwrap();
    server.add_token("of-jane", User::new("jane"));
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "default"}, "data": {"password": "cGFzc3dvcmQ="},
    });
    server.seed(&secret).unwrap();
    let kubeconfig: serde_json::Value =
        serde_json::from_str(&server.kubeconfig().unwrap()).unwrap();
    let administrator = kubeconfig["users"][0]["user"]["token"].as_str().unwrap();
    assert!(!administrator.is_empty());
    for printed in [
        format!("{server:#?}"),
        format!("{:#?}", server.service()),
        format!("{:#?}", server.requests()),
    ] {
        for hidden in ["of-jane", "cGFzc3dvcmQ=", administrator] {
            assert!(!printed.contains(hidden), "{printed}");
        }
    }
}

#[tokio::test]
async fn a_token_ends_with_its_account() {
    let server = server();
    let address = server.listen().await.unwrap();
    let accounts: Api<ServiceAccount> = Api::default_namespaced(server.client());
    let issued = accounts
        .create_token_request("operator", &PostParams::default(), &TokenRequest::default())
        .await
        .unwrap();
    let token = issued.status.unwrap().token;
    let mut config = Config::new(format!("http://{address}").parse().unwrap());
    config.auth_info.token = Some(token.clone().into());
    config.default_retry = false;
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config).unwrap());
    maps.list(&ListParams::default()).await.unwrap();
    // An account that is created again is another one.
    for again in [false, true] {
        accounts
            .delete("operator", &DeleteParams::default())
            .await
            .ok();
        if again {
            let account = json!({"metadata": {"name": "operator"}});
            let account = serde_json::from_value(account).unwrap();
            accounts
                .create(&PostParams::default(), &account)
                .await
                .unwrap();
        }
        assert_eq!(rejected(maps.list(&ListParams::default()).await).code, 401);
        let url = "/apis/authentication.k8s.io/v1/tokenreviews";
        let reviewed: TokenReview = review(&server.client(), url, json!({"token": token})).await;
        assert_eq!(reviewed.status.unwrap().authenticated, None);
    }
}

#[tokio::test]
async fn groups_without_a_name_impersonate_nobody() {
    let server = server();
    let request = Request::get("/api/v1/namespaces/default/configmaps")
        .header("impersonate-group", "one")
        .header("impersonate-extra-scopes", "a")
        .body(Vec::new())
        .unwrap();
    let status = rejected(server.client().request::<Value>(request).await);
    assert_eq!(
        (status.code, status.message.as_str()),
        (
            400,
            r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"one"}, Extra:map[string][]string{"scopes":[]string{"a"}}} without impersonating a user name"#
        )
    );
}

#[tokio::test]
async fn discovery_of_all_groups_at_once_needs_a_user() {
    let server = server();
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let anonymous = server.client_as(User::new("system:anonymous"));
    let of = |client: Client| async move {
        let request = Request::get("/apis").header("accept", accept);
        let request = request.body(Vec::new()).unwrap();
        client.request::<Value>(request).await
    };
    assert_eq!(
        of(server.client()).await.unwrap()["kind"],
        "APIGroupDiscoveryList"
    );
    drop(of(anonymous).await.unwrap());
    let address = server.listen().await.unwrap();
    let mut config = Config::new(format!("http://{address}").parse().unwrap());
    config.default_retry = false;
    assert_eq!(
        rejected(of(Client::try_from(config).unwrap()).await).code,
        403
    );
}

#[tokio::test]
async fn an_apply_that_creates_lacks_the_verb_that_it_needs_besides() {
    let server = server();
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch"]}]});
    server.seed(&role).unwrap();
    let client = server.client_as(User::account("default", "operator"));
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let apply = async || {
        let params = PatchParams::apply("test");
        maps.patch("a", &params, &Patch::Apply(&map)).await
    };
    assert_eq!(rejected(apply().await).code, 403);
    assert_eq!(server.forbidden(), ["create configmaps"]);
    let mut found = map.clone();
    found["metadata"]["namespace"] = "default".into();
    server.seed(&found).unwrap();
    apply().await.unwrap();
}
