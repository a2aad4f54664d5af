// Command types prints the JSON fields of Go's types of the built-in kinds, which OpenAPI does not describe in full: the Go type of
// each field, and whether its zero value is written.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	scale "k8s.io/api/autoscaling/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	candidates "k8s.io/api/coordination/v1beta1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	storagemigration "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// field is the JSON name, the Go type, when its zero value is written ("pointer", "omit" or "write"), and the path of field numbers in
// protobuf.
type field [4]string

func main() {
	scheme := runtime.NewScheme()
	groups := map[schema.GroupVersion]func(*runtime.Scheme) error{
		admissionregistration.SchemeGroupVersion: admissionregistration.AddToScheme,
		apiregistration.SchemeGroupVersion:       apiregistration.AddToScheme,
		apps.SchemeGroupVersion:                  apps.AddToScheme,
		autoscaling.SchemeGroupVersion:           autoscaling.AddToScheme,
		batch.SchemeGroupVersion:                 batch.AddToScheme,
		certificates.SchemeGroupVersion:          certificates.AddToScheme,
		coordination.SchemeGroupVersion:          coordination.AddToScheme,
		candidates.SchemeGroupVersion:            candidates.AddToScheme,
		core.SchemeGroupVersion:                  core.AddToScheme,
		discovery.SchemeGroupVersion:             discovery.AddToScheme,
		events.SchemeGroupVersion:                events.AddToScheme,
		flowcontrol.SchemeGroupVersion:           flowcontrol.AddToScheme,
		networking.SchemeGroupVersion:            networking.AddToScheme,
		node.SchemeGroupVersion:                  node.AddToScheme,
		policy.SchemeGroupVersion:                policy.AddToScheme,
		rbac.SchemeGroupVersion:                  rbac.AddToScheme,
		scale.SchemeGroupVersion:                 scale.AddToScheme,
		resource.SchemeGroupVersion:              resource.AddToScheme,
		scheduling.SchemeGroupVersion:            scheduling.AddToScheme,
		storagemigration.SchemeGroupVersion:      storagemigration.AddToScheme,
		storage.SchemeGroupVersion:               storage.AddToScheme,
	}
	types := map[string][]field{}
	for version, add := range groups {
		if err := add(scheme); err != nil {
			panic(err)
		}
		for _, kind := range scheme.KnownTypes(version) {
			visit(kind, types)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(types); err != nil {
		panic(err)
	}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func visit(t reflect.Type, types map[string][]field) {
	// Times and quantities are written as text.
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		visit(t.Elem(), types)
	case reflect.Struct:
		name := name(t)
		if _, seen := types[name]; seen {
			return
		}
		types[name] = nil
		types[name] = fields(t, "", types)
	}
}

func fields(t reflect.Type, path string, types map[string][]field) []field {
	found := []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") || f.Anonymous && name == "" {
			inner := path
			if number := number(f); number != "" {
				inner += number + "."
			}
			found = append(found, fields(f.Type, inner, types)...)
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		visit(f.Type, types)
		zero := "write"
		switch omit := strings.Contains(options, "omitempty"); {
		case f.Type.Kind() == reflect.Pointer:
			zero = "pointer"
		case strings.Contains(options, "omitzero"), omit && f.Type.Kind() != reflect.Struct:
			zero = "omit"
		}
		found = append(found, field{name, f.Type.String(), zero, path + number(f)})
	}
	return found
}

// number returns the field number in protobuf.
func number(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// name returns the name of a type in OpenAPI.
func name(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	host := strings.Split(path[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	path[0] = strings.Join(host, ".")
	return strings.Join(append(path, t.Name()), ".")
}
