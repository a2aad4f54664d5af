//! Enums without a default, the structs that require them, and views by value and by reference.
use std::collections::BTreeMap;

use kube::CustomResourceExt as _;
use kube_codegen_goldens::{
    Machine,
    required_enums::example_com::v1::{
        Gate, GateName, GatePhase, GateSpec, GateSpecEither, GateSpecLock, GateSpecLockByCode,
        GateSpecLockOneOf, GateSpecLockValue, GateSpecMode, GateSpecNames, GateSpecPolicy,
        GateSpecSchedule, GateSpecScheduleOneOf, GateSpecScheduleType, GateSpecScheduleUnit,
        GateSpecTarget, GateSpecTargetMode, GateSpecTargetOneOf, GateStatus, GateStatusState,
    },
};
use kube_codegen_runtime::record::Nullable;

fn spec() -> GateSpec {
    let schedule = GateSpecSchedule::value(5, GateSpecScheduleUnit::Hour);
    let either = GateSpecEither::Text("x".to_owned());
    GateSpec {
        owner: "ops".to_owned(),
        ..GateSpec::new(either, GateSpecMode::Safe, schedule)
    }
}

#[test]
fn new_takes_what_has_no_default() {
    let spec = spec();
    assert_eq!(spec.mode, GateSpecMode::Safe);
    assert_eq!(spec.policy, None, "the API server fills in its default");
    assert_eq!(spec.machine, Machine::default());
    assert_eq!(spec.lock, None);
    let gate = Gate::new("a", spec, GateName::Front, GatePhase::V1);
    assert_eq!(gate.metadata.name.as_deref(), Some("a"));
    assert_eq!((gate.name, gate.phase), (GateName::Front, GatePhase::V1));
    // The empty text is a value that the schema declares.
    assert_eq!(GateStatus::default().state, GateStatusState::Empty);
    assert_eq!(GateSpecPolicy::default(), GateSpecPolicy::Never);
}

#[test]
fn a_constructor_takes_what_neither_it_nor_a_default_decides() {
    let days = GateSpecSchedule::days(vec!["Mon".to_owned()], GateSpecScheduleUnit::Minute);
    assert_eq!(days.r#type, GateSpecScheduleType::Days);
    assert_eq!(days.unit, GateSpecScheduleUnit::Minute);
    let GateSpecScheduleOneOf::Days(found) = days.one_of() else {
        panic!("{:?}", days.one_of());
    };
    let found: &[String] = found;
    assert_eq!(found, ["Mon"]);
    // The parameter of a field named `value` is not that of the constructor.
    let lock = GateSpecLock::by_key(true, GateSpecLockValue::B);
    assert_eq!(lock.value, GateSpecLockValue::B);
}

#[test]
fn a_view_has_copies_of_scalars() {
    let view = |lock: GateSpecLock| -> GateSpecLockOneOf { lock.one_of() };
    let new = GateSpecLock::new(GateSpecLockValue::A);
    assert_eq!(view(new.clone()), GateSpecLockOneOf::None);
    let by_key = GateSpecLock {
        by_key: Some(true),
        ..new.clone()
    };
    assert_eq!(view(by_key), GateSpecLockOneOf::ByKey(true));
    let by_code = GateSpecLock {
        by_code: Some(GateSpecLockByCode::V2),
        ..new.clone()
    };
    assert_eq!(
        view(by_code),
        GateSpecLockOneOf::ByCode(GateSpecLockByCode::V2)
    );
    let ratio = GateSpecLock {
        ratio: Some(0.5.into()),
        ..new
    };
    assert_eq!(view(ratio), GateSpecLockOneOf::Ratio(0.5.into()));
}

#[test]
fn a_view_refers_to_texts_and_lists_as_functions_take_them() {
    let text = GateSpecTarget::text("a".to_owned());
    assert_eq!(text.one_of(), GateSpecTargetOneOf::Text("a"));
    let boxed = GateSpecTarget::boxed("b".to_owned());
    assert_eq!(boxed.one_of(), GateSpecTargetOneOf::Boxed("b"));
    assert_eq!(
        GateSpecTarget::boxed_count(3).one_of(),
        GateSpecTargetOneOf::BoxedCount(3)
    );
    let names = GateSpecTarget::names(vec!["a".to_owned()]);
    assert_eq!(
        names.one_of(),
        GateSpecTargetOneOf::Names(&["a".to_owned()])
    );
    let labels = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let target = GateSpecTarget::labels(labels.clone());
    assert_eq!(target.one_of(), GateSpecTargetOneOf::Labels(&labels));
    let mode = GateSpecTarget::mode(GateSpecTargetMode::X);
    assert_eq!(
        mode.one_of(),
        GateSpecTargetOneOf::Mode(&GateSpecTargetMode::X)
    );
    let maybe = GateSpecTarget::maybe(Nullable::Null);
    assert_eq!(maybe.one_of(), GateSpecTargetOneOf::Maybe(&Nullable::Null));
}

#[test]
fn setters_take_literals_and_build_in_one_expression() {
    let spec = spec()
        .with_owner("dev")
        .with_mode("Fast")
        .with_policy(GateSpecPolicy::Always)
        .with_lock(
            GateSpecLock::new(GateSpecLockValue::A)
                .with_ratio(2)
                .with_by_key(true),
        )
        .with_target(
            GateSpecTarget::default()
                .with_names(["a", "b"])
                .with_labels([("tier", "web")])
                .with_boxed_count(3)
                .with_maybe("x"),
        );
    assert_eq!(
        (spec.owner.as_str(), &spec.mode),
        ("dev", &GateSpecMode::Fast)
    );
    assert_eq!(spec.policy, Some(GateSpecPolicy::Always));
    assert_eq!(
        spec.lock.as_ref().and_then(|lock| lock.ratio),
        Some(2.into())
    );
    let target = spec.target.unwrap();
    assert_eq!(target.names, Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(target.labels.unwrap()["tier"], "web");
    assert_eq!(target.boxed_count.as_deref(), Some(&3));
    assert_eq!(target.maybe, Some(Nullable::Value("x".to_owned())));
    // The constructor of the field `withAll` has the name that the setter of `all` would have.
    let names = GateSpecNames::with_all("a".to_owned()).with_all_("b");
    assert_eq!(names.all.as_deref(), Some("b"));
}

/// `crd()` is that of the input but for the descriptions.
#[test]
fn descriptions_are_stripped_on_request() {
    let crd = Gate::crd();
    let version = &crd.spec.versions[0];
    let schema = version
        .schema
        .as_ref()
        .and_then(|it| it.open_api_v3_schema.as_ref());
    let text = serde_json::to_string(schema.unwrap()).unwrap();
    assert!(!text.contains("Copies alone"), "{text}");
    assert!(text.contains("has(self.byKey)"), "{text}");
    assert_eq!(Gate::crd_name(), "gates.example.com");
}
