//! A printer column as the CRD describes it.

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
    /// The priority. If it is above zero, only `-o wide` shows the column.
    pub priority: i32,
    /// The description in the CRD.
    pub description: Option<&'static str>,
}

impl ColumnType {
    /// Returns the type with this name in a CRD.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "number" => Some(Self::Number),
            "boolean" => Some(Self::Boolean),
            "date" => Some(Self::Date),
            _ => None,
        }
    }
}

impl Column {
    /// Creates a column that `kubectl get` always shows, without a format or description.
    pub const fn new(name: &'static str, type_: ColumnType, json_path: &'static str) -> Self {
        Self {
            name,
            type_,
            format: None,
            json_path,
            priority: 0,
            description: None,
        }
    }

    /// Sets the `OpenAPI` format.
    #[must_use]
    pub const fn with_format(self, format: &'static str) -> Self {
        Self {
            format: Some(format),
            ..self
        }
    }

    /// Sets the priority. If it is above zero, only `-o wide` shows the column.
    #[must_use]
    pub const fn with_priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// Sets the description.
    #[must_use]
    pub const fn with_description(self, description: &'static str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }
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
