//! What is wrong with a definition or a schema: the rule, the place, and the server's words.

use serde_json::Value;

use super::Path;
use crate::cause::{Cause, Reason};

/// A rule for definitions or their schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A required field of the definition, outside its schemas, has a value.
    Missing,
    /// A name has the form of its place: a DNS subdomain, or a DNS label that starts with a letter.
    Name,
    /// The group has a dot.
    GroupDomain,
    /// The definition is named after its plural and group.
    NameMismatch,
    /// The name of a definition is not generated.
    GeneratedName,
    /// The key of a label is a qualified name.
    LabelKey,
    /// The value of a label is short and plain.
    LabelValue,
    /// The key of an annotation is a qualified name.
    AnnotationKey,
    /// The annotations are not too large together.
    AnnotationsSize,
    /// A finalizer is a qualified name.
    Finalizer,
    /// A group of the Kubernetes project has an approval.
    Approval,
    /// `kind` and `listKind` differ.
    SameKind,
    /// The scope is known.
    Scope,
    /// `preserveUnknownFields` is not true.
    PreservedFields,
    /// The names of versions are unique.
    VersionTwice,
    /// One version is stored.
    Storage,
    /// A version has a schema.
    NoSchema,
    /// Only a deprecated version has a deprecation warning.
    WarningOfCurrent,
    /// A deprecation warning is short.
    LongWarning,
    /// A deprecation warning is not empty.
    EmptyWarning,
    /// A deprecation warning can be printed.
    HiddenInWarning,
    /// The paths of a scale are below `.spec` or `.status`.
    ScalePath,
    /// The type of a column is known.
    ColumnType,
    /// The format of a column is known.
    ColumnFormat,
    /// The path of a column starts with a dot.
    ColumnPath,
    /// A selectable field is declared.
    SelectablePath,
    /// A selectable field is not in the metadata.
    SelectableMetadata,
    /// A selectable field is a string, an integer or a boolean.
    SelectableType,
    /// A selectable field is listed once.
    SelectableTwice,
    /// A version has few selectable fields.
    TooManySelectable,
    /// The strategy of the conversion is known.
    Strategy,
    /// Only the strategy `Webhook` has a webhook.
    UnusedWebhook,
    /// The strategy `Webhook` has a webhook.
    NoWebhook,
    /// A webhook has a URL or a Service.
    WebhookTarget,
    /// The server can call the URL of a webhook.
    WebhookUrl,
    /// The Service of a webhook has a name and a namespace.
    WebhookService,
    /// The port of a webhook is a port.
    WebhookPort,
    /// The parts of a webhook's path are DNS subdomains.
    WebhookPath,
    /// A webhook lists versions of reviews.
    NoReviews,
    /// A webhook lists a version of reviews that the server sends.
    UnknownReviews,
    /// The version of a review is the name of a version.
    ReviewName,
    /// The version of a review is listed once.
    ReviewTwice,
    /// A keyword that the root cannot have.
    AtRoot,
    /// A keyword that the root cannot have beside the status subresource.
    BesideStatus,
    /// The root is an object.
    RootType,
    /// Each node has a type.
    NoType,
    /// The type is known.
    UnknownType,
    /// A list declares its items.
    NoItems,
    /// A keyword that no schema of a definition has.
    Unsupported,
    /// `additionalProperties` and `properties` exclude each other.
    ClosedProperties,
    /// `uniqueItems` cannot be true.
    UniqueItems,
    /// An embedded resource is an object.
    EmbeddedType,
    /// An embedded resource has no `additionalProperties`.
    EmbeddedValues,
    /// An embedded resource declares properties or preserves unknown fields.
    EmbeddedEmpty,
    /// The metadata of an object has no embedded resource.
    EmbeddedInMetadata,
    /// `apiVersion` and `kind` are strings, `metadata` is an object.
    FixedType,
    /// `metadata` of the root restricts `name` and `generateName` only.
    Metadata,
    /// A keyword that branches of `allOf`, `anyOf`, `oneOf` and `not` cannot have.
    InBranch,
    /// A branch does not restrict `metadata`.
    MetadataInBranch,
    /// A branch of the root restricts only what is declared.
    Undeclared,
    /// A pattern compiles in Go.
    Pattern,
    /// `x-kubernetes-preserve-unknown-fields` is not false.
    PreserveFalse,
    /// A keyword that excludes `x-kubernetes-int-or-string`.
    IntOrString,
    /// The map type is known.
    MapType,
    /// Only an object has a map type.
    MapTypeOf,
    /// The list type is known.
    ListType,
    /// Only a list has a list type.
    ListTypeOf,
    /// The items of a set are atomic.
    SetItems,
    /// The items of a set or a map are not nullable.
    NullableItems,
    /// Only a list of type map has keys.
    KeysOf,
    /// A list of type map has keys.
    NoKeys,
    /// The items of a list of type map are objects.
    MapItems,
    /// A key is listed once.
    KeyTwice,
    /// A key is a property of the items.
    KeyUndeclared,
    /// A key is a scalar.
    KeyType,
    /// A key is required or has a default.
    KeyOptional,
    /// A key is not nullable.
    KeyNullable,
    /// A validation has a rule.
    NoRule,
    /// A message is not blank.
    BlankMessage,
    /// A message is one line.
    LongMessage,
    /// A rule of several lines has a message.
    NoMessage,
    /// A message expression is not blank.
    BlankExpression,
    /// A reason is known.
    RuleReason,
    /// A field path is not blank.
    BlankFieldPath,
    /// A field path is one line.
    LongFieldPath,
    /// `apiVersion`, `kind` and `metadata` of the root have no default.
    DefaultInMetadata,
    /// A default is valid, and the schema declares its fields.
    Default,
    /// A default fulfils the rules of its schema.
    DefaultRules,
}

/// The parts of the server's validation: some are left out if there is a violation of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Whole,
    Root,
    Structure,
    Defaults,
    Keywords,
}

/// A part of a definition or a schema that breaks a rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The JSON pointer, below the definition or the schema, of the field or value that breaks it. It may be absent there.
    pub pointer: String,
    /// What is wrong with a pattern, a default or a number of values; empty for other rules.
    pub why: String,
    stage: Stage,
    /// What the server says; nothing if it reports several at once, or has the rule for every kind.
    said: Option<Said>,
}

/// What the server says about a violation.
#[derive(Clone, Debug)]
struct Said {
    field: String,
    reason: Reason,
    message: String,
    /// A second path that ends the text, below the schema.
    other: Option<String>,
}

/// The violations of a definition or a schema.
#[derive(Clone, Debug, Default)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Returns all of them, also those that the server does not look for because of others.
    pub fn all(&self) -> &[Violation] {
        &self.0
    }

    /// Returns what the server reports, in its order, for a schema at `path`; for a definition, the path is empty.
    pub fn causes(&self, path: &str) -> Vec<Cause> {
        let located = self.located(path).into_iter();
        located.map(|(_, cause)| cause).collect()
    }

    /// As [`causes`](Self::causes), each after the JSON pointer of its place.
    pub(super) fn located(&self, path: &str) -> Vec<(String, Cause)> {
        let of = |stage| self.0.iter().filter(move |it| it.stage == stage);
        let causes = |stage| {
            of(stage)
                .filter_map(|it| Some((it.pointer.clone(), it.cause(path)?)))
                .collect::<Vec<_>>()
        };
        let mut all = causes(Stage::Whole);
        all.extend(causes(Stage::Root));
        // A schema with these cannot be read as a structural one.
        let is_readable = of(Stage::Keywords)
            .all(|it| !matches!(it.rule, Rule::Unsupported | Rule::PreserveFalse));
        if is_readable {
            let mut structure = causes(Stage::Structure);
            structure.sort_by_cached_key(|(_, cause)| cause.to_string());
            if structure.is_empty() {
                structure = causes(Stage::Defaults);
            }
            all.extend(structure);
        }
        all.extend(causes(Stage::Keywords));
        all
    }

    /// Adds a violation; the place where the server reports it follows.
    pub(super) fn add(&mut self, stage: Stage, rule: Rule, at: &Path<'_>) -> &mut Violation {
        let index = self.0.len();
        self.0.push(Violation {
            rule,
            pointer: at.pointer(),
            why: String::new(),
            stage,
            said: None,
        });
        &mut self.0[index]
    }

    /// Adds a violation outside the schemas.
    pub(super) fn whole(&mut self, rule: Rule, at: &Path<'_>) -> &mut Violation {
        self.add(Stage::Whole, rule, at)
    }

    /// Adds a missing field outside the schemas.
    pub(super) fn missing(&mut self, at: &Path<'_>, detail: &str) {
        self.whole(Rule::Missing, at).required(at, detail);
    }

    /// Adds a wrong value outside the schemas.
    pub(super) fn reject(
        &mut self,
        rule: Rule,
        at: &Path<'_>,
        value: impl Into<Value>,
        detail: &str,
    ) {
        self.whole(rule, at).invalid(at, &value.into(), detail);
    }

    /// Leaves out what the server says about the violations from an index on: it has reported the same before.
    pub(super) fn unsay(&mut self, first: usize) {
        for violation in self.0.iter_mut().skip(first) {
            violation.said = None;
        }
    }
}

impl Violation {
    fn cause(&self, path: &str) -> Option<Cause> {
        let said = self.said.as_ref()?;
        let other = said.other.as_ref();
        let other = other.map_or_else(String::new, |other| format!("{path}{other}"));
        let field = format!("{path}{}", said.field);
        let field = field.strip_prefix('.').unwrap_or(&field);
        let message = format!("{}{other}", said.message);
        Some(Cause::with_message(field, said.reason, message))
    }

    pub(super) fn say(
        &mut self,
        at: &Path<'_>,
        reason: Reason,
        value: &str,
        detail: &str,
    ) -> &mut Self {
        let cause = Cause::new("", reason, value, detail);
        self.as_cause(at.field(), &cause)
    }

    pub(super) fn required(&mut self, at: &Path<'_>, detail: &str) -> &mut Self {
        self.say(at, Reason::Required, "", detail)
    }

    pub(super) fn forbidden(&mut self, at: &Path<'_>, detail: &str) {
        self.say(at, Reason::Forbidden, "", detail);
    }

    pub(super) fn invalid(&mut self, at: &Path<'_>, value: &Value, detail: &str) -> &mut Self {
        self.say(at, Reason::Invalid, &value.to_string(), detail)
    }

    pub(super) fn unsupported(&mut self, at: &Path<'_>, value: &str, known: &[&str]) {
        let value = Value::from(value).to_string();
        let known: Vec<String> = known.iter().map(|it| format!("{it:?}")).collect();
        let detail = format!("supported values: {}", known.join(", "));
        self.say(at, Reason::NotSupported, &value, &detail);
    }

    /// Takes what the server says about a value in a default.
    pub(super) fn as_cause(&mut self, field: String, cause: &Cause) -> &mut Self {
        self.said = Some(Said {
            field,
            reason: cause.reason,
            message: cause.message.clone(),
            other: None,
        });
        self
    }

    /// Ends the text with a path.
    pub(super) fn in_other(&mut self, other: &Path<'_>) {
        if let Some(said) = &mut self.said {
            said.other = Some(other.field());
        }
    }
}
