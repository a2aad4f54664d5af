package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// controllers runs upstream's controllers that operators depend on, and the replacement for scheduler and
// kubelets, until it receives a signal.
func controllers(args []string) error {
	flags := flag.NewFlagSet("controllers", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of the kubeconfig")
	rootCA := flags.String("root-ca-file", "", "certificate published as ConfigMap kube-root-ca.crt in each namespace")
	gcSync := flags.Duration("gc-sync-period", time.Second, "how often the garbage collector looks for new resource types; upstream uses 30s")
	nodes := flags.Int("nodes", 1, "number of Ready nodes")
	klog.InitFlags(flags)
	_ = flags.Parse(args)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	ca, err := os.ReadFile(*rootCA)
	if err != nil {
		return err
	}
	cluster, err := connect(config)
	if err != nil {
		return err
	}
	if err := cluster.ready(ctx); err != nil {
		return err
	}
	workers, err := cluster.upstream(ctx, ca, *gcSync)
	if err != nil {
		return err
	}
	kubelet := newKubelet(cluster, *nodes)
	for _, run := range append(workers, kubelet.run) {
		go run(ctx)
	}
	cluster.typed.Start(ctx.Done())
	cluster.untyped.Start(ctx.Done())
	close(cluster.started)
	fmt.Fprintln(os.Stderr, "controllers: running")
	<-ctx.Done()
	return nil
}

// cluster holds the client and the caches that all controllers of this process share.
type cluster struct {
	client   kubernetes.Interface
	metadata metadata.Interface
	typed    informers.SharedInformerFactory
	untyped  metadataInformers
	started  chan struct{}
}

func connect(config *rest.Config) (*cluster, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	typed := informers.NewSharedInformerFactory(client, 12*time.Hour)
	return &cluster{client, meta, typed, newMetadataInformers(meta, typed), make(chan struct{})}, nil
}

// ready waits until the API server has created its roles and namespaces.
func (c *cluster) ready(ctx context.Context) error {
	for {
		_, err := c.client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
