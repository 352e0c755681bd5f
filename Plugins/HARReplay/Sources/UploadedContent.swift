import CurlewCore
import FoundationEssentials

/// Reads the content of a request, to compare it with a recorded one.
enum UploadedContent {
  /// The most bytes that are read: 64 MiB, as a `StubTransport` does.
  static let limit = 64 << 20

  static func collect(_ body: Body) async throws -> Data {
    switch body.source {
    case .empty: return Data()
    case .bytes(let data): return data
    case .file(let region):
      guard region.length <= Int64(limit) else { throw tooLarge }
      // A stub reads the file again, and reports one that has changed.
      return (try? Data(contentsOf: URL(filePath: region.path)))?.dropFirst(Int(region.offset)).prefix(
        Int(region.length)) ?? Data()
    case .stream(let stream): return try await collect(stream)
    }
  }

  private static func collect(_ stream: Body.Stream) async throws -> Data {
    var data = Data()
    do {
      let chunks = try await stream.make()
      while let chunk = try await chunks.next() {
        try Task.checkCancellation()
        guard chunk.count <= limit - data.count else { throw tooLarge }
        data.append(chunk)
      }
    } catch let error as NetworkError {
      throw error
    } catch is CancellationError where Task.isCancelled {
      throw CancellationError()
    } catch {
      throw NetworkError(
        .bodySourceFailed, stage: .sending, message: "The source of the body failed.", underlying: error)
    }
    return data
  }

  private static var tooLarge: NetworkError {
    NetworkError(.bodyTooLarge, stage: .sending, message: "A replayed request has at most \(limit) bytes of content.")
  }
}

extension Body {
  /// Returns a stream of bytes that were read from another one, so that a transport still sends a stream.
  static func replayed(_ bytes: Data, length: Int64?) -> Body {
    .stream(length: length, replayable: true) {
      AsyncBodyChunks(
        AsyncStream { continuation in
          if !bytes.isEmpty { continuation.yield(bytes) }
          continuation.finish()
        })
    }
  }
}
