//! `api::networking::v1`. Made by `cargo xtask known-types` from the sources of k8s-openapi.
use super::super::types::{leaf, may, must, Type};
use super::super::types::Ty::{I32, Str, IntOrString, List, Struct};

pub(super) static ALL: &[&Type] = &[
    &HTTP_INGRESS_PATH,
    &HTTP_INGRESS_RULE_VALUE,
    &IP_ADDRESS_SPEC,
    &IP_BLOCK,
    &INGRESS_BACKEND,
    &INGRESS_CLASS_PARAMETERS_REFERENCE,
    &INGRESS_CLASS_SPEC,
    &INGRESS_LOAD_BALANCER_INGRESS,
    &INGRESS_LOAD_BALANCER_STATUS,
    &INGRESS_PORT_STATUS,
    &INGRESS_RULE,
    &INGRESS_SERVICE_BACKEND,
    &INGRESS_SPEC,
    &INGRESS_STATUS,
    &INGRESS_TLS,
    &NETWORK_POLICY_EGRESS_RULE,
    &NETWORK_POLICY_INGRESS_RULE,
    &NETWORK_POLICY_PEER,
    &NETWORK_POLICY_PORT,
    &NETWORK_POLICY_SPEC,
    &PARENT_REFERENCE,
    &SERVICE_BACKEND_PORT,
    &SERVICE_CIDR_SPEC,
    &SERVICE_CIDR_STATUS,
];

pub(super) static HTTP_INGRESS_PATH: Type = leaf(
    "k8s_openapi::api::networking::v1::HTTPIngressPath",
    "HTTPIngressPath associates a path with a backend.",
    true,
    &[
        must("backend", Struct(&super::networking_v1::INGRESS_BACKEND)).said("backend defines the referenced service endpoint to which the traffic will be forwarded to."),
        may("path", Str),
        must("pathType", Str),
    ],
);

pub(super) static HTTP_INGRESS_RULE_VALUE: Type = leaf(
    "k8s_openapi::api::networking::v1::HTTPIngressRuleValue",
    "HTTPIngressRuleValue is a list of http selectors pointing to backends.",
    true,
    &[
        must("paths", List(&Struct(&super::networking_v1::HTTP_INGRESS_PATH))).said("paths is a collection of paths that map requests to backends."),
    ],
);

pub(super) static IP_ADDRESS_SPEC: Type = leaf(
    "k8s_openapi::api::networking::v1::IPAddressSpec",
    "IPAddressSpec describe the attributes in an IP Address.",
    true,
    &[
        must("parentRef", Struct(&super::networking_v1::PARENT_REFERENCE)).said("ParentRef references the resource that an IPAddress is attached to."),
    ],
);

pub(super) static IP_BLOCK: Type = leaf(
    "k8s_openapi::api::networking::v1::IPBlock",
    "IPBlock describes a particular CIDR (Ex.",
    true,
    &[
        must("cidr", Str),
        may("except", List(&Str)),
    ],
);

pub(super) static INGRESS_BACKEND: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressBackend",
    "IngressBackend describes all endpoints for a given service and port.",
    true,
    &[
        may("resource", Struct(&super::core_v1::TYPED_LOCAL_OBJECT_REFERENCE)).said("resource is an ObjectRef to another Kubernetes resource in the namespace of the Ingress object."),
        may("service", Struct(&super::networking_v1::INGRESS_SERVICE_BACKEND)).said("service references a service as a backend."),
    ],
);

pub(super) static INGRESS_CLASS_PARAMETERS_REFERENCE: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressClassParametersReference",
    "IngressClassParametersReference identifies an API object.",
    true,
    &[
        may("apiGroup", Str),
        must("kind", Str),
        must("name", Str),
        may("namespace", Str),
        may("scope", Str),
    ],
);

pub(super) static INGRESS_CLASS_SPEC: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressClassSpec",
    "IngressClassSpec provides information about the class of an Ingress.",
    true,
    &[
        may("controller", Str),
        may("parameters", Struct(&super::networking_v1::INGRESS_CLASS_PARAMETERS_REFERENCE)).said("parameters is a link to a custom resource containing additional configuration for the controller."),
    ],
);

pub(super) static INGRESS_LOAD_BALANCER_INGRESS: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressLoadBalancerIngress",
    "IngressLoadBalancerIngress represents the status of a load-balancer ingress point.",
    true,
    &[
        may("hostname", Str),
        may("ip", Str),
        may("ports", List(&Struct(&super::networking_v1::INGRESS_PORT_STATUS))).said("ports provides information about the ports exposed by this LoadBalancer."),
    ],
);

pub(super) static INGRESS_LOAD_BALANCER_STATUS: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressLoadBalancerStatus",
    "IngressLoadBalancerStatus represents the status of a load-balancer.",
    true,
    &[
        may("ingress", List(&Struct(&super::networking_v1::INGRESS_LOAD_BALANCER_INGRESS))).said("ingress is a list containing ingress points for the load-balancer."),
    ],
);

pub(super) static INGRESS_PORT_STATUS: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressPortStatus",
    "IngressPortStatus represents the error condition of a service port",
    true,
    &[
        may("error", Str),
        must("port", I32),
        must("protocol", Str),
    ],
);

pub(super) static INGRESS_RULE: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressRule",
    "IngressRule represents the rules mapping the paths under a specified host to the related backend services.",
    true,
    &[
        may("host", Str),
        may("http", Struct(&super::networking_v1::HTTP_INGRESS_RULE_VALUE)).said(""),
    ],
);

pub(super) static INGRESS_SERVICE_BACKEND: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressServiceBackend",
    "IngressServiceBackend references a Kubernetes Service as a Backend.",
    true,
    &[
        must("name", Str),
        may("port", Struct(&super::networking_v1::SERVICE_BACKEND_PORT)).said("port of the referenced service."),
    ],
);

pub(super) static INGRESS_SPEC: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressSpec",
    "IngressSpec describes the Ingress the user wishes to exist.",
    true,
    &[
        may("defaultBackend", Struct(&super::networking_v1::INGRESS_BACKEND)).said("defaultBackend is the backend that should handle requests that don't match any rule."),
        may("ingressClassName", Str),
        may("rules", List(&Struct(&super::networking_v1::INGRESS_RULE))).said("rules is a list of host rules used to configure the Ingress."),
        may("tls", List(&Struct(&super::networking_v1::INGRESS_TLS))).said("tls represents the TLS configuration."),
    ],
);

pub(super) static INGRESS_STATUS: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressStatus",
    "IngressStatus describe the current state of the Ingress.",
    true,
    &[
        may("loadBalancer", Struct(&super::networking_v1::INGRESS_LOAD_BALANCER_STATUS)).said("loadBalancer contains the current status of the load-balancer."),
    ],
);

pub(super) static INGRESS_TLS: Type = leaf(
    "k8s_openapi::api::networking::v1::IngressTLS",
    "IngressTLS describes the transport layer security associated with an ingress.",
    true,
    &[
        may("hosts", List(&Str)),
        may("secretName", Str),
    ],
);

pub(super) static NETWORK_POLICY_EGRESS_RULE: Type = leaf(
    "k8s_openapi::api::networking::v1::NetworkPolicyEgressRule",
    "NetworkPolicyEgressRule describes a particular set of traffic that is allowed out of pods matched by a NetworkPolicySpec's podSelector.",
    true,
    &[
        may("ports", List(&Struct(&super::networking_v1::NETWORK_POLICY_PORT))).said("ports is a list of destination ports for outgoing traffic."),
        may("to", List(&Struct(&super::networking_v1::NETWORK_POLICY_PEER))).said("to is a list of destinations for outgoing traffic of pods selected for this rule."),
    ],
);

pub(super) static NETWORK_POLICY_INGRESS_RULE: Type = leaf(
    "k8s_openapi::api::networking::v1::NetworkPolicyIngressRule",
    "NetworkPolicyIngressRule describes a particular set of traffic that is allowed to the pods matched by a NetworkPolicySpec's podSelector.",
    true,
    &[
        may("from", List(&Struct(&super::networking_v1::NETWORK_POLICY_PEER))).said("from is a list of sources which should be able to access the pods selected for this rule."),
        may("ports", List(&Struct(&super::networking_v1::NETWORK_POLICY_PORT))).said("ports is a list of ports which should be made accessible on the pods selected for this rule."),
    ],
);

pub(super) static NETWORK_POLICY_PEER: Type = leaf(
    "k8s_openapi::api::networking::v1::NetworkPolicyPeer",
    "NetworkPolicyPeer describes a peer to allow traffic to/from.",
    true,
    &[
        may("ipBlock", Struct(&super::networking_v1::IP_BLOCK)).said("ipBlock defines policy on a particular IPBlock."),
        may("namespaceSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("namespaceSelector selects namespaces using cluster-scoped labels."),
        may("podSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("podSelector is a label selector which selects pods."),
    ],
);

pub(super) static NETWORK_POLICY_PORT: Type = leaf(
    "k8s_openapi::api::networking::v1::NetworkPolicyPort",
    "NetworkPolicyPort describes a port to allow traffic on",
    true,
    &[
        may("endPort", I32),
        may("port", IntOrString),
        may("protocol", Str),
    ],
);

pub(super) static NETWORK_POLICY_SPEC: Type = leaf(
    "k8s_openapi::api::networking::v1::NetworkPolicySpec",
    "NetworkPolicySpec provides the specification of a NetworkPolicy",
    true,
    &[
        may("egress", List(&Struct(&super::networking_v1::NETWORK_POLICY_EGRESS_RULE))).said("egress is a list of egress rules to be applied to the selected pods."),
        may("ingress", List(&Struct(&super::networking_v1::NETWORK_POLICY_INGRESS_RULE))).said("ingress is a list of ingress rules to be applied to the selected pods."),
        may("podSelector", Struct(&super::meta_v1::LABEL_SELECTOR)).said("podSelector selects the pods to which this NetworkPolicy object applies."),
        may("policyTypes", List(&Str)),
    ],
);

pub(super) static PARENT_REFERENCE: Type = leaf(
    "k8s_openapi::api::networking::v1::ParentReference",
    "ParentReference describes a reference to a parent object.",
    true,
    &[
        may("group", Str),
        must("name", Str),
        may("namespace", Str),
        must("resource", Str),
    ],
);

pub(super) static SERVICE_BACKEND_PORT: Type = leaf(
    "k8s_openapi::api::networking::v1::ServiceBackendPort",
    "ServiceBackendPort is the service port being referenced.",
    true,
    &[
        may("name", Str),
        may("number", I32),
    ],
);

pub(super) static SERVICE_CIDR_SPEC: Type = leaf(
    "k8s_openapi::api::networking::v1::ServiceCIDRSpec",
    "ServiceCIDRSpec define the CIDRs the user wants to use for allocating ClusterIPs for Services.",
    true,
    &[
        may("cidrs", List(&Str)),
    ],
);

pub(super) static SERVICE_CIDR_STATUS: Type = leaf(
    "k8s_openapi::api::networking::v1::ServiceCIDRStatus",
    "ServiceCIDRStatus describes the current state of the ServiceCIDR.",
    true,
    &[
        may("conditions", List(&Struct(&super::meta_v1::CONDITION))).said("conditions holds an array of metav1.Condition that describe the state of the ServiceCIDR."),
    ],
);
