import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Asks the `curl` command which proxy it takes: 20 generated settings here, and 200 with `CURLEW_ROUNDS=200`.
@Suite(.enabled(if: PeerProgram.isAvailable("/usr/bin/curl"), "curl is not installed"))
struct CurlProxyTests {
  private static let curl = "/usr/bin/curl"

  /// An environment and a URL.
  private struct Setting {
    var environment: [String: String]
    var url: String

    private static let hosts = [
      "a.test", "x.a.test", "xa.test", "b.test.", "localhost", "10.0.0.1", "10.200.0.1", "192.168.1.77", "[::1]",
    ]
    private static let entries = [
      "a.test", ".a.test", "A.TEST.", "b.test", "*", "test", "localhost", "10.0.0.0/8", "10.0.0.0/9", "10.0.0.1",
      "10.0.0.1/32",
      "192.168.0.0/16", "192.168.1.64/26", "192.168.1", "::1", ".", "x.a.test", "10.0.0.0/33",
    ]
    private static let proxies = [
      "127.0.0.1", "http://127.0.0.1", "socks5://127.0.0.1", "socks5h://me:pass@127.0.0.1", "",
    ]

    init(_ random: inout some RandomNumberGenerator) {
      environment = [:]
      let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      for (index, name) in names.enumerated() where Bool.random(using: &random) {
        let proxy = Self.proxies.randomElement(using: &random) ?? ""
        // Nobody listens there: each port says which variable was taken.
        environment[name] = proxy.isEmpty ? "" : proxy + ":\(11 + index)"
      }
      for name in ["no_proxy", "NO_PROXY"] where Int.random(in: 0..<3, using: &random) == 0 {
        let separator = [",", ", ", " ", ",,"].randomElement(using: &random) ?? ","
        let count = Int.random(in: 0...3, using: &random)
        environment[name] = (0..<count).compactMap { _ in Self.entries.randomElement(using: &random) }
          .joined(separator: separator)
      }
      let host = Self.hosts.randomElement(using: &random) ?? ""
      url =
        (Bool.random(using: &random) ? "http://" : "https://") + host + (Bool.random(using: &random) ? ":8081/" : "/")
    }

    /// The port to which curl connects: that of a proxy, or 9 for the server itself.
    func portOfCurl() async throws -> Int? {
      let variables = environment.map { "\($0.key)=\($0.value)" }
      let arguments =
        ["-i"] + variables + [CurlProxyTests.curl, "-q", "-v", "--stderr", "-", "--connect-to", "::127.0.0.1:9", url]
      let (_, bytes) = try await PeerProgram.output(arguments, of: "/usr/bin/env")
      let said = String(decoding: bytes, as: UTF8.self)
      guard let place = said.firstRange(of: "Trying 127.0.0.1:") else { return nil }
      return Int(said[place.upperBound...].prefix { $0.isNumber })
    }
  }

  @Test func `curl takes the proxy that the environment names for us`() async throws {
    let rounds = ProcessInfo.processInfo.environment["CURLEW_ROUNDS"].flatMap { Int($0) } ?? 20
    var random = SeededGenerator(seed: 40)
    var proxied = 0
    for _ in 0..<rounds {
      let setting = Setting(&random)
      let ours = try EnvironmentProxies(setting.environment).proxy(for: Request(.get, setting.url).url)?.port ?? 9
      if ours != 9 { proxied += 1 }
      #expect(try await setting.portOfCurl() == ours, "\(setting)")
    }
    print("environment-proxies: \(rounds) settings as curl reads them, \(proxied) with a proxy")
  }

  /// A generator whose numbers are the same in each run (SplitMix64).
  private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  @Test(arguments: ["me:pass", "me", "m%40e:p%3Ass%25", "me:", "%C3%A9:%20x"])
  func `curl sends the user and the password that we read`(pair: String) async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("") }
    let text = "http://\(pair)@127.0.0.1:\(origin.port)"
    let arguments = ["-i", "http_proxy=\(text)", Self.curl, "-q", "-s", "http://a.test/"]
    _ = try await PeerProgram.output(arguments, of: "/usr/bin/env")
    guard case .password(let user, let password)? = Proxy(text)?.credential else {
      Issue.record("There is no password in \(pair).")
      return
    }
    let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    #expect(origin.requests.first?["Proxy-Authorization"] == expected)
    await origin.stop()
  }
}
