//! CRDs that the API server accepts have no error, in whatever form they are.
use kube_codegen::{options::Options, pipeline, source::Source};

/// The root needs no type if it preserves unknown fields, as kube-apiserver 1.37 has it.
#[test]
fn a_root_without_a_type_is_accepted() {
    for (schema, is_accepted) in [
        ("x-kubernetes-preserve-unknown-fields: true", true),
        (
            "x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: object}}",
            true,
        ),
        ("x-kubernetes-int-or-string: true", true),
        ("properties: {spec: {type: object}}", false),
        ("description: none", false),
        ("type: string", false),
        (
            "type: string, x-kubernetes-preserve-unknown-fields: true",
            false,
        ),
    ] {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\nspec:\n  group: example.com\n  \
             scope: Namespaced\n  names: {{plural: foos, kind: Foo}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: \
             {{openAPIV3Schema: {{{schema}}}}}\n"
        );
        let output = pipeline::run(&[Source::new("foo.yaml", text)], &Options::default());
        assert_eq!(!output.diagnostics.has_errors(), is_accepted, "{schema}");
        assert_eq!(!output.files.is_empty(), is_accepted, "{schema}");
    }
}
