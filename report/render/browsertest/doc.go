// Package browsertest opens the HTML report in Chromium. It is a module of its
// own, so that the browser's libraries are no dependencies of the others.
package browsertest
