import CurlewCore
import Foundation

/// The body of one request, which Foundation reads for each attempt of libcurl.
///
/// Foundation's own bodies do not work: when libcurl starts again on another connection, it rewinds only streams, and sends
/// the rest of other bodies as if it were all. Streams are read synchronously on the session's queue, from memory or the page
/// cache, never from a source that could make it wait.
final class Upload: Sendable {
  private struct State {
    var handed: Int64 = 0
    var failure: NetworkError?
  }

  private let body: Body
  private let state = Guarded(State())

  /// Creates an upload; nil if there is nothing to send.
  init?(_ body: Body) {
    guard let length = body.length, length > 0 else { return nil }
    self.body = body
  }

  /// The number of bytes that libcurl has read in the current attempt.
  ///
  /// It is at most 64 kB ahead of the kernel.
  var handed: Int64 { state.withLock { $0.handed } }

  /// The error that ended reading early; nil if reading did not fail.
  var failure: NetworkError? { state.withLock { $0.failure } }

  /// Returns a stream of the whole body.
  ///
  /// - Throws: `NetworkError` of kind `fileError`, `resourceExhausted` or `bodyLengthMismatch`.
  func stream() throws(NetworkError) -> InputStream {
    let bytes: any UploadBytes =
      switch body.source {
      case .bytes(let data): UploadData(data)
      case .file(let region): try FileBodyReader(region)
      case .empty, .stream:
        throw NetworkError(.internal, stage: .preparing, message: "The body is not one to be read in place.")
      }
    state.withLock { $0.handed = 0 }
    return UploadStream(bytes, for: self)
  }

  /// Returns a stream that fails the attempt instead of repeating the body.
  func refusal() -> InputStream {
    fail(NetworkError(.connectionLost, stage: .sending, message: "The connection was lost while the body was sent."))
    return UploadStream(nil, for: self)
  }

  fileprivate func hand(_ count: Int) { state.withLock { $0.handed += Int64(count) } }

  fileprivate func fail(_ error: NetworkError) { state.withLock { $0.failure = $0.failure ?? error } }
}

/// Bytes that can be read without waiting.
private protocol UploadBytes: AnyObject {
  /// The number of remaining bytes.
  var left: Int64 { get }
  /// Copies the next bytes, at least one.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int
}

/// The stream that Foundation reads; used by one queue at a time.
private final class UploadStream: InputStream {
  private let bytes: (any UploadBytes)?
  private let upload: Upload
  private var status = Stream.Status.notOpen

  /// - Parameter bytes: The bytes; nil fails at the first read.
  init(_ bytes: (any UploadBytes)?, for upload: Upload) {
    self.bytes = bytes
    self.upload = upload
    super.init(data: Data())
  }

  override var hasBytesAvailable: Bool { bytes.map { $0.left > 0 } ?? true }
  override var streamStatus: Stream.Status { status }
  override func open() { status = .open }
  override func close() { status = .closed }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard let bytes else { return -1 }
    do throws(NetworkError) {
      let count = try bytes.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, length)))
      upload.hand(count)
      return count
    } catch {
      upload.fail(error)
      return -1
    }
  }
}

/// Bytes in memory.
private final class UploadData: UploadBytes {
  private let data: Data
  private var offset = 0
  var left: Int64 { Int64(data.count - offset) }

  init(_ data: Data) { self.data = data }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, data.count - offset)
    data.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
    }
    offset += count
    return count
  }
}

extension FileBodyReader: UploadBytes {}
