import CurlewCore
import CurlewCurlTransport
import CurlewSecurity
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// nginx that asks for a client's certificate: the right one gets in, the wrong one and none stay out.
@Suite(.enabled(if: PeerProgram.isAvailable(NginxEndpoint.program), "nginx is not installed"))
struct NginxIdentityTests {
  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func `the right identity gets in, the wrong one and none stay out`(version: String) async throws {
    let root = try TestIdentity.authority()
    let server = try root.issue()
    let right = try root.issue(.authority("Middle")).issue(.client("Right"))
    let wrong = try TestIdentity.authority(.authority("Other")).issue(.client("Wrong"))
    let files = try server.writeFiles()
    defer { try? FileManager.default.removeItem(atPath: files.folder) }
    let nginx = try Self.start(files, version)
    defer { nginx.stop() }
    let transport = try CurlTransport()
    let encrypted = try ClientIdentity(
      pem: Data(right.chainPEM.utf8), key: Data(try right.key.pem(password: "open sesame").utf8),
      password: "open sesame")
    let packed = try ClientIdentity(pkcs12: Data(try right.pkcs12(password: "secret")), password: "secret")
    let stranger = try ClientIdentity(pem: Data(wrong.chainPEM.utf8), key: Data(wrong.key.pem.utf8))
    // One after the other over one transport, so that a connection that is there would be taken if it could.
    let sendings: [(ClientIdentity?, Int, String)] = [
      (encrypted, 200, "CN=Right SUCCESS"), (nil, 400, ""), (stranger, 400, ""), (packed, 200, "CN=Right SUCCESS"),
      (nil, 400, ""), (encrypted, 200, "CN=Right SUCCESS"),
    ]
    for (identity, status, text) in sendings {
      var settings = ExchangeSettings()
      settings.serverTrust = try SecurityPolicy(.with { $0.anchors = .only([try root.certificate.certificate]) })
      settings.clientIdentity = identity
      var request = try Request(.get, "https://localhost/")
      request.options.unixSocketPath = files.folder + "/socket"
      let response = try await Self.send(request, over: transport, settings)
      let body = String(decoding: try await response.body.collect(upTo: 10_000), as: UTF8.self)
      #expect(response.head.status.code == status)
      if status == 200 { #expect(body == text) }
    }
    await transport.shutdown()
  }

  /// nginx takes a moment until it listens.
  private static func send(
    _ request: Request, over transport: CurlTransport, _ settings: ExchangeSettings
  ) async throws -> Response {
    for _ in 0..<1_000 {
      do {
        return try await transport.send(request, in: Exchange(settings))
      } catch let error as NetworkError where error.kind == .connectionFailed {
        // Sleeps because nothing tells when nginx listens.
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    return try await transport.send(request, in: Exchange(settings))
  }

  private static func start(_ files: TestIdentity.Files, _ version: String) throws -> PeerProgram {
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(files.folder)/\($0);"
    }
    let text = """
      daemon off; master_process off; pid \(files.folder)/pid; error_log \(files.folder)/log;
      events {}
      http {
        access_log off; \(places.joined(separator: " "))
        server {
          listen unix:\(files.folder)/socket ssl http2;
          ssl_protocols \(version);
          ssl_certificate \(files.chain);
          ssl_certificate_key \(files.key);
          ssl_client_certificate \(files.root);
          ssl_verify_client on;
          ssl_verify_depth 3;
          location / { return 200 "$ssl_client_s_dn $ssl_client_verify"; }
        }
      }
      """
    let path = files.folder + "/nginx.conf"
    try Data(text.utf8).write(to: URL(filePath: path))
    return try PeerProgram(["-p", files.folder, "-c", path, "-e", files.folder + "/log"], of: NginxEndpoint.program)
  }
}
