//! Answers lists, objects and watch events as a `Table`, with the columns that `kubectl get` shows.

use k8s_openapi::jiff::Timestamp;
use kube_codegen_record::walk::{ColumnType, Path};
use serde_json::{Value, json};

use crate::{
    kinds::{
        builtin::{self, Cell},
        target::Target,
    },
    request::Query,
    values::{
        object::{at, map, put, text},
        status::{Answer, bad_request},
    },
};

/// The descriptions of two fields of the metadata.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// A column as clients see it, and its cells.
struct Column {
    name: String,
    kind: String,
    format: String,
    description: String,
    priority: i64,
    content: Content,
}

/// The content of a cell.
enum Content {
    /// Of a built-in kind.
    Cell(Cell),
    /// Of a definition.
    Path(ColumnType, Path),
}

impl Column {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: "string".to_owned(),
            format: String::new(),
            description: String::new(),
            priority: 0,
            content: Content::Cell(Cell::Field("")),
        }
    }

    /// The first column.
    fn name() -> Self {
        Self {
            format: "name".to_owned(),
            description: NAME.to_owned(),
            content: Content::Cell(Cell::Field("/metadata/name")),
            ..Self::new("Name")
        }
    }
}

/// What the rows of a table have besides their cells: the metadata of the object, nothing, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Metadata,
    None,
    Object,
}

impl Include {
    /// Reads the parameter `includeObject`.
    pub(crate) fn read(query: &Query) -> Answer<Self> {
        match query.get("includeObject") {
            None | Some("" | "Metadata") => Ok(Self::Metadata),
            Some("None") => Ok(Self::None),
            Some("Object") => Ok(Self::Object),
            Some(other) => Err(bad_request(&format!(
                "unrecognized includeObject value: {other:?}"
            ))),
        }
    }
}

/// Returns the objects as a table.
pub(crate) fn table(
    target: &Target,
    objects: &[Value],
    metadata: &Value,
    include: Include,
) -> Value {
    let columns = columns(target);
    let definitions: Vec<Value> = columns
        .iter()
        .map(|it| {
            json!({"name": it.name, "type": it.kind, "format": it.format, "description": it.description, "priority": it.priority})
        })
        .collect();
    let rows: Vec<Value> = objects
        .iter()
        .map(|object| {
            let cells: Vec<Value> = columns.iter().map(|it| cell(it, object)).collect();
            let included = match include {
                Include::Metadata => json!({
                    "apiVersion": "meta.k8s.io/v1",
                    "kind": "PartialObjectMetadata",
                    "metadata": at(object, "/metadata"),
                }),
                Include::None => Value::Null,
                Include::Object => {
                    let mut object = object.clone();
                    // The items of a list have none.
                    put(&mut object, "/apiVersion", target.api_version().into());
                    put(&mut object, "/kind", target.kind.kind.clone().into());
                    object
                }
            };
            json!({"cells": cells, "object": included})
        })
        .collect();
    // In a list alone, an empty token is written.
    let mut metadata = metadata.clone();
    map(&mut metadata).retain(|field, value| field != "continue" || *value != "");
    json!({
        "apiVersion": "meta.k8s.io/v1",
        "kind": "Table",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    })
}

fn columns(target: &Target) -> Vec<Column> {
    if target.kind.custom {
        return custom(target);
    }
    let strategy = builtin::strategy(&target.kind);
    let mut columns = Vec::new();
    if strategy.shows_name {
        columns.push(Column::name());
    }
    columns.extend(strategy.columns.iter().map(|(name, cell)| Column {
        content: Content::Cell(*cell),
        ..Column::new(name)
    }));
    let times = ["Age", "Created At", "Last Seen"];
    if !columns.iter().any(|it| times.contains(&it.name.as_str())) {
        columns.push(Column {
            content: Content::Cell(Cell::Computed(builtin::age)),
            ..Column::new("Age")
        });
    }
    columns
}

/// Returns the columns of a definition, up to one whose path a real server cannot read.
fn custom(target: &Target) -> Vec<Column> {
    let own = target.version().map(|it| it.columns.as_slice());
    let own = own.unwrap_or_default();
    let mut columns = vec![Column::name()];
    if own.is_empty() {
        columns.extend(
            Path::parse(".metadata.creationTimestamp").map(|path| Column {
                kind: "date".to_owned(),
                description: CREATED.to_owned(),
                content: Content::Path(ColumnType::Date, path),
                ..Column::new("Age")
            }),
        );
    }
    let read = |column: &Value| {
        let kind = text(column, "/type");
        let path = text(column, "/jsonPath");
        let description = match text(column, "/description") {
            "" => format!("Custom resource definition column (in JSONPath format): {path}"),
            text => text.to_owned(),
        };
        Some(Column {
            kind: kind.to_owned(),
            format: text(column, "/format").to_owned(),
            description,
            priority: at(column, "/priority").as_i64().unwrap_or_default(),
            content: Content::Path(ColumnType::named(kind)?, Path::parse(path).ok()?),
            ..Column::new(text(column, "/name"))
        })
    };
    columns.extend(own.iter().map_while(read));
    columns
}

fn cell(column: &Column, object: &Value) -> Value {
    match &column.content {
        Content::Cell(Cell::Computed(cell)) => cell(object).into(),
        Content::Path(type_, path) => type_.cell(path.find_in(object).first(), Timestamp::now()),
        Content::Cell(Cell::Field(pointer)) => match at(object, pointer) {
            value @ (Value::Number(_) | Value::Bool(_)) => value.to_string().into(),
            Value::Null if pointer.ends_with("Replicas") || pointer.contains("/number") => {
                "0".into()
            }
            Value::Null if *pointer == "/spec/clusterIP" => "<none>".into(),
            value => value.clone(),
        },
    }
}
