//! The codes of findings: one table gives severity and title; `explain/` holds a page on each.
use super::Severity;

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $title:literal;)*) => {
        /// What kind of finding it is; `kube-codegen explain CODE` tells more.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as it is shown, as `KC0101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The code of that text, in either case.
            pub fn named(text: &str) -> Option<Self> {
                Self::ALL.iter().find(|code| code.as_str().eq_ignore_ascii_case(text)).copied()
            }

            /// How grave a finding of this code is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What it means, why it matters and how to mend it, with an example: Markdown.
            pub fn explain(self) -> &'static str {
                match self { $(Self::$name => include_str!(concat!("explain/", $code, ".md")),)* }
            }
        }
    };
}

// KC01: text · KC02: a CRD outside its schemas · KC03: schemas · KC04: lowering · KC05: options · KC06: output
codes! {
    Syntax "KC0101" Error "the input is not well-formed YAML or JSON";
    DuplicateKey "KC0102" Warning "a key is written twice in one map";
    TooDeep "KC0103" Error "lists and maps lie too deep in one another";
    AliasLimit "KC0104" Error "aliases make the document too large";
    Unsupported "KC0105" Error "YAML that JSON has no value for";
    EmptySource "KC0106" Warning "an input without a document";
    NoCrd "KC0107" Error "no CustomResourceDefinition in the input";
    OtherKind "KC0108" Warning "a document of another kind";
    YamlSpelling "KC0109" Warning "a word or number that Kubernetes' YAML reads as something else";

    MissingField "KC0201" Error "a field that a CRD must have is missing";
    WrongType "KC0202" Error "a field of a CRD has a value of the wrong type";
    DuplicateVersion "KC0203" Error "a version is declared twice";
    InvalidName "KC0204" Error "a name that Kubernetes does not allow";
    NameMismatch "KC0205" Error "the CRD's name is not its plural and group";
    StorageVersion "KC0206" Error "not exactly one storage version";
    InvalidScope "KC0207" Error "an unknown scope";
    UnsupportedApi "KC0208" Error "a CRD of an unknown API version";
    DuplicateCrd "KC0209" Error "two different CRDs of one name";
    RepeatedCrd "KC0210" Warning "the same CRD twice";
    KindClash "KC0211" Error "two CRDs of one group and kind";
    InvalidColumn "KC0212" Error "a printer column of an unknown type";
    InvalidPath "KC0213" Error "a JSON path that the API server does not take";
    SelectableField "KC0214" Error "a selectable field that the schema does not have";
    NotServed "KC0215" Warning "a CRD without a served version";
    UnknownField "KC0216" Warning "a field that the API does not have";
    LegacyApi "KC0217" Warning "a CRD of apiextensions.k8s.io/v1beta1";

    UnknownType "KC0301" Error "an unknown type in a schema";
    KeywordType "KC0302" Error "a schema keyword has a value of the wrong type";
    RequiredUndeclared "KC0303" Warning "a property that is required or constrained, but not declared";
    MissingSchema "KC0304" Error "a version without a schema";
    RootType "KC0305" Error "the root of a schema is no object";

    RawJson "KC0401" Warning "a part of a schema that becomes raw JSON";
    LeftoverKeyword "KC0402" Warning "a keyword that means nothing at its place";
    PlainEnum "KC0403" Warning "an enum that is no Rust enum";
    ServerRules "KC0404" Note "what a schema says of fields that every object has";
    NearMiss "KC0405" Note "a type of Kubernetes, but for one thing";

    OverrideUnmatched "KC0501" Error "an override that matches nothing";
    OverrideInvalid "KC0502" Error "an override that its place cannot have";
    NameTaken "KC0503" Error "a type name that is taken";
    UnknownEmitter "KC0504" Error "an unknown emitter";

    Unsound "KC0601" Error "a model that contradicts itself";
    Unrenderable "KC0602" Error "generated code that does not parse";
}
