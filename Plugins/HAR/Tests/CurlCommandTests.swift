import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import CurlewHAR

@Suite struct CurlCommandTests {
  /// How many requests are generated: 300, or as many as the variable says (`CURLEW_HAR_REQUESTS=10000 Scripts/test-module HAR`).
  static let count = ProcessInfo.processInfo.environment["CURLEW_HAR_REQUESTS"].flatMap { Int($0) } ?? 300

  @Test func `the printed command gives an origin the request that Curlew sends`() async throws {
    let folder = try TemporaryFolder()
    try Data(BytePattern.seeded(7).bytes(count: 300)).write(to: URL(filePath: folder.path + "/a b'c"))
    let origin = try await ScriptedOrigin.start(
      .with {
        $0.requestsKept = 2 * 50
        $0.bodyBytesKept = 1 << 20
      }
    ) { request in
      _ = await request.body()
      return .ok("")
    }
    let transport = try CurlTransport.curl()
    var generator = RequestGenerator(seed: 38, folder: folder.path)
    var sent = 0
    while sent < Self.count {
      let requests = try (0..<50).map { _ in try generator.next(to: origin.address("")) }
      origin.forgetRequests()
      for request in requests {
        let response = try await transport.send(request, in: Exchange())
        await response.body.discard()
      }
      let expected = origin.requests
      origin.forgetRequests()
      let commands = requests.map { CurlCommand($0, redaction: nil) }
      #expect(commands.allSatisfy { $0.isComplete })
      let result = try await Program.shell(
        "set -e\n" + commands.map { $0.text + " >/dev/null 2>&1" }.joined(separator: "\n") + "\n", in: folder.path)
      try #require(result.status == 0, "after \(origin.requests.count) of \(commands.map(\.text))\n\(result.output)")
      let received = origin.requests
      try #require(received.count == expected.count)
      for (index, (left, right)) in zip(expected, received).enumerated() {
        #expect(left.lines == right.lines, "\(commands[index])")
        #expect(left.received == right.received, "\(commands[index])")
      }
      sent += requests.count
    }
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `a redacted command has no secret, and says that it is not complete`() throws {
    let folder = try TemporaryFolder()
    try Data(count: 300).write(to: URL(filePath: folder.path + "/a b'c"))
    var generator = RequestGenerator(seed: 83, folder: folder.path)
    for _ in 0..<max(2_000, Self.count) {
      let request = try generator.next(to: "http://example.com")
      let command = CurlCommand(request)
      #expect(!command.text.contains(RequestGenerator.secret), "\(command)")
      let whole = CurlCommand(request, redaction: nil)
      #expect(command.isComplete == (command == whole))
    }
  }

  @Test func `user information and a proxy's password are secrets`() throws {
    var settings = ExchangeSettings()
    var proxy = Proxy(.http, host: "proxy.example", port: 8080, credential: .password(user: "me", password: "s3cr3t"))
    proxy.authorization = "Basic s3cr3t"
    settings.proxy = proxy
    let request = Request(.get, try #require(URL(string: "http://me:s3cr3t@example.com/a?b=c")))
    let command = CurlCommand(request, in: Exchange(settings))
    #expect(
      command.text
        == "curl --header User-Agent: --header Accept: --proxy http://proxy.example:8080 --proxy-user '<redacted>' "
        + "--proxy-header '<redacted>' 'http://<redacted>@example.com/a?b=c'")
    #expect(!command.isComplete)
    #expect(CurlCommand(request, in: Exchange(settings), redaction: nil).text.contains("--proxy-user me:s3cr3t"))
  }

  @Test func `characters that a terminal obeys are not in the command`() throws {
    var request = try Request(.post, "http://example.com/")
    request.body = .text("\u{1B}]0;title\u{07}\u{202E}abc\r\n")
    #expect(
      CurlCommand(request, redaction: nil).text.hasPrefix(
        #"printf '\033]0;title\007\342\200\256abc\015\012' | curl --header"#))
  }

  @Test func `what a server chose is no command, whatever marks are behind its quotes`() async throws {
    let folder = try TemporaryFolder()
    for mark in ["\u{301}", "\u{FE0F}", "\u{600}", "\u{200D}"] {
      for word in ["1'\(mark); echo PWNED #", "\(mark)'; echo PWNED #", "'\(mark)'\(mark)"] {
        let quoted = ShellWord.quoted(word)
        let result = try await Program.shell("printf '<%s>' " + quoted, in: folder.path)
        #expect(result.output.utf8.elementsEqual("<\(word)>".utf8), "\(quoted)")
      }
    }
  }

  @Test func `the longest and the shortest time are times as any other`() throws {
    var request = try Request(.get, "https://a.test/")
    request.options.timeouts = Timeouts(connect: .seconds(Int64.min), idle: nil, total: .seconds(Int64.max))
    let text = CurlCommand(request).text
    #expect(text.contains("--max-time 2147483648.000") && text.contains("--connect-timeout 0.001"))
  }

  @Test func `content that is not in memory is named`() throws {
    var request = try Request(.put, "http://example.com/")
    request.body = .bytes(Data(count: CurlCommand.bodyLimit + 1))
    let large = CurlCommand(request, redaction: nil)
    #expect(large.text.contains("--data-binary @request-body"))
    #expect(!large.isComplete)
    request.body = .stream(replayable: false) { throw CancellationError() }
    let stream = CurlCommand(request, redaction: nil)
    #expect(stream.text.contains("--data-binary @- "))
    #expect(!stream.isComplete)
  }

  @Test func `options of the request are options of curl`() throws {
    var request = try Request(.get, "http://example.com/{a}/../b")
    request.options.timeouts = Timeouts(connect: .milliseconds(1500), total: .nanoseconds(1))
    request.options.version = .http1
    request.options.unixSocketPath = "/run/a b"
    request.options.addressOverrides = [AddressOverride(host: "example.com", port: 80, address: "::1", addressPort: 81)]
    request.options.rateLimit = RateLimit(send: 10, receive: 5)
    #expect(
      request.curlCommand
        == "curl --header User-Agent: --header Accept: --connect-timeout 1.500 --max-time 0.001 --http1.1 --unix-socket '/run/a b' "
        + "--connect-to 'example.com:80:[::1]:81' --limit-rate 5 --path-as-is http://example.com/%7Ba%7D/../b")
  }

  @Test func `an observer gets the command of each sending as it was sent`() async throws {
    let commands = Mutex<[CurlCommand]>([])
    let stub = StubTransport(script: [
      StubAnswer(.found, headerFields: [.location: "/next"]), .text("hello"),
    ])
    let loader = Loader(stub, chain: InterceptorChain(redirect: Redirect()))
    var settings = ExchangeSettings()
    settings.observers = [CurlCommandObserver { command in commands.withLock { $0.append(command) } }]
    var request = try Request(.get, "http://example.com/first")
    request.headerFields[.authorization] = "Bearer s3cr3t"
    _ = try await loader.load(request, in: Exchange(settings)).body.collect(upTo: 100)
    let texts = commands.withLock { $0.map(\.text) }
    #expect(texts.count == 2)
    #expect(texts.first?.hasSuffix(" http://example.com/first") == true)
    #expect(texts.last?.hasSuffix(" http://example.com/next") == true)
    #expect(texts.allSatisfy { $0.contains("--header 'Authorization: <redacted>'") })
  }

  @Test func `an error has the command that repeats its request`() throws {
    let request = try Request(.get, "http://example.com/?token=s3cr3t")
    let error = NetworkError(.connectionLost, stage: .awaitingHead, message: "It was lost.").with {
      $0.request = request
    }
    #expect(error.curlCommand?.hasSuffix(" 'http://example.com/?token=<redacted>'") == true)
    #expect(error.descriptionWithCommand == "\(error)\nto repeat it: \(try #require(error.curlCommand))")
    let unsent = NetworkError(.connectionLost, stage: .awaitingHead, message: "")
    #expect(unsent.curlCommand == nil && unsent.descriptionWithCommand == "\(unsent)")
  }
}
