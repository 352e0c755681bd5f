import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@Suite struct KeyLogTests {
  /// Makes one request over TLS, and returns what is in the file afterwards.
  private static func log(_ path: String, for configuration: CurlTransport.Configuration) async throws -> String {
    let authority = try TestIdentity.authority()
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(authority.issue())) { _ in .ok("") }
    var settings = ExchangeSettings()
    settings.serverTrust = RecordingTrustEvaluator()
    let transport = try CurlTransport(configuration)
    let exchange = Exchange(settings)
    let response = try await transport.send(Request(.get, origin.url()), in: exchange)
    await response.body.discard()
    #expect(exchange.metrics.map(\.tlsVersion) == ["TLSv1.3"])
    await transport.shutdown()
    await origin.stop()
    return (try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)) ?? ""
  }

  private static func place() -> String {
    FileManager.default.temporaryDirectory.appending(path: "curlew-keylog-\(UInt64.random(in: 0 ... .max))").path
  }

  @Test func `the secrets of a connection are written where the app asks for them`() async throws {
    let path = Self.place()
    defer { unlink(path) }
    var configuration = CurlTransport.Configuration()
    configuration.keyLogPath = path
    let lines = try await Self.log(path, for: configuration).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") || $0.hasPrefix("CLIENT_RANDOM ") })
    #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
    #expect(try LocalFileSystem().status(path)?.permissions == 0o600)
    // A second transport appends.
    let more = try await Self.log(path, for: configuration).split(separator: "\n")
    #expect(more.count > lines.count && more.starts(with: lines))
  }

  @Test func `the environment alone makes no key log`() async throws {
    let path = Self.place()
    defer { unlink(path) }
    await #expect(processExitsWith: .success) { [path = path as String] in
      // libcurl reads the variable when the first transport loads it.
      setenv("SSLKEYLOGFILE", path, 1)
      let log = try await KeyLogTests.log(path, for: CurlTransport.Configuration())
      #expect(log.isEmpty)
    }
    let text = (try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)) ?? ""
    #expect(text.isEmpty)
  }

  @Test func `a key log that cannot be opened is an error`() throws {
    let pipe = Self.place()
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    for path in ["/nonexistent/folder/keys", "/tmp\0/keys", pipe] {
      var configuration = CurlTransport.Configuration()
      configuration.keyLogPath = path
      let error = #expect(throws: NetworkError.self) { try CurlTransport(configuration) }
      #expect(error?.kind == .fileError)
      #expect(error?.message.contains(path) == true)
    }
  }
}
