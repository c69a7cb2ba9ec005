package weights

import (
	"strings"
)

// MatchName reports whether a name matches a glob in which * stands for any
// characters, slashes and dots too, and ? for one. Nothing else is special:
// names of weights hold brackets and backslashes.
func MatchName(glob, name string) bool {
	for {
		i := strings.IndexAny(glob, "*?")
		if i < 0 {
			return glob == name
		}
		if !strings.HasPrefix(name, glob[:i]) {
			return false
		}
		name = name[i:]
		if glob[i] == '?' {
			if name == "" {
				return false
			}
			glob, name = glob[i+1:], name[1:]
			continue
		}
		return matchAfterStar(glob[i+1:], name)
	}
}

// matchAfterStar matches what follows a star, at the first place where the text up
// to the next star fits, which is as good as any other.
func matchAfterStar(glob, name string) bool {
	for {
		glob = strings.TrimLeft(glob, "*")
		if glob == "" {
			return true
		}
		part, rest, more := strings.Cut(glob, "*")
		if !more {
			return len(name) >= len(part) && fitsPart(part, name[len(name)-len(part):])
		}
		at := -1
		for k := 0; k+len(part) <= len(name); k++ {
			if fitsPart(part, name[k:k+len(part)]) {
				at = k
				break
			}
		}
		if at < 0 {
			return false
		}
		glob, name = rest, name[at+len(part):]
	}
}

// fitsPart reports whether a text is a part of a glob without stars.
func fitsPart(part, text string) bool {
	for i := range len(part) {
		if part[i] != '?' && part[i] != text[i] {
			return false
		}
	}
	return true
}
