import CurlewCore
import CurlewDigests
import CurlewTestSupport
import Foundation
import Synchronization

/// Answers in the ways that break downloads: the first request of a path is interrupted, and later ones meet what follows.
///
/// The first part of a path names the fault; the rest makes the path unique.
final class FaultOrigin: Sendable {
  /// The files: two of one length, and a shorter one.
  static let first = SeededResource(length: 400_000, seed: 1)
  static let second = SeededResource(length: 400_000, seed: 2)
  static let third = SeededResource(length: 300_000, seed: 3)
  static let half = 200_000
  static let firstDate = "Sun, 01 Nov 2026 10:00:00 GMT"
  static let nextDate = "Mon, 02 Nov 2026 10:00:00 GMT"

  /// How a body ends before its length.
  enum Ending: Sendable {
    case close, reset, stall

    fileprivate var steps: [OriginStep] {
      switch self {
      case .close: [.cut]
      // The bytes before it arrive.
      case .reset: [.wait(.milliseconds(300)), .reset]
      case .stall: [.stall]
      }
    }
  }

  /// A well-behaved server of one file, and what is wrong with it.
  struct Server: Sendable {
    var file = FaultOrigin.first
    var tag: String? = "\"v1\""
    var date: String? = FaultOrigin.firstDate
    var hasTagInPart = true
    var hasDateInPart = true
    var honorsIfRange = true
    var ignoresRange = false
    /// How many bytes of the answer are sent before its end.
    var limit: Int?
    var ending = Ending.reset
    var fields: OriginFields = [:]

    func reply(to request: OriginRequest) -> OriginReply {
      var offset = ignoresRange ? nil : FaultOrigin.offset(request)
      if honorsIfRange, let condition = request["If-Range"], condition != tag, condition != date { offset = nil }
      var all: OriginFields = ["Date": FaultOrigin.now, "Connection": "close", "Accept-Ranges": "bytes"]
      all = all.merging(fields)
      if let offset, offset >= file.length {
        return .status(416, all.merging(["Content-Range": "bytes */\(file.length)"]))
      }
      if let tag, offset == nil || hasTagInPart { all["ETag"] = tag }
      if let date, offset == nil || hasDateInPart { all["Last-Modified"] = date }
      let start = offset ?? 0
      all["Content-Length"] = "\(file.length - start)"
      if offset != nil { all["Content-Range"] = "bytes \(start)-\(file.length - 1)/\(file.length)" }
      let head = OriginStep.head(offset == nil ? 200 : 206, all)
      let count = min(limit.map { Int64($0) } ?? .max, file.length - start)
      let body = OriginStep.fill(file.pattern, from: start, count: count)
      return OriginReply([head, body] + (limit == nil ? [.close] : ending.steps))
    }
  }

  static var now: String { HTTPDate(secondsSince1970: Int64(Date().timeIntervalSince1970)).description }

  static func offset(_ request: OriginRequest) -> Int64? {
    request["Range"].flatMap { $0.hasPrefix("bytes=") ? Int64($0.dropFirst(6).dropLast()) : nil }
  }

  /// A part of the first file with any fields, then the end of the connection.
  static func part(_ request: OriginRequest, from start: Int64? = nil, _ fields: OriginFields) -> OriginReply {
    let start = start ?? offset(request) ?? 0
    var all: OriginFields = ["Date": now, "Connection": "close", "ETag": "\"v1\""]
    all["Content-Length"] = "\(first.length - start)"
    return OriginReply(
      .head(206, all.merging(fields)), .fill(first.pattern, from: start, count: first.length - start), .close)
  }

  /// An answer of HTTP/1.0 whose body ends with the connection.
  static func unframed(_ fields: OriginFields, count: Int64, then steps: [OriginStep] = [.close]) -> OriginReply {
    var text = "HTTP/1.0 200 OK\r\nDate: \(now)\r\n"
    for line in fields.lines { text += "\(line.name): \(line.value)\r\n" }
    return OriginReply([.raw(text + "\r\n"), .fill(first.pattern, count: count)] + steps)
  }

  /// The bytes as a gzip member of stored blocks (RFC 1952, RFC 1951 §3.2.4).
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    func little(_ number: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var result: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let block = bytes[start..<min(bytes.count, start + 65_535)]
      result += [start + block.count == bytes.count ? 1 : 0]
      result += little(UInt32(block.count), 2) + little(UInt32(block.count) ^ 0xffff, 2) + block
    }
    var checksum: UInt32 = 0xffff_ffff
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xedb8_8320 : checksum >> 1 }
    }
    return result + little(~checksum, 4) + little(UInt32(bytes.count), 4)
  }

  private let counts = Mutex<[String: Int]>([:])
  /// The address of another origin, with other files.
  private let elsewhere: String

  /// - Parameter elsewhere: The address of another origin, to which redirects lead.
  init(elsewhere: String = "") { self.elsewhere = elsewhere }

  /// Returns the reply of the fault that the path names.
  func reply(to request: OriginRequest) -> OriginReply {
    let name = request.path.split(separator: "/").first.map { String($0) } ?? ""
    let number = counts.withLock { counts in
      counts[request.target, default: 0] += 1
      return counts[request.target, default: 0]
    }
    guard let fault = DownloadFault.all.first(where: { $0.name == name }) else { return .status(404) }
    return fault.reply(FaultRequest(request: request, number: number, elsewhere: elsewhere))
  }
}

/// A request for a fault.
struct FaultRequest: Sendable {
  var request: OriginRequest
  /// Its number among those of the same path and query, from 1.
  var number: Int
  var elsewhere: String

  var isFirst: Bool { number == 1 }
  var hasRange: Bool { FaultOrigin.offset(request) != nil }

  /// The first half of the first file, then a reset, for the first request; else what follows.
  func interrupted(_ server: FaultOrigin.Server = .init(), then next: (FaultRequest) -> OriginReply) -> OriginReply {
    guard isFirst else { return next(self) }
    var server = server
    server.limit = server.limit ?? FaultOrigin.half
    return server.reply(to: request)
  }

  func serve(_ server: FaultOrigin.Server = .init()) -> OriginReply { server.reply(to: request) }
}
