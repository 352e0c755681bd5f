import CurlewCore
import Dispatch
import Glibc
import Synchronization

/// Standard output, for results.
enum StandardOutput {
  /// Whether it is a terminal.
  static let isTerminal = isatty(STDOUT_FILENO) == 1
  /// Whether standard error goes to the same place, such as a terminal or a pipe.
  fileprivate static let isSharedWithErrors = {
    var (output, errors) = (stat(), stat())
    guard fstat(STDOUT_FILENO, &output) == 0, fstat(STDERR_FILENO, &errors) == 0 else { return false }
    return output.st_dev == errors.st_dev && output.st_ino == errors.st_ino
  }()
  /// Whether the last line has no end yet, so that an error would continue it.
  fileprivate static let hasOpenLine = Atomic<Bool>(false)

  /// Writes all bytes; blocks while the reader is slow.
  ///
  /// - Throws: `StreamError` when the reader has closed the stream or the disk is full.
  static func write(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
    do throws(FileSystemError) {
      try stream.write(bytes)
    } catch {
      throw StreamError(code: error.code)
    }
    if isSharedWithErrors, let last = bytes.last { hasOpenLine.store(last != UInt8(ascii: "\n"), ordering: .relaxed) }
  }

  /// Writes text unchanged.
  static func write(_ text: String) throws(StreamError) {
    var text = text
    var failure: StreamError?
    text.withUTF8 { bytes in
      do throws(StreamError) { try write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Writes a whole line that no other line interrupts.
  ///
  /// A pipe takes a long line in several pieces, so lines are written one after the other, on a thread that may block.
  ///
  /// - Throws: `StreamError`.
  static func writeLine(_ line: String) async throws {
    try await withCheckedThrowingContinuation { continuation in
      lines.async { continuation.resume(with: Result { try write(line + "\n") }) }
    }
  }

  private static let stream = StreamDescriptor(borrowing: STDOUT_FILENO, for: .writing)
  private static let lines = DispatchQueue(label: "curlew.output")
}

/// Standard error, for errors, progress and traces.
///
/// Text that cannot be written is dropped.
enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Writes a whole line, broken at words on a terminal; below a body that ended without a line break, if both go to the same
  /// place.
  static func write(_ line: String) {
    let isBelowOpenLine = StandardOutput.hasOpenLine.exchange(false, ordering: .relaxed)
    writeRaw((isBelowOpenLine ? "\n" : "") + laidOut(line) + "\n")
  }

  /// Whether `--silent` hides warnings.
  static let hidesWarnings = Atomic<Bool>(false)

  /// Writes a warning, or a note about what was done otherwise than asked; nothing with `--silent`.
  static func warn(_ line: String) {
    if !hidesWarnings.load(ordering: .relaxed) { write(line) }
  }

  /// Returns a sentence as it is written: broken at words on a terminal, otherwise unchanged.
  static func laidOut(_ line: String) -> String {
    isTerminal ? WordWrap.wrapped(line, width: TerminalSize.current.columns) : line
  }

  /// Writes text unchanged, not interleaved with text from other threads.
  static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      isWriting.withLock { _ in
        // There is nowhere left to report an error.
        try? stream.write(bytes)
      }
    }
  }

  private static let stream = StreamDescriptor(borrowing: STDERR_FILENO, for: .writing)
  private static let isWriting = Mutex(())
}

/// The error of a standard stream that cannot be written.
struct StreamError: Error, CustomStringConvertible {
  var code: Int32

  /// Whether the run was interrupted while the reader stood still.
  var isInterruption: Bool { code == ECANCELED }

  var description: String {
    code == EPIPE
      ? "The reader of the standard output has gone."
      : "The output cannot be written: \(String(cString: strerror(code)))."
  }
}
