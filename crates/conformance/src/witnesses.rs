//! Tries objects that prove changes of CRDs with a real API server: each before and after the change.

use std::{
    fmt, fs,
    path::Path,
    time::{Duration, Instant},
};

use kube::Client;
use serde_json::{Value, json};
use testresult::TestResult;

use crate::objects::{create, establish, send};

/// How long a change of a CRD may take to have an effect.
const EFFECT: Duration = Duration::from_secs(10);

/// What a run has found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many objects the API server treats as they say.
    pub confirmed: usize,
    /// How many could not be tried: the API server refuses the CRD.
    pub skipped: usize,
    /// The others; each is printed with what the API server did.
    pub refuted: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (refuted, skipped) = (self.refuted, self.skipped);
        writeln!(
            f,
            "{} confirmed, {refuted} refuted, {skipped} not tried",
            self.confirmed
        )
    }
}

/// Tries the objects of a file, of which each line has `old`, `new`, `version` and `witness`.
///
/// # Errors
///
/// Fails if the server cannot be reached or the file cannot be read.
pub async fn run(client: &Client, namespace: &str, file: &Path) -> TestResult<Report> {
    let mut report = Report::default();
    for line in fs::read_to_string(file)?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let crd = Crd::new(&case, namespace)?;
        let outcome = crd.try_with(client, &case).await;
        crd.delete(client).await?;
        match outcome {
            Ok(Outcome::Confirmed) => report.confirmed += 1,
            Ok(Outcome::Skipped) => report.skipped += 1,
            Ok(Outcome::Refuted(why)) => {
                // A run may be stopped before its end.
                eprintln!(
                    "{} {} of {}: {why}\n  {}",
                    case["rule"], case["path"], crd.name, case["witness"]
                );
                report.refuted += 1;
            }
            Err(error) => return Err(format!("{}: {error:?}", crd.name).into()),
        }
        let done = report.confirmed + report.skipped + report.refuted;
        if done % 50 == 0 {
            eprintln!("{done} objects, {} refuted", report.refuted);
        }
    }
    Ok(report)
}

enum Outcome {
    Confirmed,
    Skipped,
    Refuted(String),
}

struct Crd {
    name: String,
    /// The path of the objects of the version.
    objects: String,
    has_status: bool,
}

impl Crd {
    fn new(case: &Value, namespace: &str) -> TestResult<Self> {
        let spec = &case["old"]["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, plural) = (text(&spec["group"]), text(&spec["names"]["plural"]));
        let version = text(&case["version"]);
        let place = match spec["scope"].as_str() {
            Some("Namespaced") => format!("namespaces/{namespace}/{plural}"),
            _ => plural.clone(),
        };
        let mut versions = spec["versions"].as_array().into_iter().flatten();
        let found = versions.find(|it| it["name"] == *version);
        Ok(Self {
            name: format!("{plural}.{group}"),
            objects: format!("/apis/{group}/{version}/{place}"),
            has_status: found
                .ok_or("no such version")?
                .pointer("/subresources/status")
                .is_some(),
        })
    }

    fn path(&self) -> String {
        format!(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}",
            self.name
        )
    }

    async fn try_with(&self, client: &Client, case: &Value) -> TestResult<Outcome> {
        let witness = &case["witness"];
        let object = &witness["object"];
        if !create(client, &case["old"]).await? {
            return Ok(Outcome::Skipped);
        }
        establish(client, &self.objects).await?;
        if witness.get("stored").is_some() {
            return self.try_update(client, case).await;
        }
        // The status is not written by a create.
        let is_status = self.has_status && object.get("status").is_some();
        let ratchets = witness["ratchets"].as_bool().filter(|_| !is_status);
        let before = self.send(client, object, is_status, false).await?;
        let expected = if witness["proves"] == "accepted" {
            before.0 == 422
        } else {
            matches!(before.0, 200 | 201)
        };
        if !expected {
            return Ok(Outcome::Refuted(format!("before: {}", before.1)));
        }
        if ratchets.is_some() {
            send(client, "POST", &self.objects, Some(object)).await?;
        }
        if !self.replace(client, &case["new"]).await? {
            return Ok(Outcome::Skipped);
        }
        let start = Instant::now();
        let why = loop {
            let after = self
                .send(client, object, is_status, ratchets.is_some())
                .await?;
            let why = judge(witness, &before.1, &after);
            if why.is_none() || start.elapsed() > EFFECT {
                break why;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        if let Some(why) = why {
            return Ok(Outcome::Refuted(why));
        }
        let Some(ratchets) = ratchets else {
            return Ok(Outcome::Confirmed);
        };
        let path = self.object(object);
        let (_, mut stored, _) = send(client, "GET", &path, None).await?;
        stored["metadata"]["labels"] = json!({"changed": "true"});
        let (status, answer, _) = send(client, "PUT", &path, Some(&stored)).await?;
        if (status == 200) == ratchets {
            return Ok(Outcome::Confirmed);
        }
        Ok(Outcome::Refuted(format!(
            "update: {status} {}",
            answer["message"]
        )))
    }

    /// Stores an object, and tries its update before and after the change.
    async fn try_update(&self, client: &Client, case: &Value) -> TestResult<Outcome> {
        let witness = &case["witness"];
        let (stored, update) = (&witness["stored"], &witness["object"]);
        let path = self.object(update);
        let (status, answer, _) = send(client, "POST", &self.objects, Some(stored)).await?;
        if status != 201 {
            let message = &answer["message"];
            return Ok(Outcome::Refuted(format!("stored: {status} {message}")));
        }
        if self.has_status && stored.get("status").is_some() {
            self.put(client, &format!("{path}/status"), stored).await?;
        }
        let is_status = self.has_status && stored["status"] != update["status"];
        let target = if is_status {
            format!("{path}/status?dryRun=All")
        } else {
            format!("{path}?dryRun=All")
        };
        let before = self.put(client, &target, update).await?;
        let expected = if witness["proves"] == "update-accepted" {
            422
        } else {
            200
        };
        if before.0 != expected {
            let (status, message) = (before.0, &before.1["message"]);
            return Ok(Outcome::Refuted(format!("before: {status} {message}")));
        }
        if !self.replace(client, &case["new"]).await? {
            return Ok(Outcome::Skipped);
        }
        let start = Instant::now();
        loop {
            let after = self.put(client, &target, update).await?;
            match judge(witness, &before.1, &after) {
                None => return Ok(Outcome::Confirmed),
                Some(why) if start.elapsed() > EFFECT => return Ok(Outcome::Refuted(why)),
                Some(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    /// Replaces a stored object.
    async fn put(&self, client: &Client, path: &str, object: &Value) -> TestResult<(u16, Value)> {
        let (_, stored, _) = send(client, "GET", &self.object(object), None).await?;
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
        let (status, answer, _) = send(client, "PUT", path, Some(&object)).await?;
        Ok((status, answer))
    }

    /// Returns the path of an object.
    fn object(&self, object: &Value) -> String {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        format!("{}/{name}", self.objects)
    }

    /// Sends an object without storing it: as a new one, beside a stored one of its name, or as a new status.
    async fn send(
        &self,
        client: &Client,
        object: &Value,
        is_status: bool,
        is_stored: bool,
    ) -> TestResult<(u16, Value)> {
        let mut object = object.clone();
        if is_status {
            let path = self.object(&object);
            send(client, "POST", &self.objects, Some(&object)).await?;
            let (_, stored, _) = send(client, "GET", &path, None).await?;
            object["metadata"] = stored["metadata"].clone();
            let path = format!("{path}/status?dryRun=All");
            let (status, answer, _) = send(client, "PUT", &path, Some(&object)).await?;
            return Ok((status, answer));
        }
        if is_stored && Self::is_name_free(&object) {
            object["metadata"]["name"] = json!("another");
        }
        let path = format!("{}?dryRun=All", self.objects);
        let (status, answer, _) = send(client, "POST", &path, Some(&object)).await?;
        Ok((status, answer))
    }

    /// Deletes the CRD and its objects, and waits until they are gone.
    async fn delete(&self, client: &Client) -> TestResult {
        for _ in 0..200 {
            let (status, _, _) = send(client, "DELETE", &self.path(), None).await?;
            if status == 404 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err(format!("{} is not deleted", self.name).into())
    }

    /// Returns whether an object may have another name: no rule demands this one.
    fn is_name_free(object: &Value) -> bool {
        object["metadata"]["name"] == "example"
    }

    async fn replace(&self, client: &Client, new: &Value) -> TestResult<bool> {
        for _ in 0..20 {
            let (_, mut stored, _) = send(client, "GET", &self.path(), None).await?;
            stored["spec"] = new["spec"].clone();
            if let Some(spec) = stored["spec"].as_object_mut() {
                spec.remove("conversion");
            }
            let (status, answer, _) = send(client, "PUT", &self.path(), Some(&stored)).await?;
            match status {
                200 => return Ok(true),
                409 => {}
                _ => {
                    eprintln!("refused: {}", answer["message"]);
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }
}

/// Returns what the API server does otherwise.
fn judge(witness: &Value, before: &Value, (status, answer): &(u16, Value)) -> Option<String> {
    let says = || Some(format!("after: {status} {}", answer["message"]));
    match witness["proves"].as_str() {
        Some("refused" | "update-refused") => {
            let causes = answer["details"]["causes"].as_array();
            let causes = causes.into_iter().flatten();
            let causes: Vec<String> = causes
                .filter_map(|it| {
                    Some(format!(
                        "{}: {}",
                        it["field"].as_str()?,
                        it["message"].as_str()?
                    ))
                })
                .collect();
            let messages = witness["messages"].as_array()?;
            // A write of the status names its fields, and itself, without `status` in some messages, or another field.
            let plain = |text: &str| {
                let text = text.replace(" status.", " ").replace("\"status.", "\"");
                let text = text.replace(" status in body", "  in body");
                let text = text.replace("\"status\" must", "\"\" must");
                let place = text
                    .strip_prefix("<nil>: ")
                    .or(text.strip_prefix("status: "));
                place.map_or(text.clone(), str::to_owned)
            };
            let known = messages
                .iter()
                .filter_map(Value::as_str)
                .all(|message| causes.iter().any(|it| plain(it) == plain(message)));
            if *status == 422 && known {
                None
            } else {
                says()
            }
        }
        Some("accepted" | "update-accepted") if matches!(status, 200 | 201) => None,
        Some("dropped" | "stored") if matches!(status, 200 | 201) && differ(before, answer) => None,
        _ => says(),
    }
}

/// Returns whether two stored objects differ in more than what every object has.
fn differ(before: &Value, after: &Value) -> bool {
    let plain = |object: &Value| {
        let mut object = object.clone();
        if let Some(fields) = object.as_object_mut() {
            fields.remove("metadata");
        }
        object
    };
    plain(before) != plain(after)
}
