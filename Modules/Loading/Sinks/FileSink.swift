public import CurlewCore

/// Writes a body into a file, from its beginning.
///
/// The file is opened when a 2xx head was accepted, and not before: a refused response leaves it as it was, and one that
/// nobody validated is refused here. Each attempt begins it anew. It holds a part of the body while the transfer goes on
/// and after it failed. Nothing is synced.
public struct FileSink: TransferSink {
  /// The file's path.
  public let path: String
  private let fileSystem: any FileSystem

  /// Makes a sink.
  public init(path: String, in fileSystem: any FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Opens the file and empties it.
  ///
  /// - Throws: `NetworkError` of kind `unacceptableStatus` for any but 2xx; `fileError`.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try TransferValidation.successStatus(head)
    do {
      return Writer(try fileSystem.open(path, [.write, .create, .truncate, .ordinaryMode]), path)
    } catch {
      throw Writer.failure(error)
    }
  }

  /// Never waits.
  public var delivery: ResponseDelivery? { .collected }

  private final class Writer: TransferWriter {
    private let file: any OpenFile
    private let path: String
    private let end = Guarded<Int64>(0)

    init(_ file: any OpenFile, _ path: String) {
      self.file = file
      self.path = path
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand {
      let start = end.withLock { $0 }
      do {
        try file.write(bytes, at: start)
      } catch {
        throw Self.failure(error)
      }
      end.withLock { $0 = start + Int64(bytes.count) }
      return .more
    }

    func finish() async throws -> TransferContent {
      do {
        try file.close()
      } catch {
        throw Self.failure(error)
      }
      return .file(path: path)
    }

    func abandon() async {
      // The attempt failed already; that the file could not be closed adds nothing.
      try? file.close()
    }

    static func failure(_ error: any Error) -> NetworkError {
      NetworkError(
        .fileError, stage: .receivingBody, message: "The body cannot be written to its file.", underlying: error)
    }
  }
}

extension TransferSink where Self == FileSink {
  /// Writes the body into a file, from its beginning.
  public static func file(_ path: String, in fileSystem: any FileSystem) -> FileSink {
    FileSink(path: path, in: fileSystem)
  }
}
