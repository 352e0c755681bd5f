import CurlewCore
import FoundationEssentials

/// The body of one attempt, which libcurl reads on the loop's thread.
protocol Upload: AnyObject {
  /// The announced length; nil if unknown.
  var length: Int64? { get }
  /// Starts to produce bytes.
  func start()
  /// Fills a buffer with the next bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadReading
  /// Returns the number of body bytes among the bytes that libcurl wrote.
  ///
  /// The difference is the framing of chunks.
  func payload(of written: Int64) -> Int64
  /// Stops producing bytes.
  func stop()
}

/// The result of reading a body.
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

/// Chooses how to read a body.
enum Uploads {
  /// The largest body in memory that is sent together with the head.
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
  /// Returns whether a body in memory is sent together with the head.
  ///
  /// A body that must wait for anything is not.
  fileprivate func sendsInline(_ data: Data) -> Bool {
    data.count <= Uploads.inlineLimit && sendPacer.piece == nil && !plan.expectsContinue
  }
}

/// A body in memory.
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
