import CurlewCore
import Foundation
import HTTPTypes
import Testing

/// A request is a value, although its copies share what they have in common.
@Suite struct RequestTests {
  private static let changes: [(String, @Sendable (inout Request) -> Void)] = [
    ("method", { $0.method = .put }),
    ("URL", { $0.url = $0.url.appending(path: "deeper") }),
    ("field", { $0.headerFields[.accept] = "text/plain" }),
    ("body", { $0.body = .text("other") }),
    ("option", { $0.options.timeouts.total = .seconds(1) }),
  ]

  private static func parts(_ request: Request) -> String {
    var body = Data()
    // A body shows nothing of its bytes in its description.
    if case .bytes(let data) = request.body.source { body = data }
    return "\(request.method) \(request.url) \(request.headerFields) \(Array(body)) \(request.options)"
  }

  private static func request() throws -> Request {
    Request(.post, try #require(URL(string: "http://a.test/path")), headerFields: [.accept: "*/*"], body: .text("one"))
  }

  @Test(arguments: [
    ("127.0.0.1:80/text?key=secret", "\"127.0.0.1:80/text\" is not a URL"),
    ("http://user:se?cret@127.0.0.1:x/", "The text is not a URL"),
    ("http://user:secret@\u{301}ho[st/", "The text is not a URL"),
    ("127.0.0.1:80/text?\u{301}key=secret", "\"127.0.0.1:80/text\" is not a URL"),
    ("http://[::1/?mail=a@secret", "The text is not a URL"),
  ])
  func `an error about a text that is no URL shows no secret of it`(text: String, beginning: String) throws {
    let error = #expect(throws: NetworkError.self) { try Request(.get, text) }
    #expect(error?.kind == .invalidURL && error?.message.hasPrefix(beginning) == true, "\(String(describing: error))")
  }

  @Test(arguments: changes.indices) func `a changed copy leaves the original as it was`(place: Int) throws {
    let (part, change) = Self.changes[place]
    let original = try Self.request()
    let before = Self.parts(original)
    var copy = original
    change(&copy)
    #expect(Self.parts(original) == before, "\(part)")
    #expect(Self.parts(copy) != before, "\(part)")
    let changed = Self.parts(copy)
    var other = copy
    change(&other)
    other.headerFields[.range] = "bytes=0-"
    #expect(Self.parts(copy) == changed, "\(part)")
  }

  @Test func `another URL is another origin, for the copy alone`() throws {
    let original = try Self.request()
    #expect(try original.origin.host == "a.test")
    var copy = original
    copy.url = try #require(URL(string: "https://b.test:8443/"))
    #expect(try copy.origin == Origin(scheme: .https, host: "b.test", port: 8443))
    #expect(try original.origin.host == "a.test")
  }

  @Test func `a URL that is changed where it stands, by what then fails, is not half changed`() throws {
    struct Refusal: Error {}
    func moved(_ url: inout URL) throws {
      url = url.appending(path: "deeper")
      throw Refusal()
    }
    var request = try Self.request()
    #expect(throws: Refusal.self) { try moved(&request.url) }
    #expect(request.url.path == "/path/deeper")
    #expect(request.parsedURL.canonical == "http://a.test/path/deeper")
  }

  @Test func `copies may be changed at once`() async throws {
    let original = try Self.request()
    let lengths = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          var copy = original
          for field in 0..<20 { copy.headerFields.append(HTTPField(name: .accept, value: "\(number)/\(field)")) }
          return copy.headerFields.count
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(lengths == [21])
    #expect(original.headerFields.count == 1)
  }
}
