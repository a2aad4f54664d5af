//! Conversion between the versions of `fixtures/conversion.yaml`: the methods that the compiler asks for, and round trips of random
//! objects.
#![allow(clippy::unwrap_used)]
use std::collections::BTreeMap;

use kube::CustomResourceExt;
use kube_codegen_goldens::conversion::example_com::v1::{
    self,
    conversion::{
        ConvertDiskV1alpha1, ConvertDiskV1beta1, ConvertGateV1beta1, ConvertPoolV1beta1,
        disk_converter, gate_converter, pool_converter,
    },
};
use kube_codegen_goldens::conversion::example_com::v1beta1;
use kube_codegen_record::conversion::{
    Converter, IfAbsent, Mapping, Narrowing, assert_round_trips,
};
use kube_codegen_schema::Schema;
use serde_json::{Value, json};

struct Conversion;

impl ConvertDiskV1alpha1 for Conversion {
    fn spec_host(&self) -> Mapping<String, String> {
        Mapping::copy()
    }

    fn spec_legacy_tags(&self) -> IfAbsent<Vec<String>> {
        IfAbsent::absent()
    }

    fn spec_levels(&self) -> IfAbsent<Vec<String>> {
        IfAbsent::absent()
    }

    fn spec_open(&self) -> IfAbsent<v1::DiskSpecOpen> {
        IfAbsent::absent()
    }

    fn spec_pod_ip(&self) -> IfAbsent<String> {
        IfAbsent::absent()
    }

    fn spec_ports(&self) -> IfAbsent<Vec<v1::DiskSpecPorts>> {
        IfAbsent::value(Vec::new())
    }

    fn spec_replicas(&self) -> IfAbsent<i64> {
        IfAbsent::value(1)
    }

    fn spec_rules(&self) -> IfAbsent<Vec<v1::DiskSpecRules>> {
        IfAbsent::absent()
    }

    fn spec_size_if_absent(&self) -> IfAbsent<i64> {
        IfAbsent::value(1)
    }
}

impl ConvertDiskV1beta1 for Conversion {
    fn spec_endpoint_port(&self) -> IfAbsent<i64> {
        IfAbsent::absent()
    }

    fn spec_host(&self) -> Mapping<String, String> {
        Mapping::copy()
    }

    fn spec_levels_item(&self) -> Mapping<i64, String> {
        number()
    }

    fn spec_pod_ip(&self) -> Mapping<String, String> {
        Mapping::copy()
    }

    fn spec_ports_number(&self) -> Mapping<i64, String> {
        number()
    }

    fn spec_ports_protocol(&self) -> IfAbsent<String> {
        IfAbsent::value("TCP".to_owned())
    }

    fn spec_replicas(&self) -> Narrowing<i64, i64> {
        Narrowing::new(|replicas: i64| replicas.min(3))
    }

    fn spec_rules_from(&self) -> IfAbsent<String> {
        IfAbsent::absent()
    }

    fn spec_rules_source(&self) -> IfAbsent<String> {
        IfAbsent::absent()
    }
}

impl ConvertGateV1beta1 for Conversion {
    fn spec_idle(&self) -> Mapping<i64, i64> {
        Mapping::copy()
    }
}

/// Each method has the types of its own paths, whichever version and path define them.
impl ConvertPoolV1beta1 for Conversion {
    fn spec_disk(&self) -> Mapping<v1beta1::PoolSpecDisk, v1::PoolSpecDiskStorage> {
        Mapping::copy()
    }

    fn spec_formatter_files_format(&self) -> IfAbsent<v1::PoolSpecFormatterFilesFormat> {
        IfAbsent::absent()
    }

    fn spec_formatter_files_width(&self) -> IfAbsent<v1::PoolSpecFormatterFilesWidth> {
        IfAbsent::absent()
    }

    fn spec_formatter_by_name(
        &self,
    ) -> Mapping<
        BTreeMap<String, Vec<v1beta1::PoolSpecFormatterByName>>,
        BTreeMap<String, Vec<v1::PoolSpecFormatterFilesByName>>,
    > {
        Mapping::copy()
    }

    fn spec_formatter_format(&self) -> IfAbsent<v1beta1::PoolSpecFormatterFormat> {
        IfAbsent::absent()
    }

    fn spec_formatter_sections(
        &self,
    ) -> Mapping<Vec<v1beta1::PoolSpecFormatterSections>, Vec<v1::PoolSpecFormatterFilesSections>>
    {
        Mapping::copy()
    }

    fn spec_mode_level(&self) -> Narrowing<v1::PoolSpecModeLevel, v1beta1::PoolSpecModeLevel> {
        Narrowing::new(|level| match level {
            v1::PoolSpecModeLevel::Low => v1beta1::PoolSpecModeLevel::Low,
            _ => v1beta1::PoolSpecModeLevel::High,
        })
    }

    fn spec_old_mode(&self) -> IfAbsent<v1::PoolSpecOldMode> {
        IfAbsent::absent()
    }

    fn spec_resourcepool(
        &self,
    ) -> Mapping<v1beta1::PoolSpecResourcepool, v1::PoolSpecResourcePool> {
        Mapping::copy()
    }

    fn spec_resourcepool_if_absent(&self) -> IfAbsent<v1::PoolSpecResourcePool> {
        IfAbsent::value(v1::PoolSpecResourcePool {
            ..v1::PoolSpecResourcePool::new(v1::PoolSpecResourcePoolKind::Shared)
        })
    }
}

/// A number as text; text that is not a number becomes 0, and is kept.
fn number() -> Mapping<i64, String> {
    Mapping::new(
        |number: i64| number.to_string(),
        |text: String| text.parse().unwrap_or_default(),
    )
}

fn disks() -> Converter {
    disk_converter(&Conversion, &Conversion)
}

/// Returns the schema of each version.
fn schemas<K: CustomResourceExt>() -> Vec<(String, Schema)> {
    let versions = K::crd().spec.versions.into_iter();
    let schema = |version: &Value| Schema::new(&version["schema"]["openAPIV3Schema"]).unwrap();
    versions
        .map(|version| {
            (
                version.name.clone(),
                schema(&serde_json::to_value(version).unwrap()),
            )
        })
        .collect()
}

fn head(kind: &str, version: &str) -> Value {
    let metadata = json!({"name": "a", "uid": "u", "labels": {"a": "b"}});
    json!({"apiVersion": format!("example.com/{version}"), "kind": kind, "metadata": metadata})
}

/// Random objects of each version come back through every other version, which accepts what they are converted to: all but the
/// decisions of `Conversion` that give up a constraint.
fn round_trips<K: CustomResourceExt>(kind: &str, converter: &Converter) {
    let schemas = schemas::<K>();
    let mut kept = 0;
    for (version, schema) in &schemas {
        for seed in 0..500 {
            let (object, violations) = schema.random(seed, &head(kind, version));
            assert!(violations.is_empty(), "{violations:?}");
            for (other, target) in schemas.iter().filter(|(other, _)| other != version) {
                let wanted = format!("example.com/{other}");
                let mut there = converter.convert(object.clone(), &wanted).unwrap();
                let pruned = target.prune(&mut there);
                assert!(pruned.is_empty(), "{object:#} to {other}: {pruned:?}");
                target.apply_defaults(&mut there);
                let violations: Vec<_> = target
                    .validate(&there)
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                // Sizes below 1 MiB and negative ones have no whole number of GiB.
                let expected = |it: &String| {
                    it.starts_with("spec.size: ") || it.starts_with("spec.capacity: ")
                };
                assert!(
                    violations.iter().all(expected),
                    "{object:#} to {other}: {violations:?}"
                );
                kept += usize::from(there["metadata"]["annotations"].is_object());
            }
            assert_round_trips(converter, [object]);
        }
    }
    assert!(kept > 0);
}

#[test]
fn random_disks_come_back_through_every_other_version() {
    round_trips::<v1::Disk>("Disk", &disks());
}

#[test]
fn random_pools_come_back_with_objects_lists_and_enums_that_moved() {
    let converter = pool_converter(&Conversion);
    round_trips::<v1::Pool>("Pool", &converter);
    let mut old = head("Pool", "v1beta1");
    old["spec"] = json!({
        "resourcepool": {"kind": "Own", "limits": {"cpu": "1"}},
        "disk": {"labels": {"a": {"text": "Bold"}}},
        "formatter": {"format": "ini", "sections": [{"style": {"mark": "Dot"}}], "width": {"unit": "em"}},
    });
    let new = converter.convert(old, "example.com/v1").unwrap();
    assert_eq!(
        new["spec"],
        json!({
            "resourcePool": {"kind": "Own", "limits": {"cpu": "1"}},
            "diskStorage": {"labels": {"a": {"text": "Bold"}}},
            "formatter": {"width": {"unit": "em"}, "files": {"sections": [{"style": {"mark": "Dot"}}]}},
        })
    );
    let mut none = head("Pool", "v1beta1");
    none["spec"] = json!({});
    let new = converter.convert(none, "example.com/v1").unwrap();
    assert_eq!(new["spec"], json!({"resourcePool": {"kind": "Shared"}}));
}

#[test]
fn random_gates_come_back_with_one_method() {
    let converter = gate_converter(&Conversion);
    let old = json!({"spec": {"idle": 5, "name": "a"}, "apiVersion": "example.com/v1beta1", "kind": "Gate"});
    let new = converter.convert(old, "example.com/v1").unwrap();
    assert_eq!(new["spec"], json!({"timeouts": {"idle": 5}, "name": "a"}));
    assert_eq!(new["metadata"], Value::Null, "nothing is kept");
    assert_round_trips(
        &converter,
        [json!({"spec": {"timeouts": {}}, "apiVersion": "example.com/v1", "kind": "Gate"})],
    );
}

#[test]
fn declared_conversions_need_no_method() {
    let converter = disks();
    let mut old = head("Disk", "v1alpha1");
    old["spec"] =
        json!({"size": 2, "mode": "Slow", "zone": "a", "legacy": {"level": 7, "tags": ["x"]}});
    let new = converter.convert(old.clone(), "example.com/v1").unwrap();
    assert_eq!(
        new["spec"],
        json!({
            "capacityMiB": 2048, "mode": "Economy", "zones": ["a"], "endpoint": {"port": 7},
            "class": "standard", "ports": [], "replicas": 1,
        })
    );
    let beta = converter.convert(old, "example.com/v1beta1").unwrap();
    assert_eq!(beta["spec"]["capacity"], 2);
    assert_eq!(beta["spec"]["mode"], "Slow");
    assert_eq!(beta["spec"]["zones"], json!(["a"]));
}

#[test]
fn an_edit_of_another_version_wins_over_what_is_kept() {
    let converter = disks();
    let mut disk = head("Disk", "v1");
    disk["spec"] = json!({"class": "fast", "capacityMiB": 1500, "zones": ["a", "b"], "ports": [{"name": "x", "number": "http"}]});
    let mut beta = converter
        .convert(disk.clone(), "example.com/v1beta1")
        .unwrap();
    assert_eq!(
        beta["spec"],
        json!({"capacity": 1, "zones": ["a", "b"], "ports": [{"name": "x", "number": 0}]})
    );
    beta["spec"]["replicas"] = 2.into();
    let ports = beta["spec"]["ports"].as_array_mut().unwrap();
    ports.insert(0, json!({"name": "new", "number": 1}));
    let back = converter.convert(beta, "example.com/v1").unwrap();
    disk["spec"]["replicas"] = 2.into();
    disk["spec"]["ports"] = json!([
        {"name": "new", "number": "1", "protocol": "TCP"},
        {"name": "x", "number": "http"},
    ]);
    assert_eq!(back["spec"], disk["spec"]);
}
