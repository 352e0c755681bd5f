import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Coded bodies byte for byte, over sockets: what is delivered, or why nothing is.
@Suite(.timeLimit(.minutes(10))) struct RawCodedTests {
  private enum Outcome: Sendable {
    case body(Data, status: Int = 200)
    case fails(NetworkError.Kind)
  }

  private struct Coded: Sendable {
    var name: String
    /// The values of `Content-Encoding`, each on a line.
    var codings: [String]
    var bytes: Data
    var status: Int
    var outcome: Outcome
  }

  private static func bytes(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }
  private static func gzip(_ data: Data) throws -> Data { try CodedSample.coded(data, .gzip) }

  private static func answers() throws -> [Coded] {
    let plain = Data(String(repeating: "hello world ", count: 50).utf8)
    let whole = try gzip(plain)
    let zlib = try CodedSample.coded(plain, .deflate)
    let zstd = try CodedSample.coded(plain, .zstd)
    // A member with a comment, a name, another field and a checksum of its head.
    let head = bytes("H4sIHgAAAAAAAwQAYWJjZG5hbWUAY29tbWVudADiSA==")
    let deflated = bytes("y0jNyclXSMtMzUkpBgA=")
    let end = bytes("DbnVDAwAAAA=")
    let fields = Data("hello fields".utf8)
    var list: [Coded] = []
    func add(_ name: String, _ codings: String..., of bytes: Data, status: Int = 200, _ outcome: Outcome) {
      list.append(Coded(name: name, codings: codings, bytes: bytes, status: status, outcome: outcome))
    }
    add("gzip", "gzip", of: whole, .body(plain))
    add("gzip and garbage", "gzip", of: whole + Data("garbage".utf8), .fails(.contentDecodingFailed))
    add("gzip and zeros", "gzip", of: whole + Data(count: 100), .body(plain))
    add("gzip and half a mark", "gzip", of: whole + Data([0x1f]), .fails(.truncatedBody))
    add("gzip and a mark", "gzip", of: whole + Data([0x1f, 0x8b]), .fails(.truncatedBody))
    add("several members", "gzip", of: whole + whole + (try gzip(Data())), .body(plain + plain))
    add("an empty member", "gzip", of: try gzip(Data()), .body(Data()))
    add("x-gzip", "X-GZIP", of: whole, .body(plain))
    add("gzip, identity", "gzip, identity", of: whole, .body(plain))
    add("identity,gzip", "identity,gzip", of: whole, .body(plain))
    add("no gzip", "gzip", of: Data("hello world".utf8), .fails(.contentDecodingFailed))
    add("all parts of a member", "gzip", of: head + deflated + end, .body(fields))
    add(
      "wrong checksum of the head", "gzip", of: Data(head.dropLast()) + Data([0]) + deflated + end,
      .fails(.contentDecodingFailed))
    let content = Data(whole.dropLast(8))
    add("wrong checksum", "gzip", of: content + Data(count: 4) + Data(whole.suffix(4)), .fails(.contentDecodingFailed))
    add("wrong length", "gzip", of: Data(whole.dropLast(4)) + Data([1, 0, 0, 0]), .fails(.contentDecodingFailed))
    add("cut", "gzip", of: Data(whole.dropLast(3)), .fails(.truncatedBody))
    add("deflate", "deflate", of: zlib, .body(plain))
    add("bare deflate", "deflate", of: deflated, .body(fields))
    add("deflate and more", "deflate", of: zlib + Data("x".utf8), .fails(.contentDecodingFailed))
    let many = try (0..<5).reduce(Data("x".utf8)) { data, _ in try gzip(data) }
    add("five codings", "gzip,gzip,gzip,gzip,gzip", of: many, .fails(.decodingLimitExceeded))
    add("two codings", "gzip,gzip", of: try gzip(whole), .body(plain))
    add("two codings on two lines", "gzip", "gzip", of: try gzip(whole), .body(plain))
    add("two codings and more", "gzip,gzip", of: try gzip(whole + Data("T".utf8)), .fails(.contentDecodingFailed))
    add("an unknown coding", "gzip, foo", of: whole, .body(whole))
    add("no bytes", "gzip", of: Data(), .body(Data()))
    add("empty elements", ",gzip,,", of: whole, .body(plain))
    let part = Data(whole.prefix(10))
    add("a part", "gzip", of: part, status: 206, .body(part, status: 206))
    add("two frames", "zstd", of: zstd + zstd, .body(plain + plain))
    add("zstd and junk", "zstd", of: zstd + Data("junk".utf8), .fails(.contentDecodingFailed))
    let skipped = Data([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]) + Data("abcd".utf8)
    add("a frame to skip", "zstd", of: skipped + zstd, .body(plain))
    return list
  }

  @Test func `a coded body is decoded as a whole, or is an error`() async throws {
    let answers = try Self.answers()
    let origin = try await ScriptedOrigin.start { request in
      guard let answer = Int(request.path.dropFirst()).map({ answers[$0] }) else { return .status(404, [:]) }
      var fields = OriginFields(answer.codings.map { OriginFields.Line("Content-Encoding", $0) })
      if answer.status == 206 { fields["Content-Range"] = "bytes 0-9/100" }
      fields["Content-Length"] = "\(answer.bytes.count)"
      return OriginReply(.head(answer.status, fields), .body([UInt8](answer.bytes)))
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(decoding: ContentDecoding()))
    for (index, answer) in answers.enumerated() {
      do {
        let response = try await loader.load(Request(.get, origin.url("/\(index)")))
        let body = try await response.body.collect(upTo: 1 << 20)
        guard case .body(let expected, let status) = answer.outcome else {
          Issue.record("\(answer.name) is a body of \(body.count) bytes")
          continue
        }
        #expect(body == expected && response.head.status.code == status, "\(answer.name)")
      } catch let error as NetworkError {
        guard case .fails(let kind) = answer.outcome else {
          Issue.record("\(answer.name): \(error)")
          continue
        }
        #expect(error.kind == kind, "\(answer.name): \(error)")
      }
    }
    await transport.shutdown()
    await origin.stop()
  }
}
