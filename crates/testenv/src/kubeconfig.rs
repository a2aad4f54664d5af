//! Writes kubeconfigs, and derives client configurations.

use std::{
    fs::OpenOptions,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use k8s_openapi::ByteString;
use kube::config::AuthInfo;
use serde_json::{Value, json};

use crate::error::Error;

/// Returns `config` with `token` as its only credential.
pub(crate) fn with_token(config: &kube::Config, token: &str) -> Result<kube::Config, Error> {
    // Through JSON, because the type of the token is in another crate.
    let auth_info: AuthInfo = serde_json::from_value(json!({ "token": token }))
        .map_err(|e| Error::io("token")(e.into()))?;
    let mut config = config.clone();
    config.auth_info = auth_info;
    Ok(config)
}

/// Returns `config` without automatic retries.
pub(crate) fn without_retry(config: &kube::Config) -> kube::Config {
    let mut config = config.clone();
    config.default_retry = false;
    config
}

/// Writes a kubeconfig with the server and the certificate authority of `config` and the token; only the owner can read it.
pub(crate) fn write(
    path: PathBuf,
    config: &kube::Config,
    token: &str,
    namespace: &str,
) -> Result<PathBuf, Error> {
    let mut cluster = json!({ "server": config.cluster_url.to_string().trim_end_matches('/') });
    if let Some(authorities) = config
        .root_cert
        .as_ref()
        .filter(|_| config.cluster_url.scheme_str() == Some("https"))
    {
        let pem: String = authorities.iter().map(|der| pem(der)).collect();
        cluster["certificate-authority-data"] = json!(ByteString(pem.into_bytes()));
    }
    let text = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "testenv", "cluster": cluster }],
        "users": [{ "name": "testenv", "user": { "token": token } }],
        "contexts": [{ "name": "testenv", "context": { "cluster": "testenv", "user": "testenv", "namespace": namespace } }],
        "current-context": "testenv",
    });
    secret(&path, &format!("{text:#}\n"))?;
    Ok(path)
}

/// Writes a file that only the owner can read.
pub(crate) fn secret(path: &Path, text: &str) -> Result<(), Error> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(Error::io(path.display().to_string()))
}

fn pem(der: &[u8]) -> String {
    let Value::String(base64) = json!(ByteString(der.to_vec())) else {
        return String::new();
    };
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(rest.len().min(64));
        pem.push_str(line);
        pem.push('\n');
        rest = tail;
    }
    pem + "-----END CERTIFICATE-----\n"
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;
    use crate::identity::Identity;

    #[test]
    fn a_certificate_is_unchanged_after_der() {
        let identity = Identity::new().unwrap();
        assert_eq!(pem(&identity.ca_der), identity.ca_pem.replace("\r\n", "\n"));
    }

    #[test]
    fn only_the_owner_can_read_a_kubeconfig() {
        let folder = tempfile::tempdir().unwrap();
        let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
        let path = write(
            folder.path().join("kubeconfig"),
            &config,
            "secret",
            "default",
        )
        .unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(
            fs::read_to_string(path)
                .unwrap()
                .contains("\"token\": \"secret\"")
        );
    }
}
