import CurlewCore
import FoundationEssentials
import Glibc

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

  static func make(for body: Body, flight: Flight) throws(NetworkError) -> (any Upload)? {
    switch body.source {
    case .empty: nil
    case .bytes(let data): data.count <= inlineLimit ? nil : BytesUpload(data)
    case .file(let region): try FileUpload(region)
    case .stream(let stream): StreamUpload(stream, flight: flight)
    }
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

/// A region of a file.
private final class FileUpload: Upload {
  private let region: Body.FileRegion
  private let descriptor: Int32
  private var offset: Int64 = 0
  var length: Int64? { region.length }

  init(_ region: Body.FileRegion) throws(NetworkError) {
    self.region = region
    descriptor = open(region.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure("The body's file cannot be opened.", region.path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_size) == region.fileLength else {
      close(descriptor)
      throw NetworkError(
        .bodyLengthMismatch, stage: .sending, message: "The body's file has another length than was announced.")
    }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadReading {
    let wanted = Int(min(Int64(buffer.count), region.length - offset))
    guard wanted > 0 else { return .end }
    var count: Int
    repeat {
      count = pread(descriptor, buffer.baseAddress, wanted, off_t(region.offset + offset))
    } while count < 0 && errno == EINTR
    guard count >= 0 else { return .failed(Self.failure("The body's file cannot be read.", region.path)) }
    guard count > 0 else {
      return .failed(
        NetworkError(.bodyLengthMismatch, stage: .sending, message: "The body's file became shorter while it was sent.")
      )
    }
    offset += Int64(count)
    return .bytes(count)
  }

  private static func failure(_ message: String, _ path: String) -> NetworkError {
    let cause = FileSystemError(code: errno, operation: "open", path: path)
    let kind: NetworkError.Kind = cause.code == EMFILE || cause.code == ENFILE ? .resourceExhausted : .fileError
    return NetworkError(kind, stage: .sending, message: message, underlying: cause)
  }
}
