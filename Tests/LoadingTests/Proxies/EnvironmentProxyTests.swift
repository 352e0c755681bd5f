import CurlewCore
import CurlewLoading
import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct EnvironmentProxyTests {
  private func proxy(_ environment: [String: String], _ url: String) throws -> Proxy? {
    try EnvironmentProxies(environment).proxy(for: Request(.get, url).url)
  }

  @Test func `the variable is chosen by scheme, small letters first, and empty ones do not count`() throws {
    var environment = [
      "http_proxy": "one:1", "HTTP_PROXY": "two:2", "https_proxy": "three:3", "HTTPS_PROXY": "four:4",
      "all_proxy": "five:5", "ALL_PROXY": "six:6",
    ]
    let order: [(String, http: Int?, https: Int?)] = [
      ("https_proxy", 1, 3), ("HTTPS_PROXY", 1, 4), ("http_proxy", 1, 5), ("all_proxy", 5, 5), ("ALL_PROXY", 6, 6),
      ("HTTP_PROXY", nil, nil),
    ]
    for (name, http, https) in order {
      #expect(try proxy(environment, "http://a.test/")?.port == http)
      #expect(try proxy(environment, "https://a.test/")?.port == https)
      environment[name] = ""
    }
  }

  @Test(arguments: [
    ("p", Proxy(host: "p", port: 1080)), ("http://p:8080/", Proxy(host: "p", port: 8080)),
    ("SOCKS5H://[::1]:9", Proxy(.socks5, host: "::1", port: 9)),
    (
      "socks5://me:s%40t@p", Proxy(.socks5, host: "p", port: 1080, credential: .password(user: "me", password: "s@t"))
    ), ("me@p:1", Proxy(host: "p", port: 1, credential: .password(user: "me", password: ""))),
  ])
  func `a proxy is read as curl reads it`(text: String, expected: Proxy) { #expect(Proxy(text) == expected) }

  @Test(arguments: ["https://u:secret@p:1", "::bad", "ftp://p", "socks4://p", "http://", "p:0", "p:70000"])
  func `a proxy that cannot be used is an error that names the variable alone`(text: String) throws {
    let error = #expect(throws: NetworkError.self) { try proxy(["ALL_PROXY": text], "http://a.test/") }
    #expect(error?.kind == .proxyFailed)
    #expect(error?.message.contains("ALL_PROXY") == true)
    #expect(error.map { "\($0)".contains("secret") } == false)
  }

  @Test(arguments: [
    ("a.test", "http://a.test/ http://x.A.test./ http://a.test:81/", "http://xa.test/ http://test/"),
    (".a.test.", "http://a.test/ http://x.a.test/", "http://b.test/"),
    ("*", "http://a.test/ http://10.0.0.1/ http://[::1]/", ""), ("*,b.test", "http://b.test/", "http://a.test/"),
    ("a.test b.test,,\tc.test", "http://a.test/ http://b.test/ http://c.test/", "http://d.test/"),
    ("10.0.0.0/9", "http://10.127.0.1/ http://10.1/", "http://10.128.0.1/ http://[::1]/"),
    ("0.0.0.0/0", "http://1.2.3.4/", "http://[::1]/ http://a.test/"),
    ("10.0.0.1", "http://10.0.0.1/ http://0xa000001/", "http://10.0.0.2/"),
    ("10.0.0.0/33,10.0.0.0/x,10.0.0.0/-1", "", "http://10.0.0.0/"),
    ("fd00::/8 ::1", "http://[fdff::1]/ http://[0:0::1]/", "http://[fe00::1]/ http://10.0.0.1/"),
    (
      "a.test:81,[::1]:82,10.0.0.0/8:83", "http://a.test:81/ http://[::1]:82/ http://10.0.0.1:83/",
      "http://a.test/ http://[::1]/"
    ),
    ("https.test:443", "https://https.test/", "http://https.test/"),
    ("a.test:x,[::1", "", "http://a.test/ http://[::1]/"),
    ("bücher.test", "http://xn--bcher-kva.test/ http://x.bücher.test/", "http://bucher.test/"),
    (".,", "", "http://a.test/ http://a.test./"),
  ])
  func `what no_proxy names is reached directly`(list: String, direct: String, proxied: String) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      let environment = ["all_proxy": "p:1", name: list]
      for url in direct.split(separator: " ") { #expect(try proxy(environment, String(url)) == nil, "\(url)") }
      for url in proxied.split(separator: " ") { #expect(try proxy(environment, String(url)) != nil, "\(url)") }
    }
    #expect(try proxy(["all_proxy": "p:1", "no_proxy": "", "NO_PROXY": "a.test"], "http://a.test/") == nil)
  }

  @Test func `each hop has the proxy of its URL, and one that the settings have is kept`() async throws {
    let transport = RecordingTransport(
      StubTransport(capabilities: [.rawContent, .proxy]) { asked in
        asked.index == 0
          ? StubAnswer(.found, headerFields: [.location: "https://b.test/"])
          : .text(asked.exchange.settings.proxy?.host ?? "none")
      })
    let proxies = EnvironmentProxies(["https_proxy": "p:1", "no_proxy": "a.test"])
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), proxy: proxies))
    let (data, _) = try await loader.data(for: Request(.get, "http://a.test/"), upTo: 10)
    #expect(String(decoding: data, as: UTF8.self) == "p")
    var settings = ExchangeSettings()
    settings.proxy = Proxy(host: "own", port: 2)
    _ = try await loader.data(for: Request(.get, "http://c.test/"), upTo: 10, in: Exchange(settings))
    let (own, _) = try await loader.data(for: Request(.get, "https://c.test/"), upTo: 10, in: Exchange(settings))
    #expect(String(decoding: own, as: UTF8.self) == "own")
  }

  @Test func `a dump shows no password`() {
    let proxies = EnvironmentProxies(["https_proxy": "http://me:secret@p:1", "SECRET": "secret"])
    var text = "\(proxies) \(String(reflecting: proxies))"
    dump(proxies, to: &text)
    #expect(!text.contains("secret"))
  }
}
