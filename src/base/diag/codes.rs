//! The codes of diagnostics, with severity, title and default hint; `explain/` has a page on each.

use super::Severity;

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $title:literal;)*) => {
        /// The code of a diagnostic; `kube-codegen explain CODE` prints its page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the code as text, such as `KC0101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Parses a code: `KC0301`, `kc301` or `301`.
            pub fn named(text: &str) -> Option<Self> {
                let number = |text: &str| text.parse::<u16>().ok();
                let digits = text.strip_prefix(['K', 'k']).and_then(|rest| rest.strip_prefix(['C', 'c'])).unwrap_or(text);
                let wanted = number(digits).filter(|_| !digits.starts_with('+'))?;
                Self::ALL.iter().find(|code| number(&code.as_str()[2..]) == Some(wanted)).copied()
            }

            /// Returns the default severity of its diagnostics.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Returns a short description.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// Returns the page on the code, in Markdown: what it means, why it matters and how to fix it.
            pub fn explain(self) -> &'static str {
                match self { $(Self::$name => include_str!(concat!("explain/", $code, ".md")),)* }
            }
        }
    };
}

// KC01: text · KC02: a CRD outside its schemas · KC03: schemas · KC04: lowering · KC05: options · KC06: output · KC07: objects and manifests · KC08: good practice · KC09: other tools
codes! {
    Syntax "KC0101" Error "invalid YAML or JSON syntax";
    DuplicateKey "KC0102" Warning "duplicate key in a map";
    TooDeep "KC0103" Error "nesting too deep";
    AliasLimit "KC0104" Error "aliases that expand to too much data";
    Unsupported "KC0105" Error "YAML that JSON cannot represent";
    EmptySource "KC0106" Warning "empty input";
    NoCrd "KC0107" Error "no CustomResourceDefinition in the input";
    OtherKind "KC0108" Warning "document of another kind";
    YamlSpelling "KC0109" Warning "unquoted word or number that YAML 1.1 reads differently";

    MissingField "KC0201" Error "missing required field";
    WrongType "KC0202" Error "field with a value of the wrong type";
    DuplicateVersion "KC0203" Error "duplicate version";
    InvalidName "KC0204" Error "invalid name";
    NameMismatch "KC0205" Error "CRD name that does not match its plural and group";
    StorageVersion "KC0206" Error "not exactly one storage version";
    InvalidScope "KC0207" Error "unknown scope";
    UnsupportedApi "KC0208" Error "CRD of an unknown API version";
    DuplicateCrd "KC0209" Error "conflicting CRDs with the same name";
    RepeatedCrd "KC0210" Warning "duplicate of an identical CRD";
    KindClash "KC0211" Error "two CRDs with the same group and kind";
    InvalidColumn "KC0212" Error "printer column of an unknown type";
    InvalidPath "KC0213" Error "JSON path that the API server rejects";
    SelectableField "KC0214" Error "invalid selectable field";
    NotServed "KC0215" Warning "CRD without a served version";
    UnknownField "KC0216" Warning "unknown field";
    LegacyApi "KC0217" Warning "CRD of apiextensions.k8s.io/v1beta1";
    PreservedFields "KC0218" Warning "preserveUnknownFields in apiextensions.k8s.io/v1";
    InvalidMetadata "KC0219" Warning "metadata that the API server rejects";
    InvalidConversion "KC0220" Warning "conversion that the API server rejects";
    InvalidDeprecation "KC0221" Warning "deprecation warning that the API server rejects";

    UnknownType "KC0301" Error "unknown type in a schema";
    KeywordType "KC0302" Error "schema keyword with a value of the wrong type";
    RequiredUndeclared "KC0303" Warning "required or constrained property that is not declared";
    MissingSchema "KC0304" Error "version without a schema";
    RootType "KC0305" Error "schema root that is not an object";
    NotStructural "KC0306" Warning "schema that is not structural";
    InvalidExtension "KC0307" Warning "x-kubernetes keyword that the API server rejects";
    InvalidDefault "KC0308" Warning "default that its schema does not accept";
    InvalidPattern "KC0309" Warning "pattern that is not a regular expression of Go";
    InvalidRule "KC0310" Warning "validation rule that the API server rejects";

    RawJson "KC0401" Warning "part of a schema generated as raw JSON";
    LeftoverKeyword "KC0402" Warning "keyword without effect at its location";
    PlainEnum "KC0403" Warning "enum that does not become a Rust enum";
    ServerRules "KC0404" Note "constraints on fields that every object has";
    NearMiss "KC0405" Note "near miss of a Kubernetes type";
    TooLarge "KC0406" Warning "enum or object too large for a Rust type";
    Choice "KC0407" Note "fields of which at most one is set";

    OverrideUnmatched "KC0501" Error "override that matches nothing";
    OverrideInvalid "KC0502" Error "override that cannot apply to its target";
    NameTaken "KC0503" Error "type name that is already taken";
    ConversionUnmatched "KC0504" Error "conversion that matches nothing";
    ConversionInvalid "KC0505" Error "conversion that cannot apply to its path";

    Unsound "KC0601" Error "inconsistent model";
    Unrenderable "KC0602" Error "generated code that does not parse";

    InvalidObject "KC0701" Error "object that the API server rejects";
    Manifests "KC0702" Error "manifests that do not fit together";
    MissingRight "KC0703" Error "permission that a Role does not grant";
    UnusedRight "KC0704" Error "permission that no request uses";
    Kustomization "KC0705" Warning "part of a kustomization that is not applied";

    Practice "KC0801" Warning "schema against the conventions of Kubernetes";

    Project "KC0901" Error "kubebuilder project that cannot be read";
    Marker "KC0902" Error "kubebuilder marker that cannot be read";
    NotTranslated "KC0903" Warning "part of a kubebuilder project that is not translated";
}

impl Code {
    /// Returns the hint for diagnostics that do not set their own.
    pub(super) fn default_hint(self) -> Option<&'static str> {
        Some(match self {
            Self::Syntax => "look for the mistake here or shortly before",
            Self::DuplicateKey => "remove one of the two",
            Self::TooDeep => "reduce the nesting",
            Self::AliasLimit => "write the repeated parts out, or repeat fewer of them",
            Self::Unsupported => {
                "use only what JSON can represent: string keys, finite numbers, no cycles"
            }
            Self::EmptySource => "remove the input, or add a CRD to it",
            Self::OtherKind => "no action is needed: nothing is generated for other kinds",
            Self::MissingField => "this field is required",
            Self::WrongType => "give the field a value of that type",
            Self::UnknownField => "remove it, or move it to where it belongs",
            Self::KeywordType => "give the keyword a value of that type",
            Self::MissingRight => "`kube-codegen rbac --write` adds it",
            Self::UnusedRight => "`kube-codegen rbac --write` removes it; or test what uses it",
            _ => return None,
        })
    }
}
