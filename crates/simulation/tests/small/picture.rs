//! The picture of a failure in a browser: readable in all sizes, accessible, usable by keyboard, and nothing from elsewhere.
use std::{env, fs};

use kube_codegen_browser::{Browser, View};
use serde_json::json;

use super::world;

#[test]
fn a_picture_of_a_failure_is_usable() {
    let found = world(true, &["a", "b"]).explore().unwrap_err();
    let picture = found.picture();
    // Above the steps is what the report says.
    for text in [
        "metadata.labels.text",
        "What must hold",
        "Likely cause",
        "class=\"bolt\"",
        "(changes metadata.labels",
    ] {
        assert!(picture.contains(text), "{text} is not in the picture");
    }
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let directory = env::temp_dir().join(format!("picture-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("failure.html");
    fs::write(&file, picture).unwrap();
    let mut page = browser.open(&format!("file://{}", file.display()), View::DESKTOP);
    assert_eq!(page.errors(), Vec::<String>::new());
    assert_eq!(page.requests().len(), 1, "{:?}", page.requests());
    page.press("f");
    let current = "document.querySelector('.step.current').className";
    assert!(page.evaluate(current).as_str().unwrap().contains("fault"));
    page.press("p");
    let parting = page.evaluate("document.querySelectorAll('.step.parting').length");
    assert_eq!(parting, json!(1));
    let before =
        page.evaluate("[...document.querySelectorAll('.step')].indexOf(document.activeElement)");
    page.press_key("ArrowDown");
    let after =
        page.evaluate("[...document.querySelectorAll('.step')].indexOf(document.activeElement)");
    assert_eq!(after.as_i64(), before.as_i64().map(|it| it + 1));
    // Both runs have the lanes of user, operator, cache and server.
    let lanes = page.evaluate(
        "document.querySelectorAll('.step > svg.left')[0].querySelectorAll('.lane').length",
    );
    assert!(lanes.as_u64().unwrap() >= 4, "{lanes}");
    let views = [
        ("light", View::DESKTOP),
        ("dark", View::DARK),
        ("phone", View::PHONE),
    ];
    for (name, view) in views {
        page.show(view);
        assert_eq!(page.overflow(), 0, "{name}");
        assert_eq!(page.axe(), Vec::<String>::new(), "{name}");
        if let Some(pictures) = env::var_os("KUBE_CODEGEN_PICTURES") {
            let file = format!("failure-{name}.png");
            page.screenshot(&std::path::Path::new(&pictures).join(file), true);
        }
    }
    drop(page);
    fs::remove_dir_all(directory).unwrap();
}
