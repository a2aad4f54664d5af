//! `api::core::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_34, V1_35, V1_36, V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I32, I64, Str, Time, IntOrString, Quantity, Other, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE,
    &AFFINITY,
    &APP_ARMOR_PROFILE,
    &ATTACHED_VOLUME,
    &AZURE_DISK_VOLUME_SOURCE,
    &AZURE_FILE_PERSISTENT_VOLUME_SOURCE,
    &AZURE_FILE_VOLUME_SOURCE,
    &CSI_PERSISTENT_VOLUME_SOURCE,
    &CSI_VOLUME_SOURCE,
    &CAPABILITIES,
    &CEPH_FS_PERSISTENT_VOLUME_SOURCE,
    &CEPH_FS_VOLUME_SOURCE,
    &CINDER_PERSISTENT_VOLUME_SOURCE,
    &CINDER_VOLUME_SOURCE,
    &CLIENT_IP_CONFIG,
    &CLUSTER_TRUST_BUNDLE_PROJECTION,
    &COMPONENT_CONDITION,
    &CONFIG_MAP_ENV_SOURCE,
    &CONFIG_MAP_KEY_SELECTOR,
    &CONFIG_MAP_NODE_CONFIG_SOURCE,
    &CONFIG_MAP_PROJECTION,
    &CONFIG_MAP_VOLUME_SOURCE,
    &CONTAINER,
    &CONTAINER_EXTENDED_RESOURCE_REQUEST,
    &CONTAINER_IMAGE,
    &CONTAINER_PORT,
    &CONTAINER_RESIZE_POLICY,
    &CONTAINER_RESTART_RULE,
    &CONTAINER_RESTART_RULE_ON_EXIT_CODES,
    &CONTAINER_STATE,
    &CONTAINER_STATE_RUNNING,
    &CONTAINER_STATE_TERMINATED,
    &CONTAINER_STATE_WAITING,
    &CONTAINER_STATUS,
    &CONTAINER_USER,
    &DAEMON_ENDPOINT,
    &DOWNWARD_API_PROJECTION,
    &DOWNWARD_API_VOLUME_FILE,
    &DOWNWARD_API_VOLUME_SOURCE,
    &EMPTY_DIR_VOLUME_SOURCE,
    &ENDPOINT_ADDRESS,
    &ENDPOINT_PORT,
    &ENDPOINT_SUBSET,
    &ENV_FROM_SOURCE,
    &ENV_VAR,
    &ENV_VAR_SOURCE,
    &EPHEMERAL_CONTAINER,
    &EPHEMERAL_VOLUME_SOURCE,
    &EVENT_SERIES,
    &EVENT_SOURCE,
    &EVICTION_RESPONDER,
    &EXEC_ACTION,
    &FC_VOLUME_SOURCE,
    &FILE_KEY_SELECTOR,
    &FLEX_PERSISTENT_VOLUME_SOURCE,
    &FLEX_VOLUME_SOURCE,
    &FLOCKER_VOLUME_SOURCE,
    &GCE_PERSISTENT_DISK_VOLUME_SOURCE,
    &GRPC_ACTION,
    &GIT_REPO_VOLUME_SOURCE,
    &GLUSTERFS_PERSISTENT_VOLUME_SOURCE,
    &GLUSTERFS_VOLUME_SOURCE,
    &HTTP_GET_ACTION,
    &HTTP_HEADER,
    &HOST_ALIAS,
    &HOST_IP,
    &HOST_PATH_VOLUME_SOURCE,
    &ISCSI_PERSISTENT_VOLUME_SOURCE,
    &ISCSI_VOLUME_SOURCE,
    &IMAGE_VOLUME_SOURCE,
    &IMAGE_VOLUME_STATUS,
    &KEY_TO_PATH,
    &LIFECYCLE,
    &LIFECYCLE_HANDLER,
    &LIMIT_RANGE_ITEM,
    &LIMIT_RANGE_SPEC,
    &LINUX_CONTAINER_USER,
    &LOAD_BALANCER_INGRESS,
    &LOAD_BALANCER_STATUS,
    &LOCAL_OBJECT_REFERENCE,
    &LOCAL_VOLUME_SOURCE,
    &MODIFY_VOLUME_STATUS,
    &NFS_VOLUME_SOURCE,
    &NAMESPACE_CONDITION,
    &NAMESPACE_SPEC,
    &NAMESPACE_STATUS,
    &NODE_ADDRESS,
    &NODE_AFFINITY,
    &NODE_ALLOCATABLE_MAPPED_RESOURCES,
    &NODE_ALLOCATABLE_OVERHEAD_RESOURCES,
    &NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS,
    &NODE_CONDITION,
    &NODE_CONFIG_SOURCE,
    &NODE_CONFIG_STATUS,
    &NODE_DAEMON_ENDPOINTS,
    &NODE_FEATURES,
    &NODE_POD_PREEMPTION_POLICY,
    &NODE_RUNTIME_HANDLER,
    &NODE_RUNTIME_HANDLER_FEATURES,
    &NODE_SELECTOR,
    &NODE_SELECTOR_REQUIREMENT,
    &NODE_SELECTOR_TERM,
    &NODE_SPEC,
    &NODE_STATUS,
    &NODE_SWAP_STATUS,
    &NODE_SYSTEM_INFO,
    &OBJECT_FIELD_SELECTOR,
    &OBJECT_REFERENCE,
    &PERSISTENT_VOLUME_CLAIM_CONDITION,
    &PERSISTENT_VOLUME_CLAIM_SPEC,
    &PERSISTENT_VOLUME_CLAIM_STATUS,
    &PERSISTENT_VOLUME_CLAIM_TEMPLATE,
    &PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE,
    &PERSISTENT_VOLUME_SPEC,
    &PERSISTENT_VOLUME_STATUS,
    &PHOTON_PERSISTENT_DISK_VOLUME_SOURCE,
    &POD_AFFINITY,
    &POD_AFFINITY_TERM,
    &POD_ANTI_AFFINITY,
    &POD_CERTIFICATE_PROJECTION,
    &POD_CONDITION,
    &POD_DNS_CONFIG,
    &POD_DNS_CONFIG_OPTION,
    &POD_EXTENDED_RESOURCE_CLAIM_STATUS,
    &POD_IP,
    &POD_OS,
    &POD_READINESS_GATE,
    &POD_RESOURCE_CLAIM,
    &POD_RESOURCE_CLAIM_STATUS,
    &POD_SCHEDULING_GATE,
    &POD_SCHEDULING_GROUP,
    &POD_SECURITY_CONTEXT,
    &POD_SPEC,
    &POD_STATUS,
    &POD_TEMPLATE_SPEC,
    &POD_VOLUME_HEALTH,
    &PORT_STATUS,
    &PORTWORX_VOLUME_SOURCE,
    &PREFERRED_SCHEDULING_TERM,
    &PROBE,
    &PROJECTED_VOLUME_SOURCE,
    &QUOBYTE_VOLUME_SOURCE,
    &RBD_PERSISTENT_VOLUME_SOURCE,
    &RBD_VOLUME_SOURCE,
    &REPLICATION_CONTROLLER_CONDITION,
    &REPLICATION_CONTROLLER_SPEC,
    &REPLICATION_CONTROLLER_STATUS,
    &RESOURCE_CLAIM,
    &RESOURCE_FIELD_SELECTOR,
    &RESOURCE_HEALTH,
    &RESOURCE_QUOTA_SPEC,
    &RESOURCE_QUOTA_STATUS,
    &RESOURCE_REQUIREMENTS,
    &RESOURCE_STATUS,
    &SE_LINUX_OPTIONS,
    &SCALE_IO_PERSISTENT_VOLUME_SOURCE,
    &SCALE_IO_VOLUME_SOURCE,
    &SCOPE_SELECTOR,
    &SCOPED_RESOURCE_SELECTOR_REQUIREMENT,
    &SECCOMP_PROFILE,
    &SECRET_ENV_SOURCE,
    &SECRET_KEY_SELECTOR,
    &SECRET_PROJECTION,
    &SECRET_REFERENCE,
    &SECRET_VOLUME_SOURCE,
    &SECURITY_CONTEXT,
    &SERVICE_ACCOUNT_TOKEN_PROJECTION,
    &SERVICE_PORT,
    &SERVICE_SPEC,
    &SERVICE_STATUS,
    &SESSION_AFFINITY_CONFIG,
    &SLEEP_ACTION,
    &STORAGE_OS_PERSISTENT_VOLUME_SOURCE,
    &STORAGE_OS_VOLUME_SOURCE,
    &SYSCTL,
    &TCP_SOCKET_ACTION,
    &TAINT,
    &TOLERATION,
    &TOPOLOGY_SELECTOR_LABEL_REQUIREMENT,
    &TOPOLOGY_SELECTOR_TERM,
    &TOPOLOGY_SPREAD_CONSTRAINT,
    &TYPED_LOCAL_OBJECT_REFERENCE,
    &TYPED_OBJECT_REFERENCE,
    &VOLUME,
    &VOLUME_DEVICE,
    &VOLUME_HEALTH_CONDITION,
    &VOLUME_HEALTH_STATUS,
    &VOLUME_MOUNT,
    &VOLUME_MOUNT_STATUS,
    &VOLUME_NODE_AFFINITY,
    &VOLUME_PROJECTION,
    &VOLUME_RESOURCE_REQUIREMENTS,
    &VOLUME_STATUS,
    &VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE,
    &WEIGHTED_POD_AFFINITY_TERM,
    &WINDOWS_SECURITY_CONTEXT_OPTIONS,
];

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::AWSElasticBlockStoreVolumeSource",
    "Represents a Persistent Disk resource in AWS.",
    true,
    &[
        may("fsType", Str),
        may("partition", I32),
        may("readOnly", Bool),
        must("volumeID", Str),
    ],
);

pub(super) static AFFINITY: Type = leaf(
    "k8s_openapi::api::core::v1::Affinity",
    "Affinity is a group of affinity scheduling rules.",
    true,
    &[
        may("nodeAffinity", Struct(&super::core_v1::NODE_AFFINITY)).said("Describes node affinity scheduling rules for the pod."),
        may("podAffinity", Struct(&super::core_v1::POD_AFFINITY)).said("Describes pod affinity scheduling rules (e.g."),
        may("podAntiAffinity", Struct(&super::core_v1::POD_ANTI_AFFINITY)).said("Describes pod anti-affinity scheduling rules (e.g."),
    ],
);

pub(super) static APP_ARMOR_PROFILE: Type = leaf(
    "k8s_openapi::api::core::v1::AppArmorProfile",
    "AppArmorProfile defines a pod or container's AppArmor settings.",
    true,
    &[
        may("localhostProfile", Str),
        must("type", Str),
    ],
);

pub(super) static ATTACHED_VOLUME: Type = leaf(
    "k8s_openapi::api::core::v1::AttachedVolume",
    "AttachedVolume describes a volume attached to a node",
    true,
    &[
        must("devicePath", Str),
        must("name", Str),
    ],
);

pub(super) static AZURE_DISK_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::AzureDiskVolumeSource",
    "AzureDisk represents an Azure Data Disk mount on the host and bind mount to the pod.",
    true,
    &[
        may("cachingMode", Str),
        must("diskName", Str),
        must("diskURI", Str),
        may("fsType", Str),
        may("kind", Str),
        may("readOnly", Bool),
    ],
);

pub(super) static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::AzureFilePersistentVolumeSource",
    "AzureFile represents an Azure File Service mount on the host and bind mount to the pod.",
    true,
    &[
        may("readOnly", Bool),
        must("secretName", Str),
        may("secretNamespace", Str),
        must("shareName", Str),
    ],
);

pub(super) static AZURE_FILE_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::AzureFileVolumeSource",
    "AzureFile represents an Azure File Service mount on the host and bind mount to the pod.",
    true,
    &[
        may("readOnly", Bool),
        must("secretName", Str),
        must("shareName", Str),
    ],
);

pub(super) static CSI_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CSIPersistentVolumeSource",
    "Represents storage that is managed by an external CSI volume driver",
    true,
    &[
        may("controllerExpandSecretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("controllerExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ControllerExpandVolume call."),
        may("controllerPublishSecretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("controllerPublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI ControllerPublishVolume and ControllerUnpublishVolume calls."),
        must("driver", Str),
        may("fsType", Str),
        may("nodeExpandSecretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("nodeExpandSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI NodeExpandVolume call."),
        may("nodePublishSecretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI NodePublishVolume and NodeUnpublishVolume calls."),
        may("nodeStageSecretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("nodeStageSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI NodeStageVolume and NodeStageVolume and NodeUnstageVolume calls."),
        may("readOnly", Bool),
        may("volumeAttributes", Map(&Str)),
        must("volumeHandle", Str),
    ],
);

pub(super) static CSI_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CSIVolumeSource",
    "Represents a source location of a volume to mount, managed by an external CSI driver",
    true,
    &[
        must("driver", Str),
        may("fsType", Str),
        may("nodePublishSecretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("nodePublishSecretRef is a reference to the secret object containing sensitive information to pass to the CSI driver to complete the CSI NodePublishVolume and NodeUnpublishVolume calls."),
        may("readOnly", Bool),
        may("volumeAttributes", Map(&Str)),
    ],
);

pub(super) static CAPABILITIES: Type = leaf(
    "k8s_openapi::api::core::v1::Capabilities",
    "Adds and removes POSIX capabilities from running containers.",
    true,
    &[
        may("add", List(&Str)),
        may("drop", List(&Str)),
    ],
);

pub(super) static CEPH_FS_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CephFSPersistentVolumeSource",
    "Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership management or SELinux relabeling.",
    true,
    &[
        must("monitors", List(&Str)),
        may("path", Str),
        may("readOnly", Bool),
        may("secretFile", Str),
        may("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty."),
        may("user", Str),
    ],
);

pub(super) static CEPH_FS_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CephFSVolumeSource",
    "Represents a Ceph Filesystem mount that lasts the lifetime of a pod Cephfs volumes do not support ownership management or SELinux relabeling.",
    true,
    &[
        must("monitors", List(&Str)),
        may("path", Str),
        may("readOnly", Bool),
        may("secretFile", Str),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef is Optional: SecretRef is reference to the authentication secret for User, default is empty."),
        may("user", Str),
    ],
);

pub(super) static CINDER_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CinderPersistentVolumeSource",
    "Represents a cinder volume resource in Openstack.",
    true,
    &[
        may("fsType", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef is Optional: points to a secret object containing parameters used to connect to OpenStack."),
        must("volumeID", Str),
    ],
);

pub(super) static CINDER_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::CinderVolumeSource",
    "Represents a cinder volume resource in Openstack.",
    true,
    &[
        may("fsType", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef is optional: points to a secret object containing parameters used to connect to OpenStack."),
        must("volumeID", Str),
    ],
);

pub(super) static CLIENT_IP_CONFIG: Type = leaf(
    "k8s_openapi::api::core::v1::ClientIPConfig",
    "ClientIPConfig represents the configurations of Client IP based session affinity.",
    true,
    &[
        may("timeoutSeconds", I32),
    ],
);

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::ClusterTrustBundleProjection",
    "ClusterTrustBundleProjection describes how to select a set of ClusterTrustBundle objects and project their contents into the pod filesystem.",
    true,
    &[
        may("labelSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("Select all ClusterTrustBundles that match this label selector."),
        may("name", Str),
        may("optional", Bool),
        must("path", Str),
        may("signerName", Str),
        may("user", I64).since(V1_37),
    ],
);

pub(super) static COMPONENT_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::ComponentCondition",
    "Information about the condition of a component.",
    true,
    &[
        may("error", Str),
        may("message", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static CONFIG_MAP_ENV_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ConfigMapEnvSource",
    "ConfigMapEnvSource selects a ConfigMap to populate the environment variables with.",
    true,
    &[
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static CONFIG_MAP_KEY_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::ConfigMapKeySelector",
    "Selects a key from a ConfigMap.",
    true,
    &[
        must("key", Str),
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static CONFIG_MAP_NODE_CONFIG_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ConfigMapNodeConfigSource",
    "ConfigMapNodeConfigSource contains the information to reference a ConfigMap as a config source for the Node.",
    true,
    &[
        must("kubeletConfigKey", Str),
        must("name", Str),
        must("namespace", Str),
        may("resourceVersion", Str),
        may("uid", Str),
    ],
);

pub(super) static CONFIG_MAP_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::ConfigMapProjection",
    "Adapts a ConfigMap into a projected volume.",
    true,
    &[
        may("items", List(&Struct(&super::core_v1::KEY_TO_PATH))).said("items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the volume as a file whose name is the key and content is the value."),
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static CONFIG_MAP_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ConfigMapVolumeSource",
    "Adapts a ConfigMap into a volume.",
    true,
    &[
        may("defaultMode", I32),
        may("defaultUser", I64).since(V1_37),
        may("items", List(&Struct(&super::core_v1::KEY_TO_PATH))).said("items if unspecified, each key-value pair in the Data field of the referenced ConfigMap will be projected into the volume as a file whose name is the key and content is the value."),
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static CONTAINER: Type = leaf(
    "k8s_openapi::api::core::v1::Container",
    "A single application container that you want to run within a pod.",
    true,
    &[
        may("args", List(&Str)),
        may("command", List(&Str)),
        may("env", List(&Struct(&super::core_v1::ENV_VAR))).said("List of environment variables to set in the container."),
        may("envFrom", List(&Struct(&super::core_v1::ENV_FROM_SOURCE))).said("List of sources to populate environment variables in the container."),
        may("image", Str),
        may("imagePullPolicy", Str),
        may("lifecycle", Struct(&super::core_v1::LIFECYCLE)).said("Actions that the management system should take in response to container lifecycle events."),
        may("livenessProbe", Struct(&super::core_v1::PROBE)).said("Periodic probe of container liveness."),
        must("name", Str),
        may("ports", List(&Struct(&super::core_v1::CONTAINER_PORT))).said("List of ports to expose from the container."),
        may("readinessProbe", Struct(&super::core_v1::PROBE)).said("Periodic probe of container service readiness."),
        may("resizePolicy", List(&Struct(&super::core_v1::CONTAINER_RESIZE_POLICY))).said("Resources resize policy for the container."),
        may("resources", Struct(&super::core_v1::RESOURCE_REQUIREMENTS)).said("Compute Resources required by this container."),
        may("restartPolicy", Str),
        may("restartPolicyRules", List(&Struct(&super::core_v1::CONTAINER_RESTART_RULE))).said("Represents a list of rules to be checked to determine if the container should be restarted on exit.").since(V1_34),
        may("securityContext", Struct(&super::core_v1::SECURITY_CONTEXT)).said("SecurityContext defines the security options the container should be run with."),
        may("startupProbe", Struct(&super::core_v1::PROBE)).said("StartupProbe indicates that the Pod has successfully initialized."),
        may("stdin", Bool),
        may("stdinOnce", Bool),
        may("terminationMessagePath", Str),
        may("terminationMessagePolicy", Str),
        may("tty", Bool),
        may("volumeDevices", List(&Struct(&super::core_v1::VOLUME_DEVICE))).said("volumeDevices is the list of block devices to be used by the container."),
        may("volumeMounts", List(&Struct(&super::core_v1::VOLUME_MOUNT))).said("Pod volumes to mount into the container's filesystem."),
        may("workingDir", Str),
    ],
);

pub(super) static CONTAINER_EXTENDED_RESOURCE_REQUEST: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerExtendedResourceRequest",
    "ContainerExtendedResourceRequest has the mapping of container name, extended resource name to the device request name.",
    true,
    &[
        must("containerName", Str),
        must("requestName", Str),
        must("resourceName", Str),
    ],
).since(V1_34);

pub(super) static CONTAINER_IMAGE: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerImage",
    "Describe a container image",
    true,
    &[
        may("names", List(&Str)),
        may("sizeBytes", I64),
    ],
);

pub(super) static CONTAINER_PORT: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerPort",
    "ContainerPort represents a network port in a single container.",
    true,
    &[
        must("containerPort", I32),
        may("hostIP", Str),
        may("hostPort", I32),
        may("name", Str),
        may("protocol", Str),
    ],
);

pub(super) static CONTAINER_RESIZE_POLICY: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerResizePolicy",
    "ContainerResizePolicy represents resource resize policy for the container.",
    true,
    &[
        must("resourceName", Str),
        must("restartPolicy", Str),
    ],
);

pub(super) static CONTAINER_RESTART_RULE: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerRestartRule",
    "ContainerRestartRule describes how a container exit is handled.",
    true,
    &[
        must("action", Str),
        may("exitCodes", Struct(&super::core_v1::CONTAINER_RESTART_RULE_ON_EXIT_CODES)).said("Represents the exit codes to check on container exits."),
    ],
).since(V1_34);

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerRestartRuleOnExitCodes",
    "ContainerRestartRuleOnExitCodes describes the condition for handling an exited container based on its exit codes.",
    true,
    &[
        must("operator", Str),
        may("values", List(&I32)),
    ],
).since(V1_34);

pub(super) static CONTAINER_STATE: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerState",
    "ContainerState holds a possible state of container.",
    true,
    &[
        may("running", Struct(&super::core_v1::CONTAINER_STATE_RUNNING)).said("Details about a running container"),
        may("terminated", Struct(&super::core_v1::CONTAINER_STATE_TERMINATED)).said("Details about a terminated container"),
        may("waiting", Struct(&super::core_v1::CONTAINER_STATE_WAITING)).said("Details about a waiting container"),
    ],
);

pub(super) static CONTAINER_STATE_RUNNING: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerStateRunning",
    "ContainerStateRunning is a running state of a container.",
    true,
    &[
        may("startedAt", Time),
    ],
);

pub(super) static CONTAINER_STATE_TERMINATED: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerStateTerminated",
    "ContainerStateTerminated is a terminated state of a container.",
    true,
    &[
        may("containerID", Str),
        must("exitCode", I32),
        may("finishedAt", Time),
        may("message", Str),
        may("reason", Str),
        may("signal", I32),
        may("startedAt", Time),
    ],
);

pub(super) static CONTAINER_STATE_WAITING: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerStateWaiting",
    "ContainerStateWaiting is a waiting state of a container.",
    true,
    &[
        may("message", Str),
        may("reason", Str),
    ],
);

pub(super) static CONTAINER_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerStatus",
    "ContainerStatus contains details for the current status of this container.",
    true,
    &[
        may("allocatedResources", Map(&Quantity)),
        may("allocatedResourcesStatus", List(&Struct(&super::core_v1::RESOURCE_STATUS))).said("AllocatedResourcesStatus represents the status of various resources allocated for this Pod."),
        may("containerID", Str),
        must("image", Str),
        must("imageID", Str),
        may("lastState", Struct(&super::core_v1::CONTAINER_STATE)).said("LastTerminationState holds the last termination state of the container to help debug container crashes and restarts."),
        must("name", Str),
        must("ready", Bool),
        may("resources", Struct(&super::core_v1::RESOURCE_REQUIREMENTS)).said("Resources represents the compute resource requests and limits that have been successfully enacted on the running container after it has been started or has been successfully resized."),
        must("restartCount", I32),
        may("started", Bool),
        may("state", Struct(&super::core_v1::CONTAINER_STATE)).said("State holds details about the container's current condition."),
        may("stopSignal", Str),
        may("user", Struct(&super::core_v1::CONTAINER_USER)).said("User represents user identity information initially attached to the first process of the container"),
        may("volumeMounts", List(&Struct(&super::core_v1::VOLUME_MOUNT_STATUS))).said("Status of volume mounts."),
    ],
);

pub(super) static CONTAINER_USER: Type = leaf(
    "k8s_openapi::api::core::v1::ContainerUser",
    "ContainerUser represents user identity information",
    true,
    &[
        may("linux", Struct(&super::core_v1::LINUX_CONTAINER_USER)).said("Linux holds user identity information initially attached to the first process of the containers in Linux."),
    ],
);

pub(super) static DAEMON_ENDPOINT: Type = leaf(
    "k8s_openapi::api::core::v1::DaemonEndpoint",
    "DaemonEndpoint contains information about a single Daemon endpoint.",
    true,
    &[
        must("Port", I32),
    ],
);

pub(super) static DOWNWARD_API_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::DownwardAPIProjection",
    "Represents downward API info for projecting into a projected volume.",
    true,
    &[
        may("items", List(&Struct(&super::core_v1::DOWNWARD_API_VOLUME_FILE))).said("Items is a list of DownwardAPIVolume file"),
    ],
);

pub(super) static DOWNWARD_API_VOLUME_FILE: Type = leaf(
    "k8s_openapi::api::core::v1::DownwardAPIVolumeFile",
    "DownwardAPIVolumeFile represents information to create the file containing the pod field",
    true,
    &[
        may("fieldRef", Struct(&super::core_v1::OBJECT_FIELD_SELECTOR)).said("Required: Selects a field of the pod: only annotations, labels, name, namespace and uid are supported."),
        may("mode", I32),
        must("path", Str),
        may("resourceFieldRef", Struct(&super::core_v1::RESOURCE_FIELD_SELECTOR)).said("Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory, requests.cpu and requests.memory) are currently supported."),
        may("user", I64).since(V1_37),
    ],
);

pub(super) static DOWNWARD_API_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::DownwardAPIVolumeSource",
    "DownwardAPIVolumeSource represents a volume containing downward API info.",
    true,
    &[
        may("defaultMode", I32),
        may("defaultUser", I64).since(V1_37),
        may("items", List(&Struct(&super::core_v1::DOWNWARD_API_VOLUME_FILE))).said("Items is a list of downward API volume file"),
    ],
);

pub(super) static EMPTY_DIR_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::EmptyDirVolumeSource",
    "Represents an empty directory for a pod.",
    true,
    &[
        may("medium", Str),
        may("mode", I32).since(V1_37),
        may("sizeLimit", Quantity),
    ],
);

pub(super) static ENDPOINT_ADDRESS: Type = leaf(
    "k8s_openapi::api::core::v1::EndpointAddress",
    "EndpointAddress is a tuple that describes single IP address.",
    true,
    &[
        may("hostname", Str),
        must("ip", Str),
        may("nodeName", Str),
        may("targetRef", Struct(&super::core_v1::OBJECT_REFERENCE)).said("Reference to object providing the endpoint."),
    ],
);

pub(super) static ENDPOINT_PORT: Type = leaf(
    "k8s_openapi::api::core::v1::EndpointPort",
    "EndpointPort is a tuple that describes a single port.",
    true,
    &[
        may("appProtocol", Str),
        may("name", Str),
        must("port", I32),
        may("protocol", Str),
    ],
);

pub(super) static ENDPOINT_SUBSET: Type = leaf(
    "k8s_openapi::api::core::v1::EndpointSubset",
    "EndpointSubset is a group of addresses with a common set of ports.",
    true,
    &[
        may("addresses", List(&Struct(&super::core_v1::ENDPOINT_ADDRESS))).said("IP addresses which offer the related ports that are marked as ready."),
        may("notReadyAddresses", List(&Struct(&super::core_v1::ENDPOINT_ADDRESS))).said("IP addresses which offer the related ports but are not currently marked as ready because they have not yet finished starting, have recently failed a readiness check, or have recently failed a liveness check."),
        may("ports", List(&Struct(&super::core_v1::ENDPOINT_PORT))).said("Port numbers available on the related IP addresses."),
    ],
);

pub(super) static ENV_FROM_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::EnvFromSource",
    "EnvFromSource represents the source of a set of ConfigMaps or Secrets",
    true,
    &[
        may("configMapRef", Struct(&super::core_v1::CONFIG_MAP_ENV_SOURCE)).said("The ConfigMap to select from"),
        may("prefix", Str),
        may("secretRef", Struct(&super::core_v1::SECRET_ENV_SOURCE)).said("The Secret to select from"),
    ],
);

pub(super) static ENV_VAR: Type = leaf(
    "k8s_openapi::api::core::v1::EnvVar",
    "EnvVar represents an environment variable present in a Container.",
    true,
    &[
        must("name", Str),
        may("value", Str),
        may("valueFrom", Struct(&super::core_v1::ENV_VAR_SOURCE)).said("Source for the environment variable's value."),
    ],
);

pub(super) static ENV_VAR_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::EnvVarSource",
    "EnvVarSource represents a source for the value of an EnvVar.",
    true,
    &[
        may("configMapKeyRef", Struct(&super::core_v1::CONFIG_MAP_KEY_SELECTOR)).said("Selects a key of a ConfigMap."),
        may("fieldRef", Struct(&super::core_v1::OBJECT_FIELD_SELECTOR)).said("Selects a field of the pod: supports metadata.name, metadata.namespace, `metadata.labels['<KEY>']`, `metadata.annotations['<KEY>']`, spec.nodeName, spec.serviceAccountName, status.hostIP, status.podIP, status.podIPs."),
        may("fileKeyRef", Struct(&super::core_v1::FILE_KEY_SELECTOR)).said("FileKeyRef selects a key of the env file.").since(V1_34),
        may("resourceFieldRef", Struct(&super::core_v1::RESOURCE_FIELD_SELECTOR)).said("Selects a resource of the container: only resources limits and requests (limits.cpu, limits.memory, limits.ephemeral-storage, requests.cpu, requests.memory and requests.ephemeral-storage) are currently supported."),
        may("secretKeyRef", Struct(&super::core_v1::SECRET_KEY_SELECTOR)).said("Selects a key of a secret in the pod's namespace"),
    ],
);

pub(super) static EPHEMERAL_CONTAINER: Type = leaf(
    "k8s_openapi::api::core::v1::EphemeralContainer",
    "An EphemeralContainer is a temporary container that you may add to an existing Pod for user-initiated activities such as debugging.",
    true,
    &[
        may("args", List(&Str)),
        may("command", List(&Str)),
        may("env", List(&Struct(&super::core_v1::ENV_VAR))).said("List of environment variables to set in the container."),
        may("envFrom", List(&Struct(&super::core_v1::ENV_FROM_SOURCE))).said("List of sources to populate environment variables in the container."),
        may("image", Str),
        may("imagePullPolicy", Str),
        may("lifecycle", Struct(&super::core_v1::LIFECYCLE)).said("Lifecycle is not allowed for ephemeral containers."),
        may("livenessProbe", Struct(&super::core_v1::PROBE)).said("Probes are not allowed for ephemeral containers."),
        must("name", Str),
        may("ports", List(&Struct(&super::core_v1::CONTAINER_PORT))).said("Ports are not allowed for ephemeral containers."),
        may("readinessProbe", Struct(&super::core_v1::PROBE)).said("Probes are not allowed for ephemeral containers."),
        may("resizePolicy", List(&Struct(&super::core_v1::CONTAINER_RESIZE_POLICY))).said("Resources resize policy for the container."),
        may("resources", Struct(&super::core_v1::RESOURCE_REQUIREMENTS)).said("Resources are not allowed for ephemeral containers."),
        may("restartPolicy", Str),
        may("restartPolicyRules", List(&Struct(&super::core_v1::CONTAINER_RESTART_RULE))).said("Represents a list of rules to be checked to determine if the container should be restarted on exit.").since(V1_34),
        may("securityContext", Struct(&super::core_v1::SECURITY_CONTEXT)).said("Optional: SecurityContext defines the security options the ephemeral container should be run with."),
        may("startupProbe", Struct(&super::core_v1::PROBE)).said("Probes are not allowed for ephemeral containers."),
        may("stdin", Bool),
        may("stdinOnce", Bool),
        may("targetContainerName", Str),
        may("terminationMessagePath", Str),
        may("terminationMessagePolicy", Str),
        may("tty", Bool),
        may("volumeDevices", List(&Struct(&super::core_v1::VOLUME_DEVICE))).said("volumeDevices is the list of block devices to be used by the container."),
        may("volumeMounts", List(&Struct(&super::core_v1::VOLUME_MOUNT))).said("Pod volumes to mount into the container's filesystem."),
        may("workingDir", Str),
    ],
);

pub(super) static EPHEMERAL_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::EphemeralVolumeSource",
    "Represents an ephemeral volume that is handled by a normal storage driver.",
    true,
    &[
        may("volumeClaimTemplate", Struct(&super::core_v1::PERSISTENT_VOLUME_CLAIM_TEMPLATE)).said("Will be used to create a stand-alone PVC to provision the volume."),
    ],
);

pub(super) static EVENT_SERIES: Type = leaf(
    "k8s_openapi::api::core::v1::EventSeries",
    "EventSeries contain information on series of events, i.e.",
    true,
    &[
        may("count", I32),
        may("lastObservedTime", Other),
    ],
);

pub(super) static EVENT_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::EventSource",
    "EventSource contains information for an event.",
    true,
    &[
        may("component", Str),
        may("host", Str),
    ],
);

pub(super) static EVICTION_RESPONDER: Type = leaf(
    "k8s_openapi::api::core::v1::EvictionResponder",
    "EvictionResponder allows you to specify the responder reacting to an Eviction.",
    true,
    &[
        must("name", Str),
        must("priority", I32),
    ],
).since(V1_37);

pub(super) static EXEC_ACTION: Type = leaf(
    "k8s_openapi::api::core::v1::ExecAction",
    "ExecAction describes a \"run in container\" action.",
    true,
    &[
        may("command", List(&Str)),
    ],
);

pub(super) static FC_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::FCVolumeSource",
    "Represents a Fibre Channel volume.",
    true,
    &[
        may("fsType", Str),
        may("lun", I32),
        may("readOnly", Bool),
        may("targetWWNs", List(&Str)),
        may("wwids", List(&Str)),
    ],
);

pub(super) static FILE_KEY_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::FileKeySelector",
    "FileKeySelector selects a key of the env file.",
    true,
    &[
        must("key", Str),
        may("optional", Bool),
        must("path", Str),
        must("volumeName", Str),
    ],
).since(V1_34);

pub(super) static FLEX_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::FlexPersistentVolumeSource",
    "FlexPersistentVolumeSource represents a generic persistent volume resource that is provisioned/attached using an exec based plugin.",
    true,
    &[
        must("driver", Str),
        may("fsType", Str),
        may("options", Map(&Str)),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef is Optional: SecretRef is reference to the secret object containing sensitive information to pass to the plugin scripts."),
    ],
);

pub(super) static FLEX_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::FlexVolumeSource",
    "FlexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin.",
    true,
    &[
        must("driver", Str),
        may("fsType", Str),
        may("options", Map(&Str)),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef is Optional: secretRef is reference to the secret object containing sensitive information to pass to the plugin scripts."),
    ],
);

pub(super) static FLOCKER_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::FlockerVolumeSource",
    "Represents a Flocker volume mounted by the Flocker agent.",
    true,
    &[
        may("datasetName", Str),
        may("datasetUUID", Str),
    ],
);

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::GCEPersistentDiskVolumeSource",
    "Represents a Persistent Disk resource in Google Compute Engine.",
    true,
    &[
        may("fsType", Str),
        may("partition", I32),
        must("pdName", Str),
        may("readOnly", Bool),
    ],
);

pub(super) static GRPC_ACTION: Type = leaf(
    "k8s_openapi::api::core::v1::GRPCAction",
    "GRPCAction specifies an action involving a GRPC service.",
    true,
    &[
        may("mode", Str).since(V1_37),
        must("port", I32),
        may("service", Str),
    ],
);

pub(super) static GIT_REPO_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::GitRepoVolumeSource",
    "Represents a volume that is populated with the contents of a git repository.",
    true,
    &[
        may("directory", Str),
        must("repository", Str),
        may("revision", Str),
    ],
);

pub(super) static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::GlusterfsPersistentVolumeSource",
    "Represents a Glusterfs mount that lasts the lifetime of a pod.",
    true,
    &[
        must("endpoints", Str),
        may("endpointsNamespace", Str),
        must("path", Str),
        may("readOnly", Bool),
    ],
);

pub(super) static GLUSTERFS_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::GlusterfsVolumeSource",
    "Represents a Glusterfs mount that lasts the lifetime of a pod.",
    true,
    &[
        must("endpoints", Str),
        must("path", Str),
        may("readOnly", Bool),
    ],
);

pub(super) static HTTP_GET_ACTION: Type = leaf(
    "k8s_openapi::api::core::v1::HTTPGetAction",
    "HTTPGetAction describes an action based on HTTP Get requests.",
    true,
    &[
        may("host", Str),
        may("httpHeaders", List(&Struct(&super::core_v1::HTTP_HEADER))).said("Custom headers to set in the request."),
        may("path", Str),
        must("port", IntOrString),
        may("protocol", Str).since(V1_37),
        may("scheme", Str),
    ],
);

pub(super) static HTTP_HEADER: Type = leaf(
    "k8s_openapi::api::core::v1::HTTPHeader",
    "HTTPHeader describes a custom header to be used in HTTP probes",
    true,
    &[
        must("name", Str),
        must("value", Str),
    ],
);

pub(super) static HOST_ALIAS: Type = leaf(
    "k8s_openapi::api::core::v1::HostAlias",
    "HostAlias holds the mapping between IP and hostnames that will be injected as an entry in the pod's hosts file.",
    true,
    &[
        may("hostnames", List(&Str)),
        must("ip", Str),
    ],
);

pub(super) static HOST_IP: Type = leaf(
    "k8s_openapi::api::core::v1::HostIP",
    "HostIP represents a single IP address allocated to the host.",
    true,
    &[
        must("ip", Str),
    ],
);

pub(super) static HOST_PATH_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::HostPathVolumeSource",
    "Represents a host path mapped into a pod.",
    true,
    &[
        must("path", Str),
        may("type", Str),
    ],
);

pub(super) static ISCSI_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ISCSIPersistentVolumeSource",
    "ISCSIPersistentVolumeSource represents an ISCSI disk.",
    true,
    &[
        may("chapAuthDiscovery", Bool),
        may("chapAuthSession", Bool),
        may("fsType", Str),
        may("initiatorName", Str),
        must("iqn", Str),
        may("iscsiInterface", Str),
        must("lun", I32),
        may("portals", List(&Str)),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef is the CHAP Secret for iSCSI target and initiator authentication"),
        must("targetPortal", Str),
    ],
);

pub(super) static ISCSI_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ISCSIVolumeSource",
    "Represents an ISCSI disk.",
    true,
    &[
        may("chapAuthDiscovery", Bool),
        may("chapAuthSession", Bool),
        may("fsType", Str),
        may("initiatorName", Str),
        must("iqn", Str),
        may("iscsiInterface", Str),
        must("lun", I32),
        may("portals", List(&Str)),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef is the CHAP Secret for iSCSI target and initiator authentication"),
        must("targetPortal", Str),
    ],
);

pub(super) static IMAGE_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ImageVolumeSource",
    "ImageVolumeSource represents a image volume resource.",
    true,
    &[
        may("pullPolicy", Str),
        may("reference", Str),
    ],
);

pub(super) static IMAGE_VOLUME_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ImageVolumeStatus",
    "ImageVolumeStatus represents the image-based volume status.",
    true,
    &[
        must("imageRef", Str),
    ],
).since(V1_36);

pub(super) static KEY_TO_PATH: Type = leaf(
    "k8s_openapi::api::core::v1::KeyToPath",
    "Maps a string key to a path within a volume.",
    true,
    &[
        must("key", Str),
        may("mode", I32),
        must("path", Str),
        may("user", I64).since(V1_37),
    ],
);

pub(super) static LIFECYCLE: Type = leaf(
    "k8s_openapi::api::core::v1::Lifecycle",
    "Lifecycle describes actions that the management system should take in response to container lifecycle events.",
    true,
    &[
        may("postStart", Struct(&super::core_v1::LIFECYCLE_HANDLER)).said("PostStart is called immediately after a container is created."),
        may("preStop", Struct(&super::core_v1::LIFECYCLE_HANDLER)).said("PreStop is called immediately before a container is terminated due to an API request or management event such as liveness/startup probe failure, preemption, resource contention, etc."),
        may("stopSignal", Str),
    ],
);

pub(super) static LIFECYCLE_HANDLER: Type = leaf(
    "k8s_openapi::api::core::v1::LifecycleHandler",
    "LifecycleHandler defines a specific action that should be taken in a lifecycle hook.",
    true,
    &[
        may("exec", Struct(&super::core_v1::EXEC_ACTION)).said("Exec specifies a command to execute in the container."),
        may("httpGet", Struct(&super::core_v1::HTTP_GET_ACTION)).said("HTTPGet specifies an HTTP GET request to perform."),
        may("sleep", Struct(&super::core_v1::SLEEP_ACTION)).said("Sleep represents a duration that the container should sleep."),
        may("tcpSocket", Struct(&super::core_v1::TCP_SOCKET_ACTION)).said("Deprecated."),
    ],
);

pub(super) static LIMIT_RANGE_ITEM: Type = leaf(
    "k8s_openapi::api::core::v1::LimitRangeItem",
    "LimitRangeItem defines a min/max usage limit for any resource that matches on kind.",
    true,
    &[
        may("default", Map(&Quantity)),
        may("defaultRequest", Map(&Quantity)),
        may("max", Map(&Quantity)),
        may("maxLimitRequestRatio", Map(&Quantity)),
        may("min", Map(&Quantity)),
        must("type", Str),
    ],
);

pub(super) static LIMIT_RANGE_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::LimitRangeSpec",
    "LimitRangeSpec defines a min/max usage limit for resources that match on kind.",
    true,
    &[
        must("limits", List(&Struct(&super::core_v1::LIMIT_RANGE_ITEM))).said("Limits is the list of LimitRangeItem objects that are enforced."),
    ],
);

pub(super) static LINUX_CONTAINER_USER: Type = leaf(
    "k8s_openapi::api::core::v1::LinuxContainerUser",
    "LinuxContainerUser represents user identity information in Linux containers",
    true,
    &[
        must("gid", I64),
        may("supplementalGroups", List(&I64)),
        must("uid", I64),
    ],
);

pub(super) static LOAD_BALANCER_INGRESS: Type = leaf(
    "k8s_openapi::api::core::v1::LoadBalancerIngress",
    "LoadBalancerIngress represents the status of a load-balancer ingress point: traffic intended for the service should be sent to an ingress point.",
    true,
    &[
        may("hostname", Str),
        may("ip", Str),
        may("ipMode", Str),
        may("ports", List(&Struct(&super::core_v1::PORT_STATUS))).said("Ports is a list of records of service ports If used, every port defined in the service should have an entry in it"),
    ],
);

pub(super) static LOAD_BALANCER_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::LoadBalancerStatus",
    "LoadBalancerStatus represents the status of a load-balancer.",
    true,
    &[
        may("ingress", List(&Struct(&super::core_v1::LOAD_BALANCER_INGRESS))).said("Ingress is a list containing ingress points for the load-balancer."),
    ],
);

pub(super) static LOCAL_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::core::v1::LocalObjectReference",
    "LocalObjectReference contains enough information to let you locate the referenced object inside the same namespace.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static LOCAL_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::LocalVolumeSource",
    "Local represents directly-attached storage with node affinity",
    true,
    &[
        may("fsType", Str),
        must("path", Str),
    ],
);

pub(super) static MODIFY_VOLUME_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ModifyVolumeStatus",
    "ModifyVolumeStatus represents the status object of ControllerModifyVolume operation",
    true,
    &[
        must("status", Str),
        may("targetVolumeAttributesClassName", Str),
    ],
);

pub(super) static NFS_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::NFSVolumeSource",
    "Represents an NFS mount that lasts the lifetime of a pod.",
    true,
    &[
        must("path", Str),
        may("readOnly", Bool),
        must("server", Str),
    ],
);

pub(super) static NAMESPACE_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::NamespaceCondition",
    "NamespaceCondition contains details about state of namespace.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static NAMESPACE_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::NamespaceSpec",
    "NamespaceSpec describes the attributes on a Namespace.",
    true,
    &[
        may("finalizers", List(&Str)),
    ],
);

pub(super) static NAMESPACE_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::NamespaceStatus",
    "NamespaceStatus is information about the current status of a Namespace.",
    true,
    &[
        may("conditions", List(&Struct(&super::core_v1::NAMESPACE_CONDITION))).said("Represents the latest available observations of a namespace's current state."),
        may("phase", Str),
    ],
);

pub(super) static NODE_ADDRESS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeAddress",
    "NodeAddress contains information for the node's address.",
    true,
    &[
        must("address", Str),
        must("type", Str),
    ],
);

pub(super) static NODE_AFFINITY: Type = leaf(
    "k8s_openapi::api::core::v1::NodeAffinity",
    "Node affinity is a group of node affinity scheduling rules.",
    true,
    &[
        may("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&super::core_v1::PREFERRED_SCHEDULING_TERM))).said("The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field, but it may choose a node that violates one or more of the expressions."),
        may("requiredDuringSchedulingIgnoredDuringExecution", Struct(&super::core_v1::NODE_SELECTOR)).said("If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node."),
    ],
);

pub(super) static NODE_ALLOCATABLE_MAPPED_RESOURCES: Type = leaf(
    "k8s_openapi::api::core::v1::NodeAllocatableMappedResources",
    "NodeAllocatableMappedResources describes mapped node allocatable resource allocations.",
    true,
    &[
        must("name", Str),
        must("quantity", Quantity),
    ],
).since(V1_37);

pub(super) static NODE_ALLOCATABLE_OVERHEAD_RESOURCES: Type = leaf(
    "k8s_openapi::api::core::v1::NodeAllocatableOverheadResources",
    "NodeAllocatableOverheadResources describes auxiliary overhead resource allocations.",
    true,
    &[
        must("name", Str),
        may("perContainer", Quantity),
        may("perPod", Quantity),
    ],
).since(V1_37);

pub(super) static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeAllocatableResourceClaimStatus",
    "NodeAllocatableResourceClaimStatus describes the status of node allocatable resources allocated via DRA.",
    true,
    &[
        may("containers", List(&Str)),
        may("mapping", List(&Struct(&super::core_v1::NODE_ALLOCATABLE_MAPPED_RESOURCES))).said("Mapping contains allocations through devices mapped in the device spec's `nodeAllocatableResources[...].mapping` field."),
        may("overhead", List(&Struct(&super::core_v1::NODE_ALLOCATABLE_OVERHEAD_RESOURCES))).said("Overhead contains allocations through devices mapped in the device spec's `nodeAllocatableResources[...].overhead` field."),
        must("resourceClaimName", Str),
    ],
).since(V1_37);

pub(super) static NODE_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::NodeCondition",
    "NodeCondition contains condition information for a node.",
    true,
    &[
        may("lastHeartbeatTime", Time),
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static NODE_CONFIG_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::NodeConfigSource",
    "NodeConfigSource specifies a source of node configuration.",
    true,
    &[
        may("configMap", Struct(&super::core_v1::CONFIG_MAP_NODE_CONFIG_SOURCE)).said("ConfigMap is a reference to a Node's ConfigMap"),
    ],
);

pub(super) static NODE_CONFIG_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeConfigStatus",
    "NodeConfigStatus describes the status of the config assigned by Node.Spec.ConfigSource.",
    true,
    &[
        may("active", Struct(&super::core_v1::NODE_CONFIG_SOURCE)).said("Active reports the checkpointed config the node is actively using."),
        may("assigned", Struct(&super::core_v1::NODE_CONFIG_SOURCE)).said("Assigned reports the checkpointed config the node will try to use."),
        may("error", Str),
        may("lastKnownGood", Struct(&super::core_v1::NODE_CONFIG_SOURCE)).said("LastKnownGood reports the checkpointed config the node will fall back to when it encounters an error attempting to use the Assigned config."),
    ],
);

pub(super) static NODE_DAEMON_ENDPOINTS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeDaemonEndpoints",
    "NodeDaemonEndpoints lists ports opened by daemons running on the Node.",
    true,
    &[
        may("kubeletEndpoint", Struct(&super::core_v1::DAEMON_ENDPOINT)).said("Endpoint on which Kubelet is listening."),
    ],
);

pub(super) static NODE_FEATURES: Type = leaf(
    "k8s_openapi::api::core::v1::NodeFeatures",
    "NodeFeatures describes the set of features implemented by the CRI implementation.",
    true,
    &[
        may("supplementalGroupsPolicy", Bool),
    ],
);

pub(super) static NODE_POD_PREEMPTION_POLICY: Type = leaf(
    "k8s_openapi::api::core::v1::NodePodPreemptionPolicy",
    "NodePodPreemptionPolicy defines the node-level policies governing preemption for pods on this node.",
    true,
    &[
        may("disableResizePreemption", List(&Str)),
    ],
).since(V1_37);

pub(super) static NODE_RUNTIME_HANDLER: Type = leaf(
    "k8s_openapi::api::core::v1::NodeRuntimeHandler",
    "NodeRuntimeHandler is a set of runtime handler information.",
    true,
    &[
        may("features", Struct(&super::core_v1::NODE_RUNTIME_HANDLER_FEATURES)).said("Supported features."),
        may("name", Str),
    ],
);

pub(super) static NODE_RUNTIME_HANDLER_FEATURES: Type = leaf(
    "k8s_openapi::api::core::v1::NodeRuntimeHandlerFeatures",
    "NodeRuntimeHandlerFeatures is a set of features implemented by the runtime handler.",
    true,
    &[
        may("recursiveReadOnlyMounts", Bool),
        may("userNamespaces", Bool),
    ],
);

pub(super) static NODE_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSelector",
    "A node selector represents the union of the results of one or more label queries over a set of nodes; that is, it represents the OR of the selectors represented by the node selector terms.",
    true,
    &[
        must("nodeSelectorTerms", List(&Struct(&super::core_v1::NODE_SELECTOR_TERM))).said("Required."),
    ],
);

pub(super) static NODE_SELECTOR_REQUIREMENT: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSelectorRequirement",
    "A node selector requirement is a selector that contains values, a key, and an operator that relates the key and values.",
    true,
    &[
        must("key", Str),
        must("operator", Str),
        may("values", List(&Str)),
    ],
);

pub(super) static NODE_SELECTOR_TERM: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSelectorTerm",
    "A null or empty node selector term matches no objects.",
    true,
    &[
        may("matchExpressions", List(&Struct(&super::core_v1::NODE_SELECTOR_REQUIREMENT))).said("A list of node selector requirements by node's labels."),
        may("matchFields", List(&Struct(&super::core_v1::NODE_SELECTOR_REQUIREMENT))).said("A list of node selector requirements by node's fields."),
    ],
);

pub(super) static NODE_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSpec",
    "NodeSpec describes the attributes that a node is created with.",
    true,
    &[
        may("configSource", Struct(&super::core_v1::NODE_CONFIG_SOURCE)).said("Deprecated: Previously used to specify the source of the node's configuration for the DynamicKubeletConfig feature."),
        may("externalID", Str),
        may("podCIDR", Str),
        may("podCIDRs", List(&Str)),
        may("podPreemptionPolicy", Struct(&super::core_v1::NODE_POD_PREEMPTION_POLICY)).said("PodPreemptionPolicy controls the node-level preemption behaviors for pods on this node.").since(V1_37),
        may("providerID", Str),
        may("taints", List(&Struct(&super::core_v1::TAINT))).said("If specified, the node's taints."),
        may("unschedulable", Bool),
    ],
);

pub(super) static NODE_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeStatus",
    "NodeStatus is information about the current status of a node.",
    true,
    &[
        may("addresses", List(&Struct(&super::core_v1::NODE_ADDRESS))).said("List of addresses reachable to the node."),
        may("allocatable", Map(&Quantity)),
        may("capacity", Map(&Quantity)),
        may("conditions", List(&Struct(&super::core_v1::NODE_CONDITION))).said("Conditions is an array of current observed node conditions."),
        may("config", Struct(&super::core_v1::NODE_CONFIG_STATUS)).said("Status of the config assigned to the node via the dynamic Kubelet config feature."),
        may("daemonEndpoints", Struct(&super::core_v1::NODE_DAEMON_ENDPOINTS)).said("Endpoints of daemons running on the Node."),
        may("declaredFeatures", List(&Str)).since(V1_35),
        may("features", Struct(&super::core_v1::NODE_FEATURES)).said("Features describes the set of features implemented by the CRI implementation."),
        may("images", List(&Struct(&super::core_v1::CONTAINER_IMAGE))).said("List of container images on this node"),
        may("nodeInfo", Struct(&super::core_v1::NODE_SYSTEM_INFO)).said("Set of ids/uuids to uniquely identify the node."),
        may("phase", Str),
        may("runtimeHandlers", List(&Struct(&super::core_v1::NODE_RUNTIME_HANDLER))).said("The available runtime handlers."),
        may("volumesAttached", List(&Struct(&super::core_v1::ATTACHED_VOLUME))).said("List of volumes that are attached to the node."),
        may("volumesInUse", List(&Str)),
    ],
);

pub(super) static NODE_SWAP_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSwapStatus",
    "NodeSwapStatus represents swap memory information.",
    true,
    &[
        may("capacity", I64),
    ],
);

pub(super) static NODE_SYSTEM_INFO: Type = leaf(
    "k8s_openapi::api::core::v1::NodeSystemInfo",
    "NodeSystemInfo is a set of ids/uuids to uniquely identify the node.",
    true,
    &[
        must("architecture", Str),
        must("bootID", Str),
        must("containerRuntimeVersion", Str),
        must("kernelVersion", Str),
        must("kubeProxyVersion", Str),
        must("kubeletVersion", Str),
        must("machineID", Str),
        must("operatingSystem", Str),
        must("osImage", Str),
        may("runningInUserNamespace", Bool).since(V1_37),
        may("swap", Struct(&super::core_v1::NODE_SWAP_STATUS)).said("Swap Info reported by the node."),
        must("systemUUID", Str),
    ],
);

pub(super) static OBJECT_FIELD_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::ObjectFieldSelector",
    "ObjectFieldSelector selects an APIVersioned field of an object.",
    true,
    &[
        may("apiVersion", Str),
        must("fieldPath", Str),
    ],
);

pub(super) static OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::core::v1::ObjectReference",
    "ObjectReference contains enough information to let you inspect or modify the referred object.",
    true,
    &[
        may("apiVersion", Str),
        may("fieldPath", Str),
        may("kind", Str),
        may("name", Str),
        may("namespace", Str),
        may("resourceVersion", Str),
        may("uid", Str),
    ],
);

pub(super) static PERSISTENT_VOLUME_CLAIM_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeClaimCondition",
    "PersistentVolumeClaimCondition contains details about state of pvc",
    true,
    &[
        may("lastProbeTime", Time),
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeClaimSpec",
    "PersistentVolumeClaimSpec describes the common attributes of storage devices and allows a Source for provider-specific attributes",
    true,
    &[
        may("accessModes", List(&Str)),
        may("dataSource", Struct(&super::core_v1::TYPED_LOCAL_OBJECT_REFERENCE)).said("dataSource field can be used to specify either: * An existing VolumeSnapshot object (snapshot.storage.k8s.io/VolumeSnapshot) * An existing PVC (PersistentVolumeClaim) If the provisioner or an external controller can support the specified data source, it will create a new volume based on the contents of the specified data source."),
        may("dataSourceRef", Struct(&super::core_v1::TYPED_OBJECT_REFERENCE)).said("dataSourceRef specifies the object from which to populate the volume with data, if a non-empty volume is desired."),
        may("resources", Struct(&super::core_v1::VOLUME_RESOURCE_REQUIREMENTS)).said("resources represents the minimum resources the volume should have."),
        may("selector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("selector is a label query over volumes to consider for binding."),
        may("storageClassName", Str),
        may("volumeAttributesClassName", Str),
        may("volumeMode", Str),
        may("volumeName", Str),
    ],
);

pub(super) static PERSISTENT_VOLUME_CLAIM_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeClaimStatus",
    "PersistentVolumeClaimStatus is the current status of a persistent volume claim.",
    true,
    &[
        may("accessModes", List(&Str)),
        may("allocatedResourceStatuses", Map(&Str)),
        may("allocatedResources", Map(&Quantity)),
        may("capacity", Map(&Quantity)),
        may("conditions", List(&Struct(&super::core_v1::PERSISTENT_VOLUME_CLAIM_CONDITION))).said("conditions is the current Condition of persistent volume claim."),
        may("currentVolumeAttributesClassName", Str),
        may("healthStatus", Struct(&super::core_v1::VOLUME_HEALTH_STATUS)).said("healthStatus contains the latest controller-reported health information for the volume bound to this claim.").since(V1_37),
        may("modifyVolumeStatus", Struct(&super::core_v1::MODIFY_VOLUME_STATUS)).said("ModifyVolumeStatus represents the status object of ControllerModifyVolume operation."),
        may("phase", Str),
    ],
);

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeClaimTemplate",
    "PersistentVolumeClaimTemplate is used to produce PersistentVolumeClaim objects as part of an EphemeralVolumeSource.",
    true,
    &[
        may("metadata", Struct(&super::meta_v1::OBJECT_META)).said("May contain labels and annotations that will be copied into the PVC when creating it."),
        must("spec", Struct(&super::core_v1::PERSISTENT_VOLUME_CLAIM_SPEC)).said("The specification for the PersistentVolumeClaim."),
    ],
);

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeClaimVolumeSource",
    "PersistentVolumeClaimVolumeSource references the user's PVC in the same namespace.",
    true,
    &[
        must("claimName", Str),
        may("readOnly", Bool),
    ],
);

pub(super) static PERSISTENT_VOLUME_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeSpec",
    "PersistentVolumeSpec is the specification of a persistent volume.",
    true,
    &[
        may("accessModes", List(&Str)),
        may("awsElasticBlockStore", Struct(&super::core_v1::AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)).said("awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("azureDisk", Struct(&super::core_v1::AZURE_DISK_VOLUME_SOURCE)).said("azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod."),
        may("azureFile", Struct(&super::core_v1::AZURE_FILE_PERSISTENT_VOLUME_SOURCE)).said("azureFile represents an Azure File Service mount on the host and bind mount to the pod."),
        may("capacity", Map(&Quantity)),
        may("cephfs", Struct(&super::core_v1::CEPH_FS_PERSISTENT_VOLUME_SOURCE)).said("cephFS represents a Ceph FS mount on the host that shares a pod's lifetime."),
        may("cinder", Struct(&super::core_v1::CINDER_PERSISTENT_VOLUME_SOURCE)).said("cinder represents a cinder volume attached and mounted on kubelets host machine."),
        may("claimRef", Struct(&super::core_v1::OBJECT_REFERENCE)).said("claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim."),
        may("csi", Struct(&super::core_v1::CSI_PERSISTENT_VOLUME_SOURCE)).said("csi represents storage that is handled by an external CSI driver."),
        may("fc", Struct(&super::core_v1::FC_VOLUME_SOURCE)).said("fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("flexVolume", Struct(&super::core_v1::FLEX_PERSISTENT_VOLUME_SOURCE)).said("flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin."),
        may("flocker", Struct(&super::core_v1::FLOCKER_VOLUME_SOURCE)).said("flocker represents a Flocker volume attached to a kubelet's host machine and exposed to the pod for its usage."),
        may("gcePersistentDisk", Struct(&super::core_v1::GCE_PERSISTENT_DISK_VOLUME_SOURCE)).said("gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("glusterfs", Struct(&super::core_v1::GLUSTERFS_PERSISTENT_VOLUME_SOURCE)).said("glusterfs represents a Glusterfs volume that is attached to a host and exposed to the pod."),
        may("hostPath", Struct(&super::core_v1::HOST_PATH_VOLUME_SOURCE)).said("hostPath represents a directory on the host."),
        may("iscsi", Struct(&super::core_v1::ISCSI_PERSISTENT_VOLUME_SOURCE)).said("iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("local", Struct(&super::core_v1::LOCAL_VOLUME_SOURCE)).said("local represents directly-attached storage with node affinity"),
        may("mountOptions", List(&Str)),
        may("nfs", Struct(&super::core_v1::NFS_VOLUME_SOURCE)).said("nfs represents an NFS mount on the host."),
        may("nodeAffinity", Struct(&super::core_v1::VOLUME_NODE_AFFINITY)).said("nodeAffinity defines constraints that limit what nodes this volume can be accessed from."),
        may("persistentVolumeReclaimPolicy", Str),
        may("photonPersistentDisk", Struct(&super::core_v1::PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)).said("photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine."),
        may("portworxVolume", Struct(&super::core_v1::PORTWORX_VOLUME_SOURCE)).said("portworxVolume represents a portworx volume attached and mounted on kubelets host machine."),
        may("quobyte", Struct(&super::core_v1::QUOBYTE_VOLUME_SOURCE)).said("quobyte represents a Quobyte mount on the host that shares a pod's lifetime."),
        may("rbd", Struct(&super::core_v1::RBD_PERSISTENT_VOLUME_SOURCE)).said("rbd represents a Rados Block Device mount on the host that shares a pod's lifetime."),
        may("scaleIO", Struct(&super::core_v1::SCALE_IO_PERSISTENT_VOLUME_SOURCE)).said("scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes."),
        may("storageClassName", Str),
        may("storageos", Struct(&super::core_v1::STORAGE_OS_PERSISTENT_VOLUME_SOURCE)).said("storageOS represents a StorageOS volume that is attached to the kubelet's host machine and mounted into the pod."),
        may("volumeAttributesClassName", Str),
        may("volumeMode", Str),
        may("vsphereVolume", Struct(&super::core_v1::VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)).said("vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine."),
    ],
);

pub(super) static PERSISTENT_VOLUME_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PersistentVolumeStatus",
    "PersistentVolumeStatus is the current status of a persistent volume.",
    true,
    &[
        may("lastPhaseTransitionTime", Time),
        may("message", Str),
        may("phase", Str),
        may("reason", Str),
    ],
);

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::PhotonPersistentDiskVolumeSource",
    "Represents a Photon Controller persistent disk resource.",
    true,
    &[
        may("fsType", Str),
        must("pdID", Str),
    ],
);

pub(super) static POD_AFFINITY: Type = leaf(
    "k8s_openapi::api::core::v1::PodAffinity",
    "Pod affinity is a group of inter pod affinity scheduling rules.",
    true,
    &[
        may("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&super::core_v1::WEIGHTED_POD_AFFINITY_TERM))).said("The scheduler will prefer to schedule pods to nodes that satisfy the affinity expressions specified by this field, but it may choose a node that violates one or more of the expressions."),
        may("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&super::core_v1::POD_AFFINITY_TERM))).said("If the affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node."),
    ],
);

pub(super) static POD_AFFINITY_TERM: Type = leaf(
    "k8s_openapi::api::core::v1::PodAffinityTerm",
    "Defines a set of pods (namely those matching the labelSelector relative to the given namespace(s)) that this pod should be co-located (affinity) or not co-located (anti-affinity) with, where co-located is defined as running on a node whose value of the label with key <topologyKey> matches that of any node on which a pod of the set of pods is running",
    true,
    &[
        may("labelSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("A label query over a set of resources, in this case pods."),
        may("matchLabelKeys", List(&Str)),
        may("mismatchLabelKeys", List(&Str)),
        may("namespaceSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("A label query over the set of namespaces that the term applies to."),
        may("namespaces", List(&Str)),
        must("topologyKey", Str),
    ],
);

pub(super) static POD_ANTI_AFFINITY: Type = leaf(
    "k8s_openapi::api::core::v1::PodAntiAffinity",
    "Pod anti affinity is a group of inter pod anti affinity scheduling rules.",
    true,
    &[
        may("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&super::core_v1::WEIGHTED_POD_AFFINITY_TERM))).said("The scheduler will prefer to schedule pods to nodes that satisfy the anti-affinity expressions specified by this field, but it may choose a node that violates one or more of the expressions."),
        may("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&super::core_v1::POD_AFFINITY_TERM))).said("If the anti-affinity requirements specified by this field are not met at scheduling time, the pod will not be scheduled onto the node."),
    ],
);

pub(super) static POD_CERTIFICATE_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::PodCertificateProjection",
    "PodCertificateProjection provides a private key and X.509 certificate in the pod filesystem.",
    true,
    &[
        may("certificateChainPath", Str),
        may("credentialBundlePath", Str),
        may("keyPath", Str),
        must("keyType", Str),
        may("maxExpirationSeconds", I32),
        must("signerName", Str),
        may("user", I64).since(V1_37),
        may("userAnnotations", Map(&Str)).since(V1_35),
    ],
).since(V1_34);

pub(super) static POD_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::PodCondition",
    "PodCondition contains details for the current condition of this pod.",
    true,
    &[
        may("lastProbeTime", Time),
        may("lastTransitionTime", Time),
        may("message", Str),
        may("observedGeneration", I64),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static POD_DNS_CONFIG: Type = leaf(
    "k8s_openapi::api::core::v1::PodDNSConfig",
    "PodDNSConfig defines the DNS parameters of a pod in addition to those generated from DNSPolicy.",
    true,
    &[
        may("nameservers", List(&Str)),
        may("options", List(&Struct(&super::core_v1::POD_DNS_CONFIG_OPTION))).said("A list of DNS resolver options."),
        may("searches", List(&Str)),
    ],
);

pub(super) static POD_DNS_CONFIG_OPTION: Type = leaf(
    "k8s_openapi::api::core::v1::PodDNSConfigOption",
    "PodDNSConfigOption defines DNS resolver options of a pod.",
    true,
    &[
        may("name", Str),
        may("value", Str),
    ],
);

pub(super) static POD_EXTENDED_RESOURCE_CLAIM_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PodExtendedResourceClaimStatus",
    "PodExtendedResourceClaimStatus is stored in the PodStatus for the extended resource requests backed by DRA.",
    true,
    &[
        must("requestMappings", List(&Struct(&super::core_v1::CONTAINER_EXTENDED_RESOURCE_REQUEST))).said("RequestMappings identifies the mapping of <container, extended resource backed by DRA> to device request in the generated ResourceClaim."),
        must("resourceClaimName", Str),
    ],
).since(V1_34);

pub(super) static POD_IP: Type = leaf(
    "k8s_openapi::api::core::v1::PodIP",
    "PodIP represents a single IP address allocated to the pod.",
    true,
    &[
        must("ip", Str),
    ],
);

pub(super) static POD_OS: Type = leaf(
    "k8s_openapi::api::core::v1::PodOS",
    "PodOS defines the OS parameters of a pod.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static POD_READINESS_GATE: Type = leaf(
    "k8s_openapi::api::core::v1::PodReadinessGate",
    "PodReadinessGate contains the reference to a pod condition",
    true,
    &[
        must("conditionType", Str),
    ],
);

pub(super) static POD_RESOURCE_CLAIM: Type = leaf(
    "k8s_openapi::api::core::v1::PodResourceClaim",
    "PodResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate which is then turned into a ResourceClaim for the pod.",
    true,
    &[
        must("name", Str),
        may("resourceClaimName", Str),
        may("resourceClaimTemplateName", Str),
    ],
);

pub(super) static POD_RESOURCE_CLAIM_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PodResourceClaimStatus",
    "PodResourceClaimStatus is stored in the PodStatus for each PodResourceClaim which references a ResourceClaimTemplate.",
    true,
    &[
        must("name", Str),
        may("resourceClaimName", Str),
    ],
);

pub(super) static POD_SCHEDULING_GATE: Type = leaf(
    "k8s_openapi::api::core::v1::PodSchedulingGate",
    "PodSchedulingGate is associated to a Pod to guard its scheduling.",
    true,
    &[
        must("name", Str),
    ],
);

pub(super) static POD_SCHEDULING_GROUP: Type = leaf(
    "k8s_openapi::api::core::v1::PodSchedulingGroup",
    "PodSchedulingGroup identifies the runtime scheduling group instance that a Pod belongs to.",
    true,
    &[
        may("podGroupName", Str),
    ],
).since(V1_36);

pub(super) static POD_SECURITY_CONTEXT: Type = leaf(
    "k8s_openapi::api::core::v1::PodSecurityContext",
    "PodSecurityContext holds pod-level security attributes and common container settings.",
    true,
    &[
        may("appArmorProfile", Struct(&super::core_v1::APP_ARMOR_PROFILE)).said("appArmorProfile is the AppArmor options to use by the containers in this pod."),
        may("fsGroup", I64),
        may("fsGroupChangePolicy", Str),
        may("runAsGroup", I64),
        may("runAsNonRoot", Bool),
        may("runAsUser", I64),
        may("seLinuxChangePolicy", Str),
        may("seLinuxOptions", Struct(&super::core_v1::SE_LINUX_OPTIONS)).said("The SELinux context to be applied to all containers."),
        may("seccompProfile", Struct(&super::core_v1::SECCOMP_PROFILE)).said("The seccomp options to use by the containers in this pod."),
        may("supplementalGroups", List(&I64)),
        may("supplementalGroupsPolicy", Str),
        may("sysctls", List(&Struct(&super::core_v1::SYSCTL))).said("Sysctls hold a list of namespaced sysctls used for the pod."),
        may("windowsOptions", Struct(&super::core_v1::WINDOWS_SECURITY_CONTEXT_OPTIONS)).said("The Windows specific settings applied to all containers."),
    ],
);

pub(super) static POD_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::PodSpec",
    "PodSpec is a description of a pod.",
    true,
    &[
        may("activeDeadlineSeconds", I64),
        may("affinity", Struct(&super::core_v1::AFFINITY)).said("If specified, the pod's scheduling constraints"),
        may("automountServiceAccountToken", Bool),
        must("containers", List(&Struct(&super::core_v1::CONTAINER))).said("List of containers belonging to the pod."),
        may("dnsConfig", Struct(&super::core_v1::POD_DNS_CONFIG)).said("Specifies the DNS parameters of a pod."),
        may("dnsPolicy", Str),
        may("enableServiceLinks", Bool),
        may("ephemeralContainers", List(&Struct(&super::core_v1::EPHEMERAL_CONTAINER))).said("List of ephemeral containers run in this pod."),
        may("evictionResponders", List(&Struct(&super::core_v1::EVICTION_RESPONDER))).said("evictionResponders reference responders that react to Evictions based on EvictionRequests.").since(V1_37),
        may("hostAliases", List(&Struct(&super::core_v1::HOST_ALIAS))).said("HostAliases is an optional list of hosts and IPs that will be injected into the pod's hosts file if specified."),
        may("hostIPC", Bool),
        may("hostNetwork", Bool),
        may("hostPID", Bool),
        may("hostUsers", Bool),
        may("hostname", Str),
        may("hostnameOverride", Str).since(V1_34),
        may("imagePullSecrets", List(&Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE))).said("ImagePullSecrets is an optional list of references to secrets in the same namespace to use for pulling any of the images used by this PodSpec."),
        may("initContainers", List(&Struct(&super::core_v1::CONTAINER))).said("List of initialization containers belonging to the pod."),
        may("nodeName", Str),
        may("nodeSelector", Map(&Str)),
        may("os", Struct(&super::core_v1::POD_OS)).said("Specifies the OS of the containers in the pod."),
        may("overhead", Map(&Quantity)),
        may("preemptionPolicy", Str),
        may("priority", I32),
        may("priorityClassName", Str),
        may("readinessGates", List(&Struct(&super::core_v1::POD_READINESS_GATE))).said("If specified, all readiness gates will be evaluated for pod readiness."),
        may("resourceClaims", List(&Struct(&super::core_v1::POD_RESOURCE_CLAIM))).said("ResourceClaims defines which ResourceClaims must be allocated and reserved before the Pod is allowed to start."),
        may("resources", Struct(&super::core_v1::RESOURCE_REQUIREMENTS)).said("Resources is the total amount of CPU and Memory resources required by all containers in the pod."),
        may("restartPolicy", Str),
        may("runtimeClassName", Str),
        may("schedulerName", Str),
        may("schedulingGates", List(&Struct(&super::core_v1::POD_SCHEDULING_GATE))).said("SchedulingGates is an opaque list of values that if specified will block scheduling the pod."),
        may("schedulingGroup", Struct(&super::core_v1::POD_SCHEDULING_GROUP)).said("SchedulingGroup provides a reference to the immediate scheduling runtime grouping object that this Pod belongs to.").since(V1_36),
        may("securityContext", Struct(&super::core_v1::POD_SECURITY_CONTEXT)).said("SecurityContext holds pod-level security attributes and common container settings."),
        may("serviceAccount", Str),
        may("serviceAccountName", Str),
        may("setHostnameAsFQDN", Bool),
        may("shareProcessNamespace", Bool),
        may("subdomain", Str),
        may("terminationGracePeriodSeconds", I64),
        may("tolerations", List(&Struct(&super::core_v1::TOLERATION))).said("If specified, the pod's tolerations."),
        may("topologySpreadConstraints", List(&Struct(&super::core_v1::TOPOLOGY_SPREAD_CONSTRAINT))).said("TopologySpreadConstraints describes how a group of pods ought to spread across topology domains."),
        may("volumes", List(&Struct(&super::core_v1::VOLUME))).said("List of volumes that can be mounted by containers belonging to the pod."),
    ],
);

pub(super) static POD_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PodStatus",
    "PodStatus represents information about the status of a pod.",
    true,
    &[
        may("allocatedResources", Map(&Quantity)).since(V1_35),
        may("conditions", List(&Struct(&super::core_v1::POD_CONDITION))).said("Current service state of pod."),
        may("containerStatuses", List(&Struct(&super::core_v1::CONTAINER_STATUS))).said("Statuses of containers in this pod."),
        may("ephemeralContainerStatuses", List(&Struct(&super::core_v1::CONTAINER_STATUS))).said("Statuses for any ephemeral containers that have run in this pod."),
        may("extendedResourceClaimStatus", Struct(&super::core_v1::POD_EXTENDED_RESOURCE_CLAIM_STATUS)).said("Status of extended resource claim backed by DRA.").since(V1_34),
        may("hostIP", Str),
        may("hostIPs", List(&Struct(&super::core_v1::HOST_IP))).said("hostIPs holds the IP addresses allocated to the host."),
        may("initContainerStatuses", List(&Struct(&super::core_v1::CONTAINER_STATUS))).said("Statuses of init containers in this pod."),
        may("message", Str),
        may("nodeAllocatableResourceClaimStatuses", List(&Struct(&super::core_v1::NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS))).said("NodeAllocatableResourceClaimStatuses contains the status of node-allocatable resources that were allocated for this pod through DRA claims.").since(V1_37),
        may("nominatedNodeName", Str),
        may("observedGeneration", I64),
        may("phase", Str),
        may("podIP", Str),
        may("podIPs", List(&Struct(&super::core_v1::POD_IP))).said("podIPs holds the IP addresses allocated to the pod."),
        may("qosClass", Str),
        may("reason", Str),
        may("resize", Str),
        may("resourceClaimStatuses", List(&Struct(&super::core_v1::POD_RESOURCE_CLAIM_STATUS))).said("Status of resource claims."),
        may("resources", Struct(&super::core_v1::RESOURCE_REQUIREMENTS)).said("Resources represents the compute resource requests and limits that have been applied at the pod level if pod-level requests or limits are set in PodSpec.Resources").since(V1_35),
        may("startTime", Time),
        may("volumeHealth", List(&Struct(&super::core_v1::POD_VOLUME_HEALTH))).said("volumeHealth contains node-reported health for each volume the pod is using.").since(V1_37),
    ],
);

pub(super) static POD_TEMPLATE_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::PodTemplateSpec",
    "PodTemplateSpec describes the data a pod should have when created from a template",
    true,
    &[
        may("metadata", Struct(&super::meta_v1::OBJECT_META)).said("Standard object's metadata."),
        may("spec", Struct(&super::core_v1::POD_SPEC)).said("Specification of the desired behavior of the pod."),
    ],
);

pub(super) static POD_VOLUME_HEALTH: Type = leaf(
    "k8s_openapi::api::core::v1::PodVolumeHealth",
    "PodVolumeHealth contains health information for a volume used by a pod, reported by the CSI node plugin via the kubelet.",
    true,
    &[
        may("healthConditions", List(&Struct(&super::core_v1::VOLUME_HEALTH_CONDITION))).said("conditions is the set of adverse conditions reported by the CSI node plugin for this volume on this node."),
        may("lastTransitionTime", Time),
        must("name", Str),
    ],
).since(V1_37);

pub(super) static PORT_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::PortStatus",
    "PortStatus represents the error condition of a service port",
    true,
    &[
        may("error", Str),
        must("port", I32),
        must("protocol", Str),
    ],
);

pub(super) static PORTWORX_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::PortworxVolumeSource",
    "PortworxVolumeSource represents a Portworx volume resource.",
    true,
    &[
        may("fsType", Str),
        may("readOnly", Bool),
        must("volumeID", Str),
    ],
);

pub(super) static PREFERRED_SCHEDULING_TERM: Type = leaf(
    "k8s_openapi::api::core::v1::PreferredSchedulingTerm",
    "An empty preferred scheduling term matches all objects with implicit weight 0 (i.e.",
    true,
    &[
        must("preference", Struct(&super::core_v1::NODE_SELECTOR_TERM)).said("A node selector term, associated with the corresponding weight."),
        must("weight", I32),
    ],
);

pub(super) static PROBE: Type = leaf(
    "k8s_openapi::api::core::v1::Probe",
    "Probe describes a health check to be performed against a container to determine whether it is alive or ready to receive traffic.",
    true,
    &[
        may("exec", Struct(&super::core_v1::EXEC_ACTION)).said("Exec specifies a command to execute in the container."),
        may("failureThreshold", I32),
        may("grpc", Struct(&super::core_v1::GRPC_ACTION)).said("GRPC specifies a GRPC HealthCheckRequest."),
        may("httpGet", Struct(&super::core_v1::HTTP_GET_ACTION)).said("HTTPGet specifies an HTTP GET request to perform."),
        may("initialDelaySeconds", I32),
        may("periodSeconds", I32),
        may("successThreshold", I32),
        may("tcpSocket", Struct(&super::core_v1::TCP_SOCKET_ACTION)).said("TCPSocket specifies a connection to a TCP port."),
        may("terminationGracePeriodSeconds", I64),
        may("timeoutSeconds", I32),
    ],
);

pub(super) static PROJECTED_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ProjectedVolumeSource",
    "Represents a projected volume source",
    true,
    &[
        may("defaultMode", I32),
        may("defaultUser", I64).since(V1_37),
        may("sources", List(&Struct(&super::core_v1::VOLUME_PROJECTION))).said("sources is the list of volume projections."),
    ],
);

pub(super) static QUOBYTE_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::QuobyteVolumeSource",
    "Represents a Quobyte mount that lasts the lifetime of a pod.",
    true,
    &[
        may("group", Str),
        may("readOnly", Bool),
        must("registry", Str),
        may("tenant", Str),
        may("user", Str),
        must("volume", Str),
    ],
);

pub(super) static RBD_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::RBDPersistentVolumeSource",
    "Represents a Rados Block Device mount that lasts the lifetime of a pod.",
    true,
    &[
        may("fsType", Str),
        must("image", Str),
        may("keyring", Str),
        must("monitors", List(&Str)),
        may("pool", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef is name of the authentication secret for RBDUser."),
        may("user", Str),
    ],
);

pub(super) static RBD_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::RBDVolumeSource",
    "Represents a Rados Block Device mount that lasts the lifetime of a pod.",
    true,
    &[
        may("fsType", Str),
        must("image", Str),
        may("keyring", Str),
        must("monitors", List(&Str)),
        may("pool", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef is name of the authentication secret for RBDUser."),
        may("user", Str),
    ],
);

pub(super) static REPLICATION_CONTROLLER_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::ReplicationControllerCondition",
    "ReplicationControllerCondition describes the state of a replication controller at a certain point.",
    true,
    &[
        may("lastTransitionTime", Time),
        may("message", Str),
        may("reason", Str),
        must("status", Str),
        must("type", Str),
    ],
);

pub(super) static REPLICATION_CONTROLLER_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::ReplicationControllerSpec",
    "ReplicationControllerSpec is the specification of a replication controller.",
    true,
    &[
        may("minReadySeconds", I32),
        may("replicas", I32),
        may("selector", Map(&Str)),
        may("template", Struct(&super::core_v1::POD_TEMPLATE_SPEC)).said("Template is the object that describes the pod that will be created if insufficient replicas are detected."),
    ],
);

pub(super) static REPLICATION_CONTROLLER_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ReplicationControllerStatus",
    "ReplicationControllerStatus represents the current status of a replication controller.",
    true,
    &[
        may("availableReplicas", I32),
        may("conditions", List(&Struct(&super::core_v1::REPLICATION_CONTROLLER_CONDITION))).said("Represents the latest available observations of a replication controller's current state."),
        may("fullyLabeledReplicas", I32),
        may("observedGeneration", I64),
        may("readyReplicas", I32),
        must("replicas", I32),
    ],
);

pub(super) static RESOURCE_CLAIM: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceClaim",
    "ResourceClaim references one entry in PodSpec.ResourceClaims.",
    true,
    &[
        must("name", Str),
        may("request", Str),
    ],
);

pub(super) static RESOURCE_FIELD_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceFieldSelector",
    "ResourceFieldSelector represents container resources (cpu, memory) and their output format",
    true,
    &[
        may("containerName", Str),
        may("divisor", Quantity),
        must("resource", Str),
    ],
);

pub(super) static RESOURCE_HEALTH: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceHealth",
    "ResourceHealth represents the health of a resource.",
    true,
    &[
        may("health", Str),
        may("message", Str).since(V1_36),
        must("resourceID", Str),
    ],
);

pub(super) static RESOURCE_QUOTA_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceQuotaSpec",
    "ResourceQuotaSpec defines the desired hard limits to enforce for Quota.",
    true,
    &[
        may("hard", Map(&Quantity)),
        may("scopeSelector", Struct(&super::core_v1::SCOPE_SELECTOR)).said("scopeSelector is also a collection of filters like scopes that must match each object tracked by a quota but expressed using ScopeSelectorOperator in combination with possible values."),
        may("scopes", List(&Str)),
    ],
);

pub(super) static RESOURCE_QUOTA_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceQuotaStatus",
    "ResourceQuotaStatus defines the enforced hard limits and observed use.",
    true,
    &[
        may("hard", Map(&Quantity)),
        may("used", Map(&Quantity)),
    ],
);

pub(super) static RESOURCE_REQUIREMENTS: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceRequirements",
    "ResourceRequirements describes the compute resource requirements.",
    true,
    &[
        may("claims", List(&Struct(&super::core_v1::RESOURCE_CLAIM))).said("Claims lists the names of resources, defined in spec.resourceClaims, that are used by this container."),
        may("limits", Map(&Quantity)),
        may("requests", Map(&Quantity)),
    ],
);

pub(super) static RESOURCE_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ResourceStatus",
    "ResourceStatus represents the status of a single resource allocated to a Pod.",
    true,
    &[
        must("name", Str),
        may("resources", List(&Struct(&super::core_v1::RESOURCE_HEALTH))).said("List of unique resources health."),
    ],
);

pub(super) static SE_LINUX_OPTIONS: Type = leaf(
    "k8s_openapi::api::core::v1::SELinuxOptions",
    "SELinuxOptions are the labels to be applied to the container",
    true,
    &[
        may("level", Str),
        may("role", Str),
        may("type", Str),
        may("user", Str),
    ],
);

pub(super) static SCALE_IO_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ScaleIOPersistentVolumeSource",
    "ScaleIOPersistentVolumeSource represents a persistent ScaleIO volume",
    true,
    &[
        may("fsType", Str),
        must("gateway", Str),
        may("protectionDomain", Str),
        may("readOnly", Bool),
        must("secretRef", Struct(&super::core_v1::SECRET_REFERENCE)).said("secretRef references to the secret for ScaleIO user and other sensitive information."),
        may("sslEnabled", Bool),
        may("storageMode", Str),
        may("storagePool", Str),
        must("system", Str),
        may("volumeName", Str),
    ],
);

pub(super) static SCALE_IO_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::ScaleIOVolumeSource",
    "ScaleIOVolumeSource represents a persistent ScaleIO volume",
    true,
    &[
        may("fsType", Str),
        must("gateway", Str),
        may("protectionDomain", Str),
        may("readOnly", Bool),
        must("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef references to the secret for ScaleIO user and other sensitive information."),
        may("sslEnabled", Bool),
        may("storageMode", Str),
        may("storagePool", Str),
        must("system", Str),
        may("volumeName", Str),
    ],
);

pub(super) static SCOPE_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::ScopeSelector",
    "A scope selector represents the AND of the selectors represented by the scoped-resource selector requirements.",
    true,
    &[
        may("matchExpressions", List(&Struct(&super::core_v1::SCOPED_RESOURCE_SELECTOR_REQUIREMENT))).said("A list of scope selector requirements by scope of the resources."),
    ],
);

pub(super) static SCOPED_RESOURCE_SELECTOR_REQUIREMENT: Type = leaf(
    "k8s_openapi::api::core::v1::ScopedResourceSelectorRequirement",
    "A scoped-resource selector requirement is a selector that contains values, a scope name, and an operator that relates the scope name and values.",
    true,
    &[
        must("operator", Str),
        must("scopeName", Str),
        may("values", List(&Str)),
    ],
);

pub(super) static SECCOMP_PROFILE: Type = leaf(
    "k8s_openapi::api::core::v1::SeccompProfile",
    "SeccompProfile defines a pod/container's seccomp profile settings.",
    true,
    &[
        may("localhostProfile", Str),
        must("type", Str),
    ],
);

pub(super) static SECRET_ENV_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::SecretEnvSource",
    "SecretEnvSource selects a Secret to populate the environment variables with.",
    true,
    &[
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static SECRET_KEY_SELECTOR: Type = leaf(
    "k8s_openapi::api::core::v1::SecretKeySelector",
    "SecretKeySelector selects a key of a Secret.",
    true,
    &[
        must("key", Str),
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static SECRET_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::SecretProjection",
    "Adapts a secret into a projected volume.",
    true,
    &[
        may("items", List(&Struct(&super::core_v1::KEY_TO_PATH))).said("items if unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the volume as a file whose name is the key and content is the value."),
        must("name", Str),
        may("optional", Bool),
    ],
);

pub(super) static SECRET_REFERENCE: Type = leaf(
    "k8s_openapi::api::core::v1::SecretReference",
    "SecretReference represents a Secret Reference.",
    true,
    &[
        may("name", Str),
        may("namespace", Str),
    ],
);

pub(super) static SECRET_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::SecretVolumeSource",
    "Adapts a Secret into a volume.",
    true,
    &[
        may("defaultMode", I32),
        may("defaultUser", I64).since(V1_37),
        may("items", List(&Struct(&super::core_v1::KEY_TO_PATH))).said("items If unspecified, each key-value pair in the Data field of the referenced Secret will be projected into the volume as a file whose name is the key and content is the value."),
        may("optional", Bool),
        may("secretName", Str),
    ],
);

pub(super) static SECURITY_CONTEXT: Type = leaf(
    "k8s_openapi::api::core::v1::SecurityContext",
    "SecurityContext holds security configuration that will be applied to a container.",
    true,
    &[
        may("allowPrivilegeEscalation", Bool),
        may("appArmorProfile", Struct(&super::core_v1::APP_ARMOR_PROFILE)).said("appArmorProfile is the AppArmor options to use by this container."),
        may("capabilities", Struct(&super::core_v1::CAPABILITIES)).said("The capabilities to add/drop when running containers."),
        may("privileged", Bool),
        may("procMount", Str),
        may("readOnlyRootFilesystem", Bool),
        may("runAsGroup", I64),
        may("runAsNonRoot", Bool),
        may("runAsUser", I64),
        may("seLinuxOptions", Struct(&super::core_v1::SE_LINUX_OPTIONS)).said("The SELinux context to be applied to the container."),
        may("seccompProfile", Struct(&super::core_v1::SECCOMP_PROFILE)).said("The seccomp options to use by this container."),
        may("windowsOptions", Struct(&super::core_v1::WINDOWS_SECURITY_CONTEXT_OPTIONS)).said("The Windows specific settings applied to all containers."),
    ],
);

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::ServiceAccountTokenProjection",
    "ServiceAccountTokenProjection represents a projected service account token volume.",
    true,
    &[
        may("audience", Str),
        may("expirationSeconds", I64),
        must("path", Str),
        may("user", I64).since(V1_37),
    ],
);

pub(super) static SERVICE_PORT: Type = leaf(
    "k8s_openapi::api::core::v1::ServicePort",
    "ServicePort contains information on service's port.",
    true,
    &[
        may("appProtocol", Str),
        may("name", Str),
        may("nodePort", I32),
        must("port", I32),
        may("protocol", Str),
        may("targetPort", IntOrString),
    ],
);

pub(super) static SERVICE_SPEC: Type = leaf(
    "k8s_openapi::api::core::v1::ServiceSpec",
    "ServiceSpec describes the attributes that a user creates on a service.",
    true,
    &[
        may("allocateLoadBalancerNodePorts", Bool),
        may("clusterIP", Str),
        may("clusterIPs", List(&Str)),
        may("externalIPs", List(&Str)),
        may("externalName", Str),
        may("externalTrafficPolicy", Str),
        may("healthCheckNodePort", I32),
        may("internalTrafficPolicy", Str),
        may("ipFamilies", List(&Str)),
        may("ipFamilyPolicy", Str),
        may("loadBalancerClass", Str),
        may("loadBalancerIP", Str),
        may("loadBalancerSourceRanges", List(&Str)),
        may("ports", List(&Struct(&super::core_v1::SERVICE_PORT))).said("The list of ports that are exposed by this service."),
        may("publishNotReadyAddresses", Bool),
        may("selector", Map(&Str)),
        may("sessionAffinity", Str),
        may("sessionAffinityConfig", Struct(&super::core_v1::SESSION_AFFINITY_CONFIG)).said("sessionAffinityConfig contains the configurations of session affinity."),
        may("trafficDistribution", Str),
        may("type", Str),
    ],
);

pub(super) static SERVICE_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::ServiceStatus",
    "ServiceStatus represents the current status of a service.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("Current service state"),
        may("loadBalancer", Struct(&super::core_v1::LOAD_BALANCER_STATUS)).said("LoadBalancer contains the current status of the load-balancer, if one is present."),
    ],
);

pub(super) static SESSION_AFFINITY_CONFIG: Type = leaf(
    "k8s_openapi::api::core::v1::SessionAffinityConfig",
    "SessionAffinityConfig represents the configurations of session affinity.",
    true,
    &[
        may("clientIP", Struct(&super::core_v1::CLIENT_IP_CONFIG)).said("clientIP contains the configurations of Client IP based session affinity."),
    ],
);

pub(super) static SLEEP_ACTION: Type = leaf(
    "k8s_openapi::api::core::v1::SleepAction",
    "SleepAction describes a \"sleep\" action.",
    true,
    &[
        must("seconds", I64),
    ],
);

pub(super) static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::StorageOSPersistentVolumeSource",
    "Represents a StorageOS persistent volume resource.",
    true,
    &[
        may("fsType", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::OBJECT_REFERENCE)).said("secretRef specifies the secret to use for obtaining the StorageOS API credentials."),
        may("volumeName", Str),
        may("volumeNamespace", Str),
    ],
);

pub(super) static STORAGE_OS_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::StorageOSVolumeSource",
    "Represents a StorageOS persistent volume resource.",
    true,
    &[
        may("fsType", Str),
        may("readOnly", Bool),
        may("secretRef", Struct(&super::core_v1::LOCAL_OBJECT_REFERENCE)).said("secretRef specifies the secret to use for obtaining the StorageOS API credentials."),
        may("volumeName", Str),
        may("volumeNamespace", Str),
    ],
);

pub(super) static SYSCTL: Type = leaf(
    "k8s_openapi::api::core::v1::Sysctl",
    "Sysctl defines a kernel parameter to be set",
    true,
    &[
        must("name", Str),
        must("value", Str),
    ],
);

pub(super) static TCP_SOCKET_ACTION: Type = leaf(
    "k8s_openapi::api::core::v1::TCPSocketAction",
    "TCPSocketAction describes an action based on opening a socket",
    true,
    &[
        may("host", Str),
        must("port", IntOrString),
    ],
);

pub(super) static TAINT: Type = leaf(
    "k8s_openapi::api::core::v1::Taint",
    "The node this Taint is attached to has the \"effect\" on any pod that does not tolerate the Taint.",
    true,
    &[
        must("effect", Str),
        must("key", Str),
        may("timeAdded", Time),
        may("value", Str),
    ],
);

pub(super) static TOLERATION: Type = leaf(
    "k8s_openapi::api::core::v1::Toleration",
    "The pod this Toleration is attached to tolerates any taint that matches the triple <key,value,effect> using the matching operator <operator>.",
    true,
    &[
        may("effect", Str),
        may("key", Str),
        may("operator", Str),
        may("tolerationSeconds", I64),
        may("value", Str),
    ],
);

pub(super) static TOPOLOGY_SELECTOR_LABEL_REQUIREMENT: Type = leaf(
    "k8s_openapi::api::core::v1::TopologySelectorLabelRequirement",
    "A topology selector requirement is a selector that matches given label.",
    true,
    &[
        must("key", Str),
        must("values", List(&Str)),
    ],
);

pub(super) static TOPOLOGY_SELECTOR_TERM: Type = leaf(
    "k8s_openapi::api::core::v1::TopologySelectorTerm",
    "A topology selector term represents the result of label queries.",
    true,
    &[
        may("matchLabelExpressions", List(&Struct(&super::core_v1::TOPOLOGY_SELECTOR_LABEL_REQUIREMENT))).said("A list of topology selector requirements by labels."),
    ],
);

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: Type = leaf(
    "k8s_openapi::api::core::v1::TopologySpreadConstraint",
    "TopologySpreadConstraint specifies how to spread matching pods among the given topology.",
    true,
    &[
        may("labelSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("LabelSelector is used to find matching pods."),
        may("matchLabelKeys", List(&Str)),
        must("maxSkew", I32),
        may("minDomains", I32),
        may("nodeAffinityPolicy", Str),
        may("nodeTaintsPolicy", Str),
        must("topologyKey", Str),
        must("whenUnsatisfiable", Str),
    ],
);

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::core::v1::TypedLocalObjectReference",
    "TypedLocalObjectReference contains enough information to let you locate the typed referenced object inside the same namespace.",
    true,
    &[
        may("apiGroup", Str),
        must("kind", Str),
        must("name", Str),
    ],
);

pub(super) static TYPED_OBJECT_REFERENCE: Type = leaf(
    "k8s_openapi::api::core::v1::TypedObjectReference",
    "TypedObjectReference contains enough information to let you locate the typed referenced object",
    true,
    &[
        may("apiGroup", Str),
        must("kind", Str),
        must("name", Str),
        may("namespace", Str),
    ],
);

pub(super) static VOLUME: Type = leaf(
    "k8s_openapi::api::core::v1::Volume",
    "Volume represents a named volume in a pod that may be accessed by any container in the pod.",
    true,
    &[
        may("awsElasticBlockStore", Struct(&super::core_v1::AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)).said("awsElasticBlockStore represents an AWS Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("azureDisk", Struct(&super::core_v1::AZURE_DISK_VOLUME_SOURCE)).said("azureDisk represents an Azure Data Disk mount on the host and bind mount to the pod."),
        may("azureFile", Struct(&super::core_v1::AZURE_FILE_VOLUME_SOURCE)).said("azureFile represents an Azure File Service mount on the host and bind mount to the pod."),
        may("cephfs", Struct(&super::core_v1::CEPH_FS_VOLUME_SOURCE)).said("cephFS represents a Ceph FS mount on the host that shares a pod's lifetime."),
        may("cinder", Struct(&super::core_v1::CINDER_VOLUME_SOURCE)).said("cinder represents a cinder volume attached and mounted on kubelets host machine."),
        may("configMap", Struct(&super::core_v1::CONFIG_MAP_VOLUME_SOURCE)).said("configMap represents a configMap that should populate this volume"),
        may("csi", Struct(&super::core_v1::CSI_VOLUME_SOURCE)).said("csi (Container Storage Interface) represents ephemeral storage that is handled by certain external CSI drivers."),
        may("downwardAPI", Struct(&super::core_v1::DOWNWARD_API_VOLUME_SOURCE)).said("downwardAPI represents downward API about the pod that should populate this volume"),
        may("emptyDir", Struct(&super::core_v1::EMPTY_DIR_VOLUME_SOURCE)).said("emptyDir represents a temporary directory that shares a pod's lifetime."),
        may("ephemeral", Struct(&super::core_v1::EPHEMERAL_VOLUME_SOURCE)).said("ephemeral represents a volume that is handled by a cluster storage driver."),
        may("fc", Struct(&super::core_v1::FC_VOLUME_SOURCE)).said("fc represents a Fibre Channel resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("flexVolume", Struct(&super::core_v1::FLEX_VOLUME_SOURCE)).said("flexVolume represents a generic volume resource that is provisioned/attached using an exec based plugin."),
        may("flocker", Struct(&super::core_v1::FLOCKER_VOLUME_SOURCE)).said("flocker represents a Flocker volume attached to a kubelet's host machine."),
        may("gcePersistentDisk", Struct(&super::core_v1::GCE_PERSISTENT_DISK_VOLUME_SOURCE)).said("gcePersistentDisk represents a GCE Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        may("gitRepo", Struct(&super::core_v1::GIT_REPO_VOLUME_SOURCE)).said("gitRepo represents a git repository at a particular revision."),
        may("glusterfs", Struct(&super::core_v1::GLUSTERFS_VOLUME_SOURCE)).said("glusterfs represents a Glusterfs mount on the host that shares a pod's lifetime."),
        may("hostPath", Struct(&super::core_v1::HOST_PATH_VOLUME_SOURCE)).said("hostPath represents a pre-existing file or directory on the host machine that is directly exposed to the container."),
        may("image", Struct(&super::core_v1::IMAGE_VOLUME_SOURCE)).said("image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine."),
        may("iscsi", Struct(&super::core_v1::ISCSI_VOLUME_SOURCE)).said("iscsi represents an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod."),
        must("name", Str),
        may("nfs", Struct(&super::core_v1::NFS_VOLUME_SOURCE)).said("nfs represents an NFS mount on the host that shares a pod's lifetime More info: https://kubernetes.io/docs/concepts/storage/volumes#nfs"),
        may("persistentVolumeClaim", Struct(&super::core_v1::PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE)).said("persistentVolumeClaimVolumeSource represents a reference to a PersistentVolumeClaim in the same namespace."),
        may("photonPersistentDisk", Struct(&super::core_v1::PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)).said("photonPersistentDisk represents a PhotonController persistent disk attached and mounted on kubelets host machine."),
        may("portworxVolume", Struct(&super::core_v1::PORTWORX_VOLUME_SOURCE)).said("portworxVolume represents a portworx volume attached and mounted on kubelets host machine."),
        may("projected", Struct(&super::core_v1::PROJECTED_VOLUME_SOURCE)).said("projected items for all in one resources secrets, configmaps, and downward API"),
        may("quobyte", Struct(&super::core_v1::QUOBYTE_VOLUME_SOURCE)).said("quobyte represents a Quobyte mount on the host that shares a pod's lifetime."),
        may("rbd", Struct(&super::core_v1::RBD_VOLUME_SOURCE)).said("rbd represents a Rados Block Device mount on the host that shares a pod's lifetime."),
        may("scaleIO", Struct(&super::core_v1::SCALE_IO_VOLUME_SOURCE)).said("scaleIO represents a ScaleIO persistent volume attached and mounted on Kubernetes nodes."),
        may("secret", Struct(&super::core_v1::SECRET_VOLUME_SOURCE)).said("secret represents a secret that should populate this volume."),
        may("storageos", Struct(&super::core_v1::STORAGE_OS_VOLUME_SOURCE)).said("storageOS represents a StorageOS volume attached and mounted on Kubernetes nodes."),
        may("vsphereVolume", Struct(&super::core_v1::VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)).said("vsphereVolume represents a vSphere volume attached and mounted on kubelets host machine."),
    ],
);

pub(super) static VOLUME_DEVICE: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeDevice",
    "volumeDevice describes a mapping of a raw block device within a container.",
    true,
    &[
        must("devicePath", Str),
        must("name", Str),
    ],
);

pub(super) static VOLUME_HEALTH_CONDITION: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeHealthCondition",
    "VolumeHealthCondition represents an adverse health condition reported for a volume.",
    true,
    &[
        may("message", Str),
        must("reason", Str),
        must("status", Str),
    ],
).since(V1_37);

pub(super) static VOLUME_HEALTH_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeHealthStatus",
    "VolumeHealthStatus contains health information for a volume reported by the CSI controller plugin.",
    true,
    &[
        may("healthConditions", List(&Struct(&super::core_v1::VOLUME_HEALTH_CONDITION))).said("conditions is the set of adverse conditions reported by the CSI controller plugin."),
        may("lastTransitionTime", Time),
    ],
).since(V1_37);

pub(super) static VOLUME_MOUNT: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeMount",
    "VolumeMount describes a mounting of a Volume within a container.",
    true,
    &[
        may("bindMountOptions", List(&Str)).since(V1_37),
        must("mountPath", Str),
        may("mountPropagation", Str),
        must("name", Str),
        may("readOnly", Bool),
        may("recursiveReadOnly", Str),
        may("subPath", Str),
        may("subPathExpr", Str),
    ],
);

pub(super) static VOLUME_MOUNT_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeMountStatus",
    "VolumeMountStatus shows status of volume mounts.",
    true,
    &[
        must("mountPath", Str),
        must("name", Str),
        may("readOnly", Bool),
        may("recursiveReadOnly", Str),
        may("volumeStatus", Struct(&super::core_v1::VOLUME_STATUS)).said("volumeStatus represents volume-type-specific status about the mounted volume.").since(V1_36),
    ],
);

pub(super) static VOLUME_NODE_AFFINITY: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeNodeAffinity",
    "VolumeNodeAffinity defines constraints that limit what nodes this volume can be accessed from.",
    true,
    &[
        may("required", Struct(&super::core_v1::NODE_SELECTOR)).said("required specifies hard node constraints that must be met."),
    ],
);

pub(super) static VOLUME_PROJECTION: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeProjection",
    "Projection that may be projected along with other supported volume types.",
    true,
    &[
        may("clusterTrustBundle", Struct(&super::core_v1::CLUSTER_TRUST_BUNDLE_PROJECTION)).said("ClusterTrustBundle allows a pod to access the `.spec.trustBundle` field of ClusterTrustBundle objects in an auto-updating file."),
        may("configMap", Struct(&super::core_v1::CONFIG_MAP_PROJECTION)).said("configMap information about the configMap data to project"),
        may("downwardAPI", Struct(&super::core_v1::DOWNWARD_API_PROJECTION)).said("downwardAPI information about the downwardAPI data to project"),
        may("podCertificate", Struct(&super::core_v1::POD_CERTIFICATE_PROJECTION)).said("Projects an auto-rotating credential bundle (private key and certificate chain) that the pod can use either as a TLS client or server.").since(V1_34),
        may("secret", Struct(&super::core_v1::SECRET_PROJECTION)).said("secret information about the secret data to project"),
        may("serviceAccountToken", Struct(&super::core_v1::SERVICE_ACCOUNT_TOKEN_PROJECTION)).said("serviceAccountToken is information about the serviceAccountToken data to project"),
    ],
);

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeResourceRequirements",
    "VolumeResourceRequirements describes the storage resource requirements for a volume.",
    true,
    &[
        may("limits", Map(&Quantity)),
        may("requests", Map(&Quantity)),
    ],
);

pub(super) static VOLUME_STATUS: Type = leaf(
    "k8s_openapi::api::core::v1::VolumeStatus",
    "VolumeStatus represents the status of a mounted volume.",
    true,
    &[
        may("image", Struct(&super::core_v1::IMAGE_VOLUME_STATUS)).said("image represents an OCI object (a container image or artifact) pulled and mounted on the kubelet's host machine."),
    ],
).since(V1_36);

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Type = leaf(
    "k8s_openapi::api::core::v1::VsphereVirtualDiskVolumeSource",
    "Represents a vSphere volume resource.",
    true,
    &[
        may("fsType", Str),
        may("storagePolicyID", Str),
        may("storagePolicyName", Str),
        must("volumePath", Str),
    ],
);

pub(super) static WEIGHTED_POD_AFFINITY_TERM: Type = leaf(
    "k8s_openapi::api::core::v1::WeightedPodAffinityTerm",
    "The weights of all of the matched WeightedPodAffinityTerm fields are added per-node to find the most preferred node(s)",
    true,
    &[
        must("podAffinityTerm", Struct(&super::core_v1::POD_AFFINITY_TERM)).said("Required."),
        must("weight", I32),
    ],
);

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: Type = leaf(
    "k8s_openapi::api::core::v1::WindowsSecurityContextOptions",
    "WindowsSecurityContextOptions contain Windows-specific options and credentials.",
    true,
    &[
        may("gmsaCredentialSpec", Str),
        may("gmsaCredentialSpecName", Str),
        may("hostProcess", Bool),
        may("runAsUserName", Str),
    ],
);
