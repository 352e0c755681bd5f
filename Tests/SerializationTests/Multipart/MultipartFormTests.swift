import CurlewCore
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// A boundary of 25 characters, as AFNetworking's.
let boundary = "Boundary+0123456789ABCDEF"

/// Everything a body makes.
func collect(_ body: Body) async throws -> Data {
  guard case .stream(let stream) = body.source else { throw CancellationError() }
  let chunks = try await stream.make()
  var all = Data()
  while let chunk = try await chunks.next() { all.append(chunk) }
  return all
}

/// A file that goes with the test.
final class ScratchFile: Sendable {
  let path: String
  var url: URL { URL(filePath: path) }

  init(_ bytes: Data, name: String = "a.txt") throws {
    var pattern = Array("/tmp/curlew-serialization-XXXXXX".utf8CString)
    guard mkdtemp(&pattern) != nil else { throw CancellationError() }
    path = String(decoding: pattern.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) + "/" + name
    try write(bytes)
  }

  func write(_ bytes: Data) throws { try bytes.write(to: url) }

  deinit {
    unlink(path)
    rmdir(url.deletingLastPathComponent().path(percentEncoded: false))
  }
}

/// Hands out chunks once.
final class ListedChunks: BodyChunks {
  private let chunks: Guarded<[Data]>
  init(_ chunks: [Data]) { self.chunks = Guarded(chunks.reversed()) }
  func next() async throws -> Data? { chunks.withLock { $0.popLast() } }
}

@Suite struct MultipartFormTests {
  @Test func `the layout is exact, and its length known before`() async throws {
    var form = try MultipartForm(boundary: boundary)
    try form.append("bar", name: "foo")
    #expect(form.length == 111)
    #expect(
      String(decoding: try await collect(form.body()), as: UTF8.self)
        == "--\(boundary)\r\nContent-Disposition: form-data; name=\"foo\"\r\n\r\nbar\r\n--\(boundary)--\r\n")
    let file = try ScratchFile(Data("hello".utf8))
    try form.append(file: file.url, name: "f")
    #expect(form.length == 235)
    #expect(try await collect(form.body()).count == 235)
    #expect(form.parts.last?.headerFields[.contentType] == "text/plain")
  }

  @Test func `a body reads back as it was written`() async throws {
    var form = MultipartForm()
    let file = try ScratchFile(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }), name: "b.unknown")
    try form.append(["z": 1, "a": ["x", nil], "d": .data(Data([0, 255]))])
    try form.append(file: file.url, name: "file")
    let listed = Body.stream(length: 6, replayable: false) {
      ListedChunks([Data("abc".utf8), Data(), Data("def".utf8)])
    }
    try form.append(listed, name: "s", fileName: "s.bin", mediaType: .octetStream)
    let body = form.body()
    let bytes = try await collect(body)
    #expect(Int64(bytes.count) == form.length)
    #expect(body.length == form.length)
    var reader = try MultipartReader(boundary: form.boundary)
    reader.feed(bytes)
    reader.end()
    var parts: [(HTTPFields, Data)] = []
    while let event = try reader.next() {
      switch event {
      case .partBegan(let fields): parts.append((fields, Data()))
      case .body(let data): parts[parts.count - 1].1.append(data)
      case .partEnded, .finished: break
      }
    }
    let names = parts.map { ContentDisposition(of: $0.0)?.name }
    #expect(names == ["a[]", "a[]", "d", "z", "file", "s"])
    let contents = parts.map(\.1)
    #expect(contents.prefix(4) == [Data("x".utf8), Data(), Data([0, 255]), Data("1".utf8)])
    #expect(contents[4].count == 200_000 && Int(contents[4][100_001]) == 100_001 & 255)
    #expect(contents[5] == Data("abcdef".utf8))
    #expect(parts[4].0[.contentType] == "application/octet-stream")
  }

  @Test func `names are escaped so that they cannot end their field`() throws {
    var form = try MultipartForm(boundary: boundary)
    try form.append(Data(), name: "a\"\r\nX: y", fileName: "é\".txt")
    #expect(
      form.parts[0].headerFields[.contentDisposition]
        == "form-data; name=\"a%22%0D%0AX: y\"; filename=\"é%22.txt\"")
    #expect(throws: NetworkError.self) { try form.append("", name: "a\0") }
  }

  @Test func `a boundary is random, of 25 characters, and comes from the generator`() throws {
    struct Fixed: RandomNumberGenerator {
      mutating func next() -> UInt64 { 0xAB }
    }
    var generator = Fixed()
    #expect(MultipartForm(using: &generator).boundary == "Boundary+00000000000000AB")
    #expect(MultipartForm().boundary != MultipartForm().boundary)
    #expect(MultipartForm().boundary.count == 25)
    #expect(throws: MultipartError.self) { try MultipartForm(boundary: "a\"b") }
  }

  @Test(arguments: [["abcd"], ["ab"], ["abc", "d"], []])
  func `a stream part of another length than announced is an error`(chunks: [String]) async throws {
    var form = MultipartForm()
    let body = Body.stream(length: 3, replayable: true) { ListedChunks(chunks.map { Data($0.utf8) }) }
    try form.append(body, name: "s")
    let error = try await #require(throws: NetworkError.self) { try await collect(form.body()) }
    #expect(error.kind == .bodyLengthMismatch)
  }

  @Test(arguments: ["", "hell", "hello!"])
  func `a file that changed its length since it was added is an error`(content: String) async throws {
    let file = try ScratchFile(Data("hello".utf8))
    var form = MultipartForm()
    try form.append(file: file.url, name: "f")
    try file.write(Data(content.utf8))
    let error = try await #require(throws: NetworkError.self) { try await collect(form.body()) }
    #expect(error.kind == .bodyLengthMismatch)
  }

  @Test func `a file that is not there is an error, before and while it is sent`() async throws {
    var form = MultipartForm()
    #expect(throws: NetworkError.self) { try form.append(file: URL(filePath: "/nonexistent"), name: "f") }
    #expect(throws: NetworkError.self) { try form.append(file: URL(filePath: "/tmp"), name: "f") }
    let file = try ScratchFile(Data("hello".utf8))
    try form.append(file: file.url, name: "f")
    unlink(file.path)
    let error = try await #require(throws: NetworkError.self) { try await collect(form.body()) }
    #expect(error.kind == .fileError)
  }

  @Test func `a form can be sent again when its parts can`() async throws {
    var form = MultipartForm()
    try form.append("bar", name: "foo")
    #expect(form.body().isReplayable)
    let body = form.body()
    #expect(try await collect(body) == collect(body))
    try form.append(.stream(replayable: false) { ListedChunks([]) }, name: "s")
    #expect(!form.body().isReplayable)
    #expect(form.length == nil)
  }

  @Test func `a throttle waits after each packet, also when the body is sent again`() async throws {
    let clock = ManualClock()
    var form = try MultipartForm(boundary: boundary)
    try form.append(String(repeating: "x", count: 100), name: "foo")
    form.throttle = MultipartForm.Throttle(packetBytes: 64, delay: .milliseconds(200))
    let body = form.body(clock: clock)
    for _ in 0..<2 {
      guard case .stream(let stream) = body.source else { return }
      let chunks = try await stream.make()
      var sizes = [try await chunks.next()?.count]
      while true {
        let next = Task { try await chunks.next()?.count }
        if sizes.count < 4 {
          try await clock.waitForSleepers(1)
          clock.advance(by: .milliseconds(199))
          #expect(clock.sleeperCount == 1)
          clock.advance(by: .milliseconds(1))
        }
        guard let size = try await next.value else { break }
        sizes.append(size)
      }
      #expect(sizes == [64, 64, 64, 16])
    }
  }

  @Test(arguments: [0, -1, Int.min]) func `a throttle's packets have at least a byte`(bytes: Int) async throws {
    let clock = ManualClock()
    var form = try MultipartForm(boundary: boundary)
    form.throttle = MultipartForm.Throttle(delay: .seconds(Int64.max) * 18)
    form.throttle?.packetBytes = bytes
    try form.append("x", name: "foo")
    guard case .stream(let stream) = form.body(clock: clock).source else { return }
    let chunks = try await stream.make()
    #expect(try await chunks.next()?.count == 1)
    let next = Task { try await chunks.next()?.count }
    try await clock.waitForSleepers(1)
    next.cancel()
    await #expect(throws: CancellationError.self) { try await next.value }
  }

  @Test func `no packet is larger than 64 KiB, whatever the parts are`() async throws {
    let file = try ScratchFile(Data(count: 1_000_000))
    var form = MultipartForm()
    try form.append(Data(count: 1_000_000), name: "d")
    try form.append(file: file.url, name: "f")
    try form.append(.stream(replayable: false) { ListedChunks([Data(count: 200_000)]) }, name: "s")
    guard case .stream(let stream) = form.body().source else { return }
    let chunks = try await stream.make()
    var total = 0
    while let chunk = try await chunks.next() {
      #expect(chunk.count <= 65_536)
      total += chunk.count
    }
    #expect(total > 2_200_000)
  }

  @Test func `a form is written into a file, to be sent from there`() async throws {
    let target = try ScratchFile(Data("old and longer than the form could be".utf8))
    var form = try MultipartForm(boundary: boundary)
    try form.append("bar", name: "foo")
    let body = try await form.spooled(to: target.url)
    #expect(body.length == 111)
    #expect(body.isReplayable)
    #expect(try await Data(contentsOf: target.url) == collect(form.body()))
    #expect(try await form.spooled(to: target.url.path).length == 111, "a path is taken too")
  }

  @Test func `a form can be written over a file that is one of its own parts`() async throws {
    let target = try ScratchFile(Data("the old content".utf8))
    try LocalFileSystem().open(target.url.path, .write).setPermissions(0o640)
    var form = try MultipartForm(boundary: boundary)
    try form.append(file: target.url, name: "self")
    let expected = try await collect(form.body())
    let body = try await form.spooled(to: target.url)
    #expect(String(decoding: expected, as: UTF8.self).contains("the old content"))
    #expect(try Data(contentsOf: target.url) == expected && body.length == Int64(expected.count))
    #expect(try LocalFileSystem().status(target.url.path)?.permissions == 0o640)
  }

  @Test func `a form that cannot be written leaves the old file, and nothing else`() async throws {
    let files = MemoryFileSystem(capacity: 65_536)
    try files.createDirectory("/d")
    try [UInt8]("old".utf8).withUnsafeBytes { try files.open("/d/f", [.write, .create]).write($0, at: 0) }
    var form = MultipartForm()
    try form.append(String(repeating: "x", count: 200_000), name: "foo")
    let error = try await #require(throws: NetworkError.self) {
      try await form.spooled(to: URL(filePath: "/d/f"), fileSystem: files)
    }
    #expect(error.kind == .fileError)
    #expect((error.details.underlying as? FileSystemError)?.isDiskFull == true)
    #expect(files.contents(of: "/d/f") == [UInt8]("old".utf8))
    #expect(try files.list("/d") == ["f"])
    let device = try await #require(throws: NetworkError.self) {
      try await form.spooled(to: URL(filePath: "/dev/null"))
    }
    #expect(device.kind == .fileError)
    let none = try await #require(throws: NetworkError.self) {
      try await form.spooled(to: try #require(URL(string: "http://h/")))
    }
    #expect(none.kind == .fileError)
  }

  @Test func `the parameters of a form come before its parts, and GET takes none`() async throws {
    let serializer = MultipartRequestSerializer { form in try form.append("2", name: "b") }
    let request = try serializer.request(Request(.post, "http://h/"), ["a": 1])
    let type = try #require(MediaType(of: request.headerFields))
    #expect(type.hasSameEssence(as: .formData))
    let text = String(decoding: try await collect(request.body), as: UTF8.self)
    let first = try #require(text.firstRange(of: "name=\"a\""))
    let second = try #require(text.firstRange(of: "name=\"b\""))
    #expect(first.lowerBound < second.lowerBound)
    #expect(text.hasPrefix("--" + (try #require(type["boundary"])) + "\r\n"))
    #expect(throws: NetworkError.self) { try serializer.request(Request(.get, "http://h/"), ["a": 1]) }
  }

  @Test func `a form without parts has its type, and an end`() async throws {
    let request = try MultipartRequestSerializer().request(Request(.post, "http://h/"), .object([]))
    let type = try #require(MediaType(of: request.headerFields))
    #expect(type.hasSameEssence(as: .formData))
    let boundary = try #require(type["boundary"])
    #expect(String(decoding: try await collect(request.body), as: UTF8.self) == "--\(boundary)--\r\n")
    #expect(request.body.length == Int64(boundary.utf8.count + 6))
  }
}
