import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CurlewSession

/// Resume data that are stored, changed and used.
@Suite(.timeLimit(.minutes(10))) struct DownloadResumeDataTests {
  /// `Scripts/soak` asks for 100,000.
  private static let mutations = getenv("CURLEW_RESUME_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 3_000
  private static let resource = SeededResource(length: 20_000, seed: 2)
  private static let tag = "\"v1\""

  private static func state(_ completed: Int64 = 10, of total: Int64? = 20) -> DownloadState {
    var state = DownloadState()
    state.url = "http://stub.test/f"
    (state.path, state.partialPath) = ("/etc/passwd", "/etc/.passwd.curlew-part")
    (state.completed, state.total) = (completed, total)
    return state
  }

  private static func request(_ change: (inout Request) -> Void = { _ in }) throws -> Request {
    var request = try Request(.get, "https://ann:pw@stub.test/f?token=s3cr3t&page=2")
    request.headerFields = [.authorization: "Bearer s3cr3t", .accept: "text/plain"]
    change(&request)
    return request
  }

  @Test func `they keep no path, and no secret unless asked`() throws {
    let data = try DownloadResumeData(try Self.request(), Self.state(), identifier: "atlas")
    #expect(data.download.path == nil && data.download.partialPath == nil && data.omittedSecrets.isEmpty)
    let stored = try data.encoded()
    let open = try data.encoded(includingSecrets: true)
    #expect(try Self.text(of: open).contains("s3cr3t"))
    for secret in ["s3cr3t", "pw", "passwd"] { #expect(try !Self.text(of: stored).contains(secret)) }
    let read = try DownloadResumeData(stored)
    #expect(read.omittedSecrets == ["authorization", "token", "user"])
    #expect(read.request.url.absoluteString == "https://stub.test/f?page=2" && read.download == data.download)
    #expect(read.request.headerFields == [.accept: "text/plain"])
    // What is missing is still known when they are stored again.
    #expect(try DownloadResumeData(try read.encoded()).omittedSecrets == ["authorization", "token", "user"])
    let whole = try DownloadResumeData(open)
    #expect(whole.request.headerFields[.authorization] == "Bearer s3cr3t" && whole.omittedSecrets.isEmpty)
  }

  /// The content of stored resume data as text.
  private static func text(of stored: Data) throws -> String {
    struct Stored: Decodable { var content: Data }
    return String(decoding: try JSONDecoder().decode(Stored.self, from: stored).content, as: UTF8.self)
  }

  @Test func `what no download can use has a typed error`() throws {
    func kind(_ request: Request, _ state: DownloadState = Self.state()) -> NetworkError.Kind? {
      do {
        _ = try DownloadResumeData(request, state, identifier: nil)
        return nil
      } catch { return error.kind }
    }
    #expect(try kind(Self.request()) == nil)
    #expect(try kind(Self.request { $0.method = .post }) == .invalidResumeData)
    #expect(try kind(Self.request { $0.url = URL(filePath: "/etc/passwd") }) == .invalidResumeData)
    #expect(try kind(Self.request { $0.headerFields[.range] = "bytes=1-" }) == .invalidResumeData)
    #expect(try kind(Self.request { $0.headerFields[.ifRange] = "\"a\"" }) == .invalidResumeData)
    #expect(try kind(Self.request { $0.body = .text("a") }) == .invalidResumeData)
    #expect(try kind(Self.request(), Self.state(-1)) == .invalidResumeData)
    #expect(try kind(Self.request(), Self.state(21)) == .invalidResumeData)
    #expect(try kind(Self.request(), Self.state(21, of: nil)) == nil)
    for bytes in [Data(), Data("{}".utf8), Data(repeating: 0x5B, count: 100_000), Data(count: (1 << 20) + 1)] {
      let error = #expect(throws: NetworkError.self) { try DownloadResumeData(bytes) }
      #expect(error?.kind == .invalidResumeData)
    }
  }

  @Test func `another version is refused`() throws {
    let stored = try DownloadResumeData(try Self.request(), Self.state(), identifier: nil).encoded()
    let text = String(decoding: stored, as: UTF8.self)
    #expect(text.contains(#""version":1"#))
    let next = Data(text.replacing(#""version":1"#, with: #""version":2"#).utf8)
    let error = #expect(throws: NetworkError.self) { try DownloadResumeData(next) }
    #expect(error?.kind == .invalidResumeData && error?.message.contains("2") == true)
  }

  @Test func `changed at random, they are an error or the same download, and touch nothing outside the directory`()
    async throws
  {
    try await TaskFixture.withFolder { folder in
      let bytes = Self.resource.bytes(count: 20_000)
      for name in ["/here", "/outside"] { try LocalFileSystem().createDirectory(folder + name) }
      let urls = Guarded<Set<String>>([])
      let stub = StubTransport { asked in
        _ = urls.withLock { $0.insert(asked.request.url.absoluteString) }
        return StubAnswer(headerFields: [.eTag: Self.tag], body: [.bytes(Data(bytes))])
      }
      let session = HTTPSession(stub)
      let stored = try await interrupted(folder + "/here", bytes).encoded(includingSecrets: true)
      var random = SeededRandom(seed: 1)
      var (refused, accepted) = (0, 0)
      for index in 0..<Self.mutations {
        let changed = Self.changed(stored, &random)
        let data: DownloadResumeData
        do {
          data = try DownloadResumeData(changed)
        } catch {
          #expect((error as? NetworkError)?.kind == .invalidResumeData)
          refused += 1
          continue
        }
        accepted += 1
        #expect(try Self.text(of: changed) == Self.text(of: stored), "number \(index)")
        let task = session.download(resuming: data, to: .file(folder + "/here/f")) {
          $0.file.collision = .replace
        }
        let result = try await task.value
        #expect(result.length == 20_000)
      }
      #expect(refused > Self.mutations / 2)
      #expect(urls.withLock { $0 }.isSubset(of: ["http://stub.test/f"]))
      #expect(try TaskFixture.names(in: folder) == ["here", "outside"])
      #expect(try TaskFixture.names(in: folder + "/outside") == [])
      let names = try TaskFixture.names(in: folder + "/here")
      #expect(Set(names).isSubset(of: ["f", ".f.curlew-part", ".f.curlew-state"]))
      print(
        "figure: \(Self.mutations) changed resume data, \(refused) refused, \(accepted) still those of the download")
    }
  }

  /// Resume data with a right check sum, made by somebody who wants another file, can still not choose a place.
  @Test func `made by hand, they cannot name a place`() async throws {
    try await TaskFixture.withFolder { folder in
      for name in ["/here", "/outside"] { try LocalFileSystem().createDirectory(folder + name) }
      var state = Self.state()
      (state.path, state.partialPath) = (folder + "/outside/f", folder + "/outside/.f.curlew-part")
      let data = try DownloadResumeData(
        TaskFixture.request, state, identifier: "../outside/f/../../\u{0}" + String(repeating: "x", count: 5_000))
      let read = try DownloadResumeData(try data.encoded())
      let session = HTTPSession(StubTransport(.bytes(Data("hello".utf8))))
      let result = try await session.download(resuming: read, to: .directory(folder + "/here")).value
      #expect(result.path == folder + "/here/f")
      #expect(try TaskFixture.names(in: folder + "/here") == ["f"])
      #expect(try TaskFixture.names(in: folder + "/outside") == [])
    }
  }

  /// The resume data of a download that was cancelled in the middle.
  private func interrupted(_ folder: String, _ bytes: [UInt8]) async throws -> DownloadResumeData {
    var answer = StubAnswer(headerFields: [.eTag: Self.tag], body: [.bytes(Data(bytes[..<5_000])), .stall])
    answer.headerFields[.contentLength] = "20000"
    let task = HTTPSession(StubTransport(answer)).download(TaskFixture.request, to: .file(folder + "/f"))
    task.resume()
    await wait(while: task.downloadProgress?.current.completed ?? 0 < 5_000)
    return try #require(await task.cancelByProducingResumeData())
  }

  /// Changes a few bytes: flips, cuts, inserts, repeats and swaps.
  private static func changed(_ stored: Data, _ random: inout SeededRandom) -> Data {
    var bytes = [UInt8](stored)
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
      case 3: bytes.insert(UInt8.random(in: 32...126, using: &random), at: place)
      case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
      default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
      }
    }
    return Data(bytes)
  }
}
