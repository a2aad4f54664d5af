// Not written by kube-codegen.
