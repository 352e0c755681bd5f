import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// A proxy that others wrote.
@Suite(.enabled(if: Tinyproxy.isAvailable, "tinyproxy is not installed")) struct TinyproxyTests {
  @Test func `tinyproxy's Basic is answered in the open and before a tunnel, and a wrong password is not`() async throws
  {
    let identity = try TestIdentity.selfSigned()
    let plain = try await ScriptedOrigin.start { _ in .ok("plain") }
    let secure = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("secure") }
    let proxy = try await Tinyproxy.start(user: "wader", password: "s3cret")
    let transport = try CurlTransport()
    var app = App(user: "wader", password: "s3cret")
    app.settings.proxy = Proxy(host: "127.0.0.1", port: proxy.port)
    app.settings.serverTrust = ExactTrustEvaluator([Data(identity.certificate.der)])
    let loader = Loader(transport, interceptors: [Authentication()])
    for _ in 0..<5 {
      #expect(try await app.load(Request(.get, plain.url()), loader) == (200, "plain"))
      #expect(try await app.load(Request(.get, secure.url()), loader) == (200, "secure"))
    }
    #expect(app.asked.challenges.count == 1)
    #expect(app.asked.challenges.first?.protectionSpace.isProxy == true)

    var wrong = App(user: "wader", password: "wrong")
    wrong.settings.proxy = app.settings.proxy
    wrong.settings.serverTrust = app.settings.serverTrust
    let other = Loader(transport, interceptors: [Authentication()])
    let status = try await wrong.load(Request(.get, plain.url()), other).status
    #expect(status == 407 || status == 401)
    await transport.shutdown()
    proxy.stop()
    await plain.stop()
    await secure.stop()
  }
}

/// tinyproxy on a free port of the loopback network.
final class Tinyproxy {
  private static let program = "/usr/bin/tinyproxy"
  static var isAvailable: Bool { PeerProgram.isAvailable(program) }

  struct Ended: Error {}

  var port: Int { holder.port }
  /// It cannot be given a socket that listens already, so it binds beside one that holds the port.
  private let holder: LoopbackSocket
  private let process: PeerProgram
  private let configuration: URL

  static func start(user: String, password: String) async throws -> Tinyproxy {
    let proxy = try Tinyproxy(user, password)
    while !proxy.isListening {
      guard proxy.process.isRunning else { throw Ended() }
      // Sleeps because it does not say when it listens.
      try await Task.sleep(for: .milliseconds(5))
    }
    return proxy
  }

  private init(_ user: String, _ password: String) throws {
    holder = try LoopbackSocket()
    configuration = URL(filePath: "/tmp/curlew-tinyproxy-\(UInt64.random(in: .min ... .max)).conf")
    let text = """
      Port \(holder.port)
      Listen 127.0.0.1
      Timeout 60
      LogLevel Critical
      MaxClients 100
      Allow 127.0.0.1
      BasicAuth \(user) \(password)

      """
    try Data(text.utf8).write(to: configuration)
    process = try PeerProgram(["-d", "-c", configuration.path], of: Self.program)
  }

  private var isListening: Bool {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(client) }
    return holder.address.withPointer { connect(client, $0, $1) } == 0
  }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(at: configuration)
  }
}
