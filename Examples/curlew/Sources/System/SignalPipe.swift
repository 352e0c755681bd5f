import Dispatch
import Glibc

/// Calls back for signals, on a queue instead of in a signal handler.
///
/// The handler only writes a byte into a pipe, which the queue reads. So a signal that arrives before the queue listens is not lost,
/// as it would be with `DispatchSource.makeSignalSource`: that requires the signal to be ignored, and begins to listen later.
/// Use one per process.
struct SignalPipe {
  /// The end for the handler, which has no context.
  // Safe because it is set before the handler is installed, and never again.
  nonisolated(unsafe) private static var input: Int32 = -1

  private let output: Int32

  /// Installs the handler.
  ///
  /// - Throws: `ToolFailure` if no descriptors are left.
  init(_ signals: [Int32]) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ToolFailure("No file descriptors are left to watch for signals; allow more with ulimit -n.")
    }
    // Neither the handler nor the queue may ever wait.
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    output = ends[0]
    Self.input = ends[1]
    for number in signals {
      signal(number) { _ in
        let before = errno
        _ = write(SignalPipe.input, "!", 1)
        errno = before
      }
    }
  }

  /// Calls back for each signal since the handler was installed, one at a time, until the source is cancelled.
  ///
  /// Later signals have no effect.
  func listen(_ received: @escaping @Sendable () -> Void) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: output)
    source.setEventHandler { [output] in
      var byte: UInt8 = 0
      while read(output, &byte, 1) == 1 { received() }
    }
    source.resume()
    return source
  }
}
