import ArgumentParser
import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What to ask: method, fields and query.
struct RequestArguments: ParsableArguments {
  @Option(name: [.customShort("X"), .long], help: "The method. Default: GET, or POST with a body.")
  var method: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp("A header field.", valueName: "name: value"))
  var headers: [HeaderArgument] = []

  @Option(name: .customLong("query"), help: ArgumentHelp("A query item to add to the URL.", valueName: "name=value"))
  var query: [NameValueArgument] = []

  @Flag(help: "Send a HEAD request and print the response's head.")
  var head = false

  func validate() throws {
    if let method, HTTPRequest.Method(method) == nil { throw ValidationError("'\(method)' is not a method.") }
    if head, method != nil { throw ValidationError("--head and --method exclude each other.") }
  }

  /// Makes the request for one URL.
  func request(for url: String, hasBody: Bool) throws -> Request {
    var request: Request
    do {
      request = try Request(.get, Self.appending(query, to: url))
    } catch {
      throw ValidationError("'\(url)' is not a URL.")
    }
    if head {
      request.method = .head
    } else if let method, let named = HTTPRequest.Method(method) {
      request.method = named
    } else if hasBody {
      request.method = .post
    }
    for header in headers { request.headerFields.append(header.field) }
    return request
  }

  private static func appending(_ items: [NameValueArgument], to url: String) -> String {
    guard !items.isEmpty else { return url }
    let fragment = url.firstIndex(of: "#") ?? url.endIndex
    let text = items.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    let base = url[..<fragment]
    return base + (base.contains("?") ? "&" : "?") + text + url[fragment...]
  }

  /// Everything but RFC 3986's unreserved characters is percent-encoded.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
