import CurlewCore
import FoundationEssentials
import Glibc

/// Reads a request's body like a server.
enum StubUpload {
  static func collect(_ body: Body, upTo limit: Int, _ sending: StubSending) async throws -> Data {
    let data: Data
    try await sending.exchange.pause?.waitWhilePaused()
    switch body.source {
    case .empty: return Data()
    case .bytes(let bytes): data = bytes
    case .file(let region): data = try read(region, upTo: limit)
    case .stream(let stream): data = try await walk(stream, upTo: limit, sending)
    }
    guard data.count <= limit else { throw tooLarge(limit) }
    sending.sent(Int64(data.count), expected: body.length, isLast: true)
    return data
  }

  private static func walk(_ stream: Body.Stream, upTo limit: Int, _ sending: StubSending) async throws -> Data {
    var data = Data()
    do {
      let chunks = try await stream.make()
      while let chunk = try await chunks.next() {
        try Task.checkCancellation()
        try await sending.exchange.pause?.waitWhilePaused()
        guard chunk.count <= limit - data.count else { throw tooLarge(limit) }
        data.append(chunk)
        sending.sent(Int64(data.count), expected: stream.length, isLast: false)
        if let length = stream.length, data.count > length { throw mismatch }
      }
    } catch let error as NetworkError {
      throw error
    } catch is CancellationError where Task.isCancelled {
      throw CancellationError()
    } catch {
      throw NetworkError(
        .bodySourceFailed, stage: .sending, message: "The source of the body failed.", underlying: error)
    }
    if let length = stream.length, data.count != length { throw mismatch }
    return data
  }

  private static func read(_ region: Body.FileRegion, upTo limit: Int) throws(NetworkError) -> Data {
    guard region.length <= limit else { throw tooLarge(limit) }
    let descriptor = open(region.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw NetworkError(
        .fileError, stage: .sending, message: "The file \(region.path) cannot be opened.",
        underlying: FileSystemError(code: errno, operation: "open", path: region.path))
    }
    defer { close(descriptor) }
    var data = Data(count: Int(region.length))
    var filled = 0
    while filled < data.count {
      let start = filled
      let count = data.withUnsafeMutableBytes { bytes in
        // Safe because the pointer is only used inside the closure, and `start` is below the count.
        pread(
          descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start, off_t(region.offset) + off_t(start))
      }
      guard count > 0 else { throw mismatch }
      filled += count
    }
    return data
  }

  private static func tooLarge(_ limit: Int) -> NetworkError {
    NetworkError(.bodyTooLarge, stage: .sending, message: "The stub takes at most \(limit) bytes.")
  }

  private static let mismatch = NetworkError(
    .bodyLengthMismatch, stage: .sending, message: "The body is longer or shorter than announced.")
}
