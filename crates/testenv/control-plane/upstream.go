package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

type metadataInformers = informerfactory.InformerFactory

func newMetadataInformers(meta metadata.Interface, typed informers.SharedInformerFactory) metadataInformers {
	return informerfactory.NewInformerFactory(typed, metadatainformer.NewSharedInformerFactory(meta, 12*time.Hour))
}

// upstream creates the controllers of kube-controller-manager, except those for volumes, clouds, nodes,
// certificates and autoscaling. The garbage collector has a shorter interval: with upstream's, dependents of
// the objects of a new CustomResourceDefinition outlive their owner by up to 40 seconds.
func (c *cluster) upstream(ctx context.Context, ca []byte, gcSync time.Duration) ([]func(context.Context), error) {
	core, apps, client := c.typed.Core().V1(), c.typed.Apps().V1(), c.client
	discovery := client.Discovery()

	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return nil, err
	}
	daemons, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client,
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	if err != nil {
		return nil, err
	}
	jobs, err := job.NewController(ctx, client, core.Pods(), c.typed.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return nil, err
	}
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(), client,
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	publisher, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, ca)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery))
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, c.metadata, mapper, garbagecollector.DefaultIgnoredResources(), c.untyped, c.started)
	garbage, err := garbagecollector.NewComposedGarbageCollector(ctx, client, c.metadata, mapper, graph)
	if err != nil {
		return nil, err
	}
	sets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas)
	stateful := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client)
	namespaces := namespace.NewNamespaceController(ctx, client, c.metadata, discovery.ServerPreferredNamespacedResources, core.Namespaces(),
		5*time.Minute, corev1.FinalizerKubernetes)
	slices := endpointslice.NewController(ctx, core.Pods(), core.Services(), core.Nodes(), c.typed.Discovery().V1().EndpointSlices(), 100, client, 0)
	roles := clusterroleaggregation.NewClusterRoleAggregation(c.typed.Rbac().V1().ClusterRoles(), client.RbacV1())

	return []func(context.Context){
		func(ctx context.Context) { deployments.Run(ctx, 5) },
		func(ctx context.Context) { sets.Run(ctx, 5) },
		func(ctx context.Context) { stateful.Run(ctx, 2) },
		func(ctx context.Context) { daemons.Run(ctx, 2) },
		func(ctx context.Context) { jobs.Run(ctx, 2) },
		func(ctx context.Context) { namespaces.Run(ctx, 5) },
		func(ctx context.Context) { accounts.Run(ctx, 1) },
		func(ctx context.Context) { publisher.Run(ctx, 1) },
		func(ctx context.Context) { slices.Run(ctx, 2) },
		func(ctx context.Context) { roles.Run(ctx, 1) },
		func(ctx context.Context) { wait.Until(mapper.Reset, 30*time.Second, ctx.Done()) },
		func(ctx context.Context) { garbage.Run(ctx, 5, 30*time.Second) },
		func(ctx context.Context) { garbage.Sync(ctx, discovery, gcSync) },
	}, nil
}
