// An informer of client-go with the same objects as the clients in Rust. It prints the same JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const sent = "bench.example.com/sent"

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec    `json:"spec,omitempty"`
	Status            *WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Image        *string           `json:"image,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Replicas     *int64            `json:"replicas,omitempty"`
}

type WidgetStatus struct {
	Conditions    []metav1.Condition `json:"conditions,omitempty"`
	ReadyReplicas *int64             `json:"readyReplicas,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// An informer does not copy its objects.
func (w *Widget) DeepCopyObject() runtime.Object {
	clone := *w
	return &clone
}

func (w *WidgetList) DeepCopyObject() runtime.Object {
	clone := *w
	return &clone
}

var scheme = runtime.NewScheme()

func main() {
	// controller-runtime adds flags to the common set.
	flags := flag.NewFlagSet("peer", flag.ExitOnError)
	port := flags.Int("port", 0, "port of the server")
	objects := flags.Int("objects", 100_000, "number of objects")
	updates := flags.Int("updates", 10_000, "number of updates")
	watchList := flags.Bool("watchlist", true, "use a streaming list")
	controls := flags.Bool("controller", false, "run a controller of controller-runtime, and do nothing else")
	kubeconfig := flags.String("kubeconfig", "", "list from this server, and do nothing else")
	check(flags.Parse(os.Args[1:]))

	os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(*watchList))
	if clientfeatures.FeatureGates().Enabled(clientfeatures.WatchListClient) != *watchList {
		panic("the feature gate WatchListClient has no effect")
	}

	version := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	config := &rest.Config{Host: fmt.Sprintf("http://127.0.0.1:%d", *port)}
	received := new(atomic.Int64)
	if *kubeconfig != "" {
		var err error
		config, err = clientcmd.BuildConfigFromFlags("", *kubeconfig)
		check(err)
		config.Dial = counted(received)
	}
	config.APIPath = "/apis"
	config.QPS = -1
	if *controls {
		controller(config, *objects)
	}
	config.GroupVersion = &version
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	check(err)

	before := memory("VmRSS")
	start, cpuBefore := time.Now(), cpu()
	listWatch := cache.NewListWatchFromClient(client, "widgets", metav1.NamespaceAll, fields.Everything())
	informer := cache.NewSharedIndexInformer(listWatch, &Widget{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	check(informer.SetTransform(func(object any) (any, error) {
		object.(*Widget).ManagedFields = nil
		return object, nil
	}))
	latencies := make([]float64, 0, *updates)
	done := make(chan struct{})
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {},
		UpdateFunc: func(_, object any) {
			at, _ := strconv.ParseInt(object.(*Widget).Annotations[sent], 10, 64)
			latencies = append(latencies, float64(time.Now().UnixNano()-at)/1e6)
			if len(latencies) == *updates {
				close(done)
			}
		},
	})
	check(err)
	go informer.Run(make(chan struct{}))
	for !handler.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	wall, spent := time.Since(start).Seconds(), cpu()-cpuBefore
	bytes := received.Load()
	if held := len(informer.GetStore().ListKeys()); held != *objects {
		panic(fmt.Sprintf("the cache has %d objects", held))
	}
	if *kubeconfig != "" {
		print(map[string]any{"cpu": spent, "wall": wall, "bytes": bytes})
		return
	}
	time.Sleep(time.Second)
	steady, peak := memory("VmRSS"), memory("VmHWM")

	keys := informer.GetStore().ListKeys()
	rand.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	keys = keys[:min(len(keys), 20_000)]
	reads := time.Now()
	for _, key := range keys {
		if _, found, _ := informer.GetStore().GetByKey(key); !found {
			panic("an object is not in the cache")
		}
	}
	read := float64(time.Since(reads).Nanoseconds()) / 1e3 / float64(len(keys))
	scan := time.Now()
	if listed := len(informer.GetStore().List()); listed != *objects {
		panic("a list is incomplete")
	}
	print(map[string]any{
		"cpu": spent, "wall": wall, "before": before, "steady": steady, "peak": peak,
		"read": read, "hot": read, "scan": float64(time.Since(scan).Microseconds()) / 1e3, "stall": nil,
		"collected": collected(),
	})

	cpuBefore = cpu()
	print(nil)
	<-done
	spent = cpu() - cpuBefore
	slices.Sort(latencies)
	print(map[string]any{
		"cpu": spent, "p50": latencies[len(latencies)/2], "p99": latencies[len(latencies)*99/100], "stall": nil,
	})
}

// Returns a way to connect that counts what is received, as it is encrypted.
func counted(received *atomic.Int64) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &counter{connection, received}, err
	}
}

type counter struct {
	net.Conn
	received *atomic.Int64
}

func (c *counter) Read(buffer []byte) (int, error) {
	length, err := c.Conn.Read(buffer)
	c.received.Add(int64(length))
	return length, err
}

// Returns the resident bytes, and the bytes of the heap, after a garbage collection.
func collected() [2]uint64 {
	debug.FreeOSMemory()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return [2]uint64{memory("VmRSS"), stats.HeapAlloc}
}

func cpu() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// Returns a field of /proc/self/status in bytes.
func memory(field string) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, field+":"); found {
			kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			check(err)
			return kilobytes * 1024
		}
	}
	panic("/proc/self/status has no " + field)
}

func print(line any) {
	check(json.NewEncoder(os.Stdout).Encode(line))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
