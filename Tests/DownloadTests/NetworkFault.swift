import CurlewCore
import CurlewTestSupport
import Glibc

/// What goes wrong with one request of a download: on the network, on the disk, or with the clock.
enum NetworkFault: Sendable, Hashable {
  /// The connection ends after so many bytes of the reply.
  case cut(Int64)
  /// It is reset after so many bytes.
  case reset(Int64)
  /// Nothing comes after so many bytes.
  case stall(Int64)
  /// The range begins so many bytes before or behind what was asked for.
  case shiftedRange(Int64)
  /// The `Content-Range` says that the file has another length.
  case otherTotal(Int64)
  /// The `Content-Length` is so much more than what comes.
  case otherLength(Int64)
  /// An error of the server.
  case status(Int)
  /// The file at the server is another one from now on.
  case changedFile
  /// The disk takes so many bytes more.
  case fullDisk(Int64)
  /// The so-many-th call to the file system from now on fails.
  case failingCall(Int)
  /// The machine slept for so many seconds, and its date was set.
  case clockJump(Int, date: Double)

  /// Draws a fault for a file of some length.
  static func random(_ length: Int64, mayStall: Bool, _ random: inout SeededRandom) -> NetworkFault {
    let place = Int64.random(in: 0...length, using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1, 2: return .cut(place)
    case 3: return .reset(place)
    case 4: return mayStall ? .stall(place) : .cut(place)
    case 5: return .shiftedRange([-1_000, -1, 1, 1_000].randomElement(using: &random) ?? 1)
    case 6: return .otherTotal([-1, 1].randomElement(using: &random) ?? 1)
    case 7: return .otherLength([1, 100].randomElement(using: &random) ?? 1)
    case 8: return .status([500, 502, 503, 404].randomElement(using: &random) ?? 500)
    case 9: return .changedFile
    case 10: return .fullDisk(place)
    case 11: return .failingCall(Int.random(in: 1...30, using: &random))
    default:
      return .clockJump(
        Int.random(in: 0...100_000, using: &random), date: Double.random(in: -1e8...1e8, using: &random))
    }
  }

  /// Changes what a server would rightly answer to a GET for a resource.
  func reply(to request: OriginRequest, _ resource: SeededResource) -> OriginReply {
    let right = resource.reply(to: request)
    switch self {
    case .cut(let count): return right.cut(after: count)
    case .reset(let count): return right.cut(after: count, by: .reset)
    case .stall(let count): return right.cut(after: count, by: .stall)
    case .status(let status): return .status(status, "not now")
    case .shiftedRange(let shift):
      guard let start = Self.start(request) else { return right.cut(after: 1_000) }
      return Self.part(from: max(0, start + shift), of: resource, total: resource.length)
    case .otherTotal(let change):
      guard let start = Self.start(request) else { return right.cut(after: 1_000) }
      return Self.part(from: start, of: resource, total: resource.length + change)
    case .otherLength(let surplus):
      let start = Self.start(request).flatMap { $0 < resource.length ? $0 : nil } ?? 0
      return Self.part(from: start, of: resource, total: resource.length, surplus: surplus)
    case .changedFile, .fullDisk, .failingCall, .clockJump: return right
    }
  }

  /// The offset that a request asks for.
  private static func start(_ request: OriginRequest) -> Int64? {
    request["Range"].flatMap { Int64($0.dropFirst(6).dropLast()) }
  }

  private static func part(
    from start: Int64, of resource: SeededResource, total: Int64, surplus: Int64 = 0
  ) -> OriginReply {
    let count = max(0, min(resource.length, total) - start)
    var fields: OriginFields = ["Content-Length": "\(count + surplus)", "ETag": resource.entityTag ?? ""]
    if start > 0 { fields.append("Content-Range", "bytes \(start)-\(max(start, start + count - 1))/\(total)") }
    let reply = OriginReply(
      .head(start > 0 ? 206 : 200, fields), .fill(resource.pattern, from: start, count: count))
    return surplus > 0 ? reply.then(.cut) : reply
  }
}
