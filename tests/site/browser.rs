//! Reference pages in a browser: search, links, sizes, accessibility, and nothing from elsewhere.
use std::{env, fs, path::PathBuf};

use kube_codegen_browser::{Browser, Page, View};
use serde_json::{Value, json};

use super::{largest, pages_of, pages_of_fixtures};

/// Returns where to write pictures of the pages, if someone wants to look at them.
fn pictures() -> Option<PathBuf> {
    let directory = PathBuf::from(env::var_os("KUBE_CODEGEN_PICTURES")?);
    fs::create_dir_all(&directory).unwrap();
    Some(directory)
}

const VIEWS: [(&str, View); 4] = [
    ("light", View::DESKTOP),
    ("dark", View::DARK),
    ("phone", View::PHONE),
    (
        "print",
        View {
            print: true,
            width: 794,
            height: 1123,
            ..View::DESKTOP
        },
    ),
];

/// Checks a page in all views: no error, no scrolling to the right, accessible, and nothing from another origin.
fn check(page: &mut Page<'_>, name: &str) {
    assert_eq!(page.errors(), Vec::<String>::new(), "{name}");
    let requests = page.requests().into_iter();
    let elsewhere: Vec<String> = requests.filter(|url| !url.starts_with("file://")).collect();
    assert_eq!(elsewhere, Vec::<String>::new(), "{name}");
    let is_large = name == "largest";
    for (view_name, view) in VIEWS {
        page.show(view);
        if !view.print {
            assert_eq!(
                page.overflow(),
                0,
                "{name} {view_name}: it scrolls to the right"
            );
        }
        // A check of ten thousand fields takes half a minute.
        if !view.print && (!is_large || view_name == "phone") {
            assert_eq!(page.axe(), Vec::<String>::new(), "{name} {view_name}");
        }
        if let Some(pictures) = pictures() {
            let whole = view.print && !is_large;
            page.screenshot(&pictures.join(format!("{name}-{view_name}.png")), whole);
        }
    }
    page.show(View::DESKTOP);
}

fn results(page: &mut Page<'_>) -> Vec<String> {
    // The index is read when the search is first used.
    let shown = page.evaluate(
        "new Promise(done => {
            const look = () => {
                const found = [...document.querySelectorAll('[role=option]')].map(it => it.textContent);
                if (found.length) done(found); else setTimeout(look, 10);
            };
            look();
        })",
    );
    shown
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn pages_of_fixtures_are_usable() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let directory = pages_of_fixtures(&["--title", "Fixtures"]);
    let site = format!(
        "file://{}/site",
        directory.path().canonicalize().unwrap().display()
    );

    let mut page = browser.open(&format!("{site}/index.html"), View::DESKTOP);
    page.evaluate("new Promise(done => { const look = () => document.activeElement.id ? done(0) : setTimeout(look, 5); look(); })");
    // Two keys after the page was opened.
    page.press("re");
    let found = results(&mut page);
    assert!(
        found.iter().any(|it| it.contains("spec.replicas")),
        "{found:?}"
    );
    check(&mut page, "index");
    drop(page);

    let mut page = browser.open(
        &format!("{site}/iksoon.test.com/crdplural/v1.html"),
        View::DESKTOP,
    );
    check(&mut page, "kind");
    page.press("/");
    page.press("rep");
    results(&mut page);
    page.press_key("Enter");
    assert_eq!(page.evaluate("location.hash"), json!("#spec.replicas"));
    assert_eq!(page.evaluate("getComputedStyle(document.querySelector('.f.target > .h')).backgroundColor !== 'rgba(0, 0, 0, 0)'"), json!(true));
    drop(page);

    let mut page = browser.open(&format!("{site}/iksoon.test.com/index.html"), View::DESKTOP);
    check(&mut page, "group");
}

#[test]
fn the_largest_real_page_is_fast_and_all_its_fields_are_found() {
    let Some(site) = largest() else { return };
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let site = format!("file://{}", site.canonicalize().unwrap().display());
    let url = format!("{site}/argoproj.io/workflows/v1alpha1.html");
    let mut page = browser.open(&url, View::DESKTOP);
    let painted = page
        .evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
    let loaded =
        page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart");
    eprintln!("first view of the largest page after {painted} ms, whole after {loaded} ms");
    check(&mut page, "largest");
    // A field below the second place of a type has its anchor below the first.
    let url = format!("{url}#spec.templates.initContainers.env.valueFrom.secretKeyRef.optional");
    drop(page);
    let mut page = browser.open(&url, View::DESKTOP);
    let shown = page.evaluate("document.querySelector('.f.target > .h > a')?.textContent ?? ''");
    assert_eq!(shown, json!("optional"));
    let visible = page.evaluate("document.querySelector('.f.target').checkVisibility()");
    assert_eq!(visible, json!(true));
}

#[test]
fn texts_that_inject_run_nothing() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    for payload in [
        "<script>document.title = 'injected'</script>",
        "<img src=x onerror=\"document.title='injected'\">",
        "</textarea></code></pre><script>document.title='injected'</script>",
        "[x](javascript:document.title='injected')",
        "{{ 7 * 7 }}",
    ] {
        let definition = crate::output::injection::definition(payload).to_string();
        let directory = pages_of(&definition, &[]);
        let page = directory
            .path()
            .canonicalize()
            .unwrap()
            .join("site/example.com/foos/v1.html");
        let mut page = browser.open(&format!("file://{}", page.display()), View::DESKTOP);
        page.evaluate("document.querySelectorAll('a').forEach(it => it.href.startsWith('javascript:') && it.click())");
        assert_eq!(
            page.evaluate("document.title"),
            json!("Foo v1 · example.com"),
            "{payload}"
        );
        assert_eq!(page.errors(), Vec::<String>::new(), "{payload}");
        let shown = page.evaluate("document.querySelector('main').textContent");
        assert!(
            matches!(shown, Value::String(text) if payload.starts_with('[') || text.contains(payload)),
            "{payload}"
        );
    }
}

#[test]
fn long_names_and_code_fit_a_phone() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let group = format!("{}.example.com", "infrastructure".repeat(4));
    let kind = format!("A{}", "managedcontrolplanetemplate".repeat(2));
    let code = "selector == 'all()' && ".repeat(8);
    let long = "additionalControlPlaneIngressRules".repeat(2);
    let rule = json!({"type": "object", "properties": {"cidrBlocks": {"type": "string", "description": "Only here."}}});
    let fields =
        json!({long.clone(): rule, "one": {"type": "object", "properties": {long.clone(): rule}}});
    let schema = json!({
        "type": "object",
        "description": format!("Selects:\n\n    {code}\n"),
        "properties": {"spec": {"type": "object", "description": format!("Such as\n```\n{code}\n```"), "properties": fields}},
    });
    let column =
        json!({"name": "Rules", "type": "string", "jsonPath": format!(".spec.{long}.cidrBlocks")});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{kind}s.{group}").to_lowercase()},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": format!("{kind}s").to_lowercase(), "singular": kind.to_lowercase()},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}, "additionalPrinterColumns": [column],
            }],
        },
    });
    let directory = pages_of(&definition.to_string(), &[]);
    let site = directory.path().canonicalize().unwrap().join("site");
    let kind = format!("{group}/{}s/v1.html", kind.to_lowercase());
    for (name, file) in [
        ("long-kind", kind),
        ("long-group", format!("{group}/index.html")),
        ("long-index", "index.html".to_owned()),
    ] {
        let url = format!("file://{}", site.join(file).display());
        let mut page = browser.open(&url, View::DESKTOP);
        check(&mut page, name);
    }
}
