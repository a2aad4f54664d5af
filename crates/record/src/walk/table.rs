//! Kinds with printer columns, and tables of their objects as `kubectl get` prints them.
use std::{
    borrow::{Borrow, Cow},
    marker::PhantomData,
};

use jiff::Timestamp;

use super::{
    cell::cell,
    column::{Column, ColumnType},
    path::Path,
};
use crate::value::Record;

/// The columns of kinds without columns of their own, as in the API server.
const AGE: &[Column] = &[Column {
    name: "Age",
    type_: ColumnType::Date,
    format: None,
    json_path: ".metadata.creationTimestamp",
    priority: 0,
    description: None,
}];

/// A kind with printer columns. Implemented for each kind generated from a CRD.
pub trait Columns: Record + Sized {
    /// The columns after NAME, as in the CRD.
    const COLUMNS: &'static [Column];

    /// Returns the headers as kubectl prints them, starting with `NAME`. With `wide`, includes the columns of `-o wide`.
    fn headers(wide: bool) -> Vec<String> {
        std::iter::once("NAME".to_owned())
            .chain(shown::<Self>(wide).map(|column| column.name.to_uppercase()))
            .collect()
    }

    /// Returns a [`Table`], which prints objects of this kind like `kubectl get`.
    fn table() -> Table<Self> {
        Table::plain()
    }

    /// Returns the cells of this object as kubectl would print them now. For many objects, use a [`Table`], which is faster.
    fn row(&self, wide: bool) -> Vec<String> {
        self.row_at(wide, Timestamp::now())
    }

    /// Returns the cells of this object as kubectl would print them at the time `now`.
    fn row_at(&self, wide: bool, now: Timestamp) -> Vec<String> {
        Row::of::<Self>(wide).cells(self, now)
    }
}

fn shown<K: Columns>(wide: bool) -> impl Iterator<Item = &'static Column> {
    let columns = if K::COLUMNS.is_empty() {
        AGE
    } else {
        K::COLUMNS
    };
    columns
        .iter()
        .filter(move |column| wide || column.priority == 0)
}

/// The columns of a row, with parsed paths.
struct Row {
    name: Option<Path>,
    columns: Vec<(ColumnType, Option<Path>)>,
}

impl Row {
    fn of<K: Columns>(wide: bool) -> Self {
        // As in the API server, an invalid path leaves its cells empty.
        let columns =
            shown::<K>(wide).map(|column| (column.type_, Path::parse(column.json_path).ok()));
        Self {
            name: Path::parse(".metadata.name").ok(),
            columns: columns.collect(),
        }
    }

    fn cells(&self, record: &dyn Record, now: Timestamp) -> Vec<String> {
        let of = |type_, path: Option<&Path>| {
            cell(
                type_,
                path.and_then(|path| path.first(record)).as_ref(),
                now,
            )
        };
        let name = std::iter::once(of(ColumnType::String, self.name.as_ref()));
        name.chain(
            self.columns
                .iter()
                .map(|(type_, path)| of(*type_, path.as_ref())),
        )
        .collect()
    }
}

/// The minimum width of a column, including the padding, and the padding, as in kubectl's tab writer.
const NARROWEST: usize = 6;
const PADDING: usize = 3;

/// Prints objects as a table; created by [`Columns::table`].
///
/// ```no_run
/// # use kube_codegen_record::walk::Columns;
/// # fn show<CrdKind: Columns>(kinds: Vec<CrdKind>) {
/// print!("{}", CrdKind::table().wide().print(&kinds));
/// # }
/// ```
#[derive(Debug)]
pub struct Table<K> {
    wide: bool,
    namespaces: bool,
    no_headers: bool,
    now: Option<Timestamp>,
    kind: PhantomData<fn(&K)>,
}

impl<K: Columns> Table<K> {
    pub(super) fn plain() -> Self {
        Self {
            wide: false,
            namespaces: false,
            no_headers: false,
            now: None,
            kind: PhantomData,
        }
    }

    /// Adds the columns of `-o wide`.
    #[must_use]
    pub fn wide(self) -> Self {
        Self { wide: true, ..self }
    }

    /// Adds a column with the namespaces, as `--all-namespaces` does.
    #[must_use]
    pub fn namespaces(self) -> Self {
        Self {
            namespaces: true,
            ..self
        }
    }

    /// Omits the headers, as `--no-headers` does.
    #[must_use]
    pub fn no_headers(self) -> Self {
        Self {
            no_headers: true,
            ..self
        }
    }

    /// Computes ages relative to `now` instead of the current time.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        Self {
            now: Some(now),
            ..self
        }
    }

    /// Returns the table of these objects, with a line break after each line; empty if there are no objects.
    pub fn print(&self, objects: impl IntoIterator<Item = impl Borrow<K>>) -> String {
        let now = self.now.unwrap_or_else(Timestamp::now);
        let row = Row::of::<K>(self.wide);
        let namespace = Path::parse(".metadata.namespace")
            .ok()
            .filter(|_| self.namespaces);
        let mut lines: Vec<Vec<String>> = Vec::new();
        if !self.no_headers {
            let namespace = self.namespaces.then(|| "NAMESPACE".to_owned());
            lines.push(namespace.into_iter().chain(K::headers(self.wide)).collect());
        }
        let headers = lines.len();
        for object in objects {
            let record = object.borrow();
            let namespace = namespace.as_ref().map(|path| {
                path.first(record)
                    .and_then(|node| node.as_text().map(Cow::into_owned))
                    .unwrap_or_default()
            });
            lines.push(
                namespace
                    .into_iter()
                    .chain(row.cells(record, now))
                    .map(|cell| on_one_line(&cell))
                    .collect(),
            );
        }
        if lines.len() == headers {
            String::new()
        } else {
            align(&lines)
        }
    }
}

/// Makes a cell safe for a terminal: cut after its first line, with visible control characters.
fn on_one_line(cell: &str) -> String {
    let (line, more) = cell
        .split_once(['\n', '\r', '\u{c}'])
        .map_or((cell, ""), |(line, _)| (line, "..."));
    let mut out = String::with_capacity(cell.len());
    for c in line.chars() {
        match c {
            '\u{1b}' => out.push_str("^["),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + more
}

/// Pads each cell but the last of a line to the width of its column.
fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let widest = lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max();
            (widest.unwrap_or(0) + PADDING).max(NARROWEST)
        })
        .collect();
    let mut out = String::new();
    for line in lines {
        for (column, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if column + 1 < line.len() {
                let padding = widths[column].saturating_sub(cell.chars().count());
                out.extend(std::iter::repeat_n(' ', padding));
            }
        }
        out.push('\n');
    }
    out
}
