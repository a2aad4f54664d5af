//! Drives a headless Chromium over a pair of pipes, for the tests of pages.
//!
//! | variable | meaning |
//! |---|---|
//! | `KUBE_CODEGEN_BROWSER` | `required`: a test without a browser fails; unset: it is reported as skipped |
//! | `KUBE_CODEGEN_CHROMIUM` | the program [default: `chromium`, `chromium-browser` or `google-chrome`] |
//! | `KUBE_CODEGEN_AXE` | the file `axe.min.js` of axe-core, which checks the accessibility of pages |
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "it serves tests, which fail by panicking"
)]

mod pipe;

use std::{
    env, fs,
    io::{self, Write as _},
    path::Path,
    process::Command,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use pipe::Pipe;

/// A running browser, which ends with this value.
pub struct Browser {
    pipe: Pipe,
}

/// A tab.
pub struct Page<'b> {
    pipe: &'b mut Pipe,
    session: String,
}

/// How a page is shown.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The width in CSS pixels.
    pub width: u32,
    /// The height in CSS pixels.
    pub height: u32,
    /// Whether the system prefers dark colors.
    pub dark: bool,
    /// Whether the page is shown as it is printed.
    pub print: bool,
}

impl View {
    /// A window of a desktop computer, in light colors.
    pub const DESKTOP: Self = Self {
        width: 1280,
        height: 900,
        dark: false,
        print: false,
    };
    /// A desktop of someone who prefers dark colours.
    pub const DARK: Self = Self {
        dark: true,
        ..Self::DESKTOP
    };
    /// A small phone.
    pub const PHONE: Self = Self {
        width: 360,
        height: 740,
        ..Self::DESKTOP
    };
}

impl Browser {
    /// Starts a browser. Without one, the test is reported as skipped, and there is none.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            let required = env::var("KUBE_CODEGEN_BROWSER").is_ok_and(|it| it == "required");
            assert!(
                !required,
                "no Chromium was found; install the package `chromium`"
            );
            // `eprintln!` is captured by the test harness.
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("a test");
            _ = writeln!(
                io::stderr(),
                "SKIPPED {name}: no Chromium; install the package `chromium`"
            );
            return None;
        };
        Some(Self {
            pipe: Pipe::start(&program),
        })
    }

    /// Opens a URL in a new tab, and waits until it is loaded.
    pub fn open(&mut self, url: &str, view: View) -> Page<'_> {
        let pipe = &mut self.pipe;
        let target = pipe.call(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = pipe.call(None, "Target.attachToTarget", &attach)["sessionId"].clone();
        let session = session.as_str().unwrap().to_owned();
        pipe.events.clear();
        let mut page = Page { pipe, session };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.show(view);
        page.go(url);
        page
    }
}

impl Page<'_> {
    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.pipe.call(Some(&self.session), method, params)
    }

    /// Changes how the page is shown.
    pub fn show(&mut self, view: View) {
        let size = json!({"width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": view.width < 500});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let scheme = if view.dark { "dark" } else { "light" };
        let media = json!({
            "media": if view.print { "print" } else { "" },
            "features": [{"name": "prefers-color-scheme", "value": scheme}],
        });
        self.call("Emulation.setEmulatedMedia", &media);
    }

    /// Goes to a URL, and waits until it is loaded.
    pub fn go(&mut self, url: &str) {
        let answer = self.call("Page.navigate", &json!({"url": url}));
        assert_eq!(answer["errorText"], Value::Null, "{url}");
        // A fragment of the same document loads nothing.
        if answer["loaderId"].is_string() {
            self.pipe.wait("Page.loadEventFired");
        }
    }

    /// Evaluates an expression; if it is a promise, waits for its value.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &params);
        let exception = &answer["exceptionDetails"];
        assert!(exception.is_null(), "{expression}: {exception}");
        answer["result"]["value"].clone()
    }

    /// Presses keys of letters, digits and signs, one after the other.
    pub fn press(&mut self, text: &str) {
        for letter in text.chars() {
            let key = letter.to_string();
            self.call(
                "Input.dispatchKeyEvent",
                &json!({"type": "keyDown", "key": key, "text": key}),
            );
            self.call(
                "Input.dispatchKeyEvent",
                &json!({"type": "keyUp", "key": key}),
            );
        }
    }

    /// Presses a key by its name, such as `Enter`.
    pub fn press_key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            other => panic!("the key {other} has no code here"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        let down = json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
        self.call("Input.dispatchKeyEvent", &down);
        let up = json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", &up);
    }

    /// Writes what the page shows, or all of it, as a PNG.
    pub fn screenshot(&mut self, path: &Path, whole: bool) {
        let params = json!({"format": "png", "captureBeyondViewport": whole});
        let answer = self.call("Page.captureScreenshot", &params);
        let png = BASE64_STANDARD
            .decode(answer["data"].as_str().unwrap())
            .unwrap();
        fs::write(path, png).unwrap();
    }

    /// Returns how far the page can be scrolled to the right, in pixels.
    pub fn overflow(&mut self) -> i64 {
        let answer = self.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        answer.as_i64().unwrap()
    }

    /// Returns the errors in the console since the page was opened: exceptions, messages, and what the policy of the page rejected.
    pub fn errors(&mut self) -> Vec<String> {
        let events = self.pipe.events.iter();
        let errors = events.filter_map(|event| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" if params["type"] == "error" => {
                    Some(params["args"].to_string())
                }
                "Log.entryAdded" if params["entry"]["level"] == "error" => {
                    Some(params["entry"].to_string())
                }
                _ => None,
            }
        });
        errors.collect()
    }

    /// Returns the URLs that the page has requested since it was opened.
    pub fn requests(&self) -> Vec<String> {
        let events = self.pipe.events.iter();
        let requests = events.filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = requests.filter_map(|event| event["params"]["request"]["url"].as_str());
        urls.map(str::to_owned).collect()
    }

    /// Returns the violations of accessibility that axe-core calls serious or critical; none without axe-core, which
    /// `KUBE_CODEGEN_BROWSER=required` rejects.
    pub fn axe(&mut self) -> Vec<String> {
        let Some(path) = env::var_os("KUBE_CODEGEN_AXE") else {
            let required = env::var("KUBE_CODEGEN_BROWSER").is_ok_and(|it| it == "required");
            assert!(
                !required,
                "KUBE_CODEGEN_AXE is not set to axe.min.js of axe-core"
            );
            _ = writeln!(
                io::stderr(),
                "SKIPPED accessibility: KUBE_CODEGEN_AXE is not set"
            );
            return Vec::new();
        };
        let script = fs::read_to_string(path).expect("axe.min.js of KUBE_CODEGEN_AXE");
        self.evaluate(&format!("{script};0"));
        let found = self.evaluate(
            "axe.run({preload: false}).then(result => result.violations
                .filter(it => it.impact === 'serious' || it.impact === 'critical')
                .map(it => `${it.id}: ${it.nodes.slice(0, 5).map(node => `${node.html} ${node.failureSummary}`).join(' | ')}`))",
        );
        let found = found.as_array().unwrap().iter();
        found.map(|it| it.as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.call("Page.close", &json!({}));
        }
    }
}

/// Returns the program of the browser, if there is one.
fn program() -> Option<String> {
    let chosen = env::var("KUBE_CODEGEN_CHROMIUM").ok();
    let known = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let mut programs = chosen.into_iter().chain(known);
    programs.find(|program| {
        let version = Command::new(program).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}
