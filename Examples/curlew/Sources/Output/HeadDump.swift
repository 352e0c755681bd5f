import CurlewCore
import FoundationEssentials
import Glibc
import Synchronization

/// The file of `--dump-header`: the head of every response as it arrives, also of redirects and of 1xx responses.
final class HeadDump: EventObserver {
  let wantsSecrets = true
  private let path: String
  /// The file; nil for standard output.
  private let stream: StreamDescriptor?
  private let failure = Mutex<FileSystemError?>(nil)

  /// Opens the file, and empties it.
  ///
  /// - Throws: `ToolFailure`.
  init(_ path: String) throws(ToolFailure) {
    self.path = path
    guard path != "-" else {
      stream = nil
      return
    }
    do throws(FileSystemError) {
      stream = try StreamDescriptor(path, for: .replacing)
    } catch {
      throw Self.failure(error, path)
    }
  }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .informational(let head), .responded(let head): write(head)
    default: break
    }
  }

  /// - Throws: `ToolFailure` if a head could not be written.
  func end() throws(ToolFailure) {
    if let failure = failure.withLock({ $0 }) { throw Self.failure(failure, path) }
  }

  private func write(_ head: ResponseHead) {
    do {
      // Safe because the bytes do not escape the closure.
      try head.printed.withUnsafeBytes { bytes in
        if let stream { try stream.write(bytes) } else { try StandardOutput.write(bytes) }
      }
    } catch let error as FileSystemError {
      failure.withLock { $0 = $0 ?? error }
    } catch let error as StreamError {
      failure.withLock { $0 = $0 ?? FileSystemError(code: error.code, operation: "write", path: path) }
    } catch {}
  }

  private static func failure(_ error: FileSystemError, _ path: String) -> ToolFailure {
    ToolFailure("The heads cannot be written", path, error, advice: "give --dump-header a file that can be written")
  }
}
