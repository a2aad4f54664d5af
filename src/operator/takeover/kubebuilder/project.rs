//! Reads the file `PROJECT` of kubebuilder.
use serde_json::Value;

use crate::{
    base::{
        diag::{Code, Diagnostics, Place},
        options::Kubernetes,
        source::{Source, SourceId},
    },
    input::yaml,
};

/// The name of the file.
pub(super) const FILE: &str = "PROJECT";

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct ProjectFile {
    pub(super) name: Option<String>,
    /// The path of the Go module.
    pub(super) repo: Option<String>,
    pub(super) resources: Vec<Resource>,
    /// The version of Kubernetes in `go.mod` beside it: as it is there, and as the crate has it.
    pub(super) kubernetes: Option<(String, Kubernetes)>,
}

/// An entry of `resources`.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    /// Whether the project defines the kind.
    pub(super) has_api: bool,
    /// Whether a webhook converts its versions.
    pub(super) converts: bool,
    pub(super) at: Place,
}

impl ProjectFile {
    /// Reads the text of the file; problems are reported.
    pub(super) fn read(source: &Source, id: SourceId, found: &mut Diagnostics) -> Self {
        let documents = yaml::read(source, id, found);
        let Some(document) = documents.into_iter().next() else {
            if !found.has_errors() {
                let place = Place {
                    source: Some(id),
                    ..Place::default()
                };
                found.report(Code::Project, place, "the file is empty");
            }
            return Self::default();
        };
        let mut reader = ProjectReader {
            id,
            document: document.index,
            value: document.root.into_value(),
            found,
        };
        reader.file()
    }
}

struct ProjectReader<'d> {
    id: SourceId,
    document: usize,
    value: Value,
    found: &'d mut Diagnostics,
}

impl ProjectReader<'_> {
    fn at(&self, pointer: impl Into<String>) -> Place {
        Place {
            source: Some(self.id),
            document: self.document,
            pointer: pointer.into(),
            ..Place::default()
        }
    }

    fn report(&mut self, pointer: &str, message: impl Into<String>) {
        let place = self.at(pointer);
        self.found.report(Code::Project, place, message);
    }

    /// Returns a string, reporting a value of another type.
    fn text(&mut self, pointer: &str) -> Option<String> {
        match self.value.pointer(pointer) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                let key = pointer.rsplit('/').next().unwrap_or_default();
                self.report(pointer, format!("`{key}` is not a string"));
                None
            }
        }
    }

    fn file(&mut self) -> ProjectFile {
        if !self.value.is_object() {
            self.report("", "the file is not a map");
            return ProjectFile::default();
        }
        let version = match self.value.pointer("/version") {
            Some(Value::String(text)) => text.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            _ => String::new(),
        };
        if !matches!(version.as_str(), "2" | "3" | "3-alpha") {
            let message = match version.as_str() {
                "" => "the file has no `version`".to_owned(),
                other => format!("version `{}` of the file is unknown", other.escape_debug()),
            };
            let place = self.at("/version");
            let diagnostic = self.found.report(Code::Project, place, message);
            diagnostic.hint("versions 2 and 3 are known; kubebuilder upgrades older ones");
        }
        let domain = self.text("/domain");
        let mut file = ProjectFile {
            name: self.text("/projectName"),
            repo: self.text("/repo"),
            resources: Vec::new(),
            kubernetes: None,
        };
        let length = match self.value.pointer("/resources") {
            None | Some(Value::Null) => 0,
            Some(Value::Array(all)) => all.len(),
            Some(_) => {
                self.report("/resources", "`resources` is not a list");
                0
            }
        };
        for index in 0..length {
            let resource = self.resource(index, domain.as_deref(), version == "2");
            file.resources.extend(resource);
        }
        file
    }

    fn resource(&mut self, index: usize, domain: Option<&str>, is_v2: bool) -> Option<Resource> {
        let base = format!("/resources/{index}");
        if !self.value.pointer(&base).is_some_and(Value::is_object) {
            self.report(&base, "a resource is not a map");
            return None;
        }
        let kind = self.text(&format!("{base}/kind"));
        let version = self.text(&format!("{base}/version"));
        for (name, value) in [("kind", &kind), ("version", &version)] {
            if value.is_none() && self.value.pointer(&format!("{base}/{name}")).is_none() {
                self.report(&base, format!("the resource has no `{name}`"));
            }
        }
        let group = self.text(&format!("{base}/group")).unwrap_or_default();
        let is =
            |key: &str| self.value.pointer(&format!("{base}/{key}")) == Some(&Value::Bool(true));
        let (is_core, converts) = (is("core"), is("webhooks/conversion"));
        let has_api = if is_v2 {
            !is_core
        } else {
            self.value.pointer(&format!("{base}/api")).is_some()
        };
        let domain = match self.text(&format!("{base}/domain")) {
            Some(domain) => Some(domain),
            // Kinds of Kubernetes have no domain.
            None if is_core => None,
            None => domain.map(str::to_owned),
        };
        let group = match domain {
            _ if is_core && group == "core" => String::new(),
            Some(domain) if !domain.is_empty() && !group.is_empty() => format!("{group}.{domain}"),
            Some(domain) if group.is_empty() => domain,
            _ => group,
        };
        Some(Resource {
            group,
            version: version?,
            kind: kind?,
            has_api,
            converts,
            at: self.at(format!("{base}/kind")),
        })
    }
}
