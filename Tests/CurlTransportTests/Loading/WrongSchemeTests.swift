import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

/// URLs whose scheme is not that of the port, or that lead nowhere.
@Suite struct WrongSchemeTests {
  @Test(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"))
  func `the error says that a port with plain HTTP speaks no TLS`() async throws {
    let nginx = try NginxFolder(FileManager.default.temporaryDirectory.path)
    defer { nginx.stop() }
    let error = try await failure(at: "https" + nginx.url("/none").absoluteString.dropFirst(4))
    #expect(error.kind == .handshakeFailed)
    #expect(error.message.hasPrefix("The server does not speak TLS at this port"), "\(error)")
  }

  @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\0"])
  func `the error says that a port which closes or sends something else at a handshake may speak no TLS`(
    answer: String
  ) async throws {
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 1)
    Thread.detachNewThread {
      var ready = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&ready, 1, 20_000)
      let connection = accept(socket.descriptor, nil, nil)
      var (hello, bytes) = ([UInt8](repeating: 0, count: 4_096), Array(answer.utf8))
      _ = recv(connection, &hello, hello.count, 0)
      _ = send(connection, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
      close(connection)
    }
    let request = try Request(.get, "https://127.0.0.1:\(socket.port)/")
    let transport = try CurlTransport()
    let error = await #expect(throws: NetworkError.self) { try await Loader(transport).load(request) }
    #expect(error?.kind == .handshakeFailed)
    #expect(error?.advice == "Check the port; if the server speaks plain HTTP there, write http:// in the URL.")
    #expect(error?.message.contains(" .") == false, "\(error?.message ?? "")")
    await transport.shutdown()
  }

  @Test func `the error says that the bytes of a port with TLS are not HTTP`() async throws {
    // OpenSSL's answer to a request without TLS: a fatal alert, protocol_version (RFC 5246 §7.2).
    let alert = "\u{15}\u{03}\u{01}\u{00}\u{02}\u{02}\u{46}"
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.raw(alert), .close) }
    let error = try await failure(at: "http://127.0.0.1:\(origin.port)/")
    #expect(error.kind == .protocolViolation)
    #expect(error.message.hasPrefix("The server's bytes are not HTTP"), "\(error)")
    #expect(error.advice == "Check the port, and write https:// if it speaks TLS.")
    await origin.stop()
  }

  @Test func `the error says that a port which closes at plain HTTP may speak TLS`() async throws {
    let origin = try await ScriptedOrigin.start { _ in OriginReply(.close) }
    let request = try Request(.get, "http://127.0.0.1:\(origin.port)/")
    let transport = try CurlTransport()
    let error = await #expect(throws: NetworkError.self) { try await Loader(transport).load(request) }
    #expect(error?.kind == .connectionLost)
    #expect(error?.advice == "If the server speaks TLS at this port, write https:// in the URL.")
    await transport.shutdown()
    await origin.stop()
  }

  @Test(.enabled(if: NginxEndpoint.isAvailable, "nginx is not installed"))
  func `the error says that nginx expects TLS at a port`() async throws {
    let nginx = try await NginxEndpoint.start(try TestIdentity.selfSigned())
    let transport = try CurlTransport()
    let request = try Request(.get, "http" + nginx.resumption.dropFirst("https".count))
    var configuration = Transfer<Void>.Configuration(request, to: .memory(limit: 1_000)) { _ in }
    configuration.validate = { head, _ in try TransferValidation.successStatus(head) }
    let transfer = Transfer(Loader(transport), configuration)
    let error = await #expect(throws: NetworkError.self) { try await transfer.run() }
    #expect(error?.status == .badRequest)
    #expect(error?.description.contains("The server expects TLS at this port: write https:// in the URL.") == true)
    await transport.shutdown()
    await nginx.stop()
  }

  @Test func `the error says that no route leads to an address`() async throws {
    // Linux connects to no multicast group.
    let error = try await failure(at: "http://224.0.0.1/")
    #expect(error.kind == .connectionFailed && error.message.hasSuffix(": Network is unreachable."))
    #expect(error.advice == "This machine has no route to that address: check the address and the network.")
  }

  @Test func `the error names a proxy that does not run`() async throws {
    var settings = ExchangeSettings()
    settings.proxy = Proxy(host: "127.0.0.1", port: 1)
    let error = try await failure(at: "http://curlew.test/", settings)
    #expect(error.kind == .connectionFailed && error.message.hasPrefix("The connection to the proxy failed"))
    #expect(error.advice == "Check the proxy's address, and that the proxy runs.")
  }

  private func failure(
    at url: String, _ settings: ExchangeSettings = ExchangeSettings()
  ) async throws -> NetworkError {
    let transport = try CurlTransport()
    let request = try Request(.get, url)
    let error = await #expect(throws: NetworkError.self) {
      _ = try await transport.send(request, in: Exchange(settings))
    }
    await transport.shutdown()
    return try #require(error)
  }
}
