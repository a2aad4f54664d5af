// Prints what operator-framework's validators find in bundles of OLM.
package main

import (
	"fmt"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
)

func main() {
	// Without the validator that asks Docker for the image, and without the deprecated ones.
	validators := validation.DefaultBundleValidators.WithValidators(
		validation.OperatorHubV2Validator,
		validation.StandardCapabilitiesValidator,
		validation.StandardCategoriesValidator,
		validation.ObjectValidator,
		validation.OperatorGroupValidator,
		validation.GoodPracticesValidator,
	)
	for _, folder := range os.Args[1:] {
		bundle, err := manifests.GetBundleFromDir(folder)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
			for _, problem := range append(result.Errors, result.Warnings...) {
				fmt.Println(problem)
			}
		}
	}
}
