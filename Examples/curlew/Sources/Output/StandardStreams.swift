import Glibc

/// Standard output, where results go, byte for byte.
enum StandardOutput {
  /// Whether a person looks at it.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all of it, waiting for a slow reader.
  ///
  /// - Throws: `StreamError` when the reader has gone or the disk is full.
  static func write(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
    if let failure = writeAll(bytes, to: STDOUT_FILENO) { throw failure }
  }

  /// Writes text as it is.
  static func write(_ text: String) throws(StreamError) {
    var text = text
    let failure = text.withUTF8 { bytes in writeAll(UnsafeRawBufferPointer(bytes), to: STDOUT_FILENO) }
    if let failure { throw failure }
  }
}

/// Standard error, where errors, progress and traces go. What cannot be written there is dropped.
enum StandardError {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line in one piece.
  static func write(_ line: String) { writeRaw(line + "\n") }

  /// Writes text as it is.
  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = writeAll(UnsafeRawBufferPointer(bytes), to: STDERR_FILENO) }
  }
}

/// A standard stream that takes no more.
struct StreamError: Error, CustomStringConvertible {
  var code: Int32

  var description: String {
    code == EPIPE
      ? "The reader of the standard output has gone."
      : "The output cannot be written: \(String(cString: strerror(code)))."
  }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> StreamError? {
  var rest = bytes
  while !rest.isEmpty {
    let written = write(descriptor, rest.baseAddress, rest.count)
    if written > 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    } else if errno == EAGAIN {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&waiting, 1, -1)
    } else if errno != EINTR {
      return StreamError(code: errno)
    }
  }
  return nil
}
