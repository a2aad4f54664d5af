//! Tables of rules, from which output, flags, the config file and the documentation take their names, levels and advice.

macro_rules! rule_table {
    ($(#[doc = $doc:literal])* $($rule:ident $name:literal $level:ident: $means:literal, $advice:literal;)*) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Rule {
            $(#[doc = $means] $rule,)*
        }

        impl serde::Serialize for Rule {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for Rule {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        impl Rule {
            /// All rules, in the order of the documentation.
            pub(crate) const ALL: &[Self] = &[$(Self::$rule,)*];

            /// Returns the name in output, flags and the config file.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }

            /// Returns the level that the rule has unless the user sets another one.
            pub(crate) fn level(self) -> Level {
                match self { $(Self::$rule => Level::$level,)* }
            }

            /// Returns what a finding means.
            pub(crate) fn means(self) -> &'static str {
                match self { $(Self::$rule => $means,)* }
            }

            /// Returns what to do about it; empty if nothing.
            pub(crate) fn advice(self) -> &'static str {
                match self { $(Self::$rule => $advice,)* }
            }

            /// Finds a rule by its name; an error is the nearest name.
            fn named(name: &str) -> Result<Self, Option<&'static str>> {
                let found = Self::ALL.iter().find(|rule| rule.name() == name);
                found.copied().ok_or_else(|| {
                    let names = Self::ALL.iter().map(|rule| rule.name());
                    crate::base::diag::nearest(name, names).first().copied()
                })
            }
        }
    };
}

pub(crate) use rule_table;
