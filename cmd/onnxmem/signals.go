package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// This file lets a signal end the program without leaving an unfinished file.

// A signalCatcher waits for signals that end the program, for as long as there
// is something to remove first.
type signalCatcher struct {
	arrived chan os.Signal
	done    chan struct{}

	mu   sync.Mutex
	file *os.File
}

// catchSignals begins to wait. A signal that the program was told to ignore, as
// nohup and the shell's background jobs do, stays ignored.
func catchSignals() *signalCatcher {
	c := &signalCatcher{arrived: make(chan os.Signal, 1), done: make(chan struct{})}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) {
			signal.Notify(c.arrived, s)
		}
	}
	go c.wait()
	return c
}

// making makes the file that is removed when a signal arrives.
func (c *signalCatcher) making(file func() (*os.File, error)) (*os.File, error) {
	c.mu.Lock() // a signal waits until the file has a name
	defer c.mu.Unlock()
	f, err := file()
	if err == nil {
		c.file = f
	}
	return f, err
}

// stop ends the waiting: from now on a signal does what it does by default.
func (c *signalCatcher) stop() {
	signal.Stop(c.arrived)
	close(c.done)
}

func (c *signalCatcher) wait() {
	select {
	case <-c.done:
	case s := <-c.arrived:
		c.mu.Lock() // for good: the program ends here
		if c.file != nil {
			c.file.Close() // an open file cannot be removed on Windows
			os.Remove(c.file.Name())
		}
		os.Exit(signalExitCode(s))
	}
}

// signalExitCode is the code that shells give to a program that a signal ended.
func signalExitCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitSignal
}
