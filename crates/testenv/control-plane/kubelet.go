package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// kubelet replaces the scheduler and the kubelets. It keeps nodes Ready, binds each Pod to a node, reports the Pod
// as Running and Ready (as Succeeded if its restart policy allows an end), and completes its deletion.
type kubelet struct {
	*cluster
	nodes []string
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func newKubelet(c *cluster, nodes int) *kubelet {
	k := &kubelet{cluster: c, queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())}
	for n := range nodes {
		k.nodes = append(k.nodes, fmt.Sprintf("node-%d", n))
	}
	enqueue := func(obj any) {
		if name, err := cache.ObjectToName(obj); err == nil {
			k.queue.Add(name)
		}
	}
	_, _ = c.typed.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	return k
}

func (k *kubelet) run(ctx context.Context) {
	for _, node := range k.nodes {
		for err := k.ensureNode(ctx, node); err != nil && ctx.Err() == nil; err = k.ensureNode(ctx, node) {
			fmt.Fprintln(os.Stderr, "node", node, err)
			time.Sleep(200 * time.Millisecond)
		}
	}
	go func() { <-ctx.Done(); k.queue.ShutDown() }()
	for range 4 {
		go k.work(ctx)
	}
}

func (k *kubelet) work(ctx context.Context) {
	pods := k.typed.Core().V1().Pods().Lister()
	for {
		name, down := k.queue.Get()
		if down {
			return
		}
		pod, err := pods.Pods(name.Namespace).Get(name.Name)
		if err == nil {
			err = k.sync(ctx, pod)
		}
		// A conflict is tried again: the API server answers a binding with 409 also when etcd is away.
		if err == nil || apierrors.IsNotFound(err) || errors.Is(err, context.Canceled) {
			k.queue.Forget(name)
		} else {
			fmt.Fprintln(os.Stderr, "pod", name, err)
			k.queue.AddRateLimited(name)
		}
		k.queue.Done(name)
	}
}

func (k *kubelet) ensureNode(ctx context.Context, name string) error {
	nodes := k.client.CoreV1().Nodes()
	node, err := nodes.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		labels := map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux"}
		node, err = nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	// Admission taints a new node as not ready; there is no node controller to remove the taint.
	if len(node.Spec.Taints) > 0 {
		node.Spec.Taints = nil
		if node, err = nodes.Update(ctx, node, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: now, LastTransitionTime: now,
	}}
	_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
	return err
}

func (k *kubelet) sync(ctx context.Context, pod *corev1.Pod) error {
	pods := k.client.CoreV1().Pods(pod.Namespace)
	switch {
	case pod.DeletionTimestamp != nil:
		now := int64(0)
		return pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	case pod.Spec.NodeName == "":
		return pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: k.nodeFor(pod)},
		}, metav1.CreateOptions{})
	case pod.Status.Phase == corev1.PodPending:
		return k.report(ctx, pod, corev1.PodRunning)
	case pod.Status.Phase == corev1.PodRunning && pod.Spec.RestartPolicy != corev1.RestartPolicyAlways:
		return k.report(ctx, pod, corev1.PodSucceeded)
	}
	return nil
}

// nodeFor returns the node that a DaemonSet names; it spreads other Pods by UID.
func (k *kubelet) nodeFor(pod *corev1.Pod) string {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, field := range term.MatchFields {
				if field.Key == metav1.ObjectNameField && len(field.Values) == 1 {
					return field.Values[0]
				}
			}
		}
	}
	return k.nodes[hash(pod.UID)%uint32(len(k.nodes))]
}

func (k *kubelet) report(ctx context.Context, pod *corev1.Pod, phase corev1.PodPhase) error {
	now := metav1.Now()
	h := hash(pod.UID)
	ip := fmt.Sprintf("10.244.%d.%d", h>>8&0xff, h&0xff)
	status := corev1.PodStatus{
		Phase: phase, StartTime: &now,
		HostIP: "127.0.0.1", HostIPs: []corev1.HostIP{{IP: "127.0.0.1"}},
		PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}},
	}
	ready := corev1.ConditionTrue
	if phase == corev1.PodSucceeded {
		ready = corev1.ConditionFalse
	}
	for kind, is := range map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodInitialized: corev1.ConditionTrue, corev1.PodReady: ready, corev1.ContainersReady: ready,
	} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: is, LastTransitionTime: now})
	}
	for _, c := range pod.Spec.Containers {
		started := phase == corev1.PodRunning
		state := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		if !started {
			state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: now}}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: started, Started: &started, State: state,
		})
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func hash(uid types.UID) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid))
	return h.Sum32()
}
