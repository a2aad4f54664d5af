//! The flag `--owns`: which kinds the objects of CRDs own.
use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use crate::{
    base::options::Kubernetes,
    model::ir::Model,
    operator::scaffold::{self, CoreKind},
};

/// A value of the flag, such as `apps/v1/Deployment,v1/Service` or `Website=v1/Secret`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owns {
    /// The kind or the name of the CRD whose objects own them; all without it.
    owner: Option<String>,
    kinds: Vec<&'static CoreKind>,
}

impl FromStr for Owns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (owner, kinds) = match text.split_once('=') {
            Some((owner, kinds)) => (Some(owner.trim().to_owned()), kinds),
            None => (None, text),
        };
        let kinds = kinds.split(',').map(scaffold::core_kind);
        Ok(Self {
            owner,
            kinds: kinds.collect::<Result<_, _>>()?,
        })
    }
}

/// Fails if the oldest Kubernetes version to support does not have an owned kind.
pub(super) fn check(all: &[Owns], kubernetes: Kubernetes) -> Result<(), String> {
    let mut kinds = all.iter().flat_map(|it| &it.kinds);
    kinds.try_for_each(|kind| kind.check(kubernetes))
}

/// Returns the owned kinds by the names of the CRDs that own them. `owners` are those that a value without an owner is for; one with an owner may
/// name any CRD of the model.
///
/// # Errors
/// If an owner names no kind of the model, or several.
pub(super) fn by_crd<'o>(
    all: &[Owns],
    owners: impl Iterator<Item = &'o str>,
    model: &Model,
) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let owners: Vec<&str> = owners.collect();
    let mut owns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for value in all {
        let named = match &value.owner {
            Some(owner) => vec![crd(owner, model)?],
            None => owners.iter().map(|it| (*it).to_owned()).collect(),
        };
        for name in named {
            let owned = value.kinds.iter().map(|kind| kind.name());
            owns.entry(name).or_default().extend(owned);
        }
    }
    Ok(owns)
}

/// Returns the name of the CRD of a kind, which may be that name already.
fn crd(owner: &str, model: &Model) -> Result<String, String> {
    let kinds = model.kinds.iter();
    let kinds = kinds.map(|kind| (kind.crd_name(), kind.kind.as_str()));
    let kinds: BTreeSet<(String, &str)> = kinds.collect();
    let found = kinds
        .iter()
        .filter(|(crd, kind)| crd == owner || *kind == owner);
    let found: Vec<&str> = found.map(|(crd, _)| crd.as_str()).collect();
    let owner = owner.escape_debug();
    match found[..] {
        [crd] => Ok(crd.to_owned()),
        [] => {
            let all: Vec<&str> = kinds.iter().map(|(_, kind)| *kind).collect();
            let all = all.join(", ");
            Err(format!(
                "--owns: no CRD has the kind `{owner}`; the kinds are {all}"
            ))
        }
        _ => {
            let all = found.join("` or `");
            Err(format!(
                "--owns: several CRDs have the kind `{owner}`; name one as `{all}`"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_before_the_kinds() {
        let value: Owns = "Website=apps/v1/Deployment, v1/Service".parse().unwrap();
        assert_eq!(value.owner.as_deref(), Some("Website"));
        let names: Vec<String> = value.kinds.iter().map(|it| it.name()).collect();
        assert_eq!(names, ["apps/v1/Deployment", "v1/Service"]);
        let value: Owns = "v1/Service".parse().unwrap();
        assert_eq!(value.owner, None);
        assert!("Website=".parse::<Owns>().is_err());
        assert!("Website=v1/Servce".parse::<Owns>().is_err());
    }
}
