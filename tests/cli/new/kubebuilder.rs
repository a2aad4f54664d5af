//! `kube-codegen new --from-kubebuilder`: what is taken over, and what is reported.
mod project;

use std::{fs, path::Path};

use serde_json::{Value, json};

use self::project::{CONTROLLER, MAIN, PROJECT, project, write};
use super::is_up_to_date;
use crate::cli::{files, run, stderr, stdout, succeed};

fn parameters(package: &Path) -> Value {
    let text = fs::read_to_string(package.join(".kube-codegen/scaffold.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["parameters"].clone()
}

#[test]
fn the_crate_has_the_names_of_the_installation() {
    let project = project();
    let directory = write(&project);
    let output = succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    // The program would work on the objects of the running operator.
    assert!(output.ends_with("; next: read shop-rs/TAKEOVER.md\n"));
    let package = directory.path().join("shop-rs");
    let parameters = parameters(&package);
    assert_eq!(parameters["kubernetes"], "1.36");
    assert_eq!(parameters["watch"], json!(["v1/Secret"]));
    let owned =
        json!({"stores.web.example.com": ["apps/v1/Deployment", "regions.web.example.com"]});
    assert_eq!(parameters["owns"], owned);
    let controller = fs::read_to_string(package.join("src/stores_controller.rs")).unwrap();
    assert!(controller.contains(".take_over_from([\"manager\", \"shop-apply\"])"));
    assert_eq!(
        parameters["takeover"],
        json!({
            "namespace": "shop-system",
            "lease": "5c3a.example.com",
            "fieldManager": "shop-apply",
            "formerManagers": ["manager", "shop-apply"],
            "environment": [["SHOP_IMAGE", "shop:1.2"], ["REPLICAS", "2"], ["ADDRESS", "http://$(SHOP_IMAGE)"]],
            "metricsNames": {"stores.web.example.com": "web-store"},
            "finalizers": {"stores.web.example.com": "web.example.com/stock"},
            "webhooks": {
                "regions.web.example.com": ["validating"],
                "stores.web.example.com": ["defaulting", "conversion"],
            },
        })
    );
    let files = files(&package);
    // The CRD that is converted names the webhook; the other one is as it was.
    let crds = &files["deploy/crd.yaml"];
    let stores = &project["config/crd/bases/web.example.com_stores.yaml"];
    let regions = &project["config/crd/bases/web.example.com_regions.yaml"];
    assert!(crds.starts_with(regions.as_str()), "{crds}");
    let conversion = crds.split_once("  conversion:\n").unwrap().1;
    assert!(conversion.contains("namespace: shop-system"), "{crds}");
    for line in stores.lines() {
        assert!(crds.contains(&format!("{line}\n")), "{line}");
    }
    assert_eq!(
        files["deploy/samples/web_v1_store.yaml"],
        project["config/samples/web_v1_store.yaml"]
    );
    for (file, expected) in [
        (
            "deploy/deployment.yaml",
            "--leader-elect-resource-name=5c3a.example.com",
        ),
        ("deploy/deployment.yaml", "namespace: shop-system"),
        ("src/lib.rs", "FIELD_MANAGER: &str = \"shop-apply\""),
        ("src/stores_controller.rs", ".named(\"web-store\")"),
        (
            "src/stores_controller.rs",
            "FINALIZER: &str = \"web.example.com/stock\"",
        ),
        (
            "src/stores_controller.rs",
            "regions: controller\n            .children()",
        ),
    ] {
        assert!(files[file].contains(expected), "{file}: {}", files[file]);
    }
    for file in project
        .keys()
        .filter(|path| path.contains(".go") && !path.contains("_test.go"))
    {
        let page = &files["TAKEOVER.md"];
        let is_there = [format!("| {file} |"), format!("`{file}`")];
        assert!(is_there.iter().any(|it| page.contains(it)), "{file}");
    }
    is_up_to_date(&package);
    succeed(
        &package,
        &["validate", "deploy/samples", "-f", "deploy/crd.yaml"],
    );
    // A second run keeps everything, and so does one by the name of the running Pods.
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    assert_eq!(super::super::files(&package), files);
    let output = run(
        directory.path(),
        &["new", "shop", "--from-kubebuilder", "go"],
    );
    assert!(stderr(&output).contains("use another name, such as `shop-rs`"));
}

#[test]
fn the_page_says_how_the_old_operator_goes() {
    let directory = write(&project());
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    let files = files(&directory.path().join("shop-rs"));
    let page = &files["TAKEOVER.md"];
    for expected in [
        "| internal/controller/store_controller.go | `reconcile` in `src/stores_controller.rs` |",
        "| internal/controller/store_controller.go:28 | `Watches` of `v1/ConfigMap`",
        "| internal/controller/store_controller.go:22 | `WithPredicates`: add `.filter(",
        "| internal/controller/store_controller.go:23 | `WithEventFilter`: add `.filter(",
        "| internal/controller/store_controller.go:24 | `WithOptions`: its settings",
        "| Kubernetes of the types | `k8s.io/api v0.36.0` | go.mod |",
        "webhook `mstore.kb.io` has `failurePolicy: Ignore`",
        "| `nodes` | get, list |",
        "metric `shop_sales_total`",
        "-n shop-system delete deployment shop-controller-manager",
        "| variable, in deploy/deployment.yaml, too | `SHOP_IMAGE=shop:1.2` | config/manager |",
        "| config/manager | the variable `TOKEN` has no value of its own",
        "| config/manager | the variable `WATCH_NAMESPACE`: the flag `--namespace`",
        "| config/manager | volumes: add them",
        "| cmd/main.go:8 | the user agent is set: what its clients write",
        "`take_over_from([\"manager\", \"shop-apply\"])`",
        "| internal/stock/stock.go | `src/internal_stock.rs`,",
        "| internal/web/stock/stock.go | `src/web_stock.rs`,",
        "| config/manager | the variable `SECRET` refers to another one",
        // Only what is bound to the account of the Pods of the old operator alone; who reads metrics may be bound by others.
        "validating-webhook-configuration service/shop-metrics-service\n",
        "delete --ignore-not-found clusterrolebinding/shop-own-metrics-rolebinding clusterrolebinding/shop-manager-rolebinding clusterrole/shop-manager-role \
         serviceaccount/shop-controller-manager ",
        "kubectl label namespace shop-system pod-security.kubernetes.io/enforce=restricted",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    // In their order, in which one refers to another.
    let variables = "        env:\n        - name: SHOP_IMAGE\n          value: \"shop:1.2\"\n        - name: REPLICAS\n          value: \"2\"\n        \
                     - name: ADDRESS\n          value: \"http://$(SHOP_IMAGE)\"\n        ports:";
    assert!(files["deploy/deployment.yaml"].contains(variables));
    // No kind of cert-manager, unless the project installs its objects.
    assert!(!page.contains("certificate.cert-manager.io"), "{page}");
    let mut project = project();
    let default = project
        .get_mut("config/default/kustomization.yaml")
        .unwrap();
    *default = default.replace("[../crd]", "[../crd, ../certmanager]");
    let directory = write(&project);
    succeed(directory.path(), &["new", "--from-kubebuilder", "go"]);
    let page = fs::read_to_string(directory.path().join("shop-rs/TAKEOVER.md")).unwrap();
    assert!(
        page.contains(" certificate.cert-manager.io/shop-serving-cert "),
        "{page}"
    );
    // Without a prefix, names may be those of others.
    let default = project
        .get_mut("config/default/kustomization.yaml")
        .unwrap();
    *default = default.replace("namePrefix: shop-\n", "");
    let directory = write(&project);
    let args = [
        "new",
        "--from-kubebuilder",
        "go",
        "--field-manager=ours",
        "--deploy-namespace=here",
    ];
    succeed(directory.path(), &args);
    let page = fs::read_to_string(directory.path().join("shop-rs/TAKEOVER.md")).unwrap();
    let deleted: Vec<&str> = page
        .lines()
        .filter(|it| it.starts_with("kubectl") && it.contains(" delete "))
        .collect();
    assert_eq!(
        deleted,
        [
            "kubectl -n here delete deployment controller-manager",
            "kubectl -n here delete --ignore-not-found certificate.cert-manager.io/serving-cert service/metrics-service",
            "kubectl -n here delete --ignore-not-found serviceaccount/controller-manager   # its account and rights, once no rollback is wanted",
        ]
    );
    assert!(page.contains("| config/default/kustomization.yaml | no `namePrefix`"));
    // Pods of the old operator, which may not meet the level, are created until it is gone.
    assert!(!files["deploy/rbac.yaml"].contains("pod-security.kubernetes.io/enforce"));
}

#[test]
fn all_problems_are_reported_at_once_and_nothing_is_written() {
    let mut project = project();
    let broken = PROJECT
        .replace("version: '3'", "version: '4'")
        .replace("  kind: Region\n", "")
        .replace("projectName: shop", "projectName: [shop]");
    project.insert("PROJECT", broken);
    let controller = CONTROLLER.replace("resources=nodes,verbs=get;list", "resources=nodes");
    project.insert("internal/controller/store_controller.go", controller);
    let regions = "config/crd/bases/web.example.com_regions.yaml";
    let text = project[regions].replace("scope: Namespaced", "scope: Nowhere");
    project.insert(regions, text);
    project.insert(
        "config/default/kustomization.yaml",
        "namespace: [\n".to_owned(),
    );
    let directory = write(&project);
    let output = run(
        directory.path(),
        &["new", "shop-rs", "--from-kubebuilder", "go"],
    );
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    for expected in [
        "error[KC0901]: version `4` of the file is unknown\n  --> go/PROJECT:24:10",
        "error[KC0901]: `projectName` is not a string\n --> go/PROJECT:4:14",
        "error[KC0901]: the resource has no `kind`\n  --> go/PROJECT:14:3",
        "error[KC0902]: the `rbac` marker lacks verbs\n  --> go/internal/controller/store_controller.go:12:4",
        "go/config/default/kustomization.yaml:1:13",
        "error[KC0207]",
    ] {
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    assert!(!directory.path().join("shop-rs").exists());
}

#[test]
fn what_is_not_found_is_given_by_flags() {
    let mut project = project();
    project.insert("PROJECT", PROJECT.replace("version: '3'", "version: \"2\""));
    project.insert("cmd/main.go", MAIN.replace("= \"5c3a", "+= \"5c3a"));
    project.remove("config/default/kustomization.yaml");
    let directory = write(&project);
    let new = ["new", "--from-kubebuilder", "go", "--dry-run"];
    let message = stderr(&run(directory.path(), &new));
    assert!(message.contains("`--lease NAME` sets it"), "{message}");
    assert!(
        message.contains("`--deploy-namespace NAME` sets it"),
        "{message}"
    );
    let given = [
        "--lease=a.b",
        "--deploy-namespace=web",
        "--field-manager=me",
        "--quiet",
    ];
    let output = run(directory.path(), &[&new[..3], &given].concat());
    assert_eq!(
        (stdout(&output), stderr(&output)),
        (String::new(), String::new())
    );
    let takeover = &parameters(&directory.path().join("shop-rs"))["takeover"];
    assert_eq!(takeover["lease"], "a.b");
    assert_eq!(takeover["namespace"], "web");
    assert_eq!(takeover["fieldManager"], "me");
    let output = run(directory.path(), &["new", "--from-kubebuilder", "."]);
    assert!(stderr(&output).contains("has no project of kubebuilder: the file PROJECT is missing"));
}
