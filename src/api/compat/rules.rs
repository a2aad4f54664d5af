//! The table of rules: what a change is called, how bad it is unless the user says otherwise, what it means and what to do about it.
use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::api::rule_table::rule_table;

/// What a change breaks, the least first.
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
    /// Nothing: stored objects, clients of the old release and old programs keep working.
    Compatible,
    /// Something in some clusters, or what nothing proves to be safe.
    Risk,
    /// Stored objects, clients or programs that worked.
    Breaking,
}

impl Level {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Risk => "risk",
            Self::Breaking => "breaking",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

rule_table! {
    /// What changed.
    CrdAdded "crd-added" Compatible: "a new kind", "";
    CrdRemoved "crd-removed" Breaking: "deleting a CRD deletes all its objects",
        "keep the CRD until no object is left, with `deprecated: true` in its versions";
    CrdRejected "crd-rejected" Breaking: "the API server rejects the new release of the CRD", "repair the rule";
    ScopeChanged "scope-changed" Breaking: "the API server rejects another scope for an existing CRD", "make a new kind";
    KindChanged "kind-changed" Breaking: "the API server rejects another kind for an existing CRD", "make a new kind";
    NamesChanged "names-changed" Risk: "commands and scripts use these names", "keep the old names beside the new ones";
    NamesAdded "names-added" Compatible: "more names for commands", "";
    VersionAdded "version-added" Compatible: "clients may use the new version", "";
    VersionRemoved "version-removed" Breaking:
        "clients of the version get 404; the API server rejects the CRD while `status.storedVersions` has the version",
        "keep the version with `served: false` until no object is stored in it; rewrite stored objects only once the storage version has all their fields";
    VersionUnserved "version-unserved" Breaking: "clients of the version get 404", "mark it `deprecated: true` for a release first";
    VersionServed "version-served" Compatible: "clients may use the version", "";
    VersionDeprecated "version-deprecated" Compatible: "clients of the version get a warning, another one, or none any more", "";
    StorageChanged "storage-changed" Risk: "objects are stored in the new version when they are written again",
        "with a webhook, test that it keeps every field; then switch, rewrite all objects, and drop the old version from `status.storedVersions` last";
    StoragePruned "storage-pruned" Breaking: "the API server drops what the new storage version does not declare from each object that it writes",
        "serve both versions, and keep the storage version until the new one declares the field or a conversion webhook keeps its values; only \
         then switch, rewrite all objects, and drop the old version last";
    ConversionChanged "conversion-changed" Risk: "objects of other versions are converted in another way",
        "start the webhook before the CRD names it, and stop it only after no CRD names it";
    ConversionRemoved "conversion-removed" Breaking:
        "without the webhook, what the storage version does not declare is dropped from objects that clients of the version write",
        "keep the webhook until the version is no longer served, or until the storage version declares all its fields";
    ServedVersionsDiffer "served-versions-differ" Risk:
        "without a conversion webhook, a client of one served version loses what only the other one has",
        "add the field to all served versions, or convert by a webhook";
    StatusAdded "status-subresource-added" Breaking: "writes of the main resource do not change the status any more",
        "have every writer of the status use the subresource first";
    StatusRemoved "status-subresource-removed" Breaking: "`/status` answers 404", "keep the subresource";
    ScaleAdded "scale-subresource-added" Compatible: "`kubectl scale` and autoscalers may use it", "";
    ScaleChanged "scale-subresource-changed" Breaking: "autoscalers read and write other fields", "keep the paths";
    ScaleRemoved "scale-subresource-removed" Breaking: "`/scale` answers 404: `kubectl scale` and autoscalers fail", "keep the subresource";
    ColumnAdded "column-added" Compatible: "`kubectl get` shows more", "";
    ColumnRemoved "column-removed" Risk: "scripts that read the output of `kubectl get` fail", "use `-o json` in scripts";
    ColumnChanged "column-changed" Compatible: "`kubectl get` shows another value", "";
    SelectableAdded "selectable-field-added" Compatible: "clients may select by the field", "";
    SelectableRemoved "selectable-field-removed" Breaking: "field selectors with the field are rejected", "keep the field selectable";
    FieldAdded "field-added" Compatible: "a new field that may be absent", "";
    FieldRequired "field-required" Breaking: "objects without the field are rejected", "give it a default, or leave it optional";
    FieldOptional "field-optional" Compatible: "clients may meet objects without the field", "";
    FieldRemoved "field-removed" Breaking: "the API server drops the values that stored objects have, and those that clients send",
        "keep the field, and say in its description that it is not used any more";
    FieldMoved "field-moved" Breaking: "the API server drops the values at the old place",
        "keep the old field beside the new one, or make a new version with a conversion";
    Narrowed "narrowed" Breaking: "fewer values are accepted", "accept the old values, or make a new version with a conversion";
    Widened "widened" Compatible: "more values are accepted; clients of the old release and a rollback may meet them", "";
    Changed "changed" Breaking: "other values are accepted", "also accept the old values";
    TypeChanged "type-changed" Breaking: "values have another type", "make a new field, or a new version with a conversion";
    NotNullable "not-nullable" Breaking: "null is rejected, or dropped where the field may be absent", "keep `nullable: true`";
    Nullable "nullable" Compatible: "clients may meet null", "";
    Pruned "unknown-fields-pruned" Breaking: "the API server drops unknown fields that it has kept", "declare the fields that objects have";
    Preserved "unknown-fields-preserved" Compatible: "unknown fields are kept", "";
    DefaultChanged "default-changed" Risk: "objects without the field are read and stored with another value",
        "set the value in stored objects first where it matters";
    RulesNarrowed "rules-narrowed" Breaking: "a rule rejects what was accepted", "let the rule pass what does not change: `oldSelf`, or ratcheting";
    UpdateNarrowed "update-narrowed" Breaking: "a rule rejects updates that were accepted",
        "intended for a field that must not change; else remove the rule";
    RulesChanged "rules-changed" Risk: "rules or patterns differ, and nothing proves which objects they reject", "";
    RulesAdded "rules-added" Compatible: "new rules that hold for all objects of the old release", "";
    RulesWidened "rules-widened" Compatible: "rules reject fewer objects", "";
    ListNarrowed "list-narrowed" Breaking: "the API server rejects lists with equal items or keys, which it has accepted",
        "remove duplicates from stored objects first";
    MergeChanged "merge-changed" Risk: "server-side apply merges the list or map in another way",
        "have all appliers send the whole list or map, or keep the type";
    KeywordChanged "keyword-changed" Breaking: "a keyword differs that this comparison does not know", "";
    Rejected "rejected" Breaking: "an object that was accepted is rejected", "";
    NoEffect "no-effect" Compatible: "the same objects are accepted", "";
    Descriptions "descriptions" Compatible: "descriptions differ", "";
    RustChanged "rust" Breaking: "generated code differs", "";
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::named(name).map_err(|nearest| match nearest {
            Some(near) => format!("no rule `{}`; did you mean `{near}`?", name.escape_debug()),
            None => format!("no rule `{}`", name.escape_debug()),
        })
    }
}
