package report

// Runtimes names the runtime profiles, the default first.
func Runtimes() []string {
	return []string{"ort-cpu"}
}
