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

  let port: Int
  private let process: PeerProgram
  private let configuration: URL

  static func start(user: String, password: String) async throws -> Tinyproxy {
    // It cannot be given a socket that listens already, so a port that was free a moment ago is taken.
    let place = try await ScriptedOrigin.start { _ in .ok() }
    let port = place.port
    await place.stop()
    let proxy = try Tinyproxy(port, user, password)
    try await proxy.waitUntilItListens()
    return proxy
  }

  private init(_ port: Int, _ user: String, _ password: String) throws {
    self.port = port
    configuration = URL(filePath: "/tmp/curlew-tinyproxy-\(UInt64.random(in: .min ... .max)).conf")
    let text = """
      Port \(port)
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

  private func waitUntilItListens() async throws {
    while process.isRunning {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(client) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let isThere = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isThere { return }
      await Task.yield()
    }
    throw Ended()
  }

  func stop() {
    process.stop()
    try? FileManager.default.removeItem(at: configuration)
  }
}
