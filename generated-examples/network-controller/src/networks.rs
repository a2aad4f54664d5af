//! The real state: one file for each configured network, in the format of CNI.
use std::{fs, io, net::IpAddr, path::PathBuf};

use ipnet::IpNet;
use kube_codegen_runtime::informer::ObjectKey;
use serde_json::{Value, json};

use crate::generated::samplecrd_k8s_io::v1::NetworkSpec;

/// The extension of the files.
const EXTENSION: &str = "conflist";

/// The longest name of a file. Names of objects have up to 253 letters.
const LONGEST: usize = 255;

/// Returns the configuration of a network.
///
/// # Errors
/// A message for the author of the object.
pub fn configuration(key: &ObjectKey, spec: &NetworkSpec) -> Result<Value, String> {
    if file_name(key).len() > LONGEST {
        return Err("metadata.name is too long for the name of a file".to_owned());
    }
    let NetworkSpec { cidr, gateway } = spec;
    let network: IpNet = cidr.parse().map_err(|_| {
        format!("spec.cidr is {cidr:?}: it must be a network such as 192.168.0.0/16")
    })?;
    let address: IpAddr = gateway.parse().map_err(|_| {
        format!("spec.gateway is {gateway:?}: it must be an address such as 192.168.0.1")
    })?;
    if network.addr() != network.network() {
        let network = network.trunc();
        return Err(format!("spec.cidr is {cidr}: did you mean {network}?"));
    }
    if !network.contains(&address) {
        return Err(format!("spec.gateway {gateway} is not in {cidr}"));
    }
    let range = json!({ "subnet": network.to_string(), "gateway": gateway });
    Ok(json!({
        "cniVersion": "1.0.0",
        "name": key.to_string(),
        "plugins": [{
            "type": "bridge",
            "isGateway": true,
            "ipam": { "type": "host-local", "ranges": [[range]] },
        }],
    }))
}

fn file_name(key: &ObjectKey) -> String {
    // Names in Kubernetes have no underscore.
    let namespace = key.namespace.as_deref().unwrap_or_default();
    format!("{namespace}_{}.{EXTENSION}", key.name)
}

/// The configured networks.
#[derive(Clone, Debug)]
pub struct Networks(PathBuf);

impl Networks {
    /// Returns the networks in a directory, which need not exist.
    pub fn new(directory: PathBuf) -> Self {
        Self(directory)
    }

    fn path(&self, key: &ObjectKey) -> PathBuf {
        self.0.join(file_name(key))
    }

    /// Returns the keys of all configured networks.
    pub fn keys(&self) -> io::Result<Vec<ObjectKey>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut keys = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let is_network = path.extension().is_some_and(|it| it == EXTENSION);
            if let Some((namespace, name)) = stem.and_then(|stem| stem.split_once('_'))
                && is_network
            {
                keys.push(ObjectKey::namespaced(namespace, name));
            }
        }
        Ok(keys)
    }

    /// Returns the configuration of a network. One that is not JSON is null.
    pub fn get(&self, key: &ObjectKey) -> io::Result<Option<Value>> {
        if file_name(key).len() > LONGEST {
            return Ok(None);
        }
        match fs::read(self.path(key)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text).unwrap_or_default())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Configures a network. Readers see the old or the new file, never a part.
    pub fn set(&self, key: &ObjectKey, configuration: &Value) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        let path = self.path(key);
        let new = path.with_extension("new");
        fs::write(&new, format!("{configuration:#}\n"))?;
        fs::rename(new, path)
    }

    /// Removes a network.
    pub fn remove(&self, key: &ObjectKey) -> io::Result<()> {
        fs::remove_file(self.path(key))
    }
}
