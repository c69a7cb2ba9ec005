package render

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

// Units are those in which sizes are printed. The zero value is SI.
type Units uint8

// The units.
const (
	SI  Units = iota // 1 kB = 1000 B
	IEC              // 1 KiB = 1024 B
)

// ParseUnits reads the name of units: si or iec.
func ParseUnits(name string) (Units, error) {
	switch name {
	case "si":
		return SI, nil
	case "iec":
		return IEC, nil
	}
	return SI, fmt.Errorf("unknown units %q; one of si, iec", name)
}

// String is the name of the units.
func (u Units) String() string {
	if u == IEC {
		return "iec"
	}
	return "si"
}

// Size prints bytes with four significant digits: 46.74 MB, or 44.57 MiB in
// IEC units. Below a thousand the number is exact. The largest int64 stands for
// all that are larger.
func (u Units) Size(n int64) string {
	base, names := 1000.0, [...]string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	if u == IEC {
		base, names = 1024, [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	}
	value, unit := scale(n, base, len(names))
	switch {
	case n == math.MaxInt64:
		return "more than " + significant(value) + " " + names[unit]
	case unit == 0:
		return strconv.FormatInt(n, 10) + " B"
	}
	return significant(value) + " " + names[unit]
}

// scale divides a number by base until it prints as less than base, at most
// units-1 times.
func scale(n int64, base float64, units int) (value float64, unit int) {
	value = float64(n)
	for unit < units-1 && (value >= base || unit > 0 && rounded(value) >= base) {
		value /= base
		unit++
	}
	return value, unit
}

// rounded is a number as significant prints it.
func rounded(x float64) float64 {
	n, err := strconv.ParseFloat(significant(x), 64)
	if err != nil {
		return x
	}
	return n
}

// significant prints a number below 1024 with four significant digits.
func significant(x float64) string {
	switch {
	case x >= 999.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 99.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 9.9995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// sizeOrUnknown prints a number that may not be known, with the limit that is.
func (u Units) sizeOrUnknown(n, atLeast *int64) string {
	switch {
	case n != nil:
		return u.Size(*n)
	case atLeast != nil && *atLeast == math.MaxInt64:
		return u.Size(*atLeast)
	case atLeast != nil:
		return "at least " + u.Size(*atLeast)
	}
	return "unknown"
}

// positive is a lower limit that says something: that a size is at least
// nothing goes without saying.
func positive(atLeast *int64) *int64 {
	if atLeast != nil && *atLeast > 0 {
		return atLeast
	}
	return nil
}

// Count prints a whole number with thousands separated.
func Count(n int64) string { return humanize.Comma(n) }

// magnitude prints a count with an SI prefix: 1.814 G.
func magnitude(n int64) string {
	units := [...]string{"", " k", " M", " G", " T", " P", " E"}
	value, unit := scale(n, 1000, len(units))
	if unit == 0 {
		return strconv.FormatInt(n, 10)
	}
	text := significant(value) + units[unit]
	if n == math.MaxInt64 {
		return "more than " + text
	}
	return text
}

// amount is a magnitude of something: 522.1 MMACs, 40 MACs.
func amount(n int64, what string) string {
	text := magnitude(n)
	if last := text[len(text)-1]; last >= '0' && last <= '9' {
		text += " "
	}
	return text + what
}

// countOf is a number of things: 1 node, 2,000 nodes.
func countOf(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}
