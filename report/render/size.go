package render

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"
)

// Size prints bytes with four significant digits: 46.74 MB, or 44.57 MiB in
// IEC units. Below a thousand the number is exact.
func Size(n int64, iec bool) string {
	base, units := 1000.0, [...]string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	if iec {
		base, units = 1024, [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	}
	value, unit := float64(n), 0
	for value >= base && unit < len(units)-1 {
		value /= base
		unit++
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return significant(value) + " " + units[unit]
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
func sizeOrUnknown(n, atLeast *int64, iec bool) string {
	switch {
	case n != nil:
		return Size(*n, iec)
	case atLeast != nil:
		return "at least " + Size(*atLeast, iec)
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
	value, unit := float64(n), 0
	units := [...]string{"", " k", " M", " G", " T", " P", " E"}
	for value >= 1000 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprint(significant(value), units[unit])
}
