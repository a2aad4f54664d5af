//! The printer columns of a kind: headers and rows.
use jiff::Timestamp;

use super::{cell::cell, path::Path, table::Table};
use crate::value::Record;

/// A printer column of a CRD (`additionalPrinterColumns`).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Column {
    /// The header, which kubectl prints in capitals.
    pub name: &'static str,
    /// The type, which determines how the value is shown.
    pub type_: ColumnType,
    /// The `OpenAPI` format, which kubectl ignores.
    pub format: Option<&'static str>,
    /// The path to the value.
    pub json_path: &'static str,
    /// Above zero, only `-o wide` shows the column.
    pub priority: i32,
    /// The description in the CRD.
    pub description: Option<&'static str>,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text; shows any value.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A time, shown as its age.
    Date,
}

/// The columns of kinds without columns of their own, as in the API server.
const AGE: &[Column] = &[Column {
    name: "Age",
    type_: ColumnType::Date,
    format: None,
    json_path: ".metadata.creationTimestamp",
    priority: 0,
    description: None,
}];

/// A kind with printer columns. Generated for each kind of a CRD.
pub trait Columns: Record + Sized {
    /// The columns after NAME, as in the CRD.
    const COLUMNS: &'static [Column];

    /// Returns the headers as kubectl prints them, `NAME` first; with `wide`, those of `-o wide`.
    fn headers(wide: bool) -> Vec<String> {
        std::iter::once("NAME".to_owned())
            .chain(shown::<Self>(wide).map(|column| column.name.to_uppercase()))
            .collect()
    }

    /// Returns the settings of a table of such objects, as `kubectl get` prints it.
    fn table() -> Table<Self> {
        Table::plain()
    }

    /// Returns the cells of this object as kubectl prints them now. For many objects, a [`Table`] is cheaper.
    fn row(&self, wide: bool) -> Vec<String> {
        self.row_at(wide, Timestamp::now())
    }

    /// Returns the cells of this object as kubectl prints them at the time `now`.
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
pub(super) struct Row {
    name: Option<Path>,
    columns: Vec<(ColumnType, Option<Path>)>,
}

impl Row {
    pub(super) fn of<K: Columns>(wide: bool) -> Self {
        // As in the API server, an invalid path leaves its cells empty.
        let columns =
            shown::<K>(wide).map(|column| (column.type_, Path::parse(column.json_path).ok()));
        Self {
            name: Path::parse(".metadata.name").ok(),
            columns: columns.collect(),
        }
    }

    pub(super) fn cells(&self, record: &dyn Record, now: Timestamp) -> Vec<String> {
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
