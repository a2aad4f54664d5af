//! Replicas of the operator on the page, and the picture of a run.
use std::{env, fs, path::Path};

use kube_codegen_browser::{Browser, View};
use serde_json::{Value, json};

use super::{VIEWS, change, page, picture, run, small, until};
use crate::{
    cluster::AGENT,
    history::{Entry, Fact, History, Operator, Simulation, Topic},
    page::picture as drawing,
};

#[test]
fn replicas_have_rows_and_a_leader() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let history = small();
        history.set_operator(2, Operator::Running, "starting the operator", false);
        history.lease(2, "leader", true);
        let page = runtime.block_on(page(&history));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        until(
            &mut tab,
            "document.querySelectorAll('#tree .row').length >= 12",
        );
        let rows = tab.evaluate(
            "[...document.querySelectorAll('#tree .row')].slice(0, 2).map(it => it.textContent)",
        );
        assert_eq!(
            rows,
            json!([
                "Operatorreplica 1running",
                "Operatorreplica 2leader  running"
            ])
        );
        let choices = "[...document.querySelectorAll('#replica option')].map(it => it.textContent)";
        assert_eq!(
            tab.evaluate(choices),
            json!([
                "all replicas",
                "the leader (replica 2)",
                "replica 1",
                "replica 2"
            ])
        );
        // The button is for the replica that is chosen.
        history.set_network(2, false);
        until(
            &mut tab,
            "document.getElementById('operator').textContent.startsWith('1: running · 2 leads: running, no network')",
        );
        let button = "(value) => { const it = document.getElementById('replica'); it.value = value; it.dispatchEvent(new Event('change')); return document.getElementById('network').textContent; }";
        let mut text = |value: &str| tab.evaluate(&format!("({button})('{value}')"));
        assert_eq!(text("1"), "Cut network");
        assert_eq!(text("leader"), "Restore network");
        // The row of a replica selects what it did.
        tab.evaluate(
            "document.querySelector('#tree .row').click(); document.getElementById('only').click()",
        );
        until(
            &mut tab,
            "document.getElementById('subject').textContent === 'replica 1' && /^\\d+ of/.test(document.getElementById('step-count').textContent)",
        );
        for (name, view) in VIEWS {
            tab.show(view);
            assert_eq!(tab.overflow(), 0, "{name}");
            assert_eq!(tab.axe(), Vec::<String>::new(), "{name}");
            picture(&mut tab, &format!("replicas-{name}"));
        }
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

/// A green page over an operator that fails each time would be a lie.
#[test]
fn what_fails_is_marked_and_says_why() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let history = small();
        let page = runtime.block_on(page(&history));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        // Four reconciles, and one request, of which only the last one counts.
        let label = "document.getElementById('operator')";
        until(
            &mut tab,
            &format!(
                "{label}.textContent === 'operator running · 5 failing' && {label}.classList.contains('bad')"
            ),
        );
        let marked = "[...document.querySelectorAll('#tree .row')].filter(it => it.querySelector('[aria-label=failing]')).map(it => it.title)";
        until(&mut tab, &format!("({marked}).length === 4"));
        let why = tab.evaluate(&format!("({marked})[0]"));
        assert_eq!(
            why,
            json!("Foo default/a0  failed: <script>window.hurt = 1</script>")
        );
        let row = tab.evaluate("[...document.querySelectorAll('#steps .row')].find(it => it.textContent.includes('reconcile')).querySelector('.text').textContent");
        assert_eq!(row, json!("failed: <script>window.hurt = 1</script>"));
        // A Warning is amber, and nothing is selected, so that its part takes no place.
        let warning = "[...document.querySelectorAll('#tree .row')].find(it => it.textContent.startsWith('Oops')).querySelector('.text').className";
        assert_eq!(tab.evaluate(warning), json!("text note"));
        let details = "document.querySelector('.details').checkVisibility()";
        assert_eq!(tab.evaluate(details), json!(false));
        assert_eq!(
            tab.evaluate(
                "(it => it.scrollWidth <= it.clientWidth)(document.getElementById('legend'))"
            ),
            json!(true)
        );
        for index in 0..4 {
            let key = history.key("Foo.example.com", &format!("default/a{index}"));
            history.add(Entry::new(Topic::Reconcile, key, "succeeded"));
        }
        history.add(Entry::new(Topic::Request, String::new(), "patch foos: 200"));
        until(
            &mut tab,
            &format!("{label}.textContent === 'operator running' && ({marked}).length === 0"),
        );
        tab.evaluate("document.querySelector('#tree .row').click()");
        until(&mut tab, details);
        picture(&mut tab, "failing");
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

#[test]
fn an_empty_page_says_what_to_do() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let history = History::new();
        history.set_server("https://127.0.0.1:1", Path::new("dev/kubeconfig"));
        let page = runtime.block_on(page(&history));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        let command = "document.getElementById('kubeconfig')";
        until(
            &mut tab,
            &format!(
                "{command}.checkVisibility() && {command}.textContent === 'export KUBECONFIG=dev/kubeconfig'"
            ),
        );
        let buttons = tab.evaluate("[...document.querySelectorAll('.top button')].filter(it => it.checkVisibility()).map(it => it.id || it.ariaLabel)");
        assert_eq!(
            buttons,
            json!(["new", "Switch between light and dark"]),
            "no button does nothing"
        );
        for (name, view) in VIEWS {
            tab.show(view);
            assert_eq!(tab.overflow(), 0, "{name}");
            assert_eq!(tab.axe(), Vec::<String>::new(), "{name}");
            picture(&mut tab, &format!("empty-{name}"));
        }
        tab.evaluate("document.getElementById('first').click()");
        until(&mut tab, "document.querySelector('textarea')");
    });
}

#[test]
fn a_simulation_disables_its_button_and_its_failure_has_a_picture() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let history = small();
        let page = runtime.block_on(page(&history));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        let becomes = |text: &str, disabled: bool, picture: bool| {
            format!(
                "(it => it.textContent === '{text}' && it.disabled === {disabled})(document.getElementById('simulate')) && document.getElementById('failure').checkVisibility() === {picture}"
            )
        };
        until(&mut tab, &becomes("Simulate from here", false, false));
        history.set_simulation(Simulation::Running);
        until(&mut tab, &becomes("Simulating …", true, false));
        history.set_simulation(Simulation::Failed(Some("failure.html".into())));
        until(&mut tab, &becomes("Simulate from here", false, true));
        for (name, view) in VIEWS {
            tab.show(view);
            assert_eq!(tab.overflow(), 0, "{name}");
            let place = "(it => it.x === 0 && it.y < innerHeight / 2 && it.height > innerHeight / 3)(document.getElementById('tree').getBoundingClientRect())";
            assert_eq!(tab.evaluate(place), true, "{name}: the tree has no place");
            picture(&mut tab, &format!("simulation-{name}"));
        }
        let columns = "[...document.querySelectorAll('#steps .row')].map(it => [...it.childNodes].map(it => it.nodeName).join())";
        let columns = tab.evaluate(&format!("[...new Set({columns})]"));
        assert_eq!(columns, json!(["TIME,SPAN,SPAN,SPAN,SPAN"]));
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

#[test]
fn a_picture_tells_what_dev_sets_up_from_what_fails() {
    let history = History::new();
    for what in ["Namespace a", "ServiceAccount b"] {
        let mut entry = Entry::new(Topic::Dev, String::new(), format!("applied {what}"));
        entry.fact = Fact::Applied(vec![what.to_owned()]);
        history.add(entry);
        let mut change = change("foos", "Foo", what, "", "first");
        change.object["metadata"]["managedFields"][0]["manager"] = AGENT.into();
        history.object(change);
    }
    history.set_operator(1, Operator::Running, "starting the operator", false);
    let mut request = Entry::new(Topic::Request, String::new(), "get foos a: 404");
    request.fact = Fact::Request {
        status: Some(404),
        written: false,
    };
    history.add(request.of(1));
    let page = drawing::picture(&history);
    assert!(page.contains("applied 2 objects: Namespace a, ServiceAccount b"));
    assert!(page.contains("<b>dev</b>") && !page.contains("created by kube-codegen-dev"));
    assert!(page.contains("<p>No failures.</p>"));
    let (_, request) = page.split_once("<ol class=\"steps\">").unwrap();
    assert!(request.contains("class=\"note\"") && !request.contains("class=\"bad\""));
}

#[test]
fn a_saved_picture_works_alone() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let history = small();
    history.set_network(1, false);
    history.set_network(1, true);
    let directory = env::temp_dir().join(format!("kube-codegen-dev-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("run.html");
    fs::write(&file, drawing::picture(&history)).unwrap();
    let mut tab = browser.open(&format!("file://{}", file.display()), View::DESKTOP);
    for key in ["f", "f"] {
        tab.press(key);
    }
    let current = tab.evaluate("[...document.querySelectorAll('.step.fault')].indexOf(document.querySelector('.step.current'))");
    assert_eq!(current, 1);
    assert_eq!(tab.evaluate("window.hurt ?? null"), Value::Null);
    assert_eq!(
        tab.evaluate("document.querySelectorAll('main img, main script, main a').length"),
        0
    );
    let shown = tab.evaluate("document.body.innerText");
    for text in [
        "What failed",
        "reconcile of foos.example.com/default/a0 failed after 1.5ms",
        "\\u{202e}drowssap",
    ] {
        assert!(shown.as_str().unwrap().contains(text), "{text}: {shown}");
    }
    for (name, view) in VIEWS {
        tab.show(view);
        assert_eq!(tab.overflow(), 0, "{name}");
        assert_eq!(tab.axe(), Vec::<String>::new(), "{name}");
        picture(&mut tab, &format!("saved-{name}"));
    }
    assert_eq!(tab.errors(), Vec::<String>::new());
    assert_eq!(tab.requests().len(), 1, "{:?}", tab.requests());
    fs::remove_dir_all(directory).unwrap();
}
