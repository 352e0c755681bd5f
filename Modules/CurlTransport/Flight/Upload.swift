import CurlewCore
import FoundationEssentials

/// The body of one sending, read by libcurl on the loop's thread.
protocol Upload: AnyObject {
  /// What was announced; nil when unknown.
  var length: Int64? { get }
  /// Begins to make bytes.
  func start()
  /// Fills a buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadReading
  /// How many bytes of the body are in so many bytes that libcurl wrote; chunk framing is not the body's.
  func payload(of written: Int64) -> Int64
  /// Stops making bytes.
  func stop()
}

/// What reading a body gave.
enum UploadReading {
  case bytes(Int)
  case end
  case wait
  case failed(NetworkError)
}

extension Upload {
  func start() {}
  func stop() {}
  func payload(of written: Int64) -> Int64 { written }
}

/// Chooses how a body is read.
enum Uploads {
  /// Bodies in memory up to this many bytes go out with the head.
  static let inlineLimit = 65_536

  static func make(for body: Body, flight: CurlFlight) -> (any Upload)? {
    switch body.source {
    case .empty: nil
    case .bytes(let data): flight.sendsInline(data) ? nil : BytesUpload(data)
    case .file: flight.file.map { StreamUpload($0, flight: flight) }
    case .stream(let stream): StreamUpload(length: stream.length, flight: flight, make: stream.make)
    }
  }
}

extension CurlFlight {
  /// Whether a body in memory goes out with the head: one that has to wait for anything does not.
  fileprivate func sendsInline(_ data: Data) -> Bool {
    data.count <= Uploads.inlineLimit && sendPacer.piece == nil && !plan.expectsContinue
  }
}

/// Bytes in memory.
private final class BytesUpload: Upload {
  private let data: Data
  private var offset = 0
  var length: Int64? { Int64(data.count) }

  init(_ data: Data) { self.data = data }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadReading {
    let count = min(buffer.count, data.count - offset)
    guard count > 0 else { return .end }
    data.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
    }
    offset += count
    return .bytes(count)
  }
}
