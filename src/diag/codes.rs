//! The codes of findings: one table gives severity, title and the text of `explain`.
use super::Severity;

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $title:literal $explain:literal;)*) => {
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

            /// How grave a finding of this code is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What it means, why it matters and how to mend it.
            pub fn explain(self) -> &'static str {
                match self { $(Self::$name => $explain,)* }
            }
        }
    };
}

codes! {
    Syntax "KC0101" Error "the input is not well-formed YAML or JSON"
        "The text cannot be read as YAML or JSON. Indentation by tabs, an unclosed quote or bracket are the usual causes.";
}
