package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file parts the flags of a command into groups for its help.

// The groups, in the order in which help lists them.
const (
	groupInputs   = "Inputs"
	groupOutput   = "Output"
	groupLimits   = "Limits"
	groupTraining = "Training"
	groupRuntime  = "Runtime"
)

var flagGroups = []string{groupInputs, groupOutput, groupLimits, groupTraining, groupRuntime}

// groupAnnotation is the key under which a flag has its group.
const groupAnnotation = "onnxmem/group"

// inGroup puts the flags that register adds into a group.
func inGroup(flags *pflag.FlagSet, group string, register func()) {
	register()
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupAnnotation] == nil {
			f.Annotations = map[string][]string{groupAnnotation: {group}}
		}
	})
}

// helpWidth is the width of help in columns.
const helpWidth = 100

// usage writes how a command is called: examples, commands, and its flags by
// group.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		line = cmd.CommandPath() + " [command]"
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, g := range groupsOf(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, flagLines(g.flags))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s [command] --help says more about a command.\n", cmd.CommandPath())
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

// A flagGroup is one part of the flags of a command.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// groupsOf are the groups of a command; flags without one come last.
func groupsOf(cmd *cobra.Command) []flagGroup {
	const others = "Other flags"
	var groups []flagGroup
	for _, title := range append(slices.Clone(flagGroups), others) {
		part := pflag.NewFlagSet(title, pflag.ContinueOnError)
		part.SortFlags = false
		add := func(f *pflag.Flag) {
			group := others
			if g := f.Annotations[groupAnnotation]; g != nil {
				group = g[0]
			}
			if group == title && part.Lookup(f.Name) == nil {
				part.AddFlag(f)
			}
		}
		cmd.Flags().SortFlags = false // in the order of their registration
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags(), cmd.InheritedFlags()} {
			flags.VisitAll(add)
		}
		if part.HasAvailableFlags() {
			title := title
			if title == others && len(groups) == 0 {
				title = "Flags"
			}
			groups = append(groups, flagGroup{title, part})
		}
	}
	return groups
}

// flagLines lists flags in two columns: how each is given, and what it does.
func flagLines(flags *pflag.FlagSet) string {
	var names, texts []string
	width := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if value != "" && f.Value.Type() != "bool" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "0", "-1", "false", "[]"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		names, texts = append(names, name), append(texts, text)
		width = max(width, len(name))
	})
	indent := strings.Repeat(" ", width+3)
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%-*s   %s\n", width, name, fold(texts[i], indent, helpWidth-len(indent)))
	}
	return b.String()
}
