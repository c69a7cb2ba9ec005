package devices

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Device is an accelerator and the memory on it.
type Device struct {
	Name   string // as in --device: lower case, hyphens
	Title  string // as its maker writes it
	Bytes  int64  // nominal memory; makers count in GiB and call them GB
	Source string // where the figure is from
}

//go:embed devices.tsv
var deviceTable string

// All lists the known devices by memory, smallest first.
func All() []Device {
	var list []Device
	for _, line := range strings.Split(strings.TrimSpace(deviceTable), "\n") {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(f) != 4 {
			continue
		}
		gib, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			continue
		}
		list = append(list, Device{f[0], f[1], int64(gib * (1 << 30)), f[3]})
	}
	slices.SortStableFunc(list, func(a, b Device) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) })
	return list
}

// Find returns a device by name, without regard to case.
func Find(name string) (Device, error) {
	var names []string
	for _, d := range All() {
		if strings.EqualFold(d.Name, name) {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Device{}, fmt.Errorf("unknown device %q; one of %s", name, strings.Join(names, ", "))
}
