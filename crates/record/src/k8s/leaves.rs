//! Types of `k8s-openapi` that generated types may hold, each as it reads and writes itself. Made by `cargo xtask known-types` from the sources of k8s-openapi.
#![allow(
    clippy::wildcard_imports,
    reason = "each module of this file is of one group of the API"
)]

use crate::leaves;

mod admissionregistration_v1 {
    use k8s_openapi::api::admissionregistration::v1::*;

    super::leaves! {
        AuditAnnotation = AuditAnnotation::default(),
        ExpressionWarning = ExpressionWarning::default(),
        MatchCondition = MatchCondition::default(),
        MatchResources = MatchResources::default(),
        MutatingWebhook = MutatingWebhook::default(),
        NamedRuleWithOperations = NamedRuleWithOperations::default(),
        ParamKind = ParamKind::default(),
        ParamRef = ParamRef::default(),
        RuleWithOperations = RuleWithOperations::default(),
        ServiceReference = ServiceReference::default(),
        TypeChecking = TypeChecking::default(),
        ValidatingAdmissionPolicyBindingSpec = ValidatingAdmissionPolicyBindingSpec::default(),
        ValidatingAdmissionPolicySpec = ValidatingAdmissionPolicySpec::default(),
        ValidatingAdmissionPolicyStatus = ValidatingAdmissionPolicyStatus::default(),
        ValidatingWebhook = ValidatingWebhook::default(),
        Validation = Validation::default(),
        Variable = Variable::default(),
        WebhookClientConfig = WebhookClientConfig::default(),
    }

    k8s_openapi::k8s_if_ge_1_36! {
        super::leaves! {
            ApplyConfiguration = ApplyConfiguration::default(),
            JSONPatch = JSONPatch::default(),
            MutatingAdmissionPolicyBindingSpec = MutatingAdmissionPolicyBindingSpec::default(),
            MutatingAdmissionPolicySpec = MutatingAdmissionPolicySpec::default(),
            Mutation = Mutation::default(),
        }
    }
}

mod apps_v1 {
    use k8s_openapi::api::apps::v1::*;

    super::leaves! {
        DaemonSetCondition = DaemonSetCondition::default(),
        DaemonSetSpec = DaemonSetSpec::default(),
        DaemonSetStatus = DaemonSetStatus::default(),
        DaemonSetUpdateStrategy = DaemonSetUpdateStrategy::default(),
        DeploymentCondition = DeploymentCondition::default(),
        DeploymentSpec = DeploymentSpec::default(),
        DeploymentStatus = DeploymentStatus::default(),
        DeploymentStrategy = DeploymentStrategy::default(),
        ReplicaSetCondition = ReplicaSetCondition::default(),
        ReplicaSetSpec = ReplicaSetSpec::default(),
        ReplicaSetStatus = ReplicaSetStatus::default(),
        RollingUpdateDaemonSet = RollingUpdateDaemonSet::default(),
        RollingUpdateDeployment = RollingUpdateDeployment::default(),
        RollingUpdateStatefulSetStrategy = RollingUpdateStatefulSetStrategy::default(),
        StatefulSetCondition = StatefulSetCondition::default(),
        StatefulSetOrdinals = StatefulSetOrdinals::default(),
        StatefulSetPersistentVolumeClaimRetentionPolicy = StatefulSetPersistentVolumeClaimRetentionPolicy::default(),
        StatefulSetSpec = StatefulSetSpec::default(),
        StatefulSetStatus = StatefulSetStatus::default(),
        StatefulSetUpdateStrategy = StatefulSetUpdateStrategy::default(),
    }
}

mod authentication_v1 {
    use k8s_openapi::api::authentication::v1::*;

    super::leaves! {
        BoundObjectReference = BoundObjectReference::default(),
        SelfSubjectReviewStatus = SelfSubjectReviewStatus::default(),
        TokenRequestSpec = TokenRequestSpec::default(),
        TokenReviewSpec = TokenReviewSpec::default(),
        TokenReviewStatus = TokenReviewStatus::default(),
        UserInfo = UserInfo::default(),
    }

    k8s_openapi::k8s_if_ge_1_36! {
        super::leaves! {
            TokenRequestStatus = TokenRequestStatus::default(),
        }
    }
}

mod authorization_v1 {
    use k8s_openapi::api::authorization::v1::*;

    super::leaves! {
        FieldSelectorAttributes = FieldSelectorAttributes::default(),
        LabelSelectorAttributes = LabelSelectorAttributes::default(),
        NonResourceAttributes = NonResourceAttributes::default(),
        NonResourceRule = NonResourceRule::default(),
        ResourceAttributes = ResourceAttributes::default(),
        ResourceRule = ResourceRule::default(),
        SelfSubjectAccessReviewSpec = SelfSubjectAccessReviewSpec::default(),
        SelfSubjectRulesReviewSpec = SelfSubjectRulesReviewSpec::default(),
        SubjectAccessReviewSpec = SubjectAccessReviewSpec::default(),
        SubjectAccessReviewStatus = SubjectAccessReviewStatus::default(),
        SubjectRulesReviewStatus = SubjectRulesReviewStatus::default(),
    }
}

mod autoscaling_v1 {
    use k8s_openapi::api::autoscaling::v1::*;

    super::leaves! {
        CrossVersionObjectReference = CrossVersionObjectReference::default(),
        HorizontalPodAutoscalerSpec = HorizontalPodAutoscalerSpec::default(),
        HorizontalPodAutoscalerStatus = HorizontalPodAutoscalerStatus::default(),
        ScaleSpec = ScaleSpec::default(),
        ScaleStatus = ScaleStatus::default(),
    }
}

mod autoscaling_v2 {
    use k8s_openapi::api::autoscaling::v2::*;

    super::leaves! {
        ContainerResourceMetricSource = ContainerResourceMetricSource::default(),
        ContainerResourceMetricStatus = ContainerResourceMetricStatus::default(),
        CrossVersionObjectReference = CrossVersionObjectReference::default(),
        ExternalMetricSource = ExternalMetricSource::default(),
        ExternalMetricStatus = ExternalMetricStatus::default(),
        HPAScalingPolicy = HPAScalingPolicy::default(),
        HPAScalingRules = HPAScalingRules::default(),
        HorizontalPodAutoscalerBehavior = HorizontalPodAutoscalerBehavior::default(),
        HorizontalPodAutoscalerCondition = HorizontalPodAutoscalerCondition::default(),
        HorizontalPodAutoscalerSpec = HorizontalPodAutoscalerSpec::default(),
        HorizontalPodAutoscalerStatus = HorizontalPodAutoscalerStatus::default(),
        MetricIdentifier = MetricIdentifier::default(),
        MetricSpec = MetricSpec::default(),
        MetricStatus = MetricStatus::default(),
        MetricTarget = MetricTarget::default(),
        MetricValueStatus = MetricValueStatus::default(),
        ObjectMetricSource = ObjectMetricSource::default(),
        ObjectMetricStatus = ObjectMetricStatus::default(),
        PodsMetricSource = PodsMetricSource::default(),
        PodsMetricStatus = PodsMetricStatus::default(),
        ResourceMetricSource = ResourceMetricSource::default(),
        ResourceMetricStatus = ResourceMetricStatus::default(),
    }
}

mod batch_v1 {
    use k8s_openapi::api::batch::v1::*;

    super::leaves! {
        CronJobSpec = CronJobSpec::default(),
        CronJobStatus = CronJobStatus::default(),
        JobCondition = JobCondition::default(),
        JobSpec = JobSpec::default(),
        JobStatus = JobStatus::default(),
        JobTemplateSpec = JobTemplateSpec::default(),
        PodFailurePolicy = PodFailurePolicy::default(),
        PodFailurePolicyOnExitCodesRequirement = PodFailurePolicyOnExitCodesRequirement::default(),
        PodFailurePolicyOnPodConditionsPattern = PodFailurePolicyOnPodConditionsPattern::default(),
        PodFailurePolicyRule = PodFailurePolicyRule::default(),
        SuccessPolicy = SuccessPolicy::default(),
        SuccessPolicyRule = SuccessPolicyRule::default(),
        UncountedTerminatedPods = UncountedTerminatedPods::default(),
    }

    k8s_openapi::k8s_if_ge_1_37! {
        super::leaves! {
            JobSchedulingConfiguration = JobSchedulingConfiguration::default(),
        }
    }
}

mod certificates_v1 {
    use k8s_openapi::api::certificates::v1::*;

    super::leaves! {
        CertificateSigningRequestCondition = CertificateSigningRequestCondition::default(),
        CertificateSigningRequestSpec = CertificateSigningRequestSpec::default(),
        CertificateSigningRequestStatus = CertificateSigningRequestStatus::default(),
    }

    k8s_openapi::k8s_if_ge_1_37! {
        super::leaves! {
            ClusterTrustBundleSpec = ClusterTrustBundleSpec::default(),
            PodCertificateRequestSpec = PodCertificateRequestSpec::default(),
            PodCertificateRequestStatus = PodCertificateRequestStatus::default(),
        }
    }
}

mod coordination_v1 {
    use k8s_openapi::api::coordination::v1::*;

    super::leaves! {
        LeaseSpec = LeaseSpec::default(),
    }
}

mod core_v1 {
    use k8s_openapi::api::core::v1::*;

    super::leaves! {
        AWSElasticBlockStoreVolumeSource = AWSElasticBlockStoreVolumeSource::default(),
        Affinity = Affinity::default(),
        AppArmorProfile = AppArmorProfile::default(),
        AttachedVolume = AttachedVolume::default(),
        AzureDiskVolumeSource = AzureDiskVolumeSource::default(),
        AzureFilePersistentVolumeSource = AzureFilePersistentVolumeSource::default(),
        AzureFileVolumeSource = AzureFileVolumeSource::default(),
        CSIPersistentVolumeSource = CSIPersistentVolumeSource::default(),
        CSIVolumeSource = CSIVolumeSource::default(),
        Capabilities = Capabilities::default(),
        CephFSPersistentVolumeSource = CephFSPersistentVolumeSource::default(),
        CephFSVolumeSource = CephFSVolumeSource::default(),
        CinderPersistentVolumeSource = CinderPersistentVolumeSource::default(),
        CinderVolumeSource = CinderVolumeSource::default(),
        ClientIPConfig = ClientIPConfig::default(),
        ClusterTrustBundleProjection = ClusterTrustBundleProjection::default(),
        ComponentCondition = ComponentCondition::default(),
        ConfigMapEnvSource = ConfigMapEnvSource::default(),
        ConfigMapKeySelector = ConfigMapKeySelector::default(),
        ConfigMapNodeConfigSource = ConfigMapNodeConfigSource::default(),
        ConfigMapProjection = ConfigMapProjection::default(),
        ConfigMapVolumeSource = ConfigMapVolumeSource::default(),
        Container = Container::default(),
        ContainerImage = ContainerImage::default(),
        ContainerPort = ContainerPort::default(),
        ContainerResizePolicy = ContainerResizePolicy::default(),
        ContainerState = ContainerState::default(),
        ContainerStateRunning = ContainerStateRunning::default(),
        ContainerStateTerminated = ContainerStateTerminated::default(),
        ContainerStateWaiting = ContainerStateWaiting::default(),
        ContainerStatus = ContainerStatus::default(),
        ContainerUser = ContainerUser::default(),
        DaemonEndpoint = DaemonEndpoint::default(),
        DownwardAPIProjection = DownwardAPIProjection::default(),
        DownwardAPIVolumeFile = DownwardAPIVolumeFile::default(),
        DownwardAPIVolumeSource = DownwardAPIVolumeSource::default(),
        EmptyDirVolumeSource = EmptyDirVolumeSource::default(),
        EndpointAddress = EndpointAddress::default(),
        EndpointPort = EndpointPort::default(),
        EndpointSubset = EndpointSubset::default(),
        EnvFromSource = EnvFromSource::default(),
        EnvVar = EnvVar::default(),
        EnvVarSource = EnvVarSource::default(),
        EphemeralContainer = EphemeralContainer::default(),
        EphemeralVolumeSource = EphemeralVolumeSource::default(),
        EventSeries = EventSeries::default(),
        EventSource = EventSource::default(),
        ExecAction = ExecAction::default(),
        FCVolumeSource = FCVolumeSource::default(),
        FlexPersistentVolumeSource = FlexPersistentVolumeSource::default(),
        FlexVolumeSource = FlexVolumeSource::default(),
        FlockerVolumeSource = FlockerVolumeSource::default(),
        GCEPersistentDiskVolumeSource = GCEPersistentDiskVolumeSource::default(),
        GRPCAction = GRPCAction::default(),
        GitRepoVolumeSource = GitRepoVolumeSource::default(),
        GlusterfsPersistentVolumeSource = GlusterfsPersistentVolumeSource::default(),
        GlusterfsVolumeSource = GlusterfsVolumeSource::default(),
        HTTPGetAction = HTTPGetAction::default(),
        HTTPHeader = HTTPHeader::default(),
        HostAlias = HostAlias::default(),
        HostIP = HostIP::default(),
        HostPathVolumeSource = HostPathVolumeSource::default(),
        ISCSIPersistentVolumeSource = ISCSIPersistentVolumeSource::default(),
        ISCSIVolumeSource = ISCSIVolumeSource::default(),
        ImageVolumeSource = ImageVolumeSource::default(),
        KeyToPath = KeyToPath::default(),
        Lifecycle = Lifecycle::default(),
        LifecycleHandler = LifecycleHandler::default(),
        LimitRangeItem = LimitRangeItem::default(),
        LimitRangeSpec = LimitRangeSpec::default(),
        LinuxContainerUser = LinuxContainerUser::default(),
        LoadBalancerIngress = LoadBalancerIngress::default(),
        LoadBalancerStatus = LoadBalancerStatus::default(),
        LocalObjectReference = LocalObjectReference::default(),
        LocalVolumeSource = LocalVolumeSource::default(),
        ModifyVolumeStatus = ModifyVolumeStatus::default(),
        NFSVolumeSource = NFSVolumeSource::default(),
        NamespaceCondition = NamespaceCondition::default(),
        NamespaceSpec = NamespaceSpec::default(),
        NamespaceStatus = NamespaceStatus::default(),
        NodeAddress = NodeAddress::default(),
        NodeAffinity = NodeAffinity::default(),
        NodeCondition = NodeCondition::default(),
        NodeConfigSource = NodeConfigSource::default(),
        NodeConfigStatus = NodeConfigStatus::default(),
        NodeDaemonEndpoints = NodeDaemonEndpoints::default(),
        NodeFeatures = NodeFeatures::default(),
        NodeRuntimeHandler = NodeRuntimeHandler::default(),
        NodeRuntimeHandlerFeatures = NodeRuntimeHandlerFeatures::default(),
        NodeSelector = NodeSelector::default(),
        NodeSelectorRequirement = NodeSelectorRequirement::default(),
        NodeSelectorTerm = NodeSelectorTerm::default(),
        NodeSpec = NodeSpec::default(),
        NodeStatus = NodeStatus::default(),
        NodeSwapStatus = NodeSwapStatus::default(),
        NodeSystemInfo = NodeSystemInfo::default(),
        ObjectFieldSelector = ObjectFieldSelector::default(),
        ObjectReference = ObjectReference::default(),
        PersistentVolumeClaimCondition = PersistentVolumeClaimCondition::default(),
        PersistentVolumeClaimSpec = PersistentVolumeClaimSpec::default(),
        PersistentVolumeClaimStatus = PersistentVolumeClaimStatus::default(),
        PersistentVolumeClaimTemplate = PersistentVolumeClaimTemplate::default(),
        PersistentVolumeClaimVolumeSource = PersistentVolumeClaimVolumeSource::default(),
        PersistentVolumeSpec = PersistentVolumeSpec::default(),
        PersistentVolumeStatus = PersistentVolumeStatus::default(),
        PhotonPersistentDiskVolumeSource = PhotonPersistentDiskVolumeSource::default(),
        PodAffinity = PodAffinity::default(),
        PodAffinityTerm = PodAffinityTerm::default(),
        PodAntiAffinity = PodAntiAffinity::default(),
        PodCondition = PodCondition::default(),
        PodDNSConfig = PodDNSConfig::default(),
        PodDNSConfigOption = PodDNSConfigOption::default(),
        PodIP = PodIP::default(),
        PodOS = PodOS::default(),
        PodReadinessGate = PodReadinessGate::default(),
        PodResourceClaim = PodResourceClaim::default(),
        PodResourceClaimStatus = PodResourceClaimStatus::default(),
        PodSchedulingGate = PodSchedulingGate::default(),
        PodSecurityContext = PodSecurityContext::default(),
        PodSpec = PodSpec::default(),
        PodStatus = PodStatus::default(),
        PodTemplateSpec = PodTemplateSpec::default(),
        PortStatus = PortStatus::default(),
        PortworxVolumeSource = PortworxVolumeSource::default(),
        PreferredSchedulingTerm = PreferredSchedulingTerm::default(),
        Probe = Probe::default(),
        ProjectedVolumeSource = ProjectedVolumeSource::default(),
        QuobyteVolumeSource = QuobyteVolumeSource::default(),
        RBDPersistentVolumeSource = RBDPersistentVolumeSource::default(),
        RBDVolumeSource = RBDVolumeSource::default(),
        ReplicationControllerCondition = ReplicationControllerCondition::default(),
        ReplicationControllerSpec = ReplicationControllerSpec::default(),
        ReplicationControllerStatus = ReplicationControllerStatus::default(),
        ResourceClaim = ResourceClaim::default(),
        ResourceFieldSelector = ResourceFieldSelector::default(),
        ResourceHealth = ResourceHealth::default(),
        ResourceQuotaSpec = ResourceQuotaSpec::default(),
        ResourceQuotaStatus = ResourceQuotaStatus::default(),
        ResourceRequirements = ResourceRequirements::default(),
        ResourceStatus = ResourceStatus::default(),
        SELinuxOptions = SELinuxOptions::default(),
        ScaleIOPersistentVolumeSource = ScaleIOPersistentVolumeSource::default(),
        ScaleIOVolumeSource = ScaleIOVolumeSource::default(),
        ScopeSelector = ScopeSelector::default(),
        ScopedResourceSelectorRequirement = ScopedResourceSelectorRequirement::default(),
        SeccompProfile = SeccompProfile::default(),
        SecretEnvSource = SecretEnvSource::default(),
        SecretKeySelector = SecretKeySelector::default(),
        SecretProjection = SecretProjection::default(),
        SecretReference = SecretReference::default(),
        SecretVolumeSource = SecretVolumeSource::default(),
        SecurityContext = SecurityContext::default(),
        ServiceAccountTokenProjection = ServiceAccountTokenProjection::default(),
        ServicePort = ServicePort::default(),
        ServiceSpec = ServiceSpec::default(),
        ServiceStatus = ServiceStatus::default(),
        SessionAffinityConfig = SessionAffinityConfig::default(),
        SleepAction = SleepAction::default(),
        StorageOSPersistentVolumeSource = StorageOSPersistentVolumeSource::default(),
        StorageOSVolumeSource = StorageOSVolumeSource::default(),
        Sysctl = Sysctl::default(),
        TCPSocketAction = TCPSocketAction::default(),
        Taint = Taint::default(),
        Toleration = Toleration::default(),
        TopologySelectorLabelRequirement = TopologySelectorLabelRequirement::default(),
        TopologySelectorTerm = TopologySelectorTerm::default(),
        TopologySpreadConstraint = TopologySpreadConstraint::default(),
        TypedLocalObjectReference = TypedLocalObjectReference::default(),
        TypedObjectReference = TypedObjectReference::default(),
        Volume = Volume::default(),
        VolumeDevice = VolumeDevice::default(),
        VolumeMount = VolumeMount::default(),
        VolumeMountStatus = VolumeMountStatus::default(),
        VolumeNodeAffinity = VolumeNodeAffinity::default(),
        VolumeProjection = VolumeProjection::default(),
        VolumeResourceRequirements = VolumeResourceRequirements::default(),
        VsphereVirtualDiskVolumeSource = VsphereVirtualDiskVolumeSource::default(),
        WeightedPodAffinityTerm = WeightedPodAffinityTerm::default(),
        WindowsSecurityContextOptions = WindowsSecurityContextOptions::default(),
    }

    k8s_openapi::k8s_if_ge_1_34! {
        super::leaves! {
            ContainerExtendedResourceRequest = ContainerExtendedResourceRequest::default(),
            ContainerRestartRule = ContainerRestartRule::default(),
            ContainerRestartRuleOnExitCodes = ContainerRestartRuleOnExitCodes::default(),
            FileKeySelector = FileKeySelector::default(),
            PodCertificateProjection = PodCertificateProjection::default(),
            PodExtendedResourceClaimStatus = PodExtendedResourceClaimStatus::default(),
        }
    }

    k8s_openapi::k8s_if_ge_1_36! {
        super::leaves! {
            ImageVolumeStatus = ImageVolumeStatus::default(),
            PodSchedulingGroup = PodSchedulingGroup::default(),
            VolumeStatus = VolumeStatus::default(),
        }
    }

    k8s_openapi::k8s_if_ge_1_37! {
        super::leaves! {
            EvictionResponder = EvictionResponder::default(),
            NodeAllocatableMappedResources = NodeAllocatableMappedResources::default(),
            NodeAllocatableOverheadResources = NodeAllocatableOverheadResources::default(),
            NodeAllocatableResourceClaimStatus = NodeAllocatableResourceClaimStatus::default(),
            NodePodPreemptionPolicy = NodePodPreemptionPolicy::default(),
            PodVolumeHealth = PodVolumeHealth::default(),
            VolumeHealthCondition = VolumeHealthCondition::default(),
            VolumeHealthStatus = VolumeHealthStatus::default(),
        }
    }
}

mod discovery_v1 {
    use k8s_openapi::api::discovery::v1::*;

    super::leaves! {
        Endpoint = Endpoint::default(),
        EndpointConditions = EndpointConditions::default(),
        EndpointHints = EndpointHints::default(),
        EndpointPort = EndpointPort::default(),
        ForNode = ForNode::default(),
        ForZone = ForZone::default(),
    }
}

mod flowcontrol_v1 {
    use k8s_openapi::api::flowcontrol::v1::*;

    super::leaves! {
        ExemptPriorityLevelConfiguration = ExemptPriorityLevelConfiguration::default(),
        FlowDistinguisherMethod = FlowDistinguisherMethod::default(),
        FlowSchemaCondition = FlowSchemaCondition::default(),
        FlowSchemaSpec = FlowSchemaSpec::default(),
        FlowSchemaStatus = FlowSchemaStatus::default(),
        GroupSubject = GroupSubject::default(),
        LimitResponse = LimitResponse::default(),
        LimitedPriorityLevelConfiguration = LimitedPriorityLevelConfiguration::default(),
        NonResourcePolicyRule = NonResourcePolicyRule::default(),
        PolicyRulesWithSubjects = PolicyRulesWithSubjects::default(),
        PriorityLevelConfigurationCondition = PriorityLevelConfigurationCondition::default(),
        PriorityLevelConfigurationReference = PriorityLevelConfigurationReference::default(),
        PriorityLevelConfigurationSpec = PriorityLevelConfigurationSpec::default(),
        PriorityLevelConfigurationStatus = PriorityLevelConfigurationStatus::default(),
        QueuingConfiguration = QueuingConfiguration::default(),
        ResourcePolicyRule = ResourcePolicyRule::default(),
        ServiceAccountSubject = ServiceAccountSubject::default(),
        Subject = Subject::default(),
        UserSubject = UserSubject::default(),
    }
}

mod networking_v1 {
    use k8s_openapi::api::networking::v1::*;

    super::leaves! {
        HTTPIngressPath = HTTPIngressPath::default(),
        HTTPIngressRuleValue = HTTPIngressRuleValue::default(),
        IPAddressSpec = IPAddressSpec::default(),
        IPBlock = IPBlock::default(),
        IngressBackend = IngressBackend::default(),
        IngressClassParametersReference = IngressClassParametersReference::default(),
        IngressClassSpec = IngressClassSpec::default(),
        IngressLoadBalancerIngress = IngressLoadBalancerIngress::default(),
        IngressLoadBalancerStatus = IngressLoadBalancerStatus::default(),
        IngressPortStatus = IngressPortStatus::default(),
        IngressRule = IngressRule::default(),
        IngressServiceBackend = IngressServiceBackend::default(),
        IngressSpec = IngressSpec::default(),
        IngressStatus = IngressStatus::default(),
        IngressTLS = IngressTLS::default(),
        NetworkPolicyEgressRule = NetworkPolicyEgressRule::default(),
        NetworkPolicyIngressRule = NetworkPolicyIngressRule::default(),
        NetworkPolicyPeer = NetworkPolicyPeer::default(),
        NetworkPolicyPort = NetworkPolicyPort::default(),
        NetworkPolicySpec = NetworkPolicySpec::default(),
        ParentReference = ParentReference::default(),
        ServiceBackendPort = ServiceBackendPort::default(),
        ServiceCIDRSpec = ServiceCIDRSpec::default(),
        ServiceCIDRStatus = ServiceCIDRStatus::default(),
    }
}

mod node_v1 {
    use k8s_openapi::api::node::v1::*;

    super::leaves! {
        Overhead = Overhead::default(),
        Scheduling = Scheduling::default(),
    }
}

mod policy_v1 {
    use k8s_openapi::api::policy::v1::*;

    super::leaves! {
        PodDisruptionBudgetSpec = PodDisruptionBudgetSpec::default(),
        PodDisruptionBudgetStatus = PodDisruptionBudgetStatus::default(),
    }
}

mod rbac_v1 {
    use k8s_openapi::api::rbac::v1::*;

    super::leaves! {
        AggregationRule = AggregationRule::default(),
        PolicyRule = PolicyRule::default(),
        RoleRef = RoleRef::default(),
        Subject = Subject::default(),
    }
}

k8s_openapi::k8s_if_ge_1_34! {
    mod resource_v1 {
        use k8s_openapi::api::resource::v1::*;

        super::leaves! {
            AllocatedDeviceStatus = AllocatedDeviceStatus::default(),
            AllocationResult = AllocationResult::default(),
            CELDeviceSelector = CELDeviceSelector::default(),
            CapacityRequestPolicy = CapacityRequestPolicy::default(),
            CapacityRequestPolicyRange = CapacityRequestPolicyRange::default(),
            CapacityRequirements = CapacityRequirements::default(),
            Counter = Counter::default(),
            CounterSet = CounterSet::default(),
            Device = Device::default(),
            DeviceAllocationConfiguration = DeviceAllocationConfiguration::default(),
            DeviceAllocationResult = DeviceAllocationResult::default(),
            DeviceAttribute = DeviceAttribute::default(),
            DeviceCapacity = DeviceCapacity::default(),
            DeviceClaim = DeviceClaim::default(),
            DeviceClaimConfiguration = DeviceClaimConfiguration::default(),
            DeviceClassConfiguration = DeviceClassConfiguration::default(),
            DeviceClassSpec = DeviceClassSpec::default(),
            DeviceConstraint = DeviceConstraint::default(),
            DeviceCounterConsumption = DeviceCounterConsumption::default(),
            DeviceRequest = DeviceRequest::default(),
            DeviceRequestAllocationResult = DeviceRequestAllocationResult::default(),
            DeviceSelector = DeviceSelector::default(),
            DeviceSubRequest = DeviceSubRequest::default(),
            DeviceTaint = DeviceTaint::default(),
            DeviceToleration = DeviceToleration::default(),
            ExactDeviceRequest = ExactDeviceRequest::default(),
            NetworkDeviceData = NetworkDeviceData::default(),
            OpaqueDeviceConfiguration = OpaqueDeviceConfiguration::default(),
            ResourceClaimConsumerReference = ResourceClaimConsumerReference::default(),
            ResourceClaimSpec = ResourceClaimSpec::default(),
            ResourceClaimStatus = ResourceClaimStatus::default(),
            ResourceClaimTemplateSpec = ResourceClaimTemplateSpec::default(),
            ResourcePool = ResourcePool::default(),
            ResourceSliceSpec = ResourceSliceSpec::default(),
        }

        k8s_openapi::k8s_if_ge_1_37! {
            super::leaves! {
                DeviceDerivedAttribute = DeviceDerivedAttribute::default(),
                DeviceTaintRuleSpec = DeviceTaintRuleSpec::default(),
                DeviceTaintRuleStatus = DeviceTaintRuleStatus::default(),
                DeviceTaintSelector = DeviceTaintSelector::default(),
                NodeAllocatableMapping = NodeAllocatableMapping::default(),
                NodeAllocatableOverhead = NodeAllocatableOverhead::default(),
                NodeAllocatableResource = NodeAllocatableResource::default(),
            }
        }
    }
}

mod storage_v1 {
    use k8s_openapi::api::storage::v1::*;

    super::leaves! {
        CSIDriverSpec = CSIDriverSpec::default(),
        CSINodeDriver = CSINodeDriver::default(),
        CSINodeSpec = CSINodeSpec::default(),
        TokenRequest = TokenRequest::default(),
        VolumeAttachmentSource = VolumeAttachmentSource::default(),
        VolumeAttachmentSpec = VolumeAttachmentSpec::default(),
        VolumeAttachmentStatus = VolumeAttachmentStatus::default(),
        VolumeError = VolumeError::default(),
        VolumeNodeResources = VolumeNodeResources::default(),
    }

    k8s_openapi::k8s_if_ge_1_37! {
        super::leaves! {
            CSINodeStatus = CSINodeStatus::default(),
            StorageHealth = StorageHealth::default(),
            StorageHealthCondition = StorageHealthCondition::default(),
        }
    }
}

k8s_openapi::k8s_if_ge_1_37! {
    mod storagemigration_v1 {
        use k8s_openapi::api::storagemigration::v1::*;

        super::leaves! {
            StorageVersionMigrationSpec = StorageVersionMigrationSpec::default(),
            StorageVersionMigrationStatus = StorageVersionMigrationStatus::default(),
        }
    }
}

mod meta_v1 {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::*;

    super::leaves! {
        APIResource = APIResource::default(),
        DeleteOptions = DeleteOptions::default(),
        FieldSelectorRequirement = FieldSelectorRequirement::default(),
        GroupVersionForDiscovery = GroupVersionForDiscovery::default(),
        ListMeta = ListMeta::default(),
        Preconditions = Preconditions::default(),
        ServerAddressByClientCIDR = ServerAddressByClientCIDR::default(),
        StatusCause = StatusCause::default(),
        StatusDetails = StatusDetails::default(),
    }

    k8s_openapi::k8s_if_ge_1_35! {
        super::leaves! {
            GroupResource = GroupResource::default(),
        }
    }

    k8s_openapi::k8s_if_ge_1_36! {
        super::leaves! {
            ShardInfo = ShardInfo::default(),
        }
    }
}
