import CLibcurl
import CurlewCore
import Glibc

/// The properties of the loaded libcurl, determined once.
struct CurlLibrary: Sendable {
  let version: String
  /// The version in libcurl's numeric form, 0xXXYYZZ.
  let number: UInt32
  let isUsable: Bool
  private let features: TransportCapabilities

  /// The loaded libcurl; the first use initializes it for the process.
  static let loaded: CurlLibrary = {
    guard curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK, let info = curlew_version_info() else {
      return CurlLibrary(version: "unknown", number: 0, isUsable: false, features: [])
    }
    ProcessExit.watch()
    let features = info.pointee.features
    let version = info.pointee.version.map { String(cString: $0) } ?? "unknown"
    let tls = info.pointee.ssl_version.map { String(cString: $0) } ?? ""
    var capabilities: TransportCapabilities = [
      .proxy, .backpressure, .metrics, .versionChoice, .addressOverrides, .rateLimit, .rawContent, .trailers,
      .informationalResponses, .expectContinue, .streamedUploads, .connectTimeout, .duplex,
    ]
    // Without the log of frames, a refused request could not be told from a lost one; see `FrameLog`.
    if features & CURL_VERSION_HTTP2 != 0, carriesHTTP2Reliably(info.pointee.version_num),
      curlew_log_frames() == CURLE_OK
    {
      capabilities.insert(.http2)
    }
    if features & CURL_VERSION_UNIX_SOCKETS != 0 { capabilities.insert(.unixSocket) }
    // Another TLS library would ignore the callbacks that pins depend on, so pins are refused there.
    if tls.hasPrefix("OpenSSL/") {
      capabilities.formUnion([.serverTrust, .clientIdentity, .ocspStapling])
    }
    return CurlLibrary(
      version: version, number: info.pointee.version_num, isUsable: info.pointee.version_num >= 0x07_50_00,
      features: capabilities)
  }()

  /// Returns whether a version of libcurl supports HTTP/2 reliably; on others, HTTP/2 is refused.
  ///
  /// It must carry several bodies over one connection without stalling or failing. Up to 8.0.1 one full buffer stops all
  /// streams of a connection, and transfers hang (seen on 7.88.1; 7.88.0 also mixed bodies, curl/curl#10525). 8.1.0 to 8.2.0
  /// stall uploads (#11157, #11426, #11485), 8.3.0 drops the rest of a paused body (#11982), 8.5.0 fails paused bodies
  /// (#12632), and up to 8.13.0 a body that was paused may never get another window (#16955). 8.16 fails bodies that are
  /// paused (#19334).
  static func carriesHTTP2Reliably(_ number: UInt32) -> Bool {
    number >= 0x08_0e_00 && number & 0xff_ff_00 != 0x08_10_00
  }

  /// Returns the capabilities of a transport with a default HTTP version.
  func capabilities(offering version: VersionPolicy) -> TransportCapabilities {
    features.contains(.http2) && version != .http1 ? features.union(.automaticHTTP2) : features
  }

  /// Returns whether it has a capability that no configuration changes.
  func has(_ capability: TransportCapabilities) -> Bool { features.contains(capability) }
}

// libcurl declares its handles as `void`: since 8.11 always, before unless a program requests separate types.

/// A handle for one request (`CURL *`).
typealias EasyHandle = UnsafeMutableRawPointer
/// A handle for many requests (`CURLM *`).
typealias MultiHandle = UnsafeMutableRawPointer

/// The sockets with which libcurl before 8.9 wakes `curl_multi_poll`.
///
/// libcurl leaves them open in child processes.
enum WakeupDescriptors {
  /// Makes the sockets close in child processes.
  ///
  /// libcurl does not reveal them. They are found by the effect of a wake-up, which leaves a byte in the pair until the next
  /// wait.
  static func seal(_ multi: MultiHandle) {
    guard curl_multi_wakeup(multi) == CURLM_OK else { return }
    let filled = inheritedSockets().filter { holdsBytes($0) }
    curl_multi_poll(multi, nil, 0, 0, nil)
    for descriptor in filled where !holdsBytes(descriptor) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// Returns the Unix sockets that child processes would inherit.
  private static func inheritedSockets() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var found: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let descriptor = Int32(name), fcntl(descriptor, F_GETFD) == 0 else { continue }
      var family: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      if getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0, family == AF_UNIX {
        found.append(descriptor)
      }
    }
    return found
  }

  /// Returns whether bytes can be read at this end or at the other one.
  private static func holdsBytes(_ descriptor: Int32) -> Bool { curlew_waiting_bytes(descriptor) > 0 }
}
