// A controller of controller-runtime that reconciles each object once, and does nothing.
package main

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	controllerruntime "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconciles all objects, and prints what it took.
func controller(config *rest.Config, objects int) {
	controllerruntime.SetLogger(logr.Discard())
	version := schema.GroupVersion{Group: "example.com", Version: "v1"}
	before := memory("VmRSS")
	start, cpuBefore := time.Now(), cpu()
	manager, err := controllerruntime.NewManager(config, controllerruntime.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		// What controller-runtime's documentation advises, to save memory.
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			mapper := meta.NewDefaultRESTMapper(nil)
			mapper.Add(version.WithKind("Widget"), meta.RESTScopeNamespace)
			return mapper, nil
		},
	})
	check(err)
	seen := new(atomic.Int64)
	done := make(chan struct{})
	var widget client.Object = &Widget{}
	check(controllerruntime.NewControllerManagedBy(manager).For(widget).Complete(
		reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			if seen.Add(1) == int64(objects) {
				close(done)
			}
			return reconcile.Result{}, nil
		})))
	go func() { check(manager.Start(context.Background())) }()
	<-done
	print(map[string]any{
		"cpu": cpu() - cpuBefore, "wall": time.Since(start).Seconds(), "before": before, "peak": memory("VmHWM"), "steady": memory("VmRSS"),
		"read": nil, "hot": nil, "scan": nil, "stall": nil, "collected": nil,
	})
	os.Exit(0)
}
