//! Enums without a default, the structs that require them, and views by value and by reference.
use std::collections::BTreeMap;

use kube::CustomResourceExt as _;
use kube_codegen_goldens::{
    Machine,
    required_enums::example_com::v1::{
        Valve, ValveName, ValvePhase, ValveSpec, ValveSpecEither, ValveSpecLock,
        ValveSpecLockByCode, ValveSpecLockOneOf, ValveSpecLockValue, ValveSpecMode, ValveSpecNames,
        ValveSpecPolicy, ValveSpecSchedule, ValveSpecScheduleOneOf, ValveSpecScheduleType,
        ValveSpecScheduleUnit, ValveSpecTarget, ValveSpecTargetMode, ValveSpecTargetOneOf,
        ValveStatus, ValveStatusState,
    },
};
use kube_codegen_runtime::record::Nullable;

fn spec() -> ValveSpec {
    let schedule = ValveSpecSchedule::value(5, ValveSpecScheduleUnit::Hour);
    let either = ValveSpecEither::Text("x".to_owned());
    ValveSpec {
        owner: "ops".to_owned(),
        ..ValveSpec::new(either, ValveSpecMode::Safe, schedule)
    }
}

#[test]
fn new_takes_what_has_no_default() {
    let spec = spec();
    assert_eq!(spec.mode, ValveSpecMode::Safe);
    assert_eq!(spec.policy, None, "the API server fills in its default");
    assert_eq!(spec.machine, Machine::default());
    assert_eq!(spec.lock, None);
    let valve = Valve::new("a", spec, ValveName::Front, ValvePhase::V1);
    assert_eq!(valve.metadata.name.as_deref(), Some("a"));
    assert_eq!(
        (valve.name, valve.phase),
        (ValveName::Front, ValvePhase::V1)
    );
    // The empty text is a value that the schema declares.
    assert_eq!(ValveStatus::default().state, ValveStatusState::Empty);
    assert_eq!(ValveSpecPolicy::default(), ValveSpecPolicy::Never);
}

#[test]
fn a_constructor_takes_what_neither_it_nor_a_default_decides() {
    let days = ValveSpecSchedule::days(vec!["Mon".to_owned()], ValveSpecScheduleUnit::Minute);
    assert_eq!(days.r#type, ValveSpecScheduleType::Days);
    assert_eq!(days.unit, ValveSpecScheduleUnit::Minute);
    let ValveSpecScheduleOneOf::Days(found) = days.one_of() else {
        panic!("{:?}", days.one_of());
    };
    let found: &[String] = found;
    assert_eq!(found, ["Mon"]);
    // The parameter of a field named `value` is not that of the constructor.
    let lock = ValveSpecLock::by_key(true, ValveSpecLockValue::B);
    assert_eq!(lock.value, ValveSpecLockValue::B);
}

#[test]
fn a_view_has_copies_of_scalars() {
    let view = |lock: ValveSpecLock| -> ValveSpecLockOneOf { lock.one_of() };
    let new = ValveSpecLock::new(ValveSpecLockValue::A);
    assert_eq!(view(new.clone()), ValveSpecLockOneOf::None);
    let by_key = ValveSpecLock {
        by_key: Some(true),
        ..new.clone()
    };
    assert_eq!(view(by_key), ValveSpecLockOneOf::ByKey(true));
    let by_code = ValveSpecLock {
        by_code: Some(ValveSpecLockByCode::V2),
        ..new.clone()
    };
    assert_eq!(
        view(by_code),
        ValveSpecLockOneOf::ByCode(ValveSpecLockByCode::V2)
    );
    let ratio = ValveSpecLock {
        ratio: Some(0.5.into()),
        ..new
    };
    assert_eq!(view(ratio), ValveSpecLockOneOf::Ratio(0.5.into()));
}

#[test]
fn a_view_refers_to_texts_and_lists_as_functions_take_them() {
    let text = ValveSpecTarget::text("a".to_owned());
    assert_eq!(text.one_of(), ValveSpecTargetOneOf::Text("a"));
    let boxed = ValveSpecTarget::boxed("b".to_owned());
    assert_eq!(boxed.one_of(), ValveSpecTargetOneOf::Boxed("b"));
    assert_eq!(
        ValveSpecTarget::boxed_count(3).one_of(),
        ValveSpecTargetOneOf::BoxedCount(3)
    );
    let names = ValveSpecTarget::names(vec!["a".to_owned()]);
    assert_eq!(
        names.one_of(),
        ValveSpecTargetOneOf::Names(&["a".to_owned()])
    );
    let labels = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let target = ValveSpecTarget::labels(labels.clone());
    assert_eq!(target.one_of(), ValveSpecTargetOneOf::Labels(&labels));
    let mode = ValveSpecTarget::mode(ValveSpecTargetMode::X);
    assert_eq!(
        mode.one_of(),
        ValveSpecTargetOneOf::Mode(&ValveSpecTargetMode::X)
    );
    let maybe = ValveSpecTarget::maybe(Nullable::Null);
    assert_eq!(maybe.one_of(), ValveSpecTargetOneOf::Maybe(&Nullable::Null));
}

#[test]
fn setters_take_literals_and_build_in_one_expression() {
    let spec = spec()
        .with_owner("dev")
        .with_mode("Fast")
        .with_policy(ValveSpecPolicy::Always)
        .with_lock(
            ValveSpecLock::new(ValveSpecLockValue::A)
                .with_ratio(2)
                .with_by_key(true),
        )
        .with_target(
            ValveSpecTarget::default()
                .with_names(["a", "b"])
                .with_labels([("tier", "web")])
                .with_boxed_count(3)
                .with_maybe("x"),
        );
    assert_eq!(
        (spec.owner.as_str(), &spec.mode),
        ("dev", &ValveSpecMode::Fast)
    );
    assert_eq!(spec.policy, Some(ValveSpecPolicy::Always));
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
    let names = ValveSpecNames::with_all("a".to_owned()).with_all_("b");
    assert_eq!(names.all.as_deref(), Some("b"));
}

/// `crd()` is that of the input but for the descriptions.
#[test]
fn descriptions_are_stripped_on_request() {
    let crd = Valve::crd();
    let version = &crd.spec.versions[0];
    let schema = version
        .schema
        .as_ref()
        .and_then(|it| it.open_api_v3_schema.as_ref());
    let text = serde_json::to_string(schema.unwrap()).unwrap();
    assert!(!text.contains("Copies alone"), "{text}");
    assert!(text.contains("has(self.byKey)"), "{text}");
    assert_eq!(Valve::crd_name(), "valves.example.com");
}
