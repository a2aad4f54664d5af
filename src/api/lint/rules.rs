//! The table of rules: the name of each, its level unless the user sets another one, what is wrong, what to do about it, and who says so.
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::api::rule_table::rule_table;

/// How bad a finding is, the least first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    Serialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// The rule is not checked.
    Off,
    /// Worth knowing.
    Note,
    /// Against the conventions.
    Warning,
    /// Sure to cause trouble.
    Error,
}

impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Conventions of the Kubernetes API.
const CONVENTIONS: &str = "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md";

/// The linter for APIs that are written in Go.
const LINTER: &str = "https://github.com/kubernetes-sigs/kube-api-linter/blob/main/docs/linters.md";

macro_rules! rules {
    ($($rule:ident $name:literal $level:ident: $means:literal, $advice:literal, $source:ident $anchor:literal;)*) => {
        rule_table! {
            /// A rule of good practice.
            $($rule $name $level: $means, $advice;)*
        }

        impl Rule {
            /// Returns the address of the page that asks for it.
            pub(crate) fn source(self) -> String {
                match self { $(Self::$rule => format!("{}#{}", $source, $anchor),)* }
            }
        }
    };
}

rules! {
    MissingDescription "missing-description" Warning: "the field has no description",
        "say what it is for: `kubectl explain` and generated code show it", LINTER "commentstart";
    Boolean "boolean" Note: "a boolean can never have a third value",
        "use an enum of words, such as `Enabled` and `Disabled`", CONVENTIONS "primitive-types";
    Float "float" Warning: "floats are not exact, and clients round them differently",
        "use an integer, a quantity, or a text", LINTER "nofloats";
    IntegerFormat "integer-format" Note: "an integer without `format: int32` or `int64` has no defined width",
        "add the format", LINTER "integers";
    Unbounded "unbounded" Warning: "a rule (CEL) applies below a list, map or text without a limit, which raises its estimated cost",
        "add `maxItems`, `maxProperties` or `maxLength`", LINTER "maxlength";
    ListType "list-type" Warning: "a list of objects has no `x-kubernetes-list-type`: server-side apply replaces it as a whole",
        "set it to `map` with its keys, or to `atomic`", LINTER "ssatags";
    MapOfObjects "map-of-objects" Note: "a map of objects is harder to describe and to merge than a list with keys",
        "use a list with `x-kubernetes-list-type: map`", CONVENTIONS "lists-of-named-subobjects-preferred-over-maps";
    Nullable "nullable" Note: "absent and null would mean two things",
        "leave `nullable` out, and omit the field instead", LINTER "nonullable";
    AnyJson "any-json" Note: "undeclared fields are kept and never validated",
        "declare the fields", CONVENTIONS "objects";
    StatusSubresource "status-subresource" Warning: "the kind has a status, and no status subresource: users and controllers overwrite each other",
        "add `subresources: {status: {}}`", LINTER "statussubresource";
    Conditions "conditions" Warning: "the status has no conditions",
        "add `conditions`, a list of Kubernetes' `Condition`", CONVENTIONS "typical-status-properties";
    ConditionsKey "conditions-key" Warning: "conditions are not a list with the key `type`: two controllers overwrite each other's",
        "add `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys: [type]`", LINTER "conditions";
    ObservedGeneration "observed-generation" Note: "the status does not say which generation of the spec it describes",
        "add `observedGeneration`, an int64, to the status or to its conditions", CONVENTIONS "typical-status-properties";
    StatusRequired "status-required" Warning: "the status with a required field rejects every partial write",
        "make the field optional", LINTER "statusoptional";
    Phase "phase" Note: "a phase is one state where conditions can say several, and new ones break clients",
        "use conditions", LINTER "nophase";
    EnumCase "enum-case" Warning: "enum values are not in CamelCase",
        "write them as `ClusterIP`, and initialisms in capitals", CONVENTIONS "constants";
    FieldCase "field-case" Warning: "the name is not in lower camel case",
        "write it as `clusterName`", CONVENTIONS "naming-conventions";
    Unit "unit" Warning: "the name of a number that is a duration does not have its unit",
        "end it in `Seconds` or `Milliseconds`", CONVENTIONS "units";
    TimeName "time-name" Note: "the name of a time does not end in `Time`",
        "write it as `startTime`", LINTER "notimestamp";
    ReferenceText "reference-text" Note: "a reference that is a text cannot grow a group, a kind or a namespace",
        "use an object with `name`, or end the field's name in `Name`", CONVENTIONS "object-references";
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).map_err(|nearest| {
            let hint = match nearest {
                Some(near) => format!("did you mean `{near}`?"),
                None => "docs/lint.md lists the rules".to_owned(),
            };
            format!("unknown rule `{}`; {hint}", text.escape_debug())
        })
    }
}
