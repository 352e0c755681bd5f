import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// What a server does with one logical request, drawn from a seed; for the stub and for a real origin alike.
struct ServerScript: Sendable {
  /// What becomes of one hop.
  enum Turn: Sendable, Hashable {
    case body(count: Int, chunk: Int, isChunked: Bool)
    case cutBody(count: Int, after: Int)
    case parts([Int], isClosed: Bool)
    case empty(status: Int)
    case redirect(status: Int)
    case reset
    case stall
  }

  let turns: [Turn]
  let isChallenged: [Bool]
  let interim: [Int]
  static let boundary = "==part=="

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed &* 0x9E37_79B9 &+ 1)
    var turns: [Turn] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) where Bool.random(using: &random) {
      turns.append(.redirect(status: [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302))
    }
    let count = [0, 1, 7, 1_000, 40_000].randomElement(using: &random) ?? 0
    let last: Turn =
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        .body(
          count: count, chunk: Int.random(in: 1...max(1, count / 2), using: &random), isChunked: .random(using: &random)
        )
      case 5: .cutBody(count: count + 2, after: Int.random(in: 0...count, using: &random))
      case 6, 7:
        .parts(
          (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0...900, using: &random) },
          isClosed: .random(using: &random))
      case 8: .empty(status: [204, 304, 200, 404].randomElement(using: &random) ?? 204)
      case 9: .redirect(status: 302)
      case 10: .reset
      default: .stall
      }
    turns.append(last)
    self.turns = turns
    isChallenged = turns.map { _ in Int.random(in: 0..<4, using: &random) == 0 }
    interim = turns.map { _ in [0, 0, 1, 2].randomElement(using: &random) ?? 0 }
  }

  /// The turn of a path `/seed/hop`; past the last one the redirect goes round in circles.
  func turn(_ hop: Int) -> Turn { turns[min(hop, turns.count - 1)] }
  func isChallenged(_ hop: Int) -> Bool { isChallenged[min(hop, turns.count - 1)] }
  func interim(_ hop: Int) -> Int { interim[min(hop, turns.count - 1)] }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  /// The body that a client gets when all goes well; of parts the last one.
  func expected(_ hop: Int) -> [UInt8]? {
    switch turn(hop) {
    case .body(let count, _, _): Self.bytes(count)
    case .parts(let counts, _): Self.bytes(counts.last ?? 0)
    default: nil
    }
  }

  private static func multipart(_ counts: [Int], isClosed: Bool) -> [UInt8] {
    var all: [UInt8] = []
    for count in counts {
      all += [UInt8]("--\(boundary)\r\nContent-Type: image/png\r\n\r\n".utf8) + bytes(count) + [13, 10]
    }
    return all + [UInt8]((isClosed ? "--\(boundary)--\r\n" : "").utf8)
  }

  static let partsType = "multipart/x-mixed-replace; boundary=\"\(boundary)\""

  // MARK: The stub

  func answer(_ hop: Int, path: String, isAuthorized: Bool) -> StubAnswer {
    var answer = plain(hop, path: path, isAuthorized: isAuthorized)
    answer.informational = (0..<interim(hop)).map { _ in HTTPResponse(status: .init(code: 103)) }
    return answer
  }

  private func plain(_ hop: Int, path: String, isAuthorized: Bool) -> StubAnswer {
    if isChallenged(hop), !isAuthorized {
      return StubAnswer(
        .unauthorized, headerFields: [.wwwAuthenticate: "Basic realm=\"\(path)\""], body: [.bytes(Data("no".utf8))])
    }
    switch turn(hop) {
    case .body(let count, let chunk, let isChunked):
      var answer = StubAnswer.bytes(Data(Self.bytes(count)), chunkSize: chunk)
      answer.announcesLength = !isChunked
      return answer
    case .cutBody(let count, let after):
      return StubAnswer(
        headerFields: [.contentLength: "\(count)"], body: [.bytes(Data(Self.bytes(after)))])
    case .parts(let counts, let isClosed):
      var answer = StubAnswer.bytes(Data(Self.multipart(counts, isClosed: isClosed)), chunkSize: 61)
      answer.headerFields[.contentType] = Self.partsType
      answer.announcesLength = false
      return answer
    case .empty(let status): return StubAnswer(.init(code: status))
    case .redirect(let status):
      return StubAnswer(
        .init(code: status), headerFields: [.location: "\(hop + 1)"], body: [.bytes(Data("moved".utf8))])
    case .reset: return .failing(Fixture.lost(.streamReset))
    case .stall: return StubAnswer(body: [.bytes(Data("x".utf8)), .stall])
    }
  }

  // MARK: The origin

  func reply(_ hop: Int, path: String, isAuthorized: Bool) -> OriginReply {
    let interim = (0..<interim(hop)).map { _ in OriginStep.interim(103, ["Link": "</style.css>"]) }
    var reply = plainReply(hop, path: path, isAuthorized: isAuthorized)
    reply.steps = interim + reply.steps
    return reply
  }

  private func plainReply(_ hop: Int, path: String, isAuthorized: Bool) -> OriginReply {
    if isChallenged(hop), !isAuthorized { return .status(401, "no", ["WWW-Authenticate": "Basic realm=\"\(path)\""]) }
    switch turn(hop) {
    case .body(let count, let chunk, isChunked: true):
      let bytes = Self.bytes(count)
      let chunks = stride(from: 0, to: count, by: chunk).prefix(50).map { Array(bytes.dropFirst($0).prefix(chunk)) }
      let rest = Array(bytes.dropFirst(chunks.reduce(0) { $0 + $1.count }))
      return OriginReply(
        [.head(200, ["Transfer-Encoding": "chunked"])] + (chunks + [rest]).map { OriginStep.chunk($0) } + [.trailers()])
    case .body(let count, _, _): return .ok(Self.bytes(count))
    case .cutBody(let count, let after):
      return OriginReply(.head(200, ["Content-Length": "\(count)"]), .body(Self.bytes(after)), .close)
    case .parts(let counts, let isClosed):
      return OriginReply(
        .head(200, ["Content-Type": Self.partsType, "Connection": "close"]),
        .body(Self.multipart(counts, isClosed: isClosed)), .close)
    case .empty(let status): return .status(status)
    case .redirect(let status): return .status(status, "moved", ["Location": "\(hop + 1)"])
    case .reset: return OriginReply(.reset)
    case .stall:
      // On a machine's own clock a deadline is nothing to wait for.
      return OriginReply(.head(200, ["Content-Length": "9"]), .body("x"), .wait(.milliseconds(20)), .close)
    }
  }
}
