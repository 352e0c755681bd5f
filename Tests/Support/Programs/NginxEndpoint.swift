package import CurlewCore
package import CurlewTestSupport
package import FoundationEssentials
import Glibc

/// nginx in front of a `ScriptedOrigin`, as an endpoint: HTTP/2 over TLS.
///
/// nginx passes everything on as it comes, in both directions, so that what an origin does is seen through it as far as
/// HTTP/2 and nginx allow. It runs with files of its own in a temporary folder, and as long as it is held.
package final class NginxEndpoint: FrameEndpoint {
  /// What it is, for messages.
  package let name = "HTTP/2 through nginx"
  /// What gets through nginx.
  package let features: EndpointFeatures = [
    .sockets, .madeFields, .cuts, .slowReading, .progress, .connections, .departures, .tls, .http2, .codings,
    .brokenUploads, .frames,
  ]
  /// Trust in its certificate and no other.
  package let settings: ExchangeSettings
  /// The certificates it shows, DER, leaf first.
  package let certificates: [Data]
  private let origin: ScriptedOrigin
  private let table: PlaceTable
  private let server: ServerProcess
  private let identity: TestIdentity
  private let files: TestIdentity.Files
  private let port: Int

  /// Where nginx is looked for.
  package static let program = "/usr/sbin/nginx"

  /// Whether nginx is installed.
  package static var isAvailable: Bool { access(program, X_OK) == 0 }

  private static let connectionField = "Conformance-Connection"

  /// Starts nginx on a free port of the loopback network.
  ///
  /// - Throws: `OriginError`, `CertificateError` or `FileSystemError` when something cannot be had.
  package static func start(_ identity: TestIdentity) async throws -> NginxEndpoint {
    let table = PlaceTable()
    let origin = try await ScriptedOrigin.start { request in
      table.reply(to: request, connectionField: connectionField)
    }
    return try NginxEndpoint(identity, origin, table)
  }

  private init(_ identity: TestIdentity, _ origin: ScriptedOrigin, _ table: PlaceTable) throws {
    self.origin = origin
    self.table = table
    self.identity = identity
    certificates = identity.chain.map { Data($0.der) }
    settings = ExchangeSettings(trusting: certificates)
    files = try identity.writeFiles()
    let socket = try LoopbackSocket()
    try socket.listen(backlog: 512)
    port = socket.port
    let path = files.folder + "/nginx.conf"
    let text = Self.configuration(port: port, origin: origin.port, files)
    let file = try LocalFileSystem().open(path, [.write, .create])
    try [UInt8](text.utf8).withUnsafeBytes { bytes in try file.write(bytes, at: 0) }
    try file.close()
    // The socket is there before nginx is, so nobody has to wait for it to listen.
    server = try ServerProcess(
      [Self.program, "-p", files.folder, "-c", path, "-e", files.folder + "/error.log"], environment: ["NGINX=7;"],
      inherited: socket.descriptor)
  }

  /// Opens a place.
  package func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace {
    table.open(at: "https://127.0.0.1:\(port)", script)
  }

  /// Starts an HTTP/2 server beside nginx.
  ///
  /// - Throws: `OriginError` when it cannot be started.
  package func openFrames(_ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]) throws -> FrameOrigin {
    try FrameOrigin.start(identity, script)
  }

  /// Ends nginx and the origin and removes their files.
  package func stop() async {
    server.stop()
    files.remove()
    await origin.stop()
  }

  private static func configuration(port: Int, origin: Int, _ files: TestIdentity.Files) -> String {
    """
    daemon off;
    worker_processes 1;
    \(geteuid() == 0 ? "user root;" : "")
    pid \(files.folder)/nginx.pid;
    events { worker_connections 4096; }
    http {
      access_log off;
      client_body_temp_path \(files.folder)/body;
      proxy_temp_path \(files.folder)/proxy;
      fastcgi_temp_path \(files.folder)/fastcgi;
      uwsgi_temp_path \(files.folder)/uwsgi;
      scgi_temp_path \(files.folder)/scgi;
      keepalive_timeout 600s;
      keepalive_requests 1000000;
      client_max_body_size 0;
      client_body_timeout 600s;
      large_client_header_buffers 8 64k;
      proxy_read_timeout 600s;
      proxy_send_timeout 600s;
      send_timeout 600s;
      ignore_invalid_headers off;
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(files.chain);
        ssl_certificate_key \(files.key);
        proxy_http_version 1.1;
        proxy_buffering off;
        proxy_buffer_size 64k;
        proxy_buffers 8 64k;
        proxy_busy_buffers_size 128k;
        proxy_next_upstream off;
        proxy_redirect off;
        proxy_pass_header Server;
        proxy_pass_header Date;
        proxy_set_header Host $http_host;
        proxy_set_header Connection "";
        proxy_set_header \(connectionField) $connection;
        # nginx does not notice that a client has left when it streams a request, even one without a body.
        error_page 418 = @bodyless;
        location / {
          if ($request_method = GET) { return 418; }
          proxy_request_buffering off;
          proxy_pass http://127.0.0.1:\(origin);
        }
        location @bodyless { proxy_pass http://127.0.0.1:\(origin); }
      }
    }
    """
  }
}
