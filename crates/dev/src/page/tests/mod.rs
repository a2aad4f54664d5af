//! The page in a browser: what it shows, who is rejected, and how smooth it is with much to show.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod runs;

use std::{
    env, fs,
    sync::{Arc, OnceLock, Weak},
};

use kube_codegen_browser::{Browser, Page as Tab, View};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Actions, Page};
use crate::history::{Change, Entry, History, Operator, Topic};

/// Texts that try to get out of where they are shown.
const HOSTILE: [&str; 4] = [
    "<script>window.hurt = 1</script>",
    "\"><img src=x onerror=\"window.hurt = 1\">",
    "</pre></textarea><svg onload=window.hurt=1>",
    "javascript:window.hurt=1 \u{202e}drowssap",
];

async fn page(history: &History) -> Page {
    let actions = Actions {
        cluster: Weak::new(),
        proxies: Arc::new(OnceLock::new()),
        orders: mpsc::unbounded_channel().0,
        simulates: false,
    };
    Page::start(history.clone(), actions).await.unwrap()
}

fn change(plural: &str, kind: &str, name: &str, owner: &str, label: &str) -> Change {
    let owners = if owner.is_empty() {
        json!([])
    } else {
        json!([{"kind": "Owner", "name": owner, "uid": owner, "controller": true}])
    };
    Change {
        root: "/apis/example.com/v1".to_owned(),
        plural: plural.to_owned(),
        rank: usize::from(owner.is_empty()),
        custom: true,
        object: json!({
            "apiVersion": "example.com/v1", "kind": kind,
            "metadata": {
                "name": name, "namespace": "default", "uid": name, "ownerReferences": owners, "labels": {"text": label},
                "managedFields": [{"manager": label, "operation": "Apply", "fieldsV1": {"f:spec": {"f:text": {}}}}],
            },
            "spec": {"text": label},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": label}]},
        }),
        columns: vec!["Text".to_owned()],
        cells: vec![label.to_owned()],
        deleted: false,
    }
}

/// A run with something of everything.
fn small() -> History {
    let history = History::new();
    history.set_operator(1, Operator::Running, "starting the operator", false);
    for (index, label) in HOSTILE.into_iter().enumerate() {
        let name = format!("a{index}");
        history.object(change("foos", "Foo", &name, "", "first"));
        history.object(change("foos", "Foo", &name, "", label));
        history.object(change("bars", "Bar", &format!("b{index}"), &name, label));
        let key = history.key("Foo.example.com", &format!("default/{name}"));
        history.add(Entry::new(Topic::Event, key.clone(), format!("Oops: {label}")).failed(true));
        history
            .add(Entry::new(Topic::Request, key, format!("patch foos: 500 {label}")).failed(true));
        let log = |text: &str| {
            history.line(1, &format!("2026-11-24T17:18:27Z {text}"));
        };
        let span = format!("reconcile{{kind=Foo.example.com object=default/{name}}}: ");
        let worker = "kube_codegen_runtime::controller::worker: ";
        log(&format!("DEBUG {span}{worker}starts phase=\"start\""));
        log(&format!(" WARN {span}mine: {label}"));
        log(&format!(
            "DEBUG {span}{worker}ends phase=\"end\" outcome=\"failed\" failed=true microseconds=1500"
        ));
    }
    history
}

/// Waits until an expression is true.
fn until(tab: &mut Tab<'_>, what: &str) {
    let found = tab.evaluate(&format!(
        "new Promise(done => {{
            const end = performance.now() + 50000;
            const look = () => (({what}) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20));
            look();
        }})"
    ));
    assert_eq!(
        found,
        true,
        "{what}: {}",
        tab.evaluate("document.body.innerText")
    );
}

fn picture(tab: &mut Tab<'_>, name: &str) {
    if let Some(directory) = env::var_os("KUBE_CODEGEN_PICTURES") {
        fs::create_dir_all(&directory).unwrap();
        tab.screenshot(
            &std::path::Path::new(&directory).join(format!("dev-{name}.png")),
            false,
        );
    }
}

fn run<F>(test: impl FnOnce(tokio::runtime::Handle) -> F) -> F {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    test(runtime.handle().clone())
}

const VIEWS: [(&str, View); 4] = [
    ("light", View::DESKTOP),
    ("dark", View::DARK),
    ("phone", View::PHONE),
    (
        "phone-dark",
        View {
            dark: true,
            ..View::PHONE
        },
    ),
];

#[test]
fn texts_stay_texts_in_all_parts_and_views() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let page = runtime.block_on(page(&small()));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        until(
            &mut tab,
            "document.querySelectorAll('#tree .row').length >= 12",
        );
        // The tree has owners, children and Events.
        let levels = tab.evaluate("[...document.querySelectorAll('#tree .row')].slice(0, 3).map(it => [it.ariaLevel, it.textContent.slice(0, 9)])");
        assert_eq!(levels[0], json!(["1", "▾● Fooa0T"]), "{levels}");
        assert_eq!(levels[1][0], "2");
        assert_eq!(levels[2], json!(["2", "Barb0Text"]), "{levels}");
        for index in 0..HOSTILE.len() {
            tab.evaluate(&format!("[...document.querySelectorAll('#tree .row')].find(it => it.textContent.includes('Fooa{index}')).click()"));
            for name in ["log", "object", "conditions", "fields", "edit"] {
                tab.evaluate(&format!("document.getElementById('tab-{name}').click()"));
                until(
                    &mut tab,
                    &format!(
                        "document.getElementById('tab-{name}').ariaSelected === 'true' && document.getElementById('panel').children.length > 0"
                    ),
                );
                until(
                    &mut tab,
                    "document.getElementById('panel').textContent.length > 40 || document.querySelector('textarea')?.value.length > 40",
                );
            }
        }
        assert_eq!(tab.evaluate("window.hurt ?? null"), Value::Null);
        assert_eq!(
            tab.evaluate(
                "document.querySelectorAll('main img, main svg, main script, main a').length"
            ),
            0
        );
        // The difference of two versions, and a character that reorders text.
        tab.evaluate("document.getElementById('tab-object').click()");
        until(
            &mut tab,
            "document.querySelector('#panel .add') && document.querySelector('#panel .remove')",
        );
        let shown = tab.evaluate("document.getElementById('panel').textContent");
        assert!(
            shown.as_str().unwrap().contains("\\u{202e}drowssap"),
            "{shown}"
        );
        assert_eq!(tab.errors(), Vec::<String>::new());
        let elsewhere = tab
            .requests()
            .into_iter()
            .filter(|url| !url.starts_with(page.url()));
        assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<String>::new());
        for (name, view) in VIEWS {
            tab.show(view);
            for part in ["objects", "timeline", "details"] {
                tab.evaluate(&format!(
                    "document.querySelector('.views [data-view={part}]').click()"
                ));
                assert_eq!(tab.overflow(), 0, "{name} {part}");
                assert_eq!(tab.axe(), Vec::<String>::new(), "{name} {part}");
                picture(&mut tab, &format!("{name}-{part}"));
            }
        }
    });
}

#[test]
fn the_keyboard_reaches_objects_and_the_log_of_a_reconcile() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let page = runtime.block_on(page(&small()));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        until(
            &mut tab,
            "document.querySelectorAll('#tree .row').length >= 12",
        );
        tab.press("/");
        tab.press("a2");
        until(
            &mut tab,
            "document.querySelectorAll('#tree .row').length === 2",
        );
        tab.press_key("Enter");
        until(
            &mut tab,
            "document.getElementById('subject').textContent === 'Foo default/a2'",
        );
        // Closing and opening a row.
        tab.evaluate("document.getElementById('find').value = ''; document.getElementById('find').dispatchEvent(new Event('input'))");
        until(
            &mut tab,
            "document.querySelectorAll('#tree .row').length >= 12",
        );
        tab.press_key("ArrowLeft");
        until(
            &mut tab,
            "document.querySelector('#tree [aria-selected=true]').ariaExpanded === 'false'",
        );
        tab.press_key("ArrowRight");
        tab.press_key("ArrowDown");
        until(
            &mut tab,
            "document.querySelector('#tree [aria-selected=true]').textContent.startsWith('Oops')",
        );
        // The last entry is the failed reconcile of the last object.
        tab.evaluate("document.getElementById('steps').focus()");
        tab.press_key("End");
        tab.press_key("ArrowDown");
        until(
            &mut tab,
            "document.querySelector('#panel h3')?.textContent.includes('failed after 1.5 ms')",
        );
        let log = tab.evaluate("document.querySelector('#panel pre').textContent");
        assert!(log.as_str().unwrap().contains("mine: javascript:"), "{log}");
        assert!(!log.as_str().unwrap().contains("mine: </pre>"), "{log}");
    });
}

#[test]
fn much_to_show_stays_smooth() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    run(|runtime| {
        let history = History::new();
        for index in 0..10_000 {
            history.object(change("foos", "Foo", &format!("a{index:05}"), "", "text"));
        }
        for index in 0..100_000 {
            let key = format!("foos.example.com/default/a{:05}", index % 10_000);
            let mut entry = Entry::new(Topic::Reconcile, key, "succeeded");
            entry.took = Some(100);
            history.add(entry.failed(index % 97 == 0));
        }
        let page = runtime.block_on(page(&history));
        let mut tab = browser.open(page.url(), View::DESKTOP);
        until(
            &mut tab,
            "document.getElementById('step-count').textContent === '100000' && document.getElementById('object-count').textContent === '10000'",
        );
        // Printed and not judged: another program may take the processor.
        let took = tab.evaluate(
            "new Promise(done => {
                const lists = ['tree', 'steps'].map(id => document.getElementById(id));
                const took = [];
                let last = 0;
                const step = (time) => {
                    if (last) took.push(time - last);
                    last = time;
                    if (took.length === 120) return done(took);
                    for (const it of lists) it.scrollTop = (took.length / 120) * it.scrollHeight * (took.length % 2 ? 1 : 0.9);
                    requestAnimationFrame(step);
                };
                requestAnimationFrame(step);
            })",
        );
        let frames = took.as_array().unwrap().iter();
        let longest = frames.map(|it| it.as_f64().unwrap()).fold(0.0, f64::max);
        println!("the longest frame while scrolling took {longest:.1} ms");
        // What keeps it smooth: only the rows in view have elements.
        assert!(
            tab.evaluate("document.querySelectorAll('.row').length")
                .as_u64()
                .unwrap()
                < 150
        );
        picture(&mut tab, "much");
        // The page learns of what is new, and forgets the oldest entries.
        tab.evaluate("document.getElementById('steps').scrollTop = 1e9");
        for index in 0..7_000 {
            history.note(&format!("note {index}"), false);
        }
        until(
            &mut tab,
            "document.getElementById('steps').textContent.includes('note 6999')",
        );
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}
