package main

import "github.com/spf13/cobra"

func newReportCommand() *cobra.Command {
	return &cobra.Command{Use: "report MODEL...", Short: "How much memory, to run and to train"}
}
