//! `api::resource::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use crate::options::Kubernetes::{V1_34, V1_36, V1_37};
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{Bool, I64, Str, Time, Quantity, Json, List, Map, Struct};

pub(super) static ALL: &[&Type] = &[
    &ALLOCATED_DEVICE_STATUS,
    &ALLOCATION_RESULT,
    &CEL_DEVICE_SELECTOR,
    &CAPACITY_REQUEST_POLICY,
    &CAPACITY_REQUEST_POLICY_RANGE,
    &CAPACITY_REQUIREMENTS,
    &COUNTER,
    &COUNTER_SET,
    &DEVICE,
    &DEVICE_ALLOCATION_CONFIGURATION,
    &DEVICE_ALLOCATION_RESULT,
    &DEVICE_ATTRIBUTE,
    &DEVICE_CAPACITY,
    &DEVICE_CLAIM,
    &DEVICE_CLAIM_CONFIGURATION,
    &DEVICE_CLASS_CONFIGURATION,
    &DEVICE_CLASS_SPEC,
    &DEVICE_CONSTRAINT,
    &DEVICE_COUNTER_CONSUMPTION,
    &DEVICE_DERIVED_ATTRIBUTE,
    &DEVICE_REQUEST,
    &DEVICE_REQUEST_ALLOCATION_RESULT,
    &DEVICE_SELECTOR,
    &DEVICE_SUB_REQUEST,
    &DEVICE_TAINT,
    &DEVICE_TAINT_RULE_SPEC,
    &DEVICE_TAINT_RULE_STATUS,
    &DEVICE_TAINT_SELECTOR,
    &DEVICE_TOLERATION,
    &EXACT_DEVICE_REQUEST,
    &NETWORK_DEVICE_DATA,
    &NODE_ALLOCATABLE_MAPPING,
    &NODE_ALLOCATABLE_OVERHEAD,
    &NODE_ALLOCATABLE_RESOURCE,
    &OPAQUE_DEVICE_CONFIGURATION,
    &RESOURCE_CLAIM_CONSUMER_REFERENCE,
    &RESOURCE_CLAIM_SPEC,
    &RESOURCE_CLAIM_STATUS,
    &RESOURCE_CLAIM_TEMPLATE_SPEC,
    &RESOURCE_POOL,
    &RESOURCE_SLICE_SPEC,
];

pub(super) static ALLOCATED_DEVICE_STATUS: Type = leaf(
    "k8s_openapi::api::resource::v1::AllocatedDeviceStatus",
    "AllocatedDeviceStatus contains the status of an allocated device, if the driver chooses to report it.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("Conditions contains the latest observation of the device's state."),
        may("data", Json),
        must("device", Str),
        must("driver", Str),
        may("networkData", Struct(&super::resource_v1::NETWORK_DEVICE_DATA)).said("NetworkData contains network-related information specific to the device."),
        must("pool", Str),
        may("shareID", Str),
    ],
).since(V1_34);

pub(super) static ALLOCATION_RESULT: Type = leaf(
    "k8s_openapi::api::resource::v1::AllocationResult",
    "AllocationResult contains attributes of an allocated resource.",
    true,
    &[
        may("allocationTimestamp", Time),
        may("devices", Struct(&super::resource_v1::DEVICE_ALLOCATION_RESULT)).said("Devices is the result of allocating devices."),
        may("nodeSelector", Struct(&super::core_v1::NODE_SELECTOR)).said("NodeSelector defines where the allocated resources are available."),
    ],
).since(V1_34);

pub(super) static CEL_DEVICE_SELECTOR: Type = leaf(
    "k8s_openapi::api::resource::v1::CELDeviceSelector",
    "CELDeviceSelector contains a CEL expression for selecting a device.",
    true,
    &[
        must("expression", Str),
    ],
).since(V1_34);

pub(super) static CAPACITY_REQUEST_POLICY: Type = leaf(
    "k8s_openapi::api::resource::v1::CapacityRequestPolicy",
    "CapacityRequestPolicy defines how requests consume device capacity.",
    true,
    &[
        may("default", Quantity),
        may("validRange", Struct(&super::resource_v1::CAPACITY_REQUEST_POLICY_RANGE)).said("ValidRange defines an acceptable quantity value range in consuming requests."),
        may("validValues", List(&Quantity)),
    ],
).since(V1_34);

pub(super) static CAPACITY_REQUEST_POLICY_RANGE: Type = leaf(
    "k8s_openapi::api::resource::v1::CapacityRequestPolicyRange",
    "CapacityRequestPolicyRange defines a valid range for consumable capacity values.",
    true,
    &[
        may("max", Quantity),
        must("min", Quantity),
        may("step", Quantity),
    ],
).since(V1_34);

pub(super) static CAPACITY_REQUIREMENTS: Type = leaf(
    "k8s_openapi::api::resource::v1::CapacityRequirements",
    "CapacityRequirements defines the capacity requirements for a specific device request.",
    true,
    &[
        may("requests", Map(&Quantity)),
    ],
).since(V1_34);

pub(super) static COUNTER: Type = leaf(
    "k8s_openapi::api::resource::v1::Counter",
    "Counter describes a quantity associated with a device.",
    true,
    &[
        must("value", Quantity),
    ],
).since(V1_34);

pub(super) static COUNTER_SET: Type = leaf(
    "k8s_openapi::api::resource::v1::CounterSet",
    "CounterSet defines a named set of counters that are available to be used by devices defined in the ResourceSlice.",
    true,
    &[
        must("counters", Map(&Struct(&super::resource_v1::COUNTER))).said("Counters defines the set of counters for this CounterSet The name of each counter must be unique in that set and must be a DNS label."),
        must("name", Str),
    ],
).since(V1_34);

pub(super) static DEVICE: Type = leaf(
    "k8s_openapi::api::resource::v1::Device",
    "Device represents one individual hardware instance that can be selected based on its attributes.",
    true,
    &[
        may("allNodes", Bool),
        may("allowMultipleAllocations", Bool),
        may("attributes", Map(&Struct(&super::resource_v1::DEVICE_ATTRIBUTE))).said("Attributes defines the set of attributes for this device."),
        may("bindingConditions", List(&Str)),
        may("bindingFailureConditions", List(&Str)),
        may("bindsToNode", Bool),
        may("capacity", Map(&Struct(&super::resource_v1::DEVICE_CAPACITY))).said("Capacity defines the set of capacities for this device."),
        may("consumesCounters", List(&Struct(&super::resource_v1::DEVICE_COUNTER_CONSUMPTION))).said("ConsumesCounters defines a list of references to sharedCounters and the set of counters that the device will consume from those counter sets."),
        must("name", Str),
        may("nodeAllocatableResources", Map(&Struct(&super::resource_v1::NODE_ALLOCATABLE_RESOURCE))).said("NodeAllocatableResources defines the mapping of node resources that are managed by the DRA driver exposing this device.").since(V1_37),
        may("nodeName", Str),
        may("nodeSelector", Struct(&super::core_v1::NODE_SELECTOR)).said("NodeSelector defines the nodes where the device is available."),
        may("taints", List(&Struct(&super::resource_v1::DEVICE_TAINT))).said("If specified, these are the driver-defined taints."),
    ],
).since(V1_34);

pub(super) static DEVICE_ALLOCATION_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceAllocationConfiguration",
    "DeviceAllocationConfiguration gets embedded in an AllocationResult.",
    true,
    &[
        may("opaque", Struct(&super::resource_v1::OPAQUE_DEVICE_CONFIGURATION)).said("Opaque provides driver-specific configuration parameters."),
        may("requests", List(&Str)),
        must("source", Str),
    ],
).since(V1_34);

pub(super) static DEVICE_ALLOCATION_RESULT: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceAllocationResult",
    "DeviceAllocationResult is the result of allocating devices.",
    true,
    &[
        may("config", List(&Struct(&super::resource_v1::DEVICE_ALLOCATION_CONFIGURATION))).said("This field is a combination of all the claim and class configuration parameters."),
        may("results", List(&Struct(&super::resource_v1::DEVICE_REQUEST_ALLOCATION_RESULT))).said("Results lists all allocated devices."),
    ],
).since(V1_34);

pub(super) static DEVICE_ATTRIBUTE: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceAttribute",
    "DeviceAttribute must have exactly one field set.",
    true,
    &[
        may("bool", Bool),
        may("bools", List(&Bool)).since(V1_36),
        may("int", I64),
        may("ints", List(&I64)).since(V1_36),
        may("string", Str),
        may("strings", List(&Str)).since(V1_36),
        may("version", Str),
        may("versions", List(&Str)).since(V1_36),
    ],
).since(V1_34);

pub(super) static DEVICE_CAPACITY: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceCapacity",
    "DeviceCapacity describes a quantity associated with a device.",
    true,
    &[
        may("requestPolicy", Struct(&super::resource_v1::CAPACITY_REQUEST_POLICY)).said("RequestPolicy defines how this DeviceCapacity must be consumed when the device is allowed to be shared by multiple allocations."),
        must("value", Quantity),
    ],
).since(V1_34);

pub(super) static DEVICE_CLAIM: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceClaim",
    "DeviceClaim defines how to request devices with a ResourceClaim.",
    true,
    &[
        may("config", List(&Struct(&super::resource_v1::DEVICE_CLAIM_CONFIGURATION))).said("This field holds configuration for multiple potential drivers which could satisfy requests in this claim."),
        may("constraints", List(&Struct(&super::resource_v1::DEVICE_CONSTRAINT))).said("These constraints must be satisfied by the set of devices that get allocated for the claim."),
        may("requests", List(&Struct(&super::resource_v1::DEVICE_REQUEST))).said("Requests represent individual requests for distinct devices which must all be satisfied."),
    ],
).since(V1_34);

pub(super) static DEVICE_CLAIM_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceClaimConfiguration",
    "DeviceClaimConfiguration is used for configuration parameters in DeviceClaim.",
    true,
    &[
        may("opaque", Struct(&super::resource_v1::OPAQUE_DEVICE_CONFIGURATION)).said("Opaque provides driver-specific configuration parameters."),
        may("requests", List(&Str)),
    ],
).since(V1_34);

pub(super) static DEVICE_CLASS_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceClassConfiguration",
    "DeviceClassConfiguration is used in DeviceClass.",
    true,
    &[
        may("opaque", Struct(&super::resource_v1::OPAQUE_DEVICE_CONFIGURATION)).said("Opaque provides driver-specific configuration parameters."),
    ],
).since(V1_34);

pub(super) static DEVICE_CLASS_SPEC: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceClassSpec",
    "DeviceClassSpec is used in a [DeviceClass] to define what can be allocated and how to configure it.",
    true,
    &[
        may("config", List(&Struct(&super::resource_v1::DEVICE_CLASS_CONFIGURATION))).said("Config defines configuration parameters that apply to each device that is claimed via this class."),
        may("extendedResourceName", Str),
        may("selectors", List(&Struct(&super::resource_v1::DEVICE_SELECTOR))).said("Each selector must be satisfied by a device which is claimed via this class."),
    ],
).since(V1_34);

pub(super) static DEVICE_CONSTRAINT: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceConstraint",
    "DeviceConstraint must have exactly one field set besides Requests.",
    true,
    &[
        may("distinctAttribute", Str),
        may("matchAttribute", Str),
        may("requests", List(&Str)),
    ],
).since(V1_34);

pub(super) static DEVICE_COUNTER_CONSUMPTION: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceCounterConsumption",
    "DeviceCounterConsumption defines a set of counters that a device will consume from a CounterSet.",
    true,
    &[
        may("compatibilityGroups", List(&Str)).since(V1_37),
        must("counterSet", Str),
        must("counters", Map(&Struct(&super::resource_v1::COUNTER))).said("Counters defines the counters that will be consumed by the device."),
    ],
).since(V1_34);

pub(super) static DEVICE_DERIVED_ATTRIBUTE: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceDerivedAttribute",
    "DeviceDerivedAttribute defines a derived attribute computed via CEL.",
    true,
    &[
        must("expression", Str),
        must("name", Str),
    ],
).since(V1_37);

pub(super) static DEVICE_REQUEST: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceRequest",
    "DeviceRequest is a request for devices required for a claim.",
    true,
    &[
        may("exactly", Struct(&super::resource_v1::EXACT_DEVICE_REQUEST)).said("Exactly specifies the details for a single request that must be met exactly for the request to be satisfied."),
        may("firstAvailable", List(&Struct(&super::resource_v1::DEVICE_SUB_REQUEST))).said("FirstAvailable contains subrequests, of which exactly one will be selected by the scheduler."),
        must("name", Str),
    ],
).since(V1_34);

pub(super) static DEVICE_REQUEST_ALLOCATION_RESULT: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceRequestAllocationResult",
    "DeviceRequestAllocationResult contains the allocation result for one request.",
    true,
    &[
        may("adminAccess", Bool),
        may("bindingConditions", List(&Str)),
        may("bindingFailureConditions", List(&Str)),
        may("consumedCapacity", Map(&Quantity)),
        must("device", Str),
        must("driver", Str),
        must("pool", Str),
        must("request", Str),
        may("shareID", Str),
        may("skipNodeOperations", List(&Str)).since(V1_37),
        may("tolerations", List(&Struct(&super::resource_v1::DEVICE_TOLERATION))).said("A copy of all tolerations specified in the request at the time when the device got allocated."),
    ],
).since(V1_34);

pub(super) static DEVICE_SELECTOR: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceSelector",
    "DeviceSelector must have exactly one field set.",
    true,
    &[
        may("cel", Struct(&super::resource_v1::CEL_DEVICE_SELECTOR)).said("CEL contains a CEL expression for selecting a device."),
    ],
).since(V1_34);

pub(super) static DEVICE_SUB_REQUEST: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceSubRequest",
    "DeviceSubRequest describes a request for device provided in the claim.spec.devices.requests[].firstAvailable array.",
    true,
    &[
        may("allocationMode", Str),
        may("capacity", Struct(&super::resource_v1::CAPACITY_REQUIREMENTS)).said("Capacity define resource requirements against each capacity."),
        may("count", I64),
        may("derivedAttributes", List(&Struct(&super::resource_v1::DEVICE_DERIVED_ATTRIBUTE))).said("DerivedAttributes defines a set of virtual attributes computed via CEL expressions for each candidate device.").since(V1_37),
        must("deviceClassName", Str),
        must("name", Str),
        may("selectors", List(&Struct(&super::resource_v1::DEVICE_SELECTOR))).said("Selectors define criteria which must be satisfied by a specific device in order for that device to be considered for this subrequest."),
        may("tolerations", List(&Struct(&super::resource_v1::DEVICE_TOLERATION))).said("If specified, the request's tolerations."),
    ],
).since(V1_34);

pub(super) static DEVICE_TAINT: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceTaint",
    "The device this taint is attached to has the \"effect\" on any claim which does not tolerate the taint and, through the claim, to pods using the claim.",
    true,
    &[
        must("effect", Str),
        must("key", Str),
        may("timeAdded", Time),
        may("value", Str),
    ],
).since(V1_34);

pub(super) static DEVICE_TAINT_RULE_SPEC: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceTaintRuleSpec",
    "DeviceTaintRuleSpec specifies the selector and one taint.",
    true,
    &[
        may("deviceSelector", Struct(&super::resource_v1::DEVICE_TAINT_SELECTOR)).said("DeviceSelector defines which device(s) the taint is applied to."),
        must("taint", Struct(&super::resource_v1::DEVICE_TAINT)).said("The taint that gets applied to matching devices."),
    ],
).since(V1_37);

pub(super) static DEVICE_TAINT_RULE_STATUS: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceTaintRuleStatus",
    "DeviceTaintRuleStatus provides information about an on-going pod eviction.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("Conditions provide information about the state of the DeviceTaintRule and the cluster at some point in time, in a machine-readable and human-readable format."),
    ],
).since(V1_37);

pub(super) static DEVICE_TAINT_SELECTOR: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceTaintSelector",
    "DeviceTaintSelector defines which device(s) a DeviceTaintRule applies to.",
    true,
    &[
        may("device", Str),
        may("driver", Str),
        may("pool", Str),
    ],
).since(V1_37);

pub(super) static DEVICE_TOLERATION: Type = leaf(
    "k8s_openapi::api::resource::v1::DeviceToleration",
    "The ResourceClaim this DeviceToleration is attached to tolerates any taint that matches the triple <key,value,effect> using the matching operator <operator>.",
    true,
    &[
        may("effect", Str),
        may("key", Str),
        may("operator", Str),
        may("tolerationSeconds", I64),
        may("value", Str),
    ],
).since(V1_34);

pub(super) static EXACT_DEVICE_REQUEST: Type = leaf(
    "k8s_openapi::api::resource::v1::ExactDeviceRequest",
    "ExactDeviceRequest is a request for one or more identical devices.",
    true,
    &[
        may("adminAccess", Bool),
        may("allocationMode", Str),
        may("capacity", Struct(&super::resource_v1::CAPACITY_REQUIREMENTS)).said("Capacity define resource requirements against each capacity."),
        may("count", I64),
        may("derivedAttributes", List(&Struct(&super::resource_v1::DEVICE_DERIVED_ATTRIBUTE))).said("DerivedAttributes defines a set of virtual attributes computed via CEL expressions for each candidate device.").since(V1_37),
        must("deviceClassName", Str),
        may("selectors", List(&Struct(&super::resource_v1::DEVICE_SELECTOR))).said("Selectors define criteria which must be satisfied by a specific device in order for that device to be considered for this request."),
        may("tolerations", List(&Struct(&super::resource_v1::DEVICE_TOLERATION))).said("If specified, the request's tolerations."),
    ],
).since(V1_34);

pub(super) static NETWORK_DEVICE_DATA: Type = leaf(
    "k8s_openapi::api::resource::v1::NetworkDeviceData",
    "NetworkDeviceData provides network-related details for the allocated device.",
    true,
    &[
        may("hardwareAddress", Str),
        may("interfaceName", Str),
        may("ips", List(&Str)),
    ],
).since(V1_34);

pub(super) static NODE_ALLOCATABLE_MAPPING: Type = leaf(
    "k8s_openapi::api::resource::v1::NodeAllocatableMapping",
    "NodeAllocatableMapping defines how a DRA allocation directly translates into a node allocatable resource quantity.",
    true,
    &[
        may("capacityKey", Str),
        may("capacityMultiplier", Quantity),
        may("deviceMultiplier", Quantity),
    ],
).since(V1_37);

pub(super) static NODE_ALLOCATABLE_OVERHEAD: Type = leaf(
    "k8s_openapi::api::resource::v1::NodeAllocatableOverhead",
    "NodeAllocatableOverhead defines auxiliary resource overheads incurred when allocating a device.",
    true,
    &[
        may("perContainer", Quantity),
        may("perPod", Quantity),
    ],
).since(V1_37);

pub(super) static NODE_ALLOCATABLE_RESOURCE: Type = leaf(
    "k8s_openapi::api::resource::v1::NodeAllocatableResource",
    "NodeAllocatableResource defines the translation between the DRA device/capacity units requested to the corresponding quantity of the node allocatable resource.",
    true,
    &[
        may("mapping", Struct(&super::resource_v1::NODE_ALLOCATABLE_MAPPING)).said("Mapping is used when the device directly models a node allocatable resource like standard CPU or memory (e.g., with a CPU DRA driver)."),
        may("overhead", Struct(&super::resource_v1::NODE_ALLOCATABLE_OVERHEAD)).said("Overhead contains fields for modeling auxiliary overhead incurred on node allocatable resources when allocating devices that are not themselves modeling a node allocatable resource (e.g., host memory overhead for GPUs)."),
    ],
).since(V1_37);

pub(super) static OPAQUE_DEVICE_CONFIGURATION: Type = leaf(
    "k8s_openapi::api::resource::v1::OpaqueDeviceConfiguration",
    "OpaqueDeviceConfiguration contains configuration parameters for a driver in a format defined by the driver vendor.",
    true,
    &[
        must("driver", Str),
        must("parameters", Json),
    ],
).since(V1_34);

pub(super) static RESOURCE_CLAIM_CONSUMER_REFERENCE: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourceClaimConsumerReference",
    "ResourceClaimConsumerReference contains enough information to let you locate the consumer of a ResourceClaim.",
    true,
    &[
        may("apiGroup", Str),
        must("name", Str),
        must("resource", Str),
        must("uid", Str),
    ],
).since(V1_34);

pub(super) static RESOURCE_CLAIM_SPEC: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourceClaimSpec",
    "ResourceClaimSpec defines what is being requested in a ResourceClaim and how to configure it.",
    true,
    &[
        may("devices", Struct(&super::resource_v1::DEVICE_CLAIM)).said("Devices defines how to request devices."),
    ],
).since(V1_34);

pub(super) static RESOURCE_CLAIM_STATUS: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourceClaimStatus",
    "ResourceClaimStatus tracks whether the resource has been allocated and what the result of that was.",
    true,
    &[
        may("allocation", Struct(&super::resource_v1::ALLOCATION_RESULT)).said("Allocation is set once the claim has been allocated successfully."),
        may("devices", List(&Struct(&super::resource_v1::ALLOCATED_DEVICE_STATUS))).said("Devices contains the status of each device allocated for this claim, as reported by the driver."),
        may("reservedFor", List(&Struct(&super::resource_v1::RESOURCE_CLAIM_CONSUMER_REFERENCE))).said("ReservedFor indicates which entities are currently allowed to use the claim."),
    ],
).since(V1_34);

pub(super) static RESOURCE_CLAIM_TEMPLATE_SPEC: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourceClaimTemplateSpec",
    "ResourceClaimTemplateSpec contains the metadata and fields for a ResourceClaim.",
    true,
    &[
        may("metadata", Struct(&super::meta_v1::OBJECT_META)).said("ObjectMeta may contain labels and annotations that will be copied into the ResourceClaim when creating it."),
        may("spec", Struct(&super::resource_v1::RESOURCE_CLAIM_SPEC)).said("Spec for the ResourceClaim.").required_before(V1_37),
    ],
).since(V1_34);

pub(super) static RESOURCE_POOL: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourcePool",
    "ResourcePool describes the pool that ResourceSlices belong to.",
    true,
    &[
        must("generation", I64),
        must("name", Str),
        must("resourceSliceCount", I64),
    ],
).since(V1_34);

pub(super) static RESOURCE_SLICE_SPEC: Type = leaf(
    "k8s_openapi::api::resource::v1::ResourceSliceSpec",
    "ResourceSliceSpec contains the information published by the driver in one ResourceSlice.",
    true,
    &[
        may("allNodes", Bool),
        may("devices", List(&Struct(&super::resource_v1::DEVICE))).said("Devices lists some or all of the devices in this pool."),
        must("driver", Str),
        may("nodeName", Str),
        may("nodeSelector", Struct(&super::core_v1::NODE_SELECTOR)).said("NodeSelector defines which nodes have access to the resources in the pool, when that pool is not limited to a single node."),
        may("partitionTypeAttribute", Str).since(V1_37),
        may("perDeviceNodeSelection", Bool),
        must("pool", Struct(&super::resource_v1::RESOURCE_POOL)).said("Pool describes the pool that this ResourceSlice belongs to."),
        may("sharedCounters", List(&Struct(&super::resource_v1::COUNTER_SET))).said("SharedCounters defines a list of counter sets, each of which has a name and a list of counters available."),
        may("skipNodeOperations", List(&Str)).since(V1_37),
    ],
).since(V1_34);
