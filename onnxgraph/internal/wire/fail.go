package wire

import (
	"errors"
	"io"
	"strconv"
)

// readFailed fails because the source did, or because it holds fewer bytes than
// it said.
func (r *Reader) readFailed(err error) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		r.failAt(r.base+int64(len(r.bytes)), Truncated, "the bytes end here", err)
		return
	}
	r.fail(ReadFailed, "cannot read on", err)
}

// truncated fails because the file ends missing bytes before it should.
func (r *Reader) truncated(missing int64) {
	detail := "the file ends here, at least " + strconv.FormatInt(missing, 10) + " byte"
	if missing != 1 {
		detail += "s"
	}
	r.failAt(r.size, Truncated, detail+" too early", io.ErrUnexpectedEOF)
}

// fail records the first error, at the current offset.
func (r *Reader) fail(code Code, detail string, cause error) {
	r.failAt(r.offset(), code, detail, cause)
}

func (r *Reader) failAt(at int64, code Code, detail string, cause error) {
	if r.err == nil {
		r.err = &Error{Code: code, Offset: at, Path: r.Path(), Detail: detail, Err: cause}
	}
}
