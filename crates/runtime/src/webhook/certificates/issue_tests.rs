//! When CAs and certificates are renewed.
use super::*;

const PERIODS: Periods = Periods {
    authority: Duration::from_secs(900 * 60),
    certificate: Duration::from_secs(300 * 60),
    propagation: Duration::from_secs(5 * 60),
};

struct Clock(SystemTime);

impl Clock {
    fn step(&self, current: Option<&Material>, published: bool) -> Material {
        let names = ["webhook.default.svc".to_owned(), "127.0.0.1".to_owned()];
        next(current, "operator", &names, &PERIODS, published, self.0).unwrap()
    }

    fn pass(&mut self, minutes: u64) {
        self.0 += Duration::from_secs(minutes * 60);
    }
}

fn start() -> (Clock, Material) {
    let clock = Clock(UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    let first = clock.step(None, false);
    (clock, first)
}

#[test]
fn a_certificate_is_renewed_by_the_same_authority() {
    let (mut clock, first) = start();
    assert!(clock.step(Some(&first), true) == first);
    clock.pass(199);
    assert!(clock.step(Some(&first), true) == first);
    clock.pass(2);
    let second = clock.step(Some(&first), true);
    assert_eq!(second.authorities, first.authorities);
    assert_ne!(second.certificate, first.certificate);
    assert_eq!(
        Facts::of(&second.certificate).unwrap().names,
        ["webhook.default.svc", "127.0.0.1"]
    );
}

#[test]
fn a_new_authority_is_trusted_before_it_issues_and_the_old_one_until_all_replicas_have_changed() {
    let (mut clock, mut current) = start();
    for _ in 0..2 {
        clock.pass(201);
        current = clock.step(Some(&current), true);
    }
    clock.pass(201);
    let added = clock.step(Some(&current), true);
    assert_eq!(added.authorities.len(), 2);
    assert_eq!(added.authorities[1], current.authorities[0]);
    assert_eq!(added.certificate, current.certificate);

    clock.pass(4);
    assert!(clock.step(Some(&added), true) == added);
    clock.pass(2);
    let unpublished = clock.step(Some(&added), false);
    assert!(unpublished == added, "no configuration has it");
    let issued = clock.step(Some(&added), true);
    assert_eq!(issued.authorities, added.authorities);
    assert_ne!(issued.certificate, added.certificate);

    clock.pass(4);
    assert!(clock.step(Some(&issued), true) == issued);
    clock.pass(2);
    let last = clock.step(Some(&issued), true);
    assert_eq!(last.authorities, added.authorities[..1]);
    assert_eq!(last.certificate, issued.certificate);
}

#[test]
fn what_is_unusable_is_made_again() {
    let (mut clock, first) = start();
    let broken = Material {
        authority_key: "broken".into(),
        ..first.clone()
    };
    assert_ne!(
        clock.step(Some(&broken), true).authorities,
        first.authorities
    );
    let broken = Material {
        certificate: "broken".into(),
        ..first.clone()
    };
    let again = clock.step(Some(&broken), true);
    assert_eq!(again.authorities, first.authorities);
    clock.pass(1000);
    let late = clock.step(Some(&first), true);
    assert_ne!(late.authorities, first.authorities);
    assert_eq!(late.authorities.len(), 1);
}

#[test]
fn periods_may_have_any_length() {
    let (clock, _) = start();
    let names = ["webhook.default.svc".to_owned()];
    for [authority, certificate, propagation] in [
        [Duration::MAX; 3],
        [Duration::ZERO; 3],
        [Duration::MAX, Duration::ZERO, Duration::MAX],
        [Duration::ZERO, Duration::MAX, Duration::ZERO],
    ] {
        let periods = Periods {
            authority,
            certificate,
            propagation,
        };
        let mut current = None;
        for _ in 0..3 {
            let step = next(
                current.as_ref(),
                "operator",
                &names,
                &periods,
                true,
                clock.0,
            );
            current = Some(step.unwrap());
        }
        let ends = current.unwrap().ends().unwrap();
        let last = UNIX_EPOCH + LAST;
        let expected = if certificate.is_zero() { clock.0 } else { last };
        assert_eq!(ends, expected);
        assert!(periods.check() >= Duration::from_millis(100));
    }
}

#[test]
fn other_names_need_another_certificate() {
    let (clock, first) = start();
    let names = ["other.default.svc".to_owned()];
    let other = next(Some(&first), "operator", &names, &PERIODS, true, clock.0).unwrap();
    assert_eq!(other.authorities, first.authorities);
    assert_eq!(Facts::of(&other.certificate).unwrap().names, names);
}
