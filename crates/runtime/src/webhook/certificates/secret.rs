//! The Secret that the replicas share.
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::Client;

use super::{CertificateError, Material};
use crate::client::{ErrorExt, TypedClient};

const TYPE: &str = "kubernetes.io/tls";
/// The CAs that clients trust, as cert-manager names them.
const BUNDLE: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const END: &str = "-----END CERTIFICATE-----\n";

pub(super) struct Store {
    secrets: TypedClient<Secret>,
    namespace: String,
    name: String,
    operator: String,
}

/// The Secret as it was read, for a write that fails if another replica wrote first.
pub(super) struct Read {
    secret: Option<Secret>,
    pub(super) material: Option<Material>,
}

impl Store {
    pub(super) fn new(client: Client, namespace: String, name: String, operator: &str) -> Self {
        Self {
            secrets: TypedClient::namespaced(client, &namespace),
            namespace,
            name,
            operator: operator.to_owned(),
        }
    }

    /// Returns namespace and name.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    pub(super) async fn read(&self) -> Result<Read, CertificateError> {
        let secret = self.secrets.get_opt(&self.name).await;
        let secret = secret.map_err(|source| self.failed("read", source))?;
        let type_ = secret.as_ref().and_then(|secret| secret.type_.clone());
        if let Some(type_) = type_.filter(|type_| type_ != TYPE) {
            return Err(CertificateError::Foreign {
                namespace: self.namespace.clone(),
                name: self.name.clone(),
                type_,
            });
        }
        let material = secret.as_ref().and_then(material);
        Ok(Read { secret, material })
    }

    /// Writes the Secret, and returns whether no other replica wrote it since it was read.
    pub(super) async fn write(
        &self,
        read: Read,
        material: &Material,
    ) -> Result<bool, CertificateError> {
        let exists = read.secret.is_some();
        let mut secret = read.secret.unwrap_or_default();
        secret.metadata.name = Some(self.name.clone());
        secret.metadata.namespace = Some(self.namespace.clone());
        let labels = secret.metadata.labels.get_or_insert_default();
        labels.insert(
            "app.kubernetes.io/managed-by".to_owned(),
            self.operator.clone(),
        );
        secret.type_ = Some(TYPE.to_owned());
        let data = secret.data.get_or_insert_default();
        for (key, value) in [
            (BUNDLE, &material.bundle()),
            (AUTHORITY_KEY, &material.authority_key),
            (CERTIFICATE, &material.certificate),
            (KEY, &material.key),
        ] {
            data.insert(key.to_owned(), ByteString(value.clone().into_bytes()));
        }
        let written = if exists {
            self.secrets.replace(&secret).await
        } else {
            self.secrets.create(&secret).await
        };
        match written {
            Ok(_) => Ok(true),
            // Another replica wrote, or someone deleted it.
            Err(error)
                if error.is_conflict()
                    || error.is_already_exists()
                    || error.is_not_found() && exists =>
            {
                Ok(false)
            }
            Err(source) => Err(self.failed("write", source)),
        }
    }

    fn failed(&self, action: &'static str, source: kube::Error) -> CertificateError {
        CertificateError::Secret {
            action,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            source: Box::new(source),
        }
    }
}

fn material(secret: &Secret) -> Option<Material> {
    let data = secret.data.as_ref()?;
    let text = |key| String::from_utf8(data.get(key)?.0.clone()).ok();
    let bundle: String = text(BUNDLE)?;
    let authorities = bundle.split_inclusive(END).map(str::to_owned);
    Some(Material {
        authorities: authorities.filter(|pem| pem.ends_with(END)).collect(),
        authority_key: text(AUTHORITY_KEY)?,
        certificate: text(CERTIFICATE)?,
        key: text(KEY)?,
    })
}
