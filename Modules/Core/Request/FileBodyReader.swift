import Glibc

/// Reads the part of a file that is a request's body, for one sending.
///
/// A transport needs it for `Body.Source.file`. Opening never blocks, even if the path now leads to a pipe. The file must stay
/// as it is until it is read: before the last bytes are handed out, its length, the time of its last change and the file at
/// its path are compared with those from the start, so that no server gets a complete body that is partly old and partly new.
/// A file whose name was removed is read to its end. One thread at a time reads; releasing the last reference closes the file.
///
/// ```swift
/// let reader = try FileBodyReader(region)
/// while case let count = try reader.read(into: buffer), count > 0 { send(buffer.prefix(count)) }
/// ```
public final class FileBodyReader: Sendable {
  private let region: Body.FileRegion
  private let file: any OpenFile
  private let files: any FileSystem
  /// The file as it was opened.
  private let opened: FileStatus
  private let done = Guarded<Int64>(0)

  /// Opens the file.
  ///
  /// - Throws: `NetworkError` of kind `fileError` when it cannot be opened, `resourceExhausted` when no descriptor is
  ///   left, `bodyLengthMismatch` when the file's length has changed since the body was created.
  public init(_ region: Body.FileRegion, in files: any FileSystem = LocalFileSystem()) throws(NetworkError) {
    self.region = region
    self.files = files
    do throws(FileSystemError) {
      file = try files.open(region.path, .read)
      opened = try file.status()
    } catch {
      throw Self.failure("opened", error, region.path)
    }
    guard opened.length == region.fileLength else {
      throw Self.mismatch(
        "The length of \(region.path) has changed since the body was created.", "Create the body again.")
    }
  }

  /// The number of remaining bytes.
  public var left: Int64 { region.length - done.withLock { $0 } }

  /// Reads the next bytes into a buffer.
  ///
  /// - Returns: The number of bytes; 0 only at the end and for an empty buffer.
  /// - Throws: `NetworkError` of kind `fileError` when they cannot be read, or when the last bytes are read and the file has
  ///   changed; `bodyLengthMismatch` when it has become shorter or longer.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int {
    let start = done.withLock { $0 }
    let wanted = Int(min(Int64(buffer.count), region.length - start))
    guard wanted > 0 else { return 0 }
    let count: Int
    do throws(FileSystemError) {
      count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: region.offset + start)
    } catch {
      throw Self.failure("read", error, region.path)
    }
    guard count == wanted else {
      throw Self.mismatch("\(region.path) became shorter while it was sent.")
    }
    if start + Int64(count) == region.length { try requireUnchanged() }
    done.withLock { $0 = start + Int64(count) }
    return count
  }

  /// Compares the file, and the one at its path, with the file that was opened.
  private func requireUnchanged() throws(NetworkError) {
    let (now, named): (FileStatus, FileStatus?)
    do throws(FileSystemError) {
      now = try file.status()
      named = try? files.status(region.path)
    } catch {
      throw Self.failure("examined", error, region.path)
    }
    guard now.length == opened.length else {
      throw Self.mismatch("\(region.path) became longer while it was sent.")
    }
    let isSame = now.modified == opened.modified && now.modifiedNanoseconds == opened.modifiedNanoseconds
    guard isSame, named.map({ $0.identity == opened.identity }) ?? true else {
      throw NetworkError(
        .fileError, stage: .sending,
        message: "\(region.path) was changed while it was sent.", advice: Self.steady)
    }
  }

  private static func failure(_ what: String, _ cause: FileSystemError, _ path: String) -> NetworkError {
    let message = "The file \(path) cannot be \(what): \(cause.reason)."
    let kind: NetworkError.Kind = cause.code == EMFILE || cause.code == ENFILE ? .resourceExhausted : .fileError
    return NetworkError(kind, stage: .sending, message: message, advice: cause.advice, underlying: cause)
  }

  private static let steady = "Send a file that does not change."

  private static func mismatch(_ message: String, _ advice: String = steady) -> NetworkError {
    NetworkError(.bodyLengthMismatch, stage: .sending, message: message, advice: advice)
  }
}
