//! The printer columns of a kind: constants in, headers and rows out.
use super::cell::cell;
use super::path::Path;
use super::table::Table;
use crate::Record;
use jiff::Timestamp;

/// A printer column of a CRD (`additionalPrinterColumns`).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Column {
    /// The header, before it is put in capitals.
    pub name: &'static str,
    /// How the value is shown.
    pub type_: ColumnType,
    /// The `OpenAPI` format, which nobody shows.
    pub format: Option<&'static str>,
    /// Where the value is found.
    pub json_path: &'static str,
    /// Above zero, the column is shown by `-o wide` alone.
    pub priority: i32,
    /// For readers of the CRD.
    pub description: Option<&'static str>,
}

/// How the value of a column is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ColumnType {
    /// As text, whatever it is.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A time, as its age.
    Date,
}

/// What the API server shows of kinds without columns of their own.
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
    /// The columns behind NAME, as in the CRD.
    const COLUMNS: &'static [Column];

    /// The headers as kubectl prints them: `NAME` first; with `wide`, those of `-o wide` too.
    fn headers(wide: bool) -> Vec<String> {
        std::iter::once("NAME".to_owned())
            .chain(shown::<Self>(wide).map(|column| column.name.to_uppercase()))
            .collect()
    }

    /// A table of objects of this kind, as `kubectl get` prints it.
    fn table() -> Table<Self> {
        Table::plain()
    }

    /// The cells of this object as kubectl prints them, at this time. A [`Table`] is cheaper for many.
    fn row(&self, wide: bool) -> Vec<String> {
        self.row_at(wide, Timestamp::now())
    }

    /// The cells of this object as kubectl prints them at the time `now`, which ages are counted to.
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

/// The columns of a row, their paths parsed.
pub(super) struct Row {
    name: Option<Path>,
    columns: Vec<(ColumnType, Option<Path>)>,
}

impl Row {
    pub(super) fn of<K: Columns>(wide: bool) -> Self {
        // A path that does not parse leaves its cells empty, as on the API server.
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
