package render

import (
	"io"
	"reflect"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// This file keeps names from steering a terminal or a page. Names come from
// files that may be hostile: every format for people shows a copy of a result
// in which all texts are printable, and JSON escapes what is not.

// Printable shows the characters of s that would steer a terminal, turn text
// around, break a line or hide, as Go escapes them, and bytes that are no UTF-8
// as \xff. Others stay, backslashes too.
func Printable(s string) string {
	at := unprintable(s)
	if at < 0 {
		return s
	}
	var b []byte
	for ; at >= 0; at = unprintable(s) {
		b = append(b, s[:at]...)
		r, n := utf8.DecodeRuneInString(s[at:])
		quoted := strconv.AppendQuoteRuneToASCII(nil, r)
		if r == utf8.RuneError && n == 1 { // not UTF-8
			quoted = strconv.AppendQuoteToASCII(nil, s[at:at+1])
		}
		b = append(b, quoted[1:len(quoted)-1]...)
		s = s[at+n:]
	}
	return string(append(b, s...))
}

// unprintable is the offset of the first character of s that Printable escapes;
// -1 where there is none.
func unprintable[T string | []byte](s T) int {
	for i := 0; i < len(s); {
		if ' ' <= s[i] && s[i] <= '~' { // nearly all
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError || isHidden(r) {
			return i
		}
		i += n
	}
	return -1
}

// isHidden reports whether a character has no shape of its own on a screen:
// controls, formatting marks, spaces other than the plain one, what Unicode
// tells programs to ignore when they cannot show it, and what is not assigned.
func isHidden(r rune) bool {
	const brailleBlank = '\u2800' // a symbol without dots
	return !unicode.IsPrint(r) || r == brailleBlank ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// printable is v with all texts printable, those in maps' keys too. v itself
// stays as it is; what does not change is shared.
func printable[T any](v T) T {
	clean, _ := printableValue(reflect.ValueOf(&v).Elem())
	return clean.Interface().(T)
}

// printableValue is a value with all texts printable; changed is whether that
// is another one.
func printableValue(v reflect.Value) (clean reflect.Value, changed bool) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if unprintable(s) < 0 {
			return v, false
		}
		return reflect.ValueOf(Printable(s)).Convert(v.Type()), true
	case reflect.Pointer, reflect.Interface:
		return printablePointer(v)
	case reflect.Struct:
		return printableParts(v, v.NumField(), reflect.Value.Field)
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k >= reflect.Bool && k <= reflect.Complex128 {
			return v, false // numbers
		}
		return printableParts(v, v.Len(), reflect.Value.Index)
	case reflect.Map:
		return printableMap(v)
	}
	return v, false
}

func printablePointer(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	inside, changed := printableValue(v.Elem())
	switch {
	case !changed:
		return v, false
	case v.Kind() == reflect.Interface:
		return inside, true
	}
	p := reflect.New(v.Type().Elem())
	p.Elem().Set(inside)
	return p, true
}

// printableParts copies a struct or a slice at its first part that changes.
func printableParts(v reflect.Value, n int, part func(reflect.Value, int) reflect.Value) (reflect.Value, bool) {
	changed := false
	for i := range n {
		if v.Kind() == reflect.Struct && !v.Type().Field(i).IsExported() {
			continue // which no other package sets or shows
		}
		clean, other := printableValue(part(v, i))
		if !other {
			continue
		}
		if !changed {
			v, changed = copied(v), true
		}
		part(v, i).Set(clean)
	}
	return v, changed
}

func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Struct {
		c.Set(v)
		return c
	}
	c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
	reflect.Copy(c, v)
	return c
}

func printableMap(v reflect.Value) (reflect.Value, bool) {
	changed := false
	clean := reflect.MakeMap(v.Type())
	for entries := v.MapRange(); entries.Next(); {
		key, otherKey := printableValue(entries.Key())
		value, otherValue := printableValue(entries.Value())
		changed = changed || otherKey || otherValue
		clean.SetMapIndex(key, value)
	}
	if !changed {
		return v, false
	}
	return clean, true
}

// A jsonEscaper writes JSON with \u escapes in place of characters that are not
// printable, which programs read as the same text. Each Write must hold whole
// characters, as those of [encoding/json] do.
type jsonEscaper struct{ io.Writer }

// Write implements [io.Writer].
func (e jsonEscaper) Write(p []byte) (int, error) {
	written, rest := 0, p
	for len(rest) > 0 {
		at := nextToEscape(rest)
		n, err := e.Writer.Write(rest[:at])
		if written += n; err != nil {
			return written, err
		}
		if rest = rest[at:]; len(rest) == 0 {
			break
		}
		r, size := utf8.DecodeRune(rest)
		quoted := []byte(jsonEscape(r))
		if _, err := e.Writer.Write(quoted); err != nil {
			return written, err
		}
		written += size
		rest = rest[size:]
	}
	return written, nil
}

// nextToEscape is the offset of the first character that is not printable,
// line ends between JSON's own tokens apart; the length where there is none.
func nextToEscape(p []byte) int {
	at := 0
	for {
		n := unprintable(p[at:])
		if n < 0 {
			return len(p)
		}
		if at += n; p[at] != '\n' {
			return at
		}
		at++
	}
}

func jsonEscape(r rune) string {
	const digits = 0x10000 // so that four are left after the first
	if r < 0x10000 {
		return `\u` + strconv.FormatInt(digits+int64(r), 16)[1:]
	}
	high, low := utf16.EncodeRune(r)
	return jsonEscape(high) + jsonEscape(low)
}
