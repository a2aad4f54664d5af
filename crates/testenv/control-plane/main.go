// Command control-plane contains the programs of a Kubernetes control plane in one binary:
//
//	control-plane etcd|kube-apiserver|controllers|kubectl [flags]
//
// etcd, kube-apiserver and kubectl are upstream's commands and take upstream's flags.
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

var tools = map[string]func(){
	"etcd":           func() { etcdmain.Main(os.Args) },
	"kube-apiserver": func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"controllers":    func() { exit(controllers(os.Args[1:])) },
	"kubectl":        func() { util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand())) },
}

func main() {
	if len(os.Args) > 1 {
		if run, ok := tools[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			run()
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|controllers|kubectl [flags]")
	os.Exit(2)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
