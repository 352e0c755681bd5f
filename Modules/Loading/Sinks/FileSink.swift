public import CurlewCore
public import CurlewStorage
import Glibc

/// Writes a body into a file that is complete or does not exist.
///
/// The bytes go into a temporary file in the same directory, which is renamed after the attempt's last byte; until
/// then, and after a failure, an existing file is unchanged. The file is created when a 2xx head has been accepted, and
/// each attempt starts over. A symbolic link is replaced, not followed; a device or a pipe at the path is an error
/// before any byte is read. `AtomicFile.removeLeftovers` removes what a killed process leaves behind.
public struct FileSink: TransferSink {
  /// The file's path.
  public let path: String
  private let target: AtomicFile
  private let fileSystem: any FileSystem

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - access: Who may read the file.
  ///   - durability: What the file survives after the transfer has succeeded. Surviving a power failure takes the time
  ///     of writing it to the disk.
  public init(
    path: String, access: AtomicFile.Access = .ordinary, durability: AtomicFile.Durability = .powerFailure,
    in fileSystem: any FileSystem
  ) {
    self.path = path
    target = AtomicFile(path, access: access, durability: durability, in: fileSystem)
    self.fileSystem = fileSystem
  }

  /// Creates a temporary file in the target's directory.
  ///
  /// - Throws: `NetworkError` of kind `unacceptableStatus` for any status except 2xx; `fileError`.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try TransferValidation.successStatus(head)
    do throws(FileSystemError) {
      guard try fileSystem.status(path)?.kind ?? .regular == .regular else {
        throw FileSystemError(code: EINVAL, operation: "replace", path: path)
      }
      return Writer(try target.begin(), path)
    } catch {
      throw Writer.failure(error, path)
    }
  }

  /// Returns `.streamed`, because downloads into files are often paused.
  ///
  /// Over HTTP/2 such a download has its own connection.
  ///
  /// Many small files can share a connection if their requests use `ResponseDelivery.collected`.
  public var delivery: ResponseDelivery? { .streamed }

  private final class Writer: TransferWriter {
    private let file: AtomicFileWriter
    private let path: String

    init(_ file: AtomicFileWriter, _ path: String) {
      self.file = file
      self.path = path
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      do throws(FileSystemError) { try file.append(bytes) } catch { throw Self.failure(error, path) }
      return .more
    }

    func finish() async throws -> TransferContent {
      // Avoids blocking a transport's thread, which the task may prefer, with disk work.
      try await withTaskExecutorPreference(globalConcurrentExecutor) {
        do throws(FileSystemError) { try file.commit() } catch { throw Self.failure(error, path) }
      }
      return .file(path: path)
    }

    func abandon() async { file.discard() }

    static func failure(_ error: FileSystemError, _ path: String) -> NetworkError {
      NetworkError(
        .fileError, stage: .writing,
        message: "The body cannot be written to \(path): \(error.reason).", advice: error.advice, underlying: error)
    }
  }
}

extension TransferSink where Self == FileSink {
  /// Writes the body into a file that is complete or does not exist.
  ///
  /// - Parameter durability: What the file survives after the transfer has succeeded.
  public static func file(
    _ path: String, durability: AtomicFile.Durability = .powerFailure, in fileSystem: any FileSystem
  ) -> FileSink {
    FileSink(path: path, durability: durability, in: fileSystem)
  }
}
