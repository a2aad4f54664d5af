//! Decides when a CA or certificate is renewed, and makes it.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};
use x509_parser::{certificate::X509Certificate, extensions::GeneralName, parse_x509_certificate};

use super::CertificateError;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How much earlier certificates are valid than they are made, for clocks that differ.
const SKEW: Duration = Duration::from_secs(5 * 60);

/// The end of a certificate without an expiration (RFC 5280): the last second of the year 9999.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// How long certificates are valid, and how long a change takes to reach everyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::webhook) struct Periods {
    pub(super) authority: Duration,
    pub(super) certificate: Duration,
    pub(super) propagation: Duration,
}

impl Default for Periods {
    fn default() -> Self {
        Self {
            authority: 365 * DAY,
            certificate: 90 * DAY,
            propagation: Duration::from_secs(300),
        }
    }
}

impl Periods {
    /// Returns how often the Secret and the published bundles are checked.
    pub(super) fn check(&self) -> Duration {
        (self.propagation / 5).max(Duration::from_millis(100))
    }
}

/// CAs and a serving certificate, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::webhook) struct Material {
    /// The CAs that clients trust, the newest first.
    pub(super) authorities: Vec<String>,
    /// The private key of the newest CA.
    pub(super) authority_key: String,
    pub(super) certificate: String,
    pub(super) key: String,
}

/// What a certificate says.
struct Facts {
    made: SystemTime,
    ends: SystemTime,
    subject: Vec<u8>,
    issuer: Vec<u8>,
    names: Vec<String>,
}

impl Facts {
    fn of(pem: &str) -> Option<Self> {
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
        let (_, parsed) = parse_x509_certificate(&der).ok()?;
        let time =
            |seconds: i64| Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?));
        let dates = parsed.validity();
        Some(Self {
            made: time(dates.not_before.timestamp())? + SKEW,
            ends: time(dates.not_after.timestamp())?,
            subject: parsed.subject().as_raw().to_vec(),
            issuer: parsed.issuer().as_raw().to_vec(),
            names: names(&parsed),
        })
    }

    /// Whether two thirds of the time have passed, or it is not usable at all.
    fn is_due(&self, now: SystemTime) -> bool {
        now >= self.due()
    }

    fn due(&self) -> SystemTime {
        let valid = self.ends.duration_since(self.made).unwrap_or_default();
        self.made + valid * 2 / 3
    }

    fn has_ended(&self, now: SystemTime) -> bool {
        now >= self.ends
    }
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(alternative)) = certificate.subject_alternative_name() else {
        return Vec::new();
    };
    let names = &alternative.value.general_names;
    names
        .iter()
        .filter_map(|name| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            GeneralName::IPAddress(bytes) => match bytes.len() {
                4 => <[u8; 4]>::try_from(*bytes)
                    .ok()
                    .map(|ip| std::net::Ipv4Addr::from(ip).to_string()),
                _ => <[u8; 16]>::try_from(*bytes)
                    .ok()
                    .map(|ip| std::net::Ipv6Addr::from(ip).to_string()),
            },
            _ => None,
        })
        .collect()
}

impl Material {
    /// Returns the CAs that clients trust, as one PEM text.
    pub(in crate::webhook) fn bundle(&self) -> String {
        self.authorities.concat()
    }

    /// Returns certificate and key as PEM.
    pub(in crate::webhook) fn pair(&self) -> (&str, &str) {
        (&self.certificate, &self.key)
    }

    /// Returns when the certificate ends.
    pub(in crate::webhook) fn ends(&self) -> Option<SystemTime> {
        Some(Facts::of(&self.certificate)?.ends)
    }

    /// Returns when [`next`] is going to change something, if nothing else happens.
    pub(super) fn due(&self) -> Option<SystemTime> {
        let authority = Facts::of(self.authorities.first()?)?;
        Some(authority.due().min(Facts::of(&self.certificate)?.due()))
    }
}

/// Returns what the Secret should contain. Equal to `current` if nothing is to be done.
///
/// `published` is whether this replica has written the CAs of `current` to every configuration.
pub(super) fn next(
    current: Option<&Material>,
    operator: &str,
    wanted: &[String],
    periods: &Periods,
    published: bool,
    now: SystemTime,
) -> Result<Material, CertificateError> {
    let usable = current.and_then(|current| {
        let authority = Facts::of(current.authorities.first()?)?;
        KeyPair::from_pem(&current.authority_key).ok()?;
        (!authority.has_ended(now)).then_some((current, authority))
    });
    let Some((current, authority)) = usable else {
        let (pem, key) = authority_for(operator, periods, now)?;
        let (certificate, certificate_key) = serving(&pem, &key, wanted, periods, now)?;
        return Ok(Material {
            authorities: vec![pem],
            authority_key: key,
            certificate,
            key: certificate_key,
        });
    };
    let mut result = current.clone();
    let serving_facts = Facts::of(&current.certificate)
        .filter(|facts| !facts.has_ended(now) && KeyPair::from_pem(&current.key).is_ok());
    let serving_is_usable = serving_facts
        .as_ref()
        .is_some_and(|facts| wanted.iter().all(|name| facts.names.contains(name)));
    if authority.is_due(now) && serving_is_usable {
        let (pem, key) = authority_for(operator, periods, now)?;
        result.authorities.insert(0, pem);
        result.authority_key = key;
        return Ok(result);
    }
    let reached_all =
        |made: SystemTime| now.duration_since(made).unwrap_or_default() >= periods.propagation;
    let Some(facts) = serving_facts.filter(|_| serving_is_usable) else {
        return result.serve(wanted, periods, now);
    };
    let by_newest = facts.issuer == authority.subject;
    if facts.is_due(now) || !by_newest {
        if by_newest || published && reached_all(authority.made) {
            return result.serve(wanted, periods, now);
        }
    } else if reached_all(facts.made) {
        result.authorities.truncate(1);
    }
    result
        .authorities
        .retain(|pem| Facts::of(pem).is_some_and(|facts| !facts.has_ended(now)));
    Ok(result)
}

impl Material {
    /// Replaces the serving certificate by one of the newest CA.
    fn serve(
        mut self,
        names: &[String],
        periods: &Periods,
        now: SystemTime,
    ) -> Result<Self, CertificateError> {
        let authority = self.authorities.first().map(String::as_str);
        let authority = authority.unwrap_or_default();
        let made = serving(authority, &self.authority_key, names, periods, now)?;
        (self.certificate, self.key) = made;
        Ok(self)
    }
}

fn authority_for(
    operator: &str,
    periods: &Periods,
    now: SystemTime,
) -> Result<(String, String), CertificateError> {
    let mut params = CertificateParams::default();
    // A name of its own, so that clients with two CAs find the right one.
    let unique = now
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let name = format!("{operator}-webhook-ca-{unique:x}");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = (now - SKEW).into();
    params.not_after = end(now, periods.authority).into();
    let key = KeyPair::generate().map_err(issue)?;
    let certificate = params.self_signed(&key).map_err(issue)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn serving(
    authority: &str,
    authority_key: &str,
    names: &[String],
    periods: &Periods,
    now: SystemTime,
) -> Result<(String, String), CertificateError> {
    let authority_key = KeyPair::from_pem(authority_key).map_err(issue)?;
    let issuer = Issuer::from_ca_cert_pem(authority, authority_key).map_err(issue)?;
    let mut params = CertificateParams::new(names).map_err(issue)?;
    let name = names.first().map_or("webhook", String::as_str);
    // A common name has at most 64 characters.
    let name: String = name.chars().take(64).collect();
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.not_before = (now - SKEW).into();
    params.not_after = end(now, periods.certificate).into();
    let key = KeyPair::generate().map_err(issue)?;
    let certificate = params.signed_by(&key, &issuer).map_err(issue)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// Returns the end of a certificate, which has four digits for the year.
fn end(now: SystemTime, period: Duration) -> SystemTime {
    let last = UNIX_EPOCH + LAST;
    now.checked_add(period).map_or(last, |end| end.min(last))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn issue(error: rcgen::Error) -> CertificateError {
    CertificateError::Issue(error.to_string())
}

#[cfg(test)]
#[path = "issue_tests.rs"]
mod tests;
