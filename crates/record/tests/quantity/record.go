// Records what Go's resource.Quantity makes of texts, JSON numbers and pairs, for mod.rs beside it.
//
//	cd crates/testenv/control-plane && go run ../../record/tests/quantity/record.go > ../../record/tests/quantity/go.tsv
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var suffixes = []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
	"e0", "e3", "E3", "e-3", "e+2", "e-7", "E-9", "e1", "e-11", "e19", "e30", "E45", "e119", "e-40", "e4294967299"}

var texts = []string{"", "0", "00", "-0", "+0", ".", "+", "-", "1.", ".5", "-.5", "+.5", "k", "Ki", "e5", "e", "E", "1e", "1e+",
	"1ee3", "1e3.5", "1mm", "1K", "1i", "1ki", "1mi", "1g", "1 ", " 1", "1 Gi", "0x10", "1_000", "1,5", "--1", "+-1", "1-", "NaN", "inf",
	"1.2.3", "1e-400", "-1e-400", "0e400", "0.0Ki", "-0.0", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"9223372036854775807n", "9223372036854775807Ki", "-9223372036854775807Ki", "8Ei", "7.9999999999999999999Ei", "-8Ei", "16Ei",
	"0.0000000001", "-0.0000000001", "0.0000000019", "1.0000000001", "0.0001m", "1.0000000000001Ki", "0.5Ki", "0.0001Ki", "-0.5Ki",
	"0.9999999999Ki", "1023Ki", "1024", "1024Ki", "1000Ki", "1500Mi", "1536Mi", "1.5Gi", "1.1Gi", "0.1Gi", "0.3Mi",
	"123456789012345678", "1234567890123456789", "12345678901234567890", "123456789.123456789", "123456789.1234567891", "100000000000000000000",
	"1.500", "0.500", "1.125", "12.0000", "1000", "10000", "100000", "1000000", "1000m", "1500m", "100u", "999999999n", "1000000000n",
	"0e119", "0e30", "0e-30", "1e30", "-1e30", "1e119", "12e300", "1e400", "1000E", "1234E", "1000000E", "999999E", "1000000000000E",
	"295147905179352825856Ei", "-295147905179352825856Ei", "8191Pi", "8192Pi", "+1", "+005Ki", "5Ki", "8Ki", "1.500", "01.5", "0010m", "1.000", "1234567.123456",
	"99999999999999999999999999999999999999", "0.00000000000000000000000000001", "12345678901234567890e20", ".Ki", "-k", "+.", ".e-10", "-e-10", "n", "e-9",
	"e-10", "1e4294967296", "1e4294967299", "1e9223372036854775807", "1e9223372036854775808", "1n", "1500n", "1.5n", "1.000001500", "1.0000015", "0.1u",
	"1e3", "12e3", "1e1", "1e2", "1.5e3", "1e-3", "1e-9", "1e-10", "1E6", "1e18", "1e0", "é", "１", "1é", "1\u200b"}

func number(random *rand.Rand) string {
	digits := func(most int) string {
		text := ""
		for range random.Intn(most + 1) {
			if random.Intn(3) == 0 {
				text += "0"
			} else {
				text += strconv.Itoa(random.Intn(10))
			}
		}
		return text
	}
	text := []string{"", "", "", "-", "+"}[random.Intn(5)] + digits([]int{2, 4, 9}[random.Intn(3)])
	if random.Intn(2) == 0 {
		text += "." + digits([]int{1, 3, 6, 12}[random.Intn(4)])
	}
	return text + suffixes[random.Intn(len(suffixes))]
}

func canonical(quantity resource.Quantity) string {
	number, suffix := quantity.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

// What Go says of a text: its own text, its integer, its approximate float, and its text when it is rounded to thousandths.
func further(text string) string {
	quantity := resource.MustParse(text)
	integer := "-"
	if value, ok := quantity.AsInt64(); ok {
		integer = strconv.FormatInt(value, 10)
	}
	float := strconv.FormatFloat(quantity.AsApproximateFloat64(), 'g', -1, 64)
	rounded := quantity.DeepCopy()
	rounded.RoundUp(resource.Milli)
	return fmt.Sprintf("%s\t%s\t%s\t%s", quantity.String(), integer, float, rounded.String())
}

// The Go code drops the suffix of more than 999E or 1023Ei, and wraps integers beyond 64 bits.
func isTooLarge(quantity resource.Quantity) bool {
	limit := resource.MustParse("999P")
	negative := limit.DeepCopy()
	negative.Neg()
	return quantity.Cmp(limit) > 0 || quantity.Cmp(negative) < 0
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	random := rand.New(rand.NewSource(1))
	for range 4000 {
		text := number(random)
		if strings.ContainsAny(text, "0123456789") {
			texts = append(texts, text)
		}
	}
	var valid []string
	for _, text := range texts {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			fmt.Fprintf(out, "text\t%q\terror\t%s\n", text, err)
			continue
		}
		milli := "-"
		valid = append(valid, text)
		if !isTooLarge(quantity) {
			milli = strconv.FormatInt(quantity.MilliValue(), 10)
			if quantity.Cmp(resource.MustParse("9P")) > 0 || quantity.Cmp(resource.MustParse("-9P")) < 0 {
				milli = "-"
			}
		}
		value := "-"
		if !isTooLarge(quantity) {
			value = strconv.FormatInt(quantity.Value(), 10)
		}
		float := strconv.FormatFloat(quantity.AsFloat64Slow(), 'g', -1, 64)
		fmt.Fprintf(out, "text\t%q\t%s\t%s\t%s\t%s\t%s\n", text, canonical(quantity), value, milli, float, further(text))
	}
	for range 1500 {
		a, b := valid[random.Intn(len(valid))], valid[random.Intn(len(valid))]
		times := int64(random.Intn(7)) - 3
		one, other := resource.MustParse(a), resource.MustParse(b)
		sum, difference, product, negative := one.DeepCopy(), one.DeepCopy(), one.DeepCopy(), one.DeepCopy()
		sum.Add(other)
		difference.Sub(other)
		product.Mul(times)
		negative.Neg()
		fmt.Fprintf(out, "pair\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", a, b, times, one.Cmp(other), canonical(sum), canonical(difference),
			canonical(product), canonical(negative))
	}
	for _, number := range []string{"0", "1", "-1", "2", "10", "100", "1000", "1024", "1500", "100000", "2147483648", "0.5", "0.25", "0.1",
		"1.5", "-0.5", "2.75", "0.001", "0.000001", "1e3", "1.5e3", "1e-3", "9007199254740993", "1073741824", "0.3333333333333333"} {
		// The API server decodes and encodes a number before a client sees it.
		value, _ := strconv.ParseFloat(number, 64)
		if integer, err := strconv.ParseInt(number, 10, 64); err == nil {
			number = strconv.FormatInt(integer, 10)
		} else {
			number = strconv.FormatFloat(value, 'f', -1, 64)
		}
		var quantity resource.Quantity
		if err := quantity.UnmarshalJSON([]byte(number)); err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "number\t%s\t%s\n", number, canonical(quantity))
	}
}
